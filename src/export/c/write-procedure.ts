// One procedure of the language as one C function: a variable for each value, a label for each block. An
// address in a stack slot is its distance from the slot's start, since each access belongs to one slot.

import { type HostFunction, isObservable } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../../ir/opcodes.js";
import {
  type BasicBlock,
  givenType,
  type Procedure,
  reachedProcedures,
  type Slot,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isWide,
  nameOfType,
  type Type,
  Void,
} from "../../ir/types.js";
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
import { accessOf, rowOf } from "./opcode-rows.js";

/** By type. */
const C_TYPES: readonly string[] = ["void", "uint32_t", "uint64_t", "float", "double"];

/** The name of a procedure with what it takes and gives, as a declaration has it. */
export function headOf(proc: Procedure, names: LinkedProgram, isFlagged = names.isFlagged): string {
  const parameters = proc.parameters.map(({ id, type }) => `${C_TYPES[type]} v${id}`);
  if (isFlagged) parameters.push("uint32_t flag");
  const takes = parameters.length === 0 ? "void" : parameters.join(", ");
  return `static ${C_TYPES[proc.result]} ${names.functionOf(proc)}(${takes})`;
}

/** @param proc expanded; it is changed in place */
export function writeProcedure(proc: Procedure, names: LinkedProgram): string {
  return functionOf(proc, names, names.isFlagged, []);
}

export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  return functionOf(proc, names, false, eventRecord(host, proc));
}

/** @param before statements that come first */
function functionOf(
  proc: Procedure,
  names: LinkedProgram,
  isFlagged: boolean,
  before: readonly string[],
): string {
  const head = headOf(proc, names, isFlagged);
  const writer = new ProcedureWriter(proc, names, isFlagged);
  return `${head} {\n${[...writer.declarations(), ...before, ...writer.blocks()].join("\n")}\n}\n`;
}

