// One procedure of the language as one Lua function: a block of Lua for each block, and a label in front of it. Where an
// edge goes back, the jump stands in the function's own scope, since LuaJIT takes only such a one for a loop. An
// address in a stack slot is its distance from the slot's start, since each access belongs to one slot.

import { type HostFunction, isObservable } from "../../ir/host-functions.js";
import {
  CONSTANT,
  EFFECTS,
  nameOfOpcode,
  Op,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import {
  type BasicBlock,
  givenType,
  type Procedure,
  type Slot,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { type Exits, leaveByBlocks } from "../leave-by-blocks.js";
import type { LinkedProgram } from "../linked-program.js";
import {
  EVENT,
  EXIT,
  eventParts,
  eventRecordBytes,
  exitParts,
  exitRecordBytes,
  type Part,
  RETURN,
  returnRecordBytes,
} from "../observation.js";
import { addressSlots, NO_SLOT } from "../slots.js";
import { ENDED, OOPS } from "../status.js";
import { isNumber, literal } from "./literals.js";
import { accessOf, MAKES_NUMBER, rowOf } from "./opcode-rows.js";
import { type Places, placesOf } from "./places.js";

/** @param proc expanded; it is changed in place */
export function writeProcedure(proc: Procedure, names: LinkedProgram): string {
  return new ProcedureWriter(proc, names, names.isFlagged).write([]);
}

export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  return new ProcedureWriter(proc, names, false).write(eventRecord(host, proc));
}

const TABLE = "t";

class ProcedureWriter {
  private readonly proc: Procedure;
  private readonly names: LinkedProgram;
  private readonly isFlagged: boolean;
  private readonly exits: Exits;
  private readonly slotOfAddress: Int32Array;
  private readonly places: Places;
  private readonly lines: string[] = [];

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean) {
    this.proc = proc;
    this.names = names;
    this.isFlagged = isFlagged;
    this.exits = leaveByBlocks(proc);
    this.slotOfAddress = addressSlots(proc);
    this.places = placesOf(proc, this.exits, TABLE);
  }

  /** @param before statements that come first */
  write(before: readonly string[]): string {
    const { proc, names, places } = this;
    const takes = proc.parameters.map(({ id }) => `v${id}`);
    if (this.isFlagged) takes.push("flag");
    this.line(`local heap, ${TABLE} = ${names.heap}, {}`);
    for (const { id, size } of proc.slots) this.line(`local slot${id} = new("uint8_t[${size}]")`);
    if (places.functionLocals.length > 0) this.line(`local ${places.functionLocals.join(", ")}`);
    this.lines.push(...before);
    // An Upsilon may stand where its Phi is not reached from, and the other way round.
    for (const phi of proc.blocks.flatMap(({ values }) => values)) {
      if (phi.opcode === Op.Phi) this.line(`${places.shadowOf(phi)} = ${literal(phi.type, 0, 0)}`);
    }
    proc.blocks.forEach((block, position) => {
      this.writeBlock(block, position);
    });
    return `function ${names.functionOf(proc)}(${takes.join(", ")})\n${this.lines.join("\n")}\nend\n`;
  }

  private line(text: string): void {
    this.lines.push(`  ${text}`);
  }

  private writeBlock(block: BasicBlock, position: number): void {
    this.lines.push(`::L${block.id}::`, "  do");
    const locals = this.places.blockLocals.get(block) ?? [];
    if (locals.length > 0) this.line(`local ${locals.join(", ")}`);
    for (const value of block.values) if (value !== block.last) this.writeValue(value);
    this.line("end");
    this.writeLast(block, position);
  }

  // Values.

  private writeValue(value: Value): void {
    const { opcode, a } = value;
    const effects = EFFECTS[opcode];
    const name = this.places.nameOf(value);
    if (opcode === Op.Nop || (effects & CONSTANT) !== 0) return;
    if (opcode === Op.Upsilon) {
      const isRead = value.phi.block !== null && this.proc.blocks.includes(value.phi.block);
      if (isRead) this.line(`${this.places.shadowOf(value.phi)} = ${this.operand(a)}`);
    } else if (opcode === Op.Phi) this.line(`${name} = ${this.places.shadowOf(value)}`);
    else if ((effects & WRITES_MEMORY) !== 0) {
      const access = accessOf(opcode, a?.type ?? Void);
      this.line(`${access}(${this.address(value)}, ${this.operand(a)})`);
    } else if ((effects & READS_MEMORY) !== 0) {
      this.line(`${name} = ${accessOf(opcode, value.type)}(${this.address(value)})`);
    } else if (opcode === Op.CopyBytes) {
      const [to, from] = [this.heapPlace(this.operand(a)), this.heapPlace(this.operand(value.b))];
      this.line(`copybytes(${to}, ${from}, ${this.operand(value.c)})`);
    } else if (opcode === Op.FillBytes) {
      const [to, size] = [this.heapPlace(this.operand(value.b)), this.operand(value.c)];
      this.line(`fillbytes(${to}, ${size}, ${this.operand(a)})`);
    } else if (opcode === Op.CCall || opcode === Op.CallIndirect) {
      this.line(`${value.type === Void ? "" : `${name} = `}${this.call(value)}`);
    } else this.line(`${name} = ${this.computed(value)}`);
  }

  private computed({ opcode, a, b, c }: Value): string {
    const operands = [a, b, c];
    return rowOf(opcode, a?.type ?? Void).replace(/([$#])(\d)/g, (_, kind, n) => {
      const operand = operands[Number(n)];
      return kind === "#" ? this.number(operand) : this.operand(operand);
    });
  }

  /** The number that a Float or Double is. */
  private number(value: Value | null): string {
    const text = this.operand(value);
    const isKnown = value !== null && MAKES_NUMBER.has(nameOfOpcode(value.opcode));
    const isConstant = value !== null && (EFFECTS[value.opcode] & CONSTANT) !== 0;
    return isKnown || (isConstant && isNumber(value.type, text)) ? text : `num(${text})`;
  }

  /** A name or a constant. */
  private operand(value: Value | null): string {
    assert(value !== null, () => `${this.proc.name}: an operand is missing`);
    const { opcode, type, lo, hi, procedure } = value;
    if ((EFFECTS[opcode] & CONSTANT) === 0) return this.places.nameOf(value);
    if (opcode === Op.SlotBase) return "0LL";
    if (opcode === Op.FunctionAddress && procedure !== null) {
      return `${this.names.positionOf(procedure)}LL`;
    }
    return literal(type, lo, hi);
  }

  private address(access: Value): string {
    const slot = this.slotOfAddress[access.address.id];
    const at = `${this.operand(access.address)} + ${literal(Int64, access.lo, access.lo >> 31)}`;
    return slot === NO_SLOT ? this.heapPlace(at) : `slot${this.proc.slots[slot].id} + (${at})`;
  }

  private heapPlace(at: string): string {
    return `heap + (${at} - BASE)`;
  }

  private call({ host, procedure, rest, a }: Value): string {
    const args = (rest ?? []).map((arg) => this.operand(arg));
    if (host !== null) return `${this.names.hostFunction(host)}(${args.join(", ")})`;
    if (this.isFlagged) args.push("1");
    const target =
      procedure === null
        ? `${this.names.prefix}at[tonumber(${this.operand(a)})]`
        : this.names.functionOf(procedure);
    return `${target}(${args.join(", ")})`;
  }

  // Control.

  private writeLast(block: BasicBlock, position: number): void {
    const { last, successors } = block;
    const snapshot = this.exits.get(block);
    if (snapshot !== undefined) this.writeExit(snapshot);
    else if (last.opcode === Op.Jump) this.line(`goto L${successors[0].id}`);
    else if (last.opcode === Op.Branch) {
      const isBack = this.proc.blocks.indexOf(successors[0]) <= position;
      const [inner, outer] = isBack ? [successors[1], successors[0]] : successors;
      const sign = isBack ? "==" : "~=";
      this.line(`if ${this.operand(last.a)} ${sign} 0 then goto L${inner.id} end`);
      this.line(`goto L${outer.id}`);
    } else if (last.opcode === Op.Switch) this.writeSwitch(block);
    else if (last.opcode === Op.Return) {
      this.line(last.a === null ? "do return end" : `do return ${this.operand(last.a)} end`);
    } else this.line(`finish(${OOPS})`);
  }

  private writeSwitch({ last, successors }: BasicBlock): void {
    const { cases, a } = last;
    for (let k = 0; k < cases.count; k++) {
      const key = literal(a?.type ?? Int32, cases.lo[k], cases.hi[k]);
      this.line(`if ${this.operand(a)} == ${key} then goto L${successors[k].id} end`);
    }
    this.line(`goto L${successors[cases.count].id}`);
  }

  // Exits; see observation.ts.

  private writeExit(snapshot: Snapshot): void {
    const { names, proc } = this;
    const bytes = exitRecordBytes(snapshot);
    this.line("do");
    this.line(`local q = reserve(${bytes + names.heapSize})`);
    this.line(`store32(q, ${EXIT}${this.isFlagged ? " + flag" : ""})`);
    this.line(`store32(q + 4, ${names.positionOf(proc)})`);
    this.line(`store32(q + 8, ${proc.snapshots.indexOf(snapshot)})`);
    for (const part of exitParts(snapshot)) {
      this.line(showPart(part, (value) => this.operand(value)));
    }
    this.line(`copy(q + ${bytes}, heap, ${names.heapSize})`);
    this.continueExit(snapshot);
    this.line("end");
  }

  private continueExit({ exit, frames }: Snapshot): void {
    const { names } = this;
    const continuations = names.continuationsOf(exit);
    if (continuations.length === 0) {
      this.line(`finish(${ENDED})`);
      return;
    }
    let inner: string | null = null;
    continuations.forEach((continuation, f) => {
      const args = frames[f].slots.flatMap((slot) => this.given(slot));
      if (inner !== null) args.push(inner);
      const call = `${names.functionOf(continuation)}(${[...args, "0"].join(", ")})`;
      inner = continuation.result === Void ? null : `inner${f}`;
      this.line(inner === null ? call : `local ${inner} = ${call}`);
      for (const text of returnRecord(continuation, names, inner)) this.line(text);
    });
    this.line(inner === null ? "return" : `return ${inner}`);
  }

  /** What a continuation is given for the slot: nothing or one argument. */
  private given(slot: Slot): string[] {
    if (givenType(slot) === Void) return [];
    if (slot.kind === "value") return [this.operand(slot.value)];
    return slot.kind === "constant" ? [literal(slot.type, slot.lo, slot.hi)] : [];
  }
}

/** A statement that puts the part into the record `q`. */
function showPart(part: Part, nameOf: (value: Value) => string): string {
  if ("slot" in part) return `copy(q + ${part.at}, slot${part.slot.id}, ${part.slot.size})`;
  const { at, value } = part;
  return `${accessOf(Op.Store, value.type)}(q + ${at}, ${nameOf(value)})`;
}

/** Statements that record a call with its arguments; nothing for a function that is not observed. */
function eventRecord(host: HostFunction, { parameters }: Procedure): string[] {
  if (!isObservable(host)) return [];
  return [
    "  do",
    `  local q = reserve(${eventRecordBytes(parameters)})`,
    `  store32(q, ${EVENT})`,
    `  store32(q + 4, ${host.index})`,
    ...eventParts(parameters).map((part) => `  ${showPart(part, ({ id }) => `v${id}`)}`),
    "  end",
  ];
}

/** Statements that record that a procedure has returned. */
export function returnRecord(
  proc: Procedure,
  names: LinkedProgram,
  result: string | null,
): string[] {
  const bytes = returnRecordBytes(proc.result);
  return [
    "do",
    `local q = reserve(${bytes + names.heapSize})`,
    `store32(q, ${RETURN})`,
    `store32(q + 4, ${names.positionOf(proc)})`,
    ...(result === null ? [] : [`${accessOf(Op.Store, proc.result)}(q + 8, ${result})`]),
    `copy(q + ${bytes}, ${names.heap}, ${names.heapSize})`,
    "end",
  ];
}
