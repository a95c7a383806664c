// Executes one instruction: moves, memory, calls, guards and control; pure-steps.ts has the computing operations. STEPS
// lists them all; decoded code contains their indices.

import { FENCES } from "../../ir/fences.js";
import {
  ASKED,
  HOST_FUNCTIONS,
  type HostFunction,
  isObservable,
  KEPT_BYTES,
  readsHeap,
  TAKEN_ADDRESS,
  writesHeap,
} from "../../ir/host-functions.js";
import { OPCODE_COUNT, Op, type Opcode, typesOver } from "../../ir/opcodes.js";
import type { ObservedBits } from "../../ir/outcome.js";
import {
  Float,
  Int32,
  Int64,
  isFloating,
  isWide,
  type Type,
  typeNamed,
  Void,
} from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { GUARDED_CONVERSIONS, MEANINGS, TRUE_RESULTS } from "../meanings.js";
import { deadRange, heapOffset, slotOffset } from "./addresses.js";
import { ATOMIC_STEPS } from "./atomic-steps.js";
import { followAddresses, giveFrames } from "./follow-addresses.js";
import { deadByte, frozenByte, heapAccess, mayAccess, objectByte } from "./heap-access.js";
import { UNUSABLE } from "./kept-slots.js";
import type { OracleMachine } from "./machine.js";
import { CLOSED, CUT, DEAD } from "./memory.js";
import { ADDRESS_BYTES, NO_OBJECT } from "./objects.js";
import { patchpoint, patchpointReturn } from "./patchpoint-steps.js";
import { A, B, C, CALL, DEST, END, NO_CELL, STRIDE, X, Y } from "./program.js";
import { PURE_STEPS, type StepFunction } from "./pure-steps.js";

// Moves copy both words and the flag.

function copyCell(m: OracleMachine, from: number, to: number): void {
  m.i32[to << 1] = m.i32[from << 1];
  m.i32[(to << 1) + 1] = m.i32[(from << 1) + 1];
  m.flags[to] = m.flags[from];
}

/**
 * Executes Identity, Opaque and BitwiseCast; an Upsilon, which writes the Phi's variable; and a Phi, which reads it.
 */
const move: StepFunction = (m, pc) => {
  copyCell(m, m.code[pc + A], m.code[pc + DEST]);
  return pc + STRIDE;
};

const select: StepFunction = (m, pc) => {
  const condition = m.code[pc + A];
  if (m.flags[condition] !== 0) return m.nanBits(pc);
  copyCell(m, m.code[pc + (isNonZero(m, condition) ? B : C)], m.code[pc + DEST]);
  return pc + STRIDE;
};

/** Returns whether the cell is not zero. An Int32's high word is 0, so the test is the same for both types. */
export function isNonZero(m: OracleMachine, cell: number): boolean {
  return (m.i32[cell << 1] | m.i32[(cell << 1) + 1]) !== 0;
}

function slotAccess(m: OracleMachine, pc: number, addressCell: number, size: number): number {
  if (m.flags[addressCell] !== 0) return m.nanBits(pc);
  const slot = m.procedure.slots[m.code[pc + Y]];
  const at = slotOffset(m, addressCell, m.code[pc + X], m.code[pc + Y]);
  if (at >= slot.start && at <= slot.start + slot.size - size) return at;
  return m.endAs({ kind: "undefined", rule: "slot access out of bounds", value: m.idAt(pc) });
}

/** A copy between memory and the words of a cell. It never uses a float, which would lose NaN bits. */
type CopyFunction = (view: DataView, at: number, words: Int32Array, word: number) => void;

function heapLoad(size: number, read: CopyFunction, freezes: boolean): StepFunction {
  return (m, pc) => {
    const at = heapAccess(m, pc, m.code[pc + A], size);
    if (at === END) return END;
    const look = m.heap.look(at, size);
    if (look === CUT) return m.nanBits(pc);
    if (look === DEAD) return deadByte(m, pc);
    if (freezes) m.heap.freeze(at, size);
    const dest = m.code[pc + DEST];
    read(m.heap.view, at, m.i32, dest << 1);
    m.flags[dest] = look;
    return pc + STRIDE;
  };
}

