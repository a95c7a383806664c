// Records an execution: every executed value and the values that it depends on. From this it computes which values
// matter, which only steer, and which special operands were used.

import {
  type HostFunction,
  isObservable,
  KEPT_BYTES,
  readsHeap,
  usesKeptSlots,
} from "../../ir/host-functions.js";
import {
  ALL_OPCODES,
  BULK,
  EFFECTS,
  EXITS,
  FENCE,
  guardsResult,
  isReturn,
  NAMES_KIND,
  OPCODE_COUNT,
  OPERAND_COUNTS,
  Op,
  READS_MEMORY,
  specOf,
  VOLATILE,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { sizeOf, TYPE_NAMES } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { unwrittenWords, zeroedBytes, zeroedWords } from "../../support/program-arrays.js";
import { deadRange, heapOffset, slotOffset } from "./addresses.js";
import { bulkRange } from "./bulk.js";
import { UNUSABLE } from "./kept-slots.js";
import type { OracleMachine } from "./machine.js";
import { patchpointOffset } from "./patchpoint-steps.js";
import {
  A,
  B,
  C,
  DEST,
  type DecodedModule,
  type DecodedProcedure,
  NO_CELL,
  NO_SLOT,
  NO_VALUE,
  type SlotBytes,
  STEP,
  STRIDE,
  X,
  Y,
} from "./program.js";
import { CALL_PROCEDURE_STEP, isNonZero } from "./steps.js";

/** Special operands, as bits of the result of `specialsConsumed`. */
export const MINUS_ZERO = 1 << 0;
export const NAN = 1 << 1;
export const SUBNORMAL = 1 << 2;
/** The least integer of the type. */
export const INT_MIN = 1 << 3;
export const INFINITY = 1 << 4;
/** The greatest integer of the type. */
export const INT_MAX = 1 << 5;
/** -1: all bits are set. */
export const ALL_ONES = 1 << 6;

/** A compared bit depends on the executed value, through data, heap or slots. */
const MATTERS = 1;
/** The value decides a branch or a guard, and nothing else. */
const STEERS = 2;

const NO_EVENT = -1;

/** Executed values in order, as columns. A parameter is one event of its activation. */
export interface ExecutionTrace {
  /** False if the program does not define the outcome, so that nothing is compared. */
  readonly isJudged: boolean;
  readonly length: number;
  /** By event: index of the procedure and id of the value. */
  readonly procedures: Int32Array;
  readonly ids: Int32Array;
  /** By event: the low and high word of the result, or of the value that an Upsilon wrote; else 0. */
  readonly results: Int32Array;
  /** Event e depends on events `dependences[starts[e]]` up to `dependences[starts[e + 1]]`. */
  readonly starts: Int32Array;
  readonly dependences: Int32Array;
  /** By event: MATTERS if its operands are compared, STEERS if it decides a branch or guard. */
  readonly roots: Uint8Array;
  readonly program: DecodedModule;
  readonly specials: Uint8Array;
  /** The events of the guards that failed, in order. */
  readonly exits: readonly number[];
}

/** The executions of one procedure, by value id: their number, and how many have each role. */
export interface ProcedureCounts {
  readonly executed: Int32Array;
  readonly matters: Int32Array;
  /** Executions that steer and do not matter. */
  readonly steers: Int32Array;
}

/** Returns the slice of each procedure, by its index. */
export function slice(trace: ExecutionTrace): ProcedureCounts[] {
  const slices = trace.program.procedures.all().map(({ valueIdEnd }) => ({
    executed: zeroedWords(valueIdEnd),
    matters: zeroedWords(valueIdEnd),
    steers: zeroedWords(valueIdEnd),
  }));
  const marks = marksOf(trace);
  for (let e = 0; e < trace.length; e++) {
    const { executed, matters, steers } = slices[trace.procedures[e]];
    const id = trace.ids[e];
    executed[id]++;
    if ((marks[e] & MATTERS) !== 0) matters[id]++;
    else if (marks[e] !== 0) steers[id]++;
  }
  return slices;
}

/** Returns, by event, nonzero if a compared bit depends on it, or if it decides a branch or a guard. */
export const mattersOrSteers = (trace: ExecutionTrace): Uint8Array => marksOf(trace);

/** Returns, by event, its own mark combined with those of the events that depend on it. */
function marksOf(trace: ExecutionTrace): Uint8Array {
  if (!trace.isJudged) return new Uint8Array(trace.length);
  const marks = trace.roots.slice();
  // A dependence is an earlier event, so one backward pass suffices.
  for (let e = trace.length - 1; e >= 0; e--) {
    if (marks[e] === 0) continue;
    const mark = (marks[e] & MATTERS) !== 0 ? MATTERS : STEERS;
    for (let d = trace.starts[e]; d < trace.starts[e + 1]; d++) marks[trace.dependences[d]] |= mark;
  }
  return marks;
}

/**
 * Returns the special values that operations of the procedure used, or-ed, at `opcode * TYPE_NAMES.length + type`,
 * where the type is that of the operand.
 */
export function specialsConsumed({ specials }: ExecutionTrace, procedure: number): Uint8Array {
  return specials.subarray(procedure * SPECIAL_COUNT, (procedure + 1) * SPECIAL_COUNT);
}
/** The number of operations by opcode and type of one procedure. */
const SPECIAL_COUNT = OPCODE_COUNT * TYPE_NAMES.length;

/** The recorder's state of an activation that waits for a callee. */
interface CallerState {
  readonly procedure: DecodedProcedure;
  readonly writers: Int32Array;
  readonly slotWriters: Int32Array;
  readonly isObserved: boolean;
}

/** Writes the trace. The machine calls it before every instruction. */
export class TraceWriter {
  private readonly program: DecodedModule;
  private procedure: DecodedProcedure;
  /** By cell: the event that wrote it. */
  private writers: Int32Array = new Int32Array(0);
  private readonly callers: CallerState[] = [];
  /** True if the result of the activation is compared: it is the entry or a continuation. */
  private isObserved = true;
  /** The events that wrote the arguments of the activation that is about to start. */
  private argumentEvents: readonly number[] = [];
  /** The tail call that starts it. A call that returns has its event after those of the callee. */
  private tailCallEvent = NO_EVENT;
  /** True if the activation that is about to start was called. */
  private isCalled = false;
  /** The event of the last Return. */
  private lastReturn = NO_EVENT;
  private readonly heapWriters: Int32Array;
  private slotWriters: Int32Array = new Int32Array(0);
  private readonly procedures = new WordColumn();
  private readonly ids = new WordColumn();
  private readonly results = new WordColumn();
  private readonly starts = new WordColumn();
  private readonly dependences = new WordColumn();
  private readonly roots = new WordColumn();
  private readonly specials: Uint8Array;
  /** The event of the last guard that was executed. */
  private lastGuard = NO_EVENT;
  private readonly exits: number[] = [];

  constructor(program: DecodedModule) {
    this.program = program;
    this.procedure = program.procedures.at(0);
    this.specials = zeroedBytes(program.procedures.count * SPECIAL_COUNT);
    this.heapWriters = zeroedWords(program.heapSize).fill(NO_EVENT);
  }

  finish(isJudged: boolean): ExecutionTrace {
    const { length } = this.ids;
    this.starts.push(this.dependences.length);
    return {
      isJudged,
      length,
      procedures: this.procedures.toArray(),
      ids: this.ids.toArray(),
      results: this.results.toArray(),
      starts: this.starts.toArray(),
      dependences: this.dependences.toArray(),
      roots: Uint8Array.from(this.roots.toArray()),
      program: this.program,
      specials: this.specials,
      exits: this.exits,
    };
  }

  /**
   * Records the start of an activation and its arguments. Arguments of the entry or a continuation are observed, so
   * they matter.
   */
  enter(m: OracleMachine): void {
    const { procedure } = m;
    this.procedure = procedure;
    const { cellTypes, slotBytes, parameterCount } = procedure;
    this.writers = zeroedWords(cellTypes.length).fill(NO_EVENT);
    this.slotWriters = zeroedWords(slotBytes).fill(NO_EVENT);
    const { argumentEvents: passed } = this;
    this.argumentEvents = [];
    this.isObserved = !this.isCalled;
    this.isCalled = false;
    for (let cell = 0; cell < parameterCount; cell++) {
      this.writers[cell] = this.newEvent(procedure.cellIds[cell], 0);
      if (cell < passed.length) this.dependOn(passed[cell]);
      this.dependOn(this.tailCallEvent);
      this.setResult(m, cell);
    }
  }

  /** Records that a tail call restarted the current activation, with the arguments in these cells of the old one. */
  enterAgain(m: OracleMachine, argCells: readonly number[]): void {
    this.argumentEvents = argCells.map((cell) => this.writers[cell]);
    this.tailCallEvent = this.ids.length - 1; // the tail call
    this.isCalled = !this.isObserved;
    this.enter(m);
    this.tailCallEvent = NO_EVENT;
  }

  /** Records that the current activation is about to call another, with the arguments in these cells. */
  call(argCells: readonly number[]): void {
    const { procedure, writers, slotWriters, isObserved } = this;
    this.callers.push({ procedure, writers, slotWriters, isObserved });
    this.isCalled = true;
    this.argumentEvents = argCells.map((cell) => writers[cell]);
    this.lastReturn = NO_EVENT;
  }

  /** Records that the caller continues after its call at `pc`, or ends there if nothing was returned. */
  leave(m: OracleMachine, pc: number, isReturned: boolean): void {
    const caller = this.callers.pop();
    assert(caller !== undefined, () => "an activation returns, but none has called it");
    this.procedure = caller.procedure;
    this.writers = caller.writers;
    this.slotWriters = caller.slotWriters;
    this.isObserved = caller.isObserved;
    const isGuard = guardsResult(m.opcodeAt(pc));
    const event = this.newEvent(
      caller.procedure.ids[pc / STRIDE],
      isReturned && !isGuard ? 0 : STEERS,
    );
    if (isGuard) this.lastGuard = event;
    const address = m.code[pc + A];
    if (address !== NO_CELL) this.dependOn(this.writers[address]);
    if (isReturned) this.dependOn(this.lastReturn);
    const dest = m.code[pc + DEST];
    if (isReturned && dest !== NO_CELL) {
      const { further } = m.procedure.calls[m.code[pc + Y]];
      this.writers.fill(event, dest, dest + 1 + further); // further results follow the first
    }
  }

  /** Records the instruction at `pc`, which is about to execute. */
  record(m: OracleMachine, pc: number): void {
    const { procedure, writers } = this;
    const i = pc / STRIDE;
    for (let s = procedure.skippedStart[i]; s < procedure.skippedStart[i + 1]; s++) {
      const { id, cell } = procedure.skipped[s];
      const event = this.newEvent(id, 0);
      if (cell === NO_CELL) continue;
      writers[cell] = event;
      this.setResult(m, cell);
    }
    if (procedure.ids[i] === NO_VALUE) {
      this.recordExit(m, m.code[pc + X]);
      return;
    }
    const opcode = procedure.opcodes[i];
    // The arguments flow to the callee's parameters; the event of the call comes after it.
    if (m.code[pc + STEP] === CALL_PROCEDURE_STEP) return;
    const event = this.newEvent(procedure.ids[i], this.rootOf(m, pc, opcode));
    this.recordOperands(m, pc, opcode);
    const effects = EFFECTS[opcode];
    if ((effects & EXITS) !== 0) this.lastGuard = event;
    if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0) this.recordAccess(m, pc, event);
    if ((effects & BULK) !== 0) this.recordBulk(m, pc, event);
    // A function that also writes the heap is observed, so it matters, and all that it read matters. The bytes that it
    // writes need no writer.
    const host = opcode === Op.CCall ? m.procedure.calls[m.code[pc + Y]].host : null;
    if (host !== null && readsHeap(host)) this.dependOnHeap();
    if (host !== null && usesKeptSlots(host)) this.recordKept(m, pc, host, event);
    if (NAMES_KIND[opcode] === 1) this.recordPatchpoint(m, pc, event);
    if (isReturn(opcode) || opcode === Op.PatchpointReturn) {
      this.lastReturn = event;
      if (this.isObserved) this.observeHeap();
    }
    const dest = m.code[pc + DEST];
    if (dest !== NO_CELL) writers[dest] = event;
  }

  /** Records the result of the instruction at `pc`, if control continues at the next one. */
  recordResult(m: OracleMachine, pc: number): void {
    const dest = m.code[pc + DEST];
    if (dest !== NO_CELL) this.setResult(m, dest);
  }

  private setResult(m: OracleMachine, cell: number): void {
    const { words, length } = this.results;
    words[length - 2] = m.i32[cell << 1];
    words[length - 1] = m.i32[(cell << 1) + 1];
  }

  private newEvent(id: number, root: number): number {
    this.procedures.push(this.procedure.index);
    this.ids.push(id);
    this.starts.push(this.dependences.length);
    this.roots.push(root);
    this.results.push(0);
    this.results.push(0);
    return this.ids.length - 1;
  }

  private dependOn(event: number): void {
    if (event !== NO_EVENT) this.dependences.push(event);
  }

  /** Makes the event depend once on each event that wrote a byte of the heap. */
  private dependOnHeap(): void {
    const { heapWriters } = this;
    const seen = new Set<number>();
    // Neighboring bytes usually have the same writer.
    let last = NO_EVENT;
    for (let at = 0; at < heapWriters.length; at++) {
      const writer = heapWriters[at];
      if (writer === last) continue;
      last = writer;
      if (seen.has(writer)) continue;
      seen.add(writer);
      this.dependOn(writer);
    }
  }

  private rootOf(m: OracleMachine, pc: number, opcode: number): number {
    // A callee's result matters if its use in the caller does.
    const returns = isReturn(opcode) || opcode === Op.PatchpointReturn;
    if (returns) return this.isObserved ? MATTERS : 0;
    if ((EFFECTS[opcode] & (VOLATILE | FENCE)) !== 0) return MATTERS;
    if (opcode === Op.CCallCheck) return MATTERS | STEERS;
    if (opcode === Op.Branch || opcode === Op.Switch || (EFFECTS[opcode] & EXITS) !== 0)
      return STEERS;
    if (opcode !== Op.CCall) return 0;
    const { host } = m.procedure.calls[m.code[pc + Y]];
    return host !== null && isObservable(host) ? MATTERS : 0;
  }

  private recordOperands(m: OracleMachine, pc: number, opcode: number): void {
    const { code } = m;
    if (opcode === Op.TailCall) {
      // Each argument flows to its own parameter only.
      for (const cell of m.procedure.calls[code[pc + Y]].argCells)
        this.recordSpecial(m, opcode, cell);
      return;
    }
    if (opcode === Op.CCall || opcode === Op.CCallCheck) {
      for (const cell of m.procedure.calls[code[pc + Y]].argCells) this.consume(m, opcode, cell);
      return;
    }
    if (opcode === Op.Phi || opcode === Op.ArgumentReg || opcode === Op.Extract) {
      this.dependOn(this.writers[code[pc + A]]);
      return;
    }
    if (opcode === Op.Select) {
      // The result does not depend on the operand that is not selected.
      this.consume(m, opcode, code[pc + A]);
      this.consume(m, opcode, code[pc + (isNonZero(m, code[pc + A]) ? B : C)]);
      return;
    }
    for (let o = 0; o < OPERAND_COUNTS[opcode]; o++) {
      if (code[pc + A + o] !== NO_CELL) this.consume(m, opcode, code[pc + A + o]);
    }
  }

  private consume(m: OracleMachine, opcode: number, cell: number): void {
    this.dependOn(this.writers[cell]);
    this.recordSpecial(m, opcode, cell);
  }

  private recordSpecial(m: OracleMachine, opcode: number, cell: number): void {
    const type = m.typeOf(cell);
    const special = SPECIALS[type](m.i32[cell << 1], m.i32[(cell << 1) + 1]);
    const first = this.procedure.index * SPECIAL_COUNT;
    this.specials[first + opcode * TYPE_NAMES.length + type] |= special;
  }

  private recordAccess(m: OracleMachine, pc: number, event: number): void {
    const opcode = this.procedure.opcodes[pc / STRIDE];
    const writes = (EFFECTS[opcode] & WRITES_MEMORY) !== 0;
    const isHeap = m.code[pc + Y] === NO_SLOT;
    const addressCell = m.code[pc + (writes ? B : A)];
    const offset = m.code[pc + X];
    const at = isHeap
      ? heapOffset(m, addressCell, offset)
      : slotOffset(m, addressCell, offset, m.code[pc + Y]);
    const valueCell = m.code[pc + (writes ? A : DEST)];
    const size = ACCESS_BYTES[opcode] || sizeOf(m.typeOf(valueCell));
    this.recordBytes(isHeap, at, size, !writes, writes, event);
  }

  private recordBulk(m: OracleMachine, pc: number, event: number): void {
    const place = bulkRange(m, pc);
    if (place === null || place.length === 0) return;
    if (place.from >= 0) this.recordBytes(true, place.from, place.length, true, false, event);
    this.recordBytes(true, place.to, place.length, false, true, event);
  }

  private recordPatchpoint(m: OracleMachine, pc: number, event: number): void {
    const { kind, argCells, slot } = m.procedure.patchpoints[m.code[pc + Y]];
    const opcode = this.procedure.opcodes[pc / STRIDE];
    argCells.forEach((cell, k) => {
      if (kind.parameters[k].place !== "keepAlive") this.consume(m, opcode, cell);
    });
    if (kind.bytes === 0) return;
    const at = patchpointOffset(m, pc);
    this.recordBytes(slot === NO_SLOT, at, kind.bytes, true, kind.effect === "write", event);
  }

  /** Records an access to a slot of this activation or of one of its callers. */
  private recordKept(m: OracleMachine, pc: number, host: HostFunction, event: number): void {
    const [cell] = m.procedure.calls[m.code[pc + Y]].argCells;
    const place = m.kept.found(m.i32.subarray(cell << 1));
    if (place === undefined || place === UNUSABLE) return;
    const here = this.slotWriters;
    this.slotWriters =
      place.depth === m.depth ? here : (this.callers[place.depth]?.slotWriters ?? here);
    this.recordBytes(
      false,
      place.at,
      KEPT_BYTES,
      host.kept === "reads",
      host.kept === "writes",
      event,
    );
    this.slotWriters = here;
  }

  private recordBytes(
    isHeap: boolean,
    at: number,
    size: number,
    reads: boolean,
    writes: boolean,
    event: number,
  ): void {
    const byteWriters = isHeap ? this.heapWriters : this.slotWriters;
    // An access out of bounds is about to end the execution.
    if (at < 0 || at > byteWriters.length - size) return;
    for (let i = at; i < at + size; i++) {
      const isNews = i === at || byteWriters[i] !== byteWriters[i - 1];
      if (reads && isNews) this.dependOn(byteWriters[i]);
    }
    if (writes) byteWriters.fill(event, at, at + size);
  }

  private recordExit(m: OracleMachine, exitIndex: number): void {
    this.exits.push(this.lastGuard);
    const { frames, dead } = this.procedure.exits[exitIndex];
    for (const { slots } of frames) {
      for (const slot of slots) {
        if (slot === null) continue;
        if ("cell" in slot) this.observe(this.writers[slot.cell]);
        else if ("start" in slot) this.observeSlot(m, slot);
      }
    }
    for (const bytes of dead) {
      if (bytes.cell !== NO_CELL) this.observe(this.writers[bytes.cell]);
      const [from, size] = deadRange(m, bytes);
      this.heapWriters.fill(NO_EVENT, from, from + size);
    }
    this.observeHeap();
  }

  private observeSlot({ written }: OracleMachine, { start, size }: SlotBytes): void {
    for (let i = start; i < start + size; i++) {
      if (written[i] !== 0) this.observe(this.slotWriters[i]);
    }
  }

  // Marks the last writer of every heap byte, because the whole heap is compared.
  private observeHeap(): void {
    for (let i = 0; i < this.heapWriters.length; i++) this.observe(this.heapWriters[i]);
  }

  private observe(event: number): void {
    if (event !== NO_EVENT) this.roots.words[event] |= MATTERS;
  }
}

