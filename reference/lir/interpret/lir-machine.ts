// The machine that executes LIR instructions: registers, the stack with its frames, the heap, and
// the current position. A Meaning (meanings.ts and those of the targets) defines the effect of an
// instruction on this machine. The machine does not depend on encodings.
//
// Registers, stack and heap are those of a guest (lir-guest.ts). So the checks of calling
// conventions, exits and memory that observe machine code can observe LIR too. Code has addresses,
// although it has no bytes: instruction i of a procedure returns to `codeStart + CODE_UNIT * (i +
// 1)`.

import type { FaultKind } from "../../../src/ir/outcome.js";
import { isWide } from "../../../src/ir/types.js";
import { INCOMING_OFFSET } from "../../emit/frame.js";
import { derivingInstruction, NO_DERIVATION, sourceType } from "../../regalloc/allocation.js";
import { isRemat, type OperandRole, REMAT, roleOf, typeOfWord, vregOf } from "../lir.js";
import type { LirEnding, LirGuest } from "./lir-guest.js";
import {
  CODE_UNIT,
  type DestroyedLocations,
  LINK_SIZE,
  type LirProcedure,
  NO_OFFSET,
  offsetInFrame,
} from "./lir-procedure.js";

/** The semantics of a row: executes the current instruction. */
export type InstructionMeaning = (m: LirMachine) => void;

export interface ExecutionObserver {
  /** Called when a run begins. */
  begin(procedures: readonly LirProcedure[]): void;
  /** Called after the moves before the instruction, when it is about to read. */
  before(m: LirMachine, procedure: LirProcedure, instruction: number): void;
  /** Called after an instruction that has not left the procedure; for a call, after its return. */
  after(m: LirMachine, procedure: LirProcedure, instruction: number): void;
  /** Called when the instruction that was about to read has exited by its guard. */
  exit(m: LirMachine): void;
  /** Called when it writes this many bytes of heap or stack, from that address on. */
  wrote(address: number, size: number): void;
}

const TWO_TO_32 = 2 ** 32;

export class LirMachine {
  // The current instruction; meanings read these fields.
  procedure!: LirProcedure;
  /** Its immediate. */
  lo = 0;
  hi = 0;
  /** In bytes into the stack: frame pointer and stack pointer. */
  frame = 0;
  stackPointer = 0;

  readonly guest: LirGuest;
  private readonly meanings: readonly InstructionMeaning[];
  watch: ExecutionObserver | null = null;
  private readonly registers: Int32Array;
  private readonly wide: BigInt64Array;
  private readonly singles: Float32Array;
  private readonly doubles: Float64Array;
  private readonly stack: DataView;
  private heap: DataView = new DataView(new ArrayBuffer(0));
  private procedures: readonly LirProcedure[] = [];
  private instruction = 0;
  /** The next instruction to execute. */
  next = 0;
  /** How the program ended; null while it runs. */
  ending: LirEnding | null = null;
  /** The index of its first operand. */
  private first = 0;
  /**
   * Whether a procedure has just been left or entered, or an exit taken: then no definition follows
   * here.
   */
  private hasLeftProcedure = false;
  private noise = 0;
  private hasJunkAbove = false;
  // The last address that `locate` has found.
  private memory: DataView;
  private offset = 0;
  private readonly movedLo: number[] = [];
  private readonly movedHi: number[] = [];

  /** @param meanings by LIR opcode */
  constructor(guest: LirGuest, meanings: readonly InstructionMeaning[]) {
    const { registers, stack } = guest;
    this.guest = guest;
    this.meanings = meanings;
    this.registers = registers;
    const { buffer, byteOffset, length } = registers;
    this.wide = new BigInt64Array(buffer, byteOffset, length >> 1);
    this.singles = new Float32Array(buffer, byteOffset, length);
    this.doubles = new Float64Array(buffer, byteOffset, length >> 1);
    this.stack = new DataView(stack.buffer, stack.byteOffset, stack.length);
    this.memory = this.stack;
  }

