// Writes one procedure of the language as the text of one method (assemble.ts): a label for each
// block, since the machine has arbitrary jumps.
//
// A value with one use, later in its own block, is written at the use; a constant is written at
// each use. Every other value has a local. A Phi has two locals: its variable, which Upsilons
// write, and its value. Each stack slot is an array of bytes, and an address in it is an index.

import { type HostFunction, isObservable, TAKEN_ADDRESS } from "../../ir/host-functions.js";
import { CONSTANT, EFFECTS, Op, READS_MEMORY, WRITES_MEMORY } from "../../ir/opcodes.js";
import { HEAP_BASE_LO } from "../../ir/outcome.js";
import {
  type BasicBlock,
  type FrameSlot,
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  parameterTypeFor,
  reachedProcedures,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Float, Int32, Int64, isWide, type Type, Void } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { assert } from "../../support/assert.js";
import { GET_DEOPT_FLAG, SET_DEOPT_FLAG } from "../answers.js";
import { variableOf, variablesOf } from "../further-results.js";
import { type ExitBlocks, leaveByBlocks } from "../leave-by-blocks.js";
import type { LinkedProgram } from "../linked-program.js";
import {
  EVENT,
  EXIT,
  eventParts,
  eventRecordBytes,
  exitParts,
  exitRecordBytes,
  RETURN,
  returnRecordBytes,
} from "../observation.js";
import { addressSlots } from "../slots.js";
import { ENDED, OOPS } from "../status.js";
import { accessOf, hasRow, RUNTIME, rowOf, usesTwice } from "./opcode-rows.js";

/** The class of each program; each has its own loader. */
export const PROGRAM = "Program";
const HEAP = `getstatic ${PROGRAM}.heap [B`;
/** The greatest nesting depth of an operand. */
const NESTING_MAX = 16;

/** The letters of types in descriptors, and in the names of instructions. */
const DESCRIPTORS = ["V", "I", "J", "F", "D"];
export const LETTERS = ["", "i", "l", "f", "d"];
const NO_SLOT = -1;

/** The descriptor of a procedure's method. */
export function descriptorOf({ parameters, result }: Procedure, isFlagged: boolean): string {
  const takes = parameters.map(({ type }) => DESCRIPTORS[type]).join("");
  return `(${takes}${isFlagged ? "I" : ""})${DESCRIPTORS[result]}`;
}

const call = (name: string, descriptor: string): string =>
  `invokestatic ${PROGRAM}.${name} ${descriptor}`;
const runtime = (name: string, descriptor: string): string =>
  `invokestatic ${RUNTIME}.${name} ${descriptor}`;
/** Ends the execution with this status. */
const finish = (status: number): string =>
  `int ${status} ${runtime("finish", "(I)Ljava/lang/Error;")} athrow`;

export const writeProcedure = (proc: Procedure, names: LinkedProgram): string =>
  new MethodWriter(proc, names, names.isFlagged).write([]);

/** A function that takes an address has the array of the slot as its last parameter. */
export function writeHost(host: HostFunction, proc: Procedure, names: LinkedProgram): string {
  const writer = new MethodWriter(proc, names, false);
  if (host.kept === null) return writer.write(recordOfCall(host, proc));
  const locals = firstLocals(proc);
  const args = proc.parameters.map(({ type }, p) => `${LETTERS[type]}load ${locals[p]}`);
  const descriptor = hostDescriptor(host, proc);
  const array = host.kept === "takes" ? `aload ${locals[proc.parameters.length]}` : "";
  return [
    `method public static ${names.functionOf(proc)} ${descriptor}`,
    ...recordOfCall(host, proc),
    ...args,
    array,
    runtime(host.name, descriptor),
    `${LETTERS[proc.result]}return\n`,
  ].join("\n");
}

const hostDescriptor = (host: HostFunction, proc: Procedure): string =>
  host.kept === "takes" ? descriptorOf(proc, false).replace(")", "[B)") : descriptorOf(proc, false);

