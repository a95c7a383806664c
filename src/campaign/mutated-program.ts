// Programs of the profile `mutated`: the usual program of a seed, with some mutations, and the oracle's
// word that they left something to be judged.

import { DEFAULT_FUEL } from "../execute/subjects.js";
import type { Program } from "../generate/generate-program.js";
import { type Input, isJudged } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { type Mutated, mutateProgram } from "../mutate/mutate-program.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import { SeedSource, type Source } from "../support/source.js";

/** A mutated program executes so many times what it executed before, and some more, at most. */
const GROWTH = 4;
const SLACK = 20_000;
/** What a mutation leaves of the values that were executed, at least: early exits hide the rest. */
const LEFT = 0.5;

/** A program, and what was done to it. */
export interface MutatedProgram extends Program {
  readonly mutations: Omit<Mutated, "module">;
}

/**
 * @param usual gives the unmutated program of a seed; asked for that of `seed`, and at times for one
 *   more, which is the donor
 */
export function mutatedProgramOf(seed: bigint, usual: (seed: bigint) => Program): MutatedProgram {
  const { module, inputs } = usual(seed);
  const donor = (): Program => usual(donorSeed(new SeedSource(seed, "donor")));
  const keeper = new Keeper(module, inputs);
  const source = new SeedSource(seed, "mutate");
  const mutated = mutateProgram(module, donor, source, (next) => keeper.accepts(next));
  const { applied, refused } = mutated;
  return { module: mutated.module, inputs, made: [], mutations: { applied, refused } };
}

const donorSeed = (source: Source): bigint =>
  (BigInt(source.below(0x1_0000_0000)) << 32n) | BigInt(source.below(0x1_0000_0000));

/** Accepts what is judged on each input that was judged before, and has not grown or shrunk too much. */
class Keeper {
  private readonly inputs: readonly Input[];
  private readonly oracle = new Oracle();
  private readonly fuelMax: number;
  private isJudged: readonly boolean[] = [];
  private fuel: number;

  constructor(module: Module, inputs: readonly Input[]) {
    this.inputs = inputs;
    const first = this.run(module, DEFAULT_FUEL);
    this.isJudged = first.judged;
    this.fuel = first.fuel;
    this.fuelMax = first.most * GROWTH + SLACK;
  }

  accepts(module: Module): boolean {
    const { judged, fuel } = this.run(module, this.fuelMax);
    if (judged.length < this.inputs.length || fuel < this.fuel * LEFT) return false;
    this.fuel = fuel;
    return true;
  }

  /** Runs the inputs in order, and stops at the first that is not judged any more. */
  private run(module: Module, fuelMax: number): Run {
    const program = decodeModule(module);
    const judged: boolean[] = [];
    let [fuel, most] = [0, 0];
    for (const input of this.inputs) {
      const isNow = isJudged(this.oracle.run(program, input, fuelMax));
      if (!isNow && this.isJudged[judged.length] === true) break;
      judged.push(isNow);
      fuel += this.oracle.fuelUsed;
      most = Math.max(most, this.oracle.fuelUsed, this.oracle.resumedFuel);
    }
    return { judged, fuel, most };
  }
}

interface Run {
  /** By input, of those that ran. */
  readonly judged: readonly boolean[];
  /** Values executed, together and in the longest. */
  readonly fuel: number;
  readonly most: number;
}
