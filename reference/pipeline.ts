// The compiler's contents: start reading here.
//
// `PHASES` says of each phase of the optimizer what it needs, makes and breaks; `PIPELINES` says for
// each level in which order they run, and why. Both are data: the runner is optimize.ts,
// which also checks at load that every fact that a phase requires holds where it stands. What
// follows the optimizer (lower, allocate, emit) is compile.ts.

import type { Procedure } from "../src/ir/procedure.js";
import type { Feature } from "./optimize/analysis/features.js";
import { canonicalizePhis } from "./optimize/control-flow/canonicalize-phis.js";
import { convertToSelects } from "./optimize/control-flow/convert-to-selects.js";
import { duplicateTails } from "./optimize/control-flow/duplicate-tails.js";
import { foldPathConstants } from "./optimize/control-flow/fold-path-constants.js";
import { inferSwitches } from "./optimize/control-flow/infer-switches.js";
import { simplifyControlFlow } from "./optimize/control-flow/simplify-control-flow.js";
import { threadJumps } from "./optimize/control-flow/thread-jumps.js";
import type { OptimizeContext } from "./optimize/edit/context.js";
import { legalizeMemoryOffsets } from "./optimize/for-target/legalize-memory-offsets.js";
import { lowerMacros } from "./optimize/for-target/lower-macros.js";
import { moveOffsetsToBases } from "./optimize/for-target/move-offsets-to-bases.js";
import { hoistLoopInvariantValues } from "./optimize/loops/hoist-loop-invariant-values.js";
import { predicateBoundsChecks } from "./optimize/loops/predicate-bounds-checks.js";
import { unrollLoop } from "./optimize/loops/unroll-loop.js";
import { versionLoops } from "./optimize/loops/version-loops.js";
import { eliminateDeadStores } from "./optimize/memory/eliminate-dead-stores.js";
import { fixSsa } from "./optimize/memory/fix-ssa.js";
import { forwardLoads } from "./optimize/memory/forward-loads.js";
import { sinkAllocation } from "./optimize/memory/sink-allocation.js";
import { sinkStores } from "./optimize/memory/sink-stores.js";
import { eliminateBoundsChecks } from "./optimize/values/eliminate-bounds-checks.js";
import { eliminateCommonSubexpressions } from "./optimize/values/eliminate-common-subexpressions.js";
import { eliminateDeadCode } from "./optimize/values/eliminate-dead-code.js";
import { narrow } from "./optimize/values/narrow.js";
import { optimizeAssociativeExpressionTrees } from "./optimize/values/optimize-associative-expression-trees.js";
import { reduceDoubleToFloat } from "./optimize/values/reduce-double-to-float.js";
import { reduceStrength } from "./optimize/values/reduce-strength.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";

/** What holds of a program at some point of the list. */
export type Fact = "edge-form-phis" | "no-critical-edges" | "no-unreachable-blocks";

export interface Phase {
  readonly name: string;
  /** True if anything changed. */
  readonly run: (proc: Procedure, context: OptimizeContext) => boolean;
  /** Runs at every level and whatever is disabled; its work is never counted. */
  readonly required?: true;
  /** Skipped in a procedure that lacks one of these. */
  readonly needs?: readonly Feature[];
  /** What it makes differs by target: not part of the prefix that all subjects share. */
  readonly perTarget?: true;
  readonly requires?: readonly Fact[];
  readonly establishes?: readonly Fact[];
  readonly invalidates?: readonly Fact[];
}

