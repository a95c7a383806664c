// Builds the steps of computing operations: for each signature, reads cells, applies a function of MEANINGS and writes
// the result's cell.
//
// Open NaNs. A cell's flag marks a NaN whose bits the language leaves open. Float arithmetic that results in a NaN sets
// it. Comparisons and float arithmetic ignore it, because they treat all NaNs alike. An integer operation uses bits, so
// a flagged operand ends the execution. Only one value writes a cell, and it starts unflagged; so a step that never
// sets the flag does not clear it.

import { OPCODES, type OpcodeSpec } from "../../ir/opcodes.js";
import { assert } from "../../support/assert.js";
import { MEANINGS, ON_BITS, UNDEFINED_BY } from "../meanings.js";
import type { OracleMachine } from "./machine.js";
import { A, B, C, DEST, STRIDE } from "./program.js";

/** A function that executes the instruction at `pc`, and returns the next program counter, or END. */
export type StepFunction = (m: OracleMachine, pc: number) => number;

type UnaryFunction = (x: number) => number;
type BinaryFunction = (x: number, y: number) => number;
type TernaryFunction = (x: number, y: number, z: number) => number;
type UnaryBigint = (x: bigint) => bigint;
type BinaryBigint = (x: bigint, y: bigint) => bigint;

/** The bits of an open NaN in its cell, so that equal executions give equal outcomes. */
const FLOAT_NAN = 0x7fc0_0000;
const DOUBLE_NAN_HI = 0x7ff8_0000;

function setFloat(m: OracleMachine, cell: number, x: number): void {
  const isOpen = Number.isNaN(x);
  if (isOpen) m.i32[cell << 1] = FLOAT_NAN;
  else m.f32[cell << 1] = x;
  m.flags[cell] = isOpen ? 1 : 0;
}

function setDouble(m: OracleMachine, cell: number, x: number): void {
  const isOpen = Number.isNaN(x);
  if (isOpen) {
    m.i32[cell << 1] = 0;
    m.i32[(cell << 1) + 1] = DOUBLE_NAN_HI;
  } else m.f64[cell] = x;
  m.flags[cell] = isOpen ? 1 : 0;
}

/** Returns whether an operand of an integer operation is an open NaN. */
const flagged1 = (m: OracleMachine, pc: number): boolean => m.flags[m.code[pc + A]] !== 0;
const flagged2 = (m: OracleMachine, pc: number): boolean =>
  (m.flags[m.code[pc + A]] | m.flags[m.code[pc + B]]) !== 0;

/** Returns the index of the low word of the cell that the instruction names. */
const wordOf = (m: OracleMachine, at: number): number => m.code[at] << 1;