function slotLoad(size: number, read: CopyFunction): StepFunction {
  return (m, pc) => {
    const at = slotAccess(m, pc, m.code[pc + A], size);
    if (at === END) return END;
    for (let i = at; i < at + size; i++) {
      if (m.written[i] !== 0) continue;
      return m.endAs({ kind: "undefined", rule: "unwritten slot byte", value: m.idAt(pc) });
    }
    const look = m.slots.look(at, size);
    if (look === CUT) return m.nanBits(pc);
    const dest = m.code[pc + DEST];
    read(m.slots.view, at, m.i32, dest << 1);
    m.flags[dest] = look;
    return pc + STRIDE;
  };
}

const recorded =
  (load: StepFunction): StepFunction =>
  (m, pc) => {
    const next = load(m, pc);
    if (next === END) return END;
    if (m.objects !== null) followAddresses(m, m.objects, pc);
    m.volatileLoads?.push(m.bitsOf(m.code[pc + DEST]));
    return next;
  };

/**
 * Makes the step of a store to the heap. `isWhole`: it writes all bits of its operand; otherwise it uses some of them.
 */
function heapStore(size: number, isWhole: boolean, write: CopyFunction): StepFunction {
  return (m, pc) => {
    const from = m.code[pc + A];
    const isOpen = m.flags[from] !== 0;
    if (isOpen && !isWhole) return m.nanBits(pc);
    const at = heapAccess(m, pc, m.code[pc + B], size);
    if (at === END) return END;
    if (m.heap.isFrozen(at, size)) return frozenByte(m, pc);
    if (!m.heap.overwrite(at, size, isOpen)) return m.nanBits(pc);
    write(m.heap.view, at, m.i32, from << 1);
    return pc + STRIDE;
  };
}

function slotStore(size: number, isWhole: boolean, write: CopyFunction): StepFunction {
  return (m, pc) => {
    const from = m.code[pc + A];
    const isOpen = m.flags[from] !== 0;
    if (isOpen && !isWhole) return m.nanBits(pc);
    const at = slotAccess(m, pc, m.code[pc + B], size);
    if (at === END) return END;
    const slot = m.procedure.slots[m.code[pc + Y]];
    if (!slot.isLocked) {
      m.slots.forget(slot.start, slot.size);
      m.written.fill(0, slot.start, slot.start + slot.size);
    }
    if (!m.slots.overwrite(at, size, isOpen)) return m.nanBits(pc);
    m.written.fill(1, at, at + size);
    write(m.slots.view, at, m.i32, from << 1);
    return pc + STRIDE;
  };
}

const readWord: CopyFunction = (view, at, words, word) => {
  words[word] = view.getInt32(at, true);
};
const readWords: CopyFunction = (view, at, words, word) => {
  words[word] = view.getInt32(at, true);
  words[word + 1] = view.getInt32(at + 4, true);
};
const writeWord: CopyFunction = (view, at, words, word) => {
  view.setInt32(at, words[word], true);
};
const writeWords: CopyFunction = (view, at, words, word) => {
  view.setInt32(at, words[word], true);
  view.setInt32(at + 4, words[word + 1], true);
};

interface AccessRow {
  readonly opcode: Opcode;
  /** The type of the value loaded or stored. */
  readonly types: readonly Type[];
  readonly size: number;
  readonly copy: CopyFunction;
  /** True if the bytes read must not be written any more. */
  readonly freezes?: true;
}
const NARROW: readonly Type[] = [Int32, Float];
const WIDE: readonly Type[] = typesOver(Op.Load).filter(isWide);

// biome-ignore format: a table
const LOADS: readonly AccessRow[] = [
  { opcode: Op.Load8Z,  types: [Int32], size: 1, copy: (view, at, words, word) => { words[word] = view.getUint8(at); } },
  { opcode: Op.Load8S,  types: [Int32], size: 1, copy: (view, at, words, word) => { words[word] = view.getInt8(at); } },
  { opcode: Op.Load16Z, types: [Int32], size: 2, copy: (view, at, words, word) => { words[word] = view.getUint16(at, true); } },
  { opcode: Op.Load16S, types: [Int32], size: 2, copy: (view, at, words, word) => { words[word] = view.getInt16(at, true); } },
  { opcode: Op.Load,    types: NARROW,  size: 4, copy: readWord },
  { opcode: Op.Load,    types: WIDE,    size: 8, copy: readWords },
  { opcode: Op.LoadInvariant, types: NARROW, size: 4, copy: readWord,  freezes: true },
  { opcode: Op.LoadInvariant, types: WIDE,   size: 8, copy: readWords, freezes: true },
  { opcode: Op.LoadVolatile,  types: NARROW, size: 4, copy: readWord },
  { opcode: Op.LoadVolatile,  types: WIDE,   size: 8, copy: readWords },
];
// biome-ignore format: a table
const STORES: readonly AccessRow[] = [
  { opcode: Op.Store8,  types: [Int32], size: 1, copy: (view, at, words, word) => { view.setInt8(at, words[word]); } },
  { opcode: Op.Store16, types: [Int32], size: 2, copy: (view, at, words, word) => { view.setInt16(at, words[word], true); } },
  { opcode: Op.Store,   types: NARROW,  size: 4, copy: writeWord },
  { opcode: Op.Store,   types: WIDE,    size: 8, copy: writeWords },
];