  load(procedures: readonly LirProcedure[]): void {
    this.procedures = procedures;
  }

  /**
   * Calls a procedure, by position in the program; the stack pointer in the registers is that
   * before the call.
   *
   * @param hasJunkAbove whether halves above 32-bit results are junk rather than zero
   */
  run(root: number, heap: Uint8Array, hasJunkAbove: boolean, instructionsMax: number): LirEnding {
    this.start(root, heap, hasJunkAbove);
    return this.go(instructionsMax);
  }

  /** Continues after the call that returns to that address, with the current registers. */
  resume(address: number, heap: Uint8Array, instructionsMax: number): LirEnding {
    this.restart(address, heap);
    return this.go(instructionsMax);
  }

  /**
   * Prepares a run like `run`, but executes nothing yet: `move` and `execute` alternate until
   * `ending`.
   */
  start(root: number, heap: Uint8Array, hasJunkAbove: boolean): void {
    this.begin(heap);
    this.watch?.begin(this.procedures);
    this.hasJunkAbove = hasJunkAbove;
    this.noise = 0;
    this.readStackPointer();
    this.enter(this.procedures[root], this.guest.returnAddress);
  }

  /** Prepares a run like `resume`. */
  restart(address: number, heap: Uint8Array): void {
    this.begin(heap);
    this.readStackPointer();
    const { framePointer, stackAddress } = this.guest;
    this.frame = this.addressIn(2 * framePointer) - stackAddress;
    this.returnTo(address);
  }

  private begin(heap: Uint8Array): void {
    this.heap = new DataView(heap.buffer, heap.byteOffset, heap.length);
    this.ending = null;
  }

  private go(instructionsMax: number): LirEnding {
    for (let left = instructionsMax; this.ending === null; left--) {
      if (left === 0) return { kind: "runaway" };
      this.move();
      this.execute();
    }
    return this.ending;
  }

  /** Executes the moves before the next instruction. */
  move(): void {
    const { procedure, next: i } = this;
    const { firstGroup } = procedure;
    if (firstGroup[i] !== firstGroup[i + 1]) this.makeMoves(procedure, i);
  }

  /** Executes the next instruction, after its moves. */
  execute(): void {
    const { procedure, next: i } = this;
    const { lir, before, after } = procedure;
    this.watch?.before(this, procedure, i);
    if (before.start[i] !== before.start[i + 1]) this.destroyPlaces(before, i);
    this.instruction = i;
    this.next = i + 1;
    this.first = lir.operandStart[i];
    this.lo = lir.immLo[i];
    this.hi = lir.immHi[i];
    this.hasLeftProcedure = false;
    if (procedure.renames[i] === 0) this.meanings[lir.opcode[i]](this);
    // The two names of a register have cells of their own.
    else if (procedure.hasCells) this.setWords(0, this.low(1), this.high(1));
    if (after.start[i] !== after.start[i + 1] && !this.hasLeftProcedure)
      this.destroyPlaces(after, i);
    if (this.watch !== null && !this.hasLeftProcedure) this.watch.after(this, procedure, i);
  }

  // --- operands of the current instruction ---

  // A place is the index of a register's word, or, if negative, a place in the frame.
  private place(k: number): number {
    return this.procedure.places[this.first + k];
  }

  low(k: number): number {
    return this.lowAt(this.place(k));
  }

  high(k: number): number {
    return this.highAt(this.place(k));
  }

  wideOf(k: number): bigint {
    const place = this.place(k);
    return place >= 0
      ? this.wide[place >> 1]
      : this.stack.getBigInt64(this.frame + offsetInFrame(place), true);
  }

  single(k: number): number {
    const place = this.place(k);
    return place >= 0
      ? this.singles[place]
      : this.stack.getFloat32(this.frame + offsetInFrame(place), true);
  }

  double(k: number): number {
    const place = this.place(k);
    return place >= 0
      ? this.doubles[place >> 1]
      : this.stack.getFloat64(this.frame + offsetInFrame(place), true);
  }