/** Returns the local of each parameter, and then the first free local. */
function firstLocals({ parameters }: Procedure): number[] {
  let next = 0;
  const locals = parameters.map(({ type }) => {
    next += isWide(type) ? 2 : 1;
    return next - (isWide(type) ? 2 : 1);
  });
  return [...locals, next];
}

/** Returns the start of a record: the address of the reserved bytes is on the stack. */
const reserved = (bytes: number, heapSize: number): string =>
  `int ${bytes + heapSize} ${runtime("reserve", "(I)I")}`;

/** Stores a value in the record. @param value the instructions that push it */
const put = (record: number, at: number, type: Type, value: string): string =>
  `iload ${record} int ${at} iadd ${value} ${runtime("put", `(I${DESCRIPTORS[type]})V`)}`;
const putBytes = (record: number, at: number, array: string, size: number): string =>
  `iload ${record} int ${at} iadd ${array} int ${size} ${runtime("bytes", "(I[BI)V")}`;

function recordOfCall(host: HostFunction, proc: Procedure): string[] {
  if (!isObservable(host)) return [];
  const { parameters } = proc;
  const locals = firstLocals(proc);
  const record = locals[parameters.length] + (host.kept === "takes" ? 1 : 0);
  const parts = eventParts(parameters).flatMap((part) => {
    if (!("value" in part)) return [];
    const { type } = part.value;
    const index = parameters.indexOf(part.value);
    const isTaken = host.kept === "takes" && index === TAKEN_ADDRESS;
    const value = isTaken ? "long 0" : `${LETTERS[type]}load ${locals[index]}`;
    return [put(record, part.at, type, value)];
  });
  return [
    `${reserved(eventRecordBytes(parameters), 0)} istore ${record}`,
    put(record, 0, Int32, `int ${EVENT}`),
    put(record, 4, Int32, `int ${host.index}`),
    ...parts,
  ];
}

/**
 * Returns instructions that record that a procedure returned.
 * @param result the local of the result
 * @param record a free local
 */
export function recordOfReturn(
  proc: Procedure,
  names: LinkedProgram,
  result: number,
  record: number,
): string[] {
  const bytes = returnRecordBytes(proc.result);
  return [
    `${reserved(bytes, names.heapSize)} istore ${record}`,
    put(record, 0, Int32, `int ${RETURN}`),
    put(record, 4, Int32, `int ${names.positionOf(proc)}`),
    proc.result === Void
      ? ""
      : put(record, 8, proc.result, `${LETTERS[proc.result]}load ${result}`),
    putBytes(record, bytes, HEAP, names.heapSize),
  ];
}

/** Returns a push of the constant with these bits. */
export function constantOf(type: Type, lo: number, hi: number): string {
  if (type === Int32) return `int ${lo | 0}`;
  const bits = BigInt.asIntN(64, wideBits(lo, hi));
  if (type === Int64) return `long ${bits}`;
  // A class file defines only that a constant is a NaN.
  if (type === Float) {
    const isNotNumber = (lo & 0x7fffffff) > 0x7f800000;
    return isNotNumber
      ? `int ${lo | 0} invokestatic java/lang/Float.intBitsToFloat (I)F`
      : `float ${lo | 0}`;
  }
  const isNotNumber = BigInt.asUintN(63, bits) > 0x7ff0000000000000n;
  return isNotNumber
    ? `long ${bits} invokestatic java/lang/Double.longBitsToDouble (J)D`
    : `double ${bits}`;
}

class MethodWriter {
  private readonly proc: Procedure;
  private readonly names: LinkedProgram;
  private readonly isFlagged: boolean;
  private readonly exits: ExitBlocks;
  private readonly lines: string[] = [];
  private readonly slotOfAddress: Int32Array;
  /** By value id: the local of the value, and of a Phi's variable; -1: none. */
  private readonly locals: Int32Array;
  private readonly variables: Int32Array;
  private readonly slotLocals: readonly number[];
  private readonly flagLocal: number;
  private nextLocal: number;
  private labels = 0;

