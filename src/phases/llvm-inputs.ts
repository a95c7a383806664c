// Generates inputs for functions of LLVM IR: small numbers and boundaries, pointers to objects, contents of objects, and
// initial writes to them.

import { drawBits, drawBoundary, drawTame } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import type { LlvmLayout } from "../import/llvm/layout.js";
import {
  LEADING_PARAMETERS,
  type LlvmSubject,
  parameterTypes,
  type SubjectParameter,
} from "../import/llvm/subject.js";
import { HEAP_BASE, HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import { Float, Int32, isFloating } from "../ir/types.js";
import { type WordPair, wideBits, wideWords } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import type { HeapLocation } from "./heap-locations.js";

/** Masks of contents: all bits, small numbers of each width, letters, zeroes. */
const MASKS: readonly WordPair[] = [
  [-1, -1],
  [0x0707_0707, 0x0707_0707],
  [0x000f_000f, 0x000f_000f],
  [0x0000_000f, 0x0000_000f],
  [0x0000_000f, 0],
  [0x7f7f_7f7f, 0x7f7f_7f7f],
  [0x0000_00ff, 0x0000_00ff],
  [0, 0],
];
/** The number of an object that does not exist: a null pointer. */
const NO_OBJECT = -1;

export class LlvmInputs {
  private readonly subject: LlvmSubject;
  private readonly layout: LlvmLayout;
  private readonly firstWrite: number;
  private readonly length: number;

  constructor(subject: LlvmSubject, layout: LlvmLayout) {
    this.subject = subject;
    this.layout = layout;
    this.firstWrite = LEADING_PARAMETERS + subject.parameters.length;
    this.length = parameterTypes(subject).length;
  }

  draw(source: ChoiceSource): Input {
    const words = new Int32Array(2 * this.length);
    words.set([HEAP_BASE_LO, HEAP_BASE_HI], 0);
    words.set(MASKS[source.below(MASKS.length)], 2);
    this.subject.parameters.forEach((parameter, p) => {
      words.set(this.drawWord(source, parameter), 2 * (LEADING_PARAMETERS + p));
    });
    this.subject.writes.forEach((_, w) => {
      words.set(this.unusedAddress(), 2 * (this.firstWrite + 2 * w));
    });
    return { words, heapSeed: chance(source, 15) ? 0 : drawBits(source) | 1 };
  }

  /**
   * Returns the inputs of a function that takes the number of its call, and a pointer.
   * @param seeds for each call, the seed of the bytes that the pointer refers to
   */
  calls(seeds: readonly number[]): Input[] {
    return seeds.map((seed, call) => {
      const words = new Int32Array(2 * this.length);
      words.set([HEAP_BASE_LO, HEAP_BASE_HI, 0, 0, call], 0);
      return { words, heapSeed: steppedSeed(seed, -this.layout.objects[0].at / 4) };
    });
  }

  private drawWord(source: ChoiceSource, { type, object, isPrivate }: SubjectParameter): WordPair {
    if (object !== null) {
      if (chance(source, 5)) return [0, NO_OBJECT];
      if (isPrivate || chance(source, 80)) return [0, object];
      return [8 * source.below(4), this.sharedObject(source, object)];
    }
    if (isFloating(type))
      return chance(source, 40) ? drawTame(source, type) : drawBoundary(source, type);
    const roll = source.below(10);
    if (roll < 4) return [source.below(8), 0];
    if (roll < 6) return [source.below(64), 0];
    if (roll < 7) return [drawBits(source), type === Int32 ? 0 : drawBits(source)];
    return chance(source, 50) ? drawTame(source, type) : drawBoundary(source, type);
  }

  /** Draws an object of a pointer that may be equal to others. */
  private sharedObject(source: ChoiceSource, own: number): number {
    const shared = this.subject.parameters.flatMap(({ object, isPrivate }) =>
      object === null || isPrivate ? [] : [object],
    );
    return shared.length === 0 ? own : shared[source.below(shared.length)];
  }

  /** An address at the end of the heap, which marks an unused initial write. */
  private unusedAddress(): WordPair {
    return [HEAP_BASE_LO + this.layout.heapBytes - 8, HEAP_BASE_HI];
  }

  /** Adds an initial write that stores the present contents of a place in an object. */
  withInitialWrite(input: Input, { distance, bytes, contents }: HeapLocation): Input {
    const { argumentsAt, externalAt } = this.layout;
    if (distance < argumentsAt || distance + bytes > externalAt) return input;
    const [free] = this.unusedAddress();
    const at = this.subject.writes.findIndex(
      (write, w) => write.bytes === bytes && input.words[2 * (this.firstWrite + 2 * w)] === free,
    );
    if (at < 0) return input;
    const words = input.words.slice();
    words.set([HEAP_BASE_LO + distance, HEAP_BASE_HI], 2 * (this.firstWrite + 2 * at));
    words.set(contents, 2 * (this.firstWrite + 2 * at + 1));
    return { words, heapSeed: input.heapSeed };
  }

  /** Returns a copy that changes the contents of objects, or one number. */
  changeLowBits(source: ChoiceSource, { words: old, heapSeed }: Input): Input {
    const words = old.slice();
    if (this.layout.objects.length > 0 && chance(source, 40)) {
      words.set(MASKS[source.below(MASKS.length)], 2);
      return { words, heapSeed: drawBits(source) | 1 };
    }
    const [free] = this.unusedAddress();
    const numbers = this.subject.parameters.flatMap(({ object }, p) =>
      object === null ? [LEADING_PARAMETERS + p] : [],
    );
    const written = this.subject.writes.flatMap((_, w) => {
      const address = this.firstWrite + 2 * w;
      return words[2 * address] === free ? [] : [address + 1];
    });
    const used = [...numbers, ...written];
    if (used.length === 0) return { words, heapSeed: drawBits(source) | 1 };
    words[2 * used[source.below(used.length)]] ^= chance(source, 50)
      ? 1 + source.below(7)
      : drawBits(source) >>> 16;
    return { words, heapSeed };
  }

  /** Returns the input with the mask, the pointers and the addresses of writes of another one. */
  withPreparation({ words: moved, heapSeed }: Input, { words: original }: Input): Input {
    const words = moved.slice();
    const restore = (parameter: number): void => {
      words.set(original.subarray(2 * parameter, 2 * parameter + 2), 2 * parameter);
    };
    restore(1);
    this.subject.parameters.forEach(({ object }, p) => {
      if (object !== null) restore(LEADING_PARAMETERS + p);
    });
    this.subject.writes.forEach((_, w) => {
      restore(this.firstWrite + 2 * w);
    });
    return { words, heapSeed };
  }

  /** Returns the input for a program with another layout. */
  relocated({ words: old, heapSeed }: Input, other: LlvmLayout): Input {
    const { heapBytes } = this.layout;
    const words = old.slice();
    this.subject.writes.forEach((_, w) => {
      const at = 2 * (this.firstWrite + 2 * w);
      const distance = Number(wideBits(words[at], words[at + 1]) - HEAP_BASE);
      if (distance >= heapBytes - 8) {
        words.set(wideWords(HEAP_BASE + BigInt(other.heapBytes - 8)), at);
        return;
      }
      const { object, offset } = objectAt(this.layout, distance);
      const moved = other.objects[object].at + offset;
      words.set(wideWords(HEAP_BASE + BigInt(moved)), at);
    });
    if (!this.subject.keepsContents) return { words, heapSeed };
    const moved = this.layout.objects[0].at - other.objects[0].at;
    return { words, heapSeed: steppedSeed(heapSeed, moved / 4) };
  }
}

/**
 * Returns the seed of a heap (`heapContents` of src/ir/outcome.ts) whose words are those that another heap has `count` words
 * later.
 */
function steppedSeed(seed: number, count: number): number {
  let x = seed;
  for (let i = 0; i < count; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  for (let i = 0; i > count; i--) {
    // The inverses of these steps, in the reverse order.
    x ^= (x << 5) ^ (x << 10) ^ (x << 15) ^ (x << 20) ^ (x << 25) ^ (x << 30);
    x ^= x >>> 17;
    x ^= (x << 13) ^ (x << 26);
  }
  return x;
}

/** Returns the last object that begins at or before a distance, and the offset in it. */
function objectAt({ objects }: LlvmLayout, distance: number): { object: number; offset: number } {
  const object = Math.max(
    0,
    objects.findLastIndex(({ at }) => at <= distance),
  );
  return { object, offset: distance - (objects[object]?.at ?? 0) };
}

const SHOWN_BYTES = 64;

/**
 * Prints the call of an input for a report.
 * @param contents the bytes of each object before the call
 */
export function printLlvmInput(
  { parameters, fields }: LlvmSubject,
  { objects }: LlvmLayout,
  { words }: Input,
  contents: readonly Uint8Array[],
): string {
  const args = parameters.map(({ type, object }, p) => {
    const at = 2 * (LEADING_PARAMETERS + p);
    const [lo, hi] = [words[at], words[at + 1]];
    if (object !== null) return hi in objects ? `object ${hi} + ${lo}` : "null";
    if (!isFloating(type)) return String(type === Int32 ? lo : wideBits(lo, hi));
    const view = new DataView(new ArrayBuffer(8));
    view.setInt32(0, hi);
    view.setInt32(4, lo);
    const x = type === Float ? view.getFloat32(4) : view.getFloat64(0);
    return Object.is(x, -0) ? "-0.0" : String(x);
  });
  const shown = contents.map((bytes, number) => {
    const end = 1 + bytes.findLastIndex((byte) => byte !== 0);
    const hex = Buffer.from(bytes.subarray(0, Math.min(end, SHOWN_BYTES))).toString("hex");
    const links = fields.flatMap(({ object, offset, target }) =>
      object === number ? [`, at ${offset} the address of object ${target}`] : [],
    );
    const more = end > SHOWN_BYTES ? "..." : "";
    return `object ${number}: ${bytes.length} bytes, ${hex || "all 0"}${more}${links.join("")}`;
  });
  return [`(${args.join(", ")})`, ...shown].join("; ");
}