  /** Defines operand k as 32 bits, with zeroes above. */
  setLow(k: number, lo: number): void {
    this.setNarrow(this.place(k), lo, 0);
  }

  /** Defines operand k as 32 bits, with zeroes or junk above. */
  setOnlyLow(k: number, lo: number): void {
    this.setNarrow(this.place(k), lo, this.hasJunkAbove ? this.junk() : 0);
  }

  setWords(k: number, lo: number, hi: number): void {
    this.setWide(this.place(k), lo, hi);
  }

  setWideOf(k: number, value: bigint): void {
    const place = this.place(k);
    if (place >= 0) this.wide[place >> 1] = value;
    else this.stack.setBigInt64(this.frame + offsetInFrame(place), value, true);
  }

  setSingle(k: number, value: number): void {
    FLOAT[0] = value;
    this.setOnlyLow(k, FLOAT_WORD[0]);
  }

  setDouble(k: number, value: number): void {
    DOUBLE[0] = value;
    this.setWords(k, DOUBLE_WORDS[0], DOUBLE_WORDS[1]);
  }

  /** Overwrites the location of operand k with junk. */
  destroy(k: number): void {
    this.destroyPlace(this.place(k));
  }

  get operandCount(): number {
    return this.procedure.lir.operandStart[this.instruction + 1] - this.first;
  }

  roleOf(k: number): OperandRole {
    return roleOf(this.procedure.lir.operand[this.first + k]);
  }

  /**
   * Returns the two current words of operand `k` of any instruction; an operand of 32 bits also has
   * a high word.
   */
  wordsOf(procedure: LirProcedure, operand: number): readonly [lo: number, hi: number] {
    const place = procedure.places[operand];
    return [this.lowAt(place), this.highAt(place)];
  }

  private lowAt(place: number): number {
    return place >= 0
      ? this.registers[place]
      : this.stack.getInt32(this.frame + offsetInFrame(place), true);
  }

  private highAt(place: number): number {
    return place >= 0
      ? this.registers[place + 1]
      : this.stack.getInt32(this.frame + offsetInFrame(place) + 4, true);
  }

  private setWide(place: number, lo: number, hi: number): void {
    if (place >= 0) {
      this.registers[place] = lo;
      this.registers[place + 1] = hi;
    } else {
      this.stack.setInt32(this.frame + offsetInFrame(place), lo, true);
      this.stack.setInt32(this.frame + offsetInFrame(place) + 4, hi, true);
    }
  }

  // A spill slot of 32 bits has no upper half; the cell of a virtual register has one.
  private setNarrow(place: number, lo: number, hi: number): void {
    if (place >= 0 || this.procedure.hasCells) this.setWide(place, lo, hi);
    else this.stack.setInt32(this.frame + offsetInFrame(place), lo, true);
  }

  private destroyPlace(place: number): void {
    this.setNarrow(place, this.junk(), this.junk());
  }

  private destroyPlaces({ start, places }: DestroyedLocations, i: number): void {
    for (let s = start[i]; s < start[i + 1]; s++) this.destroyPlace(places[s]);
  }

  private junk(): number {
    this.noise = (Math.imul(this.noise, 0x19660d) + 0x3c6ef35f) | 0;
    return this.noise ^ (this.noise >>> 15);
  }

  // --- moves ---

  private makeMoves(procedure: LirProcedure, i: number): void {
    const { firstGroup, groupStart, from, to, type, derivation, hasCells } = procedure;
    const { movedLo, movedHi } = this;
    for (let g = firstGroup[i]; g < firstGroup[i + 1]; g++) {
      const start = groupStart[g];
      const end = groupStart[g + 1];
      for (let m = start; m < end; m++) {
        if (isRemat(from[m])) continue;
        const wide = hasCells || isWide(sourceType(type[m], derivation[m]));
        movedLo[m - start] = this.lowAt(from[m]);
        movedHi[m - start] = wide ? this.highAt(from[m]) : 0;
      }
      for (let m = start; m < end; m++) {
        if (derivation[m] !== NO_DERIVATION) {
          const read = isWide(sourceType(type[m], derivation[m]));
          if (read) this.setWide(to[m], movedLo[m - start], movedHi[m - start]);
          else this.setNarrow(to[m], movedLo[m - start], 0);
          this.derive(procedure, derivingInstruction(derivation[m]), to[m]);
          continue;
        }
        // A move to its own source does not clear the upper half either.
        if (from[m] === to[m]) continue;
        if (isRemat(from[m])) {
          this.rematerialize(procedure, from[m] - REMAT, to[m]);
          continue;
        }
        const wide = hasCells || isWide(typeOfWord(type[m]));
        if (wide) this.setWide(to[m], movedLo[m - start], movedHi[m - start]);
        else this.setNarrow(to[m], movedLo[m - start], 0);
      }
    }
  }

