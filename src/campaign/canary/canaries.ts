// The table of canaries: one for each comparison, which only that comparison finds, and one or more
// for each stage, which several comparisons may find.

import { WRONG_ALLOCATION } from "../../../reference/compile.js";
import type { Aspect } from "../../compare/aspects.js";
import { INTERPRETERS_DISAGREE } from "../../compare/interpreters.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { TracingFault } from "../../record/tracing-machine.js";
import { BYTECODE } from "../program/seeds.js";
import { deadBeforeExit, keptByCalls, lostEdgeMove } from "./allocation-canaries.js";
import type { Canary, PlantedBug } from "./canary.js";
import {
  calleeSaved,
  callForgotten,
  crash,
  directionFlag,
  exitNumber,
  exitSlot,
  guardZone,
  missingHostCall,
  resumedValue,
  returnValue,
  roundingMode,
  stackPointer,
  storeShort,
  upperHalf,
} from "./comparison-canaries.js";
import {
  boxTurned,
  fenceLost,
  fieldForgotten,
  staleLoad,
  storeHalfDead,
  uncheckedSum,
} from "./phase-canaries.js";
import {
  continuationCode,
  cutAcross,
  destroyedRegister,
  displacedOperand,
  encodingWidth,
  exchangedHalves,
  floatRule,
  guardIgnored,
  ignoreCallCheck,
  immediateRange,
  moveOrder,
  unwindMap,
} from "./stage-canaries.js";

const X64_SUBJECTS = ["x64-O0", "x64-O1"];
const ARM64_SUBJECTS = ["arm64-O0", "arm64-O1"];
/** The subjects of canaries in the optimizer: interpreted IR suffices to show the bug. */
const O2_SUBJECTS = ["ir-O2"];
const COMPILED = [...X64_SUBJECTS, ...ARM64_SUBJECTS];
const TRACED = ["traced-ir-O2", "traced-x64-O1", "traced-arm64-O1"];
const TRACED_CODE = ["traced-x64-O1", "traced-arm64-O1"];
const IN_HALVES = ["x64-O1-halves", "arm64-O2-halves"];
/** The comparisons of a canary that the allocation checker finds before any code runs: none. */
const BY_CHECKER: readonly Aspect[] = [];
/**
 * The comparisons of a canary in the fast interpreter: none, since all subjects agree with it. The
 * plain interpreter finds it.
 */
const BY_PLAIN: readonly Aspect[] = [];
/**
 * The comparisons of a canary that makes a wrong value: every comparison of values, and those of
 * control flow.
 */
const ANYWHERE: readonly Aspect[] = [
  "ending",
  "events",
  "exit-number",
  "slots",
  "result",
  "heap",
  "resumption",
  "junk",
];
/**
 * As ANYWHERE, for a lost register of a caller, which may also be a callee-saved register of the
 * harness.
 */
const OF_CALLERS: readonly Aspect[] = [...ANYWHERE, "callee-saved"];

