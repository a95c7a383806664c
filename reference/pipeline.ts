// Defines the optimizer's phases and their order. Start reading the compiler here.
//
// 1. `ROWS`: each phase once, with the facts about a program that it requires, establishes and
//    invalidates.
// 2. `PIPELINES`: for each level the order in which phases run, with a reason for each position.
// 3. `ORDER_THAT_PAYS`: pairs of phases, the first of which creates opportunities for the second.
//
// All three are data. optimize.ts runs a list. At load it checks each level's list. Every required
// fact must hold (a violation is a bug), and every profitable order must be kept (a violation only
// loses speed). Orders drawn by chaos or given by hand must satisfy the required facts only.
// compile.ts runs the stages after the optimizer (lower, allocate, emit).

import type { Procedure } from "../src/ir/procedure.js";
import type { Level } from "./levels.js";
import type { ProcedureFeature } from "./optimize/analysis/features.js";
import { inlineCalls } from "./optimize/calls/inline-calls.js";
import { inlineEarlyReturns } from "./optimize/calls/inline-early-returns.js";
import { loopSelfCalls } from "./optimize/calls/loop-self-calls.js";
import { canonicalizePhis } from "./optimize/control-flow/canonicalize-phis.js";
import { convertToSelects } from "./optimize/control-flow/convert-to-selects.js";
import { duplicateTails } from "./optimize/control-flow/duplicate-tails.js";
import { foldPathConstants } from "./optimize/control-flow/fold-path-constants.js";
import { inferSwitches } from "./optimize/control-flow/infer-switches.js";
import { mergeTests } from "./optimize/control-flow/merge-tests.js";
import { simplifyControlFlow } from "./optimize/control-flow/simplify-control-flow.js";
import { threadJumps } from "./optimize/control-flow/thread-jumps.js";
import type { OptimizeContext } from "./optimize/edit/context.js";
import { legalizeMemoryOffsets } from "./optimize/for-target/legalize-memory-offsets.js";
import { lowerMacros } from "./optimize/for-target/lower-macros.js";
import { moveOffsetsToBases } from "./optimize/for-target/move-offsets-to-bases.js";
import { carryLoads } from "./optimize/loops/carry-loads.js";
import { carryProducts } from "./optimize/loops/carry-products.js";
import { hoistLoopInvariantValues } from "./optimize/loops/hoist-loop-invariant-values.js";
import { predicateBoundsChecks } from "./optimize/loops/predicate-bounds-checks.js";
import { unrollFully } from "./optimize/loops/unroll-fully.js";
import { unrollLoop } from "./optimize/loops/unroll-loop.js";
import { unrollPartially } from "./optimize/loops/unroll-partially.js";
import { versionExtensions } from "./optimize/loops/version-extensions.js";
import { versionLoops } from "./optimize/loops/version-loops.js";
import { eliminateDeadStores } from "./optimize/memory/eliminate-dead-stores.js";
import { fixSsa } from "./optimize/memory/fix-ssa.js";
import { forwardLoads } from "./optimize/memory/forward-loads.js";
import { lowerAllocations } from "./optimize/memory/lower-allocations.js";
import { lowerBulkMemory } from "./optimize/memory/lower-bulk-memory.js";
import { mergeStores } from "./optimize/memory/merge-stores.js";
import { sinkAllocation } from "./optimize/memory/sink-allocation.js";
import { sinkObjects } from "./optimize/memory/sink-objects.js";
import { sinkStores } from "./optimize/memory/sink-stores.js";
import { sinkValues } from "./optimize/memory/sink-values.js";
import { eliminateBoundsChecks } from "./optimize/values/eliminate-bounds-checks.js";
import { eliminateCommonSubexpressions } from "./optimize/values/eliminate-common-subexpressions.js";
import { eliminateDeadCode } from "./optimize/values/eliminate-dead-code.js";
import { eliminateUnreadBits } from "./optimize/values/eliminate-unread-bits.js";
import { narrow } from "./optimize/values/narrow.js";
import { optimizeAssociativeExpressionTrees } from "./optimize/values/optimize-associative-expression-trees.js";
import { reduceDoubleToFloat } from "./optimize/values/reduce-double-to-float.js";
import { reduceStrength } from "./optimize/values/reduce-strength.js";
import { unboxJoins } from "./optimize/values/unbox-joins.js";
import type { AllocatorName } from "./regalloc/allocator-names.js";

