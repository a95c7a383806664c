// Generates inputs for the programs of a procedure's phases. They depend on the program alone.
// 1. Some inputs are random.
// 2. The search then picks a branch side that no input takes. It follows the execution back to an
//    argument or a heap location that controls the branch, and changes that.
// 3. An input is kept if it takes a side that few others take.
// 4. At the end, each kept input is also moved to points at which the program's operations are
//    discontinuous.

import { aimedInputs } from "../aim/aim.js";
import { Backtrace } from "../aim/backtrace.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { type HeapLocation, heapLocationsOf } from "./places.js";
import {
  type DecidingValues,
  decisionsOf,
  exitAlternative,
  type UntakenAlternative,
} from "./ways.js";

/** The inputs of one program: what is particular to its compiler. */
export interface InputSpace {
  /** Draws an input without initial writes. */
  draw(source: ChoiceSource): Input;
  /** Adds an initial write that stores the present contents of a heap location. */
  withInitialWrite(input: Input, location: HeapLocation): Input;
  /** Returns a copy that changes one number a little. */
  changeLowBits(source: ChoiceSource, input: Input): Input;
  /** Restores the words of a moved input that only prepare an execution. */
  kept(moved: Input, original: Input): Input;
  readonly deciding: DecidingValues;
  /** The least number of inputs to keep, and the number to find for each side. */
  readonly inputsMin: number;
  readonly inputsPerSide: number;
  /** Whether the execution can be compared. */
  isEnd(outcome: Outcome): boolean;
  /** Whether the search may derive an input from one whose execution cannot be compared. */
  isStart(outcome: Outcome): boolean;
  /** The fuel of an execution in the search. */
  readonly fuel: number;
  /** The fuel of an execution whose input is moved to discontinuities; the default if undefined. */
  readonly aimFuel: number | undefined;
  /** The index of a procedure whose stores count as initial contents; null if there is none. */
  readonly preparation: number | null;
}

const RANDOM_INPUTS = 60;
/** The greatest number of sides to search for, and of attempts for each. */
const SEARCHES_MAX = 120;
const ATTEMPTS_MAX = 3;
/** The number of moved inputs for each kept one. */
const MOVED_PER_INPUT = 1;
/** The choice among the numbers that take a side. */
const ENDS = ["found", "found", "below", "above"] as const;

/** @param module the program after one of the phases */
export function phaseInputs(module: Module, space: InputSpace): readonly Input[] {
  const source = new SeedSource(1n);
  const search = new InputSearch(module, space, source);
  for (let i = 0; i < RANDOM_INPUTS; i++) search.consider(space.draw(source));
  for (let i = 0; i < SEARCHES_MAX && search.searchNext(); i++);
  // Those that were found last took the most searching.
  const kept = search.kept.flatMap(({ input, ends }) => (ends ? [input] : [])).reverse();
  const aimed = kept.flatMap((input) =>
    aimedInputs(module, input, MOVED_PER_INPUT, source, space.aimFuel).map((moved) =>
      space.kept(moved.input, input),
    ),
  );
  const changed = kept.map((input) => space.changeLowBits(source, input));
  return [...kept, ...aimed, ...changed];
}

interface KeptInput {
  readonly input: Input;
  readonly ends: boolean;
  /** The sides that it did not take. */
  readonly others: readonly UntakenAlternative[];
}

class InputSearch {
  readonly kept: KeptInput[] = [];
  private readonly module: Module;
  private readonly space: InputSpace;
  private readonly source: ChoiceSource;
  private readonly oracle = new Oracle();
  private readonly program: DecodedModule;
  private readonly values = new Map<number, Value>();
  /** The number of kept inputs that take a side and end, by the name of the side. */
  private readonly endingCounts = new Map<string, number>();
  /** The number of kept inputs that take a side and do not end, by the name of the side. */
  private readonly endlessCounts = new Map<string, number>();
  /** The number of attempts to reach a side, by its name. */
  private readonly attempts = new Map<string, number>();

  constructor(module: Module, space: InputSpace, source: ChoiceSource) {
    this.module = module;
    this.space = space;
    this.source = source;
    this.program = decodeLazily(module);
    module.entry.forEachValue((value) => {
      this.values.set(value.id, value);
    });
  }

  /**
   * Keeps the input if it takes a side that few others take. An input that does not end is not
   * compared, but the search may derive one that ends.
   */
  consider(input: Input): void {
    const { outcome, trace } = this.oracle.runTraced(this.program, input, this.space.fuel);
    const ends = this.space.isEnd(outcome);
    if (!ends && !this.space.isStart(outcome)) return;
    const decisions = decisionsOf(trace, this.space.deciding);
    const sides = new Set(decisions.map(({ name }) => name));
    const counts = ends ? this.endingCounts : this.endlessCounts;
    const isNew = [...sides].some((side) => (counts.get(side) ?? 0) < this.space.inputsPerSide);
    if (!isNew && (!ends || this.kept.length >= this.space.inputsMin)) return;
    for (const side of sides) counts.set(side, (counts.get(side) ?? 0) + 1);
    const others = new Map(decisions.flatMap((one) => one.others.map((side) => [side.name, side])));
    const exit = ends ? null : exitAlternative(trace, this.values);
    if (exit !== null) others.set(exit.name, exit);
    this.kept.push({ input, ends, others: [...others.values()] });
  }

  /**
   * Searches for a side that no input takes, starting from the input that was kept last. Returns
   * false if no side is left.
   */
  searchNext(): boolean {
    for (let k = this.kept.length - 1; k >= 0; k--) {
      const { input, others } = this.kept[k];
      const open = others.filter(
        ({ name }) => !this.endingCounts.has(name) && (this.attempts.get(name) ?? 0) < ATTEMPTS_MAX,
      );
      if (open.length === 0) continue;
      const side = open[this.source.below(open.length)];
      this.attempts.set(side.name, (this.attempts.get(side.name) ?? 0) + 1);
      const moved = this.inputTaking(input, side);
      if (moved !== null) this.consider(moved);
      return true;
    }
    return false;
  }

  /** Returns an input that should take the side; null if none was found. */
  private inputTaking(input: Input, { event, bits }: UntakenAlternative): Input | null {
    const { trace } = this.oracle.runTraced(this.program, input, this.space.fuel);
    const { preparation } = this.space;
    const locations = heapLocationsOf(trace, this.values, event, preparation);
    const written = locations.reduce(
      (before, location) => this.space.withInitialWrite(before, location),
      input,
    );
    // The same execution, with these heap locations as arguments.
    const again = this.oracle.runTraced(this.program, written, this.space.fuel);
    const back = new Backtrace(this.module, again.trace, written);
    if (event >= again.trace.length) return null;
    const move = back.lead(event, bits, ENDS[this.source.below(ENDS.length)]);
    if (move === null) return null;
    const words = written.words.slice();
    if (move.parameter === null) return { words, heapSeed: move.words[0] };
    words.set(move.words, 2 * move.parameter);
    return { words, heapSeed: written.heapSeed };
  }
}
