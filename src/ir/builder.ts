// Builds procedures. The builder has one typed method per row of OPCODES, so that `b.Add(x, y)` does not compile for an
// Int32 and an Int64. It appends to a current block.

import { assert } from "../support/assert.js";
import type { HostFunction } from "./host-functions.js";
import {
  ALL_OPCODES,
  isValueOperand,
  nameOfOpcode,
  type OPCODES,
  type Opcode,
  type OpcodeName,
  type OperandSpec,
  specOf,
  typeOfName,
} from "./opcodes.js";
import { patchpointNamed } from "./patchpoints.js";
import {
  BasicBlock,
  furtherOf,
  Procedure,
  reachedProcedures,
  Snapshot,
  StackSlot,
  SwitchCases,
  Value,
} from "./procedure.js";
import { otherBank, type Type, type TypeName, type ValueTypeName, Void } from "./types.js";
import type { WordPair } from "./words.js";

/** The operand of a Switch: keys with a target each, and the default target. */
interface SwitchOperand {
  readonly cases: readonly (readonly [key: WordPair, target: BasicBlock])[];
  readonly otherwise: BasicBlock;
}

type SpecOf<O extends OpcodeName> = (typeof OPCODES)[O];
type OverTypes<O extends OpcodeName> =
  SpecOf<O> extends { over: readonly (infer T extends ValueTypeName)[] } ? T : ValueTypeName;
type AlsoTypes<O extends OpcodeName> =
  SpecOf<O> extends { also: readonly (infer U extends ValueTypeName)[] } ? U : never;

type ArgOf<K, T extends TypeName, U extends TypeName> = K extends "T"
  ? Value<T>
  : K extends "U"
    ? Value<U>
    : K extends ValueTypeName
      ? Value<K>
      : K extends "Block"
        ? BasicBlock
        : K extends "Cases"
          ? SwitchOperand
          : K extends "Slot"
            ? StackSlot
            : K extends "Phi"
              ? Value<T>
              : K extends "DeoptHost"
                ? HostFunction
                : K extends "Callee"
                  ? HostFunction | Procedure
                  : K extends "Function"
                    ? Procedure
                    : K extends "Rest" | "Further"
                      ? readonly Value[]
                      : K extends "Snapshot"
                        ? Snapshot
                        : K extends "Const"
                          ? WordPair
                          : K extends "Kind"
                            ? string
                            : number;
type ArgsOf<K extends readonly OperandSpec[], T extends TypeName, U extends TypeName> = {
  // The first operand decides T; the others must agree.
  readonly [I in keyof K]: ArgOf<K[I], I extends "0" ? T : NoInfer<T>, U>;
};
/** Arguments of a row; further results are omitted if there are none. */
type AllArgsOf<
  K extends readonly OperandSpec[],
  T extends TypeName,
  U extends TypeName,
> = K extends readonly [...infer Front extends readonly OperandSpec[], "Further"]
  ? [...ArgsOf<Front, T, U>, further?: readonly Value[]]
  : ArgsOf<K, T, U>;
type SameWidthType<T> = T extends "Int32"
  ? "Float"
  : T extends "Int64"
    ? "Double"
    : T extends "Float"
      ? "Int32"
      : "Int64";
type ResultOf<R, T extends TypeName> = Value<
  R extends "T" ? T : R extends "Bits" ? SameWidthType<T> : R extends TypeName ? R : ValueTypeName
>;
// Rows whose T occurs only in the result take the type as their first argument.
type TypeArgument<O extends OpcodeName> = "T" extends SpecOf<O>["args"][number]
  ? []
  : SpecOf<O>["result"] extends "T"
    ? [type: Type]
    : [];

/** The typed methods: `b.Add(x, y)`, `b.Load(Int32, address, 8)`, `b.Const32([5, 0])`. */
type EmitMethods = {
  readonly [O in OpcodeName]: <T extends OverTypes<O>, U extends AlsoTypes<O>>(
    ...args: [...TypeArgument<O>, ...AllArgsOf<SpecOf<O>["args"], T, U>]
  ) => ResultOf<SpecOf<O>["result"], T>;
};

export type EmitArgument =
  | Value
  | BasicBlock
  | StackSlot
  | Snapshot
  | HostFunction
  | SwitchOperand
  | Procedure
  | readonly Value[]
  | WordPair
  | string
  | number;

interface MethodTarget {
  readonly append: (opcode: Opcode, args: readonly (EmitArgument | Type)[]) => Value;
}

