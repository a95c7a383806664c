// Measures code quality: executed instructions at each level, relative to O0, over programs of
// fixed seeds.

import type { StoppableWork } from "../../../fuzz/support/long-work.js";
import { Compiler } from "../../../reference/compile.js";
import { LEVELS, type Level } from "../../../reference/levels.js";
import type { TargetName } from "../../../reference/target/target.js";
import { generatedOf } from "../../../src/campaign/program/seeds.js";
import { EmulatedCpu } from "../../../src/execute/emulator/emulated-cpu.js";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { MachineRunner } from "../../../src/execute/machine/machine.js";
import { CompilationUnit } from "../../../src/execute/unit.js";
import { isJudged } from "../../../src/ir/outcome.js";
import { decodeModule } from "../../../src/oracle/fast/decode.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import { executedInstructions } from "./executed.js";

const INPUTS = 2;
/**
 * Maximum of values that the oracle executes; one execution in some thousands does not terminate.
 */
const FUEL_MAX = 100_000;

/**
 * Sums executed instructions over the programs, with two judged inputs each, and divides by the sum
 * of O0. A step is a program.
 */
export function* shareSteps(
  target: TargetName,
  seeds: readonly bigint[],
): StoppableWork<{ readonly [L in Level]: number }> {
  const compiler = new Compiler();
  const oracle = new Oracle();
  const runner = new MachineRunner(new EmulatedCpu(target), new Oracle());
  const sums: { [L in Level]: number } = { O0: 0, O1: 0, O2: 0 };
  for (const seed of seeds) {
    const { module, inputs } = generatedOf(seed);
    const program = decodeModule(module);
    const judged = inputs.filter((input) => isJudged(oracle.run(program, input, FUEL_MAX)));
    const unit = new CompilationUnit(module);
    for (const level of LEVELS) {
      const optimized = unit.optimized({ level, target, chaos: false });
      const image = compiler.generate(optimized.module, target, {
        environment: ENVIRONMENT,
        level,
        checkAllocation: false,
        listing: false,
      });
      const loaded = { ...image, ...optimized };
      for (const input of judged.slice(0, INPUTS)) {
        sums[level] += executedInstructions(runner, loaded, input);
      }
    }
    if (yield) break;
  }
  runner.close();
  return { O0: 1, O1: sums.O1 / sums.O0, O2: sums.O2 / sums.O0 };
}
