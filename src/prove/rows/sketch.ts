// Builds and names the tiny programs whose lowering is proved.

import { Builder, type EmitArgument } from "../../ir/builder.js";
import { FENCES } from "../../ir/fences.js";
import { hasAttribute, nameOfOpcode, Op, type OpcodeName } from "../../ir/opcodes.js";
import {
  type BasicBlock,
  Module,
  Procedure,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Float, Int32, nameOfType, type Type, Void } from "../../ir/types.js";
import { bitsOf, wordsOf } from "../../ir/words.js";

export interface RowProgram {
  /** The program as an expression. */
  readonly name: string;
  readonly module: Module;
  /** True if 64-bit values that are only moved are carried in two registers. */
  readonly halves: boolean;
}

/** Builds the program and returns its result, or null if it ends by itself. */
export type ProgramDraft = (s: ProgramSketch) => Value | null;

export class ProgramSketch {
  readonly proc: Procedure;
  readonly builder: Builder;
  private readonly named = new Map<string, Value>();

  constructor(result: Type) {
    this.proc = new Procedure("f", result);
    this.builder = new Builder(this.proc);
  }

  /** Returns the parameter of that name. Must be called before other values are made. */
  parameter(name: string, type: Type): Value {
    const value = this.named.get(name) ?? this.proc.newParameter(type);
    this.named.set(name, value);
    return value;
  }

  /** Makes an integer, or a float with these bits. */
  constant(type: Type, bits: bigint): Value {
    return this.op(CONSTANTS[type], wordsOf(type, bits));
  }

  op(name: OpcodeName, ...args: readonly (EmitArgument | Type)[]): Value {
    return this.builder.append(Op[name], args);
  }

  /** Makes a snapshot with all parameters. */
  snapshot(): Snapshot {
    const snapshot = this.proc.newSnapshot(1);
    const slots = this.proc.parameters.map((value) => ({ kind: "value" as const, value }));
    snapshot.frames.push({ name: "f", point: 1, slots });
    return snapshot;
  }

  /** Makes blocks that return 1, 2, ... */
  returning(count: number): BasicBlock[] {
    const { block } = this.builder;
    const blocks = Array.from({ length: count }, (_, k) => {
      const target = this.builder.startBlock();
      this.op("Return", this.constant(Int32, BigInt(k + 1)));
      return target;
    });
    this.builder.block = block;
    return blocks;
  }
}

const CONSTANTS: readonly OpcodeName[] = ["Nop", "Const32", "Const64", "ConstFloat", "ConstDouble"];

/** Returns the program of a draft; its result type is that of the returned value. */
export function programOf(draft: ProgramDraft, halves = false): RowProgram {
  const type = draft(new ProgramSketch(Void))?.type ?? Int32;
  const sketch = new ProgramSketch(type === Void ? Int32 : type);
  const returned = draft(sketch);
  if (returned !== null) {
    sketch.op("Return", type === Void ? sketch.constant(Int32, 7n) : returned);
  }
  const module = new Module();
  module.procedures.push(sketch.proc);
  return { name: nameOf(sketch.proc) + (halves ? ", in halves" : ""), module, halves };
}

/** Returns the program as an expression: every value with an effect, with its operands expanded. */
function nameOf(proc: Procedure): string {
  const lines: string[] = [];
  proc.countUses();
  for (const { values } of proc.blocks) {
    for (const value of values)
      if (value.type === Void || value.uses === 0) lines.push(textOf(value));
  }
  return lines.join("; ");
}

function textOf(value: Value): string {
  if (value.opcode === Op.Parameter)
    return `${nameOfType(value.type)} ${"xyzwuv"[value.parameterIndex]}`;
  const type = nameOfType(value.type);
  if (value.isConstant)
    return `${type} ${value.type >= Float ? `${value.constantHigh}:` : ""}${number(value)}`;
  const operands = [value.a, value.b, value.c].flatMap((x) => (x === null ? [] : [textOf(x)]));
  const shown = operands.length < 2 && value.type !== Void ? `.${type}` : "";
  if (hasAttribute(value.opcode, "Offset") && value.offset !== 0)
    operands.push(`offset ${value.offset}`);
  if (value.opcode === Op.Fence) operands.push(FENCES[value.fenceKind].name);
  return `${nameOfOpcode(value.opcode)}${shown}(${operands.join(", ")})`;
}

const number = (c: Value): bigint => bitsOf(c.type, c.constantLow, c.constantHigh);