// biome-ignore format: a table
export const CANARIES: readonly Canary[] = [
  { name: "float-rule",         stage: "optimize", about: ANYWHERE,           subjects: ["ir-O1", "x64-O1", "arm64-O1"], open: floatRule,         says: "x + 0.0 becomes x, although -0.0 + 0.0 is 0.0" },
  { name: "stale-load",         stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: staleLoad,         says: "a load returns the value of the first access to its address, whatever was stored since" },
  { name: "store-half-dead",    stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: storeHalfDead,     says: "a store that the next one overwrites only in part is removed" },
  { name: "unchecked-sum",      stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: uncheckedSum,      says: "a sum with a constant is assumed never to overflow" },
  { name: "field-forgotten",    stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS, profile: "objects", open: fieldForgotten, says: "the exit of a sunk object builds it without its first field" },
  { name: "box-turned",         stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS, profile: "boxes", open: boxTurned, says: "an exit makes a box with its halves exchanged" },
  { name: "fence-lost",         stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: fenceLost,         says: "fences that order stores are removed" },
  { name: "guard-ignored",      stage: "lower",    about: ANYWHERE,           subjects: X64_SUBJECTS,   open: guardIgnored,      says: "a Check against zero emits nothing" },
  { name: "deopt-flag-ignored",     stage: "lower",    about: ANYWHERE,           subjects: COMPILED,       open: ignoreCallCheck,     says: "a call ignores the deoptimization flag of its callee" },
  { name: "destroyed-register", stage: "lower",    about: ANYWHERE,           subjects: COMPILED,       open: destroyedRegister, says: "registers that patchpoints destroy at their end are assumed to be preserved" },
  { name: "move-order",         stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: moveOrder,         says: "parallel moves are done in the order of their list" },
  { name: "kept-by-calls",      stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => keptByCalls(false),    says: "registers that calls destroy are assumed to be preserved; not checked" },
  { name: "dead-before-exit",   stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => deadBeforeExit(false), says: "values that only an exit uses share registers with its guard; not checked" },
  { name: "lost-edge-move",     stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => lostEdgeMove(false),   says: "the last of the moves of an edge to Phis is lost; not checked" },
  { name: "kept-by-calls-checked",    stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => keptByCalls(true),    says: "registers that calls destroy are assumed to be preserved" },
  { name: "dead-before-exit-checked", stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => deadBeforeExit(true), says: "values that only an exit uses share registers with its guard" },
  { name: "lost-edge-move-checked",   stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => lostEdgeMove(true),   says: "the last of the moves of an edge to Phis is lost" },
  { name: "encoding-width",     stage: "emit",     about: ANYWHERE,           subjects: X64_SUBJECTS,   open: encodingWidth,     says: "addq is encoded without its width bit" },
  { name: "immediate-range",    stage: "emit",     about: ANYWHERE,           subjects: ARM64_SUBJECTS, open: immediateRange,    says: "an ARM64 add accepts an immediate of 13 bits, and drops the highest" },
  { name: "unwind-map",         stage: "exits",    about: OF_CALLERS,         subjects: COMPILED,       open: unwindMap,         says: "exits of callees forget the first register that the callee has saved" },
  { name: "cut-across",         stage: "lower",    about: ANYWHERE,           subjects: IN_HALVES,      open: cutAcross,         says: "an Int64 that arrives in one register is split with its halves exchanged" },
  { name: "exchanged-halves",   stage: "exits",    about: ANYWHERE,           subjects: IN_HALVES,      open: exchangedHalves,   says: "the exit table has the halves of split values exchanged" },

  { name: "trace-slots",        stage: "record",   about: ANYWHERE,           subjects: TRACED,         open: () => tracing("exchanged-slots"), says: "exits of traces have two slots exchanged" },
  { name: "trace-frame",        stage: "record",   about: ANYWHERE,           subjects: ["traced-ir-O2"], open: () => tracing("missing-frame"),   says: "an exit of a trace restores one activation too few" },
  { name: "trace-guard",        stage: "record",   about: ANYWHERE,           subjects: TRACED,         open: () => tracing("missing-guard"),   says: "the recorder leaves out the guards of branches and switches" },
  { name: "trace-callee",       stage: "record",   about: ANYWHERE,           subjects: TRACED, profile: "traced", open: () => tracing("missing-callee"),  says: "the recorder leaves out the guards of procedures that are called by address" },
  { name: "trace-loop",         stage: "record",   about: ANYWHERE,           subjects: TRACED,         open: () => tracing("loop-value"),      says: "a trace that is a loop keeps a value which changes" },
  { name: "trace-link",         stage: "record",   about: ANYWHERE,           subjects: TRACED_CODE,    open: () => tracing("exchanged-registers"), says: "an exit that is linked in code passes two registers exchanged" },
  { name: "trace-penalty",      stage: "record",   about: ANYWHERE,           subjects: ["traced-ir-O2"], open: () => tracing("endless-penalty"), says: "recording of an unsupported trace is retried forever" },
  { name: "trace-dead",         stage: "record",   about: ANYWHERE,           subjects: TRACED, profile: BYTECODE, open: () => tracing("dead-top"), says: "an exit of a bytecode trace marks the top of the operand stack as dead" },
  { name: "trace-tag",          stage: "record",   about: ANYWHERE,           subjects: TRACED, profile: BYTECODE, open: () => tracing("assumed-tag"), says: "a bytecode trace assumes the observed tag of a box, without a guard" },

  { name: "call-forgotten",     stage: "oracle",   about: BY_PLAIN,           subjects: O2_SUBJECTS,    open: callForgotten,     says: "the fast interpreter omits the last recorded call of an execution" },

  { name: "continuation-code",  stage: "exits",    about: ["resumption", "junk"], subjects: COMPILED, open: continuationCode,  says: "x64 code of a continuation returns integers with their lowest bit flipped" },

  { name: "crash",              stage: "emit",     about: ["ending"],         subjects: COMPILED,       open: crash,             says: "a return of a float runs into a trap" },
  { name: "callee-saved",       stage: "frame",    about: ["callee-saved"],   subjects: COMPILED,       open: calleeSaved,       says: "one callee-saved register is neither saved nor restored" },
  { name: "stack-pointer",      stage: "frame",    about: ["stack-pointer"],  subjects: X64_SUBJECTS,   open: stackPointer,      says: "the return pops 16 bytes too many" },
  { name: "guard-zone",         stage: "frame",    about: ["guard-zone"],     subjects: X64_SUBJECTS,   open: guardZone,         says: "the epilogue writes into the caller's frame" },
  { name: "exit-place",         stage: "lower",    about: ["exit-place"],     subjects: COMPILED,       open: displacedOperand,  says: "patchpoints take late operands of named registers in any register" },
  { name: "direction-flag",     stage: "frame",    about: ["direction-flag"], subjects: X64_SUBJECTS,   open: directionFlag,     says: "the epilogue sets the direction flag" },
  { name: "rounding-mode",      stage: "frame",    about: ["rounding-mode"],  subjects: X64_SUBJECTS,   open: roundingMode,      says: "the epilogue leaves a changed rounding mode" },
  { name: "missing-host-call",  stage: "lower",    about: ["events"],         subjects: COMPILED,       open: missingHostCall,   says: "calls of event functions without result disappear" },
  { name: "exit-number",        stage: "exits",    about: ["exit-number"],    subjects: COMPILED,       open: exitNumber,        says: "the exit table has wrong numbers for exits without continuation" },
  { name: "exit-slot",          stage: "exits",    about: ["slots"],          subjects: COMPILED,       open: exitSlot,          says: "the exit table has two slots exchanged for exits without continuation" },
  { name: "return-value",       stage: "lower",    about: ["result"],         subjects: COMPILED,       open: returnValue,       says: "an integer result is returned with its lowest bit flipped" },
  { name: "store-short",        stage: "lower",    about: ["heap"],           subjects: COMPILED,       open: storeShort,        says: "a store just before the return writes too few bytes" },
  { name: "resumed-value",      stage: "harness",  about: ["resumption"],     subjects: COMPILED,       open: resumedValue,      says: "a continuation is given a wrong integer" },
  { name: "upper-half",         stage: "lower",    about: ["junk"],           subjects: X64_SUBJECTS,   open: upperHalf,         says: "zero-extension of a parameter trusts its upper half" },
];

const tracing = (tracingFault: TracingFault): PlantedBug => ({
  settings: { ...DEFAULT_SETTINGS, tracingFault },
});

/** Returns whether an internal error is the one that a canary without comparisons must cause. */
export const isCheckerFailure = ({ about, stage }: Canary, what: string | undefined): boolean =>
  about.length === 0 &&
  what?.endsWith(stage === "oracle" ? INTERPRETERS_DISAGREE : WRONG_ALLOCATION) === true;

export const canaryNamed = (name: string): Canary | null =>
  CANARIES.find((canary) => canary.name === name) ?? null;

/**
 * Returns the changes of a canary to the judging of a program. For a canary of one comparison,
 * continuations are interpreted: the comparison of resumptions would also find errors in their
 * code.
 */
export function plantedBy({ about, open }: Canary): PlantedBug {
  return about.length === 1 ? { ...open(), resumes: "interpreted" } : open();
}
