// One step of a lineage (program/lineage.ts): mutations of a program that is there, and the
// oracle's word that they left something to be judged. The profile `mutated` mutates the usual
// program of the seed.

import type { Program } from "../../generate/generate-program.js";
import { type Input, isJudged } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { type Mutated, mutateProgram } from "../../mutate/mutate-program.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { SeedSource } from "../../support/source.js";

/** A program executes so many times what its first ancestor executed, and some more, at most. */
const GROWTH = 4;
const SLACK = 20_000;
/** What a mutation leaves of the values that were executed, at least: early exits hide the rest. */
const LEFT = 0.5;
/**
 * Seeds that follow each other share a donor, so that a worker judges them with the donor in its
 * cache.
 */
const DONOR_SHARED = 64n;

/** A program that may be mutated, with what the oracle says of it. */
export interface Stock {
  readonly program: Program;
  /** By input. */
  readonly judged: readonly boolean[];
  /** Values executed, on all inputs together. */
  readonly fuel: number;
  /** Values that one activation of a descendant may execute. */
  readonly fuelMax: number;
}

/** A descendant, and what was done to its parent. */
interface MutatedStock extends Stock {
  readonly mutations: Omit<Mutated, "module">;
}

/** A program without mutation. */
export function stockOf(program: Program): Stock {
  const { judged, fuel, most } = new Runner(program.inputs).run(program.module, DEFAULT_FUEL, null);
  return { program, judged, fuel, fuelMax: most * GROWTH + SLACK };
}

/**
 * The mutations that the seed draws, on a parent, which is not changed.
 *
 * Nearly all mutations may stay, so all that are drawn are made at once, and the oracle is asked
 * once. If it refuses, they are made again, and it is asked after each.
 *
 * @param usual gives the unmutated program of a seed; asked at times for that of the donor
 * @param mate the donor, if it is not drawn: the mutations begin with some of it
 */
export function mutatedStock(
  { program, judged, fuel, fuelMax }: Stock,
  seed: bigint,
  usual: (seed: bigint) => Program,
  mate: Program | null = null,
): MutatedStock {
  const { module, inputs } = program;
  let made = mate;
  const donor = (): Program => {
    made ??= usual(donorSeed(seed));
    return made;
  };
  const runner = new Runner(inputs);
  let [wasJudged, last] = [judged, fuel];
  const accepts = (next: Module): boolean => {
    const run = runner.run(next, fuelMax, wasJudged);
    if (run.judged.length < inputs.length || run.fuel < last * LEFT) return false;
    [wasJudged, last] = [run.judged, run.fuel];
    return true;
  };
  const mutate = (each: (next: Module) => boolean): Mutated =>
    mutateProgram(module, donor, new SeedSource(seed, "mutate"), each, mate !== null);
  let mutated = mutate(() => true);
  if (!accepts(mutated.module)) mutated = mutate(accepts);
  const { applied, refused } = mutated;
  const child = { module: mutated.module, inputs, made: [] };
  const mutations = { applied, refused };
  return { program: child, judged: wasJudged, fuel: last, fuelMax, mutations };
}

function donorSeed(seed: bigint): bigint {
  const source = new SeedSource(seed / DONOR_SHARED, "donor");
  return (BigInt(source.below(0x1_0000_0000)) << 32n) | BigInt(source.below(0x1_0000_0000));
}

class Runner {
  private readonly inputs: readonly Input[];
  private readonly oracle = new Oracle();

  constructor(inputs: readonly Input[]) {
    this.inputs = inputs;
  }

  /**
   * Runs the inputs in order, and stops at the first that was judged before and is not any more.
   */
  run(module: Module, fuelMax: number, wasJudged: readonly boolean[] | null): Run {
    const program = decodeModule(module);
    const judged: boolean[] = [];
    let [fuel, most] = [0, 0];
    for (const input of this.inputs) {
      const isNow = isJudged(this.oracle.run(program, input, fuelMax));
      if (!isNow && wasJudged?.[judged.length] === true) break;
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
