// Writes the operations: by the one instruction of the table in src/lir, or by a few.

import { nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, nameOfType, type Type, Void } from "../../ir/types.js";
import { type LirLetter, lirNameOf } from "../../lir/names.js";
import { ExportRefusal } from "../refusal.js";

/** Opcodes that others replace first. */
export const LIR_LACKING: ReadonlySet<string> = new Set([
  ...["Allocate", "ChillDiv", "ChillMod", "FloorMod", "Depend", "ByteSwap"],
  ...["Min", "Max", "UMin", "UMax", "AddCarries"],
  ...["CheckToInt32", "CheckToInt32Exact"],
]);

/** Writes lines. Each method returns the name of the result. */
export interface LineWriter {
  readonly line: (instruction: string, ...operands: readonly string[]) => string;
  readonly int: (number: number) => string;
  readonly quad: (bits: bigint) => string;
  readonly double: (number: number) => string;
}

export function letterOf(type: Type): LirLetter {
  if (type === Float) throw new ExportRefusal("Float");
  const letter = LETTERS.get(type);
  return letter ?? "v";
}
const LETTERS: ReadonlyMap<Type, LirLetter> = new Map([
  [Int32, "i"],
  [Int64, "q"],
  [Double, "d"],
]);

/** Writes an operation of operands with these names. */
export function writeOperation(w: LineWriter, value: Value, names: readonly string[]): string {
  const { opcode, type, a, b, c } = value;
  const types = [a, b, c].flatMap((operand) => (operand === null ? [] : [operand.type]));
  const name = lirNameOf(opcode, types.map(letterOf).join(""), letterOf(type));
  if (opcode === Op.Select) return writeSelect(w, value, names);
  // No back end of Nanojit has code for `modd`.
  if (name !== null && name !== "modd") return w.line(name, ...names);
  const rows = SEVERAL.get(opcode);
  const write = rows?.get(a === null ? Void : a.type) ?? null;
  if (write === null)
    throw new ExportRefusal(
      a === null ? nameOfOpcode(opcode) : `${nameOfOpcode(opcode)} of ${nameOfType(a.type)}`,
    );
  return write(w, names[0], names[1], names[2]);
}

/** Writes the condition of a jump or of a conditional move: a comparison with zero. */
export const isZero = (w: LineWriter, name: string, type: Type): string =>
  type === Int64 ? w.line("eqq", name, w.quad(0n)) : w.line("eqi", name, w.int(0));

type OperationWriter = (w: LineWriter, x: string, y: string, z: string) => string;

const same: OperationWriter = (_, x) => x;
const not = (w: LineWriter, x: string): string => w.line("xori", x, w.int(1));
const extended = (w: LineWriter, x: string, by: number): string =>
  w.line("rshi", w.line("lshi", x, w.int(by)), w.int(by));
const rotates =
  (letter: "i" | "q", first: string, second: string): OperationWriter =>
  (w, x, y) =>
    w.line(`or${letter}`, w.line(first, x, y), w.line(second, x, w.line("negi", y)));

type TypeRows = readonly (readonly [Type, OperationWriter])[];

/** Operations that several instructions express, by opcode and type of the first operand. */
const SEVERAL: ReadonlyMap<Opcode, ReadonlyMap<Type, OperationWriter>> = new Map(
  (
    [
      [Op.Identity, [Int32, Int64, Double].map((type) => [type, same])],
      [Op.Opaque, [Int32, Int64, Double].map((type) => [type, same])],
      [Op.Neg, [[Int64, (w, x) => w.line("subq", w.quad(0n), x)]]],
      [
        Op.NotEqual,
        [
          [Int32, (w, x, y) => not(w, w.line("eqi", x, y))],
          [Int64, (w, x, y) => not(w, w.line("eqq", x, y))],
          [Double, (w, x, y) => not(w, w.line("eqd", x, y))],
        ],
      ],
      [
        Op.EqualOrUnordered,
        [[Double, (w, x, y) => not(w, w.line("ori", w.line("ltd", x, y), w.line("gtd", x, y)))]],
      ],
      [Op.Mod, [[Int32, (w, x, y) => w.line("modi", w.line("divi", x, y))]]],
      [
        Op.RotL,
        [
          [Int32, rotates("i", "lshi", "rshui")],
          [Int64, rotates("q", "lshq", "rshuq")],
        ],
      ],
      [
        Op.RotR,
        [
          [Int32, rotates("i", "rshui", "lshi")],
          [Int64, rotates("q", "rshuq", "lshq")],
        ],
      ],
      [Op.SExt8, [[Int32, (w, x) => extended(w, x, 24)]]],
      [Op.SExt16, [[Int32, (w, x) => extended(w, x, 16)]]],
      [Op.SExt8To64, [[Int32, (w, x) => w.line("i2q", extended(w, x, 24))]]],
      [Op.SExt16To64, [[Int32, (w, x) => w.line("i2q", extended(w, x, 16))]]],
      [Op.TruncHigh, [[Int64, (w, x) => w.line("q2i", w.line("rshuq", x, w.int(32)))]]],
      [
        Op.Stitch,
        [
          [
            Int32,
            (w, x, y) =>
              w.line("orq", w.line("lshq", w.line("ui2uq", x), w.int(32)), w.line("ui2uq", y)),
          ],
        ],
      ],
      [Op.Abs, [[Double, (w, x) => masked(w, x, (1n << 63n) - 1n)]]],
      [
        Op.CopySign,
        [
          [
            Double,
            (w, x, y) => {
              const sign = w.line("andq", w.line("dasq", y), w.quad(1n << 63n));
              const rest = w.line("andq", w.line("dasq", x), w.quad((1n << 63n) - 1n));
              return w.line("qasd", w.line("orq", sign, rest));
            },
          ],
        ],
      ],
      [Op.PurifyNaN, [[Double, (w, x) => purified(w, x)]]],
      [Op.TruncS32, [[Double, (w, x) => saturated(w, x)]]],
    ] satisfies readonly (readonly [Opcode, TypeRows])[]
  ).map(([opcode, rows]): readonly [Opcode, ReadonlyMap<Type, OperationWriter>] => [
    opcode,
    new Map<Type, OperationWriter>(rows),
  ]),
);

function masked(w: LineWriter, x: string, mask: bigint): string {
  return w.line("qasd", w.line("andq", w.line("dasq", x), w.quad(mask)));
}

/** Replaces every NaN by the one without payload. */
export const purified = (w: LineWriter, x: string): string =>
  w.line("cmovd", w.line("eqd", x, x), x, w.line("qasd", w.quad(0x7ff8n << 48n)));

/**
 * `d2i` gives the least int beyond both limits, and for a NaN. A move of an int takes a comparison of ints alone: the
 * code for x86-64 has no other.
 */
function saturated(w: LineWriter, x: string): string {
  const isAbove = isZero(w, w.line("ged", x, w.double(2 ** 31)), Int32);
  const limited = w.line("cmovi", isAbove, w.line("d2i", x), w.int(0x7fff_ffff));
  const isNotANumber = isZero(w, w.line("eqd", x, x), Int32);
  return w.line("cmovi", isNotANumber, w.int(0), limited);
}

/** Writes the choice between two values by a condition of any integer type. */
function writeSelect(w: LineWriter, value: Value, names: readonly string[]): string {
  const { type, a } = value;
  const [condition, x, y] = names;
  const test = isZero(w, condition, a?.type ?? Int32);
  return w.line(`cmov${letterOf(type)}`, test, y, x);
}
