// SHA-256 (FIPS 180-4) of a message in the heap, as a compiler of C leaves it: bytes put together
// to words, the schedule on the stack, the constants in memory, a call for each block.

import type { StackSlot } from "../../src/ir/procedure.js";
import { Module, type Procedure } from "../../src/ir/procedure.js";
import { Int32, Void } from "../../src/ir/types.js";
import { ExitNumbers, FrontEnd, type Int, type Long } from "./front-end.js";
import { HEAP_SIZE, type Kernel } from "./kernel.js";

/** Where things are, from the start of the heap: the digest is left in the state. */
const STATE = 0;
const TAIL = 64;
const TABLE = 192;
export const MESSAGE = 448;

const ROUNDS = 64;
const BLOCK = 64;

const PRIMES = firstPrimes(ROUNDS);
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionBits(prime, 2n));
const CONSTANTS = PRIMES.map((prime) => fractionBits(prime, 3n));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

/** The first 32 bits of the fraction of a root, 5.3.3 and 4.2.2 of the standard. */
function fractionBits(of: number, degree: bigint): number {
  const shifted = BigInt(of) << (32n * degree);
  let root = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** degree <= shifted) root += bit;
  }
  return Number(BigInt.asIntN(32, root));
}

function build(): Module {
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const exits = new ExitNumbers();
  const f = new FrontEnd(module, "sha256", Int32, exits);
  const { emit } = f;
  const heap = f.parameter("Int64");
  const length = f.parameter("Int32");
  const compress = buildCompress(module, exits);
  const state = emit.Add(heap, f.long(STATE));
  const table = emit.Add(heap, f.long(TABLE));
  const tail = emit.Add(heap, f.long(TAIL));
  const message = emit.Add(heap, f.long(MESSAGE));
  INITIAL.forEach((word, i) => emit.Store(f.int(word), state, 4 * i));
  CONSTANTS.forEach((word, i) => emit.Store(f.int(word), table, 4 * i));

  const [at] = f.loop(
    [f.int(0)],
    ([at]) => emit.LessEqual(emit.Add(at, f.int(BLOCK)), length),
    ([at]) => {
      emit.CCall(compress, [state, table, emit.Add(message, emit.SExt32(at))]);
      return [emit.Add(at, f.int(BLOCK))];
    },
  );
  // What is left of the message, a bit, zeroes, and the length in bits, in one block or two.
  const rest = emit.Sub(length, at);
  const [size] = f.choose(
    emit.LessThan(rest, f.int(BLOCK - 8)),
    () => [f.int(BLOCK)],
    () => [f.int(2 * BLOCK)],
  );
  f.loop(
    [f.int(0)],
    ([i]) => emit.LessThan(i, size),
    ([i]) => {
      const [byte] = f.choose(
        emit.LessThan(i, rest),
        () => [emit.Load8Z(emit.Add(message, emit.SExt32(emit.Add(at, i))), 0)],
        () => [f.int(0)],
      );
      emit.Store8(byte, emit.Add(tail, emit.SExt32(i)), 0);
      return [emit.Add(i, f.int(1))];
    },
  );
  emit.Store8(f.int(0x80), emit.Add(tail, emit.SExt32(rest)), 0);
  const bits = emit.Shl(length, f.int(3));
  for (let i = 0; i < 4; i++) {
    const byte = emit.ZShr(bits, f.int(24 - 8 * i));
    emit.Store8(byte, emit.Add(tail, emit.SExt32(size)), i - 4);
  }
  f.loop(
    [f.int(0)],
    ([done]) => emit.LessThan(done, size),
    ([done]) => {
      emit.CCall(compress, [state, table, emit.Add(tail, emit.SExt32(done))]);
      return [emit.Add(done, f.int(BLOCK))];
    },
  );
  let mixed = f.load("Int32", state, 0);
  for (let i = 1; i < 8; i++) mixed = emit.BitXor(mixed, f.load("Int32", state, 4 * i));
  emit.Return(mixed);
  return module;
}

