// Reads the exit table that compiled code comes with. Written from the description of the format
// alone, apart from the encoder: a table that was damaged gives an error or other frames, never a
// hang.

import { TYPE_NAMES } from "../ir/types.js";

/** As in the table; see the compiler's exit records for what each field means. */
export interface DecodedLocation {
  readonly place: number;
  readonly type: number;
  readonly index: number;
  readonly lo: number;
  readonly hi: number;
}

export interface DecodedFrame {
  readonly name: string;
  readonly point: number;
  readonly slots: readonly DecodedLocation[];
}

export interface DecodedExit {
  readonly exit: number;
  readonly procedure: number;
  readonly snapshot: number;
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
} as const;
const PLACE_COUNT = 8;
const VERSION = 3;

/** The bytes are no exit table. */
export class ExitTableError extends Error {
  override readonly name = "ExitTableError";
}

/** Decodes a whole table. Throws ExitTableError, naming the offset in bytes. */
export function decodeExits(bytes: Uint8Array): DecodedExit[] {
  const reader = new Reader(bytes);
  const version = reader.number();
  if (version !== VERSION) reader.fail(`version ${version}, expected ${VERSION}`);
  const names = reader.list(() => reader.text());
  const constants = reader.list(() => ({ lo: reader.number() | 0, hi: reader.number() | 0 }));
  const location = (): DecodedLocation => readLocation(reader, constants);
  const exits = reader.list(() => ({
    exit: reader.number(),
    procedure: reader.number(),
    snapshot: reader.number(),
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

function readLocation(
  reader: Reader,
  constants: readonly { readonly lo: number; readonly hi: number }[],
): DecodedLocation {
  const tag = reader.number();
  const place = tag & 7;
  const type = tag >>> 3;
  if (place >= PLACE_COUNT || type >= TYPE_NAMES.length) reader.fail(`slot of unknown kind ${tag}`);
  if (place === DECODED_PLACE.dead) {
    if (type !== 0) reader.fail("dead slot with a type");
    return { place, type, index: 0, lo: 0, hi: 0 };
  }
  if (place === DECODED_PLACE.contents) {
    if (type !== 0) reader.fail("contents with a type");
    return { place, type, index: reader.number(), lo: reader.number(), hi: 0 };
  }
  if (place === DECODED_PLACE.fields) {
    if (type !== 0) reader.fail("fields with a type");
    return { place, type, index: reader.number(), lo: 0, hi: 0 };
  }
  if (type === 0) reader.fail("slot without a type");
  if (place !== DECODED_PLACE.constant)
    return { place, type, index: reader.number(), lo: 0, hi: 0 };
  const { lo, hi } = constants[reader.indexBelow(constants.length, "constant")];
  return { place, type, index: 0, lo, hi };
}

class Reader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** An unsigned LEB128 number of at most 32 bits, in its shortest form. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.bytes.length) this.fail("table ends inside a number");
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) this.fail("number is not in its shortest form");
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    return this.fail("number exceeds 32 bits");
  }

  indexBelow(count: number, what: string): number {
    const index = this.number();
    if (index >= count) this.fail(`${what} ${index} of ${count}`);
    return index;
  }

  // Each element takes at least one byte, so a count beyond the rest of the table cannot be true.
  list<T>(element: () => T): T[] {
    const count = this.number();
    if (count > this.bytes.length - this.at) this.fail(`list of ${count} elements does not fit`);
    const elements: T[] = [];
    for (let i = 0; i < count; i++) elements.push(element());
    return elements;
  }

  text(): string {
    const length = this.number();
    if (length > this.bytes.length - this.at) this.fail(`name of ${length} bytes does not fit`);
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return text;
  }

  end(): void {
    if (this.at !== this.bytes.length) this.fail("bytes after the end of the table");
  }

  fail(message: string): never {
    throw new ExitTableError(`exit table, byte ${this.at}: ${message}`);
  }
}
