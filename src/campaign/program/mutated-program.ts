// One step of a lineage (program/lineage.ts): mutates a program, and checks with the oracle that
// enough of it is still judged. The profile `mutated` mutates the usual program of the seed.

import type { Program } from "../../generate/generate-program.js";
import { type Input, isJudged } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { type MutatedProgram, mutateProgram } from "../../mutate/mutate-program.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import { SeedSource } from "../../support/source.js";

/** A program executes at most GROWTH times the values of its first ancestor, plus SLACK. */
const GROWTH = 4;
const SLACK = 20_000;
/**
 * The least share of executed values that a mutation must keep: a program that exits early tests
 * little.
 */
const LEFT = 0.5;
/** Number of successive seeds that share a donor, so that a worker has the donor in its cache. */
const DONOR_SHARED = 64n;

/** A program that may be mutated, with the oracle's results. */
export interface ParentProgram {
  readonly program: Program;
  /** By input: whether the oracle judges it. */
  readonly judged: readonly boolean[];
  /** Executed values, for all inputs together. */
  readonly fuel: number;
  /** The fuel of one activation of a descendant. */
  readonly fuelMax: number;
}

/** A descendant, and the mutations of its parent. */
interface DescendantProgram extends ParentProgram {
  readonly mutations: Omit<MutatedProgram, "module">;
}

/** Returns the stock of a program without mutation. */
export function stockOf(program: Program): ParentProgram {
  const { judged, fuel, most } = new OracleRunner(program.inputs).run(
    program.module,
    DEFAULT_FUEL,
    null,
  );
  return { program, judged, fuel, fuelMax: most * GROWTH + SLACK };
}

/**
 * Applies the mutations that the seed draws to a copy of the parent.
 *
 * Nearly all mutations are acceptable, so all are applied first, and the oracle runs once. If the
 * result is not acceptable, the mutations are applied again, and the oracle checks each.
 *
 * @param usual returns the unmutated program of a seed; called for the donor
 * @param mate the donor, if it is not drawn: the mutations begin with a part of it
 */
export function mutatedStock(
  { program, judged, fuel, fuelMax }: ParentProgram,
  seed: bigint,
  usual: (seed: bigint) => Program,
  mate: Program | null = null,
): DescendantProgram {
  const { module, inputs } = program;
  let made = mate;
  const donor = (): Program => {
    made ??= usual(donorSeed(seed));
    return made;
  };
  const runner = new OracleRunner(inputs);
  let [wasJudged, last] = [judged, fuel];
  const accepts = (next: Module): boolean => {
    const run = runner.run(next, fuelMax, wasJudged);
    if (run.judged.length < inputs.length || run.fuel < last * LEFT) return false;
    [wasJudged, last] = [run.judged, run.fuel];
    return true;
  };
  const mutate = (each: (next: Module) => boolean): MutatedProgram =>
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

class OracleRunner {
  private readonly inputs: readonly Input[];
  private readonly oracle = new Oracle();

  constructor(inputs: readonly Input[]) {
    this.inputs = inputs;
  }

  /**
   * Runs the inputs in order, and stops at the first one that was judged before and no longer is.
   */
  run(module: Module, fuelMax: number, wasJudged: readonly boolean[] | null): OracleRun {
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

interface OracleRun {
  /** By input: whether the oracle judges it; only for inputs that ran. */
  readonly judged: readonly boolean[];
  /** Executed values: of all inputs, and the most of one activation. */
  readonly fuel: number;
  readonly most: number;
}
