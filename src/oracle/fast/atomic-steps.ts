// Executes atomic operations: each reads a range of the heap and writes its new contents. There is only one thread, so
// nothing interleaves.

import { ALL_OPCODES, nameOfOpcode, type Opcode, specOf, typesOver } from "../../ir/opcodes.js";
import { Int32, Int64, isWide, sizeOf, type Type } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { EXCHANGES } from "../meanings.js";
import { deadByte, frozenByte, heapAccess } from "./heap-access.js";
import type { OracleMachine } from "./machine.js";
import { CLOSED, DEAD } from "./memory.js";
import { A, B, C, DEST, END, NO_CELL, STRIDE } from "./program.js";
import type { StepFunction } from "./pure-steps.js";

/** By name of a comparison: true if its result is the old value, false if it is whether the old value was expected. */
const COMPARISONS: { readonly [name: string]: boolean } = {
  AtomicStrongCAS: true,
  AtomicWeakCAS: false,
};

/** Returns the name of the opcode without its width. */
const familyOf = (opcode: Opcode): string => nameOfOpcode(opcode).replace(/(8|16)$/, "");
/** Returns whether the operation compares before it writes. */
export const comparesFirst = (opcode: Opcode): boolean => familyOf(opcode) in COMPARISONS;

/** Returns whether the result is the old value, rather than whether that was expected. */
export const givesOld = (opcode: Opcode): boolean => COMPARISONS[familyOf(opcode)] ?? true;

/** Returns the number of bytes that an atomic operation on a type accesses. */
export const atomicSize = (opcode: Opcode, type: Type): number =>
  specOf(opcode).bytes ?? sizeOf(type);
/** Returns the cell of the address of the instruction at `pc`. */
export function atomicAddressCell(m: OracleMachine, pc: number): number {
  const last = m.code[pc + C];
  return last === NO_CELL ? m.code[pc + B] : last;
}

const integerIn = (m: OracleMachine, cell: number): bigint =>
  isWide(m.typeOf(cell)) ? m.i64[cell] : BigInt(m.i32[cell << 1]);

function setInteger(m: OracleMachine, cell: number, value: bigint): void {
  if (isWide(m.typeOf(cell))) m.i64[cell] = value;
  else m.i32[cell << 1] = Number(BigInt.asIntN(32, value));
}

function read(m: OracleMachine, at: number, size: number): bigint {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(m.heap.bytes[at + i]);
  return value;
}

function write(m: OracleMachine, at: number, size: number, value: bigint): void {
  for (let i = 0; i < size; i++) {
    m.heap.bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  }
}

/**
 * Returns the offset at which the instruction at `pc` may read and write this many bytes; END if it ended the activation.
 */
function accessOffset(m: OracleMachine, pc: number, size: number): number {
  const { code, heap, flags } = m;
  const isCompared = code[pc + C] !== NO_CELL;
  if (flags[code[pc + A]] !== 0 || (isCompared && flags[code[pc + B]] !== 0)) return m.nanBits(pc);
  const at = heapAccess(m, pc, atomicAddressCell(m, pc), size);
  if (at === END) return END;
  // The heap begins at a multiple of every size.
  if (at % size !== 0) {
    return m.endAs({ kind: "undefined", rule: "unaligned atomic access", value: m.idAt(pc) });
  }
  const look = heap.look(at, size);
  if (look === DEAD) return deadByte(m, pc);
  if (look !== CLOSED) return m.nanBits(pc);
  return heap.isFrozen(at, size) ? frozenByte(m, pc) : at;
}

const exchange =
  (size: number, next: (old: bigint, x: bigint) => bigint): StepFunction =>
  (m, pc) => {
    const at = accessOffset(m, pc, size);
    if (at === END) return END;
    const old = read(m, at, size);
    write(m, at, size, next(old, integerIn(m, m.code[pc + A])));
    setInteger(m, m.code[pc + DEST], old);
    return pc + STRIDE;
  };

const compare =
  (size: number, givesOld: boolean): StepFunction =>
  (m, pc) => {
    const at = accessOffset(m, pc, size);
    if (at === END) return END;
    const old = read(m, at, size);
    const isExpected = old === BigInt.asUintN(8 * size, integerIn(m, m.code[pc + A]));
    if (isExpected) write(m, at, size, integerIn(m, m.code[pc + B]));
    setInteger(m, m.code[pc + DEST], givesOld ? old : isExpected ? 1n : 0n);
    return pc + STRIDE;
  };

interface AtomicStep {
  readonly opcode: Opcode;
  /** The type of the first operand. */
  readonly type: Type;
  readonly step: StepFunction;
}

function stepsOf(opcode: Opcode): AtomicStep[] {
  const family = familyOf(opcode);
  const types = typesOver(opcode).length > 0 ? typesOver(opcode) : [Int32];
  return types.map((type) => {
    assert(type === Int32 || type === Int64, () => `${family} takes integers only`);
    const size = atomicSize(opcode, type);
    const next = EXCHANGES[family];
    const step = next === undefined ? compare(size, COMPARISONS[family]) : exchange(size, next);
    return { opcode, type, step };
  });
}

/** The steps by opcode and type of the first operand. */
export const ATOMIC_STEPS: readonly AtomicStep[] = ALL_OPCODES.filter(
  (opcode) => specOf(opcode).effect === "atomic",
).flatMap(stepsOf);
