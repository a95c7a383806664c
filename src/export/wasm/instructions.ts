// Encodes WebAssembly instructions by their names in the text format.

import { assert } from "../../support/assert.js";
import type { ByteWriter } from "../byte-writer.js";

/**
 * The immediates after an opcode: u an unsigned number, s a signed number, m an alignment and an
 * offset, b the type of a block, z a zero byte (the index of a memory or table), w a word.
 */
type ImmediateKinds = "" | "u" | "s" | "m" | "b" | "z" | "zz" | "uz" | "w" | "zzzzw";
type InstructionRow = readonly [bytes: number, immediates?: ImmediateKinds, log2Alignment?: number];

/** An opcode with the prefix 0xfc is written as 0xfc00 plus its number. */
const PREFIXED = 0xfc00;

// biome-ignore format: a table
const ROWS = {
  unreachable: [0x00], block: [0x02, "b"], loop: [0x03, "b"], if: [0x04, "b"], else: [0x05], end: [0x0b],
  br: [0x0c, "u"], br_if: [0x0d, "u"], return: [0x0f], call: [0x10, "u"], call_indirect: [0x11, "uz"],
  drop: [0x1a], select: [0x1b],
  "local.get": [0x20, "u"], "local.set": [0x21, "u"], "local.tee": [0x22, "u"],
  "global.get": [0x23, "u"], "global.set": [0x24, "u"],
  "i32.load": [0x28, "m", 2], "i64.load": [0x29, "m", 3], "f32.load": [0x2a, "m", 2], "f64.load": [0x2b, "m", 3],
  "i32.load8_s": [0x2c, "m", 0], "i32.load8_u": [0x2d, "m", 0], "i32.load16_s": [0x2e, "m", 1], "i32.load16_u": [0x2f, "m", 1],
  "i32.store": [0x36, "m", 2], "i64.store": [0x37, "m", 3], "f32.store": [0x38, "m", 2], "f64.store": [0x39, "m", 3],
  "i32.store8": [0x3a, "m", 0], "i32.store16": [0x3b, "m", 1],
  "i32.const": [0x41, "s"], "i64.const": [0x42, "s"], // only 32-bit values
  "f32.const": [0x43, "w"], "f64.const": [0x44, "zzzzw"], // the bits; for a double, its upper half
  "i32.eqz": [0x45], "i32.eq": [0x46], "i32.ne": [0x47], "i32.lt_s": [0x48], "i32.lt_u": [0x49], "i32.gt_s": [0x4a],
  "i32.gt_u": [0x4b], "i32.le_s": [0x4c], "i32.le_u": [0x4d], "i32.ge_s": [0x4e], "i32.ge_u": [0x4f],
  "i64.eqz": [0x50], "i64.eq": [0x51], "i64.ne": [0x52], "i64.lt_s": [0x53], "i64.lt_u": [0x54], "i64.gt_s": [0x55],
  "i64.gt_u": [0x56], "i64.le_s": [0x57], "i64.le_u": [0x58], "i64.ge_s": [0x59], "i64.ge_u": [0x5a],
  "f32.eq": [0x5b], "f32.ne": [0x5c], "f32.lt": [0x5d], "f32.gt": [0x5e], "f32.le": [0x5f], "f32.ge": [0x60],
  "f64.eq": [0x61], "f64.ne": [0x62], "f64.lt": [0x63], "f64.gt": [0x64], "f64.le": [0x65], "f64.ge": [0x66],
  "i32.clz": [0x67], "i32.ctz": [0x68], "i32.popcnt": [0x69], "i32.add": [0x6a], "i32.sub": [0x6b], "i32.mul": [0x6c],
  "i32.div_s": [0x6d], "i32.div_u": [0x6e], "i32.rem_s": [0x6f], "i32.rem_u": [0x70], "i32.and": [0x71], "i32.or": [0x72],
  "i32.xor": [0x73], "i32.shl": [0x74], "i32.shr_s": [0x75], "i32.shr_u": [0x76], "i32.rotl": [0x77], "i32.rotr": [0x78],
  "i64.clz": [0x79], "i64.ctz": [0x7a], "i64.popcnt": [0x7b], "i64.add": [0x7c], "i64.sub": [0x7d], "i64.mul": [0x7e],
  "i64.div_s": [0x7f], "i64.div_u": [0x80], "i64.rem_s": [0x81], "i64.rem_u": [0x82], "i64.and": [0x83], "i64.or": [0x84],
  "i64.xor": [0x85], "i64.shl": [0x86], "i64.shr_s": [0x87], "i64.shr_u": [0x88], "i64.rotl": [0x89], "i64.rotr": [0x8a],
  "f32.abs": [0x8b], "f32.neg": [0x8c], "f32.ceil": [0x8d], "f32.floor": [0x8e], "f32.trunc": [0x8f], "f32.nearest": [0x90],
  "f32.sqrt": [0x91], "f32.add": [0x92], "f32.sub": [0x93], "f32.mul": [0x94], "f32.div": [0x95], "f32.min": [0x96],
  "f32.max": [0x97], "f32.copysign": [0x98],
  "f64.abs": [0x99], "f64.neg": [0x9a], "f64.ceil": [0x9b], "f64.floor": [0x9c], "f64.trunc": [0x9d], "f64.nearest": [0x9e],
  "f64.sqrt": [0x9f], "f64.add": [0xa0], "f64.sub": [0xa1], "f64.mul": [0xa2], "f64.div": [0xa3], "f64.min": [0xa4],
  "f64.max": [0xa5], "f64.copysign": [0xa6],
  "i32.wrap_i64": [0xa7], "i64.extend_i32_s": [0xac], "i64.extend_i32_u": [0xad],
  "f32.convert_i32_s": [0xb2], "f32.convert_i32_u": [0xb3], "f32.convert_i64_s": [0xb4], "f32.convert_i64_u": [0xb5],
  "f32.demote_f64": [0xb6],
  "f64.convert_i32_s": [0xb7], "f64.convert_i32_u": [0xb8], "f64.convert_i64_s": [0xb9], "f64.convert_i64_u": [0xba],
  "f64.promote_f32": [0xbb],
  "i32.reinterpret_f32": [0xbc], "i64.reinterpret_f64": [0xbd], "f32.reinterpret_i32": [0xbe], "f64.reinterpret_i64": [0xbf],
  "i32.extend8_s": [0xc0], "i32.extend16_s": [0xc1], "i64.extend8_s": [0xc2], "i64.extend16_s": [0xc3],
  "i32.trunc_sat_f32_s": [PREFIXED + 0], "i32.trunc_sat_f32_u": [PREFIXED + 1],
  "i32.trunc_sat_f64_s": [PREFIXED + 2], "i32.trunc_sat_f64_u": [PREFIXED + 3],
  "i64.trunc_sat_f32_s": [PREFIXED + 4], "i64.trunc_sat_f32_u": [PREFIXED + 5],
  "i64.trunc_sat_f64_s": [PREFIXED + 6], "i64.trunc_sat_f64_u": [PREFIXED + 7],
  "memory.copy": [PREFIXED + 10, "zz"], "memory.fill": [PREFIXED + 11, "z"],
} as const satisfies Record<string, InstructionRow>;