const allocate: StepFunction = (m, pc) => {
  const { code, heap, i32, i64 } = m;
  if (m.flags[code[pc + B]] !== 0) return m.nanBits(pc);
  const pointer = heapAccess(m, pc, code[pc + A], ADDRESS_BYTES);
  if (pointer === END) return END;
  const look = heap.look(pointer, ADDRESS_BYTES);
  if (look === DEAD) return deadByte(m, pc);
  if (look !== CLOSED) return m.nanBits(pc);
  if (heap.isFrozen(pointer, ADDRESS_BYTES)) return frozenByte(m, pc);
  const dest = code[pc + DEST];
  readWords(heap.view, pointer, i32, dest << 1);
  const [at, size] = [heapOffset(m, dest, 0), BigInt.asUintN(64, i64[code[pc + B]])];
  if (at < 0 || BigInt(at) + size > heap.bytes.length) {
    return m.endAs({ kind: "undefined", rule: "heap access out of bounds", value: m.idAt(pc) });
  }
  if (m.objects !== null) {
    const object = m.objects.add(at, Number(size));
    if (object === NO_OBJECT || !mayAccess(m, pointer, ADDRESS_BYTES, code[pc + A]))
      return objectByte(m, pc);
    m.cellObjects[dest] = object;
    m.objects.overwrite(pointer, ADDRESS_BYTES);
  }
  heap.overwrite(pointer, ADDRESS_BYTES, false);
  heap.view.setBigInt64(pointer, i64[dest] + size, true);
  return pc + STRIDE;
};

/** By host function: a buffer for the words of its arguments, overwritten by each call. */
const CALL_WORDS = HOST_FUNCTIONS.map(
  ({ parameters }) => new Int32Array(2 * Math.max(1, parameters.length)),
);

const call: StepFunction = (m, pc) => {
  const { host: callee, argCells } = m.procedure.calls[m.code[pc + Y]];
  assert(callee !== null, () => `@${m.idAt(pc)} calls no host function`);
  const words = CALL_WORDS[callee.index];
  for (let i = 0; i < argCells.length; i++) {
    const isFloat = isFloating(callee.parameters[i]);
    if (!isFloat && m.flags[argCells[i]] !== 0) return m.nanBits(pc);
    words[2 * i] = m.i32[argCells[i] << 1];
    words[2 * i + 1] = m.i32[(argCells[i] << 1) + 1];
    if (isFloat) purify(words, 2 * i, callee.parameters[i]);
  }
  // The function may use every byte, so none may be dead, open or in an object.
  if (readsHeap(callee) && m.objects?.exist === true) return objectByte(m, pc);
  if (readsHeap(callee) && m.heap.holdsDead) return deadByte(m, pc);
  if (readsHeap(callee) && m.heap.holdsOpenNaN) return m.nanBits(pc);
  if (callee.kept !== null && beforeKept(m, pc, callee, words) === END) return END;
  const { bytes } = m.heap;
  if (!writesHeap(callee)) callee.apply(words, bytes, m.kept);
  else if (!m.heap.keepsFrozen(() => callee.apply(words, bytes, m.kept))) return frozenByte(m, pc);
  if (isObservable(callee)) {
    m.events.push({ name: callee.name, args: argumentBits(m, argCells, callee) });
    for (const cell of argCells) m.objects?.give(m.cellObjects[cell]);
  }
  setResult(m, m.code[pc + DEST], callee, words);
  return pc + STRIDE;
};

/**
 * Executes a call that is also a guard: it exits if the function requests it. The result is written before the test.
 */
const deoptCall: StepFunction = (m, pc) => {
  const next = call(m, pc);
  const { host } = m.procedure.calls[m.code[pc + Y]];
  const asked = next !== END && host !== null && CALL_WORDS[host.index][ASKED] !== 0;
  return asked ? m.code[pc + X] : next;
};