class ProcedureWriter {
  private readonly proc: Procedure;
  private readonly names: LinkedProgram;
  private readonly isFlagged: boolean;
  private readonly exits: Exits;
  private readonly slotOfAddress: Int32Array;
  private readonly lines: string[] = [];

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean) {
    this.proc = proc;
    this.names = names;
    this.isFlagged = isFlagged;
    this.exits = leaveByBlocks(proc);
    this.slotOfAddress = addressSlots(proc);
  }

  declarations(): string[] {
    const lines = this.proc.slots.map(({ id, size }) => `  uint8_t slot${id}[${size}] = { 0 };`);
    for (const { values } of this.proc.blocks) {
      for (const { id, type, opcode } of values) {
        if (type === Void || (EFFECTS[opcode] & CONSTANT) !== 0) continue;
        lines.push(`  ${C_TYPES[type]} v${id};`);
        // An Upsilon may stand where its Phi is not reached from, and the other way round.
        if (opcode === Op.Phi) lines.push(`  ${C_TYPES[type]} phi${id} = 0;`);
      }
    }
    return lines;
  }

  blocks(): readonly string[] {
    for (const block of this.proc.blocks) {
      this.lines.push(`L${block.id}:;`);
      for (const value of block.values) if (value !== block.last) this.writeValue(value);
      this.writeLast(block);
    }
    return this.lines;
  }

  private line(text: string): void {
    this.lines.push(`  ${text}`);
  }

  // Values.

  private writeValue(value: Value): void {
    const { opcode, id, a } = value;
    const effects = EFFECTS[opcode];
    if (opcode === Op.Nop || (effects & CONSTANT) !== 0) return;
    if (opcode === Op.Upsilon) {
      const isRead = value.phi.block !== null && this.proc.blocks.includes(value.phi.block);
      if (isRead) this.line(`phi${value.phi.id} = ${this.operand(a)};`);
    } else if (opcode === Op.Phi) this.line(`v${id} = phi${id};`);
    else if ((effects & WRITES_MEMORY) !== 0) {
      const access = accessOf(opcode, a?.type ?? Void);
      this.line(`${access}(${this.address(value)}, ${this.operand(a)});`);
    } else if ((effects & READS_MEMORY) !== 0) {
      this.line(`v${id} = ${accessOf(opcode, value.type)}(${this.address(value)});`);
    } else if (opcode === Op.CopyBytes) {
      const [to, from] = [this.heapPlace(this.operand(a)), this.heapPlace(this.operand(value.b))];
      // Of 0 bytes the addresses may be any.
      this.line(
        `if (${this.operand(value.c)} != 0) memmove(${to}, ${from}, ${this.operand(value.c)});`,
      );
    } else if (opcode === Op.FillBytes) {
      const [to, size] = [this.heapPlace(this.operand(value.b)), this.operand(value.c)];
      this.line(`if (${size} != 0) memset(${to}, (int)(${this.operand(a)} & 255), ${size});`);
    } else if (opcode === Op.CCall || opcode === Op.CallIndirect) {
      this.line(`${value.type === Void ? "" : `v${id} = `}${this.call(value)};`);
    } else {
      const operands = [a, value.b, value.c];
      const row = rowOf(opcode, a?.type ?? Void);
      this.line(`v${id} = ${row.replace(/\$(\d)/g, (_, n) => this.operand(operands[Number(n)]))};`);
    }
  }

  /** A name or a constant. */
  private operand(value: Value | null): string {
    assert(value !== null, () => `${this.proc.name}: an operand is missing`);
    const { opcode, type, lo, hi, procedure } = value;
    if ((EFFECTS[opcode] & CONSTANT) === 0) return `v${value.id}`;
    if (opcode === Op.SlotBase) return "UINT64_C(0)";
    if (opcode === Op.FunctionAddress && procedure !== null) {
      return `(uint64_t)(uintptr_t)&${this.names.functionOf(procedure)}`;
    }
    return literal(type, lo, hi);
  }

  private address(access: Value): string {
    const slot = this.slotOfAddress[access.address.id];
    const at = `${this.operand(access.address)} + ${literal(Int64, access.lo, access.lo >> 31)}`;
    return slot === NO_SLOT ? this.heapPlace(at) : `slot${this.proc.slots[slot].id} + (${at})`;
  }

  private heapPlace(at: string): string {
    return `${this.names.heap} + (${at} - T_HEAP_BASE)`;
  }

  private call(call: Value): string {
    const { host, procedure, rest, a } = call;
    const args = (rest ?? []).map((arg) => this.operand(arg));
    if (host !== null) return `${this.names.hostFunction(host)}(${args.join(", ")})`;
    if (this.isFlagged) args.push("1");
    if (procedure !== null) return `${this.names.functionOf(procedure)}(${args.join(", ")})`;
    const [target] = reachedProcedures(call);
    const takes = target.parameters.map(({ type }) => C_TYPES[type]);
    if (this.isFlagged) takes.push("uint32_t");
    const type = `${C_TYPES[target.result]} (*)(${takes.length === 0 ? "void" : takes.join(", ")})`;
    return `((${type})(uintptr_t)${this.operand(a)})(${args.join(", ")})`;
  }

  // Control.

  private writeLast(block: BasicBlock): void {
    const { last, successors } = block;
    const snapshot = this.exits.get(block);
    if (snapshot !== undefined) this.writeExit(snapshot);
    else if (last.opcode === Op.Jump) this.line(`goto L${successors[0].id};`);
    else if (last.opcode === Op.Branch) {
      this.line(`if (${this.operand(last.a)}) goto L${successors[0].id};`);
      this.line(`goto L${successors[1].id};`);
    } else if (last.opcode === Op.Switch) this.writeSwitch(block);
    else if (last.opcode === Op.Return) {
      this.line(last.a === null ? "return;" : `return ${this.operand(last.a)};`);
    } else this.line(`t_finish(${OOPS});`);
  }

  private writeSwitch({ last, successors }: BasicBlock): void {
    const { cases, a } = last;
    this.line(`switch (${this.operand(a)}) {`);
    for (let k = 0; k < cases.count; k++) {
      const key = literal(a?.type ?? Int32, cases.lo[k], cases.hi[k]);
      this.line(`case ${key}: goto L${successors[k].id};`);
    }
    this.line(`default: goto L${successors[cases.count].id};`);
    this.line("}");
  }

  // Exits; see observation.ts.

  private writeExit(snapshot: Snapshot): void {
    const { names, proc } = this;
    const bytes = exitRecordBytes(snapshot);
    this.line("{");
    this.line(`uint8_t *r = t_reserve(${bytes} + ${names.heapSize});`);
    this.line(`t_store_Int32(r, ${EXIT}u${this.isFlagged ? " + flag" : ""});`);
    this.line(`t_store_Int32(r + 4, ${names.positionOf(proc)}u);`);
    this.line(`t_store_Int32(r + 8, ${proc.snapshots.indexOf(snapshot)}u);`);
    for (const part of exitParts(snapshot))
      this.line(showPart(part, (value) => this.operand(value)));
    this.line(`memcpy(r + ${bytes}, ${names.heap}, ${names.heapSize});`);
    this.continueExit(snapshot);
    this.line("}");
  }

  private continueExit({ exit, frames }: Snapshot): void {
    const { names } = this;
    const continuations = names.continuationsOf(exit);
    if (continuations.length === 0) {
      this.line(`t_finish(${ENDED});`);
      return;
    }
    let inner: string | null = null;
    continuations.forEach((continuation, f) => {
      const args = frames[f].slots.flatMap((slot) => this.given(slot));
      if (inner !== null) args.push(inner);
      const call = `${names.functionOf(continuation)}(${[...args, "0"].join(", ")})`;
      const { result } = continuation;
      inner = result === Void ? null : `inner${f}`;
      this.line(inner === null ? `${call};` : `${C_TYPES[result]} ${inner} = ${call};`);
      for (const text of returnRecord(continuation, names, inner)) this.line(text);
    });
    this.line(inner === null ? "return;" : `return ${inner};`);
  }

  /** What a continuation is given for the slot: nothing or one argument. */
  private given(slot: Slot): string[] {
    if (givenType(slot) === Void) return [];
    if (slot.kind === "value") return [this.operand(slot.value)];
    return slot.kind === "constant" ? [literal(slot.type, slot.lo, slot.hi)] : [];
  }
}

