// Compares the solver's meanings of opcodes with the oracle's, and its side conditions with the
// compiler's. It uses boundary values, at which two implementations are most likely to differ.

import test, { type ExecutionContext } from "ava";
import {
  instantiate,
  type TypedRule,
  typedRulesOf,
} from "../../reference/optimize/rules/instantiate.js";
import {
  type ComputedConstant,
  givenOperandsOf,
  isGivenPattern,
  type Replacement,
  type Rule,
} from "../../reference/optimize/rules/patterns.js";
import { RULES } from "../../reference/optimize/rules/rules.js";
import { nameOfOpcode, OPCODE_NAMES, Op, type Opcode, opcodeNamed, specOf } from "../ir/opcodes.js";
import { type Ending, isBits, type ObservedBits } from "../ir/outcome.js";
import { Procedure, type Value } from "../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isInteger,
  nameOfType,
  sizeOf,
  type Type,
  Void,
} from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { assert } from "../support/assert.js";
import { trials } from "../support/trials.js";
import { NO_HELP } from "./rule-query.js";
import { SMALL_MEANINGS } from "./small-meanings.js";
import { all, any, equal, not, SmtQuery, type SmtTerm } from "./smt.js";
import { Solver } from "./solver.js";
import { SYMBOLIC_COMPUTED, SYMBOLIC_CONDITIONS } from "./symbolic-conditions.js";
import { operation, UnknownToSolver } from "./symbolic-meanings.js";
import { integerOf, isAllowed, literal, type SymbolicValue } from "./symbolic-value.js";

/**
 * Tests one in this many pairs of operands. It does not divide the length of any list of values, so
 * each value occurs.
 */
const EVERY = trials(13, 1);
const FUEL = 1000;
const SECONDS_MAX = 60;

const INT32: readonly number[] = [
  0, 1, -1, 2, 3, 7, 31, 32, 33, 63, -2, 127, 128, 255, 0x7fff_ffff, -0x8000_0000, 0x5555_5555,
];
const INT64: readonly WordPair[] = [
  ...INT32.map((word): WordPair => [word, word >> 31]),
  [-1, 0],
  [0, 1],
  [0, -0x8000_0000],
  [-1, 0x7fff_ffff],
  [0, 0x4000_0000],
];
const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  3e9,
  -3e9,
  1e19,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 63,
  2 ** -149,
  2 ** -127,
  2 ** 127,
  Infinity,
  -Infinity,
];

function floatWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  return [view.getInt32(0), 0];
}

function doubleWords(x: number): WordPair {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return [view.getInt32(4), view.getInt32(0)];
}

// Quiet, with a payload, signalling, negative.
const FLOAT_NANS: readonly WordPair[] = [
  [0x7fc0_0000, 0],
  [0x7fc0_0001, 0],
  [0x7f80_0001, 0],
  [-1, 0],
];
const DOUBLE_NANS: readonly WordPair[] = [
  [0, 0x7ff8_0000],
  [1, 0x7ff0_0000],
  [-1, -1],
];

function boundaryOf(type: Type): readonly WordPair[] {
  if (type === Int32) return INT32.map((word) => [word, 0]);
  if (type === Float) return [...NUMBERS.map(floatWords), ...FLOAT_NANS];
  return type === Double ? [...NUMBERS.map(doubleWords), ...DOUBLE_NANS] : INT64;
}

/** Returns every pair; for unary operations every value. */
const pairsOf = (types: readonly Type[]): WordPair[][] =>
  types.reduce<WordPair[][]>(
    (rows, type) => rows.flatMap((row) => boundaryOf(type).map((words) => [...row, words])),
    [[]],
  );

/** Returns the oracle's outcome of an operation on constants. */
function resultOf(shape: TypedRule, operands: readonly WordPair[]): Ending {
  const { module } = instantiate(shape, (place) => operands[place === "c" ? 0 : 1]);
  const input = { words: new Int32Array(0), heapSeed: 0 };
  return new Oracle().run(decodeModule(module), input, FUEL).ending;
}

