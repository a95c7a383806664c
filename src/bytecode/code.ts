// Defines bytecode: words of 32 bits. The low byte of a word is the number of its primitive, and
// the rest is its signed immediate. Execution starts at word 0, which is an ENTER, as the first
// word of every procedure.

import { assert } from "../support/assert.js";
import { type BytecodePrimitive, PRIMITIVES, primitiveNamed } from "./primitives.js";

export interface BytecodeWords {
  readonly words: readonly number[];
}

export const PRIMITIVE_BITS = 8;
export const PRIMITIVE_MASK = 0xff;
export const IMMEDIATE_MIN = -(2 ** 23);
export const IMMEDIATE_MAX = 2 ** 23 - 1;
export const WORDS_MAX = 1000;

/** Cells that the first procedure receives. */
export const ARGUMENTS = 3;

export const primitiveNumber = (word: number): number => word & PRIMITIVE_MASK;
export const immediateOf = (word: number): number => word >> PRIMITIVE_BITS;

export function primitiveOf(word: number): BytecodePrimitive {
  const primitive = PRIMITIVES[primitiveNumber(word)];
  assert(primitive !== undefined, () => `no primitive has the number ${primitiveNumber(word)}`);
  return primitive;
}

export function wordOf(name: string, immediate = 0): number {
  const number = primitiveNamed(name);
  assert(number !== null, () => `no primitive is named ${name}`);
  return (immediate << PRIMITIVE_BITS) | number;
}

/** The operand of an ENTER: the number of cells that the procedure takes and gives. */
export interface StackSignature {
  readonly takes: number;
  readonly gives: number;
}

const SIGNATURE_BITS = 8;

export const signatureWord = ({ takes, gives }: StackSignature): number =>
  wordOf("ENTER", (gives << SIGNATURE_BITS) | takes);

export const signatureOf = (word: number): StackSignature => ({
  takes: immediateOf(word) & 0xff,
  gives: immediateOf(word) >> SIGNATURE_BITS,
});