/** A statement that puts the part into the record `r`. */
function showPart(part: Part, nameOf: (value: Value) => string): string {
  if ("slot" in part) return `memcpy(r + ${part.at}, slot${part.slot.id}, ${part.slot.size});`;
  const { at, value } = part;
  return `t_store_${nameOfType(value.type)}(r + ${at}, ${nameOf(value)});`;
}

/** Statements that record a call with its arguments; nothing for a function that is not observed. */
function eventRecord(host: HostFunction, { parameters }: Procedure): string[] {
  if (!isObservable(host)) return [];
  return [
    "  {",
    `  uint8_t *r = t_reserve(${eventRecordBytes(parameters)});`,
    `  t_store_Int32(r, ${EVENT}u);`,
    `  t_store_Int32(r + 4, ${host.index}u);`,
    ...eventParts(parameters).map((part) => `  ${showPart(part, ({ id }) => `v${id}`)}`),
    "  }",
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
    "{",
    `uint8_t *q = t_reserve(${bytes} + ${names.heapSize});`,
    `t_store_Int32(q, ${RETURN}u);`,
    `t_store_Int32(q + 4, ${names.positionOf(proc)}u);`,
    result === null ? "" : `t_store_${nameOfType(proc.result)}(q + 8, ${result});`,
    `memcpy(q + ${bytes}, ${names.heap}, ${names.heapSize});`,
    "}",
  ];
}

/** A constant by its bits. */
function literal(type: Type, lo: number, hi: number): string {
  const low = (lo >>> 0).toString(16);
  const bits = isWide(type)
    ? `UINT64_C(0x${(hi >>> 0).toString(16)}${low.padStart(8, "0")})`
    : `0x${low}u`;
  return type === Float ? `t_float(${bits})` : type === Double ? `t_double(${bits})` : bits;
}