/** Executes a fence: it changes nothing, but records the state that it orders. */
const fence: StepFunction = (m, pc) => {
  const { fences } = m;
  const orders = FENCES[m.code[pc + X]];
  if (fences !== null) {
    const shows = orders.holdsStores && fences.length < FENCED_HEAPS_MAX;
    const heap = shows ? m.heapImage() : null;
    fences.push({ orders: orders.name, after: m.volatileLoads?.length ?? 0, heap });
  }
  return pc + STRIDE;
};
/** The number of fences that record the heap: a loop may execute thousands. */
const FENCED_HEAPS_MAX = 4;

/** Leaves the call to the activation's loop, which has the remaining fuel. */
const callProcedure: StepFunction = (m, pc) => {
  m.callAt = pc;
  return CALL;
};

/** Leaves the bulk operation to the loop likewise: each byte consumes fuel. */
const bulk: StepFunction = (m, pc) => {
  m.callAt = pc;
  return CALL;
};

/**
 * Returns the arguments as the program passed them: a specified NaN keeps its payload. The address of a slot is
 * replaced by 0.
 */
const argumentBits = (
  m: OracleMachine,
  argCells: readonly number[],
  { kept }: HostFunction,
): ObservedBits[] =>
  argCells.map((cell, i) =>
    kept === "takes" && i === TAKEN_ADDRESS ? NO_ADDRESS : m.bitsOf(cell),
  );
const NO_ADDRESS: ObservedBits = { type: Int64, lo: 0, hi: 0, anyNaN: false };

function setResult(m: OracleMachine, dest: number, callee: HostFunction, words: Int32Array): void {
  const { result } = callee;
  if (result === Void) return;
  if (isFloating(result)) purify(words, 0, result);
  m.i32[dest << 1] = words[0];
  if (isWide(result)) m.i32[(dest << 1) + 1] = words[1];
}

const purifiedWide = new BigInt64Array(1);
const purifiedWords = new Int32Array(purifiedWide.buffer);

function purify(words: Int32Array, word: number, type: Type): void {
  if (type === Float) {
    words[word] = MEANINGS.PurifyNaN.Float(words[word]);
    return;
  }
  purifiedWords[0] = words[word];
  purifiedWords[1] = words[word + 1];
  purifiedWide[0] = MEANINGS.PurifyNaN.Double(purifiedWide[0]);
  words[word] = purifiedWords[0];
  words[word + 1] = purifiedWords[1];
}

// Guards. A guard that fails continues at the snapshot's exit block, whose last instruction is endExit.

const check: StepFunction = (m, pc) => {
  const condition = m.code[pc + A];
  if (m.flags[condition] !== 0) return m.nanBits(pc);
  return isNonZero(m, condition) ? m.code[pc + X] : pc + STRIDE;
};

const checkInt32 = (trueResult: (x: number, y: number) => number): StepFunction => {
  return (m, pc) => {
    const a = m.code[pc + A];
    const b = m.code[pc + B];
    if ((m.flags[a] | m.flags[b]) !== 0) return m.nanBits(pc);
    const result = trueResult(m.i32[a << 1], m.i32[b << 1]);
    const wrapped = result | 0;
    if (wrapped !== result) return m.code[pc + X];
    m.i32[m.code[pc + DEST] << 1] = wrapped;
    return pc + STRIDE;
  };
};

const checkInt64 = (trueResult: (x: bigint, y: bigint) => bigint): StepFunction => {
  return (m, pc) => {
    const a = m.code[pc + A];
    const b = m.code[pc + B];
    if ((m.flags[a] | m.flags[b]) !== 0) return m.nanBits(pc);
    const result = trueResult(m.i64[a], m.i64[b]);
    if (BigInt.asIntN(64, result) !== result) return m.code[pc + X];
    m.i64[m.code[pc + DEST]] = result;
    return pc + STRIDE;
  };
};

// No NaN is an integer, whatever its bits are.
const checkConversion = (convert: (x: number) => number | null): StepFunction => {
  return (m, pc) => {
    const result = convert(m.f64[m.code[pc + A]]);
    if (result === null) return m.code[pc + X];
    m.i32[m.code[pc + DEST] << 1] = result;
    return pc + STRIDE;
  };
};

