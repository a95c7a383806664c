// Rewrites a program so that each of its exits is taken once. An input of the rewritten program
// names a guard, which fails on its first visit; the oracle determines which input reaches each
// guard. So each exit stub that any input can reach runs, even if its own condition is never true.

import { EACH_GUARD, failingAtFirst, forceGuards, unforced } from "../../generate/forced-guards.js";
import type { Program } from "../../generate/generate-program.js";
import { cloneModule } from "../../ir/clone.js";
import type { Input } from "../../ir/outcome.js";
import { compiledProcedures, type Module, type Procedure, type Value } from "../../ir/procedure.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { slice } from "../../oracle/fast/trace.js";
import { SeedSource } from "../../support/source.js";

/** The fuel of each activation in the search for reachable guards. */
const FUEL_MAX = 1_000_000;

/** A guard of the rewritten program, with its identity in the original. */
export interface ForcedExit {
  readonly proc: Procedure;
  readonly guard: Value;
  /** The index of the input that makes it fail; null: no input reaches it. */
  readonly input: number | null;
}

export interface ForcedExitProgram {
  readonly module: Module;
  /** The original inputs, and one for each reachable guard. */
  readonly inputs: readonly Input[];
  /** All guards of the rewritten program that are compiled. */
  readonly exits: readonly ForcedExit[];
}

/** Rewrites a copy of a valid module; the seed makes the random choices. */
export function eachExitOf(
  original: Module,
  inputs: readonly Input[],
  seed: bigint,
): ForcedExitProgram {
  const module = cloneModule(original);
  const source = new SeedSource(seed, "each exit");
  const forced = forceGuards(module, compiledProcedures(module), source, EACH_GUARD);
  const given = inputs.map(unforced);
  const program = decodeModule(module);
  const oracle = new Oracle();
  const executed = given.map((input) => slice(oracle.runTraced(program, input, FUEL_MAX).trace));
  const exits = forced.map((one): ForcedExit => {
    const { proc, guard } = one;
    const p = module.procedures.indexOf(proc);
    for (let i = 0; i < inputs.length; i++) {
      if (executed[i][p].executed[guard.id] === 0) continue;
      const input = failingAtFirst(inputs[i], one);
      const { exits: left, procedures, ids } = oracle.runTraced(program, input, FUEL_MAX).trace;
      // Skip executions in continuations: these are not compiled, and pass no guard number to
      // callees.
      if (!left.some((event) => procedures[event] === p && ids[event] === guard.id)) continue;
      given.push(input);
      return { proc, guard, input: given.length - 1 };
    }
    return { proc, guard, input: null };
  });
  return { module, inputs: given, exits };
}

/** Returns the program with inputs that take each reachable exit. */
export function eachExitProgram({ module, inputs }: Program, seed: bigint): Program {
  const each = eachExitOf(module, inputs, seed);
  return { module: each.module, inputs: [...each.inputs], made: [] };
}
