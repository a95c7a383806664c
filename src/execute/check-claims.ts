// Phases that look, before they run, whether what their analyses claim of the program is true of its executions.

import type { OptimizeContext } from "../../reference/optimize/edit/context.js";
import type { Phase } from "../../reference/pipeline.js";
import type { Input } from "../ir/outcome.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import type { Trace } from "../oracle/trace.js";
import { InternalError } from "../support/assert.js";
import { type FalseClaim, firstFalseRange, RANGE_PHASES, rangeClaimsOf } from "./range-claims.js";

/** Executes the program as it stands, in each way that claims are held against. */
export type Executions = (module: Module) => Iterable<Trace>;

/** On these inputs. */
export const executionsOn = (inputs: readonly Input[], fuelMax: number): Executions =>
  function* (module) {
    const program = decodeModule(module);
    const oracle = new Oracle();
    for (const input of inputs) yield oracle.runTraced(program, input, fuelMax).trace;
  };

/**
 * The same phases; those that rely on ranges throw InternalError where one is false of an execution.
 * @param module the one that they are going to change
 */
export const checkingClaims = (
  phases: readonly Phase[],
  module: Module,
  executions: Executions,
): readonly Phase[] =>
  phases.map((phase) => {
    if (!RANGE_PHASES.includes(phase.name)) return phase;
    return {
      ...phase,
      run: (proc, context) => {
        const wrong = falseClaimIn(module, proc, context, executions);
        if (wrong === null) return phase.run(proc, context);
        const evidence = `before ${phase.name} of ${proc.name}: ${wrong.detail}`;
        throw new InternalError(evidence, { what: `range by ${wrong.by}` });
      },
    };
  });

/** @param proc of the module, as a phase is about to change it */
export function falseClaimIn(
  module: Module,
  proc: Procedure,
  context: OptimizeContext,
  executions: Executions,
): FalseClaim | null {
  const claims = rangeClaimsOf(proc, context);
  const index = module.procedures.indexOf(proc);
  for (const trace of executions(module)) {
    const wrong = trace.isJudged ? firstFalseRange(trace, index, claims) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}
