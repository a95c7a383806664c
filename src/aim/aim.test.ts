// Tests that inputs are moved to jumps, and that a backtraced value arrives.

import test from "ava";
import { generatedOf } from "../campaign/program/seeds.js";
import { OPCODE_NAMES, Op } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, heapContents, type Input, isJudged } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { Double, Float, Int32, Int64, type Type, VALUE_TYPES } from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { bitsOf } from "../ir/words.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { SeedSource } from "../support/source.js";
import { aimedInputs } from "./aim.js";
import { moveConstants } from "./aimed-constants.js";
import { atRank, bitsOfNumber, isSame, numberOf, rankOf, widthOf } from "./bits.js";
import { evaluatorOf } from "./evaluate.js";
import { seedFor, wordAt } from "./heap-seed.js";
import { inverseOf } from "./inverses.js";
import { answersOf, jumpBetween } from "./jumps.js";
import { classesOf } from "./operand-classes.js";

const oracle = new Oracle();

type Aim = ReturnType<typeof aimedInputs>[number]["aims"][number];

/** Returns whether some execution of the operation had these bits as that operand. */
function holds(module: Module, input: Input, { procedure, id, operand, bits }: Aim): boolean {
  const { trace } = oracle.runTraced(decodeModule(module), input, 100_000);
  const { procedures, ids, starts, dependences, results } = trace;
  return procedures.some((p, e) => {
    if (p !== procedure || ids[e] !== id) return false;
    const from = dependences[starts[e] + operand];
    const [lo, hi] = [results[2 * from], results[2 * from + 1]];
    return [Int32, Int64].some((type) => bitsOf(type, lo, hi) === bits);
  });
}

const main = (parameters: string, lines: readonly string[]): Module =>
  parseModule(`touchstone 1\nproc main(${parameters}) -> Int32\n#0:\n  ${lines.join("\n  ")}\n`);

/**
 * Returns the operands of the operation with that id, in the executions of two aimed inputs for
 * each seed.
 */
function operandsMet(
  module: Module,
  input: Input,
  id: number,
  type: Type,
  seeds = 60n,
): Set<string> {
  const met = new Set<string>();
  for (let seed = 0n; seed < seeds; seed++) {
    for (const aimed of aimedInputs(module, input, 2, new SeedSource(seed))) {
      const { trace } = oracle.runTraced(decodeModule(module), aimed.input, 1000);
      const event = trace.ids.indexOf(id);
      if (event < 0) continue;
      const bits = [0, 1].map((o) => {
        const from = trace.dependences[trace.starts[event] + o];
        return bitsOf(type, trace.results[2 * from], trace.results[2 * from + 1]);
      });
      met.add(bits.join(" "));
    }
  }
  return met;
}

test("a comparison is reached at equality and one next to it, through a chain of operations", (t) => {
  const module = main("Int32 @0, Int32 @1", [
    "Int32 @2 = Const32(-7)",
    "Int32 @3 = Mul(@0, @2)",
    "Int32 @4 = Const32(12345)",
    "Int32 @5 = BitXor(@3, @4)",
    "Int32 @6 = Const32(999999)",
    "Int32 @7 = LessThan(@5, @6)",
    "Void @8 = Return(@7)",
  ]);
  const met = operandsMet(module, { words: Int32Array.of(3, 0, 5, 0), heapSeed: 0 }, 7, Int32);
  for (const x of [999998, 999999]) t.true(met.has(`${x} 999999`), String(x));
});

test("bits are traced through a store and a load, and to the initial heap", (t) => {
  const module = main("Int64 @0, Int32 @1", [
    "Int32 @2 = Load(@0, offset = 40)",
    "Void @3 = Store(@1, @0, offset = 8)",
    "Int32 @4 = Load(@0, offset = 8)",
    "Int32 @5 = Max(@2, @4)",
    "Void @6 = Return(@5)",
  ]);
  const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, 1, 0);
  const met = operandsMet(module, { words, heapSeed: 9 }, 5, Int32);
  const pairs = [...met].map((pair) => pair.split(" ").map(Number));
  t.true(pairs.some(([x]) => x === -0x8000_0000));
  t.true(pairs.some(([, y]) => y === 0x7fff_ffff));
  t.true(pairs.some(([x, y]) => Math.abs(x - y) <= 1));
});

