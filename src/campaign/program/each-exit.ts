// Every exit of a program, once: the program is rewritten so that inputs can name a guard, which
// then fails on its first visit, and the oracle says with which input each guard is reached. So
// each stub runs that any input can reach, though its own condition never comes true.

import { EACH_GUARD, failingAtFirst, forceGuards, unforced } from "../../generate/forced-guards.js";
import type { Program } from "../../generate/generate-program.js";
import { cloneModule } from "../../ir/clone.js";
import type { Input } from "../../ir/outcome.js";
import { compiledProcedures, type Module, type Procedure, type Value } from "../../ir/procedure.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { slice } from "../../oracle/fast/trace.js";
import { SeedSource } from "../../support/source.js";

/** Values that each activation may execute while guards are looked for. */
const FUEL_MAX = 1_000_000;

/** A guard of the rewritten program, by the identity that it has in the original. */
export interface ForcedExit {
  readonly proc: Procedure;
  readonly guard: Value;
  /** The index of the input with which it fails; null: no input reaches it. */
  readonly input: number | null;
}

export interface EachExit {
  readonly module: Module;
  /** All as they were, and one for each guard that is reached. */
  readonly inputs: readonly Input[];
  /** All guards that are compiled. */
  readonly exits: readonly ForcedExit[];
}

/** Rewrites a copy of the module, which is valid; what can be drawn is drawn by the seed. */
export function eachExitOf(original: Module, inputs: readonly Input[], seed: bigint): EachExit {
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
      // What goes on behind an exit names no guard to those that it calls, and is not compiled.
      if (!left.some((event) => procedures[event] === p && ids[event] === guard.id)) continue;
      given.push(input);
      return { proc, guard, input: given.length - 1 };
    }
    return { proc, guard, input: null };
  });
  return { module, inputs: given, exits };
}

/** The program, all of whose exits that an input reaches are taken. */
export function eachExitProgram({ module, inputs }: Program, seed: bigint): Program {
  const each = eachExitOf(module, inputs, seed);
  return { module: each.module, inputs: [...each.inputs], made: [] };
}
