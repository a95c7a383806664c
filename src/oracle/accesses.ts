// Loads, stores, atomic operations, copies, fills, objects and fences: docs/language.md, section 5.
// Where several rules apply to one value, section 9 says which is tested first.

import { FENCES } from "../ir/fences.js";
import { nameOfOpcode, Op } from "../ir/opcodes.js";
import { accessSize, type Value } from "../ir/procedure.js";
import { EXCHANGES } from "./meanings.js";
import {
  ADDRESS_BYTES,
  type Datum,
  datumOf,
  forget,
  imageOf,
  integerOf,
  lose,
  newObject,
  type Place,
  readBytes,
  wholeAmong,
  wholeAt,
  writeBytes,
} from "./memory.js";
import { type Activation, nanBitsIf, pay, type Run, undefinedIf } from "./state.js";

/** Returns the bytes at an address; undefined is a byte outside (language.md, section 5). */
function bytesAt(run: Run, address: Datum, offset: number, size: number): Place {
  const memory = address.slot ?? run.heap;
  const at = BigInt.asIntN(64, integerOf(address) + BigInt(offset) - memory.start);
  const isOutside = at < 0n || at > BigInt(memory.bytes.length - size);
  const kind = memory.slot === null ? "heap" : "slot";
  undefinedIf(run, isOutside, `${kind} access out of bounds`);
  return { memory, at: Number(at), size };
}

/** Undefined is an access that leaves its object, or enters one by another address (language.md, section 5). */
export function stayInObject(run: Run, object: number | undefined, place: Place): void {
  const { memory, at, size } = place;
  const { start, end } = memory.objects[object ?? 0];
  const entersNone = memory.owners.subarray(at, at + size).every((owner) => owner === 0);
  const stays = object === undefined ? entersNone : at >= start && at + size <= end;
  undefinedIf(run, !stays, "byte of an object");
}

/** Returns the bytes of an access by an address, which is looked at (language.md, section 5). */
export function placeOf(run: Run, address: Datum, offset: number, size: number): Place {
  nanBitsIf(run, address.anyNaN);
  const place = bytesAt(run, address, offset, size);
  stayInObject(run, address.object, place);
  return place;
}

/** Returns the bytes of a load, a store or an atomic operation, which may state a class (language.md, section 5). */
function accessed(run: Run, value: Value, address: Datum): Place {
  const place = placeOf(run, address, value.lo, accessSize(value));
  const { memory, at, size } = place;
  if (memory.slot !== null || value.accessClass === 0) return place;
  const isOther = (byte: number): boolean => byte !== 0 && byte !== value.accessClass;
  const classes = memory.classes.subarray(at, at + size);
  undefinedIf(run, classes.some(isOther), "byte of another class");
  classes.fill(value.accessClass);
  return place;
}

/** Undefined is a read of a byte that is dead or unwritten (language.md, sections 5 and 7). */
function mayRead(run: Run, { memory, at, size }: Place): void {
  const isMissing = memory.missing.subarray(at, at + size).includes(1);
  undefinedIf(run, isMissing, memory.slot === null ? "dead heap byte" : "unwritten slot byte");
}

/** Looks at the bits of these bytes: none may belong to any NaN (language.md, section 8). */
export function lookAtBytes(run: Run, place: Place): void {
  mayRead(run, place);
  nanBitsIf(
    run,
    wholeAmong(place).some(({ datum }) => datum.anyNaN),
  );
}

/** Writes to bytes may not leave a part of any NaN (language.md, section 8). */
export function mayNotCut(run: Run, place: Place): void {
  nanBitsIf(
    run,
    wholeAmong(place).some(({ datum, isInside }) => datum.anyNaN && !isInside),
  );
}

/** Undefined is a write of a byte that a LoadInvariant has read (language.md, section 5). */
export function mayWrite(run: Run, { memory, at, size }: Place): void {
  const isInvariant = memory.invariant.subarray(at, at + size).includes(1);
  undefinedIf(run, isInvariant, "invariant byte written");
}

/** Executes a load, and returns what it gives (language.md, section 5). */
export function load({ run }: Activation, value: Value, [address]: readonly Datum[]): Datum {
  const place = accessed(run, value, address);
  const { memory, at, size } = place;
  const whole = wholeAt(place);
  if (whole?.anyNaN) mayRead(run, place);
  else lookAtBytes(run, place);
  const isInvariant = value.opcode === Op.LoadInvariant && memory.slot === null;
  if (isInvariant) memory.invariant.fill(1, at, at + size);
  const isSigned = value.opcode === Op.Load8S || value.opcode === Op.Load16S;
  const bits = readBytes(place);
  const extended = isSigned ? BigInt.asIntN(8 * size, bits) : bits;
  const loaded = datumOf(value.type, extended, whole?.anyNaN, whole?.object);
  if (value.opcode === Op.LoadVolatile) run.volatileLoads.push(loaded);
  return loaded;
}

