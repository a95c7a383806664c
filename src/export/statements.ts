// Writes a procedure as one function of a language with statements and variables (C, Lua, JavaScript).
// An address in a stack slot is its distance from the slot's start, since each access belongs to
// one slot. A format provides the notation and writes the constructs that differ.

import { FENCES, type FenceRow } from "../ir/fences.js";
import { type HostFunction, isObservable, TAKEN_ADDRESS } from "../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op, type Opcode, READS_MEMORY, WRITES_MEMORY } from "../ir/opcodes.js";
import {
  type BasicBlock,
  type FrameSlot,
  type Procedure,
  parameterTypeFor,
  type Snapshot,
  type Value,
} from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { hasFormatBody, SET_DEOPT_FLAG } from "./answers.js";
import { variablesOf } from "./further-results.js";
import { type HomeTable, madeFrom, shapeOf } from "./home-forms.js";
import { type ExitBlocks, leaveByBlocks } from "./leave-by-blocks.js";
import type { LinkedProgram } from "./linked-program.js";
import {
  EVENT,
  EXIT,
  eventParts,
  eventRecordBytes,
  exitParts,
  exitRecordBytes,
  RETURN,
  returnRecordBytes,
} from "./observation.js";
import { addressSlots, NO_SLOT } from "./slots.js";
import { ENDED, OOPS } from "./status.js";

/** The notation of constructs that all these languages have. */
export interface LanguageNotation {
  /** The end of a statement. */
  readonly end: string;
  /** The delimiters of a block with its own variables. */
  readonly open: string;
  readonly close: string;
  /** Returns a declaration of a pointer into the records. */
  readonly pointer: (name: string) => string;
  readonly variable: (type: Type, name: string) => string;
  readonly literal: (type: Type, lo: number, hi: number) => string;
  /** Returns an integer in the form of an address. */
  readonly index: (number: number) => string;
  /** The address of the heap's first byte. */
  readonly heapBase: string;
  /** Returns the function that loads or stores a value of this type. */
  readonly accessOf: (opcode: Opcode, type: Type) => string;
  /** The functions that reserve space for a record, copy bytes into it and end the execution. */
  readonly reserve: string;
  readonly copy: string;
  readonly finish: string;
  /** Returns the statement that returns from a function; null: without a result. */
  readonly returns: (result: string | null) => string;
  /** The start of the names of the main program's functions. */
  readonly prefix: string;
}

export abstract class StatementWriter {
  protected readonly proc: Procedure;
  protected readonly names: LinkedProgram;
  protected readonly isFlagged: boolean;
  protected readonly exits: ExitBlocks;
  protected readonly lines: string[] = [];
  private readonly notation: LanguageNotation;
  private readonly slotOfAddress: Int32Array;

  /** @param isFlagged see LinkedProgram */
  constructor(
    notation: LanguageNotation,
    proc: Procedure,
    names: LinkedProgram,
    isFlagged: boolean,
  ) {
    this.notation = notation;
    this.proc = proc;
    this.names = names;
    this.isFlagged = isFlagged;
    this.exits = leaveByBlocks(proc, names.setsDeoptFlag(proc));
    this.slotOfAddress = addressSlots(proc);
  }

  /** The name of the heap in the function. */
  protected abstract heap(): string;
  protected abstract nameOf(value: Value): string;
  /** Returns the variable of a value at its assignment. */
  protected declared(value: Value): string {
    return this.nameOf(value);
  }

  /** Returns the variable that Upsilons write and the Phi reads. */
  protected abstract shadowOf(phi: Value): string;
  /** The shapes of values in variables, for forms that have them. */
  protected homes(): HomeTable {
    return [];
  }
  /** Returns the array of a stack slot. */
  protected abstract slot(id: number): string;
  /** Returns the address of a byte in a slot's array, in the form that host functions keep. */
  protected abstract keptAddress(slot: string, at: string): string;

  /** Returns the position of the procedure. */
  protected addressOfProcedure(proc: Procedure): string {
    return this.notation.index(this.names.positionOf(proc));
  }

  protected abstract computed(value: Value): string;

  protected writeCopy(to: string, from: string, size: string): void {
    this.line(`copybytes(${to}, ${from}, ${size})`);
  }

  protected writeFill(to: string, byte: string, size: string): void {
    this.line(`fillbytes(${to}, ${size}, ${byte})`);
  }

  /** Writes nothing for a language with one thread. */
  protected writeFence(_: FenceRow): void {}

