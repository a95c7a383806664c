// Executes loads, stores, atomic operations, copies, fills, allocations and fences: docs/language.md, section 5. If
// several rules apply to one value, section 9 gives the order of the tests.

import { FENCES } from "../ir/fences.js";
import { nameOfOpcode, Op } from "../ir/opcodes.js";
import { accessSize, type Value } from "../ir/procedure.js";
import { EXCHANGES } from "./meanings.js";
import {
  ADDRESS_BYTES,
  type ByteRange,
  datumOf,
  imageOf,
  integerOf,
  markMissing,
  markWritten,
  newObject,
  readBytes,
  type StoredBits,
  wholeAmong,
  wholeAt,
  writeBytes,
} from "./memory.js";
import {
  consumeFuel,
  endIfNaNBits,
  endIfUndefined,
  type ProcedureActivation,
  type ProcedureRun,
} from "./state.js";

/** Returns the bytes at an address. A byte out of bounds is undefined (language.md, section 5). */
function bytesAt(run: ProcedureRun, address: StoredBits, offset: number, size: number): ByteRange {
  const memory = address.slot ?? run.heap;
  const at = BigInt.asIntN(64, integerOf(address) + BigInt(offset) - memory.start);
  const isOutside = at < 0n || at > BigInt(memory.bytes.length - size);
  const kind = memory.slot === null ? "heap" : "slot";
  endIfUndefined(run, isOutside, `${kind} access out of bounds`);
  return { memory, at: Number(at), size };
}

/**
 * Checks that an access stays in its object, or touches no object if its address is no object's (language.md, section
 * 5).
 */
export function checkObject(run: ProcedureRun, object: number | undefined, range: ByteRange): void {
  const { memory, at, size } = range;
  const { start, end } = memory.objects[object ?? 0];
  const entersNone = memory.owners.subarray(at, at + size).every((owner) => owner === 0);
  const isAllowed = object === undefined ? entersNone : at >= start && at + size <= end;
  endIfUndefined(run, !isAllowed, "byte of an object");
}

/** Looks at an address, and returns the bytes of an access to it (language.md, section 5). */
export function rangeAt(
  run: ProcedureRun,
  address: StoredBits,
  offset: number,
  size: number,
): ByteRange {
  endIfNaNBits(run, address.anyNaN);
  const range = bytesAt(run, address, offset, size);
  checkObject(run, address.object, range);
  return range;
}

/** Returns the bytes of a load, store or atomic operation, and checks its class (language.md, section 5). */
function accessedRange(run: ProcedureRun, value: Value, address: StoredBits): ByteRange {
  const range = rangeAt(run, address, value.offset, accessSize(value));
  const { memory, at, size } = range;
  if (memory.slot !== null || value.memoryClass === 0) return range;
  const isOther = (byte: number): boolean => byte !== 0 && byte !== value.memoryClass;
  const classes = memory.classes.subarray(at, at + size);
  endIfUndefined(run, classes.some(isOther), "byte of another class");
  classes.fill(value.memoryClass);
  return range;
}

/** Checks that no byte is dead or unwritten (language.md, sections 5 and 7). */
function checkReadable(run: ProcedureRun, { memory, at, size }: ByteRange): void {
  const isMissing = memory.missing.subarray(at, at + size).includes(1);
  endIfUndefined(run, isMissing, memory.slot === null ? "dead heap byte" : "unwritten slot byte");
}

/** Looks at the bits of bytes: ends the run if one belongs to any NaN (language.md, section 8). */
export function lookAtBytes(run: ProcedureRun, range: ByteRange): void {
  checkReadable(run, range);
  endIfNaNBits(
    run,
    wholeAmong(range).some(({ datum }) => datum.anyNaN),
  );
}

/** Checks that a write to the bytes leaves no part of any NaN (language.md, section 8). */
export function checkNotCut(run: ProcedureRun, range: ByteRange): void {
  endIfNaNBits(
    run,
    wholeAmong(range).some(({ datum, isInside }) => datum.anyNaN && !isInside),
  );
}

/** Checks that no LoadInvariant has read a byte that is to be written (language.md, section 5). */
export function checkWritable(run: ProcedureRun, { memory, at, size }: ByteRange): void {
  const isInvariant = memory.invariant.subarray(at, at + size).includes(1);
  endIfUndefined(run, isInvariant, "invariant byte written");
}

/** Executes a load, and returns its result (language.md, section 5). */
export function load(
  { run }: ProcedureActivation,
  value: Value,
  [address]: readonly StoredBits[],
): StoredBits {
  const range = accessedRange(run, value, address);
  const { memory, at, size } = range;
  const whole = wholeAt(range);
  if (whole?.anyNaN) checkReadable(run, range);
  else lookAtBytes(run, range);
  const isInvariant = value.opcode === Op.LoadInvariant && memory.slot === null;
  if (isInvariant) memory.invariant.fill(1, at, at + size);
  const isSigned = value.opcode === Op.Load8S || value.opcode === Op.Load16S;
  const bits = readBytes(range);
  const extended = isSigned ? BigInt.asIntN(8 * size, bits) : bits;
  const loaded = datumOf(value.type, extended, whole?.anyNaN, whole?.object);
  if (value.opcode === Op.LoadVolatile) run.volatileLoads.push(loaded);
  return loaded;
}