const endExit: StepFunction = (m, pc) => {
  const index = m.code[pc + X];
  const { exit, dead } = m.procedure.exits[index];
  for (const bytes of dead) {
    if (bytes.cell !== NO_CELL && m.flags[bytes.cell] !== 0) return m.nanBits(pc);
    const [from, size] = deadRange(m, bytes);
    const object = bytes.cell === NO_CELL ? NO_OBJECT : m.cellObjects[bytes.cell];
    if (m.objects !== null && size > 0 && !m.objects.allows(from, size, object))
      return objectByte(m, pc);
    if (!m.heap.kill(from, size)) return m.nanBits(pc);
    m.objects?.overwrite(from, size);
  }
  if (m.objects !== null) giveFrames(m, m.objects, index);
  const frames = m.framesOf(index);
  return m.endAs({ kind: "exit", exit, frames, heap: m.heapImage(), resumed: [] });
};

const jump: StepFunction = (m, pc) => m.code[pc + X];

const branch: StepFunction = (m, pc) => {
  const condition = m.code[pc + A];
  if (m.flags[condition] !== 0) return m.nanBits(pc);
  return m.code[pc + (isNonZero(m, condition) ? X : Y)];
};

const switchStep: StepFunction = (m, pc) => {
  const operand = m.code[pc + A];
  if (m.flags[operand] !== 0) return m.nanBits(pc);
  const { lo, hi, targets, isDense } = m.procedure.switches[m.code[pc + Y]];
  const low = m.i32[operand << 1];
  const high = m.i32[(operand << 1) + 1];
  if (isDense) return targets[high === 0 && low >= 0 && low < lo.length ? low : lo.length];
  let k = 0;
  while (k < lo.length && (lo[k] !== low || hi[k] !== high)) k++;
  return targets[k];
};

const returnStep: StepFunction = (m, pc) => {
  const cell = m.code[pc + A];
  const result = cell === NO_CELL ? null : m.bitsOf(cell);
  const { length } = m.procedure.further;
  return length === 0 ? m.returnAs(result) : m.returnAs(result, furtherAt(m, pc, length));
};

const furtherAt = (m: OracleMachine, pc: number, length: number): ObservedBits[] =>
  Array.from({ length }, (_, i) => m.bitsOf(m.code[pc + B + i]));

const returnDeoptStep: StepFunction = (m, pc) => {
  const end = returnStep(m, pc);
  m.asks = true;
  return end;
};

/** Starts the activation again, in place: its depth and its memory do not change. */
const tailCall: StepFunction = (m, pc) => {
  const args = m.procedure.calls[m.code[pc + Y]].argCells.map((cell) => m.bitsOf(cell));
  m.enter(m.procedure);
  for (let i = 0; i < args.length; i++) m.setBits(i, args[i]);
  return 0;
};

const oops: StepFunction = (m, pc) =>
  m.endAs({ kind: "undefined", rule: "Oops reached", value: m.idAt(pc) });

/** All steps. Decoded code contains an index of this list in STEP. */
export const STEPS: StepFunction[] = [endExit, callProcedure, bulk];
export const END_EXIT_STEP = 0;
export const CALL_PROCEDURE_STEP = 1;
export const BULK_STEP = 2;

// Indices of STEPS, by opcode and type. A row without T has the same step for every type.
const TYPE_COUNT = 5;
const NO_STEP = -1;
const STEP_OF = new Int16Array(OPCODE_COUNT * TYPE_COUNT).fill(NO_STEP);
const SLOT_STEP_OF = new Int16Array(OPCODE_COUNT * TYPE_COUNT).fill(NO_STEP);
const EVERY_TYPE: readonly Type[] = [Void, ...typesOver(Op.Identity)];

function addStep(
  table: Int16Array,
  opcode: Opcode,
  types: readonly Type[],
  step: StepFunction,
): void {
  for (const type of types) table[opcode * TYPE_COUNT + type] = STEPS.length;
  STEPS.push(step);
}