  /** Executes a derivable instruction again, with its use and its result in that place. */
  private derive(procedure: LirProcedure, i: number, place: number): void {
    const { lir, places } = procedure;
    const use = lir.operandStart[i] + 1;
    const home = places[use];
    places[use] = place;
    this.rematerialize(procedure, i, place);
    places[use] = home;
  }

  /** Executes a rematerializable instruction again, with its result in that place. */
  private rematerialize({ lir, places }: LirProcedure, i: number, place: number): void {
    const first = lir.operandStart[i];
    const home = places[first];
    this.first = first;
    this.lo = lir.immLo[i];
    this.hi = lir.immHi[i];
    places[first] = place;
    this.meanings[lir.opcode[i]](this);
    places[first] = home;
  }

  // --- memory ---

  frameAddress(offset: number): bigint {
    return BigInt(this.guest.stackAddress + this.frame + offset);
  }

  slotAddress(id: number): bigint {
    return this.frameAddress(this.procedure.frame.offsetOfSlot(id));
  }

  argumentAddress(offset: number): bigint {
    return BigInt(this.guest.stackAddress + this.stackPointer + offset);
  }

  readByte(address: bigint): number {
    return this.locate(address, 1, "read-unmapped") ? this.memory.getUint8(this.offset) : 0;
  }

  readHalf(address: bigint): number {
    return this.locate(address, 2, "read-unmapped") ? this.memory.getUint16(this.offset, true) : 0;
  }

  readWord(address: bigint): number {
    return this.locate(address, 4, "read-unmapped") ? this.memory.getInt32(this.offset, true) : 0;
  }

  readWide(address: bigint): bigint {
    return this.locate(address, 8, "read-unmapped")
      ? this.memory.getBigInt64(this.offset, true)
      : 0n;
  }

  writeByte(address: bigint, value: number): void {
    if (this.locate(address, 1, "write-unmapped")) this.memory.setUint8(this.offset, value);
  }

  writeHalf(address: bigint, value: number): void {
    if (this.locate(address, 2, "write-unmapped")) this.memory.setUint16(this.offset, value, true);
  }

  writeWord(address: bigint, value: number): void {
    if (this.locate(address, 4, "write-unmapped")) this.memory.setInt32(this.offset, value, true);
  }

  writeWide(address: bigint, value: bigint): void {
    if (this.locate(address, 8, "write-unmapped")) {
      this.memory.setBigInt64(this.offset, value, true);
    }
  }

  private locate(address: bigint, size: number, fault: FaultKind): boolean {
    const { guest, heap, stack } = this;
    const at = Number(BigInt.asUintN(64, address));
    const inHeap = at - guest.heapAddress;
    const inStack = at - guest.stackAddress;
    const isInHeap = inHeap >= 0 && inHeap <= heap.byteLength - size;
    if (isInHeap || (inStack >= 0 && inStack <= stack.byteLength - size)) {
      this.memory = isInHeap ? heap : stack;
      this.offset = isInHeap ? inHeap : inStack;
      if (fault === "write-unmapped") this.watch?.wrote(at, size);
      return true;
    }
    this.faultAt(fault, BigInt.asUintN(64, address));
    return false;
  }

  // --- control ---

  /** Ends the execution with a fault that accesses no memory. */
  fault(fault: FaultKind): void {
    this.faultAt(fault, 0n);
  }

