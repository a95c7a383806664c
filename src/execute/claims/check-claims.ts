// Phases that look, before they run, whether what their analyses claim of the program is true of its executions.

import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { Optimizer } from "../../../reference/optimize.js";
import { PARTS } from "../../../reference/parts.js";
import type { Phase } from "../../../reference/pipeline.js";
import { CopyWhenAsked } from "../../ir/clone.js";
import type { Input } from "../../ir/outcome.js";
import type { Module, Procedure } from "../../ir/procedure.js";
import { decodeWhenAsked } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import type { Program } from "../../oracle/fast/program.js";
import type { Trace } from "../../oracle/fast/trace.js";
import { InternalError } from "../../support/assert.js";
import { zeroedBytes } from "../../support/program-arrays.js";
import { Optimized } from "../optimized.js";
import { aliasClaims } from "./alias-claims.js";
import type { Claims, FalseClaim } from "./claim.js";
import { numberClaims } from "./number-claims.js";
import { rangeClaims } from "./range-claims.js";

/** By phase: what it relies on. */
const RELIED_ON: Readonly<Record<string, (proc: Procedure, context: OptimizeContext) => Claims>> = {
  "eliminate-bounds-checks": rangeClaims,
  narrow: rangeClaims,
  "forward-loads": aliasClaims,
  "eliminate-dead-stores": aliasClaims,
};

export const reliesOnClaims = (phase: string): boolean => RELIED_ON[phase] !== undefined;

/** Executes the program as it stands, in each way that claims are held against. */
export type Executions = (module: Module) => Iterable<Trace>;

interface Decoded {
  readonly module: Module;
  readonly program: Program;
}

/**
 * On these inputs.
 * @param known a module that does not change, and what it is decoded as; any other is decoded as it stands
 */
export const executionsOn =
  (inputs: readonly Input[], fuelMax: number, known: Decoded | null = null): Executions =>
  (module) => {
    const program = known?.module === module ? known.program : decodeWhenAsked(module);
    return tracesOf(program, inputs, fuelMax);
  };

const oracle = new Oracle();

function* tracesOf(program: Program, inputs: readonly Input[], fuelMax: number): Generator<Trace> {
  for (const input of inputs) yield oracle.runTraced(program, input, fuelMax).trace;
}

/**
 * The same phases; those that rely on an analysis throw InternalError where it claims what is false of an execution.
 * Claims about procedures outside of `entered` are not looked at, so the module is not run for each of them.
 * @param module the one that they are going to change
 * @param entered of the module, from enteredBy; null: all are looked at
 */
export const checkingClaims = (
  phases: readonly Phase[],
  module: Module,
  executions: Executions,
  entered: ReadonlySet<Procedure> | null = null,
): readonly Phase[] =>
  phases.map((phase) => {
    if (RELIED_ON[phase.name] === undefined) return phase;
    return {
      ...phase,
      run: (proc, context) => {
        if (entered?.has(proc) === false) return phase.run(proc, context);
        const wrong = falseClaimBefore(phase.name, module, proc, context, executions);
        if (wrong === null) return phase.run(proc, context);
        const evidence = `before ${phase.name} of ${proc.name}: ${wrong.detail}`;
        throw new InternalError(evidence, { what: wrong.what });
      },
    };
  });

/**
 * The same of the program as it is, before any phase has changed it.
 * @throws InternalError
 */
export function claimsOfSource(module: Module, executions: Executions): void {
  const traces = [...executions(module)];
  const copy = new CopyWhenAsked(module);
  const rows = checkingClaims(INERT, copy.module, () => traces);
  const options = { level: "O1", target: null, phases: OF_SOURCE, rows } as const;
  const source = new Optimized(copy, new Optimizer(copy.module, options));
  for (const index of executedIn(module, traces)) source.finish(copy.module.procedures[index]);
  claimsOfLowering(module, () => traces);
}
/** What analyses assume is brought about by phases that keep the values which are there; the others do nothing. */
const INERT = PARTS.phases.map((phase) =>
  RELIED_ON[phase.name] === undefined ? phase : { ...phase, run: () => false },
);
/** One phase for each analysis. */
const OF_SOURCE = ["canonicalize-phis", "eliminate-bounds-checks", "forward-loads"];

/**
 * What lowering would claim of the program as it is.
 * @throws InternalError
 */
export function claimsOfLowering(module: Module, executions: Executions): void {
  const traces = [...executions(module)];
  for (const index of executedIn(module, traces)) {
    const proc = module.procedures[index];
    const wrong = firstFalse(numberClaims(proc), traces, index);
    if (wrong === null) continue;
    throw new InternalError(`lowering of ${proc.name}: ${wrong.detail}`, { what: wrong.what });
  }
}

/** Returns the procedures that the executions enter: no phase makes them enter others. */
export const enteredBy = (module: Module, executions: Executions): ReadonlySet<Procedure> =>
  new Set(executedIn(module, [...executions(module)]).map((index) => module.procedures[index]));

/** Indices of the procedures that the executions have entered: what is claimed of others they cannot show false. */
function executedIn({ procedures }: Module, traces: readonly Trace[]): number[] {
  const isExecuted = zeroedBytes(procedures.length);
  for (const trace of traces) {
    for (let e = 0; e < trace.length; e++) isExecuted[trace.procedures[e]] = 1;
  }
  return procedures.flatMap((_, index) => (isExecuted[index] === 1 ? index : []));
}

/**
 * What the phase relies on and is false; null if nothing is.
 * @param proc of the module, as the phase is about to change it
 */
export function falseClaimBefore(
  phase: string,
  module: Module,
  proc: Procedure,
  context: OptimizeContext,
  executions: Executions,
): FalseClaim | null {
  const claims = RELIED_ON[phase]?.(proc, context);
  if (claims === undefined) return null;
  return firstFalse(claims, executions(module), module.procedures.indexOf(proc));
}

function firstFalse(claims: Claims, traces: Iterable<Trace>, index: number): FalseClaim | null {
  for (const trace of traces) {
    const wrong = trace.isJudged ? claims.firstFalse(trace, index) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}