function buildCompress(module: Module, exits: ExitNumbers): Procedure {
  const f = new FrontEnd(module, "compress", Void, exits);
  const { emit } = f;
  const state = f.parameter("Int64");
  const table = f.parameter("Int64");
  const block = f.parameter("Int64");
  const schedule = f.slot(4 * ROUNDS);
  const words = (base: Long, index: Int): Long =>
    emit.Add(base, emit.Mul(emit.SExt32(index), f.long(4)));
  const scheduled = (index: Int): Int => f.load("Int32", words(slotBase(f, schedule), index), 0);
  const mix = (x: Int, first: number, second: number, third: number, isShift: boolean): Int => {
    const last = isShift ? emit.ZShr(x, f.int(third)) : emit.RotR(x, f.int(third));
    return emit.BitXor(emit.BitXor(emit.RotR(x, f.int(first)), emit.RotR(x, f.int(second))), last);
  };

  f.loop(
    [f.int(0)],
    ([t]) => emit.LessThan(t, f.int(16)),
    ([t]) => {
      const from = words(block, t);
      let word = emit.Shl(emit.Load8Z(from, 0), f.int(24));
      for (let i = 1; i < 4; i++) {
        word = emit.BitOr(word, emit.Shl(emit.Load8Z(from, i), f.int(24 - 8 * i)));
      }
      emit.Store(word, words(slotBase(f, schedule), t), 0);
      return [emit.Add(t, f.int(1))];
    },
  );
  f.loop(
    [f.int(16)],
    ([t]) => emit.LessThan(t, f.int(ROUNDS)),
    ([t]) => {
      const back = (by: number): Int => scheduled(emit.Sub(t, f.int(by)));
      const early = mix(back(15), 7, 18, 3, true);
      const late = mix(back(2), 17, 19, 10, true);
      const word = emit.Add(emit.Add(emit.Add(late, back(7)), early), back(16));
      emit.Store(word, words(slotBase(f, schedule), t), 0);
      return [emit.Add(t, f.int(1))];
    },
  );
  const initial = INITIAL.map((_, i) => f.load("Int32", state, 4 * i));
  const [, ...final] = f.loop(
    [f.int(0), ...initial],
    ([t]) => emit.LessThan(t, f.int(ROUNDS)),
    ([t, a, b, c, d, e, g, h, i]) => {
      const chosen = emit.BitXor(emit.BitAnd(e, g), emit.BitAnd(emit.BitXor(e, f.int(-1)), h));
      const constant = f.load("Int32", words(table, t), 0);
      const sum = emit.Add(emit.Add(emit.Add(i, mix(e, 6, 11, 25, false)), chosen), constant);
      const first = emit.Add(sum, scheduled(t));
      const ab = emit.BitAnd(a, b);
      const majority = emit.BitXor(emit.BitXor(ab, emit.BitAnd(a, c)), emit.BitAnd(b, c));
      const second = emit.Add(mix(a, 2, 13, 22, false), majority);
      return [
        emit.Add(t, f.int(1)),
        ...[emit.Add(first, second), a, b, c, emit.Add(d, first), e, g, h],
      ];
    },
  );
  final.forEach((word, i) => {
    emit.Store(emit.Add(f.load("Int32", state, 4 * i), word), state, 4 * i);
  });
  f.end();
  return f.proc;
}

const slotBase = (f: FrontEnd, slot: StackSlot): Long => f.emit.SlotBase(slot);

const rotated = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

function compress(
  state: Int32Array,
  table: Int32Array,
  schedule: Int32Array,
  bytes: Uint8Array,
  from: number,
): void {
  for (let t = 0; t < 16; t++) {
    const at = from + 4 * t;
    schedule[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let t = 16; t < ROUNDS; t++) {
    const x = schedule[t - 15];
    const y = schedule[t - 2];
    const early = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const late = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    schedule[t] = late + schedule[t - 7] + early + schedule[t - 16];
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < ROUNDS; t++) {
    const large = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + large + ((e & f) ^ (~e & g)) + table[t] + schedule[t]) | 0;
    const small = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

function javascript(heap: ArrayBuffer, [length]: readonly number[]): number {
  const bytes = new Uint8Array(heap);
  const state = new Int32Array(heap, STATE, 8);
  const table = new Int32Array(heap, TABLE, ROUNDS);
  const schedule = new Int32Array(ROUNDS);
  state.set(INITIAL);
  table.set(CONSTANTS);
  let at = 0;
  for (; at + BLOCK <= length; at += BLOCK) compress(state, table, schedule, bytes, MESSAGE + at);
  const rest = length - at;
  const size = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  for (let i = 0; i < size; i++) bytes[TAIL + i] = i < rest ? bytes[MESSAGE + at + i] : 0;
  bytes[TAIL + rest] = 0x80;
  for (let i = 0; i < 4; i++) bytes[TAIL + size - 4 + i] = (length << 3) >>> (24 - 8 * i);
  for (let done = 0; done < size; done += BLOCK) {
    compress(state, table, schedule, bytes, TAIL + done);
  }
  return state.reduce((mixed, word) => mixed ^ word, 0);
}

export const sha256: Kernel = {
  name: "sha256",
  about: "SHA-256 of the last argument's number of bytes; gives the digest's words, xored.",
  build,
  javascript,
  args: (length) => [length],
  fill: 256,
  counted: 4096,
  timed: 65_536,
  leaving: [],
  // The sizes are whole blocks, so that what follows the last one is always the same.
  inner: { unit: "block", counts: (length) => [1, length / BLOCK], sizes: [1024, 4096] },
};
