// Defines a target as data: its registers, its LIR opcode table, its lowering table, and its code
// writer. Lowering, allocation and emission read these rows; none of them depends on an instruction
// of a target by name.

import type { OpcodeName } from "../../src/ir/opcodes.js";
import type { TypeName } from "../../src/ir/types.js";
import type { CodeBuffer } from "../emit/code-buffer.js";
import type { CodeWriter, EmittedRow } from "../emit/machine-writer.js";

export const TARGET_NAMES = ["x64", "arm64"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/**
 * The form of an operand in a row: role and policy. Definitions come first, then uses, then temps.
 * `def=0` reuses the register of a use, the n-th such definition that of the n-th use. Lowering
 * fills in `def:fixed` and `use:fixed` (arguments, results). `use:late` stays alive until the
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
  | { readonly temp: number }; // that register, which the row destroys

export interface LirRow<Asm> extends EmittedRow<Asm> {
  readonly operands: readonly OperandForm[];
  /** The constants that the row accepts as its last operand; null: none. */
  readonly immediate: ImmediateClass | null;
  /** Whether the definition's bits above 31 are zero. */
  readonly zeroExtends: boolean;
}

type RowFactName =
  | "immediate"
  | "isCall"
  | "isTerminator"
  | "rematerializable"
  | "derivable"
  | "zeroExtends"
  | "keepsFlags"
  | "needsFrame";

/** Makes a row from the fields that a target writes; absent fields have their usual value. */
export const rowMaker =
  <Asm>() =>
  (
    name: string,
    operands: readonly OperandForm[],
    emit: LirRow<Asm>["emit"],
    more: Partial<Pick<LirRow<Asm>, RowFactName>> = {},
  ): LirRow<Asm> => ({
    name,
    operands,
    emit,
    immediate: null,
    isCall: false,
    isTerminator: false,
    rematerializable: false,
    derivable: false,
    zeroExtends: false,
    keepsFlags: false,
    needsFrame: false,
    ...more,
  });

/** A class of constants that can be the immediate; `hi` is the sign or the high word. */
export interface ImmediateClass {
  readonly name: string;
  readonly fits: (lo: number, hi: number) => boolean;
}

/** Names of LIR rows in the order of preference; lowering takes the first whose immediate fits. */
type RowCandidates = readonly string[];
export type LoweringTable = {
  readonly [O in OpcodeName]?: { readonly [T in TypeName]?: RowCandidates };
};

export interface Target<Asm = unknown> extends CodeWriter<Asm> {
  readonly name: TargetName;
  readonly rows: readonly LirRow<Asm>[];
  /** Opcodes whose operands and immediate become those of the row in the same order. */
  readonly lowering: LoweringTable;
  /** Registers of arguments and results, unified numbering. */
  readonly integerArguments: readonly number[];
  readonly floatArguments: readonly number[];
  readonly integerResult: number;
  readonly floatResult: number;
  /**
   * Registers of further results of a procedure that do not fit the registers above, by bank, in
   * order: FURTHER_MAX.
   */
  readonly furtherIntegers: readonly number[];
  readonly furtherFloats: readonly number[];
  /** The base of offsets in a frame: fixed between prologue and epilogue. */
  readonly framePointer: number;
  /**
   * The register in which a host function returns its deoptimization flag: 32 bits, not zero if the
   * caller must exit.
   */
  readonly asked: number;
  /** General registers that are none of those, for patchpoints to name: six. */
  readonly otherGeneral: readonly number[];
  /**
   * Registers that the prologue saves if they are used, in the order of their positions in the
   * frame.
   */
  readonly calleeSaved: readonly number[];
  assembler(code: CodeBuffer): Asm;
}