const ACCESS_BYTES = Uint8Array.from(ALL_OPCODES, (opcode) => specOf(opcode).bytes ?? 0);

/** By type: the special value of two words, or 0. */
const SPECIALS: readonly ((lo: number, hi: number) => number)[] = [
  () => 0,
  (lo) => specialInteger(lo, 0, 0),
  (lo, hi) => specialInteger(hi, lo, -1),
  (lo) => specialFloat(lo, 0x7f80_0000, 0x0080_0000, 0),
  (lo, hi) => specialFloat(hi, 0x7ff0_0000, 0x0010_0000, lo),
];

/**
 * Returns the special integer of two words, or 0.
 * @param end the lower word of the greatest integer and of -1
 * @param lo the lower word
 */
function specialInteger(high: number, lo: number, end: number): number {
  if (high === INT32_MIN && lo === 0) return INT_MIN;
  if (lo !== end) return 0;
  return high === -1 ? ALL_ONES : high === INT32_MAX ? INT_MAX : 0;
}
const INT32_MIN = -0x8000_0000;
const INT32_MAX = 0x7fff_ffff;

/**
 * Returns the special float of two words, or 0.
 * @param high the word with the exponent
 * @param rest the word below it, 0 if there is none
 */
function specialFloat(high: number, infinity: number, leastNormal: number, rest: number): number {
  const magnitude = high & 0x7fff_ffff;
  if (magnitude === infinity && rest === 0) return INFINITY;
  if (magnitude >= infinity) return NAN;
  if (magnitude >= leastNormal) return 0;
  if (magnitude !== 0 || rest !== 0) return SUBNORMAL;
  return high < 0 ? MINUS_ZERO : 0;
}

/** A column that grows. */
class WordColumn {
  words = unwrittenWords(1024);
  length = 0;

  push(word: number): void {
    if (this.length === this.words.length) {
      const grown = unwrittenWords(this.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    this.words[this.length++] = word;
  }

  toArray(): Int32Array {
    return this.words.subarray(0, this.length);
  }
}