  private faultAt(fault: FaultKind, address: bigint): void {
    this.ending ??= { kind: "fault", fault, address };
    this.hasLeftProcedure = true;
  }

  /** Continues at the start of the block's k-th successor. */
  goTo(k: number): void {
    const { lir, blockOf } = this.procedure;
    const block = blockOf[this.instruction];
    this.next = lir.blockStart[lir.successors[lir.successorStart[block] + k]];
  }

  /** Exits by the instruction's guard. */
  exit(): void {
    const { exitStart, lir } = this.procedure;
    this.ending = { kind: "exit", index: exitStart + lir.guard[this.instruction] };
    this.watch?.exit(this);
    this.hasLeftProcedure = true;
  }

  /**
   * Moves operands with a register by convention to that register, unless they are in it already.
   */
  passFixed(): void {
    const { procedure, first } = this;
    const { conventional, places } = procedure;
    for (let o = first; o < first + this.operandCount; o++) {
      const word = conventional[o];
      if (word < 0 || procedure.isDefinition(o) || places[o] === word) continue;
      this.registers[word] = this.lowAt(places[o]);
      this.registers[word + 1] = this.highAt(places[o]);
    }
  }

  /** Moves definitions from their registers by convention to their locations. */
  takeFixed(): void {
    const { procedure, first } = this;
    const { conventional, places } = procedure;
    for (let o = first; o < first + this.operandCount; o++) {
      const word = conventional[o];
      if (word < 0 || !procedure.isDefinition(o) || places[o] === word) continue;
      this.setWide(places[o], this.registers[word], this.registers[word + 1]);
    }
  }

  /**
   * Moves the parameters from the locations of the calling convention. After allocation those on the stack stay
   * there.
   */
  takeParameters(): void {
    this.takeFixed();
    const { procedure, first } = this;
    const { lir, places, hasCells } = procedure;
    for (let o = first; hasCells && o < first + this.operandCount; o++) {
      const unit = lir.vregArgumentUnit[vregOf(lir.operand[o])];
      if (unit < 0) continue;
      const at = this.frame + INCOMING_OFFSET + 4 * unit;
      const { stack } = this;
      this.setWide(places[o], stack.getInt32(at, true), stack.getInt32(at + 4, true));
    }
  }

  /** Writes a register by its location, as a return does. */
  setRegister(location: number, lo: number, hi: number): void {
    const word = this.procedure.wordOf(location);
    this.registers[word] = lo;
    this.registers[word + 1] = hi;
  }

  /** Calls the procedure with that index in the module. */
  call(index: number): void {
    const callee = this.procedures.find((procedure) => procedure.index === index);
    if (callee === undefined) this.ending = { kind: "escaped", address: 0 };
    else this.enter(callee, this.returnAddress());
    this.hasLeftProcedure = true;
  }

  callAddress(address: bigint): void {
    const at = Number(BigInt.asUintN(64, address));
    const callee = this.procedures.find(({ codeStart }) => this.codeAddress(codeStart) === at);
    if (callee === undefined) this.ending = { kind: "escaped", address: at };
    else this.enter(callee, this.returnAddress());
    this.hasLeftProcedure = true;
  }

  addressOfProcedure(index: number): bigint {
    const found = this.procedures.find((procedure) => procedure.index === index);
    return found === undefined ? 0n : BigInt(this.codeAddress(found.codeStart));
  }

  hostCall(index: number): void {
    this.writeStackPointer();
    this.guest.hostCall(index);
  }

