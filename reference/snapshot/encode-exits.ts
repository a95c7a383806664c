// Encodes exit records as the exit table, for a reader that is independent of the compiler.
//
// All numbers are unsigned LEB128 (DWARF 5, 7.6); those below 0 have 2^32 added. In this order:
//   version (5)
//   names: count, then each as length and UTF-8 bytes
//   constants: count, then low and high word of each
//   exits: count, then each as
//     exit, procedure, snapshot, patchpoint, frame size, saved count and saved registers,
//     size of the exit block, leaf count and leaves,
//     frame count, and each frame as name index, point, slot count, slots
//   a leaf or slot is place + 16 * type, then, unless it is dead, an index (for constants the
//   constant's index, for fields the number of bytes); contents have their size after the index;
//   halves have, instead of an index, the low and the high half, each encoded as a slot

import { CompileError } from "../emit/compile-error.js";
import { type ExitLocation, type ExitRecord, LocationKind } from "./exit-record.js";

const EXIT_TABLE_VERSION = 5;
/** The maximum number of slots in a frame; more are a compile error. */
const SLOTS_MAX = 65_535;

export function encodeExits(records: readonly ExitRecord[]): Uint8Array {
  const pools = new ExitTablePools();
  const body = new ByteWriter();
  body.number(records.length);
  for (const record of records) writeRecord(body, pools, record);
  const head = new ByteWriter();
  head.number(EXIT_TABLE_VERSION);
  head.number(pools.names.length);
  for (const name of pools.names) {
    const bytes = new TextEncoder().encode(name);
    head.number(bytes.length);
    for (const byte of bytes) head.bytes.push(byte);
  }
  head.number(pools.constants.length);
  for (const { lo, hi } of pools.constants) {
    head.number(lo);
    head.number(hi);
  }
  return Uint8Array.from(head.bytes.concat(body.bytes));
}

function writeRecord(out: ByteWriter, pools: ExitTablePools, record: ExitRecord): void {
  out.number(record.exit);
  out.number(record.procedure);
  out.number(record.snapshot);
  out.number(record.patchpoint);
  out.number(record.frameSize);
  out.number(record.saved.length);
  for (const register of record.saved) out.number(register);
  out.number(record.blockSize);
  writeLocations(out, pools, record.leaves);
  out.number(record.frames.length);
  for (const frame of record.frames) {
    out.number(pools.indexOfName(frame.name));
    out.number(frame.point);
    writeLocations(out, pools, frame.slots);
  }
}

function writeLocations(
  out: ByteWriter,
  pools: ExitTablePools,
  locations: readonly ExitLocation[],
): void {
  if (locations.length > SLOTS_MAX) {
    throw new CompileError(`${locations.length} slots in one frame, limit is ${SLOTS_MAX}`);
  }
  out.number(locations.length);
  for (const location of locations) writeLocation(out, pools, location);
}

function writeLocation(out: ByteWriter, pools: ExitTablePools, location: ExitLocation): void {
  out.number(location.place + 16 * location.type);
  if (location.place === LocationKind.Dead) return;
  if (location.halves !== null) {
    for (const half of location.halves) writeLocation(out, pools, half);
    return;
  }
  out.number(
    location.place === LocationKind.Constant ? pools.indexOfConstant(location) : location.index,
  );
  if (location.place === LocationKind.Contents) out.number(location.lo);
}

class ExitTablePools {
  readonly names: string[] = [];
  readonly constants: ExitLocation[] = [];
  /** Indices of constants by their low word, since a large snapshot may have thousands. */
  private readonly byLow = new Map<number, number[]>();

  indexOfName(name: string): number {
    const known = this.names.indexOf(name);
    return known >= 0 ? known : this.names.push(name) - 1;
  }

  indexOfConstant(constant: ExitLocation): number {
    const { constants, byLow } = this;
    const alike = byLow.get(constant.lo);
    const known = alike?.find((index) => constants[index].hi === constant.hi);
    if (known !== undefined) return known;
    const index = constants.push(constant) - 1;
    if (alike === undefined) byLow.set(constant.lo, [index]);
    else alike.push(index);
    return index;
  }
}

class ByteWriter {
  readonly bytes: number[] = [];

  /** Writes the low 32 bits, as an unsigned number. */
  number(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.bytes.push(rest);
  }
}
