// Inputs for the programs of a procedure's phases. They follow from the program alone.
//
// Some are drawn. Then ways are looked for that none has gone: from a branch, or a check, the execution is followed back to
// an argument, or to a place in the heap, with which it goes the other way. An input is kept if it goes a way that few
// others have gone. In the end each that is kept is moved to where the answers of the procedure's operations jump.

import { aimedInputs } from "../aim/aim.js";
import { Backtrace } from "../aim/backtrace.js";
import { TRAP_EXIT } from "../import/b3/surroundings.js";
import { type Input, isJudged } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { decodeWhenAsked } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { Program } from "../oracle/fast/program.js";
import { SeedSource, type Source } from "../support/source.js";
import { drawInput, shake, withWritten } from "./input-words.js";
import { placesOf } from "./places.js";
import { type Forks, forksOf, type Way, waysOf } from "./ways.js";

const DRAWN = 60;
/** Ways that are looked for, at most, and how often each. */
const LOOKED_FOR = 120;
const TRIES = 3;
/** So many inputs are to go each way, if so many are found. */
const DEEP = 2;
/** How many are kept at least. */
const KEPT = 4;
/** For each that is kept, beside. */
const AIMED = 1;
/** Which of the numbers that lead to a way. */
const ENDS = ["found", "found", "below", "above"] as const;
/** Values that are executed for a look. */
const FUEL = 5000;

/** @param module what one of the phases left */
export function phaseInputs(module: Module): readonly Input[] {
  const source = new SeedSource(1n);
  const search = new Search(module, source);
  for (let i = 0; i < DRAWN; i++) search.consider(drawInput(source, module));
  for (let i = 0; i < LOOKED_FOR && search.goOn(); i++);
  const kept = search.kept.flatMap(({ input, ends }) => (ends ? [input] : []));
  const aimed = kept.flatMap((input) =>
    aimedInputs(module, input, AIMED, source).map((one) => one.input),
  );
  const shaken = kept.map((input) => shake(source, input, module));
  return [...kept, ...aimed, ...shaken];
}

interface Kept {
  readonly input: Input;
  readonly ends: boolean;
  /** Ways that it could have gone. */
  readonly others: readonly Way[];
}

class Search {
  readonly kept: Kept[] = [];
  private readonly module: Module;
  private readonly source: Source;
  private readonly oracle = new Oracle();
  private readonly program: Program;
  private readonly forks: Forks;
  private readonly values = new Map<number, Value>();
  /** By way: the kept inputs that go it, and end. */
  private readonly gone = new Map<string, number>();
  /** The same of those without end. */
  private readonly goneOn = new Map<string, number>();
  /** By way: how often it was looked for. */
  private readonly tried = new Map<string, number>();

  constructor(module: Module, source: Source) {
    this.module = module;
    this.source = source;
    this.program = decodeWhenAsked(module);
    this.forks = forksOf(module.entry, TRAP_EXIT);
    module.entry.forEachValue((value) => {
      this.values.set(value.id, value);
    });
  }

  /**
   * Keeps the input if it goes a way that few others have gone. One without end is no input of a comparison; but it
   * may be led to an end.
   */
  consider(input: Input): void {
    const { outcome, trace } = this.oracle.runTraced(this.program, input, FUEL);
    const ends = isJudged(outcome);
    if (!ends && outcome.ending.kind !== "out-of-fuel") return;
    const taken = waysOf(trace, this.forks);
    const ways = new Set(taken.map(({ name }) => name));
    const gone = ends ? this.gone : this.goneOn;
    const isNew = [...ways].some((way) => (gone.get(way) ?? 0) < DEEP);
    if (!isNew && (!ends || this.kept.length >= KEPT)) return;
    for (const way of ways) gone.set(way, (gone.get(way) ?? 0) + 1);
    const others = new Map(taken.flatMap((one) => one.others.map((way) => [way.name, way])));
    this.kept.push({ input, ends, others: [...others.values()] });
  }

  /** Looks for a way that no input has gone, from the last that was kept; false if there is none to look for. */
  goOn(): boolean {
    for (let k = this.kept.length - 1; k >= 0; k--) {
      const { input, others } = this.kept[k];
      const open = others.filter(
        ({ name }) => !this.gone.has(name) && (this.tried.get(name) ?? 0) < TRIES,
      );
      if (open.length === 0) continue;
      const way = open[this.source.below(open.length)];
      this.tried.set(way.name, (this.tried.get(way.name) ?? 0) + 1);
      const moved = this.moved(input, way);
      if (moved !== null) this.consider(moved);
      return true;
    }
    return false;
  }

  /** The input with which the execution should go that way; null if none was found. */
  private moved(input: Input, { decides, wanted }: Way): Input | null {
    const { trace } = this.oracle.runTraced(this.program, input, FUEL);
    const written = placesOf(trace, this.values, decides).reduce(
      (before, place) => withWritten(before, place, this.module),
      input,
    );
    // The same execution, in which these places are arguments.
    const again = this.oracle.runTraced(this.program, written, FUEL);
    const back = new Backtrace(this.module, again.trace, written);
    if (decides >= again.trace.length) return null;
    const move = back.lead(decides, wanted, ENDS[this.source.below(ENDS.length)]);
    if (move === null) return null;
    const words = written.words.slice();
    if (move.parameter === null) return { words, heapSeed: move.words[0] };
    words.set(move.words, 2 * move.parameter);
    return { words, heapSeed: written.heapSeed };
  }
}
