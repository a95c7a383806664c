// What a target is, as data: its registers, its LIR opcode table, its lowering table, and how it
// writes code. Lowering, allocation and emission read these rows; none of them knows an instruction
// of a target by name.

import type { OpcodeName } from "../../src/ir/opcodes.js";
import type { TypeName } from "../../src/ir/types.js";
import type { CodeBuffer } from "../emit/code-buffer.js";
import type { CodeWriter, EmittedRow } from "../emit/machine-writer.js";

export const TARGET_NAMES = ["x64", "arm64"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/**
 * An operand as a row writes it: role and policy. Definitions come first, then uses, then temps.
 * `def=0` reuses the register of a use, the n-th such definition that of the n-th use; `def:fixed`
 * and `use:fixed` are filled in by lowering (arguments, results); `use:late` stays alive until the
 * instruction ends. A `use` and a `temp` that name one register are a copy there, which the
 * instruction may overwrite.
 */
export type OperandForm =
  | "def"
  | "def=0"
  | "def:stack" // written into its spill slot
  | "redef" // the first use under another name: no code
  | "use"
  | "use:any"
  | "use:late"
  | "use:any:late"
  | "use:stack" // in its spill slot
  | "use:copy" // in a register that the instruction may overwrite
  | { readonly use: number } // a fixed register, unified numbering
  | { readonly lateUse: number }
  | { readonly def: number }
  | "temp" // a general register for the instruction alone
  | "temp:vector"
  | "temp:copy" // the register of a `use:copy`: as many, in the same order
  | { readonly temp: number }; // that register: how a row says that it destroys one

export interface LirRow<Asm> extends EmittedRow<Asm> {
  readonly operands: readonly OperandForm[];
  /** Which constants the row takes as its last operand; null: none. */
  readonly immediate: ImmediateClass | null;
  /** The definition's bits above 31 are zero. */
  readonly zeroExtends: boolean;
}

type Facts =
  | "immediate"
  | "isCall"
  | "isTerminator"
  | "rematerializable"
  | "zeroExtends"
  | "keepsFlags"
  | "needsFrame";

/** A row as a target writes it: what is absent has its usual value. */
export const rowMaker =
  <Asm>() =>
  (
    name: string,
    operands: readonly OperandForm[],
    emit: LirRow<Asm>["emit"],
    more: Partial<Pick<LirRow<Asm>, Facts>> = {},
  ): LirRow<Asm> => ({
    name,
    operands,
    emit,
    immediate: null,
    isCall: false,
    isTerminator: false,
    rematerializable: false,
    zeroExtends: false,
    keepsFlags: false,
    needsFrame: false,
    ...more,
  });

/** True if the constant can be the immediate; `hi` is the sign or the high word. */
export interface ImmediateClass {
  readonly name: string;
  readonly fits: (lo: number, hi: number) => boolean;
}

/** Names of LIR rows in the order of preference; the first whose immediate fits is taken. */
type Candidates = readonly string[];
export type LoweringTable = {
  readonly [O in OpcodeName]?: { readonly [T in TypeName]?: Candidates };
};

export interface Target<Asm = unknown> extends CodeWriter<Asm> {
  readonly name: TargetName;
  readonly rows: readonly LirRow<Asm>[];
  /** Opcodes whose operands and immediate go to the row in their own order. */
  readonly lowering: LoweringTable;
  /** Registers of arguments and results, unified numbering. */
  readonly integerArguments: readonly number[];
  readonly floatArguments: readonly number[];
  readonly integerResult: number;
  readonly floatResult: number;
  /** Of further results of a procedure, those of each bank that do not fit these, in order: FURTHER_MAX. */
  readonly furtherIntegers: readonly number[];
  readonly furtherFloats: readonly number[];
  /** What offsets in a frame count from: fixed between prologue and epilogue. */
  readonly framePointer: number;
  /** Where a host function says whether it asks its caller to leave: 32 bits, not zero if it does. */
  readonly asked: number;
  /** General registers that are none of those, for patchpoints to name: six. */
  readonly otherGeneral: readonly number[];
  /**
   * Registers that the prologue saves if they are used, in the order of their places in the frame.
   */
  readonly calleeSaved: readonly number[];
  assembler(code: CodeBuffer): Asm;
}
