// Writes one procedure of the language as one JavaScript function: labelled blocks and loops, and a
// variable for each value.

import type { HostFunction } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Int64, type Type, Void } from "../../ir/types.js";
import type { LinkedProgram } from "../linked-program.js";
import { makeReducible } from "../make-reducible.js";
import {
  type LanguageNotation,
  recordOfReturn,
  StatementWriter,
  startOfHost,
} from "../statements.js";
import { type Construct, planOf, type Sink, structure } from "../structure.js";
import { knownNumbers } from "./known-numbers.js";
import { isNumber, literal } from "./literals.js";
import { accessOf, rowOf } from "./opcode-rows.js";

/** The notation; its accesses are those of records. */
const NOTATION: LanguageNotation = {
  end: ";",
  open: "{",
  close: "}",
  pointer: (name) => `const ${name}`,
  variable: (_type, name) => `const ${name}`,
  literal,
  index: (number) => `${number}n`,
  heapBase: "BASE",
  accessOf: (opcode, type) => accessOf(opcode, type).replace("store", "put"),
  reserve: "reserve",
  copy: "putbytes",
  finish: "finish",
  returns: (result) => (result === null ? "return" : `return ${result}`),
  prefix: "",
};

/** @param proc an expanded procedure, which is changed in place */
export function writeProcedure(proc: Procedure, names: LinkedProgram): string {
  return new ProcedureWriter(proc, names, names.isFlagged).write([]);
}

export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  const before = startOfHost(NOTATION, host, proc);
  return new ProcedureWriter(proc, names, false).write(before);
}

/** Returns statements that record that a procedure returned. */
export function returnRecord(
  proc: Procedure,
  names: LinkedProgram,
  result: string | null,
): string[] {
  return recordOfReturn(NOTATION, proc, names, result);
}

/** The local variable of the program's heap. */
const HEAP = "heap";

class ProcedureWriter extends StatementWriter implements Sink {
  private readonly numbers: ReadonlySet<Value>;
  /** The targets of the open constructs, the innermost last. */
  private readonly targets: { readonly label: string; readonly isLoop: boolean }[] = [];
  private labels = 0;
  /** The condition that the next `if` tests. */
  private tested = "";

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean) {
    super(NOTATION, proc, names, isFlagged);
    makeReducible(proc);
    this.numbers = knownNumbers(proc);
  }

  /** @param before the first statements of the body */
  write(before: readonly string[]): string {
    const { proc, names } = this;
    const takes = proc.parameters.map(({ id }) => `v${id}`);
    if (this.isFlagged) takes.push("flag");
    this.line(`const ${HEAP} = ${names.heap}`);
    for (const { id, size } of proc.slots)
      this.line(`const ${this.slot(id)} = new DataView(new ArrayBuffer(${size}))`);
    this.lines.push(...before);
    // An Upsilon may be in a block that never reaches its Phi, and a Phi may be reached without its
    // Upsilon.
    for (const phi of proc.blocks.flatMap(({ values }) => values)) {
      if (phi.opcode === Op.Phi)
        this.line(`var ${this.shadowOf(phi)} = ${literal(phi.type, 0, 0)}`);
    }
    structure(planOf(proc), this);
    const head = `function ${names.functionOf(proc)}(${takes.join(", ")})`;
    return `${head} {\n${this.lines.join("\n")}\n}\n`;
  }

  // The sink of the structure.

  begin({ kind }: Construct): void {
    const label = `L${this.labels++}`;
    this.targets.push({ label, isLoop: kind === "loop" });
    if (kind === "if") this.lines.push(`if (${this.tested}) {`);
    else this.lines.push(kind === "loop" ? `${label}: for (;;) {` : `${label}: {`);
  }

  // Variables have the Phis, so nothing is passed.
  enter(): void {}
  start(): void {}

  otherwise(): void {
    this.lines.push("} else {");
  }

  end(): void {
    this.targets.pop();
    this.lines.push("}");
  }

  jump(depth: number): void {
    this.line(this.jumpTo(depth));
  }

  straight(block: BasicBlock): void {
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
  }

  condition({ last }: BasicBlock, isNegated: boolean): void {
    const zero = last.a?.type === Int64 ? "0n" : "0";
    this.tested = `${this.operand(last.a)} ${isNegated ? "===" : "!=="} ${zero}`;
  }

  jumpIf(depth: number, from: BasicBlock, _: BasicBlock, isNegated: boolean): void {
    this.condition(from, isNegated);
    this.line(`if (${this.tested}) ${this.jumpTo(depth)}`);
  }

  table(block: BasicBlock, depths: readonly number[]): void {
    this.lines.push(`switch (${this.operand(block.last.a)}) {`);
    this.keysOf(block).forEach((key, k) => {
      const go = this.jumpTo(depths[k]);
      this.line(key === null ? `default: ${go}` : `case ${key}: ${go}`);
    });
    this.lines.push("}");
  }

  leave(block: BasicBlock): void {
    this.writeEnd(block);
  }

  private jumpTo(depth: number): string {
    const { label, isLoop } = this.targets[this.targets.length - 1 - depth];
    return `${isLoop ? "continue" : "break"} ${label}`;
  }

  // Values.

  protected override heap(): string {
    return HEAP;
  }

  protected override accessOf({ opcode }: Value, type: Type): string {
    return accessOf(opcode, type);
  }

  protected override inHeap(at: string): string {
    return `${HEAP}, Number(${at} - BASE)`;
  }

  protected override inSlot(slot: string, at: string): string {
    return `${slot}, Number(${at})`;
  }

  protected override nameOf({ id }: Value): string {
    return `v${id}`;
  }

  protected override declared(value: Value): string {
    return `var ${this.nameOf(value)}`;
  }

  protected override shadowOf({ id }: Value): string {
    return `p${id}`;
  }

  protected override slot(id: number): string {
    return `slot${id}`;
  }

  protected override keptAddress(slot: string, at: string): string {
    return `[${slot}, Number(${at})]`;
  }

  /** The address of a procedure is its position. */
  protected override addressOfProcedure(proc: Procedure): string {
    return NOTATION.index(this.names.positionOf(proc));
  }

  protected override computed(value: Value): string {
    const row = rowOf(value.opcode, value.a?.type ?? Void);
    return this.substituted(row, value, (operand) => this.number(operand));
  }

  /** Returns the number of a Float or Double. */
  private number(value: Value | null): string {
    const text = this.operand(value);
    const isConstant = value !== null && (EFFECTS[value.opcode] & CONSTANT) !== 0;
    const isKnown = value !== null && (isConstant ? isNumber(text) : this.numbers.has(value));
    return isKnown ? text : `num(${text})`;
  }

  protected override writeCopy(to: string, from: string, size: string): void {
    this.line(`copybytes(${to}, ${from}, ${size})`);
  }

  protected override writeFill(to: string, byte: string, size: string): void {
    this.line(`fillbytes(${to}, ${size}, ${byte})`);
  }

  /** A script has one thread. */
  protected override writeFence(): void {}

  protected override callOfAddress({ a }: Value, args: readonly string[]): string {
    return `${this.names.prefix}at[Number(${this.operand(a)})](${args.join(", ")})`;
  }
}