  /** Returns a call of an address. */
  protected abstract callOfAddress(call: Value, args: readonly string[]): string;

  protected line(text: string): void {
    this.lines.push(`  ${text}${this.notation.end}`);
  }

  protected writeValue(value: Value): void {
    const { opcode, a, b, c } = value;
    const effects = EFFECTS[opcode];
    if (opcode === Op.Nop || (effects & CONSTANT) !== 0) return;
    if (opcode === Op.Upsilon) this.writeUpsilon(value);
    else if (opcode === Op.Fence) this.writeFence(FENCES[value.fenceKind]);
    else if ((effects & WRITES_MEMORY) !== 0) {
      const access = this.accessOf(value, a?.type ?? Void);
      this.line(`${access}(${this.address(value)}, ${this.operand(a)})`);
    } else if (opcode === Op.CopyBytes) {
      this.writeCopy(this.heapPlace(a), this.heapPlace(b), this.operand(c));
    } else if (opcode === Op.FillBytes) {
      this.writeFill(this.heapPlace(b), this.operand(a), this.operand(c));
    } else {
      const text = this.expressionOf(value);
      this.line(value.type === Void ? text : `${this.declared(value)} = ${this.made(value, text)}`);
      if (opcode === Op.CCall || opcode === Op.CallIndirect) this.afterCall();
    }
  }

  private writeUpsilon({ a, phi }: Value): void {
    const isRead = phi.block !== null && this.proc.blocks.includes(phi.block);
    if (isRead) this.line(`${this.shadowOf(phi)} = ${this.made(phi, this.operand(a))}`);
  }

  /** Returns what a variable of the value contains. */
  protected made(value: Value, text: string): string {
    const shape = shapeOf(this.homes(), this.names.form, value);
    return shape === undefined ? text : madeFrom(shape, text);
  }

  /** Returns the value that a variable contains. */
  protected taken(value: Value, variable: string): string {
    const shape = shapeOf(this.homes(), this.names.form, value);
    return shape?.take.replace("$", () => variable) ?? variable;
  }

  protected expressionOf(value: Value): string {
    const { opcode, type } = value;
    if (opcode === Op.Phi) return this.taken(value, this.shadowOf(value));
    if (opcode === Op.CCall || opcode === Op.CallIndirect) return this.call(value);
    if ((EFFECTS[opcode] & READS_MEMORY) === 0) return this.computed(value);
    return `${this.accessOf(value, type)}(${this.address(value)})`;
  }

  /**
   * Returns the function that loads or stores.
   * @param type the type of the loaded or stored value
   */
  protected accessOf({ opcode }: Value, type: Type): string {
    return this.notation.accessOf(opcode, type);
  }