export type Mnemonic = keyof typeof ROWS;

/** Types of values and of blocks, with their codes in the format. */
export const WASM_TYPES = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c } as const;
export type WasmType = keyof typeof WASM_TYPES;
/** The types of blocks without parameters, as immediates; other types are indices. */
export const NO_RESULT = 0x40 - 0x80;
export const resultOf = (wasmType: number): number => wasmType - 0x80;

const BR_TABLE = 0x0e;

/**
 * Writes one instruction; `immediate` is a number, an offset or the type of a block, as its row
 * requires.
 */
export function writeInstruction(out: ByteWriter, name: Mnemonic, immediate = 0): void {
  const [bytes, immediates = "", alignment = 0]: InstructionRow = ROWS[name];
  if (bytes >= PREFIXED) out.byte(PREFIXED >> 8);
  out.byte(bytes & 255);
  for (const kind of immediates) {
    if (kind === "s" || kind === "b") out.signed(immediate);
    else if (kind === "z") out.byte(0);
    else if (kind === "w") out.word(immediate);
    else if (kind === "m") {
      // Accesses may be unaligned; the alignment is only a hint.
      out.unsigned(alignment);
      out.unsigned(immediate);
    } else out.unsigned(immediate);
  }
}

/** Writes a constant from its bits, without a conversion to a float that could change a NaN. */
export function writeConstant(out: ByteWriter, type: WasmType, lo: number, hi: number): void {
  out.byte(ROWS[`${type}.const`][0]);
  if (type === "i32") out.signed(lo);
  else if (type === "i64") out.signedWide(lo, hi);
  else out.word(lo);
  if (type === "f64") out.word(hi);
}

/** Writes a jump by an index: to the labels in order, and beyond them to `otherwise`. */
export function writeJumpTable(
  out: ByteWriter,
  depths: readonly number[],
  otherwise: number,
): void {
  out.byte(BR_TABLE);
  out.unsigned(depths.length);
  for (const depth of depths) out.unsigned(depth);
  out.unsigned(otherwise);
}

const isMnemonic = (name: string): name is Mnemonic => Object.hasOwn(ROWS, name);

/** One instruction of a row or a helper, with its immediate. */
export interface WasmInstruction {
  readonly name: Mnemonic;
  readonly immediate: number;
}

/**
 * Parses instructions in the text format without parentheses: `local.get 0 i32.const 4 i32.add`.
 */
export function parseSteps(text: string): WasmInstruction[] {
  const steps: WasmInstruction[] = [];
  for (const word of text.split(/\s+/)) {
    if (word === "") continue;
    if (isMnemonic(word)) steps.push({ name: word, immediate: word in BLOCKS ? NO_RESULT : 0 });
    else {
      const last = steps.pop();
      const immediate = Number(word);
      assert(
        last !== undefined && Number.isInteger(immediate),
        () => `wasm: '${word}' is neither an instruction nor an integer after one`,
      );
      steps.push({ name: last.name, immediate });
    }
  }
  return steps;
}
const BLOCKS = { block: true, loop: true, if: true } as const;
