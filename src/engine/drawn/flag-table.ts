// Lists the settings of compilers of others that a seed draws, with a row for each compiler. The
// flags appear in a subject's name in the same form, so that the name is complete:
// `jsc-omg+airForceIRCAllocator=1+airRandomizeRegsSeed=77`.

import { FACT_KINDS } from "../../export/facts.js";
import { formsOf } from "../../export/forms.js";
import type { AlterableEngine, EngineSubject } from "../engine-subject.js";
import {
  BINARYEN,
  binaryenSteps,
  type FlagListing,
  GCC,
  HOTSPOT,
  hotspotWord,
  JSC,
  LLVM,
  LUAJIT,
  SPIDERMONKEY,
  V8,
  withOrder,
} from "./listings.js";
import { MARCHES } from "./processors.js";

/** Flags of which at most one is drawn; `#N` in one is a number below N. */
type FlagAlternatives = readonly string[];

export interface FlagTableRow {
  /** The name under which its programs are counted. */
  readonly name: string;
  /** The row of the engine that the flags are added to. */
  readonly base: string;
  /** Flags are steps: a few of them are drawn, in any order, possibly repeated. */
  readonly isSequence?: true;
  /**
   * The way to list the flags of the installed version; others are not drawn. Absent if all flags
   * are forms.
   */
  readonly listing?: FlagListing;
  /** Returns the compiler's arguments for a flag. */
  readonly wordsOf: (flag: string) => readonly string[];
  readonly flags: readonly FlagAlternatives[];
}

/** A row of the table for one version of its compiler. */
export interface EngineWithFlags extends FlagTableRow, Pick<AlterableEngine, "command"> {
  /** The engine without flags. */
  readonly engine: EngineSubject;
}

const either = (...flags: readonly string[]): FlagAlternatives => flags;
const each = (flags: string): FlagAlternatives[] => flags.split(/\s+/).map((flag) => [flag]);

/** Every version has these. */
export const LEVELS = either("O1", "O3", "Os");
/** Clang's own flags; the others are arguments of LLVM. */
const CLANG_FLAGS: readonly string[] = [...LEVELS, ...MARCHES];
const llvmWords = (flag: string): readonly string[] =>
  CLANG_FLAGS.includes(flag)
    ? [`-${flag}`]
    : withOrder(flag).flatMap((word) => ["-mllvm", `-${word}`]);

/** Facts that make others useless: a compiler replaces a value of a small range by a constant. */
export const RARE: ReadonlySet<string> = new Set(["range", "assume"]);
const FACTS: readonly FlagAlternatives[] = FACT_KINDS.map((kind) => either(kind));

// biome-ignore format: a table
const LLVM_FLAGS: readonly FlagAlternatives[] = [
  LEVELS,
  MARCHES,
  either("regalloc=basic", "regalloc=pbqp", "fast-isel"),
  either("pre-RA-sched=source", "pre-RA-sched=list-burr", "pre-RA-sched=fast"),
  either("inline-threshold=0", "inline-threshold=5000"),
  either("unroll-count=2", "unroll-count=3", "unroll-runtime"),
  either("slp-threshold=-10", "vectorize-slp=false"),
  either("force-vector-width=4", "vectorize-loops=false"),
  ...each("enable-misched=false disable-block-placement disable-machine-licm disable-machine-cse disable-peephole disable-lsr disable-cgp"),
  ...each("join-liveintervals=false verify-machineinstrs enable-gvn-hoist enable-gvn-sink enable-newgvn enable-load-pre=false"),
  ...each("enable-loop-distribute enable-loopinterchange enable-unroll-and-jam enable-loop-flatten enable-dfa-jump-thread"),
  ...each("enable-constraint-elimination=false memssa-check-limit=1 jump-threading-threshold=20 licm-versioning-max-depth-threshold=4"),
  ...each("enable-ipra split-spill-mode=size enable-jump-table-to-switch hot-cold-split enable-partial-inlining"),
  ...each("phi-node-folding-threshold=8 two-entry-phi-node-folding-threshold=20 extra-vectorizer-passes enable-knowledge-retention"),
];

