// Reads the stacks and the memory that the trace driver writes in binary.

import { ImportError } from "../import-error.js";
import { PAYLOAD, tagOf } from "./values.js";

/** The stack before an instruction of the interpreter, or after an exit of machine code. */
export interface StackState {
  readonly tick: number;
  /** The address of the instruction; 0 at an exit. */
  readonly pc: number;
  /** The address of the stack, which may move. */
  readonly stack: number;
  /** The offset in the stack of the first slot of the innermost function. */
  readonly base: number;
  /** Returns the bits of the slot at an offset in the stack; null if it was not recorded. */
  readonly slot: (offset: number) => bigint | null;
  /** Returns the header and the first eight bytes of a cdata; null if none was recorded. */
  readonly object: (address: number) => Uint8Array | null;
}

const HEAD = 40;
const CDATA_BYTES = 24;
const CDATA_TAG = BigInt.asUintN(17, tagOf("cdt"));

/** Reads all complete records; a process that was ended writes a part of the last one. */
export function readStacks(log: Buffer): StackState[] {
  const states: StackState[] = [];
  let at = 0;
  while (at + HEAD <= log.length) {
    const count = log.readUInt32LE(at + 4);
    const first = at + HEAD;
    let next = first + 8 * count;
    if (next > log.length) break;
    const objects = new Map<number, Uint8Array>();
    for (let s = 0; s < count; s++) {
      const bits = log.readBigUInt64LE(first + 8 * s);
      if (bits >> 47n !== CDATA_TAG) continue;
      objects.set(Number(bits & PAYLOAD), log.subarray(next, next + CDATA_BYTES));
      next += CDATA_BYTES;
    }
    if (next > log.length) break;
    const stack = Number(log.readBigUInt64LE(at + 32));
    const low = Number(log.readBigUInt64LE(at + 24)) - stack;
    states.push({
      tick: log.readUInt32LE(at),
      pc: Number(log.readBigUInt64LE(at + 8)),
      stack,
      base: Number(log.readBigUInt64LE(at + 16)) - stack,
      slot: (offset) => {
        const s = (offset - low) / 8;
        return s >= 0 && s < count ? log.readBigUInt64LE(first + 8 * s) : null;
      },
      object: (address) => objects.get(address) ?? null,
    });
    at = next;
  }
  return states;
}

/** A copy of the memory of LuaJIT's process. */
export class CopiedMemory {
  private readonly regions: { readonly start: number; readonly bytes: Buffer }[] = [];
  private readonly zeroes: { readonly start: number; readonly size: number }[] = [];

  constructor(copy: Buffer) {
    let at = 0;
    while (at + HEAD <= copy.length) {
      const [start, size] = [8, 16].map((field) => Number(copy.readBigUInt64LE(at + field)));
      if (copy.readUInt32LE(at) === 1) {
        this.zeroes.push({ start, size });
        at += HEAD;
        continue;
      }
      if (at + HEAD + size > copy.length)
        throw new ImportError("the copy of the memory ends too early");
      this.regions.push({ start, bytes: copy.subarray(at + HEAD, at + HEAD + size) });
      at += HEAD + size;
    }
  }

  /** Returns the bytes at an address; null if they were not copied. */
  read(start: number, size: number): Uint8Array | null {
    const region = this.regions.find(
      (each) => start >= each.start && start + size <= each.start + each.bytes.length,
    );
    if (region === undefined) {
      const isZero = this.zeroes.some(
        (each) => start >= each.start && start + size <= each.start + each.size,
      );
      return isZero ? new Uint8Array(size) : null;
    }
    return region.bytes.subarray(start - region.start, start - region.start + size);
  }
}
