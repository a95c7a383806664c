// Exports the names of `import { ... } from "touchstone/patchpoints"`: definitions of patchpoints. It imports no module
// with a table of kinds, since a kind is defined before these tables are made. docs/library.md has an example.

import type { Arm64Assembler } from "../../reference/arm64/assembler.js";
import { A64 } from "../../reference/arm64/encodings.js";
import { inRegister } from "../../reference/arm64/frame-access.js";
import { SCRATCH_GENERAL, SCRATCH_GENERAL_2 } from "../../reference/arm64/registers.js";
import type { PatchpointOperands } from "../../reference/target/patchpoint-rows.js";
import type { X64Assembler } from "../../reference/x64/assembler.js";
import { X64 } from "../../reference/x64/encodings.js";
import { Gpr, SCRATCH_GPR } from "../../reference/x64/registers.js";
import { regOrSlot } from "../../reference/x64/row.js";
import type { PatchpointRow } from "../ir/patchpoint-row.js";
import {
  addUserPatchpoint,
  type OperandMemory,
  type PatchpointMeaning,
} from "../ir/user-patchpoints.js";

export type { OperandMemory, PatchpointMeaning, PatchpointOperands, PatchpointRow };

/** A kind of patchpoint: its constraints (the row), its meaning, and its code. */
export interface PatchpointDefinition extends PatchpointRow {
  /** The name in programs. */
  readonly name: string;
  /**
   * Returns the result's bits: a bigint for Int64 and Double, a number for Int32 and Float, each signed, as the operands
   * are. A guard that exits returns null, a kind without a result undefined. If the row has `bytes`, the last argument
   * is the memory at the first operand.
   */
  readonly meaning: PatchpointMeaning;
  /** Writes the code. A result that is not `early` may share a register with an operand that is not late. */
  readonly x64: (asm: X64Assembler, operands: PatchpointOperands) => void;
  readonly arm64: (asm: Arm64Assembler, operands: PatchpointOperands) => void;
  /**
   * The kind in opcodes of the language, with x, y, z, w for the operands: `Add(Shl(x, 3), y)`. Programs with a kind
   * that has none are not exported to other compilers.
   */
  readonly expansion?: string;
}

/** The encodings of x86-64, its registers, and the one that no value is in. */
export const x64 = {
  codes: X64,
  registers: Gpr,
  scratch: SCRATCH_GPR,
  /** Writes `code register, operand k`; the operand may be in a register or in the frame. */
  take(asm: X64Assembler, p: PatchpointOperands, code: number, register: number, k: number): void {
    regOrSlot(asm, p.context, code, register, p.location(k));
  },
} as const;

/** The encodings of ARM64, and the two general registers that no value is in. */
export const arm64 = {
  codes: A64,
  scratch: [SCRATCH_GENERAL, SCRATCH_GENERAL_2],
  /** Returns the register of operand k, an integer; loads it into `register` if it is in the frame. */
  take(
    asm: Arm64Assembler,
    p: PatchpointOperands,
    width: "w" | "x",
    register: number,
    k: number,
  ): number {
    return inRegister(asm, A64[`ldr${width}`], register, p.context.frame, p.location(k));
  },
} as const;

const REGISTER = "(%[gfa][0-5]|%result)";
const OPERAND = new RegExp(
  `^(Int32|Int64|Float|Double|slot|frame) (warm|cold|late-cold|register|late|copied|stack|argument|constant|keepAlive|(late )?${REGISTER})$`,
);
const RESULT = new RegExp(
  `^(Void|(Int32|Int64|Float|Double) (register|early|same|stack|${REGISTER}))$`,
);

/**
 * Adds a kind of patchpoint to the language, the generator, the oracle and the reference compiler of this process. Call
 * it in a module that is imported before "touchstone".
 * @throws a TypeError if the definition has a fault, or comes too late
 */
export function definePatchpoint({ expansion, ...kind }: PatchpointDefinition): void {
  const { name, takes, gives } = kind;
  const expect = (holds: boolean, expected: string): void => {
    if (!holds) throw new TypeError(`definePatchpoint: '${name}': expected ${expected}`);
  };
  expect(/^[A-Za-z]\w*$/.test(name), "a name of letters and digits");
  for (const text of takes) {
    expect(OPERAND.test(text), `a type and a location in place of '${text}', as 'Int32 register'`);
  }
  expect(RESULT.test(gives), `'Void', or a type and a location in place of '${gives}'`);
  for (const part of ["meaning", "x64", "arm64"] as const) {
    expect(typeof kind[part] === "function", `a function '${part}'`);
  }
  expect(
    kind.bytes === undefined || /^(Int64|slot) /.test(takes[0] ?? ""),
    "an address first, for 'bytes'",
  );
  addUserPatchpoint({ ...kind, expansion: expansion ?? null });
}