test("if there are several jumps, the one at the far end is reached as well", (t) => {
  const module = main("Int32 @0", [
    "Int32 @1 = Const32(7)",
    "Int32 @2 = ChillDiv(@0, @1)",
    "Void @3 = Return(@2)",
  ]);
  const met = operandsMet(module, { words: Int32Array.of(3, 0), heapSeed: 0 }, 2, Int32, 4000n);
  const dividends = [...met].map((pair) => Number(pair.split(" ")[0]));
  for (const rest of [0, 6]) {
    t.true(
      dividends.some((x) => x > 2 ** 30 && x % 7 === rest),
      `none leaves ${rest}`,
    );
  }
});

test("a constant is moved to the value of the other operand, and next to it; another use keeps its own", (t) => {
  const asked = new Set<number>();
  for (let seed = 0n; seed < 60n; seed++) {
    const module = main("Int32 @0", [
      "Int32 @1 = Const32(255)",
      "Int32 @2 = BitAnd(@0, @1)",
      "Int32 @3 = LessThan(@2, @1)",
      "Void @4 = Return(@3)",
    ]);
    const [{ values }] = module.entry.blocks;
    const input = { words: Int32Array.of(0x1234, 0), heapSeed: 0 };
    const free = values.filter(({ opcode }) => opcode === Op.LessThan);
    moveConstants({ module, inputs: [input], made: [], free }, input, new SeedSource(seed));
    asked.add(free[0].b?.constantLow ?? 0);
    t.is(values.find(({ opcode }) => opcode === Op.BitAnd)?.b?.constantLow, 255);
    t.deepEqual(verify(module).map(describeFault), []);
  }
  for (const bound of [255, 0x33, 0x34, 0x35]) t.true(asked.has(bound), String(bound));
});

test("a word of the heap determines its seed", (t) => {
  const heap = new Uint8Array(4096);
  for (const [word, index] of [
    [1, 0],
    [-0x8000_0000, 1],
    [0x7fc0_0000, 700],
    [-1, 1023],
  ]) {
    heapContents(heap, seedFor(word, index));
    t.is(new Int32Array(heap.buffer)[index], word);
    t.is(wordAt(seedFor(word, index), index), word);
  }
});

test("the bits of a NaN do not depend on the operation that computed it", (t) => {
  for (const type of [Float, Double]) {
    const zero = numberOf(type, 0n);
    const computed = [zero / zero, Math.sqrt(zero - 1), -(zero / zero)];
    for (const nan of computed) t.is(bitsOfNumber(type, nan), bitsOfNumber(type, Number.NaN));
  }
});

test("the order of a type has neighbours, and ends at NaNs", (t) => {
  const next = (type: Type, x: number): bigint =>
    atRank(type, rankOf(type, bitsOfNumber(type, x)) + 1n);
  t.is(next(Double, -0), 0n);
  t.is(next(Double, 0), 1n);
  t.is(next(Float, -1), bitsOfNumber(Float, -1 + 2 ** -24));
  for (const type of VALUE_TYPES) {
    for (const { members } of classesOf(type)) {
      for (const bits of members) t.is(atRank(type, rankOf(type, bits)), bits);
    }
  }
});

// biome-ignore format: a table
const JUMPS: readonly { readonly name: keyof typeof Op; readonly jump: string; readonly type: Type; readonly from: bigint; readonly to: bigint; readonly other: bigint; readonly at: readonly bigint[] }[] = [
  { name: "Equal",    jump: "order",    type: Int64,  from: 3n, to: 77n, other: 50n, at: [49n, 50n] },
  { name: "Add",      jump: "overflow", type: Int32,  from: 0n, to: 0x7fff_ffffn, other: 5n, at: [0x7fff_fffan, 0x7fff_fffbn] },
  { name: "Add",      jump: "carry",    type: Int32,  from: -9n, to: -1n, other: 5n, at: [-6n, -5n] },
  { name: "Div",      jump: "quotient", type: Int32,  from: 60n, to: 66n, other: 7n, at: [62n, 63n] },
  { name: "SExt8",    jump: "sign",     type: Int32,  from: 100n, to: 200n, other: 0n, at: [127n, 128n] },
  { name: "Nearest",  jump: "rounding", type: Double, from: bitsOfNumber(Double, 2.25), to: bitsOfNumber(Double, 2.75), other: 0n, at: [bitsOfNumber(Double, 2.5), bitsOfNumber(Double, 2.5) + 1n] },
  { name: "TruncS32", jump: "range",    type: Double, from: 0n, to: bitsOfNumber(Double, 1e300), other: 0n, at: [bitsOfNumber(Double, 2 ** 31) - 1n, bitsOfNumber(Double, 2 ** 31)] },
  { name: "IToF",     jump: "rounding", type: Int32,  from: 2n ** 24n, to: 2n ** 24n + 1n, other: 0n, at: [2n ** 24n, 2n ** 24n + 1n] },
];

