// Patterns of bugs that other compilers had, and for each the detector that tells whether a program
// could have met it. The names are those of corpus/planted; `by` is the dial or maker that reaches
// it.

import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import * as allocation from "./allocation.js";
import * as atomics from "./atomics.js";
import * as boxes from "./boxes.js";
import * as control from "./control.js";
import * as conversions from "./conversions.js";
import * as encoding from "./encoding.js";
import * as fences from "./fences.js";
import * as fold from "./fold.js";
import * as frames from "./frames.js";
import * as kept from "./kept-slots.js";
import * as known from "./known.js";
import * as loops from "./loops.js";
import * as memory from "./memory.js";
import * as objects from "./objects.js";
import * as order from "./order.js";
import * as patchpoints from "./patchpoints.js";
import * as questions from "./questions.js";
import { type Detector, Study } from "./study.js";

export interface Trigger {
  readonly name: string;
  /** How rarely random programs were expected to meet it. */
  readonly level: "easy" | "medium" | "hard" | "very hard";
  readonly by: string;
  /** Null where the language or the compiler has no such thing; `by` says so. */
  readonly detect: Detector | null;
}

// biome-ignore format: a table
export const TRIGGERS: readonly Trigger[] = [
  { name: "fold-sub-left-cancel",             level: "easy",      detect: fold.subLeftCancel,           by: "*rule* sub-of-sub-own, `same`" },
  { name: "fold-fsub-negative-zero",          level: "medium",    detect: fold.subNegativeZero,         by: "*rule* sub-positive-zero, add-negative-zero; constants" },
  { name: "fold-product-and-sum-fused",       level: "medium",    detect: fold.roundedTwice,            by: "weights of sums and products" },
  { name: "x64-fused-difference-keeps-sign",  level: "medium",    detect: fold.roundedProductLess,      by: "the summand of `FusedMulAdd`" },
  { name: "fold-mask-after-shift-count",      level: "medium",    detect: fold.maskAfterShift,          by: "*mask of a shift*" },
  { name: "fold-sdiv-min-power-of-two",       level: "hard",      detect: fold.divLeastByLeast,         by: "*least integer by itself*" },
  { name: "cse-table-survives-merge",         level: "easy",      detect: fold.survivesMerge,           by: "*expression past a join*" },
  { name: "cse-double-constant-key",          level: "medium",    detect: fold.bothZeroes,              by: "constants" },
  { name: "cse-guarded-compare-leaks",        level: "medium",    detect: fold.comparisonLeaks,         by: "*comparison past a join*" },
  { name: "licm-load-past-loop-store",        level: "medium",    detect: loops.loadOfLoopStore,        by: "*load, then a store over it*" },
  { name: "licm-conditional-check-hoisted",   level: "medium",    detect: loops.unreachedCheck,         by: "*guard that is not reached*" },
  { name: "licm-load-floats-above-guard",     level: "hard",      detect: loops.guardedInvariantLoad,   by: "*load below two guards*" },
  { name: "mem-dse-ignores-reader",           level: "easy",      detect: memory.overwrittenBehindReader, by: "*overwrite*" },
  { name: "mem-forward-narrow-store",         level: "medium",    detect: memory.extendedStore,         by: "*narrow store, extending load*" },
  { name: "mem-plain-load-taken-for-invariant", level: "easy",    detect: memory.changedAfterLoad,      by: "windows, *load, then a store over it*" },
  { name: "mem-invariant-load-in-halves",     level: "medium",    detect: memory.invariantInPieces,     by: "the weight of `LoadInvariant`" },
  { name: "mem-no-class-taken-for-one",       level: "medium",    detect: memory.oneClassAlone,         by: "`classes`" },
  { name: "mem-class-added-to-offset",        level: "easy",      detect: memory.classStated,           by: "`classes`" },
  { name: "lower-range-of-quotient-by-zero",  level: "medium",    detect: conversions.convertedQuotientByZero, by: "*fraction in bounds*" },
  { name: "x64-proved-unsigned-as-signed",    level: "medium",    detect: conversions.convertedBeyondSigned, by: "*fraction in bounds*" },
  { name: "mem-dse-copy-reads-nothing",       level: "medium",    detect: memory.copiedOverItself,      by: "the weight of `CopyBytes`, windows" },
  { name: "lower-short-copy-in-pieces",       level: "easy",      detect: memory.shortCopyOverlaps,     by: "the weight of `CopyBytes`, sources beside targets" },
  { name: "mem-atomic-comparison-taken-for-read", level: "medium", detect: atomics.comparedBetween,     by: "the weights of comparisons, loads behind them" },
  { name: "x64-compared-byte-not-extended",   level: "medium",    detect: atomics.expectedBeyondWidth,  by: "the weights of narrow comparisons" },
  { name: "a64-byte-compared-as-word",        level: "medium",    detect: atomics.comparedBeyondWidth,  by: "the weights of narrow comparisons, stores in front" },
  { name: "mem-fence-lets-stores-die",        level: "easy",      detect: fences.overwrittenBehindFence, by: "the weight of `Fence`, accesses around it" },
  { name: "x64-fence-addresses-memory",       level: "easy",      detect: fences.fullFence,             by: "the weight of `Fence`" },
  { name: "lower-dependence-as-operand",      level: "easy",      detect: fences.dependsOnNumber,       by: "the weight of `Depend`" },
  { name: "a64-dependence-on-result",         level: "easy",      detect: fences.operandLivesOn,        by: "the weight of `Depend`" },
  { name: "dce-patchpoint-without-result",    level: "easy",      detect: patchpoints.writesWithoutResult, by: "the weight of `Patchpoint`" },
  { name: "lower-no-result-destroys-nothing", level: "easy",      detect: patchpoints.destroysWithoutResult, by: "the weight of `Patchpoint`, `keep`" },
  { name: "lower-kept-operand-of-a-constant", level: "medium",    detect: patchpoints.keepsConstant,    by: "the weight of `Patchpoint`" },
  { name: "lower-kept-slot-shares-bytes",     level: "medium",    detect: kept.otherSlotWritten,        by: "*slot that the host keeps*, stores to slots" },
  { name: "mem-callee-cannot-reach-kept-slot", level: "medium",   detect: kept.calleeGoesThroughKept,   by: "*slot that the host keeps*" },
  { name: "mem-dse-kept-slot-read-by-nobody", level: "easy",      detect: kept.readsKeptAfterStore,     by: "*slot that the host keeps*" },
  { name: "mem-volatile-load-forwarded",      level: "medium",    detect: memory.volatileAgain,         by: "the weight of `LoadVolatile`, windows" },
  { name: "x64-volatile-double-as-float",     level: "easy",      detect: memory.volatileDouble,        by: "the weight of `LoadVolatile`" },
  { name: "mem-partial-overlap-disjoint",     level: "medium",    detect: memory.partlyOverlapping,     by: "*windows that overlap in part*, *overlap*" },
  { name: "mem-dse-dead-bytes-reach-too-far", level: "medium",    detect: control.partlyDead,           by: "*store that is dead at exits*" },
  { name: "mem-dse-backedge-read",            level: "hard",      detect: memory.readOverBackedge,      by: "*store at the latch*" },
  { name: "dce-store-kind-not-root",          level: "easy",      detect: memory.storeMatters,          by: "windows" },
  { name: "dce-drops-guarded-conversion",     level: "medium",    detect: memory.deadGuardLeaves,       by: "*guard whose value is dead*" },
  { name: "dce-loop-phi-through-call",        level: "hard",      detect: loops.phiThroughCall,         by: "*carried for a call alone*" },
  { name: "abc-constant-check-signed-merge",  level: "medium",    detect: loops.constantsAgainstLength, by: "*indices that are constants*" },
  { name: "range-endpoint-or-zero-sign",      level: "medium",    detect: fold.rangeEnd,                by: "aims of comparisons, *conversion of a sum*" },
  { name: "abc-loop-carried-array",           level: "hard",      detect: loops.changedLength,          by: "*arrays that change places*" },
  { name: "carry-sum-loses-addend",           level: "medium",    detect: loops.sumOfCountedProduct,    by: "patterns of rules in loops, `carried`" },
  { name: "carry-load-past-second-store",     level: "medium",    detect: loops.overwrittenBeforeLoad,  by: "*element of the one before*" },
  { name: "carry-load-starts-overwritten",    level: "medium",    detect: loops.overwrittenBeforeLoop,  by: "*element of the one before*" },
  { name: "range-last-index-wraps",           level: "hard",      detect: loops.extendedIndexWraps,     by: "`arrayLoop`, products that wrap" },
  { name: "range-induction-step-wrap",        level: "hard",      detect: loops.counterWraps,           by: "*counter at an end*" },
  { name: "range-overflow-hidden-by-truncation", level: "very hard", detect: fold.overflowIsCut,        by: "*sum, truncated and compared*" },
  { name: "narrow-negate-loses-minus-zero",   level: "medium",    detect: fold.negatedIntegerZero,      by: "*order of a negation*, conversions" },
  { name: "narrow-convert-before-add",        level: "medium",    detect: fold.convertedBeforeSum,      by: "*conversion of a sum*" },
  { name: "narrow-sum-beyond-2-53",           level: "hard",      detect: fold.sumIsRounded,            by: "*sums beyond 2^53*" },
  { name: "narrow-product-loses-minus-zero", level: "hard",       detect: conversions.guardedMinusZero, by: "conversions that are guarded" },
  { name: "range-floored-modulus-sign",       level: "hard",      detect: conversions.negativeModulus,  by: "divisions" },
  { name: "fold-floored-modulus-by-least",    level: "hard",      detect: conversions.modulusByLeast,   by: "constants" },
  { name: "lower-negated-order-as-opposite",  level: "medium",    detect: conversions.unorderedOpposite, by: "*order that does not hold*" },
  { name: "narrow-induction-extension-sign-mix", level: "hard",   detect: fold.widenedCounterWraps,     by: "*counter at an end*" },
  { name: "sink-unwritten-field-garbage",     level: "medium",    detect: control.unwrittenField,       by: "`contents`" },
  { name: "sink-conversion-with-live-use",    level: "hard",      detect: anyOf(control.convertedAndUsed, control.storeReadBeforeExit),    by: "*conversion that an exit shows*" },
  { name: "sink-phi-marks-not-joined",        level: "very hard", detect: control.slotOfLoopShown,      by: "`contents` in loops; no Phi holds a slot" },
  { name: "ctl-switch-default-forgotten",     level: "easy",      detect: control.switchDefault,        by: "`switches`" },
  { name: "ctl-switch-below-first-case",      level: "medium",    detect: control.belowFirstCase,       by: "`switches`" },
  { name: "ctl-removed-predecessor-phi-shift", level: "medium",   detect: control.foldedWay,            by: "*edge that folds away*" },
  { name: "ctl-thread-through-stale-dominator", level: "hard",    detect: control.threeTimesAsked,      by: "*one comparison, many times*" },
  { name: "x64-dropped-test-needs-overflow",  level: "medium",    detect: fold.signOfOverflow,          by: "*sign of a sum*" },
  { name: "x64-address-folds-zero-extension", level: "hard",      detect: fold.narrowIndexWraps,        by: "*index that wraps around*" },
  { name: "x64-sunk-load-still-used",         level: "hard",      detect: memory.loadTakenTwice,        by: "*address that was loaded*" },
  { name: "ctl-tail-call-exit-shows-first-arguments", level: "medium", detect: control.parameterShownAfterTailCall, by: "`tailCall`" },
  { name: "ctl-tail-call-keeps-named-register", level: "medium",  detect: control.namedParameterAfterTailCall, by: "`tailCall`, `argument`" },
  { name: "x64-sign-extension-by-producer",   level: "hard",      detect: control.widenedLoad,          by: "*extension of a load*" },
  { name: "x64-sunk-load-too-wide",           level: "very hard", detect: memory.loadOfLastBytes,       by: "*last bytes of the heap*" },
  { name: "a64-extract-pair-zero-shift",      level: "medium",    detect: control.extractOfNothing,     by: "*extract of two words*" },
  { name: "a64-compare-with-negation",        level: "hard",      detect: control.comparedNegation,     by: "*order of a negation*" },
  { name: "a64-scaled-index-mask-type",       level: "hard",      detect: memory.shiftBeyondScale,      by: "*index beyond the scales*" },
  { name: "a64-pair-access-fusion",           level: "hard",      detect: memory.neighbours,            by: "*neighbours*" },
  { name: "x64enc-extension-bit-swapped",     level: "easy",      detect: encoding.highRegister,         by: "constants, `keep`" },
  { name: "x64enc-byte-register-prefix",      level: "medium",    detect: encoding.byteRegister,         by: "`keep`" },
  { name: "x64enc-r13-base-no-displacement",  level: "medium",    detect: encoding.baseR13,              by: "`keep`, windows" },
  { name: "x64enc-rip-relative-with-immediate", level: "hard",    detect: null,                         by: "no instruction has an operand in the pool and an immediate" },
  { name: "a64enc-backward-branch-sign",      level: "easy",      detect: encoding.backwardBranch,       by: "`loop`" },
  { name: "a64enc-register-31-meaning",       level: "medium",    detect: control.zeroFirst,            by: "constants" },
  { name: "a64enc-logical-immediate-width",   level: "medium",    detect: control.narrowMask,           by: "constants: `drawBitmask`; *mask of an inverse*" },
  { name: "a64enc-move-wide-skips-halfword",  level: "medium",    detect: encoding.mixedHalfwords,       by: "constants: `drawHalfwords`" },
  { name: "a64enc-far-conditional-branch",    level: "very hard", detect: encoding.farBranch,            by: "beyond 2 KiB; `arm64-*-chaos` shortens the reach in one of four" },
  { name: "ra-clobbers-of-wrong-instruction", level: "medium",    detect: allocation.aliveOverCall,        by: "*calls with many live values*" },
  { name: "ra-hint-outside-allowed-set",      level: "hard",      detect: allocation.hintIsTaken,          by: "calls, shifts, divisions" },
  { name: "ra-two-reloads-one-scratch",       level: "hard",      detect: allocation.twoReloads,           by: "`keep`, `crowd`, *calls with many live values*" },
  { name: "ra-remat-clobbers-flags",          level: "hard",      detect: allocation.remadeConstant,       by: "`keep`, `crowd`" },
  { name: "ra-phi-liveness-in-order",         level: "hard",      detect: allocation.phiOfPhi,             by: "*rotation*" },
  { name: "mov-group-detection-inverted",     level: "easy",      detect: allocation.permutedArguments,    by: "*arguments in other places*" },
  { name: "mov-lost-copy-self-loop",          level: "medium",    detect: loops.asksWhatWas,            by: "*loop that tests its old value*" },
  { name: "mov-swap-width-of-first",          level: "hard",      detect: allocation.mixedSwap,            by: "*rotation*, *arguments in other places*" },
  { name: "mov-edge-order-swapped",           level: "hard",      detect: allocation.movesOnBothEdges,     by: "*edges with moves*" },
  { name: "frame-half-preserved-vector",      level: "medium",    detect: allocation.keptVectors,          by: "*calls with many live values*" },
  { name: "spill-reload-sign-extends",        level: "hard",      detect: allocation.reloadedAndWidened,   by: "`keep`, `crowd`" },
  { name: "frame-argument-read-without-one",  level: "medium",    detect: frames.argumentAlone,         by: "*arguments in other places*" },
  { name: "frame-register-taken-before-it",   level: "easy",      detect: frames.takenByMove,           by: "*leave before calling itself*, guards in the first block" },
  { name: "frame-made-between-flags-and-use", level: "very hard", detect: frames.askedBehindFrame,      by: "*comparison past a join*; worlds of frames" },
  { name: "frame-offset-beyond-imm12",        level: "hard",      detect: allocation.bigFrame,             by: "`bigFrame`" },
  { name: "spill-width-from-wrong-type",      level: "very hard", detect: allocation.narrowName,           by: "`keep`, `crowd`" },
  { name: "dce-asking-call-thought-unobserved", level: "easy",    detect: control.unusedAskingCall,     by: "the weight of `CCallCheck`" },
  { name: "abi-asked-in-register-of-argument", level: "easy",     detect: control.askingCall,           by: "the weight of `CCallCheck`" },
  { name: "copy-asking-call-shows-older-result", level: "medium",  detect: control.ownResultOfLoop,     by: "the weight of `CCallCheck`" },
  { name: "snap-answer-shown-as-result",      level: "easy",      detect: control.ownResultShown,       by: "the weight of `CCallCheck`" },
  { name: "ctl-self-call-passes-asking-on",    level: "medium",    detect: control.askingSelfCall,       by: "`asking`, `tailCall`" },
  { name: "abi-answer-only-where-asked",       level: "easy",      detect: control.unaskingCallee,       by: "`asking`" },
  { name: "inline-result-by-its-type",         level: "easy",      detect: control.resultsOfOneType,     by: "`results`" },
  { name: "abi-further-result-by-what-is-taken", level: "easy",    detect: control.laterFurtherResult,   by: "`results`" },
  { name: "frame-outer-contents-not-kept",    level: "medium",    detect: control.outerContentsShown,   by: "`contents`, `frames`" },
  { name: "frame-slots-around-loop-not-kept", level: "medium",    detect: control.slotReadAroundLoop,   by: "`stack` in loops" },
  { name: "abi-narrow-argument-extension",    level: "medium",    detect: control.narrowArgument,       by: "*arguments in other places*" },
  { name: "abi-stack-parameter-offset",       level: "medium",    detect: control.stackArguments,       by: "calls; `parameters`" },
  { name: "abi-argument-setup-clobbers",      level: "hard",      detect: anyOf(control.madeArgument, allocation.madeInArgument),        by: "*arguments in other places*" },
  { name: "snap-constant-64-truncated",       level: "easy",      detect: control.wideConstantShown,    by: "`slots`" },
  { name: "sink-member-not-built",            level: "easy",      detect: objects.memberStored,         by: "*objects in each other*" },
  { name: "sink-older-member-shown",          level: "hard",      detect: objects.memberOfLoop,         by: "*objects held in turn*, *known object*" },
  { name: "unbox-tag-of-one-choice",          level: "easy",      detect: boxes.tagsChosen,             by: "*boxes of several tags*, *box of a loop*" },
  { name: "sink-number-boxed-as-tagged",      level: "easy",      detect: boxes.numberShown,            by: "*box of a loop* of numbers" },
  { name: "x64-stitch-writes-before-it-reads", level: "easy",     detect: boxes.stitched,               by: "the weight of `Stitch`, boxes" },
  { name: "a64-stitch-keeps-upper-half",      level: "medium",    detect: boxes.stitched,               by: "the weight of `Stitch`, boxes" },
  { name: "sink-merged-member-not-built",     level: "medium",    detect: objects.mergedStored,         by: "*object in a Phi, held*" },
  { name: "cse-allocations-merged",           level: "easy",      detect: objects.allocatedTwice,       by: "*object*, *object of a callee*" },
  { name: "snap-many-operands-of-an-exit",    level: "medium",    detect: objects.manyOperands,         by: "`crowd`, *objects in each other*" },
  { name: "snap-dead-address-shown",          level: "easy",      detect: control.deadAddressShown,     by: "`deadBytes`" },
  { name: "snap-input-dies-before-guard",     level: "medium",    detect: allocation.shownOnlyHere,        by: "*needed by an exit alone*" },
  { name: "snap-int32-spill-read-as-int64",   level: "medium",    detect: allocation.narrowInSlot,         by: "`keep`, `crowd`" },
  { name: "snap-map-offset-narrow-field",     level: "very hard", detect: control.manyEntries,          by: "`crowd`, `slots`" },
  { name: "snap-rename-off-by-one-exit",      level: "very hard", detect: allocation.movedBetweenGuards,   by: "*guards in a row*" },
  { name: "path-zero-taken-for-one-form",     level: "medium",    detect: known.otherZero,               by: "constants" },
  { name: "unroll-start-of-one-way-in",       level: "very hard", detect: order.twoStarts,               by: "*start by the way*" },
  { name: "fold-disjoint-in-low-words",       level: "hard",      detect: known.meetInUpperWords,        by: "constants" },
  { name: "fold-multiplier-a-bit-short",      level: "very hard", detect: known.belowMultiple,           by: "aims of divisions, constants" },
  { name: "range-shift-by-none",              level: "medium",    detect: known.shiftedByNone,           by: "shifts, comparisons" },
  { name: "range-trailing-zeroes-of-zero",    level: "medium",    detect: known.trailingZeroesOfZero,    by: "the weight of `Ctz`" },
  { name: "range-asked-back-through-extension", level: "medium",    detect: known.extendedNegative,        by: "extensions, comparisons" },
  { name: "narrow-constant-is-rounded",       level: "hard",      detect: known.comparedWithDouble,      by: "constants" },
  { name: "mem-scaled-index-reaches-too-little", level: "hard",      detect: order.scaledMaskedIndex,       by: "windows" },
  { name: "sink-store-behind-those-of-the-exit", level: "hard",      detect: order.storedByExitToo,         by: "stores of exits, *overwrite*" },
  { name: "version-for-the-first-guard",      level: "hard",      detect: order.secondInvariantGuard,    by: "guards in loops" },
  { name: "switch-middle-key-forgotten",      level: "medium",    detect: order.middleKey,               by: "`switches`" },
  { name: "flags-outlive-second-operand",     level: "hard",      detect: order.comparedBeforeAndAfter,  by: "counters" },
  { name: "lower-flag-of-turned-difference",  level: "hard",      detect: order.turnedDifference,        by: "`same`" },
  { name: "range-signed-shift-lower-end",       level: "medium",    detect: known.shiftedByMore,           by: "shifts, comparisons" },
  { name: "range-or-of-greatest",               level: "hard",      detect: known.orExceedsBoth,           by: "`facts`, comparisons" },
  { name: "range-zero-extension-at-sign",       level: "very hard", detect: known.extendedLeast,           by: "extensions, comparisons" },
  { name: "mem-two-indices-reach-as-one",       level: "hard",      detect: order.twoBoundedIndices,       by: "windows" },
  { name: "mem-dse-root-of-next-iteration",     level: "hard",      detect: order.storedInNextIteration,   by: "*walk by a step*" },
  { name: "licm-store-as-wide-as-load",         level: "medium",    detect: order.loadOfUpperBytes,        by: "windows in loops" },
  { name: "abc-descending-index-ascends",       level: "hard",      detect: order.descendingIndex,         by: "guards in loops" },
  { name: "narrow-extension-of-two-to-32",      level: "very hard", detect: known.extendedTwoTo32,         by: "extensions, comparisons" },
  { name: "path-unordered-taken-for-equal",     level: "medium",    detect: known.unorderedAsked,          by: "the weight of `EqualOrUnordered`" },
  { name: "narrow-shift-by-the-word",           level: "medium",    detect: conversions.lowWordOfShift,    by: "shifts; small worlds, `narrowed`" },
  { name: "mem-copy-overlaps-its-last-bytes",   level: "hard",      detect: order.overlapsLastBytes,       by: "the weight of `CopyBytes`, sources beside targets" },
  { name: "fold-rounded-to-double-first",       level: "hard",      detect: conversions.unsignedRoundedTwice, by: "constants" },
  { name: "lower-upper-half-of-signed-shift",   level: "medium",    detect: conversions.signedHighWord,    by: "shifts, extensions" },
  { name: "lower-range-of-rounding-up",         level: "very hard", detect: conversions.roundedUpBeyond,   by: "*fraction in bounds*" },
  { name: "switch-span-of-low-words",           level: "very hard", detect: order.nearInLowerWords,        by: "`switches`" },
  { name: "x64-product-leaves-flags",           level: "medium",    detect: order.productBetweenChoices,   by: "*choices by one comparison*" },
  { name: "lower-wide-zero-by-low-word",      level: "medium",    detect: known.zeroInLowerWord,         by: "constants" },
  { name: "below-any-number",                 level: "easy",      detect: known.belowNegative,           by: "`facts`, comparisons" },
  { name: "constant-pool-by-low-word",        level: "easy",      detect: control.lowWordOfAnother,      by: "`slots`, constants" },
  { name: "inner-bulk-forgotten",             level: "medium",    detect: loops.writtenByInnerLoop,      by: "*load beside a write call*" },
  { name: "last-number-counts-on",            level: "hard",      detect: loops.countsPastLimit,         by: "`arrayLoop`, *counter at an end*" },
  { name: "load-before-own-call",             level: "hard",      detect: order.loadBehindOwnCall,       by: "`plainCallee`" },
  { name: "load-folded-past-atomic",          level: "easy",      detect: atomics.writtenBeforeUse,      by: "the weights of atomic operations and calls, windows" },
  { name: "loaded-root-goes-on",              level: "hard",      detect: order.storedBehindLoop,        by: "*walk along links*" },
  { name: "negative-factor-has-sign",         level: "hard",      detect: known.negativeFactor,          by: "*bits of a high half*" },
  { name: "one-step-for-all-latches",         level: "hard",      detect: loops.stepsOfLatches,          by: "*loop of drawn parts*" },
  { name: "scratch-of-open-cycle",            level: "hard",      detect: allocation.slotsInRing,        by: "*rotation*, `keep`, `crowd`" },
  { name: "merge-stores-across-a-load",       level: "medium",    detect: memory.readBetweenNeighbours,  by: "*constants beside each other*" },
  { name: "unroll-partially-one-bit-too-many", level: "hard",     detect: loops.lowBitAboveFourSteps,    by: "`arrayLoop`: rings, low bits of counters; small worlds, `turns`" },
  { name: "tail-of-high-half",                level: "medium",    detect: memory.tailOfHighHalf,         by: "windows" },
  { name: "wide-key-by-low-word",             level: "medium",    detect: order.keyByLowWord,            by: "*switch on ways*" },
  { name: "switch-key-by-low-word",           level: "hard",      detect: order.keysOfOneLowWord,        by: "small worlds, `switch`" },
  { name: "flags-kept-across-negation",       level: "hard",      detect: order.negationBetweenChoices,  by: "*choices by one comparison*; small worlds, `choice`" },
  { name: "equal-to-minus-zero-is-minus-zero", level: "hard",     detect: known.equalToMinusZero,        by: "constants" },
  { name: "sum-of-bits-mask-at-shift",        level: "medium",    detect: fold.bitAtShift,               by: "*bits below a shift*" },
  { name: "truncation-at-the-limit-without-test", level: "hard",  detect: conversions.justBeyondGreatest, by: "*number in bounds*" },
  { name: "truth-threaded-as-one",            level: "medium",    detect: known.truthOfOther,            by: "comparisons" },
  { name: "shift-by-31-leaves-33-bits",       level: "hard",      detect: known.moreThanAWord,           by: "small worlds, `widths`; *chain of widths*" },
  { name: "merged-store-has-the-class-of-the-last", level: "very hard", detect: memory.neighboursOfTwoClasses, by: "`classes`, *constants beside each other*" },
  { name: "object-shown-by-its-older-name",   level: "very hard", detect: objects.shownByOlderName,      by: "*objects in a Phi*" },
  { name: "mem-product-of-index-a-bit-short", level: "hard",      detect: order.farByProduct,            by: "small worlds of memory" },
  { name: "cse-forgets-the-third-operand",    level: "easy",      detect: order.thirdOperandAlone,       by: "choices that share operands" },
  { name: "merge-stores-across-a-guard",      level: "medium",    detect: memory.exitBetweenNeighbours,  by: "*constants beside each other*, guards" },
  { name: "unroll-counts-what-is-derived",    level: "medium",    detect: loops.asksWhatIsDerived,       by: "loops of which the test asks what is computed" },
  { name: "early-return-on-the-other-side",   level: "easy",      detect: questions.returnsAtOnce,       by: "`control/early-returns.ts`" },
  { name: "merged-tests-of-a-join-that-tells", level: "medium",   detect: questions.joinIsToldWhich,     by: "*short circuit*" },
  { name: "ranges-that-touch-taken-for-apart", level: "very hard", detect: questions.rangesTouch,        by: "*rule* ranges-apart, its near misses" },
  { name: "unroll-partially-one-too-many",    level: "easy",      detect: loops.threeIterationsLeft,     by: "loops that count" },
  { name: "unroll-partially-limit-wraps",     level: "hard",      detect: loops.limitNearLeast,          by: "*counter at an end*, constants" },
];

/** Occurrences of either. */
function anyOf(...detectors: readonly Detector[]): Detector {
  return (study) => detectors.reduce((total, detect) => total + detect(study), 0);
}

/** By row of TRIGGERS: how often it occurred; 0 where it cannot. */
export function countTriggers(
  module: Module,
  inputs: readonly Input[],
  rows: readonly Trigger[] = TRIGGERS,
): number[] {
  const study = new Study(module, inputs);
  return rows.map(({ detect }) => (detect === null ? 0 : detect(study)));
}
