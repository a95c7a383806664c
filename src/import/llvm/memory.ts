// Writes accesses to memory, with a state for each byte (LangRef, "load Instruction", "store Instruction", "Memory
// Model", "Poison Values"). Provenance is not modelled: an address alone decides.

import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../../ir/types.js";
import { outside } from "../../llvm/llvm-error.js";
import { type LlvmType, storeSize } from "../../llvm/types.js";
import { LlvmEmitter } from "./emitter.js";
import { zeroExtended } from "./integers.js";
import { BYTE_STATES, type LlvmLayout } from "./layout.js";
import {
  type LlvmScalar,
  type LlvmScalars,
  registerType,
  type ScalarPlace,
  scalarsOf,
} from "./leaves.js";

/**
 * The side of a comparison. Before a pass, `undef` and unwritten bytes are poison, which allows more than the language
 * does. After a pass they are zero, one of their choices.
 */
export type RefinementSide = "before" | "after";

/** The state of a procedure that its accesses use. */
export interface MemoryContext {
  readonly e: LlvmEmitter;
  /** The address of the heap. */
  readonly base: Value;
  readonly layout: LlvmLayout;
  readonly side: RefinementSide;
}

const repeated = (byte: number, size: number): bigint => {
  let word = 0n;
  for (let i = 0; i < size; i++) word = (word << 8n) | BigInt(byte);
  return word;
};

/** The pieces of an access whose size is no power of two. */
function piecesOf(size: number): { readonly at: number; readonly bytes: number }[] {
  const pieces: { at: number; bytes: number }[] = [];
  for (let at = 0; at < size; ) {
    const bytes = [8, 4, 2, 1].find((each) => at + each <= size) ?? 1;
    pieces.push({ at, bytes });
    at += bytes;
  }
  return pieces;
}

function loadPiece(e: LlvmEmitter, address: Value, offset: number, bytes: number): Value {
  if (bytes === 8) return e.load(Op.Load, Int64, address, offset);
  if (bytes === 4) return e.load(Op.Load, Int32, address, offset);
  return e.load(bytes === 2 ? Op.Load16Z : Op.Load8Z, Int32, address, offset);
}

/** Loads up to eight bytes with zeroes above, without a check. */
function loadBytes(e: LlvmEmitter, address: Value, offset: number, size: number): Value {
  const [first, ...rest] = piecesOf(size).map(({ at, bytes }) => {
    return { at, piece: loadPiece(e, address, offset + at, bytes) };
  });
  const wide = size > 4;
  const start = wide ? e.widened(first.piece) : first.piece;
  return rest.reduce((all, { at, piece }) => {
    const part = wide ? e.widened(piece) : piece;
    const shifted = e.emit(Op.Shl, part.type, part, e.int(8 * at));
    return e.emit(Op.BitOr, part.type, all, shifted);
  }, start);
}

/** Stores the low bytes, without a check. */
function storeBytes(
  e: LlvmEmitter,
  stored: Value,
  address: Value,
  offset: number,
  size: number,
): void {
  for (const { at, bytes } of piecesOf(size)) {
    const shifted = at === 0 ? stored : e.emit(Op.ZShr, stored.type, stored, e.int(8 * at));
    if (bytes === 8) e.store(Op.Store, shifted, address, offset + at);
    else {
      const opcode = bytes === 4 ? Op.Store : bytes === 2 ? Op.Store16 : Op.Store8;
      e.store(opcode, e.narrowed(shifted), address, offset + at);
    }
  }
}

interface AccessShape {
  readonly size: number;
  readonly alignment: number;
  readonly isStore: boolean;
}