  /** Returns the row with `$n` replaced by operands, and `#n` by the numbers of floating-point operands. */
  protected substituted(
    row: string,
    { a, b, c }: Value,
    number: (operand: Value | null) => string,
  ): string {
    const operands = [a, b, c];
    return row.replace(/([$#])(\d)/g, (_, kind, n) => {
      const operand = operands[Number(n)];
      return kind === "#" ? number(operand) : this.operand(operand);
    });
  }

  /** Returns a name or a constant. */
  protected operand(value: Value | null): string {
    assert(value !== null, () => `${this.proc.name}: an operand is missing`);
    const { opcode, type, procedure } = value;
    if ((EFFECTS[opcode] & CONSTANT) === 0) return this.taken(value, this.nameOf(value));
    if (opcode === Op.SlotBase) return this.notation.index(0);
    if (opcode === Op.FunctionAddress && procedure !== null)
      return this.addressOfProcedure(procedure);
    return this.notation.literal(type, value.constantLow, value.constantHigh);
  }

  /** Returns the address of a load or store. */
  protected address(access: Value): string {
    const slot = this.slotOfAddress[access.address.id];
    const offset = this.notation.literal(Int64, access.offset, access.offset >> 31);
    const at = `${this.operand(access.address)} + ${offset}`;
    return slot === NO_SLOT
      ? this.inHeap(at)
      : this.inSlot(this.slot(this.proc.slots[slot].id), at);
  }

  private heapPlace(address: Value | null): string {
    return this.inHeap(this.operand(address));
  }

  /** Returns the place of an address in the heap. */
  protected inHeap(at: string): string {
    return `${this.heap()} + (${at} - ${this.notation.heapBase})`;
  }

  /** Returns the place of a distance from the start of a slot. */
  protected inSlot(slot: string, at: string): string {
    return `${slot} + (${at})`;
  }

  private call(call: Value): string {
    const { host, procedure, rest } = call;
    const args = (rest ?? []).map((arg, i) =>
      host?.kept === "takes" && i === TAKEN_ADDRESS ? this.addressInSlot(arg) : this.operand(arg),
    );
    if (host !== null) return `${this.names.hostFunction(host)}(${args.join(", ")})`;
    if (this.isFlagged) args.push("1");
    return procedure === null ? this.callOfAddress(call, args) : this.callOf(procedure, args);
  }

  protected callOf(procedure: Procedure, args: readonly string[]): string {
    return `${this.names.functionOf(procedure)}(${args.join(", ")})`;
  }

  /** Follows each statement that calls a procedure or a host function. */
  protected afterCall(): void {}

  private addressInSlot(address: Value): string {
    const { id } = this.proc.slots[this.slotOfAddress[address.id]];
    return this.keptAddress(this.slot(id), this.operand(address));
  }

  // Control.

  /** Writes a terminator without successors. */
  protected writeEnd(block: BasicBlock): void {
    const { last } = block;
    const snapshot = this.exits.get(block);
    if (snapshot !== undefined) this.writeExit(snapshot);
    else if (last.opcode === Op.Return) {
      this.line(this.notation.returns(last.a === null ? null : this.operand(last.a)));
    } else this.line(`${this.notation.finish}(${OOPS})`);
  }

  /** Returns the key of each case of a Switch; that of the last case is null. */
  protected keysOf({ last, successors }: BasicBlock): (string | null)[] {
    const { cases, a } = last;
    return successors.map((_, k) =>
      k < cases.count ? this.notation.literal(a?.type ?? Int32, cases.lo[k], cases.hi[k]) : null,
    );
  }

  // Exits; see observation.ts.

  protected writeExit(snapshot: Snapshot): void {
    const { names, proc, notation } = this;
    const record = new RecordWriter(notation);
    const bytes = exitRecordBytes(snapshot);
    record.begin(bytes + names.heapSize);
    record.word(0, `${EXIT}${this.isFlagged ? " + flag" : ""}`);
    record.word(4, names.positionOf(proc));
    record.word(8, proc.snapshots.indexOf(snapshot));
    for (const part of exitParts(snapshot)) {
      if ("value" in part) record.value(part.at, part.value.type, this.operand(part.value));
      else record.bytes(part.at, this.slot(part.slot.id), part.slot.size);
    }
    record.bytes(bytes, names.heap, names.heapSize);
    this.lines.push(notation.open, ...record.statements);
    this.continueExit(snapshot);
    this.lines.push(notation.close);
  }

  private continueExit({ exit, frames }: Snapshot): void {
    const { names, notation, proc } = this;
    const continuations = names.continuationsOf(exit);
    if (continuations.length === 0) {
      this.line(`${notation.finish}(${ENDED})`);
      return;
    }
    let inner: string | null = null;
    continuations.forEach((continuation, f) => {
      const args = frames[f].slots.flatMap((slot) => this.argumentFor(slot));
      if (inner !== null) args.push(inner);
      if (f > 0) args.push(...this.furtherOf(continuations[f - 1]));
      const call = `${names.functionOf(continuation)}(${[...args, "0"].join(", ")})`;
      const { result } = continuation;
      inner = result === Void ? null : `inner${f}`;
      this.line(inner === null ? call : `${notation.variable(result, inner)} = ${call}`);
      this.afterCall();
      this.lines.push(...recordOfReturn(notation, continuation, names, inner));
    });
    // continuations clear the flag
    if (names.setsDeoptFlag(proc)) this.line(`${names.hostFunction(SET_DEOPT_FLAG)}(0)`);
    this.line(inner === null ? "return" : `return ${inner}`);
  }

  private furtherOf(proc: Procedure): string[] {
    return variablesOf(proc).map(({ take }) => `${this.names.hostFunction(take)}()`);
  }

  /** Returns the argument that a continuation takes for the slot, or none. */
  private argumentFor(slot: FrameSlot): string[] {
    if (parameterTypeFor(slot) === Void) return [];
    if (slot.kind === "value") return [this.operand(slot.value)];
    return slot.kind === "constant" ? [this.notation.literal(slot.type, slot.lo, slot.hi)] : [];
  }
}

/** Writes a procedure in a language with `goto`. */
export abstract class GotoWriter extends StatementWriter {
  protected abstract writeBranch(block: BasicBlock): void;
  protected abstract writeSwitch(block: BasicBlock): void;