// By "operands -> result". `i32[wordOf(m, pc + A)]` is the operand A as a signed number.
const LIFTS = {
  "Int32 -> Int32":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      m.i32[wordOf(m, pc + DEST)] = f(m.i32[wordOf(m, pc + A)]);
      return pc + STRIDE;
    },
  "Int32 Int32 -> Int32":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      m.i32[wordOf(m, pc + DEST)] = f(m.i32[wordOf(m, pc + A)], m.i32[wordOf(m, pc + B)]);
      return pc + STRIDE;
    },
  "Int64 -> Int64":
    (f: UnaryBigint): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]]);
      return pc + STRIDE;
    },
  "Int64 Int64 -> Int64":
    (f: BinaryBigint): StepFunction =>
    (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]], m.i64[m.code[pc + B]]);
      return pc + STRIDE;
    },
  "Int64 Int32 -> Int64":
    (f: (x: bigint, count: number) => bigint): StepFunction =>
    (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]], m.i32[wordOf(m, pc + B)]);
      return pc + STRIDE;
    },
  "Int64 Int64 -> Int32":
    (f: (x: bigint, y: bigint) => number): StepFunction =>
    (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      m.i32[wordOf(m, pc + DEST)] = f(m.i64[m.code[pc + A]], m.i64[m.code[pc + B]]);
      return pc + STRIDE;
    },
  "Int32 -> Int64":
    (f: (x: number) => bigint): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i32[wordOf(m, pc + A)]);
      return pc + STRIDE;
    },
  "Int64 -> Int32":
    (f: (x: bigint) => number): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      m.i32[wordOf(m, pc + DEST)] = f(m.i64[m.code[pc + A]]);
      return pc + STRIDE;
    },
  "Int32 Int32 -> Int64":
    (f: (x: number, y: number) => bigint): StepFunction =>
    (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i32[wordOf(m, pc + A)], m.i32[wordOf(m, pc + B)]);
      return pc + STRIDE;
    },
  "Int32 -> Float":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      setFloat(m, m.code[pc + DEST], f(m.i32[wordOf(m, pc + A)]));
      return pc + STRIDE;
    },
  "Int64 -> Float":
    (f: (x: bigint) => number): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      setFloat(m, m.code[pc + DEST], f(m.i64[m.code[pc + A]]));
      return pc + STRIDE;
    },
  "Int32 -> Double":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      setDouble(m, m.code[pc + DEST], f(m.i32[wordOf(m, pc + A)]));
      return pc + STRIDE;
    },
  "Int64 -> Double":
    (f: (x: bigint) => number): StepFunction =>
    (m, pc) => {
      if (flagged1(m, pc)) return m.nanBits(pc);
      setDouble(m, m.code[pc + DEST], f(m.i64[m.code[pc + A]]));
      return pc + STRIDE;
    },

  "Float -> Float":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      setFloat(m, m.code[pc + DEST], f(m.f32[wordOf(m, pc + A)]));
      return pc + STRIDE;
    },
  "Float Float -> Float":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      setFloat(m, m.code[pc + DEST], f(m.f32[wordOf(m, pc + A)], m.f32[wordOf(m, pc + B)]));
      return pc + STRIDE;
    },
  "Float Float -> Int32":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.f32[wordOf(m, pc + A)], m.f32[wordOf(m, pc + B)]);
      return pc + STRIDE;
    },
  "Float -> Int32":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.f32[wordOf(m, pc + A)]);
      return pc + STRIDE;
    },
  "Float -> Int64":
    (f: (x: number) => bigint): StepFunction =>
    (m, pc) => {
      m.i64[m.code[pc + DEST]] = f(m.f32[wordOf(m, pc + A)]);
      return pc + STRIDE;
    },
  "Double -> Int32":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.f64[m.code[pc + A]]);
      return pc + STRIDE;
    },
  "Double -> Int64":
    (f: (x: number) => bigint): StepFunction =>
    (m, pc) => {
      m.i64[m.code[pc + DEST]] = f(m.f64[m.code[pc + A]]);
      return pc + STRIDE;
    },
  "Float -> Double":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      setDouble(m, m.code[pc + DEST], f(m.f32[wordOf(m, pc + A)]));
      return pc + STRIDE;
    },
  "Double -> Double":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      setDouble(m, m.code[pc + DEST], f(m.f64[m.code[pc + A]]));
      return pc + STRIDE;
    },
  "Double Double -> Double":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      setDouble(m, m.code[pc + DEST], f(m.f64[m.code[pc + A]], m.f64[m.code[pc + B]]));
      return pc + STRIDE;
    },
  "Float Float Float -> Float":
    (f: TernaryFunction): StepFunction =>
    (m, pc) => {
      const { f32 } = m;
      const [x, y, z] = [f32[wordOf(m, pc + A)], f32[wordOf(m, pc + B)], f32[wordOf(m, pc + C)]];
      setFloat(m, m.code[pc + DEST], f(x, y, z));
      return pc + STRIDE;
    },
  "Double Double Double -> Double":
    (f: TernaryFunction): StepFunction =>
    (m, pc) => {
      const { code, f64 } = m;
      setDouble(m, code[pc + DEST], f(f64[code[pc + A]], f64[code[pc + B]], f64[code[pc + C]]));
      return pc + STRIDE;
    },
  "Double Double -> Int32":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.f64[m.code[pc + A]], m.f64[m.code[pc + B]]);
      return pc + STRIDE;
    },
  "Double -> Float":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      setFloat(m, m.code[pc + DEST], f(m.f64[m.code[pc + A]]));
      return pc + STRIDE;
    },

  // Operations on bits: the result for any NaN is still a NaN, so the step passes the flag on, or ends the execution.
  "Float, stays open":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.i32[wordOf(m, pc + A)]);
      m.flags[m.code[pc + DEST]] = m.flags[m.code[pc + A]];
      return pc + STRIDE;
    },
  "Float Float, stays open":
    (f: BinaryFunction): StepFunction =>
    (m, pc) => {
      if (m.flags[m.code[pc + B]] !== 0) return m.nanBits(pc);
      m.i32[wordOf(m, pc + DEST)] = f(m.i32[wordOf(m, pc + A)], m.i32[wordOf(m, pc + B)]);
      m.flags[m.code[pc + DEST]] = m.flags[m.code[pc + A]];
      return pc + STRIDE;
    },
  "Float, becomes specified":
    (f: UnaryFunction): StepFunction =>
    (m, pc) => {
      m.i32[wordOf(m, pc + DEST)] = f(m.i32[wordOf(m, pc + A)]);
      return pc + STRIDE;
    },
  "Double, stays open":
    (f: UnaryBigint): StepFunction =>
    (m, pc) => {
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]]);
      m.flags[m.code[pc + DEST]] = m.flags[m.code[pc + A]];
      return pc + STRIDE;
    },
  "Double Double, stays open":
    (f: BinaryBigint): StepFunction =>
    (m, pc) => {
      if (m.flags[m.code[pc + B]] !== 0) return m.nanBits(pc);
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]], m.i64[m.code[pc + B]]);
      m.flags[m.code[pc + DEST]] = m.flags[m.code[pc + A]];
      return pc + STRIDE;
    },
  "Double, becomes specified":
    (f: UnaryBigint): StepFunction =>
    (m, pc) => {
      m.i64[m.code[pc + DEST]] = f(m.i64[m.code[pc + A]]);
      return pc + STRIDE;
    },
} as const;