// The methods of all builders. Making a closure for each row in every builder would take longer than building most
// programs.
const METHODS = Object.fromEntries(
  ALL_OPCODES.map((opcode) => [
    nameOfOpcode(opcode),
    function (this: MethodTarget, ...args: (EmitArgument | Type)[]): Value {
      return this.append(opcode, args);
    },
  ]),
);

export class Builder {
  readonly proc: Procedure;
  block: BasicBlock;
  /** The typed methods. */
  readonly emit: EmitMethods;

  constructor(proc: Procedure) {
    this.proc = proc;
    this.block = proc.blocks[0] ?? proc.newBlock();
    const appending: MethodTarget = { append: (opcode, args) => this.append(opcode, args) };
    // The cast makes the table typed: one method per row, with the row's own signature.
    this.emit = Object.assign(Object.create(METHODS), appending) as EmitMethods;
  }

  /** Makes a block and continues there. */
  startBlock(): BasicBlock {
    this.block = this.proc.newBlock();
    return this.block;
  }

  /**
   * Appends a value of any row, for code that iterates over the table. If the opcode is known, `emit` checks the
   * arguments.
   */
  append(opcode: Opcode, args: readonly (EmitArgument | Type)[]): Value {
    const value = makeValue(this.proc, opcode, args);
    this.block.append(value);
    for (const arg of args) this.addSuccessors(arg);
    return value;
  }

  private addSuccessors(arg: EmitArgument | Type): void {
    const { successors } = this.block;
    if (arg instanceof BasicBlock) successors.push(arg);
    else if (typeof arg === "object" && "otherwise" in arg) {
      for (const [, target] of arg.cases) successors.push(target);
      successors.push(arg.otherwise);
    }
  }
}

function makeValue(
  proc: Procedure,
  opcode: Opcode,
  given: readonly (EmitArgument | Type)[],
): Value {
  const spec = specOf(opcode);
  const takesType = spec.result === "T" && !spec.args.includes("T");
  const args = takesType ? given.slice(1) : given;
  const value = proc.newValue(opcode, Void);
  spec.args.forEach((kind, i) => setOperand(value, kind, args[i]));
  const first = value.a?.type ?? Void;
  if (spec.result === "Kind") value.type = value.patchpoint?.result ?? Void;
  else if (spec.result === "Callee") value.type = calleeOf(value)?.result ?? Void;
  else if (takesType)
    value.type = given[0] as Type; // the typed methods pass the type first
  else if (spec.result === "Further")
    value.type = value.a === null ? Void : (furtherOf(value.a)[value.resultIndex - 1] ?? Void);
  else if (spec.result === "Bits") value.type = otherBank(first);
  else if (spec.result === "T") value.type = spec.args[0] === "U" ? (value.b?.type ?? Void) : first;
  else value.type = typeOfName(spec.result);
  return value;
}

function calleeOf(call: Value): HostFunction | Procedure | undefined {
  return call.host ?? call.procedure ?? reachedProcedures(call)[0];
}

function setOperand(value: Value, kind: OperandSpec, arg: EmitArgument | Type | undefined): void {
  if (isValueOperand(kind)) {
    if (kind === "T" && arg === undefined) return; // Return without operand
    assert(arg instanceof Value, () => `operand of type ${kind} is missing`);
    if (value.a === null) value.a = arg;
    else if (value.b === null) value.b = arg;
    else value.c = arg;
    return;
  }
  const isNamed = arg instanceof Value || arg instanceof StackSlot || arg instanceof Snapshot;
  if (isNamed || arg instanceof Procedure) {
    value.extra = arg;
  } else if (typeof arg === "number") {
    value.immediate0 = arg;
  } else if (typeof arg === "string") {
    const found = patchpointNamed(arg);
    assert(found !== null, () => `there is no kind of patchpoint named '${arg}'`);
    value.patchpointKind = found.index;
  } else if (Array.isArray(arg)) {
    if (kind === "Rest") value.rest = arg.slice();
    else if (kind === "Further") [value.b = null, value.c = null] = arg;
    else [value.constantLow, value.constantHigh] = arg;
  } else if (arg !== undefined && "apply" in arg) {
    if (kind === "DeoptHost") value.hostIndex = arg.index;
    else value.extra = arg;
  } else if (arg !== undefined && "otherwise" in arg) {
    const keys = arg.cases.map(([key]) => key);
    value.extra = new SwitchCases(
      keys.map(([lo]) => lo),
      keys.map(([, hi]) => hi),
    );
  }
}