/**
 * A property of a program that may hold between two phases. In edge form each Phi is at the head of
 * a block. Each edge into that block writes it once, by an Upsilon at the end of the predecessor.
 */
export type ProgramProperty =
  | "edge-form-phis"
  | "no-critical-edges"
  | "no-unreachable-blocks"
  | "no-bulk-memory"
  | "no-allocations";

export interface Phase {
  readonly name: string;
  /** Changes the procedure in place; returns true if anything changed. */
  readonly run: (proc: Procedure, context: OptimizeContext) => boolean;
  /** Runs at every level, even if disabled by name; its work does not count as applications. */
  readonly required?: true;
  /**
   * The phase may change blocks or edges whenever it changes anything, so the runner drops its
   * control-flow analysis. Any other phase that changes them calls OptimizeContext.blocksChanged.
   */
  readonly editsBlocks?: true;
  /** The runner skips the phase in a procedure that lacks one of these features at that time. */
  readonly needs?: readonly ProcedureFeature[];
  /** Its result differs by target, so it runs after the prefix that all subjects share. */
  readonly perTarget?: true;
  /** Facts that must hold before it runs. */
  readonly requires?: readonly ProgramProperty[];
  /** Facts that hold after it. */
  readonly establishes?: readonly ProgramProperty[];
  /** Facts that may no longer hold after it. */
  readonly invalidates?: readonly ProgramProperty[];
}

