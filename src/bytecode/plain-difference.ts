// Compares the plain interpreter's execution of a program with an outcome of its module.

import { heapContents, type Input, isBits, type Outcome } from "../ir/outcome.js";
import type { BytecodeWords } from "./code.js";
import { BytecodeInterpreter } from "./interpreter.js";
import { CELL_BYTES, OPERAND_START, RETURN_START, WORD_BYTES } from "./layout.js";

const WORDS_MAX = 10_000_000;

/**
 * Runs the plain interpreter on the input, for at most this many words. Returns its state and how
 * it ended.
 */
function runPlain(code: BytecodeWords, { words, heapSeed }: Input, wordsMax: number) {
  const plain = new BytecodeInterpreter(code);
  heapContents(new Uint8Array(plain.memory.buffer), heapSeed);
  const [, ...args] = Array.from({ length: words.length / 2 }, (_, i) => words[2 * i]);
  return { plain, ended: plain.run(args, wordsMax) };
}

export const endsWithin = (code: BytecodeWords, input: Input, wordsMax: number): boolean =>
  runPlain(code, input, wordsMax).ended !== "out-of-fuel";

/**
 * Returns the first difference of the plain interpreter; null if there is none.
 * @param outcome a judged outcome of the oracle
 */
export function plainDifference(
  code: BytecodeWords,
  input: Input,
  outcome: Outcome,
): string | null {
  const { plain, ended } = runPlain(code, input, WORDS_MAX);
  const { ending, events } = outcome;
  if (ending.kind !== "exit" || ending.exit !== ended) return `it ends at ${ended}`;
  const logged = events.map(({ args: [value] }) => value.lo);
  if (String(logged) !== String(plain.events)) return `it logs ${plain.events}, not ${logged}`;
  const state = ending.frames[0].slots.filter(isBits).map(({ lo }) => lo);
  const [heap] = input.words;
  const plainState = [plain.ip, heap + plain.sp, heap + plain.rp];
  if (String(state) !== String(plainState)) return `its state is ${plainState}, not ${state}`;
  return memoryDifference(plain, ending.heap.bytes, ending.heap.anyNaN);
}

/** Compares the memory up to the tops of the stacks. */
function memoryDifference(
  plain: BytecodeInterpreter,
  bytes: Uint8Array,
  anyNaN: readonly number[],
): string | null {
  const open = new Set<number>();
  for (let i = 0; i < anyNaN.length; i += 2) {
    for (let b = 0; b < anyNaN[i + 1]; b++) open.add(anyNaN[i] + b);
  }
  const isLive = (at: number): boolean =>
    at < RETURN_START ||
    (at < OPERAND_START ? at < plain.rp + WORD_BYTES : at < plain.sp + CELL_BYTES);
  const at = bytes.findIndex(
    (byte, i) => isLive(i) && !open.has(i) && byte !== plain.memory.getUint8(i),
  );
  return at < 0 ? null : `byte ${at} is ${plain.memory.getUint8(at)}, not ${bytes[at]}`;
}