/** A computing operation on one type: `type` is its T, or null if the row has none. */
interface PureStep {
  readonly name: MeaningName;
  readonly type: string | null;
  readonly step: StepFunction;
}

type AnyMeaning = (...operands: never[]) => number | bigint;
type MeaningName = keyof typeof MEANINGS;

/** A step for each function of MEANINGS. */
export const PURE_STEPS: readonly PureStep[] = Object.entries(MEANINGS).flatMap(
  ([key, row]): PureStep[] => {
    const name = key as MeaningName; // a key of MEANINGS
    if (typeof row === "function") return [{ name, type: null, step: lift(name, "", row) }];
    return Object.entries(row).map(([type, meaning]) => ({
      name,
      type,
      step: lift(name, type, meaning),
    }));
  },
);

function lift(name: MeaningName, type: string, meaning: AnyMeaning): StepFunction {
  const { args, result }: OpcodeSpec = OPCODES[name];
  const typeOf = (kind: string): string => (kind === "T" ? type : kind);
  const shape =
    isOnBits(name) && (type === "Float" || type === "Double")
      ? `${args.map(typeOf).join(" ")}, ${ON_BITS[name]}`
      : `${args.map(typeOf).join(" ")} -> ${typeOf(result)}`;
  assert(shape in LIFTS, () => `${name} of ${shape} has no entry in LIFTS`);
  // The type of MEANINGS guarantees that the function has the signature of its row in OPCODES.
  const step = (LIFTS[shape as keyof typeof LIFTS] as (meaning: AnyMeaning) => StepFunction)(
    meaning,
  );
  return isPartial(name) ? whereDefined(name, type, step) : step;
}

/** Returns a step that ends the activation if the operands have no result. It tests for open NaNs first. */
function whereDefined(
  name: keyof typeof UNDEFINED_BY,
  type: string,
  step: StepFunction,
): StepFunction {
  if (type === "Int32") {
    const rule32 = UNDEFINED_BY[name].Int32;
    return (m, pc) => {
      if (flagged2(m, pc)) return m.nanBits(pc);
      const rule = rule32(m.i32[wordOf(m, pc + A)], m.i32[wordOf(m, pc + B)]);
      return rule === null ? step(m, pc) : m.endAs({ kind: "undefined", rule, value: m.idAt(pc) });
    };
  }
  if (type !== "Int64") return step; // floats always have a result
  const rule64 = UNDEFINED_BY[name].Int64;
  return (m, pc) => {
    if (flagged2(m, pc)) return m.nanBits(pc);
    const rule = rule64(m.i64[m.code[pc + A]], m.i64[m.code[pc + B]]);
    return rule === null ? step(m, pc) : m.endAs({ kind: "undefined", rule, value: m.idAt(pc) });
  };
}

function isPartial(name: MeaningName): name is keyof typeof UNDEFINED_BY {
  return name in UNDEFINED_BY;
}

function isOnBits(name: MeaningName): name is keyof typeof ON_BITS {
  return name in ON_BITS;
}