/** Returns a term that is true if the solver's meaning agrees for one tuple of operands. */
function agreement(query: SmtQuery, shape: TypedRule, operands: readonly WordPair[]): SmtTerm {
  const { opcode, type, operands: terms } = shape.root;
  assert(opcode !== null, () => "the root has an opcode");
  const values = terms.map((term, i) => literal(query, term.type, ...operands[i]));
  const forbidden: SmtTerm[] = [];
  const value = operation(opcode, {
    query,
    result: type,
    operands: values,
    wording: NO_HELP.wording,
    forbid: (claim) => forbidden.push(claim),
  });
  const ending = resultOf(shape, operands);
  if (ending.kind === "undefined") return any(forbidden);
  assert(ending.kind === "return", () => `${nameOfOpcode(opcode)} ends as ${ending.kind}`);
  const { result } = ending;
  assert(result !== null && isBits(result), () => "a value is returned");
  return all([not(any(forbidden)), hasBits(query, result, value)]);
}

/** Returns a term that is true if the value has these bits, or is an open NaN if they are open. */
function hasBits(
  query: SmtQuery,
  { type, lo, hi, anyNaN }: ObservedBits,
  value: SymbolicValue,
): SmtTerm {
  const expected = literal(query, type, lo, hi);
  if (value.kind === "integer" || expected.kind === "integer") return isAllowed(expected, value);
  return anyNaN ? value.isOpen : all([not(value.isOpen), isAllowed(expected, value)]);
}

/**
 * Returns the typed forms of one operation on constants c and d, which stand for operands of any
 * type.
 */
function operationsOf(opcode: Opcode): TypedRule[] {
  const name = nameOfOpcode(opcode);
  const operands = specOf(opcode).args.length === 1 ? (["c"] as const) : (["c", "d"] as const);
  const rule: Rule = { name, match: [name, ...operands], give: "c" };
  return typedRulesOf(rule);
}

const TESTED = OPCODE_NAMES.filter((name) => {
  const { effect, args } = specOf(Op[name]);
  const isComputed = effect === "pure" || effect === "partial";
  return isComputed && args.length >= 1 && args.length <= 2 && !["ArgumentReg"].includes(name);
});

async function claim(t: ExecutionContext, solver: Solver, query: SmtQuery, what: string) {
  t.is(await solver.ask(query.text, SECONDS_MAX), "unsat", `${what}: the solver's meaning differs`);
}

test("every opcode has the same meaning in the solver and in the oracle", async (t) => {
  const solver = await Solver.open();
  let tuples = 0;
  const unknown: string[] = [];
  for (const name of TESTED) {
    for (const shape of operationsOf(Op[name])) {
      const types = shape.root.operands.map(({ type }) => type);
      const what = `${name} of ${types.map(nameOfType).join(", ")}`;
      const query = new SmtQuery();
      const rows = pairsOf(types).filter((_, r) => types.length === 1 || r % EVERY === 0);
      try {
        const claims = rows.map((operands) => agreement(query, shape, operands));
        query.assert(not(all(claims)));
      } catch (error) {
        if (!(error instanceof UnknownToSolver)) throw error;
        unknown.push(what);
        continue;
      }
      tuples += rows.length;
      await claim(t, solver, query, what);
    }
  }
  solver.close();
  t.log(`${TESTED.length} opcodes, ${tuples} tuples of operands`);
  t.deepEqual(unknown, ["Mod of Float, Float", "Mod of Double, Double"]);
});

test("the meanings at any width equal the oracle's at 32 and 64 bits", (t) => {
  let tuples = 0;
  for (const [name, meaning] of Object.entries(SMALL_MEANINGS)) {
    // These are covered by the operation and by its overflow flag.
    if (!TESTED.some((asked) => asked === name)) continue;
    const opcode = opcodeNamed(name);
    assert(opcode !== null, () => `${name} is no opcode`);
    for (const shape of operationsOf(opcode)) {
      const types = shape.root.operands.map(({ type }) => type);
      if (!types.every(isInteger)) continue;
      for (const operands of pairsOf(types)) {
        const [x, y = 0n] = operands.map((words, i) => numberOf(types[i], words));
        const ending = resultOf(shape, operands);
        const said = meaning(x, y, { bits: bitsOf(types[0]), word: 32 });
        const result = ending.kind === "return" ? ending.result : null;
        const bits = bitsOf(shape.root.type);
        const expected =
          result !== null && isBits(result) ? numberOf(result.type, [result.lo, result.hi]) : null;
        if (expected !== (said === null ? null : BigInt.asIntN(bits, said))) {
          t.fail(`${name} of ${types.map(nameOfType).join(", ")}: ${x}, ${y}: ${said}`);
        }
        tuples++;
      }
    }
  }
  t.true(tuples > 10_000, `${tuples}`);
});

