// Wraps phases so that, before they run, the claims of their analyses are checked against
// executions of the program.

import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { Optimizer } from "../../../reference/optimize.js";
import { PARTS } from "../../../reference/parts.js";
import type { Phase } from "../../../reference/pipeline.js";
import { LazyModuleCopy } from "../../ir/clone.js";
import type { Input } from "../../ir/outcome.js";
import type { Module, Procedure } from "../../ir/procedure.js";
import { decodeLazily } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import type { DecodedModule } from "../../oracle/fast/program.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";
import { InternalError } from "../../support/assert.js";
import { zeroedBytes } from "../../support/program-arrays.js";
import { OptimizedModule } from "../optimized.js";
import { aliasClaims } from "./alias-claims.js";
import type { ClaimChecker, FalseClaim } from "./claim.js";
import { numberClaims } from "./number-claims.js";
import { rangeClaims } from "./range-claims.js";

/** The claims that a phase relies on, by its name. */
const CLAIMS_BY_PHASE: Readonly<
  Record<string, (proc: Procedure, context: OptimizeContext) => ClaimChecker>
> = {
  "eliminate-bounds-checks": rangeClaims,
  narrow: rangeClaims,
  "forward-loads": aliasClaims,
  "eliminate-dead-stores": aliasClaims,
  "sink-stores": aliasClaims,
};

export const hasCheckedClaims = (phase: string): boolean => CLAIMS_BY_PHASE[phase] !== undefined;

/** Executes the program in its present form; each trace may contradict a claim. */
export type TraceSource = (module: Module) => Iterable<ExecutionTrace>;

interface ModuleWithProgram {
  readonly module: Module;
  readonly program: DecodedModule;
}

/**
 * Returns executions on these inputs.
 * @param known a module that does not change, and its decoded form; any other module is decoded at
 * each call
 */
export const executionsOn =
  (
    inputs: readonly Input[],
    fuelMax: number,
    known: ModuleWithProgram | null = null,
  ): TraceSource =>
  (module) => {
    const program = known?.module === module ? known.program : decodeLazily(module);
    return tracesOf(program, inputs, fuelMax);
  };

const oracle = new Oracle();

function* tracesOf(
  program: DecodedModule,
  inputs: readonly Input[],
  fuelMax: number,
): Generator<ExecutionTrace> {
  for (const input of inputs) yield oracle.runTraced(program, input, fuelMax).trace;
}

/**
 * Returns the same phases. Those that rely on an analysis throw an InternalError if an execution
 * contradicts a claim. Claims about procedures outside of `entered` are not checked, so the module
 * does not run for each of them.
 * @param module the module that the phases are going to change
 * @param entered procedures of the module, from enteredBy; null: all are checked
 */
export const withClaimChecks = (
  phases: readonly Phase[],
  module: Module,
  executions: TraceSource,
  entered: ReadonlySet<Procedure> | null = null,
): readonly Phase[] =>
  phases.map((phase) => {
    if (CLAIMS_BY_PHASE[phase.name] === undefined) return phase;
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
 * Checks the claims about the program before any phase has changed it.
 * @throws InternalError
 */
export function checkSourceClaims(module: Module, executions: TraceSource): void {
  const traces = [...executions(module)];
  const copy = new LazyModuleCopy(module);
  const rows = withClaimChecks(INERT_PHASES, copy.module, () => traces);
  const options = { level: "O1", target: null, phases: SOURCE_PHASES, rows } as const;
  const source = new OptimizedModule(copy, new Optimizer(copy.module, options));
  for (const index of executedIn(module, traces)) source.finish(copy.module.procedures[index]);
  checkLoweringClaims(module, () => traces);
}
/**
 * The phases; those that rely on claims change nothing. The others establish the assumptions of the
 * analyses and preserve the values.
 */
const INERT_PHASES = PARTS.phases.map((phase) =>
  CLAIMS_BY_PHASE[phase.name] === undefined ? phase : { ...phase, run: () => false },
);
/** One phase for each analysis. */
const SOURCE_PHASES = ["canonicalize-phis", "eliminate-bounds-checks", "forward-loads"];

/**
 * Checks the claims that lowering would make about the program as it is.
 * @throws InternalError
 */
export function checkLoweringClaims(module: Module, executions: TraceSource): void {
  const traces = [...executions(module)];
  for (const index of executedIn(module, traces)) {
    const proc = module.procedures[index];
    const wrong = firstFalse(numberClaims(proc), traces, index);
    if (wrong === null) continue;
    throw new InternalError(`lowering of ${proc.name}: ${wrong.detail}`, { what: wrong.what });
  }
}

/** Returns the procedures that the executions enter: no phase makes them enter others. */
export const proceduresEnteredBy = (
  module: Module,
  executions: TraceSource,
): ReadonlySet<Procedure> =>
  new Set(executedIn(module, [...executions(module)]).map((index) => module.procedures[index]));

/**
 * Returns the indices of the procedures that the executions enter; they cannot contradict claims
 * about others.
 */
function executedIn({ procedures }: Module, traces: readonly ExecutionTrace[]): number[] {
  const isExecuted = zeroedBytes(procedures.length);
  for (const trace of traces) {
    for (let e = 0; e < trace.length; e++) isExecuted[trace.procedures[e]] = 1;
  }
  return procedures.flatMap((_, index) => (isExecuted[index] === 1 ? index : []));
}

/**
 * Returns the first false claim that the phase relies on; null if there is none.
 * @param proc a procedure of the module, before the phase changes it
 */
export function falseClaimBefore(
  phase: string,
  module: Module,
  proc: Procedure,
  context: OptimizeContext,
  executions: TraceSource,
): FalseClaim | null {
  const claims = CLAIMS_BY_PHASE[phase]?.(proc, context);
  if (claims === undefined) return null;
  return firstFalse(claims, executions(module), module.procedures.indexOf(proc));
}

function firstFalse(
  claims: ClaimChecker,
  traces: Iterable<ExecutionTrace>,
  index: number,
): FalseClaim | null {
  for (const trace of traces) {
    const wrong = trace.isJudged ? claims.firstFalse(trace, index) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}