  /** Returns to the caller, and restores callee-saved registers. */
  leave(): void {
    const { procedure, stack, registers } = this;
    const { frame, saved } = procedure;
    for (let n = 0; n < saved.length; n++) {
      const at = this.frame + frame.offsetOfSaved(n);
      registers[saved[n]] = stack.getInt32(at, true);
      registers[saved[n] + 1] = stack.getInt32(at + 4, true);
    }
    const { frame: base, guest } = this;
    const address = numberAt(stack, base + 8);
    registers[2 * guest.framePointer] = stack.getInt32(base, true);
    registers[2 * guest.framePointer + 1] = stack.getInt32(base + 4, true);
    this.stackPointer = base + LINK_SIZE;
    this.writeStackPointer();
    this.hasLeftProcedure = true;
    if (address === guest.returnAddress) {
      this.ending = { kind: "return" };
      return;
    }
    this.frame = this.addressIn(2 * guest.framePointer) - guest.stackAddress;
    this.returnTo(address);
  }

  private enter(callee: LirProcedure, returnAddress: number): void {
    const { stack, registers, guest } = this;
    const { frame, saved } = callee;
    const base = this.stackPointer - LINK_SIZE;
    if (base - frame.size < 0) {
      this.faultAt("write-unmapped", BigInt(guest.stackAddress + base - frame.size));
      return;
    }
    const word = 2 * guest.framePointer;
    stack.setInt32(base, registers[word], true);
    stack.setInt32(base + 4, registers[word + 1], true);
    stack.setInt32(base + 8, returnAddress | 0, true);
    stack.setInt32(base + 12, Math.floor(returnAddress / TWO_TO_32), true);
    this.frame = base;
    this.stackPointer = base - frame.size;
    this.setAddress(word, guest.stackAddress + base);
    this.writeStackPointer();
    for (let n = 0; n < saved.length; n++) {
      const at = base + frame.offsetOfSaved(n);
      stack.setInt32(at, registers[saved[n]], true);
      stack.setInt32(at + 4, registers[saved[n] + 1], true);
    }
    this.procedure = callee;
    this.next = 0;
  }

  // The call with that return address takes its result, and execution continues after it.
  private returnTo(address: number): void {
    const caller = this.procedures.find(({ codeStart, codeSize }) => {
      const offset = address - this.codeAddress(codeStart);
      return offset > 0 && offset < codeSize && offset % CODE_UNIT === 0;
    });
    const i =
      caller === undefined
        ? NO_OFFSET
        : (address - this.codeAddress(caller.codeStart)) / CODE_UNIT - 1;
    const isInStack =
      caller !== undefined &&
      this.frame - caller.frame.size >= 0 &&
      this.frame <= this.stack.byteLength - LINK_SIZE;
    if (!isInStack || !caller.isCall(i)) {
      this.ending = { kind: "escaped", address };
      return;
    }
    this.procedure = caller;
    this.stackPointer = this.frame - caller.frame.size;
    this.instruction = i;
    this.first = caller.lir.operandStart[i];
    this.next = i + 1;
    this.takeFixed();
    this.watch?.after(this, caller, i);
  }

  private returnAddress(): number {
    const { codeStart } = this.procedure;
    return this.codeAddress(codeStart) + CODE_UNIT * (this.instruction + 1);
  }

  private codeAddress(offset: number): number {
    return this.guest.codeAddress + offset;
  }

  private readStackPointer(): void {
    const { stackPointerWord, stackAddress } = this.guest;
    this.stackPointer = this.addressIn(stackPointerWord) - stackAddress;
  }

  private writeStackPointer(): void {
    const { stackPointerWord, stackAddress } = this.guest;
    this.setAddress(stackPointerWord, stackAddress + this.stackPointer);
  }

  private addressIn(word: number): number {
    const { registers } = this;
    return (registers[word + 1] >>> 0) * TWO_TO_32 + (registers[word] >>> 0);
  }

  private setAddress(word: number, address: number): void {
    this.registers[word] = address | 0;
    this.registers[word + 1] = Math.floor(address / TWO_TO_32);
  }
}

const numberAt = (view: DataView, offset: number): number =>
  view.getUint32(offset + 4, true) * TWO_TO_32 + view.getUint32(offset, true);

// Conversions of a float to words.
const FLOAT = new Float32Array(1);
const FLOAT_WORD = new Int32Array(FLOAT.buffer);
const DOUBLE = new Float64Array(1);
const DOUBLE_WORDS = new Int32Array(DOUBLE.buffer);