// biome-ignore format: a table
const ROWS = [
  { name: "reduce-strength",                 run: reduceStrength,                establishes: ["no-unreachable-blocks"], invalidates: ["edge-form-phis"] },
  { name: "eliminate-common-subexpressions", run: eliminateCommonSubexpressions },
  { name: "forward-loads",                   run: forwardLoads, needs: ["memory"] },
  { name: "sink-allocation",                 run: sinkAllocation, needs: ["slots", "guards"] },
  { name: "eliminate-dead-stores",           run: eliminateDeadStores, needs: ["memory"] },
  { name: "sink-stores",                     run: sinkStores, needs: ["memory", "guards"] },
  { name: "eliminate-dead-code",             run: eliminateDeadCode },
  { name: "eliminate-bounds-checks",         run: eliminateBoundsChecks,         requires: ["edge-form-phis", "no-unreachable-blocks"] },
  { name: "narrow",                          run: narrow,                        requires: ["edge-form-phis", "no-unreachable-blocks"] },
  { name: "hoist-loop-invariant-values",     run: hoistLoopInvariantValues,      needs: ["loops"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "version-loops",                   run: versionLoops,                  needs: ["loops"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "unroll-loop",                     run: unrollLoop,                    needs: ["loops"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "lower-macros",                    run: lowerMacros, perTarget: true },
  { name: "legalize-memory-offsets",         run: legalizeMemoryOffsets, perTarget: true, needs: ["memory"] },
  { name: "move-offsets-to-bases",           run: moveOffsetsToBases, perTarget: true, needs: ["memory", "loops"] },
  { name: "reduce-double-to-float",          run: reduceDoubleToFloat,           needs: ["floats"] },
  { name: "predicate-bounds-checks",         run: predicateBoundsChecks,         needs: ["loops", "guards"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "canonicalize-phis",               run: canonicalizePhis, required: true, establishes: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "fix-ssa",                         run: fixSsa,                        requires: ["edge-form-phis"], invalidates: ["edge-form-phis"] },
  { name: "fold-path-constants",             run: foldPathConstants },
  { name: "simplify-control-flow",           run: simplifyControlFlow,           needs: ["branches"], establishes: ["no-unreachable-blocks"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "infer-switches",                  run: inferSwitches,                 needs: ["branches"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "thread-jumps",                    run: threadJumps,                   needs: ["branches"], invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "duplicate-tails",                 run: duplicateTails,                needs: ["branches"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "convert-to-selects",              run: convertToSelects,              needs: ["branches"], requires: ["edge-form-phis", "no-critical-edges"], invalidates: ["edge-form-phis"] },
  { name: "optimize-associative-expression-trees", run: optimizeAssociativeExpressionTrees },
] as const satisfies readonly Phase[];

export const PHASES: readonly Phase[] = ROWS;
export type PhaseName = (typeof ROWS)[number]["name"];

export interface Step {
  readonly phase: PhaseName;
  /** Runs only if the phase of that name changed the procedure at its last place in the list. */
  readonly afterChangeBy?: PhaseName;
  /** Why it stands here. */
  readonly because: string;
}

export const LEVELS = ["O0", "O1", "O2"] as const;
export type Level = (typeof LEVELS)[number];

// biome-ignore format: a table
export const PIPELINES: { readonly [L in Level]: readonly Step[] } = {
  /** Only what is required. */
  O0: [
    { phase: "canonicalize-phis", because: "lowering maps edge form one to one" },
  ],
  /** What is cheap and local. */
  O1: [
    { phase: "reduce-strength",                 because: "the others look at canonical forms" },
    { phase: "eliminate-common-subexpressions", because: "equal values have equal forms now" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-common-subexpressions", because: "what was two values may be one now: x - x" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "reduce-strength", because: "merges what the second round made; there is no third" },
    { phase: "eliminate-dead-code",             because: "the phases above leave operands that nobody uses any more" },
    { phase: "canonicalize-phis",               because: "lowering maps edge form one to one" },
  ],
  /** Everything. */
  O2: [
    { phase: "reduce-strength",                 because: "the others look at canonical forms" },
    { phase: "canonicalize-phis",               because: "fix-ssa reads what comes into a Phi edge by edge" },
    { phase: "fix-ssa",                         because: "what was memory is a value for all that follow" },
    { phase: "canonicalize-phis",               afterChangeBy: "fix-ssa", because: "a variable that was a slot is read and written anywhere" },
    { phase: "eliminate-common-subexpressions", because: "equal values have equal forms now" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-common-subexpressions", because: "what was two values may be one now: x - x" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "reduce-strength", because: "merges what the second round made; there is no third" },
    { phase: "reduce-double-to-float",          because: "rules have dropped conversions within one expression; Phis and choices are left" },
    { phase: "reduce-strength",                 afterChangeBy: "reduce-double-to-float", because: "conversions there and back are left in cycles" },
    { phase: "forward-loads",                   because: "equal addresses are one value now" },
    { phase: "reduce-strength",                 afterChangeBy: "forward-loads", because: "what was loaded is known: constants fold, conversions of conversions go" },
    { phase: "sink-allocation",                 because: "slots whose loads are gone are there for exits only" },
    { phase: "eliminate-dead-stores",           because: "loads that are gone read nothing" },
    { phase: "sink-stores",                     because: "of the stores that are left some are needed by exits only" },
    { phase: "fold-path-constants",             because: "equal conditions are one value now" },
    { phase: "reduce-strength",                 afterChangeBy: "fold-path-constants", because: "branches on what is known fold" },
    { phase: "infer-switches",                  because: "comparisons have their one form, and those that were decided are gone" },
    { phase: "canonicalize-phis",               because: "each way of a branch needs a block of its own, and each Phi an Upsilon for each edge" },
    { phase: "eliminate-bounds-checks",         because: "equal operands of comparisons are one value now, and each way of a branch has its block" },
    { phase: "narrow",                          because: "checks that are gone leave plain sums, whose ranges are known" },
    { phase: "convert-to-selects",              because: "a choice that is cheap needs no branch that others would thread or copy" },
    { phase: "thread-jumps",                    because: "what is left joins where the outcome is known, or not" },
    { phase: "duplicate-tails",                 because: "joins that could be threaded are gone" },
    { phase: "simplify-control-flow",           because: "chains and empty blocks are what the four above leave" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-bounds-checks", because: "branches on constants become jumps" },
    { phase: "reduce-strength",                 afterChangeBy: "convert-to-selects", because: "Selects are comparisons, minima or nothing" },
    { phase: "optimize-associative-expression-trees", because: "equal subexpressions are merged: regrouping would hide them" },
    { phase: "hoist-loop-invariant-values",     because: "what is equal has been merged, so each value moves once" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "hoist-loop-invariant-values", because: "what left two loops may stand side by side now" },
    { phase: "version-loops",                   because: "conditions that do not change are in front of their loops now" },
    { phase: "reduce-strength",                 afterChangeBy: "version-loops", because: "each version has branches that go one way" },
    { phase: "unroll-loop",                     because: "guards that each turn comes to are left; versions are small" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-loop", because: "in the first turn Phis are what they start from" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "unroll-loop", because: "the first turn has answered guards of the others" },
    { phase: "forward-loads",                   afterChangeBy: "unroll-loop", because: "the first turn has loaded what the others load" },
    { phase: "reduce-strength",                 afterChangeBy: "unroll-loop", because: "the second turn starts from constants if the first did" },
    { phase: "predicate-bounds-checks",         because: "lengths that do not change are in front of their loops now" },
    { phase: "reduce-strength",                 afterChangeBy: "predicate-bounds-checks", because: "sums and products with 0 and 1 are what it makes" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "predicate-bounds-checks", because: "several indices have parts in common" },
    { phase: "eliminate-dead-code",             because: "the phases above leave operands that nobody uses any more" },
    { phase: "canonicalize-phis",               because: "lowering maps edge form one to one" },
    { phase: "lower-macros",                    because: "what all targets share is done, and a remainder is one value to it" },
    { phase: "move-offsets-to-bases",           because: "rules put constants of addresses into offsets; after it those that are left are near" },
    { phase: "legalize-memory-offsets",         because: "rules put constants of addresses into offsets, however far" },
  ],
};

/** Which allocator a level uses, where none is named: the fast one where little is optimized. */
export const LEVEL_ALLOCATORS: { readonly [L in Level]: AllocatorName } = {
  O0: "one-pass",
  O1: "one-pass",
  O2: "linear-scan",
};

/** What lowering relies on. */
export const LOWERING_REQUIRES: readonly Fact[] = [
  "edge-form-phis",
  "no-critical-edges",
  "no-unreachable-blocks",
];
