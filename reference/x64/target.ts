// Defines x86-64 as a target: its tables and its code writer.

import { generalRegister, vectorRegister } from "../lir/lir.js";
import type { Target } from "../target/target.js";
import { X64Assembler } from "./assembler.js";
import { DEFAULT_ROWS, type EncodingRows } from "./encodings.js";
import { WRITER } from "./frame.js";
import { ROWS } from "./instructions.js";
import { LOWERING } from "./lowering.js";
import {
  ALLOCATABLE_GPR,
  ALLOCATABLE_XMM,
  ASKED_GPR,
  CALLEE_SAVED,
  FLOAT_ARGUMENTS,
  FLOAT_RESULT,
  FURTHER_FLOATS,
  FURTHER_INTEGERS,
  Gpr,
  INTEGER_ARGUMENTS,
  INTEGER_RESULT,
  OTHER_GENERAL,
  SCRATCH_GPR,
  SCRATCH_XMM,
} from "./registers.js";

/** The instruction `int3`. */
const INT3 = 0xcc;
const callerSaved = new Uint8Array(64).fill(1);
for (const register of CALLEE_SAVED) callerSaved[register] = 0;

/** x86-64, System V calling convention; SSE2 to SSE4.1, no VEX. */
export const X64_TARGET: Target<X64Assembler> = x64Target(DEFAULT_ROWS);

/** The target with another encoding table: for planted bugs. */
export function x64Target(encodings: EncodingRows): Target<X64Assembler> {
  return {
    name: "x64",
    registers: {
      general: ALLOCATABLE_GPR.map(generalRegister),
      vector: ALLOCATABLE_XMM.map(vectorRegister),
      callerSaved,
      generalScratch: generalRegister(SCRATCH_GPR),
      vectorScratch: vectorRegister(SCRATCH_XMM),
    },
    rows: ROWS,
    lowering: LOWERING,
    integerArguments: INTEGER_ARGUMENTS,
    floatArguments: FLOAT_ARGUMENTS.map(vectorRegister),
    integerResult: INTEGER_RESULT,
    floatResult: vectorRegister(FLOAT_RESULT),
    furtherIntegers: FURTHER_INTEGERS,
    furtherFloats: FURTHER_FLOATS.map(vectorRegister),
    framePointer: Gpr.rbp,
    asked: ASKED_GPR,
    otherGeneral: OTHER_GENERAL,
    calleeSaved: CALLEE_SAVED.filter((register) => register !== Gpr.rbp),
    assembler: (code) => new X64Assembler(code, encodings),
    writer: WRITER,
    lines: { size: 64, filler: INT3 },
  };
}