const bitsOf = (type: Type): number => 8 * sizeOf(type);
const numberOf = (type: Type, [lo, hi]: WordPair): bigint =>
  type === Int64 ? (BigInt(hi) << 32n) | BigInt(lo >>> 0) : BigInt(lo);

/** Conditions that do not depend on constants: true for all, or about the position of a value. */
const NOT_ABOUT_CONSTANTS = ["isNotConstant", "folds", "isOfIntegers", "isInt32"];

test("every condition and computed constant has the same meaning in the solver and in the compiler", async (t) => {
  const solver = await Solver.open();
  const met = new Set<string>();
  for (const rule of RULES) {
    const conditions = (rule.where ?? []).filter(({ name }) => {
      const base = name.slice(0, name.indexOf("("));
      return base in SYMBOLIC_CONDITIONS && !NOT_ABOUT_CONSTANTS.includes(base);
    });
    for (const shape of conditions.length === 0 ? [] : typedRulesOf(rule)) {
      for (const condition of conditions) {
        const base = condition.name.slice(0, condition.name.indexOf("("));
        const key = `${base} ${shape.root.opcode} ${nameOfType(shape.root.type)} ${condition.on
          .map((variable) => nameOfType(shape.types[variable]))
          .join()}`;
        if (met.has(key)) continue;
        met.add(key);
        const query = new SmtQuery();
        const claims = pairsOf(condition.on.map((variable) => shape.types[variable])).map(
          (words) => {
            const { root } = instantiate(shape, (place, _type, known) => {
              const at = condition.on.findIndex((variable) => variable === place);
              return known ?? words[at] ?? words[0];
            });
            const [first, second, third] = condition.on.map((variable, i) =>
              literal(query, shape.types[variable], ...words[i]),
            );
            const values = condition.on.map((variable, i) =>
              constantOf(shape.types[variable], words[i]),
            );
            const term = SYMBOLIC_CONDITIONS[base](
              { query, opcode: root.opcode, type: placeType(shape), offset: "#x0000000000000000" },
              first,
              second,
              third,
            );
            return equal(term, String(condition.holds(root, values[0], values[1], values[2])));
          },
        );
        query.assert(not(all(claims)));
        await claim(t, solver, query, key);
      }
    }
  }
  solver.close();
  t.log(`${met.size} conditions at types`);
  t.true(met.size > 40);
});

const placeType = ({ root }: TypedRule): Type =>
  root.type === Void ? root.operands[0].type : root.type;

test("every computed constant is computed in the same way", async (t) => {
  const solver = await Solver.open();
  const place = (type: Type) => ({
    query: new SmtQuery(),
    opcode: Op.Shl,
    type,
    offset: "#x0000000000000000",
  });
  let count = 0;
  for (const rule of RULES) {
    for (const computed of computedOf(rule.give)) {
      const make = SYMBOLIC_COMPUTED[computed.name];
      if (make === undefined) continue;
      for (const shape of typedRulesOf(rule)) {
        const { from } = computed;
        const type = from === null ? placeType(shape) : shape.types[from];
        if (!isInteger(type)) continue;
        const site = place(placeType(shape));
        const claims = boundaryOf(type)
          .filter((words) => computed.name === "countBits" || isPositivePower(words, type))
          .map((words) => {
            const out = { lo: 0, hi: 0 };
            computed.compute(site.type, constantOf(type, words), out);
            const value = make(site, literal(site.query, type, ...words));
            return equal(integerOf(value), integerOf(literal(site.query, Int32, out.lo, out.hi)));
          });
        count += claims.length;
        site.query.assert(not(all(claims)));
        await claim(t, solver, site.query, `${rule.name}: ${computed.name}`);
      }
    }
  }
  solver.close();
  t.true(count > 50, `${count} computed constants`);
});

const constantOf = (type: Type, [lo, hi]: WordPair): Value =>
  new Procedure("f", Int32).newConstant(type, lo, hi);

/** Returns all of its computed constants. */
function computedOf(given: Replacement | null | undefined): ComputedConstant[] {
  if (given === null || given === undefined || typeof given !== "object") return [];
  if (isGivenPattern(given)) return givenOperandsOf(given).flatMap(computedOf);
  return "compute" in given ? [given] : [];
}

/** Logarithms are tested on powers of two only. */
function isPositivePower([lo, hi]: WordPair, type: Type): boolean {
  const value = type === Int32 ? BigInt(lo) : (BigInt(hi) << 32n) | BigInt(lo >>> 0);
  return value > 0n && (value & (value - 1n)) === 0n;
}