  constructor(proc: Procedure, names: LinkedProgram, isFlagged: boolean) {
    this.proc = proc;
    this.names = names;
    this.isFlagged = isFlagged;
    this.exits = leaveByBlocks(proc, names.setsDeoptFlag(proc));
    this.slotOfAddress = addressSlots(proc);
    this.locals = new Int32Array(proc.valueIdEnd).fill(-1);
    this.variables = new Int32Array(proc.valueIdEnd).fill(-1);
    const first = firstLocals(proc);
    proc.parameters.forEach(({ id }, p) => {
      this.locals[id] = first[p];
    });
    this.nextLocal = first[proc.parameters.length];
    this.flagLocal = isFlagged ? this.newLocal(Int32) : -1;
    this.slotLocals = proc.slots.map(() => this.newLocal(Int32));
    this.assignLocals();
  }

  /** @param before the first instructions, which leave nothing on the stack and in free locals */
  write(before: readonly string[]): string {
    const { proc, names } = this;
    this.line(...before);
    proc.slots.forEach(({ size }, s) => {
      this.line(`int ${size} newarray 8 astore ${this.slotLocals[s]}`);
    });
    // A Phi may be reached without its Upsilon.
    for (const { type, id } of proc.blocks.flatMap(({ values }) => values)) {
      if (this.variables[id] < 0) continue;
      this.line(`${constantOf(type, 0, 0)} ${LETTERS[type]}store ${this.variables[id]}`);
    }
    proc.blocks.forEach((block, b) => {
      this.line(`${labelOf(block)}:`);
      for (const value of block.values) if (value !== block.last) this.writeValue(value);
      this.writeLast(block, proc.blocks[b + 1] ?? null);
    });
    const descriptor = descriptorOf(proc, this.isFlagged);
    return `method public static ${names.functionOf(proc)} ${descriptor}\n${this.lines.join("\n")}\n`;
  }

  private line(...texts: readonly string[]): void {
    this.lines.push(...texts);
  }

  private newLocal(type: Type): number {
    this.nextLocal += isWide(type) ? 2 : 1;
    return this.nextLocal - (isWide(type) ? 2 : 1);
  }

  private assignLocals(): void {
    const { proc } = this;
    const uses = new Int32Array(proc.valueIdEnd);
    const users: (Value | null)[] = new Array<Value | null>(proc.valueIdEnd).fill(null);
    for (const block of proc.blocks) {
      for (const value of block.values) {
        forEachOperand(value, ({ id }) => {
          uses[id]++;
          users[id] = value;
        });
      }
      const snapshot = this.exits.get(block);
      if (snapshot !== undefined) forEachSlotValue(snapshot, ({ id }) => (uses[id] += 2));
    }
    const heights = new Int32Array(proc.valueIdEnd);
    for (const value of proc.blocks.flatMap(({ values }) => values)) {
      const { id, opcode, type } = value;
      if (opcode === Op.Phi) this.variables[id] = this.newLocal(type);
      if (type === Void || isConstant(value) || uses[id] === 0) continue;
      const user = users[id];
      let height = 0;
      forEachOperand(value, (operand) => {
        height = Math.max(height, heights[operand.id] + 1);
      });
      const isNested = uses[id] === 1 && user !== null && hasRow(opcode) && canNest(user, value);
      if (isNested && height < NESTING_MAX) heights[id] = height;
      else this.locals[id] = this.newLocal(type);
    }
  }

  // Values.