  protected writeLast(block: BasicBlock): void {
    const { last, successors } = block;
    if (last.opcode === Op.Jump) this.line(goTo(successors[0]));
    else if (last.opcode === Op.Branch) this.writeBranch(block);
    else if (last.opcode === Op.Switch) this.writeSwitch(block);
    else this.writeEnd(block);
  }

  /** Returns the key and the jump of each case of a Switch; the last case has no key. */
  protected casesOf(block: BasicBlock): { key: string | null; go: string }[] {
    return this.keysOf(block).map((key, k) => ({ key, go: goTo(block.successors[k]) }));
  }
}

export const goTo = ({ id }: BasicBlock): string => `goto L${id}`;

/** Writes statements that store a record at a pointer `q`. */
class RecordWriter {
  readonly statements: string[] = [];
  private readonly notation: LanguageNotation;

  constructor(notation: LanguageNotation) {
    this.notation = notation;
  }

  begin(size: number): void {
    this.add(`${this.notation.pointer("q")} = ${this.notation.reserve}(${size})`);
  }

  word(at: number, text: string | number): void {
    this.value(at, Int32, String(text));
  }

  value(at: number, type: Type, text: string): void {
    this.add(`${this.notation.accessOf(Op.Store, type)}(q + ${at}, ${text})`);
  }

  bytes(at: number, from: string, size: number): void {
    this.add(`${this.notation.copy}(q + ${at}, ${from}, ${size})`);
  }

  private add(statement: string): void {
    this.statements.push(`  ${statement}${this.notation.end}`);
  }
}

/**
 * Returns statements that record a call with its arguments; none for a function that is not
 * observable.
 */
function recordOfCall(
  notation: LanguageNotation,
  host: HostFunction,
  { parameters }: Procedure,
): string[] {
  if (!isObservable(host)) return [];
  const record = new RecordWriter(notation);
  record.begin(eventRecordBytes(parameters));
  record.word(0, EVENT);
  record.word(4, host.index);
  for (const part of eventParts(parameters)) {
    if (!("value" in part)) continue;
    const { id, type } = part.value;
    const isTaken = host.kept === "takes" && part.value === parameters[TAKEN_ADDRESS];
    record.value(part.at, type, isTaken ? notation.literal(type, 0, 0) : `v${id}`);
  }
  return [notation.open, ...record.statements, notation.close];
}

/**
 * Returns the first statements of a host function: those that record the call, and the call of the main
 * program's function if it has the body.
 */
export function startOfHost(
  notation: LanguageNotation,
  host: HostFunction,
  proc: Procedure,
): string[] {
  const recorded = recordOfCall(notation, host, proc);
  if (!hasFormatBody(host)) return recorded;
  const args = proc.parameters.map(({ id }) => `v${id}`).join(", ");
  const call = `${notation.prefix}${host.name}(${args})`;
  const statement = host.result === Void ? call : notation.returns(call);
  return [...recorded, `  ${statement}${notation.end}`];
}

/**
 * Returns the statements that call the entry, and record that it returned.
 * @param wordAt returns an argument at an offset in the words of an input
 */
export function runOfEntry(
  notation: LanguageNotation,
  names: LinkedProgram,
  wordAt: (type: Type, offset: number) => string,
): { readonly call: string; readonly record: string } {
  const { entry } = names.module;
  const args = entry.parameters.map(({ type }, p) => wordAt(type, 8 * p));
  if (names.isFlagged) args.push("0");
  const call = `${names.functionOf(entry)}(${args.join(", ")})${notation.end}`;
  const result = entry.result === Void ? null : "result";
  const record = recordOfReturn(notation, entry, names, result).join("\n  ");
  if (result === null) return { call, record };
  return { call: `${notation.variable(entry.result, result)} = ${call}`, record };
}

/** Returns statements that record that a procedure returned. */
function recordOfReturn(
  notation: LanguageNotation,
  proc: Procedure,
  names: LinkedProgram,
  result: string | null,
): string[] {
  const record = new RecordWriter(notation);
  const bytes = returnRecordBytes(proc.result);
  record.begin(bytes + names.heapSize);
  record.word(0, RETURN);
  record.word(4, names.positionOf(proc));
  if (result !== null) record.value(8, proc.result, result);
  record.bytes(bytes, names.heap, names.heapSize);
  return [notation.open, ...record.statements, notation.close];
}
