// Defines ARM64 as a target: its tables and its code writer.

import { generalRegister, vectorRegister } from "../lir/lir.js";
import type { Target } from "../target/target.js";
import { Arm64Assembler } from "./assembler.js";
import { DEFAULT_ROWS, type EncodingTable } from "./encodings.js";
import { WRITER } from "./frame.js";
import { ROWS } from "./instructions.js";
import { LOWERING } from "./lowering.js";
import {
  ALLOCATABLE_GENERAL,
  ALLOCATABLE_VECTOR,
  ARGUMENTS_GENERAL,
  ARGUMENTS_VECTOR,
  ASKED_GENERAL,
  CALLEE_SAVED_GENERAL,
  CALLEE_SAVED_VECTOR,
  FP,
  FURTHER_GENERAL,
  FURTHER_VECTOR,
  OTHER_GENERAL,
  RESULT_GENERAL,
  RESULT_VECTOR,
  SCRATCH_GENERAL,
  SCRATCH_VECTOR,
} from "./registers.js";

const calleeSaved = [...CALLEE_SAVED_GENERAL, ...CALLEE_SAVED_VECTOR.map(vectorRegister)];
const callerSaved = new Uint8Array(64).fill(1);
for (const register of calleeSaved) callerSaved[register] = 0;

/** ARMv8.0-A, AAPCS64 calling convention. */
export const ARM64_TARGET: Target<Arm64Assembler> = arm64Target(DEFAULT_ROWS);

/** The target with another encoding table: for planted bugs. */
function arm64Target(encodings: EncodingTable): Target<Arm64Assembler> {
  return {
    name: "arm64",
    registers: {
      general: ALLOCATABLE_GENERAL.map(generalRegister),
      vector: ALLOCATABLE_VECTOR.map(vectorRegister),
      callerSaved,
      generalScratch: generalRegister(SCRATCH_GENERAL),
      vectorScratch: vectorRegister(SCRATCH_VECTOR),
    },
    rows: ROWS,
    lowering: LOWERING,
    integerArguments: ARGUMENTS_GENERAL,
    floatArguments: ARGUMENTS_VECTOR.map(vectorRegister),
    integerResult: RESULT_GENERAL,
    floatResult: vectorRegister(RESULT_VECTOR),
    furtherIntegers: FURTHER_GENERAL,
    furtherFloats: FURTHER_VECTOR.map(vectorRegister),
    framePointer: FP,
    asked: ASKED_GENERAL,
    otherGeneral: OTHER_GENERAL,
    calleeSaved,
    assembler: (code) => new Arm64Assembler(code, encodings),
    writer: WRITER,
    lines: null,
  };
}