/** Exits unless the bytes are in one object that is alive and may be accessed. */
export function checkAccess(m: MemoryContext, pointer: LlvmScalar, shape: AccessShape): void {
  const { e, base, layout } = m;
  const { size, alignment, isStore } = shape;
  const { value: address, poison } = pointer;
  if (poison !== null) e.leaveIf(poison, "an access at poison");
  const distance = e.sub(address, base);
  const isFar = e.compare(Op.Above, distance, e.long(layout.states - size));
  e.leaveIf(isFar, "an access outside of objects");
  const needed = Math.min(alignment, 64);
  if (needed > 1) {
    const rest = e.narrowed(e.and(address, e.long(needed - 1)));
    e.leaveIf(rest, "an access that is not aligned");
  }
  for (const { at, bytes } of piecesOf(size)) {
    const states = loadPiece(e, address, layout.states + at, bytes);
    const word = (byte: number): Value => e.integer(states.type, repeated(byte, bytes));
    e.leaveIf(e.and(states, word(BYTE_STATES.absent)), "an access outside of objects");
    if (isStore) e.leaveIf(e.and(states, word(BYTE_STATES.constant)), "a store to a constant");
  }
}

/** Returns whether a byte in the range is poison. */
function poisonAt(m: MemoryContext, address: Value, offset: number, size: number): Value {
  const { e, layout, side } = m;
  const open = side === "before" ? BYTE_STATES.poison | BYTE_STATES.unwritten : BYTE_STATES.poison;
  const states = loadBytes(e, address, layout.states + offset, size);
  const found = e.and(states, e.integer(states.type, repeated(open, size)));
  return e.compare(Op.NotEqual, found, e.integer(found.type, 0n));
}

function loadScalar(m: MemoryContext, address: Value, { type, offset }: ScalarPlace): LlvmScalar {
  const { e } = m;
  const size = storeSize(type);
  const poison = poisonAt(m, address, offset, size);
  if (type.kind === "float") return { value: e.load(Op.Load, Float, address, offset), poison };
  if (type.kind === "double") return { value: e.load(Op.Load, Double, address, offset), poison };
  const value = loadBytes(e, address, offset, size);
  if (type.kind !== "int") return { value, poison };
  const register: Type = registerType(type, e.line);
  const whole = register === Int32 ? e.narrowed(value) : value;
  return { value: zeroExtended(e, type.bits, whole), poison };
}

/** Writes a state for bytes that are stored. */
function setStates(
  m: MemoryContext,
  address: Value,
  offset: number,
  size: number,
  poison: Value | null,
): void {
  const { e, layout } = m;
  const type = size > 4 ? Int64 : Int32;
  const defined = e.integer(type, 0n);
  const states =
    poison === null
      ? defined
      : e.select(poison, e.integer(type, repeated(BYTE_STATES.poison, size)), defined);
  storeBytes(e, states, address, layout.states + offset, size);
}

function storeScalar(
  m: MemoryContext,
  address: Value,
  { type, offset }: ScalarPlace,
  { value, poison }: LlvmScalar,
): void {
  const { e } = m;
  const size = storeSize(type);
  setStates(m, address, offset, size, poison);
  if (type.kind === "float" || type.kind === "double") e.store(Op.Store, value, address, offset);
  else storeBytes(e, value, address, offset, size);
}

/** A vector of elements that share bytes. */
function isPacked(type: LlvmType): boolean {
  if (type.kind === "vector") return type.element.kind === "int" && type.element.bits % 8 !== 0;
  if (type.kind === "array") return isPacked(type.element);
  return type.kind === "struct" && type.fields.some(isPacked);
}

function placesOf(type: LlvmType, line: number): readonly ScalarPlace[] {
  const places = scalarsOf(type, line);
  if (isPacked(type)) throw outside(line, "a vector in memory whose elements share bytes");
  return places;
}

/** Loads each scalar, without a check. */
export function loadLeaves(m: MemoryContext, address: Value, type: LlvmType): LlvmScalars {
  return placesOf(type, m.e.line).map((place) => loadScalar(m, address, place));
}

/** Stores each scalar, without a check. */
export function storeLeaves(
  m: MemoryContext,
  address: Value,
  type: LlvmType,
  leaves: LlvmScalars,
): void {
  placesOf(type, m.e.line).forEach((place, i) => {
    storeScalar(m, address, place, leaves[i]);
  });
}

/** Makes a range an object, or ends one: all its bytes get a state. */
export function fillStates(
  m: MemoryContext,
  address: Value,
  size: Value,
  state: number | Value,
): void {
  const { e, layout } = m;
  const byte = typeof state === "number" ? e.int(state) : state;
  e.emit(Op.FillBytes, Void, byte, e.offset(address, layout.states), size);
}

