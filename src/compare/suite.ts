// Parses suites: expected values of other sources, one JSON object on each line.
//
//     {"suite":"i32","line":62,"op":"i32.add","args":["i32:1","i32:2"],"expect":"i32:3"}
//
// A value is its type and the unsigned decimal of its bits, for floats too. `f32:nan:canonical` and the like, with or
// without the type, expect a NaN; `"trap"` in place of `"expect"` states that the operation traps, with a message that
// differs between engines. Other fields are ignored. Files are untrusted input, so they are checked.

import { LINE_MAX, ParseError } from "../ir/text/lexer.js";
import { quote } from "../ir/text/literals.js";
import { Double, Float, Int32, Int64, isWide, nameOfType, type Type } from "../ir/types.js";

export interface SuiteValue {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
}

export interface SuiteCase {
  /** The line of the case in the file, from 1. */
  readonly line: number;
  readonly op: string;
  readonly args: readonly SuiteValue[];
  readonly expect: SuiteValue | "nan" | "trap";
}

/**
 * Parses the cases of a file, in order.
 * @throws ParseError
 */
export function parseSuite(text: string): SuiteCase[] {
  const cases: SuiteCase[] = [];
  text.split("\n").forEach((content, index) => {
    if (content.length > LINE_MAX) {
      const message = `the line is longer than ${LINE_MAX} characters`;
      throw new ParseError(index + 1, LINE_MAX + 1, message);
    }
    if (content.trim() !== "") cases.push(parseCase(content, index + 1));
  });
  return cases;
}

const NAN = /^(?:f32:|f64:)?nan:(?:canonical|arithmetic)$/;

function parseCase(content: string, line: number): SuiteCase {
  const fail = (expected: string): never => {
    throw new ParseError(line, 1, `expected ${expected}, found ${quote(content)}`);
  };
  const record = recordIn(content) ?? fail("a JSON object");
  const { op, args, expect, trap } = record;
  if (typeof op !== "string") return fail('"op" with the name of an operation');
  if (!Array.isArray(args)) return fail('"args" with a list of values');
  const values = args.map((arg) => readValue(arg) ?? fail('values like "i32:5" in "args"'));
  if (typeof trap === "string" && expect === undefined) {
    return { line, op, args: values, expect: "trap" };
  }
  if (typeof expect === "string" && NAN.test(expect)) {
    return { line, op, args: values, expect: "nan" };
  }
  const result = readValue(expect) ?? fail('"expect" with a value or a NaN, or "trap" with a text');
  return { line, op, args: values, expect: result };
}

function recordIn(content: string): Partial<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

const TYPES = new Map<string, Type>([
  ["i32", Int32],
  ["i64", Int64],
  ["f32", Float],
  ["f64", Double],
]);

function readValue(value: unknown): SuiteValue | null {
  const match = typeof value === "string" ? /^([if]\d\d):(\d{1,20})$/.exec(value) : null;
  const type = match === null ? undefined : TYPES.get(match[1]);
  if (match === null || type === undefined) return null;
  const bits = BigInt(match[2]);
  if (bits >> (isWide(type) ? 64n : 32n) !== 0n) return null;
  return { type, lo: Number(bits & 0xffff_ffffn) | 0, hi: Number(bits >> 32n) | 0 };
}

/** Returns `Int32 0x00000005`, for messages. */
export function describeValue({ type, lo, hi }: SuiteValue): string {
  const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");
  return `${nameOfType(type)} 0x${isWide(type) ? hex(hi) : ""}${hex(lo)}`;
}
