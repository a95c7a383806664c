// Inputs for the programs of a procedure's phases, which all take the same: the heap, what registers hold, and what stands
// in the heap first. They follow from the program alone.
//
// Some are drawn. Then ways are looked for that none has gone: from a branch, or a check, the execution is followed back to
// an argument, or to a place in the heap, with which it goes the other way. An input is kept if it goes a way that few
// others have gone. In the end each that is kept is moved to where the answers of the procedure's operations jump.

import { aimedInputs } from "../aim/aim.js";
import { Backtrace } from "../aim/backtrace.js";
import { drawBits, drawBoundary, drawTame } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import { TRAP_EXIT, WRITTEN_FIRST } from "../import/b3/surroundings.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input, isJudged } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { Double, Float, sizeOf, type Type } from "../ir/types.js";
import type { Words } from "../ir/words.js";
import { decodeWhenAsked } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import type { Program } from "../oracle/program.js";
import { SeedSource, type Source } from "../support/source.js";
import { type Place, placesOf } from "./places.js";
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
/** How many of the memories, in percent, have nothing but zeroes. */
const ZEROES = 10;
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

/**
 * A copy in which one number has other low bits: what was led somewhere is the plainest number that goes there, and 0
 * hides much.
 */
function shake(source: Source, { words: old, heapSeed }: Input, module: Module): Input {
  const words = old.slice();
  const first = firstWrite(words.length / 2);
  const [free] = nowhere(module);
  const used = module.entry.parameters.flatMap((_, p) => {
    if (p === 0) return [];
    if (p < first) return [p];
    return (p - first) % 2 === 1 && words[2 * (p - 1)] !== free ? [p] : [];
  });
  if (used.length > 0) words[2 * used[source.below(used.length)]] ^= drawBits(source) >>> 16;
  return { words, heapSeed };
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
  /** By way: the kept inputs that go it, and how often it was looked for. */
  private readonly gone = new Map<string, number>();
  /** The same of those without end. */
  private readonly goneOn = new Map<string, number>();
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

function drawInput(source: Source, module: Module): Input {
  const { parameters } = module.entry;
  const words = new Int32Array(2 * parameters.length);
  const first = firstWrite(parameters.length);
  for (const [p, { type }] of parameters.entries()) {
    const isAddress = p >= first && (p - first) % 2 === 0;
    if (p === 0) words.set([HEAP_BASE_LO, HEAP_BASE_HI], 0);
    else if (isAddress) words.set(nowhere(module), 2 * p);
    else if (p < first) words.set(draw(source, type), 2 * p);
  }
  return { words, heapSeed: chance(source, ZEROES) ? 0 : drawBits(source) | 1 };
}

/** The parameter with the address of the first thing that an input writes. */
const firstWrite = (parameters: number): number => parameters - 2 * WRITTEN_FIRST.length;
/** The end of the heap. */
const nowhere = ({ heapSize }: Module): Words => [HEAP_BASE_LO + heapSize - 8, HEAP_BASE_HI];

/** A register of eight bytes, of which a narrower argument is the low half. */
function draw(source: Source, type: Type): Words {
  const narrow = type === Double && chance(source, 50) ? Float : type;
  if (chance(source, 15)) return [drawBits(source), narrow === Float ? 0 : drawBits(source)];
  return chance(source, 50) ? drawTame(source, narrow) : drawBoundary(source, narrow);
}

/** An input that writes to the heap what stands there anyway, in the first write of that size that is free. */
function withWritten(input: Input, { distance, bytes, holds }: Place, module: Module): Input {
  const [free] = nowhere(module);
  const first = firstWrite(input.words.length / 2);
  const at = WRITTEN_FIRST.findIndex(
    (type, w) => sizeOf(type) === bytes && input.words[2 * (first + 2 * w)] === free,
  );
  if (at < 0) return input;
  const words = input.words.slice();
  words.set([HEAP_BASE_LO + distance, HEAP_BASE_HI], 2 * (first + 2 * at));
  words.set(holds, 2 * (first + 2 * at + 1));
  return { words, heapSeed: input.heapSeed };
}