for (const { name, type, step } of PURE_STEPS) {
  addStep(STEP_OF, Op[name], type === null ? EVERY_TYPE : [typeNamed(type) ?? Void], step);
}
for (const { opcode, types, size, copy, freezes } of LOADS) {
  const isRecorded = opcode === Op.LoadVolatile;
  const [heapStep, slotStep] = [heapLoad(size, copy, freezes === true), slotLoad(size, copy)];
  addStep(STEP_OF, opcode, types, isRecorded ? recorded(heapStep) : heapStep);
  addStep(SLOT_STEP_OF, opcode, types, isRecorded ? recorded(slotStep) : slotStep);
}
for (const { opcode, types, size, copy } of STORES) {
  addStep(STEP_OF, opcode, types, heapStore(size, opcode === Op.Store, copy));
  addStep(SLOT_STEP_OF, opcode, types, slotStore(size, opcode === Op.Store, copy));
}
for (const { opcode, type, step } of ATOMIC_STEPS) addStep(STEP_OF, opcode, [type], step);
for (const name of ["CheckAdd", "CheckSub", "CheckMul"] as const) {
  addStep(STEP_OF, Op[name], [Int32], checkInt32(TRUE_RESULTS[name].Int32));
  addStep(STEP_OF, Op[name], [Int64], checkInt64(TRUE_RESULTS[name].Int64));
}
for (const name of ["CheckToInt32", "CheckToInt32Exact"] as const) {
  addStep(STEP_OF, Op[name], EVERY_TYPE, checkConversion(GUARDED_CONVERSIONS[name]));
}
const OTHERS: readonly (readonly [Opcode, StepFunction])[] = [
  [Op.Identity, move],
  [Op.Opaque, move],
  [Op.BitwiseCast, move],
  [Op.Upsilon, move],
  [Op.Phi, move],
  [Op.Select, select],
  [Op.Allocate, allocate],
  [Op.Fence, fence],
  [Op.CCall, call],
  [Op.CCallCheck, deoptCall],
  [Op.CallIndirect, callProcedure],
  [Op.CallCheck, callProcedure],
  [Op.Extract, move],
  [Op.Patchpoint, patchpoint],
  [Op.PatchpointCheck, patchpoint],
  [Op.PatchpointReturn, patchpointReturn],
  [Op.TailCall, tailCall],
  [Op.ArgumentReg, move],
  [Op.Check, check],
  [Op.Jump, jump],
  [Op.Branch, branch],
  [Op.Switch, switchStep],
  [Op.Return, returnStep],
  [Op.ReturnDeopt, returnDeoptStep],
  [Op.Oops, oops],
];
for (const [opcode, step] of OTHERS) addStep(STEP_OF, opcode, EVERY_TYPE, step);
for (const opcode of [Op.CopyBytes, Op.FillBytes]) {
  for (const type of EVERY_TYPE) STEP_OF[opcode * TYPE_COUNT + type] = BULK_STEP;
}

/** Returns the step of an opcode on a type: for a store the type stored, for a load the type loaded, else T. */
export function stepIndexOf(opcode: Opcode, type: Type, isSlotAccess: boolean): number {
  const index = (isSlotAccess ? SLOT_STEP_OF : STEP_OF)[opcode * TYPE_COUNT + type];
  assert(index !== NO_STEP, () => `opcode ${opcode} of type ${type} has no step`);
  return index;
}

/**
 * Executes the part of a call of a `keep` function that precedes the function itself. Returns END
 * if it has ended the activation.
 */
function beforeKept(
  m: OracleMachine,
  pc: number,
  { kept }: HostFunction,
  words: Int32Array,
): number {
  if (kept === "takes") takeAddress(m, pc);
  return kept === "reads" || kept === "writes" ? checkUse(m, pc, kept, words) : pc;
}

function takeAddress(m: OracleMachine, pc: number): void {
  const { depth, serial, slots, written, slotAddresses, procedure } = m;
  const { slot, argCells } = procedure.calls[m.code[pc + Y]];
  const at = slotOffset(m, argCells[TAKEN_ADDRESS], 0, slot);
  m.kept.taken = {
    ...{ depth, serial, slots, written, slotAddresses, at, slot: procedure.slots[slot] },
  };
}

function checkUse(
  m: OracleMachine,
  pc: number,
  use: "reads" | "writes",
  words: Int32Array,
): number {
  const place = m.kept.found(words);
  if (place === undefined) return pc;
  const value = m.idAt(pc);
  if (place === UNUSABLE || !m.isLive(place.depth, place.serial)) {
    return m.endAs({ kind: "undefined", rule: "slot of a frame that is gone", value });
  }
  const { slots, written, slot, at } = place;
  if (at < slot.start || at > slot.start + slot.size - KEPT_BYTES) {
    return m.endAs({ kind: "undefined", rule: "slot access out of bounds", value });
  }
  if (use === "writes") return slots.overwrite(at, KEPT_BYTES, false) ? pc : m.nanBits(pc);
  if (written.subarray(at, at + KEPT_BYTES).includes(0)) {
    return m.endAs({ kind: "undefined", rule: "unwritten slot byte", value });
  }
  return slots.look(at, KEPT_BYTES) === CLOSED ? pc : m.nanBits(pc);
}
