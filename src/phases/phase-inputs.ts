// Generates inputs for the programs of a procedure's phases. They depend on the program alone.
// 1. Some inputs are random.
// 2. The search then picks a branch side that no input takes. It follows the execution back to an
//    argument or a heap location that controls the branch, and changes that.
// 3. An input is kept if it takes a side that few others take.
// 4. At the end, a copy of each kept input is moved to a point at which an operation of the program
//    is discontinuous.

import { aimedInputs } from "../aim/aim.js";
import { Backtrace } from "../aim/backtrace.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module, Value } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import {
  type DecidingValues,
  decisionsOf,
  exitAlternative,
  type UntakenAlternative,
} from "./decisions.js";
import { type HeapLocation, heapLocationsOf } from "./heap-locations.js";

/** The inputs of one program, as its compiler defines them. */
export interface InputSpace {
  /** Draws an input without initial writes. */
  draw(source: ChoiceSource): Input;
  /** Adds an initial write that stores the present contents of a heap location. */
  withInitialWrite(input: Input, location: HeapLocation): Input;
  /** Returns a copy that changes one number a little. */
  changeLowBits(source: ChoiceSource, input: Input): Input;
  /** Restores the words of a moved input that only prepare an execution. */
  withPreparation(moved: Input, original: Input): Input;
  readonly deciding: DecidingValues;
  /** The least number of inputs to keep, and the number to find for each side. */
  readonly inputsMin: number;
  readonly inputsPerSide: number;
  /** Whether the execution can be compared. */
  isComparable(outcome: Outcome): boolean;
  /** Whether the search may derive an input from one whose execution cannot be compared. */
  isSearchable(outcome: Outcome): boolean;
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
/** The number that the search selects among those that take a side; see `Backtrace.lead`. */
const NUMBER_CHOICES = ["found", "found", "below", "above"] as const;

/** @param module the program after one of the phases */
export function phaseInputs(module: Module, space: InputSpace): readonly Input[] {
  const source = new SeedSource(1n);
  const search = new InputSearch(module, space, source);
  for (let i = 0; i < RANDOM_INPUTS; i++) search.consider(space.draw(source));
  for (let i = 0; i < SEARCHES_MAX && search.searchNext(); i++);
  // Those that were found last took the most searching.
  const kept = search.kept
    .flatMap(({ input, isComparable }) => (isComparable ? [input] : []))
    .reverse();
  const aimed = kept.flatMap((input) =>
    aimedInputs(module, input, MOVED_PER_INPUT, source, space.aimFuel).map((moved) =>
      space.withPreparation(moved.input, input),
    ),
  );
  const changed = kept.map((input) => space.changeLowBits(source, input));
  return [...kept, ...aimed, ...changed];
}

interface KeptInput {
  readonly input: Input;
  readonly isComparable: boolean;
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
  private readonly comparableCounts = new Map<string, number>();
  /** The number of kept inputs that take a side and do not end, by the name of the side. */
  private readonly otherCounts = new Map<string, number>();
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
    const isComparable = this.space.isComparable(outcome);
    if (!isComparable && !this.space.isSearchable(outcome)) return;
    const decisions = decisionsOf(trace, this.space.deciding);
    const sides = new Set(decisions.map(({ name }) => name));
    const counts = isComparable ? this.comparableCounts : this.otherCounts;
    const isNew = [...sides].some((side) => (counts.get(side) ?? 0) < this.space.inputsPerSide);
    if (!isNew && (!isComparable || this.kept.length >= this.space.inputsMin)) return;
    for (const side of sides) counts.set(side, (counts.get(side) ?? 0) + 1);
    const others = new Map(decisions.flatMap((one) => one.others.map((side) => [side.name, side])));
    const exit = isComparable ? null : exitAlternative(trace, this.values);
    if (exit !== null) others.set(exit.name, exit);
    this.kept.push({ input, isComparable, others: [...others.values()] });
  }

  /**
   * Searches for a side that no input takes, starting from the input that was kept last. Returns
   * false if no side is left.
   */
  searchNext(): boolean {
    for (let k = this.kept.length - 1; k >= 0; k--) {
      const { input, others } = this.kept[k];
      const open = others.filter(
        ({ name }) =>
          !this.comparableCounts.has(name) && (this.attempts.get(name) ?? 0) < ATTEMPTS_MAX,
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
    const move = back.lead(event, bits, NUMBER_CHOICES[this.source.below(NUMBER_CHOICES.length)]);
    if (move === null) return null;
    const words = written.words.slice();
    if (move.parameter === null) return { words, heapSeed: move.words[0] };
    words.set(move.words, 2 * move.parameter);
    return { words, heapSeed: written.heapSeed };
  }
}