// biome-ignore format: a table
export const DRAWN_ROWS: readonly FlagTableRow[] = [
  {
    name: "jsc-omg-drawn", base: "jsc-omg", listing: JSC, wordsOf: (flag) => [`--${flag}`],
    flags: [
      ...formsOf("wasm"),
      either("airForceBriggsAllocator=1", "airForceIRCAllocator=1", "airUseGreedyRegAlloc=0", "maximumTmpsForGraphColoring=0"),
      either("wasmOMGOptimizationLevel=1"),
      either("airRandomizeRegs=1"), either("airRandomizeRegsSeed=#1000000"),
      either("airGreedyRegAllocSplitMultiplier=1", "airGreedyRegAllocSplitMultiplier=8"),
      either("useB3TailDup=0", "maxB3TailDupBlockSize=20"),
      either("maximumWasmDepthForInlining=0", "maximumWasmCalleeSizeForInlining=5000"),
      ...each("airLinearScanSpillsEverything=1 useB3HoistLoopInvariantValues=0 useB3CanonicalizePrePostIncrements=1"),
      ...each("useAirOptimizePairedLoadStore=0 useWasmFastMemory=0"),
    ],
  },
  {
    name: "v8-drawn", base: "v8-turbofan", listing: V8, wordsOf: (flag) => [`--${flag}`],
    flags: [
      ...formsOf("wasm"),
      either("turbo-stress-instruction-scheduling", "turbo-instruction-scheduling"),
      either("random-seed=#1000000"),
      ...each("turbo-force-mid-tier-regalloc stress-turbo-late-spilling no-turbo-splitting no-turbo-load-elimination"),
      ...each("no-turbo-move-optimization no-turbo-jt no-turbo-loop-peeling no-turbo-cf-optimization turbo-verify-allocation"),
      ...each("no-wasm-opt no-wasm-loop-unrolling wasm-loop-peeling wasm-inlining no-turbo-sp-frame-access no-wasm-stack-checks"),
    ],
  },
  {
    name: "ion-drawn", base: "ion", listing: SPIDERMONKEY, wordsOf: (flag) => [`--${flag}`],
    flags: [...formsOf("wasm"), ...each(
      "ion-regalloc=testbed ion-gvn=off ion-licm=off ion-range-analysis=off ion-sink=on ion-instruction-reordering=on " +
      "ion-edgecase-analysis=off ion-pruning=off ion-check-range-analysis ion-extra-checks no-avx no-sse41 disable-wasm-huge-memory",
    )],
  },
  {
    name: "binaryen-drawn", base: "binaryen-O1", isSequence: true, listing: BINARYEN,
    // Without passes that may assume that low addresses are unused, and passes that change the
    // meaning of a module.
    wordsOf: (flag) => binaryenSteps(flag).map((step) => `--${step}`),
    flags: each(
      "avoid-reinterprets coalesce-locals coalesce-locals-learning code-folding code-pushing const-hoisting dae dae-optimizing dce " +
      "flat-dfo duplicate-function-elimination flatten generate-stack-ir heap2local inlining inlining-optimizing licm local-cse " +
      "memory-packing merge-blocks merge-locals merge-similar-functions optimize-instructions optimize-stack-ir " +
      "pick-load-signs precompute precompute-propagate remove-unused-brs remove-unused-names reorder-functions reorder-locals flat-rereloop rse simplify-globals simplify-globals-optimizing simplify-locals " +
      "simplify-locals-nonesting simplify-locals-nostructure simplify-locals-notee simplify-locals-notee-nostructure " +
      "flat-souperify ssa ssa-nomerge untee vacuum roundtrip",
    ),
  },
  {
    name: "llvm-drawn", base: "llvm-O2", listing: LLVM, wordsOf: llvmWords,
    flags: [...formsOf("llvm"), ...LLVM_FLAGS, ...FACTS],
  },
  {
    name: "gcc-drawn", base: "gcc-O2", listing: GCC, wordsOf: (flag) => [`-${flag}`],
    flags: [
      ...formsOf("c"),
      LEVELS,
      either("fira-algorithm=priority", "fira-region=all", "fira-region=one"),
      either("funroll-loops", "funroll-all-loops"),
      MARCHES,
      ...each("fno-tree-vrp fno-tree-pre fno-tree-fre fno-tree-ccp fno-tree-dse fno-gcse fno-ivopts fno-schedule-insns2 fschedule-insns"),
      ...each("fno-if-conversion fno-if-conversion2 fno-ipa-cp fno-ipa-sra fno-inline finline-functions fpeel-loops funswitch-loops"),
      ...each("fsplit-loops ftree-vectorize fno-thread-jumps fno-crossjumping fno-tree-ter fno-tree-sra fno-tree-sink fno-tree-loop-im"),
      ...each("fselective-scheduling2 fsel-sched-pipelining fmodulo-sched fgcse-las fgcse-sm fgcse-after-reload flra-remat frename-registers"),
      ...each("fweb ftracer flive-range-shrinkage fno-dce fno-dse fno-tree-dce fno-code-hoisting floop-nest-optimize fno-tree-bit-ccp"),
      ...each("fno-jump-tables fno-store-merging fno-ssa-phiopt fwrapv fno-strict-aliasing fno-delete-null-pointer-checks"),
      ...FACTS,
    ],
  },
  { name: "clang-drawn", base: "clang-O2", listing: LLVM, wordsOf: llvmWords, flags: [...formsOf("c"), ...LLVM_FLAGS, ...FACTS] },
  // Forms and some of the facts, with the flags that everybody uses.
  { name: "gcc-forms",   base: "gcc-O2",   listing: GCC,  wordsOf: (flag) => [`-${flag}`], flags: [...formsOf("c"), LEVELS, MARCHES, either("fno-inline", "finline-functions"), ...FACTS] },
  { name: "clang-forms", base: "clang-O2", listing: LLVM, wordsOf: llvmWords, flags: [...formsOf("c"), LEVELS, MARCHES, either("inline-threshold=0", "inline-threshold=5000"), ...FACTS] },
  { name: "llvm-forms",  base: "llvm-O2",  listing: LLVM, wordsOf: llvmWords, flags: [...formsOf("llvm"), LEVELS, MARCHES, either("inline-threshold=0", "inline-threshold=5000"), ...FACTS] },
  ...[
    { name: "v8-forms",        base: "v8-turbofan" },
    { name: "liftoff-forms",   base: "v8-liftoff" },
    { name: "jsc-forms",       base: "jsc-omg" },
    { name: "bbq-forms",       base: "jsc-bbq" },
    { name: "llint-forms",     base: "jsc-llint" },
    { name: "ion-forms",       base: "ion" },
    { name: "baseline-forms",  base: "sm-baseline" },
    { name: "cranelift-forms", base: "cranelift" },
    { name: "binaryen-forms",  base: "binaryen-O3" },
    { name: "interp-forms",    base: "wasm-interp" },
  ].map((row) => ({ ...row, wordsOf: () => [], flags: formsOf("wasm") })),
  ...[
    { name: "v8-js-forms",       base: "v8-js-turbofan" },
    { name: "maglev-js-forms",   base: "v8-js-maglev" },
    { name: "ignition-js-forms", base: "v8-js-ignition" },
    { name: "jsc-js-forms",      base: "jsc-js-ftl" },
    { name: "dfg-js-forms",      base: "jsc-js-dfg" },
    { name: "llint-js-forms",    base: "jsc-js-llint" },
    { name: "sm-js-forms",       base: "sm-js-ion" },
    { name: "sm-interpreter-js-forms", base: "sm-js-interpreter" },
  ].map((row) => ({ ...row, wordsOf: () => [], flags: formsOf("js") })),
  {
    name: "v8-js-drawn", base: "v8-js-turbofan", listing: V8, wordsOf: (flag) => [`--${flag}`],
    flags: [
      ...formsOf("js"),
      either("deopt-every-n-times=3", "deopt-every-n-times=40", "deopt-every-n-times=500"), either("random-seed=#1000000"),
      either("stress-inline", "no-turbo-inlining", "max-inlined-bytecode-size=2000"), either("no-use-osr", "always-osr"),
      either("turbo-stress-instruction-scheduling", "turbo-instruction-scheduling"),
      ...each("turbo-force-mid-tier-regalloc stress-turbo-late-spilling no-turbo-splitting no-turbo-move-optimization no-turbo-jt"),
      ...each("no-turbo-load-elimination no-turbo-store-elimination no-turbo-escape no-turbo-allocation-folding no-turbo-loop-peeling"),
      ...each("no-turbo-loop-variable no-turbo-loop-rotation no-turbo-cf-optimization no-polymorphic-inlining turboshaft"),
      // Without `turbo-verify-allocation`, which is too slow for large functions.
      ...each("no-analyze-environment-liveness assert-types always-sparkplug deopt-to-baseline stress-gc-during-compilation"),
    ],
  },
  {
    name: "jsc-js-drawn", base: "jsc-js-ftl", listing: JSC, wordsOf: (flag) => [`--${flag}`],
    flags: [
      ...formsOf("js"),
      either("useRandomizingFuzzerAgent=1", "useDoublePredictionFuzzerAgent=1"), // they predict wrong types
      either("maximumInliningDepth=1", "maximumInliningDepth=10"), either("osrExitCountForReoptimization=1", "osrExitCountForReoptimization=8"),
      either("airForceBriggsAllocator=1", "airForceIRCAllocator=1", "airUseGreedyRegAlloc=0", "airLinearScanSpillsEverything=1"),
      either("airRandomizeRegs=1"), either("airRandomizeRegsSeed=#1000000"), either("slowPathAllocsBetweenGCs=10"),
      ...each("useOSREntryToDFG=0 useOSREntryToFTL=0 usePolymorphicCallInlining=0 usePolymorphicAccessInlining=0 useAccessInlining=0"),
      ...each("useMovHintRemoval=0 usePutStackSinking=0 useObjectAllocationSinking=0 useValueRepElimination=0 useArityFixupInlining=0"),
      ...each("forceOSRExitToLLInt=1 forceGCSlowPaths=1 forceICFailure=1 useB3TailDup=0 useB3HoistLoopInvariantValues=0"),
    ],
  },
  {
    name: "sm-js-drawn", base: "sm-js-ion", listing: SPIDERMONKEY, wordsOf: (flag) => [`--${flag}`],
    flags: [...formsOf("js"), ...each(
      "ion-regalloc=testbed ion-gvn=off ion-licm=off ion-range-analysis=off ion-sink=on ion-instruction-reordering=on ion-osr=off ion-inlining=off " +
      "ion-edgecase-analysis=off ion-pruning=off ion-scalar-replacement=off ion-optimize-shapeguards=off ion-check-range-analysis ion-extra-checks " +
      "inlining-entry-threshold=1 no-avx no-sse41",
    )],
  },
  {
    name: "gcc-unsafe-drawn", base: "gcc-O1", listing: GCC, wordsOf: (flag) => [`-${flag}`], // a control: one flag is known to be wrong
    flags: each("fno-inline ffast-math fweb frename-registers ftracer"),
  },
  { name: "luajit-forms", base: "luajit-hot", wordsOf: () => [], flags: formsOf("lua") },
  {
    name: "luajit-drawn", base: "luajit-hot-wide", listing: LUAJIT, wordsOf: (flag) => [`-O${flag.replace(/^no-/, "-")}`],
    flags: [
      either("hotloop=2", "hotloop=7", "hotloop=56"), either("hotexit=3", "hotexit=10"),
      either("maxsnap=20", "maxtrace=20"), either("loopunroll=2", "loopunroll=40"), either("instunroll=20"), either("callunroll=10", "recunroll=4"),
      ...each("no-fold no-cse no-dce no-loop no-fwd no-dse no-abc no-sink no-fuse"),
    ],
  },
  {
    name: "hotspot-drawn", base: "hotspot-c2", listing: HOTSPOT, wordsOf: (flag) => [hotspotWord(flag)],
    flags: [
      either("StressSeed=#1000000"),
      ...each("StressGCM StressLCM StressIGVN StressCCP"),
      either("LoopUnrollLimit=0", "LoopUnrollLimit=300"), either("LoopMaxUnroll=2", "LoopMaxUnroll=64"), either("LoopOptsCount=5"),
      either("LoopStripMiningIter=0", "LoopStripMiningIter=3", "no-UseCountedLoopSafepoints"),
      either("ConditionalMoveLimit=0", "ConditionalMoveLimit=100", "UseCMoveUnconditionally"),
      either("MinJumpTableSize=2", "no-UseJumpTables"), either("MaxInlineSize=1000"), either("InlineSmallCode=1", "no-Inline"),
      either("EliminateAllocationArraySizeLimit=4096", "no-EliminateAllocations", "no-DoEscapeAnalysis"),
      either("UseSSE=2", "UseAVX=0", "UseAVX=1", "UseAVX=2"), either("MaxVectorSize=8", "MaxVectorSize=16"),
      ...each("no-TieredCompilation no-UseOnStackReplacement no-PartialPeelLoop no-LoopUnswitching no-UseLoopPredicate no-UseProfiledLoopPredicate"),
      ...each("no-SplitIfBlocks no-UseSuperWord no-SuperWordReductions no-ReassociateInvariants no-OptoRegScheduling OptoScheduling no-UseFPUForSpilling"),
      ...each("UseVectorCmov AlignVector no-UseDivMod OptimizeFill no-BlockLayoutByFrequency no-BlockLayoutRotateLoops no-InlineUnsafeOps no-InlineMathNatives"),
      ...each("no-UseBMI1Instructions no-UseBMI2Instructions no-UseCountLeadingZerosInstruction no-UsePopCountInstruction no-IncrementalInline"),
      ...each("no-UseMathExactIntrinsics no-OptimizeExpensiveOps no-UseUnalignedLoadStores DominatorSearchLimit=1 ValueSearchLimit=1"),
    ],
  },
];
