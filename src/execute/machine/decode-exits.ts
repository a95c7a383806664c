// Reads the exit table of compiled code. It is written from the description of the format alone,
// independently of the encoder. A damaged table gives an error or other frames, never a hang.

import { Int32, Int64, TYPE_NAMES } from "../../ir/types.js";

/** A location with the fields of the table; the compiler's exit records describe each field. */
export interface DecodedLocation {
  readonly place: number;
  readonly type: number;
  readonly index: number;
  readonly lo: number;
  readonly hi: number;
  /** The low and the high half of a value in halves; null for others. */
  readonly halves: readonly [DecodedLocation, DecodedLocation] | null;
}

interface DecodedFrame {
  readonly name: string;
  readonly point: number;
  readonly slots: readonly DecodedLocation[];
}

export interface DecodedExit {
  readonly exit: number;
  readonly procedure: number;
  readonly snapshot: number;
  readonly patchpoint: number;
  readonly frameSize: number;
  readonly saved: readonly number[];
  readonly blockSize: number;
  readonly leaves: readonly DecodedLocation[];
  readonly frames: readonly DecodedFrame[];
}

export const DECODED_PLACE = {
  dead: 0,
  general: 1,
  vector: 2,
  frame: 3,
  constant: 4,
  result: 5,
  contents: 6,
  fields: 7,
  halves: 8,
} as const;
const PLACE_COUNT = 9;
const VERSION = 5;

/** The bytes are no exit table. */
export class ExitTableError extends Error {
  override readonly name = "ExitTableError";
}

/** Decodes a whole table. Throws an ExitTableError with the offset in bytes. */
export function decodeExits(bytes: Uint8Array): DecodedExit[] {
  const reader = new TableReader(bytes);
  const version = reader.number();
  if (version !== VERSION) reader.fail(`the table has version ${version}, expected ${VERSION}`);
  const names = reader.list(() => reader.text());
  const constants = reader.list(() => ({ lo: reader.number() | 0, hi: reader.number() | 0 }));
  const location = (): DecodedLocation => readLocation(reader, constants);
  const exits = reader.list(() => ({
    exit: reader.number(),
    procedure: reader.number(),
    snapshot: reader.number(),
    patchpoint: reader.number(),
    frameSize: reader.number(),
    saved: reader.list(() => reader.number()),
    blockSize: reader.number(),
    leaves: reader.list(location),
    frames: reader.list(() => ({
      name: names[reader.indexBelow(names.length, "name")],
      point: reader.number(),
      slots: reader.list(location),
    })),
  }));
  reader.end();
  return exits;
}

type ConstantWords = readonly { readonly lo: number; readonly hi: number }[];

function readLocation(reader: TableReader, constants: ConstantWords): DecodedLocation {
  const { place, type } = readTag(reader);
  if (place !== DECODED_PLACE.halves) return readPlace(reader, constants, place, type);
  if (type !== WHOLE)
    reader.fail(`a value in two halves has type ${type}, expected ${WHOLE} (Int64)`);
  const halves = [readHalf(reader, constants), readHalf(reader, constants)] as const;
  return { place, type, index: 0, lo: 0, hi: 0, halves };
}

// A half is never in halves itself, so no table makes this recursive.
function readHalf(reader: TableReader, constants: ConstantWords): DecodedLocation {
  const { place, type } = readTag(reader);
  if (type !== HALF || !HOLDS_HALF.has(place)) {
    reader.fail(
      `a half has kind ${place} and type ${type}, expected a location of type ${HALF} (Int32)`,
    );
  }
  return readPlace(reader, constants, place, type);
}

function readTag(reader: TableReader): { readonly place: number; readonly type: number } {
  const tag = reader.number();
  const place = tag & 15;
  const type = tag >>> 4;
  if (place >= PLACE_COUNT || type >= TYPE_NAMES.length)
    reader.fail(`a slot has the unknown kind ${tag}`);
  if (UNTYPED.has(place) !== (type === 0))
    reader.fail(`a slot of kind ${place} may not have type ${type}`);
  return { place, type };
}

/** Reads the fields after the tag, for every kind but halves. */
function readPlace(
  reader: TableReader,
  constants: ConstantWords,
  place: number,
  type: number,
): DecodedLocation {
  if (place === DECODED_PLACE.dead) return { place, type, index: 0, lo: 0, hi: 0, halves: null };
  if (place === DECODED_PLACE.constant) {
    const { lo, hi } = constants[reader.indexBelow(constants.length, "constant")];
    return { place, type, index: 0, lo, hi, halves: null };
  }
  const word = reader.number();
  // The stack arguments are above the frame pointer, at a negative distance downward.
  const index = place === DECODED_PLACE.frame ? word | 0 : word;
  const lo = place === DECODED_PLACE.contents ? reader.number() : 0;
  return { place, type, index, lo, hi: 0, halves: null };
}

const UNTYPED: ReadonlySet<number> = new Set([
  DECODED_PLACE.dead,
  DECODED_PLACE.contents,
  DECODED_PLACE.fields,
]);
const HOLDS_HALF: ReadonlySet<number> = new Set([
  DECODED_PLACE.general,
  DECODED_PLACE.vector,
  DECODED_PLACE.frame,
  DECODED_PLACE.constant,
]);
const WHOLE: number = Int64;
const HALF: number = Int32;

class TableReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Reads an unsigned LEB128 number of at most 32 bits, in its shortest form. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.bytes.length) this.fail("the table ends within a number");
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) this.fail("a number is not in its shortest form");
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    return this.fail("a number has more than 32 bits");
  }

  indexBelow(count: number, what: string): number {
    const index = this.number();
    if (index >= count)
      this.fail(`the index of a ${what} is ${index}, expected less than ${count}`);
    return index;
  }

  // Each element takes at least one byte, so a count above the remaining bytes is invalid.
  list<T>(element: () => T): T[] {
    const count = this.number();
    if (count > this.bytes.length - this.at)
      this.fail(`a list of ${count} elements does not fit the rest of the table`);
    const elements: T[] = [];
    for (let i = 0; i < count; i++) elements.push(element());
    return elements;
  }

  text(): string {
    const length = this.number();
    if (length > this.bytes.length - this.at)
      this.fail(`a name of ${length} bytes does not fit the rest of the table`);
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return text;
  }

  end(): void {
    if (this.at !== this.bytes.length) this.fail("there are bytes after the end of the table");
  }

  fail(message: string): never {
    throw new ExitTableError(`exit table, byte ${this.at}: ${message}`);
  }
}
