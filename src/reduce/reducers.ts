// Lists the reducers in the order in which they run: those that remove most come first.

import { codeOf } from "../bytecode/interpreter-module.js";
import type { Module } from "../ir/procedure.js";
import {
  calleesToEntry,
  dropCalledParameters,
  dropFurtherResults,
  dropResults,
  indirectToDirect,
} from "./drop-calls.js";
import {
  blocksToReturn,
  branchesToJump,
  deoptReturnToReturn,
  dropCases,
  dropContinuations,
  dropFrames,
  dropFrequencies,
  dropHeapSeeds,
  dropInputs,
  dropSlots,
  keepOneInput,
  mergeBlocks,
  parametersToConstant,
  parametersToZero,
  shrinkHeap,
  simplifyArguments,
  simplifyKeys,
  skipBlocks,
  switchesToBranch,
} from "./drop-control.js";
import { argumentsToParameter, patchpointsToReturn } from "./drop-patchpoints.js";
import {
  atomicsToAccesses,
  constants,
  dropClasses,
  dropDeoptCalls,
  dropEffects,
  dropOffsets,
  dropOverflowGuards,
  mergeConstants,
  phisToInput,
  simplifySlots,
  toHalf,
  toOne,
  toZero,
  valuesToNeighbour,
  valuesToOperand,
  valuesToParameter,
  valuesToZero,
} from "./drop-values.js";
import { dropWords, plainWords } from "./drop-words.js";
import { narrowTypes } from "./narrow-types.js";
import type { Reducer } from "./schedule.js";

const REDUCERS: readonly Reducer[] = [
  { name: "keep-one-input", edits: keepOneInput },
  { name: "drop-inputs", edits: dropInputs },
  // First, so that every later test copies a smaller heap.
  { name: "shrink-heap", edits: shrinkHeap },
  { name: "drop-heap-seeds", edits: dropHeapSeeds },
  { name: "drop-continuations", edits: dropContinuations },
  { name: "blocks-to-return", edits: blocksToReturn },
  { name: "first-successor", edits: branchesToJump("first") },
  { name: "last-successor", edits: branchesToJump("last") },
  { name: "drop-effects", edits: dropEffects },
  { name: "drop-cases", edits: dropCases },
  { name: "switches-to-branch", edits: switchesToBranch },
  { name: "values-to-zero", edits: valuesToZero },
  { name: "values-to-first-operand", edits: valuesToOperand(0) },
  { name: "values-to-second-operand", edits: valuesToOperand(1) },
  { name: "values-to-third-operand", edits: valuesToOperand(2) },
  { name: "patchpoints-to-return", edits: patchpointsToReturn },
  { name: "deopt-return-to-return", edits: deoptReturnToReturn },
  { name: "arguments-to-parameter", edits: argumentsToParameter },
  { name: "phis-to-first-input", edits: phisToInput(0) },
  { name: "phis-to-second-input", edits: phisToInput(1) },
  { name: "first-callee", edits: indirectToDirect(0) },
  { name: "second-callee", edits: indirectToDirect(1) },
  { name: "callees-to-entry", edits: calleesToEntry },
  { name: "atomics-to-accesses", edits: atomicsToAccesses },
  { name: "drop-overflow-guards", edits: dropOverflowGuards },
  { name: "drop-deopt-calls", edits: dropDeoptCalls },
  { name: "merge-blocks", edits: mergeBlocks },
  { name: "skip-blocks", edits: skipBlocks },
  { name: "drop-frames", edits: dropFrames },
  { name: "drop-slots", edits: dropSlots },
  { name: "simplify-slots", edits: simplifySlots },
  { name: "values-to-parameter", edits: valuesToParameter },
  { name: "values-to-neighbour", edits: valuesToNeighbour },
  { name: "parameters-to-zero", edits: parametersToZero },
  { name: "parameters-to-constant", edits: parametersToConstant },
  { name: "called-parameters-to-zero", edits: dropCalledParameters("zero") },
  { name: "called-parameters-to-argument", edits: dropCalledParameters("argument") },
  { name: "drop-results", edits: dropResults },
  { name: "drop-further-results", edits: dropFurtherResults },
  { name: "narrow-types", edits: narrowTypes },
  { name: "merge-constants", edits: mergeConstants },
  { name: "drop-classes", edits: dropClasses },
  { name: "drop-offsets", edits: dropOffsets },
  { name: "constants-to-zero", edits: constants(toZero) },
  { name: "constants-to-one", edits: constants(toOne) },
  { name: "halve-constants", edits: constants(toHalf) },
  { name: "keys-to-zero", edits: simplifyKeys(toZero) },
  { name: "keys-to-one", edits: simplifyKeys(toOne) },
  { name: "halve-keys", edits: simplifyKeys(toHalf) },
  { name: "arguments-to-zero", edits: simplifyArguments(toZero) },
  { name: "arguments-to-one", edits: simplifyArguments(toOne) },
  { name: "halve-arguments", edits: simplifyArguments(toHalf) },
  { name: "drop-frequencies", edits: dropFrequencies },
];

/** The reducers of bytecode: of its words and its inputs. */
const BYTECODE_REDUCERS: readonly Reducer[] = [
  { name: "keep-one-input", edits: keepOneInput },
  { name: "drop-inputs", edits: dropInputs },
  { name: "drop-words", edits: dropWords },
  { name: "plain-words", edits: plainWords },
  { name: "drop-heap-seeds", edits: dropHeapSeeds },
  { name: "arguments-to-zero", edits: simplifyArguments(toZero) },
  { name: "arguments-to-one", edits: simplifyArguments(toOne) },
];

export const reducersOf = (module: Module): readonly Reducer[] =>
  codeOf(module) === null ? REDUCERS : BYTECODE_REDUCERS;
