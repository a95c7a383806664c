// A module of LLVM IR as data: the parser makes it, and the import reads it.

import type { LlvmType } from "./types.js";

export interface TypedOperand {
  readonly type: LlvmType;
  readonly operand: LlvmOperand;
}

export type LlvmOperand =
  | { readonly kind: "local" | "global"; readonly name: string }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "null" | "undef" | "poison" | "zero" }
  | { readonly kind: "elements"; readonly elements: readonly TypedOperand[] }
  | { readonly kind: "expression"; readonly instruction: LlvmInstruction };

export interface LlvmInstruction {
  /** The name of its result without `%`; null if it has none. */
  readonly result: string | null;
  readonly opcode: string;
  readonly type: LlvmType;
  readonly flags: ReadonlySet<string>;
  readonly operands: readonly TypedOperand[];
  /** The line of the text, from 1. */
  readonly line: number;
  readonly predicate?: string;
  /** The targets of a branch or switch; the sources of a Phi. */
  readonly labels?: readonly string[];
  /** The keys of a switch, one for each label but the first. */
  readonly keys?: readonly bigint[];
  /** The type that an `alloca` or `getelementptr` measures. */
  readonly element?: LlvmType;
  /** In bytes, of an access. */
  readonly alignment?: number;
  /** The positions of `extractvalue` and `insertvalue`; the lanes of `shufflevector`, -1 for poison. */
  readonly indices?: readonly number[];
  /** The attributes of a call's arguments, and of its result. */
  readonly attributes?: readonly ParameterAttributes[];
  readonly resultAttributes?: ParameterAttributes;
  /** The attributes of a call after its arguments. */
  readonly callAttributes?: ReadonlySet<string>;
}

/** The attributes of a parameter that constrain its value. */
export interface ParameterAttributes {
  readonly names: ReadonlySet<string>;
  /** Bytes after the address that can be read; 0 if unknown. */
  readonly dereferenceable: number;
  /** In bytes; 1 if unknown. */
  readonly alignment: number;
  /** Half-open, and may wrap; null if absent. */
  readonly range: readonly [bigint, bigint] | null;
  /** The type that `byval` and `sret` name. */
  readonly pointee: LlvmType | null;
}

export interface LlvmParameter {
  readonly name: string;
  readonly type: LlvmType;
  readonly attributes: ParameterAttributes;
}

export interface LlvmBlock {
  readonly name: string;
  readonly instructions: readonly LlvmInstruction[];
}

export interface LlvmFunction {
  readonly name: string;
  readonly type: LlvmType;
  readonly parameters: readonly LlvmParameter[];
  readonly resultAttributes: ParameterAttributes;
  readonly attributes: ReadonlySet<string>;
  /** Visible to other modules. */
  readonly isExternal: boolean;
  readonly isVariadic: boolean;
  /** The blocks, the entry first; null for a declaration. */
  readonly blocks: readonly LlvmBlock[] | null;
  /** The first reason why the body cannot be interpreted; null if it can. */
  readonly outside: string | null;
  readonly line: number;
  /** As it was read. */
  readonly text: string;
}

export interface LlvmGlobal {
  readonly name: string;
  readonly type: LlvmType;
  readonly isConstant: boolean;
  readonly isExternal: boolean;
  /** The initial value; null if another module defines the global. */
  readonly initializer: LlvmOperand | null;
  readonly alignment: number;
}

export interface LlvmModule {
  readonly functions: ReadonlyMap<string, LlvmFunction>;
  readonly globals: ReadonlyMap<string, LlvmGlobal>;
  readonly types: ReadonlyMap<string, LlvmType>;
}