// biome-ignore format: a table
const ROWS = [
  { name: "reduce-strength",                       run: reduceStrength,                                                                     establishes: ["no-unreachable-blocks"], invalidates: ["edge-form-phis"] },
  { name: "inline-calls",                          run: inlineCalls,                        editsBlocks: true, needs: ["calls"],            invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks", "no-allocations"] },
  { name: "loop-self-calls",                       run: loopSelfCalls,                      editsBlocks: true, needs: ["calls"],            invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "inline-early-returns",                  run: inlineEarlyReturns,                 editsBlocks: true, needs: ["calls"],            invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "eliminate-common-subexpressions",       run: eliminateCommonSubexpressions },
  { name: "forward-loads",                         run: forwardLoads,                                          needs: ["loads"] },
  { name: "sink-allocation",                       run: sinkAllocation,                                        needs: ["slots", "guards"] },
  { name: "sink-objects",                          run: sinkObjects,                                           needs: ["objects"],          requires: ["edge-form-phis"] },
  { name: "eliminate-dead-stores",                 run: eliminateDeadStores,                                   needs: ["memory"] },
  { name: "merge-stores",                          run: mergeStores,                                           needs: ["memory"] },
  { name: "sink-stores",                           run: sinkStores,                                            needs: ["memory", "guards"] },
  { name: "sink-values",                           run: sinkValues,                                            needs: ["guards"] },
  { name: "eliminate-dead-code",                   run: eliminateDeadCode },
  { name: "eliminate-bounds-checks",               run: eliminateBoundsChecks,                                                              requires: ["edge-form-phis", "no-unreachable-blocks"] },
  { name: "eliminate-unread-bits",                 run: eliminateUnreadBits },
  { name: "narrow",                                run: narrow,                                                                             requires: ["edge-form-phis", "no-unreachable-blocks"] },
  { name: "hoist-loop-invariant-values",           run: hoistLoopInvariantValues,           editsBlocks: true, needs: ["loops"],            invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "version-loops",                         run: versionLoops,                       editsBlocks: true, needs: ["loops"],            invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "unroll-fully",                          run: unrollFully,                        editsBlocks: true, needs: ["loops"],            invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "unroll-loop",                           run: unrollLoop,                         editsBlocks: true, needs: ["loops"],            invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "unroll-partially",                      run: unrollPartially,                    editsBlocks: true, needs: ["loops"],            invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "carry-products",                        run: carryProducts,                      perTarget: true,   needs: ["loops"],            requires: ["edge-form-phis"] },
  { name: "carry-loads",                           run: carryLoads,                                            needs: ["loops", "loads"],   requires: ["edge-form-phis", "no-critical-edges"] },
  { name: "lower-macros",                          run: lowerMacros,                        perTarget: true,   needs: ["macros"] },
  { name: "legalize-memory-offsets",               run: legalizeMemoryOffsets,              perTarget: true,   needs: ["memory"] },
  { name: "move-offsets-to-bases",                 run: moveOffsetsToBases,                 perTarget: true,   needs: ["memory", "loops"] },
  { name: "reduce-double-to-float",                run: reduceDoubleToFloat,                                   needs: ["widenings"] },
  { name: "unbox-joins",                           run: unboxJoins,                                            needs: ["boxes"] },
  { name: "predicate-bounds-checks",               run: predicateBoundsChecks,              editsBlocks: true, needs: ["loops", "guards"],  invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "version-extensions",                    run: versionExtensions,                  editsBlocks: true, needs: ["loops", "memory"],  invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "lower-bulk-memory",                     run: lowerBulkMemory,                    required: true,    needs: ["bulk"],             establishes: ["no-bulk-memory"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "lower-allocations",                     run: lowerAllocations,                   required: true,    needs: ["objects"],          establishes: ["no-allocations"] },
  { name: "canonicalize-phis",                     run: canonicalizePhis,                   required: true,    needs: ["phis-or-edges"],    establishes: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "fix-ssa",                               run: fixSsa,                                                needs: ["phis-or-slots"],    requires: ["edge-form-phis"], invalidates: ["edge-form-phis"] },
  { name: "fold-path-constants",                   run: foldPathConstants,                                     needs: ["decisions"] },
  { name: "simplify-control-flow",                 run: simplifyControlFlow,                editsBlocks: true, needs: ["branches"],         establishes: ["no-unreachable-blocks"], invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "infer-switches",                        run: inferSwitches,                      editsBlocks: true, needs: ["branches"],         invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "thread-jumps",                          run: threadJumps,                        editsBlocks: true, needs: ["branches"],         invalidates: ["edge-form-phis", "no-critical-edges", "no-unreachable-blocks"] },
  { name: "duplicate-tails",                       run: duplicateTails,                     editsBlocks: true, needs: ["branches"],         invalidates: ["edge-form-phis", "no-critical-edges"] },
  { name: "merge-tests",                           run: mergeTests,                         editsBlocks: true, needs: ["branches"],         requires: ["edge-form-phis", "no-critical-edges"], invalidates: ["edge-form-phis"] },
  { name: "convert-to-selects",                    run: convertToSelects,                   editsBlocks: true, needs: ["branches"],         requires: ["edge-form-phis", "no-critical-edges"], invalidates: ["edge-form-phis"] },
  { name: "optimize-associative-expression-trees", run: optimizeAssociativeExpressionTrees },
] as const satisfies readonly Phase[];

export const PHASES: readonly Phase[] = ROWS;
export type PhaseName = (typeof ROWS)[number]["name"];

/** One step in the list of a level. */
export interface PipelineStep {
  readonly phase: PhaseName;
  /** Runs only if the nearest earlier step of that phase changed the procedure. */
  readonly afterChangeBy?: PhaseName;
  /** The reason why the phase runs at this position. */
  readonly because: string;
}

// biome-ignore format: a table
export const PIPELINES: { readonly [L in Level]: readonly PipelineStep[] } = {
  /** Only the phases that lowering requires. */
  O0: [
    { phase: "lower-bulk-memory",               because: "no target has an instruction for it" },
    { phase: "lower-allocations",               because: "likewise" },
    { phase: "canonicalize-phis",               because: "lowering expects edge form" },
  ],
  /** Cheap and local phases. */
  O1: [
    { phase: "reduce-strength",                 because: "later phases compare canonical forms" },
    { phase: "eliminate-common-subexpressions", because: "equal values have equal forms now" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-common-subexpressions", because: "two merged values may be operands of one: x - x" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "reduce-strength", because: "it merges values that the second round created; there is no third round" },
    { phase: "eliminate-dead-code",             because: "the phases above leave operands without uses" },
    { phase: "lower-bulk-memory",               because: "no target has an instruction for it" },
    { phase: "lower-allocations",               because: "likewise" },
    { phase: "canonicalize-phis",               because: "lowering expects edge form" },
  ],
  /** All phases, some of them repeatedly. */
  O2: [
    { phase: "inline-calls",                    because: "every later phase sees the callee's code; callees are finished" },
    { phase: "reduce-strength",                 because: "later phases compare canonical forms" },
    { phase: "canonicalize-phis",               because: "fix-ssa reads the inputs of a Phi edge by edge" },
    { phase: "fix-ssa",                         because: "slots become values, which every later phase handles" },
    { phase: "canonicalize-phis",               afterChangeBy: "fix-ssa", because: "a variable that was a slot is read and written anywhere" },
    { phase: "loop-self-calls",                 because: "the returned value is an SSA value now, no longer a slot" },
    { phase: "inline-early-returns",            because: "calls in tail position are jumps now; later phases merge and decide the callee's first test" },
    { phase: "eliminate-common-subexpressions", because: "equal values have equal forms now" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-common-subexpressions", because: "two merged values may be operands of one value: x - x" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "reduce-strength", because: "it merges values that the second round created; there is no third round" },
    { phase: "reduce-double-to-float",          because: "rules have removed conversions within one expression; those through Phis and Selects remain" },
    { phase: "reduce-strength",                 afterChangeBy: "reduce-double-to-float", because: "pairs of opposite conversions remain in cycles" },
    { phase: "forward-loads",                   because: "equal addresses are one value now" },
    { phase: "reduce-strength",                 afterChangeBy: "forward-loads", because: "loaded values are known: constants fold, and pairs of conversions cancel" },
    { phase: "unbox-joins",                     because: "boxes that were in memory are known now" },
    { phase: "reduce-strength",                 afterChangeBy: "unbox-joins", because: "a part of a known box is the operand it was built from" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "unbox-joins", because: "a half that a guard has tested is known after the guard" },
    { phase: "sink-allocation",                 because: "only exits need a slot whose loads are gone" },
    { phase: "eliminate-dead-stores",           because: "removed loads keep no store alive" },
    { phase: "sink-stores",                     because: "only exits need some of the remaining stores" },
    { phase: "fold-path-constants",             because: "equal conditions are one value now" },
    { phase: "reduce-strength",                 afterChangeBy: "fold-path-constants", because: "branches on known values fold" },
    { phase: "infer-switches",                  because: "comparisons are canonical, and decided ones are gone" },
    { phase: "canonicalize-phis",               because: "the next phases need a block for each edge of a branch, and an Upsilon for each edge into a Phi" },
    { phase: "sink-objects",                    because: "loads of known values are gone, and each edge into a Phi has its Upsilon" },
    { phase: "fix-ssa",                         afterChangeBy: "sink-objects", because: "fields become values" },
    { phase: "canonicalize-phis",               afterChangeBy: "sink-objects", because: "the next phases need edge form" },
    { phase: "sink-objects",                    afterChangeBy: "sink-objects", because: "an address that was loaded from an object is known now" },
    { phase: "fix-ssa",                         afterChangeBy: "sink-objects", because: "fields become values" },
    { phase: "canonicalize-phis",               afterChangeBy: "sink-objects", because: "the next phases need edge form" },
    { phase: "fix-ssa",                         afterChangeBy: "unbox-joins", because: "a Phi of one tag is that tag" },
    { phase: "reduce-strength",                 afterChangeBy: "unbox-joins", because: "a guard on a tag that is known cannot fail" },
    { phase: "canonicalize-phis",               afterChangeBy: "unbox-joins", because: "the next phases need edge form" },
    { phase: "eliminate-bounds-checks",         because: "equal operands of comparisons are one value now, and each edge of a branch has its own block" },
    { phase: "narrow",                          because: "a checked sum without its check is a plain sum with a known range" },
    { phase: "unroll-fully",                    because: "tests compare with constants, and no tail is copied yet: a loop has one latch" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-fully", because: "in each copy a Phi has one input" },
    { phase: "reduce-strength",                 afterChangeBy: "unroll-fully", because: "counters are constants in the copies" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "unroll-fully", because: "copies compute equal values" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-fully", because: "the next phase needs edge form" },
    { phase: "reduce-strength",                 afterChangeBy: "eliminate-bounds-checks", because: "branches on constants become jumps, and signs that are known leave sums with 0" },
    { phase: "eliminate-dead-code",             afterChangeBy: "eliminate-bounds-checks", because: "convert-to-selects counts values, which dead ones would distort" },
    { phase: "canonicalize-phis",               afterChangeBy: "eliminate-bounds-checks", because: "the next phase needs edge form" },
    { phase: "eliminate-unread-bits",           because: "iterations of removed loops follow each other, and a mask is read through the next one" },
    { phase: "merge-tests",                     because: "comparisons have their final form, and inlined ones are adjacent to others" },
    { phase: "canonicalize-phis",               afterChangeBy: "merge-tests", because: "a join of two edges may have one now" },
    { phase: "convert-to-selects",              because: "a cheap choice needs no branch, which later phases would thread or copy" },
    { phase: "thread-jumps",                    because: "the remaining joins belong to real branches" },
    { phase: "duplicate-tails",                 because: "joins that could be threaded are gone" },
    { phase: "simplify-control-flow",           because: "the four phases above leave chains and empty blocks" },
    { phase: "canonicalize-phis",               afterChangeBy: "duplicate-tails", because: "in a copy a Phi has one input" },
    { phase: "reduce-strength",                 afterChangeBy: "duplicate-tails", because: "a Phi became a constant in a copy" },
    { phase: "reduce-strength",                 afterChangeBy: "merge-tests", because: "rules merge two comparisons with bounds into one" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "convert-to-selects", because: "both arms may compute the same value, and are in one block now" },
    { phase: "reduce-strength",                 afterChangeBy: "convert-to-selects", because: "Selects may be comparisons, minima or one operand" },
    { phase: "optimize-associative-expression-trees", because: "equal subexpressions are merged already; regrouping would hide them" },
    { phase: "hoist-loop-invariant-values",     because: "equal values have been merged, so each moves once" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "hoist-loop-invariant-values", because: "values from two loops may be in one block now" },
    { phase: "version-loops",                   because: "invariant conditions are before their loops now" },
    { phase: "reduce-strength",                 afterChangeBy: "version-loops", because: "each version has branches on constants" },
    { phase: "unroll-loop",                     because: "the remaining guards run in every iteration; versions are small" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-loop", because: "in the peeled iteration each Phi has one input" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "unroll-loop", because: "guards of the peeled iteration dominate equal ones of the loop" },
    { phase: "forward-loads",                   afterChangeBy: "unroll-loop", because: "loads of the peeled iteration dominate equal ones of the loop" },
    { phase: "reduce-strength",                 afterChangeBy: "unroll-loop", because: "the second iteration starts from constants if the first did" },
    { phase: "predicate-bounds-checks",         because: "invariant lengths are before their loops now" },
    { phase: "reduce-strength",                 afterChangeBy: "predicate-bounds-checks", because: "it creates sums and products with 0 and 1" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "predicate-bounds-checks", because: "tests of several indices share subexpressions" },
    { phase: "version-extensions",              because: "a loop without its guards is smaller" },
    { phase: "reduce-strength",                 afterChangeBy: "version-extensions", because: "the first iteration starts from a constant, so its numbers are known" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "version-extensions", because: "the tested values initialize the variables" },
    { phase: "eliminate-dead-code",             because: "the phases above leave operands without uses" },
    { phase: "canonicalize-phis",               afterChangeBy: "predicate-bounds-checks", because: "each version has its own entry, in which the next phase computes" },
    { phase: "canonicalize-phis",               afterChangeBy: "version-extensions", because: "likewise" },
    { phase: "unroll-partially",                because: "loops have their smallest size now" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-partially", because: "in each copy a Phi has one input" },
    { phase: "reduce-strength",                 afterChangeBy: "unroll-partially", because: "the increments of the previous iterations are one sum" },
    { phase: "simplify-control-flow",           afterChangeBy: "unroll-partially", because: "iterations follow each other without a branch" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-partially", because: "the next phase needs edge form" },
    { phase: "convert-to-selects",              afterChangeBy: "unroll-partially", because: "where low bits of the counter decide a branch, both arms are the same" },
    { phase: "eliminate-common-subexpressions", afterChangeBy: "unroll-partially", because: "iterations compute equal values" },
    { phase: "hoist-loop-invariant-values",     afterChangeBy: "unroll-partially", because: "limits and tests before an inner loop may be invariant in the outer one" },
    { phase: "eliminate-dead-code",             afterChangeBy: "unroll-partially", because: "a sum that only the next sum used still counts as a use" },
    { phase: "canonicalize-phis",               afterChangeBy: "unroll-partially", because: "the next phase needs edge form" },
    { phase: "narrow",                          afterChangeBy: "unroll-partially", because: "an index of a later iteration is the index of the first one at an offset" },
    { phase: "eliminate-dead-code",             afterChangeBy: "narrow", because: "an address that is now an offset of another one is dead" },
    { phase: "merge-stores",                    because: "no store is dead, and consecutive iterations store to adjacent bytes" },
    { phase: "sink-values",                     because: "values that only exits use are known now" },
    { phase: "lower-bulk-memory",               because: "the phases above see it as one value; no target has an instruction for it" },
    { phase: "lower-allocations",               because: "no target has an instruction for it" },
    { phase: "forward-loads",                   afterChangeBy: "lower-allocations", because: "an allocation loads the pointer that the previous one stored" },
    { phase: "reduce-strength",                 afterChangeBy: "lower-allocations", because: "sums of sums are one sum" },
    { phase: "eliminate-dead-stores",           afterChangeBy: "lower-allocations", because: "the first of two updates of a pointer is overwritten" },
    { phase: "eliminate-dead-code",             afterChangeBy: "lower-allocations", because: "operands of the removed pointer updates are dead" },
    { phase: "canonicalize-phis",               because: "lowering expects edge form" },
    { phase: "carry-loads",                     because: "addresses have their final form, and latches are known" },
    { phase: "carry-products",                  because: "the phases above use a product's relation to the counter; loops have their final form" },
    { phase: "lower-macros",                    because: "the phases above see a remainder as one value" },
    { phase: "move-offsets-to-bases",           because: "rules have moved constants of addresses into offsets" },
    { phase: "legalize-memory-offsets",         because: "offsets are final: an offset that no access can encode becomes an addition" },
  ],
};

/**
 * A row of ORDER_THAT_PAYS. In a list with both phases, the first `phase` runs earlier than any
 * `before` that does not wait for a change.
 */
interface ProfitableOrder {
  readonly phase: PhaseName;
  readonly before: PhaseName;
  readonly because: string;
}

// biome-ignore format: a table
export const ORDER_THAT_PAYS: readonly ProfitableOrder[] = [
  { phase: "inline-calls",                    before: "eliminate-common-subexpressions", because: "the callee may compute values that the caller has already computed" },
  { phase: "inline-calls",                    before: "unroll-loop",                     because: "a loop around a call becomes a loop around the callee's code" },
  { phase: "reduce-strength",                 before: "eliminate-common-subexpressions", because: "equal values are recognized by equal forms" },
  { phase: "reduce-strength",                 before: "reduce-double-to-float",          because: "a rule handles conversions within one expression, which is cheaper" },
  { phase: "eliminate-common-subexpressions", before: "optimize-associative-expression-trees", because: "regrouping hides equal subexpressions" },
  { phase: "eliminate-bounds-checks",         before: "narrow",                          because: "a sum without its check can be narrowed" },
  { phase: "eliminate-common-subexpressions", before: "eliminate-bounds-checks",         because: "a comparison narrows the ranges of all copies of a value" },
  { phase: "unroll-fully",                    before: "eliminate-unread-bits",           because: "each iteration masks, and the next one reads few bits" },
  { phase: "eliminate-unread-bits",           before: "convert-to-selects",              because: "convert-to-selects counts values" },
  { phase: "fix-ssa",                         before: "eliminate-common-subexpressions", because: "loads do not take part in it; the values that replace them do" },
  { phase: "fix-ssa",                         before: "forward-loads",                   because: "slots that are variables need no dataflow" },
  { phase: "eliminate-common-subexpressions", before: "forward-loads",                   because: "addresses are compared by their roots" },
  { phase: "forward-loads",                   before: "sink-allocation",                 because: "a slot with loads is not sunk" },
  { phase: "forward-loads",                   before: "eliminate-dead-stores",           because: "a load keeps the stores before it" },
  { phase: "sink-allocation",                 before: "eliminate-dead-stores",           because: "the stores of a sunk slot are dead" },
  { phase: "eliminate-dead-stores",           before: "sink-stores",                     because: "a store that is overwritten need not be sunk" },
  { phase: "eliminate-dead-stores",           before: "merge-stores",                    because: "dead bytes need not be stored" },
  { phase: "sink-stores",                     before: "merge-stores",                    because: "a store that only exits need moves to the exits alone" },
  { phase: "unroll-partially",                before: "merge-stores",                    because: "iterations store to adjacent bytes" },
  { phase: "eliminate-common-subexpressions", before: "fold-path-constants",             because: "a branch decides only conditions that are the same value" },
  { phase: "reduce-strength",                 before: "infer-switches",                  because: "chains are recognized by canonical comparisons" },
  { phase: "fold-path-constants",             before: "infer-switches",                  because: "a decided comparison would be a case" },
  { phase: "loop-self-calls",                 before: "inline-early-returns",            because: "a call that becomes a jump tests at the start of the loop anyway" },
  { phase: "merge-tests",                     before: "convert-to-selects",              because: "two branches that chose between two arms are one branch then" },
  { phase: "convert-to-selects",              before: "thread-jumps",                    because: "threading copies the joins that Selects remove" },
  { phase: "thread-jumps",                    before: "duplicate-tails",                 because: "a threaded join need not be copied" },
  { phase: "duplicate-tails",                 before: "simplify-control-flow",           because: "it merges the chains that the copies create" },
  { phase: "simplify-control-flow",           before: "version-loops",                   because: "only small loops are copied" },
  { phase: "eliminate-common-subexpressions", before: "hoist-loop-invariant-values",     because: "merged values move once" },
  { phase: "optimize-associative-expression-trees", before: "hoist-loop-invariant-values", because: "a tree lies within one block, and hoisting moves parts of it out" },
  { phase: "hoist-loop-invariant-values",     before: "version-loops",                   because: "version-loops needs conditions that are before the loop" },
  { phase: "hoist-loop-invariant-values",     before: "predicate-bounds-checks",         because: "predicate-bounds-checks needs lengths that are before the loop" },
  { phase: "unroll-fully",                    before: "duplicate-tails",                 because: "a copied tail adds a latch" },
  { phase: "unroll-fully",                    before: "hoist-loop-invariant-values",     because: "a loop that is removed needs no hoisting" },
  { phase: "version-loops",                   before: "unroll-loop",                     because: "a guard that a version has decided needs no peeled iteration" },
  { phase: "version-extensions",              before: "unroll-partially",                because: "copies with exact indices have addresses at offsets of each other" },
  { phase: "unroll-fully",                    before: "unroll-partially",                because: "a loop of a few iterations is removed completely" },
  { phase: "predicate-bounds-checks",         before: "version-extensions",              because: "a copy without guards is smaller" },
  { phase: "version-extensions",              before: "carry-products",                  because: "a carried product is no longer an index" },
  { phase: "version-extensions",              before: "eliminate-dead-code",             because: "each phase leaves operands without uses" },
  { phase: "eliminate-bounds-checks",         before: "predicate-bounds-checks",         because: "a guard that cannot fail needs no test before the loop" },
  { phase: "unroll-loop",                     before: "predicate-bounds-checks",         because: "a guard that the peeled iteration has tested needs no test before the loop" },
  { phase: "forward-loads",                   before: "unbox-joins",                     because: "a box that is loaded may be known" },
  { phase: "unbox-joins",                     before: "fold-path-constants",             because: "a half that a guard has tested is known after the guard" },
  { phase: "unbox-joins",                     before: "eliminate-bounds-checks",         because: "payloads have ranges, boxes have none" },
  { phase: "eliminate-dead-code",             before: "sink-values",                     because: "a dead use keeps a value in the code" },
  { phase: "predicate-bounds-checks",         before: "eliminate-dead-code",             because: "each phase leaves operands without uses" },
  { phase: "eliminate-dead-code",             before: "lower-macros",                    because: "dead remainders need no expansion" },
  { phase: "hoist-loop-invariant-values",     before: "lower-macros",                    because: "a remainder moves as one value" },
  { phase: "hoist-loop-invariant-values",     before: "carry-products",                  because: "carry-products needs factors that are before the loop" },
  { phase: "narrow",                          before: "carry-loads",                     because: "the address in one iteration is the address in another one at an offset" },
  { phase: "forward-loads",                   before: "carry-loads",                     because: "a value that the iteration itself stores needs no variable" },
  { phase: "carry-loads",                     before: "move-offsets-to-bases",           because: "a removed access has no offset" },
  { phase: "reduce-strength",                 before: "move-offsets-to-bases",           because: "rules move constants of addresses into offsets" },
  { phase: "move-offsets-to-bases",           before: "legalize-memory-offsets",         because: "an offset that was moved to its base may need no legalization" },
];

/** The default allocator of each level: a fast one where little is optimized. */
export const LEVEL_ALLOCATORS: { readonly [L in Level]: AllocatorName } = {
  O0: "one-pass",
  O1: "one-pass",
  O2: "linear-scan",
};

/** The facts that hold at the end of each list. */
export const LOWERING_REQUIRES: readonly ProgramProperty[] = [
  "edge-form-phis",
  "no-critical-edges",
  "no-unreachable-blocks",
  "no-bulk-memory",
  "no-allocations",
];
