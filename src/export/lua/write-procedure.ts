// Writes one procedure of the language as one Lua function: a label and a Lua block for each block.
// A jump along a back edge is in the function's own scope, since LuaJIT recognizes loops only
// there.

import type { HostFunction } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, nameOfOpcode, Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { type HomeTable, LUA_HOMES } from "../home-forms.js";
import type { LinkedProgram } from "../linked-program.js";
import { NUMBER_RESULTS } from "../opcode-rows.js";
import { GotoWriter, goTo, type LanguageNotation, startOfHost } from "../statements.js";
import { isNumber, literal } from "./literals.js";
import { accessOf, rowOf } from "./opcode-rows.js";
import { assignLocations, type LuaLocations } from "./places.js";
import { PADDING_BYTES } from "./runtime.js";

export const NOTATION: LanguageNotation = {
  end: "",
  open: "do",
  close: "end",
  pointer: (name) => `local ${name}`,
  variable: (_type, name) => `local ${name}`,
  literal,
  index: (number) => `${number}LL`,
  heapBase: "BASE",
  accessOf,
  reserve: "reserve",
  copy: "copybytes",
  finish: "finish",
  returns: (result) => (result === null ? "do return end" : `do return ${result} end`),
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

/** Locals of each function: the program's heap, and a table of the values that have no local. */
const HEAP = "heap";
const TABLE = "t";

class ProcedureWriter extends GotoWriter {
  private readonly places: LuaLocations;

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean) {
    super(NOTATION, proc, names, isFlagged);
    this.places = assignLocations(proc, this.exits, TABLE, names.form);
  }

  /** @param before the first statements of the body */
  write(before: readonly string[]): string {
    const { proc, names, places } = this;
    const takes = proc.parameters.map(({ id }) => `v${id}`);
    if (this.isFlagged) takes.push("flag");
    this.line(`local ${HEAP}, ${TABLE} = ${names.heap}, {}`);
    if (places.functionLocals.length > 0) this.line(`local ${places.functionLocals.join(", ")}`);
    for (const { id, size } of proc.slots)
      this.line(`${this.slot(id)} = new("uint8_t[${size + PADDING_BYTES}]")`);
    this.lines.push(...before);
    // An Upsilon may be in a block that never reaches its Phi, and a Phi may be reached without its
    // Upsilon.
    for (const phi of proc.blocks.flatMap(({ values }) => values)) {
      if (phi.opcode !== Op.Phi) continue;
      this.line(`${places.shadowOf(phi)} = ${this.made(phi, literal(phi.type, 0, 0))}`);
    }
    for (const block of proc.blocks) this.writeBlock(block);
    return `function ${names.functionOf(proc)}(${takes.join(", ")})\n${this.lines.join("\n")}\nend\n`;
  }

  private writeBlock(block: BasicBlock): void {
    this.lines.push(`::L${block.id}::`, "  do");
    const locals = this.places.blockLocals.get(block) ?? [];
    if (locals.length > 0) this.line(`local ${locals.join(", ")}`);
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
    this.line("end");
    this.writeLast(block);
  }

  protected override heap(): string {
    return HEAP;
  }

  protected override nameOf(value: Value): string {
    return this.places.nameOf(value);
  }

  protected override shadowOf(phi: Value): string {
    return this.places.shadowOf(phi);
  }

  protected override slot(id: number): string {
    return this.places.nameOfSlot(id);
  }

  protected override homes(): HomeTable {
    return LUA_HOMES;
  }

  /** The result contains the array, so that the array is not collected. */
  protected override keptAddress(slot: string, at: string): string {
    return `{ ${slot}, ${at} }`;
  }

  protected override computed(value: Value): string {
    const row = rowOf(value.opcode, value.a?.type ?? Void, this.names.form);
    return this.substituted(row, value, (operand) => this.number(operand));
  }

  /** Returns the Lua number of a Float or Double. */
  private number(value: Value | null): string {
    const text = this.operand(value);
    const isKnown = value !== null && NUMBER_RESULTS.has(nameOfOpcode(value.opcode));
    const isConstant = value !== null && (EFFECTS[value.opcode] & CONSTANT) !== 0;
    return isKnown || (isConstant && isNumber(value.type, text)) ? text : `num(${text})`;
  }

  protected override callOfAddress({ a }: Value, args: readonly string[]): string {
    return `${this.names.prefix}at[tonumber(${this.operand(a)})](${args.join(", ")})`;
  }

  protected override writeBranch(block: BasicBlock): void {
    const { blocks } = this.proc;
    const [taken, missed] = block.successors;
    const isBack = blocks.indexOf(taken) <= blocks.indexOf(block);
    const [inner, outer] = isBack ? [missed, taken] : [taken, missed];
    const sign = isBack ? "==" : "~=";
    this.line(`if ${this.operand(block.last.a)} ${sign} 0 then ${goTo(inner)} end`);
    this.line(goTo(outer));
  }

  protected override writeSwitch(block: BasicBlock): void {
    for (const { key, go } of this.casesOf(block)) {
      this.line(key === null ? go : `if ${this.operand(block.last.a)} == ${key} then ${go} end`);
    }
  }
}