/** Executes a store (language.md, section 5). */
export function store({ run }: Activation, value: Value, [datum, address]: readonly Datum[]): null {
  nanBitsIf(run, datum.anyNaN && value.opcode !== Op.Store); // to cut it is to look at it
  const place = accessed(run, value, address);
  const { memory } = place;
  mayWrite(run, place);
  if (memory.slot?.isLocked === false) lose({ memory, at: 0, size: memory.bytes.length });
  mayNotCut(run, place);
  writeBytes(place, datum);
  return null;
}

/** Executes an atomic operation, and returns what it gives (language.md, section 5). */
export function atomic({ run }: Activation, value: Value, operands: readonly Datum[]): Datum {
  nanBitsIf(
    run,
    operands.some(({ anyNaN }) => anyNaN),
  );
  const place = accessed(run, value, operands[operands.length - 1]);
  undefinedIf(run, place.at % place.size !== 0, "unaligned atomic access"); // the heap is aligned
  lookAtBytes(run, place);
  mayWrite(run, place);
  const old = readBytes(place);
  const given = datumOf(value.type, old, false, wholeAt(place)?.object);
  const [x, replacement] = operands;
  const name = nameOfOpcode(value.opcode).replace(/(8|16)$/, "");
  if (name === "AtomicXchg") writeBytes(place, x);
  else if (name in EXCHANGES) {
    writeBytes(place, datumOf(x.type, EXCHANGES[name](old, integerOf(x))));
  } else {
    const isExpected = old === BigInt.asUintN(8 * place.size, integerOf(x));
    if (isExpected) writeBytes(place, replacement);
    if (name === "AtomicWeakCAS") return datumOf(value.type, isExpected ? 1n : 0n);
  }
  return given;
}

/** Executes CopyBytes or FillBytes (language.md, section 5). */
export function bulk({ run }: Activation, { opcode }: Value, operands: readonly Datum[]): null {
  nanBitsIf(
    run,
    operands.some(({ anyNaN }) => anyNaN),
  );
  const [x, y, length] = operands;
  const size = Number(BigInt.asUintN(64, integerOf(length)));
  if (size === 0) return null;
  const [target, source] = opcode === Op.CopyBytes ? [x, y] : [y, null];
  const to = bytesAt(run, target, 0, size);
  const from = source === null ? null : bytesAt(run, source, 0, size);
  pay(run, size);
  stayInObject(run, target.object, to);
  if (from !== null) stayInObject(run, source?.object, from);
  if (from !== null) lookAtBytes(run, from);
  mayWrite(run, to);
  nanBitsIf(
    run,
    wholeAmong(to).some(({ datum }) => datum.anyNaN),
  );
  const moved = from === null ? [] : wholeAmong(from).filter(({ isInside }) => isInside);
  forget(to);
  if (from === null) run.heap.bytes.fill(x.lo & 0xff, to.at, to.at + size);
  else run.heap.bytes.copyWithin(to.at, from.at, from.at + size);
  for (const { start, datum } of moved) run.heap.whole.set(start - (from?.at ?? 0) + to.at, datum);
  return null;
}

/** Makes an object, and returns its address (language.md, section 5). */
export function allocate({ run }: Activation, { type }: Value, operands: readonly Datum[]): Datum {
  const [address, size] = operands;
  nanBitsIf(run, size.anyNaN);
  const pointer = placeOf(run, address, 0, ADDRESS_BYTES);
  lookAtBytes(run, pointer);
  mayWrite(run, pointer);
  const start = datumOf(type, readBytes(pointer));
  const length = BigInt.asUintN(64, integerOf(size));
  const object = newObject(placeOf(run, start, 0, Number(length)));
  stayInObject(run, address.object, pointer); // no object holds its own pointer
  writeBytes(pointer, datumOf(type, integerOf(start) + length));
  return { ...start, object };
}

/** Records a fence, and the heap at the first four of a run that order stores (language.md, section 5). */
export function fence({ run }: Activation, { lo }: Value): null {
  const { name, holdsStores } = FENCES[lo];
  const heap = holdsStores && run.fences.length < 4 ? imageOf(run.heap) : null;
  run.fences.push({ orders: name, after: run.volatileLoads.length, heap });
  return null;
}