/** The helpers that bulk operations call. */
export interface RangeProcedures {
  /** (address, size) -> the states of all bytes, or'ed; `absent` outside of the memory. */
  readonly statesIn: Procedure;
  /** (address, size): removes the mark of constants from the states. */
  readonly unmark: Procedure;
}

export function rangeProcedures(layout: LlvmLayout): RangeProcedures {
  return { statesIn: writeStatesIn(layout), unmark: writeUnmark(layout) };
}

/** The states that an iteration reads. */
const STRIDE = 32;

function writeStatesIn(layout: LlvmLayout): Procedure {
  const e = new LlvmEmitter("$statesIn", [Int32], { next: 0 });
  const [base, address, size] = [Int64, Int64, Int64].map((type) => e.proc.newParameter(type));
  const distance = e.sub(address, base);
  const end = e.add(distance, size);
  const limit = e.long(layout.states);
  const isFar = e.emit(
    Op.BitOr,
    Int32,
    e.compare(Op.Above, distance, limit),
    e.emit(Op.BitOr, Int32, e.compare(Op.Above, size, limit), e.compare(Op.Above, end, limit)),
  );
  const whole = e.and(size, e.integer(Int64, BigInt(-STRIDE)));
  const entry = e.block;
  const far = e.startBlock();
  e.return(e.int(BYTE_STATES.absent));
  const head = e.startBlock();
  const [at, all] = [e.phi(Int64), e.phi(Int32)];
  const body = e.startBlock();
  const place = e.add(address, at);
  let seen: Value = all;
  for (let k = 0; k < STRIDE; k += 4)
    seen = e.emit(Op.BitOr, Int32, seen, e.load(Op.Load, Int32, place, layout.states + k));
  e.upsilon(e.add(at, e.long(STRIDE)), at);
  e.upsilon(seen, all);
  e.jump(head);
  const rest = e.startBlock();
  const halves = e.emit(Op.BitOr, Int32, all, e.emit(Op.ZShr, Int32, all, e.int(16)));
  const folded = e.emit(Op.BitOr, Int32, halves, e.emit(Op.ZShr, Int32, halves, e.int(8)));
  const last = e.startBlock();
  const [byte, result] = [e.phi(Int64), e.phi(Int32)];
  const lastBody = e.startBlock();
  const state = e.load(Op.Load8Z, Int32, e.add(address, byte), layout.states);
  e.upsilon(e.add(byte, e.long(1)), byte);
  e.upsilon(e.emit(Op.BitOr, Int32, result, state), result);
  e.jump(last);
  const done = e.startBlock();
  e.return(result);
  e.block = last;
  e.branch(e.compare(Op.Below, byte, size), lastBody, done);
  e.block = rest;
  e.upsilon(whole, byte);
  e.upsilon(e.and(folded, e.int(0xff)), result);
  e.jump(last);
  e.block = head;
  e.branch(e.compare(Op.Below, at, whole), body, rest);
  e.block = entry;
  e.upsilon(e.long(0), at);
  e.upsilon(e.int(0), all);
  e.branch(isFar, far, head);
  return e.proc;
}

function writeUnmark(layout: LlvmLayout): Procedure {
  const e = new LlvmEmitter("$unmark", [], { next: 0 });
  const [address, size] = [Int64, Int64].map((type) => e.proc.newParameter(type));
  const entry = e.block;
  const head = e.startBlock();
  const at = e.phi(Int64);
  const body = e.startBlock();
  const place = e.add(address, at);
  const state = e.load(Op.Load8Z, Int32, place, layout.states);
  e.store(Op.Store8, e.and(state, e.int(0xff ^ BYTE_STATES.constant)), place, layout.states);
  e.upsilon(e.add(at, e.long(1)), at);
  e.jump(head);
  const done = e.startBlock();
  e.return();
  e.block = head;
  e.branch(e.compare(Op.Below, at, size), body, done);
  e.block = entry;
  e.upsilon(e.long(0), at);
  e.jump(head);
  return e.proc;
}
