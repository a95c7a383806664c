// Provides values that are made of choices to fast-check. A failing case is shrunk by its choices, so the maker can
// make each shrunk case.
//
// For tests only: fast-check is a development dependency, and the package does not contain this file.

import fc from "fast-check";
import { type ChoiceSpan, RecordingSource, ReplaySource } from "./choices.js";
import { FIRST_EDIT, type ShrinkEdit, smallerChoices } from "./smaller-choices.js";
import { type ChoiceSource, SeedSource } from "./source.js";

/** A value that was made of random choices, with these choices; it is printed as the value. */
export interface ChosenValue<T> {
  readonly made: T;
  /** The choices; replaying them makes the same value. */
  readonly choices: ChoiceSpan;
  readonly [fc.toStringMethod]: () => string;
}

/**
 * A fast-check arbitrary of the values that `make` makes of random choices. The seed and path that
 * fast-check prints replay a counterexample.
 */
export class ChoiceArb<T> extends fc.Arbitrary<ChosenValue<T>> {
  private readonly make: (source: ChoiceSource) => T;
  private readonly print: (made: T) => string;

  /**
   * Makes the arbitrary.
   * @param make a function of its source alone
   * @param print returns the text of a counterexample
   */
  constructor(make: (source: ChoiceSource) => T, print: (made: T) => string) {
    super();
    this.make = make;
    this.print = print;
  }

  generate(random: fc.Random): fc.Value<ChosenValue<T>> {
    const [high, low] = [random.nextInt(), random.nextInt()];
    const source = new RecordingSource(new SeedSource((BigInt(high) << 32n) ^ BigInt(low)));
    const made = this.make(source);
    return new fc.Value(this.chosen(made, source.choices), FIRST_EDIT);
  }

  /** Makes the value, and keeps the choices that were drawn. */
  replay(choices: ChoiceSpan): ChosenValue<T> {
    const source = new ReplaySource(choices);
    const made = this.make(source);
    return this.chosen(made, source.used);
  }

  /** Returns whether the value can be shrunk: any value with choices, including examples that were not generated. */
  canShrinkWithoutContext(value: unknown): value is ChosenValue<T> {
    return typeof value === "object" && value !== null && "made" in value && "choices" in value;
  }

  shrink({ choices }: ChosenValue<T>, context: unknown): fc.Stream<fc.Value<ChosenValue<T>>> {
    return fc.stream(this.smaller(choices, isEdit(context) ? context : FIRST_EDIT));
  }

  private *smaller(choices: ChoiceSpan, from: ShrinkEdit): Generator<fc.Value<ChosenValue<T>>> {
    for (const { choices: fewer, edit } of smallerChoices(choices, from)) {
      yield new fc.Value(this.replay(fewer), edit);
    }
  }

  private chosen(made: T, choices: ChoiceSpan): ChosenValue<T> {
    return { made, choices, [fc.toStringMethod]: () => this.print(made) };
  }
}

const isEdit = (context: unknown): context is ShrinkEdit =>
  typeof context === "object" && context !== null && "pass" in context && "at" in context;