  private writeValue(value: Value): void {
    const { opcode, type, id, a } = value;
    const effects = EFFECTS[opcode];
    const local = this.locals[id];
    if (opcode === Op.Nop || opcode === Op.Fence || isConstant(value)) return;
    if (opcode === Op.Upsilon) {
      const variable = this.variables[value.phi.id];
      if (variable >= 0 && a !== null)
        this.line(`${this.push(a)} ${LETTERS[a.type]}store ${variable}`);
    } else if ((effects & WRITES_MEMORY) !== 0) {
      const { before, after } = accessOf(opcode, a?.type ?? Void);
      this.line(`${before} ${this.addressOf(value)} ${this.push(a)} ${after}`);
    } else if (opcode === Op.CopyBytes || opcode === Op.FillBytes) {
      const [name, types] = opcode === Op.CopyBytes ? ["copy", "JJJ"] : ["fill", "IJJ"];
      const args = [a, value.b, value.c].map((operand) => this.push(operand));
      this.line(`${HEAP} ${args.join(" ")} ${runtime(name, `([B${types})V`)}`);
    } else if (opcode === Op.CCall || opcode === Op.CallIndirect) {
      this.line(this.callOf(value));
      if (local >= 0) this.line(`${LETTERS[type]}store ${local}`);
      else if (type !== Void) this.line(isWide(type) ? "pop2" : "pop");
    } else if (local >= 0) {
      this.line(`${this.computed(value)} ${LETTERS[type]}store ${local}`);
    }
  }

  private push(value: Value | null): string {
    assert(value !== null, () => `${this.proc.name}: an operand is missing`);
    const { opcode, type, procedure } = value;
    const local = this.locals[value.id];
    if (local >= 0) return `${LETTERS[type]}load ${local}`;
    if (!isConstant(value)) return this.computed(value);
    if (opcode === Op.SlotBase) return "long 0";
    if (opcode === Op.FunctionAddress && procedure !== null)
      return `long ${this.names.positionOf(procedure)}`;
    return constantOf(type, value.constantLow, value.constantHigh);
  }

  private computed(value: Value): string {
    const { opcode, type, id, a, b, c } = value;
    if (opcode === Op.Phi) return `${LETTERS[type]}load ${this.variables[id]}`;
    if ((EFFECTS[opcode] & READS_MEMORY) !== 0) {
      const { before, after } = accessOf(opcode, type);
      return `${before} ${this.addressOf(value)} ${after}`;
    }
    if (opcode === Op.Select)
      return this.conditional((label) => this.jumpIf(a, label), this.push(b), this.push(c));
    const row = this.row(value);
    return isTest(value) ? this.conditional((label) => `${row} ${label}`, "int 1", "int 0") : row;
  }

  /** Returns the row of the opcode, with its operands. */
  private row({ opcode, a, b, c }: Value): string {
    const operands = [a, b, c];
    return rowOf(opcode, a?.type ?? Void).replace(/\$(\d)/g, (_, n) =>
      this.push(operands[Number(n)]),
    );
  }

  private conditional(jumpTo: (label: string) => string, yes: string, no: string): string {
    const [taken, end] = [`c${this.labels++}`, `c${this.labels++}`];
    return `${jumpTo(taken)} ${no} goto ${end} ${taken}: ${yes} ${end}:`;
  }

  /** Returns instructions that jump if the value is not zero. */
  private jumpIf(value: Value | null, label: string): string {
    if (value !== null && this.locals[value.id] < 0 && isTest(value))
      return `${this.row(value)} ${label}`;
    const compare = value?.type === Int64 ? "long 0 lcmp" : "";
    return `${this.push(value)} ${compare} ifne ${label}`;
  }

  // Memory and calls.

  /** Returns instructions that push the array and the index of an access. */
  private addressOf(access: Value): string {
    const slot = this.slotOfAddress[access.address.id];
    const isHeap = slot === NO_SLOT;
    const offset = (access.offset - (isHeap ? HEAP_BASE_LO : 0)) | 0;
    const array = isHeap ? HEAP : `aload ${this.slotLocals[slot]}`;
    const index = `${this.push(access.address)} l2i`;
    return `${array} ${index}${offset === 0 ? "" : ` int ${offset} iadd`}`;
  }

  private callOf(value: Value): string {
    const { host, procedure, rest, a } = value;
    const args = (rest ?? []).map((arg) => this.push(arg));
    if (host !== null) return this.hostCall(host, rest ?? [], args);
    const target = procedure ?? reachedProcedures(value)[0];
    assert(target !== undefined, () => `${this.proc.name}: a call has no target`);
    const descriptor = descriptorOf(target, this.isFlagged);
    if (this.isFlagged) args.push("int 1");
    if (procedure !== null)
      return `${args.join(" ")} ${call(this.names.functionOf(target), descriptor)}`;
    return `${args.join(" ")} ${this.push(a)} l2i ${call("dispatch", descriptor.replace(")", "I)"))}`;
  }

  private hostCall(host: HostFunction, rest: readonly Value[], args: readonly string[]): string {
    const pushed = args.join(" ");
    if (host === SET_DEOPT_FLAG) return `${pushed} putstatic ${RUNTIME}.deopt I`;
    if (host === GET_DEOPT_FLAG) return `getstatic ${RUNTIME}.deopt I`;
    const variable = variableOf(host);
    if (variable !== null) {
      const letter = DESCRIPTORS[variable.type];
      const read = host === variable.take ? "getstatic" : "putstatic";
      return `${pushed} ${read} ${RUNTIME}.further${variable.number}${letter} ${letter}`;
    }
    const types = host.parameters.map((type) => DESCRIPTORS[type]).join("");
    const taken = host.kept === "takes" ? rest[TAKEN_ADDRESS] : undefined;
    const array =
      taken === undefined ? "" : `aload ${this.slotLocals[this.slotOfAddress[taken.id]]}`;
    const descriptor = `(${types}${array === "" ? "" : "[B"})${DESCRIPTORS[host.result]}`;
    return `${pushed} ${array} ${call(this.names.hostFunction(host), descriptor)}`;
  }

  // Control.

  private writeLast(block: BasicBlock, next: BasicBlock | null): void {
    const { last, successors } = block;
    const snapshot = this.exits.get(block);
    const goTo = (to: BasicBlock): void => {
      if (to !== next) this.line(`goto ${labelOf(to)}`);
    };
    if (snapshot !== undefined) this.writeExit(snapshot);
    else if (last.opcode === Op.Return) {
      const { a } = last;
      this.line(a === null ? "return" : `${this.push(a)} ${LETTERS[a.type]}return`);
    } else if (last.opcode === Op.Jump) goTo(successors[0]);
    else if (last.opcode === Op.Branch) {
      this.line(this.jumpIf(last.a, labelOf(successors[0])));
      goTo(successors[1]);
    } else if (last.opcode === Op.Switch) this.writeSwitch(block);
    else this.line(finish(OOPS));
  }

  private writeSwitch({ last, successors }: BasicBlock): void {
    const { cases, a } = last;
    const otherwise = labelOf(successors[cases.count]);
    if (a?.type === Int64) {
      for (let k = 0; k < cases.count; k++) {
        const key = constantOf(Int64, cases.lo[k], cases.hi[k]);
        this.line(`${this.push(a)} ${key} lcmp ifeq ${labelOf(successors[k])}`);
      }
      this.line(`goto ${otherwise}`);
      return;
    }
    const rows = Array.from({ length: cases.count }, (_, k) => {
      return `${cases.lo[k] | 0} ${labelOf(successors[k])}`;
    });
    this.line(`${this.push(a)} switch ${rows.join(" ")} default ${otherwise}`);
  }

  /** Writes the record of an exit, and then the calls of its continuations. */
  private writeExit(snapshot: Snapshot): void {
    const { names, proc } = this;
    const record = this.newLocal(Int32);
    const bytes = exitRecordBytes(snapshot);
    const tag = this.isFlagged ? `int ${EXIT} iload ${this.flagLocal} iadd` : `int ${EXIT}`;
    this.line(
      `${reserved(bytes, names.heapSize)} istore ${record}`,
      put(record, 0, Int32, tag),
      put(record, 4, Int32, `int ${names.positionOf(proc)}`),
      put(record, 8, Int32, `int ${proc.snapshots.indexOf(snapshot)}`),
      ...exitParts(snapshot).map((part) =>
        "value" in part
          ? put(record, part.at, part.value.type, this.push(part.value))
          : putBytes(
              record,
              part.at,
              `aload ${this.slotLocals[proc.slots.indexOf(part.slot)]}`,
              part.slot.size,
            ),
      ),
      putBytes(record, bytes, HEAP, names.heapSize),
    );
    const continuations = names.continuationsOf(snapshot.exit);
    if (continuations.length === 0) this.line(finish(ENDED));
    else this.continueExit(snapshot, continuations, record);
  }

  private continueExit(
    snapshot: Snapshot,
    continuations: readonly Procedure[],
    record: number,
  ): void {
    const { names } = this;
    let inner = { type: Void as Type, local: 0 };
    continuations.forEach((continuation, f) => {
      const { result } = continuation;
      const args = snapshot.frames[f].slots.map((slot) => this.argumentFor(slot));
      if (inner.type !== Void) args.push(`${LETTERS[inner.type]}load ${inner.local}`);
      const further = f === 0 ? [] : variablesOf(continuations[f - 1]);
      args.push(...further.map(({ take }) => this.hostCall(take, [], [])), "int 0");
      inner = { type: result, local: result === Void ? 0 : this.newLocal(result) };
      const keep = result === Void ? "" : `${LETTERS[result]}store ${inner.local}`;
      const name = names.functionOf(continuation);
      this.line(`${args.join(" ")} ${call(name, descriptorOf(continuation, true))} ${keep}`);
      this.line(...recordOfReturn(continuation, names, inner.local, record));
    });
    // continuations clear the flag
    if (names.setsDeoptFlag(this.proc)) this.line(this.hostCall(SET_DEOPT_FLAG, [], ["int 0"]));
    const load = inner.type === Void ? "" : `${LETTERS[inner.type]}load ${inner.local}`;
    this.line(`${load} ${LETTERS[inner.type]}return`);
  }

  private argumentFor(slot: FrameSlot): string {
    if (parameterTypeFor(slot) === Void) return "";
    if (slot.kind === "value") return this.push(slot.value);
    return slot.kind === "constant" ? constantOf(slot.type, slot.lo, slot.hi) : "";
  }
}

const labelOf = ({ id }: BasicBlock): string => `b${id}`;
const isConstant = ({ opcode }: Value): boolean => (EFFECTS[opcode] & CONSTANT) !== 0;

/** Returns whether the row ends in a conditional jump. */
const isTest = ({ opcode, a }: Value): boolean =>
  opcode !== Op.Select && hasRow(opcode) && /\bif\w+$/.test(rowOf(opcode, a?.type ?? Void));

/** Returns whether the operand may be written at its only user. */
function canNest(user: Value, operand: Value): boolean {
  if (user.block !== operand.block || user.block === null) return false;
  if (user.opcode === Op.Switch) return false;
  if (!hasRow(user.opcode)) return true;
  const row = rowOf(user.opcode, user.a?.type ?? Void);
  return [user.a, user.b, user.c].every((each, i) => each !== operand || !usesTwice(row, i));
}

/** Returns pushes of the arguments of the entry, from the words of an input. */
export const argumentsOf = (proc: Procedure): string[] =>
  proc.parameters.map(({ type }, p) => {
    const { before, after } = accessOf(Op.Load, type);
    return `${before} getstatic ${RUNTIME}.words [B int ${8 * p} ${after}`;
  });

/** Returns a method for each type of procedure, which calls the procedure at a position. */
export function writeDispatchers(names: LinkedProgram): string {
  const { procedures } = names.module;
  const groups = new Map<string, Procedure[]>();
  for (const proc of procedures) {
    const descriptor = descriptorOf(proc, names.isFlagged);
    groups.set(descriptor, [...(groups.get(descriptor) ?? []), proc]);
  }
  return [...groups]
    .map(([descriptor, group]) => {
      const locals = firstLocals(group[0]);
      const loads = group[0].parameters.map(({ type }, p) => `${LETTERS[type]}load ${locals[p]}`);
      const free = locals[group[0].parameters.length];
      if (names.isFlagged) loads.push(`iload ${free}`);
      const result = LETTERS[group[0].result];
      const rows = group.map((proc) => `${names.positionOf(proc)} p${names.positionOf(proc)}`);
      const arms = group.map(
        (proc) =>
          `p${names.positionOf(proc)}: ${loads.join(" ")} ${call(names.functionOf(proc), descriptor)} ${result}return`,
      );
      return `method public static dispatch ${descriptor.replace(")", "I)")}
iload ${free + (names.isFlagged ? 1 : 0)} switch ${rows.join(" ")} default none
${arms.join("\n")}
none: ${finish(OOPS)}
`;
    })
    .join("");
}
