// What a target is, as data: its registers, its LIR opcode table, its lowering table, and how it
// writes code. Lowering, allocation and emission read these rows; none of them knows an instruction
// of a target by name.

import type { OpcodeName } from "../../src/ir/opcodes.js";
import type { Type, TypeName } from "../../src/ir/types.js";
import type { CodeBuffer } from "../lir/code-buffer.js";
import type { EmitContext } from "../lir/emit-context.js";
import type { LirFacts, RegisterSet } from "../lir/lir.js";

export type TargetName = "x64" | "arm64";

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

export interface LirRow<Asm> extends LirFacts {
  readonly operands: readonly OperandForm[];
  /** Which constants the row takes as its last operand; null: none. */
  readonly immediate: ImmediateClass | null;
  /** The definition's bits above 31 are zero. */
  readonly zeroExtends: boolean;
  // A method, like those of MachineWriter: its parameter is compared both ways, so that a target
  // can be held without its assembler's type by drivers that only hand it back what it made.
  emit(asm: Asm, context: EmitContext, instruction: number): void;
}

type Facts = "immediate" | "isCall" | "isTerminator" | "rematerializable" | "zeroExtends";

/** What a target writes its rows with: only what is unusual of a row is said. */
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
    ...more,
  });

/** True if the constant can be the immediate; `hi` is the sign or the high word. */
export interface ImmediateClass {
  readonly name: string;
  readonly fits: (lo: number, hi: number) => boolean;
}

/** Names of LIR rows in the order of preference; the first whose immediate fits is taken. */
export type Candidates = readonly string[];
export type LoweringTable = {
  readonly [O in OpcodeName]?: { readonly [T in TypeName]?: Candidates };
};

/**
 * Where the machine meets its surroundings: the guest addresses that compiled code calls or jumps
 * to.
 */
export interface Environment {
  /** Address of host function `index`. */
  readonly hostFunction: (index: number) => readonly [lo: number, hi: number];
  /** Where exit stubs go after they have saved the registers. */
  readonly exit: readonly [lo: number, hi: number];
}

export interface Target<Asm = unknown> {
  readonly name: TargetName;
  readonly registers: RegisterSet;
  readonly rows: readonly LirRow<Asm>[];
  /** Opcodes whose operands and immediate go to the row in their own order. */
  readonly lowering: LoweringTable;
  /** Registers of arguments and results, unified numbering. */
  readonly integerArguments: readonly number[];
  readonly floatArguments: readonly number[];
  readonly integerResult: number;
  readonly floatResult: number;
  /** General registers that are none of those, for patchpoints to name: six. */
  readonly otherGeneral: readonly number[];
  /**
   * Registers that the prologue saves if they are used, in the order of their places in the frame.
   */
  readonly calleeSaved: readonly number[];
  assembler(code: CodeBuffer): Asm;
  readonly writer: MachineWriter<Asm>;
}

/** The code of a procedure that no LIR instruction stands for. */
export interface MachineWriter<Asm> {
  prologue(asm: Asm, context: EmitContext): void;
  epilogue(asm: Asm, context: EmitContext): void;
  /** One move; slots are read and written at the width of `type`. At most one side is a slot. */
  move(asm: Asm, context: EmitContext, from: number, to: number, type: Type): void;
  /** The stub of one exit: hands its index to the common stub. */
  exitStub(asm: Asm, index: number, common: number): void;
  /** Saves every register and enters the harness. */
  commonStub(asm: Asm, environment: Environment): void;
}