/** Executes a store (language.md, section 5). */
export function store(
  { run }: ProcedureActivation,
  value: Value,
  [datum, address]: readonly StoredBits[],
): null {
  endIfNaNBits(run, datum.anyNaN && value.opcode !== Op.Store); // a narrow store looks at the bits
  const range = accessedRange(run, value, address);
  const { memory } = range;
  checkWritable(run, range);
  if (memory.slot?.isLocked === false) markMissing({ memory, at: 0, size: memory.bytes.length });
  checkNotCut(run, range);
  writeBytes(range, datum);
  return null;
}

/** Executes an atomic operation, and returns its result (language.md, section 5). */
export function atomic(
  { run }: ProcedureActivation,
  value: Value,
  operands: readonly StoredBits[],
): StoredBits {
  endIfNaNBits(
    run,
    operands.some(({ anyNaN }) => anyNaN),
  );
  const range = accessedRange(run, value, operands[operands.length - 1]);
  endIfUndefined(run, range.at % range.size !== 0, "unaligned atomic access"); // the heap is aligned
  lookAtBytes(run, range);
  checkWritable(run, range);
  const old = readBytes(range);
  const given = datumOf(value.type, old, false, wholeAt(range)?.object);
  const [x, replacement] = operands;
  const name = nameOfOpcode(value.opcode).replace(/(8|16)$/, "");
  if (name === "AtomicXchg") writeBytes(range, x);
  else if (name in EXCHANGES) {
    writeBytes(range, datumOf(x.type, EXCHANGES[name](old, integerOf(x))));
  } else {
    const isExpected = old === BigInt.asUintN(8 * range.size, integerOf(x));
    if (isExpected) writeBytes(range, replacement);
    if (name === "AtomicWeakCAS") return datumOf(value.type, isExpected ? 1n : 0n);
  }
  return given;
}

/** Executes CopyBytes or FillBytes (language.md, section 5). */
export function bulk(
  { run }: ProcedureActivation,
  { opcode }: Value,
  operands: readonly StoredBits[],
): null {
  endIfNaNBits(
    run,
    operands.some(({ anyNaN }) => anyNaN),
  );
  const [x, y, length] = operands;
  const size = Number(BigInt.asUintN(64, integerOf(length)));
  if (size === 0) return null;
  const [target, source] = opcode === Op.CopyBytes ? [x, y] : [y, null];
  const to = bytesAt(run, target, 0, size);
  const from = source === null ? null : bytesAt(run, source, 0, size);
  consumeFuel(run, size);
  checkObject(run, target.object, to);
  if (from !== null) checkObject(run, source?.object, from);
  if (from !== null) lookAtBytes(run, from);
  checkWritable(run, to);
  endIfNaNBits(
    run,
    wholeAmong(to).some(({ datum }) => datum.anyNaN),
  );
  const moved = from === null ? [] : wholeAmong(from).filter(({ isInside }) => isInside);
  markWritten(to);
  if (from === null) run.heap.bytes.fill(x.lo & 0xff, to.at, to.at + size);
  else run.heap.bytes.copyWithin(to.at, from.at, from.at + size);
  for (const { start, datum } of moved) run.heap.whole.set(start - (from?.at ?? 0) + to.at, datum);
  return null;
}

/** Makes an object, and returns its address (language.md, section 5). */
export function allocate(
  { run }: ProcedureActivation,
  { type }: Value,
  operands: readonly StoredBits[],
): StoredBits {
  const [address, size] = operands;
  endIfNaNBits(run, size.anyNaN);
  const pointer = rangeAt(run, address, 0, ADDRESS_BYTES);
  lookAtBytes(run, pointer);
  checkWritable(run, pointer);
  const start = datumOf(type, readBytes(pointer));
  const length = BigInt.asUintN(64, integerOf(size));
  const object = newObject(rangeAt(run, start, 0, Number(length)));
  checkObject(run, address.object, pointer); // no object contains the allocation pointer that it comes from
  writeBytes(pointer, datumOf(type, integerOf(start) + length));
  return { ...start, object };
}

/** Records a fence. The first four of a run that order stores record the heap as well (language.md, section 5). */
export function fence({ run }: ProcedureActivation, { fenceKind }: Value): null {
  const { name, holdsStores } = FENCES[fenceKind];
  const heap = holdsStores && run.fences.length < 4 ? imageOf(run.heap) : null;
  run.fences.push({ orders: name, after: run.volatileLoads.length, heap });
  return null;
}