for (const { name, jump, type, from, to, other, at } of JUMPS) {
  test(`${name} jumps: ${jump}`, (t) => {
    const answer = answersOf(Op[name]).find((row) => row.jump === jump)?.answer;
    t.truthy(answer);
    const found = jumpBetween(type, (bits) => answer?.(type, bits, other) ?? null, from, to);
    t.deepEqual(found, [...at] as [bigint, bigint]);
  });
}

// Operations for which every result has an operand that is found.
// biome-ignore format: a list
const INVERTIBLE = ["Add", "Sub", "Neg", "BitXor", "RotL", "ByteSwap", "SExt32", "Trunc", "TruncHigh", "LessThan", "Equal", "Abs", "IToD", "Stitch"] as const;

test("an inverse gives the target result, and exists where it must", (t) => {
  for (const name of OPCODE_NAMES) {
    for (const type of VALUE_TYPES) {
      const evaluate = evaluatorOf(Op[name], type);
      if (evaluate === null || name === "Mul" || evaluate.length > 2) continue;
      const must = INVERTIBLE.some((known) => known === name) && type === Int32;
      const operandType = name === "TruncHigh" || name === "Trunc" ? Int64 : type;
      for (const wantedFrom of [7n, -3n, 0n]) {
        const wanted = evaluate(wantedFrom, 5n);
        if (wanted === null) continue;
        const operands = evaluate.length === 1 ? [99n] : [99n, 5n];
        const resultType = widthOf(type) === 32 ? Int32 : Int64;
        for (const end of ["found", "below", "above"] as const) {
          const sought = { moved: 0, operands, operandType, wanted, resultType, end };
          const bits = inverseOf(Op[name], type, sought);
          if (bits === null) t.false(must, `${name} of ${type}: ${wanted}`);
          else t.true(isSame(resultType, evaluate(bits, 5n) ?? -99n, wanted), name);
        }
      }
    }
  }
});

// Operations for which many operands give a result, with the last of them below and above.
// biome-ignore format: a table
const ENDS: readonly { readonly name: keyof typeof Op; readonly type: Type; readonly wanted: bigint; readonly other?: bigint; readonly ends: readonly bigint[] }[] = [
  { name: "UToD",     type: Int64,  wanted: bitsOfNumber(Double, 2 ** 60), ends: [2n ** 60n - 64n, 2n ** 60n + 128n] },
  { name: "TruncS32", type: Double, wanted: 7n, ends: [bitsOfNumber(Double, 7), bitsOfNumber(Double, 8) - 1n] },
  { name: "SShr",     type: Int32,  wanted: -3n, other: 4n, ends: [-48n, -33n] },
  { name: "LessThan", type: Int32,  wanted: 1n, other: 9n, ends: [-(2n ** 31n), 8n] },
  { name: "Neg",      type: Int64,  wanted: 5n, ends: [-5n, -5n] },
];

for (const { name, type, wanted, other, ends } of ENDS) {
  test(`both ends of the operands of ${name} with one result are found`, (t) => {
    const resultType = widthOf(type) === 32 || name === "TruncS32" ? Int32 : Int64;
    const operands = other === undefined ? [99n] : [99n, other];
    const sought = { moved: 0, operands, operandType: type, wanted, resultType };
    const found = (["below", "above"] as const).map((end) =>
      inverseOf(Op[name], type, { ...sought, end }),
    );
    t.deepEqual(found, [...ends]);
  });
}

test("most aims hold, and all moved inputs are judged", (t) => {
  let [all, held] = [0, 0];
  for (let seed = 1n; seed <= 60n; seed++) {
    const { module, inputs } = generatedOf(seed);
    for (const { input, aims } of aimedInputs(module, inputs[0], 2, new SeedSource(seed))) {
      t.true(isJudged(oracle.run(decodeModule(module), input, 100_000)), String(seed));
      all += aims.length;
      held += aims.filter((aim) => holds(module, input, aim)).length;
    }
  }
  t.true(all > 150, String(all));
  t.true(held > 0.65 * all, `${held} of ${all}`);
});

test("the same choices make the same moves", (t) => {
  let moved = 0;
  for (let seed = 8n; seed < 14n; seed++) {
    const { module, inputs } = generatedOf(seed);
    const make = () => aimedInputs(module, inputs[0], 4, new SeedSource(seed));
    t.deepEqual(make(), make());
    if (make().some(({ input }) => !isSameInput(input, inputs[0]))) moved++;
  }
  t.true(moved > 3, `${moved}`);
});

const isSameInput = (x: Input, y: Input): boolean =>
  x.heapSeed === y.heapSeed && x.words.every((word, i) => word === y.words[i]);
