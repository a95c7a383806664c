// Reads the sections of a binary that may be malformed. It never reads past the end, and each loop
// makes progress.

import { errorAt } from "./import-error.js";

const HEADER = 8;
const SECTION = { custom: 0, import: 2, table: 4, memory: 5 } as const;
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;
const FUNCTION_NAMES = 1;
const [HAS_MAXIMUM, IS_64_BIT] = [1, 4];
/** First bytes of reference types that are followed by another integer. */
const [NULLABLE, NOT_NULLABLE] = [0x63, 0x64];

/** Reads integers and names; zeroes after the end. */
class ByteCursor {
  private readonly bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = Math.min(end, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    return this.isAtEnd ? 0 : this.bytes[this.at++];
  }

  /** Reads an integer of any length; bits above 32 are dropped. */
  integer(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  name(): Uint8Array {
    const length = this.integer();
    const start = this.at;
    this.at = Math.min(this.end, start + length);
    return this.bytes.subarray(start, this.at);
  }

  valueType(): void {
    const first = this.byte();
    if (first === NULLABLE || first === NOT_NULLABLE) this.integer();
  }

  /** @throws ImportError if the limits have 64 bits */
  limits(kind: "memories" | "tables"): void {
    const { at } = this;
    const flags = this.integer();
    if ((flags & IS_64_BIT) !== 0) throw errorAt(at, `64-bit ${kind} are outside of the import`);
    this.integer();
    if ((flags & HAS_MAXIMUM) !== 0) this.integer();
  }
}

interface WasmSection {
  readonly id: number;
  /** The location of the id; `start` is after the size. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Lists the sections of a binary, each cut at the end of the binary. */
export function* sectionsOf(bytes: Uint8Array): Generator<WasmSection> {
  const cursor = new ByteCursor(bytes, HEADER, bytes.length);
  while (!cursor.isAtEnd) {
    const { at } = cursor;
    const id = cursor.byte();
    const size = cursor.integer();
    const { at: start } = cursor;
    cursor.at = Math.min(bytes.length, start + size);
    yield { id, at, start, end: cursor.at };
  }
}

/**
 * Refuses memories and tables with 64-bit addresses, also in an invalid binary: versions of V8
 * differ in whether they accept them.
 * @throws ImportError
 */
export function refuse64Bit(bytes: Uint8Array): void {
  for (const { id, start, end } of sectionsOf(bytes)) {
    const cursor = new ByteCursor(bytes, start, end);
    const read = LIMITS.get(id);
    if (read === undefined) continue;
    const count = cursor.integer();
    for (let i = 0; i < count && !cursor.isAtEnd; i++) read(cursor);
  }
}

const LIMITS: ReadonlyMap<number, (cursor: ByteCursor) => void> = new Map([
  [SECTION.import, skipImport],
  [SECTION.table, readTable],
  [SECTION.memory, (cursor: ByteCursor) => cursor.limits("memories")],
]);

function readTable(cursor: ByteCursor): void {
  cursor.valueType();
  cursor.limits("tables");
}

function skipImport(cursor: ByteCursor): void {
  cursor.name();
  cursor.name();
  const kind = cursor.byte();
  if (kind === KIND.function) cursor.integer();
  else if (kind === KIND.table) readTable(cursor);
  else if (kind === KIND.memory) cursor.limits("memories");
  else if (kind === KIND.global) {
    cursor.valueType();
    cursor.byte();
  } else if (kind === KIND.tag) {
    cursor.byte();
    cursor.integer();
  }
}

/** Returns the function names of the name section, by index. A malformed entry ends the list. */
export function functionNames(bytes: Uint8Array): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { id, start, end } of sectionsOf(bytes)) {
    if (id !== SECTION.custom) continue;
    const section = new ByteCursor(bytes, start, end);
    if (textOf(section.name()) !== "name") continue;
    while (!section.isAtEnd) {
      const kind = section.byte();
      const size = section.integer();
      const entries = new ByteCursor(bytes, section.at, section.at + size);
      section.at += size;
      if (kind !== FUNCTION_NAMES) continue;
      const count = entries.integer();
      for (let i = 0; i < count && !entries.isAtEnd; i++) {
        const index = entries.integer();
        names.set(index, textOf(entries.name()));
      }
    }
  }
  return names;
}

/** Returns a copy with zeroes in custom sections; the other sections keep their positions. */
export function withoutCustomSections(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  for (const { id, start, end } of sectionsOf(bytes)) {
    if (id === SECTION.custom) copy.fill(0, start, end);
  }
  return copy;
}

/** Returns the position after this many integers, and the last of them. */
export function integersAt(
  bytes: Uint8Array,
  at: number,
  count: number,
): { readonly end: number; readonly last: number } {
  const cursor = new ByteCursor(bytes, at, bytes.length);
  let last = 0;
  for (let i = 0; i < count; i++) last = cursor.integer();
  return { end: cursor.at, last };
}

export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
