// Reads and prints literals and names; both directions are exact.
//
// Floats are bits in integer words. A JavaScript number represents a float here only if it is no NaN, so that no
// conversion quiets a signalling NaN. A decimal is read as a Double, rounded once. For a Float, that Double must itself
// be a Float, because a second rounding could give the wrong neighbor.

import { Double, Float, Int32, Int64, nameOfType, type Type } from "../types.js";
import { type WordPair, wideBits, wideWords, wordsOf } from "../words.js";

const TWO_32 = 0x1_0000_0000;
const EXACT_LENGTH_MAX = 15; // a number of this many digits is below 2^53
const HIGH_EXACT = 1 << 20; // a 64-bit integer with a smaller high word is within 2^53
const DECIMAL_LENGTH_MAX = 4096;
const INTEGER = /^(?:-?\d{1,24}|0x[\da-fA-F]{1,16})$/;
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NAN_BITS = /^nan:0x[\da-fA-F]{1,16}$/;
const scratch = new DataView(new ArrayBuffer(8));

/** Returns whether the words are a NaN of the type; false for integers. */
export function isNaNBits(type: Type, lo: number, hi: number): boolean {
  if (type === Float) return (lo & 0x7fff_ffff) > 0x7f80_0000;
  if (type !== Double) return false;
  const high = hi & 0x7fff_ffff;
  return high > 0x7ff0_0000 || (high === 0x7ff0_0000 && lo !== 0);
}

/** Prints bits so that `readLiteral` returns the same bits. */
export function printLiteral(type: Type, lo: number, hi: number): string {
  if (type === Int32) return String(lo | 0);
  if (type === Int64) return printInt64(lo, hi);
  if (isNaNBits(type, lo, hi)) {
    return type === Float ? `nan:0x${hexWord(lo)}` : `nan:0x${hexWord(hi)}${hexWord(lo)}`;
  }
  if (type === Float) {
    scratch.setInt32(0, lo);
    return printDecimal(scratch.getFloat32(0));
  }
  scratch.setInt32(0, hi);
  scratch.setInt32(4, lo);
  return printDecimal(scratch.getFloat64(0));
}

const hexWord = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");

function printInt64(lo: number, hi: number): string {
  if (hi < HIGH_EXACT && hi > -HIGH_EXACT) return String(hi * TWO_32 + (lo >>> 0));
  return String(wideBits(lo, hi));
}

// JavaScript prints the shortest decimal that reads back to the same Double; each Float is a Double.
function printDecimal(x: number): string {
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  if (x === Infinity) return "inf";
  if (x === -Infinity) return "-inf";
  const text = String(x);
  return Number.isInteger(x) && !text.includes("e") ? `${text}.0` : text;
}

/** Returns the bits of a literal of the type, or a string that describes the fault of the text. */
export function readLiteral(type: Type, text: string): WordPair | string {
  return type === Int32 || type === Int64 ? readInteger(type, text) : readFloating(type, text);
}

function readInteger(type: Type, text: string): WordPair | string {
  if (!INTEGER.test(text)) return `expected an integer, found ${quote(text)}`;
  const isHex = text.startsWith("0x");
  if (!isHex && text.length <= EXACT_LENGTH_MAX) {
    const exact = Number(text);
    if (type === Int64) return [exact | 0, Math.floor(exact / TWO_32) | 0];
    if ((exact | 0) === exact) return [exact | 0, 0];
    return `${quote(text)} does not fit Int32`;
  }
  const value = BigInt(text);
  const width = type === Int64 ? 64 : 32;
  const wrapped = isHex ? BigInt.asUintN(width, value) : BigInt.asIntN(width, value);
  if (wrapped !== value) return `${quote(text)} does not fit ${nameOfType(type)}`;
  return wordsOf(type, value);
}

function readFloating(type: Type, text: string): WordPair | string {
  if (text === "inf") return wordsOfNumber(type, Infinity);
  if (text === "-inf") return wordsOfNumber(type, -Infinity);
  if (NAN_BITS.test(text)) return readNaN(type, text);
  if (text.length > DECIMAL_LENGTH_MAX || !DECIMAL.test(text)) {
    return `expected a decimal, inf, -inf or nan:0x and the bits, found ${quote(text)}`;
  }
  const x = Number(text);
  if (Math.abs(x) === Infinity) return `${quote(text)} is beyond the largest Double; write inf`;
  if (x === 0 && /^[^eE]*[1-9]/.test(text)) {
    return `${quote(text)} is below the smallest Double; write 0.0`;
  }
  const nearest = Math.fround(x);
  if (type === Float && nearest !== x) {
    return `${quote(text)} is not exactly a Float; the nearest is ${printDecimal(nearest)}`;
  }
  return wordsOfNumber(type, x);
}

function readNaN(type: Type, text: string): WordPair | string {
  const bits = BigInt(text.slice("nan:".length));
  const [lo, hi] = wideWords(bits);
  if (isNaNBits(type, lo, hi) && (type === Double || hi === 0)) return [lo, hi];
  return `${quote(text)} is not a NaN of type ${nameOfType(type)}`;
}

function wordsOfNumber(type: Type, x: number): WordPair {
  if (type === Float) {
    scratch.setFloat32(0, x);
    return [scratch.getInt32(0), 0];
  }
  scratch.setFloat64(0, x);
  return [scratch.getInt32(4), scratch.getInt32(0)];
}

const NAME = /^[A-Za-z_$][\w$.]*$/;

/** Prints a name: bare if it is an identifier, else in double quotes and ASCII. */
export function printName(name: string): string {
  if (NAME.test(name)) return name;
  let text = "";
  for (const char of name) {
    if (char === '"' || char === "\\") text += `\\${char}`;
    else text += char >= " " && char <= "~" ? char : escapeChar(char);
  }
  return `"${text}"`;
}

const escapeChar = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns one line, with control, format (including bidirectional marks) and unassigned characters escaped. */
export function escapeText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeChar);
}

const QUOTED_MAX = 60;

/** Quotes a part of the input for a message. */
export function quote(text: string): string {
  return `'${escapeText(text.slice(0, QUOTED_MAX))}${text.length > QUOTED_MAX ? "..." : ""}'`;
}
