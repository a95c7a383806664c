// The heap of an imported function: objects, then one byte of state for each of their bytes (LangRef, "Memory Model",
// "Object Lifetime").
//
//   cells       the end of the stack, the number of calls of other modules, results of procedures
//   contents    random bytes, from which objects get their contents
//   globals     and functions: a function has a byte that nothing accesses
//   arguments   the objects that pointers of the input refer to
//   external    objects that functions of other modules return
//   fresh       objects that the program allocates
//   stack       variables
//   states      for the byte at `a`, the state at `a` + `states`
//
// All texts of one function share a layout, so that equal pointers are equal numbers.

import { allocSize, type LlvmType, storeSize } from "../../llvm/types.js";

/** States of a byte. A byte of an object has one of the first three. */
export const BYTE_STATES = {
  defined: 0,
  poison: 1,
  /** Nothing was stored since the object began. */
  unwritten: 2,
  /** Added to the state of a byte that no store may change. */
  constant: 0x40,
  /** In no object that is alive. */
  absent: 0x80,
} as const;

/** Distances from the begin of the heap. */
export const CELLS = {
  stackEnd: 64,
  callCount: 72,
  freshEnd: 80,
  /** The addresses of the objects of arguments. */
  objects: 1280,
  /** Results of a procedure: values of 8 bytes, then their poison. */
  results: 128,
} as const;
export const RESULTS_MAX = 64;
/** Random bytes, at the same distance in every layout: the contents of objects. */
export const CONTENTS = { at: 2048, size: 4096 } as const;
const GLOBALS_AT = CONTENTS.at + CONTENTS.size;
/** The least size of an object that an argument points to. */
export const ARGUMENT_BYTES = 256;
export const ARGUMENTS_MAX = 16;
/** The greatest size of one. */
export const OBJECT_BYTES_MAX = 16_384;
/** The objects that functions of other modules return, at most, and their size. */
export const EXTERNAL_OBJECTS = 16;
export const EXTERNAL_BYTES = 64;
/** The size of the space for objects that the program allocates. */
export const FRESH_BYTES = 16_384;
/** The greatest size of the stack. */
export const STACK_BYTES = 32_768;
const PAGE = 4096;

/** Sizes of parts of the heap. Each execution copies the heap, so a part that is not used is small. */
export interface MemorySpaces {
  readonly stack: number;
  readonly fresh: number;
}

interface LlvmLayoutOptions extends MemorySpaces {
  /** Bytes in no object after each global or argument; a multiple of 64. */
  readonly gap: number;
  /** The sizes of the objects that arguments point to. */
  readonly objectSizes: readonly number[];
}

/** An object that pointers of the input refer to. */
interface ObjectPlace {
  readonly at: number;
  readonly size: number;
}

interface GlobalPlace {
  readonly at: number;
  readonly size: number;
}

const aligned = (size: number, to: number): number => Math.ceil(size / to) * to;

/** Space for globals that texts between the first and the last add. */
const LATER_BYTES = 1024;

export class LlvmLayout {
  /** The distance from the begin of the heap, of each global and function. */
  readonly globals = new Map<string, GlobalPlace>();
  readonly gap: number;
  readonly argumentsAt: number;
  readonly objects: readonly ObjectPlace[];
  readonly externalAt: number;
  readonly externalStride: number;
  readonly freshAt: number;
  readonly stackAt: number;
  readonly stackEnd: number;
  /** The distance from a byte to its state. */
  readonly states: number;
  readonly heapBytes: number;
  private next = GLOBALS_AT;

  /** @param sizes the globals and functions of the first text, in bytes */
  constructor(
    sizes: ReadonlyMap<string, number>,
    { gap, objectSizes, stack, fresh }: LlvmLayoutOptions,
  ) {
    this.gap = gap;
    for (const [name, size] of sizes) this.place(name, size);
    const end = this.next + LATER_BYTES;
    this.argumentsAt = aligned(end + gap, 64);
    let at = this.argumentsAt;
    this.objects = objectSizes.map((size) => {
      const object = { at, size };
      at += size + gap;
      return object;
    });
    this.externalAt = at;
    this.externalStride = EXTERNAL_BYTES + gap;
    this.freshAt = this.externalAt + EXTERNAL_OBJECTS * this.externalStride;
    this.stackAt = aligned(this.freshAt + fresh + gap, 64);
    this.stackEnd = this.stackAt + stack;
    this.states = aligned(this.stackEnd + gap, PAGE);
    this.heapBytes = 2 * this.states;
  }

  /** Returns where a global is; null if there is no space for it. */
  placeOf(name: string, type: LlvmType | null): GlobalPlace | null {
    const known = this.globals.get(name);
    if (known !== undefined) return known;
    const size = type === null ? 1 : Math.max(storeSize(type), allocSize(type));
    if (this.next + size + this.gap > this.argumentsAt) return null;
    return this.place(name, size);
  }

  private place(name: string, size: number): GlobalPlace {
    const place = { at: this.next, size };
    this.globals.set(name, place);
    this.next = aligned(this.next + size + this.gap, 64);
    return place;
  }

  /** Whether a distance from the begin of the heap is in an object whose address may differ between texts. */
  isPrivate = (distance: number): boolean =>
    distance >= this.externalAt && distance < this.stackEnd;
}
