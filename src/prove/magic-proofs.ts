// Checks division by multiplication, which the solver cannot prove, by executing the sequences of
// the rules. At 8 bits it checks all divisors and all dividends. At 16 bits it checks all divisors,
// and the dividends at which the quotient changes with their neighbours. At 32 and 64 bits it
// checks drawn divisors with drawn changes and the extreme dividends.

import { DIVISOR_CONDITIONS, DIVISOR_CONSTANTS } from "../../reference/optimize/rules/division.js";
import { DIVISION_RULES } from "../../reference/optimize/rules/division-rules.js";
import {
  givenOperandsOf,
  isGivenPattern,
  isVariable,
  type Replacement,
  type Rule,
} from "../../reference/optimize/rules/patterns.js";
import { assert } from "../support/assert.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { SMALL_MEANINGS, type SmallMeaning } from "./small-meanings.js";

interface MagicProof {
  readonly rule: string;
  readonly bits: number;
  readonly divisors: number;
  readonly divisions: number;
  /** The first wrong result; null if there is none. */
  readonly wrong: string | null;
}

type DivisorFunction<T> = {
  readonly [name: string]: ((divisor: bigint, bits: number) => T) | undefined;
};
const CONDITIONS: DivisorFunction<boolean> = DIVISOR_CONDITIONS;
const CONSTANTS: DivisorFunction<bigint> = DIVISOR_CONSTANTS;

const conditionOf = ({ where = [] }: Rule) =>
  where.map(({ name }) => CONDITIONS[name.slice(0, name.indexOf("("))]).find((holds) => holds);

/** Rules whose constants are computed from a divisor. */
const MAGIC_RULES = DIVISION_RULES.filter((rule) => conditionOf(rule) !== undefined);

const MEANINGS: { readonly [name: string]: SmallMeaning | undefined } = SMALL_MEANINGS;

function operate(opcode: unknown, x: bigint, y: bigint, bits: number): bigint {
  const meaning = typeof opcode === "string" ? MEANINGS[opcode] : undefined;
  assert(meaning !== undefined, () => `${opcode} has no meaning at ${bits} bits`);
  const z = meaning(x, y, { bits, word: bits });
  assert(z !== null, () => `${opcode} of ${x}, ${y} is undefined`);
  return BigInt.asIntN(bits, z);
}

/** Evaluates the replacement of a rule for a dividend x and a divisor c. */
function evaluate(term: Replacement, x: bigint, c: bigint, bits: number): bigint {
  if (isGivenPattern(term)) {
    const [first, second = 0] = givenOperandsOf(term);
    return operate(term[0], evaluate(first, x, c, bits), evaluate(second, x, c, bits), bits);
  }
  if (isVariable(term)) return term === "x" ? x : c;
  if (typeof term === "number") return BigInt(term);
  if (term.name === "countMax") return BigInt(bits - 1);
  const constant = CONSTANTS[term.name];
  assert(constant !== undefined, () => `${term.name} is not computed from a divisor`);
  return BigInt.asIntN(bits, constant(c, bits));
}

/**
 * Yields the dividends of this width at which a quotient by c changes, their neighbours, and the
 * extremes.
 */
function* changesOf(c: bigint, bits: number, isSigned: boolean): Generator<bigint> {
  const half = 1n << BigInt(bits - 1);
  const [least, end] = isSigned ? [-half, half] : [0n, 2n * half];
  yield least;
  yield end - 1n;
  for (let x = (least / c) * c; x < end; x += c) {
    for (const near of [x - 1n, x, x + 1n]) if (near >= least && near < end) yield near;
  }
}

function* drawnChanges(
  c: bigint,
  bits: number,
  isSigned: boolean,
  source: ChoiceSource,
): Generator<bigint> {
  const half = 1n << BigInt(bits - 1);
  const [least, end] = isSigned ? [-half, half] : [0n, 2n * half];
  const quotients = [0n, 1n, -1n, (end - 1n) / c, least / c];
  for (let n = 0; n < DIVIDENDS_DRAWN; n++) quotients.push(drawInteger(bits, source) / c);
  for (const quotient of quotients) {
    for (const near of [-1n, 0n, 1n]) {
      const x = quotient * c + near;
      if (x >= least && x < end) yield x;
    }
  }
  yield least;
  yield end - 1n;
}

const DIVIDENDS_DRAWN = 12;
const drawInteger = (bits: number, source: ChoiceSource): bigint => {
  const word = (BigInt(source.below(2 ** 32)) << 32n) | BigInt(source.below(2 ** 32));
  return BigInt.asIntN(2 + source.below(bits - 1), word);
};

/** Checks a rule on divisors, each with its dividends. */
function checkRule(
  rule: Rule,
  bits: number,
  divisors: Iterable<bigint>,
  dividends: (c: bigint, isSigned: boolean) => Iterable<bigint>,
): MagicProof {
  const holds = conditionOf(rule);
  const { give, match } = rule;
  assert(holds !== undefined && give !== undefined && give !== null, () => `${rule.name} divides`);
  const isSigned = match[0] === "Div";
  let [tried, divisions] = [0, 0];
  let wrong: string | null = null;
  for (const c of divisors) {
    if (!holds(c, bits)) continue;
    tried++;
    for (const dividend of dividends(c, isSigned)) {
      const x = BigInt.asIntN(bits, dividend);
      divisions++;
      const exact = operate(match[0], x, c, bits);
      const z = evaluate(give, x, c, bits);
      if (z !== exact) wrong ??= `${rule.name}, ${bits} bits: ${x} / ${c} is ${exact}, not ${z}`;
    }
  }
  return { rule: rule.name, bits, divisors: tried, divisions, wrong };
}

function* upTo(end: bigint, step: bigint): Generator<bigint> {
  for (let x = 0n; x < end; x += step) yield x;
}

/**
 * Yields the results of checking each division by multiplication.
 * @param isWhole checks all divisors of 16 bits, and more drawn ones; otherwise one in 61
 */
export function* magicProofs(isWhole: boolean): Generator<MagicProof> {
  const source = new SeedSource(1n, "magic");
  const drawn = isWhole ? 4000 : 40;
  for (const rule of MAGIC_RULES) {
    yield checkRule(rule, 8, upTo(128n, 1n), (_c, isSigned) =>
      isSigned ? [...upTo(256n, 1n)].map((x) => x - 128n) : upTo(256n, 1n),
    );
    yield checkRule(rule, 16, upTo(1n << 15n, isWhole ? 1n : 61n), (c, isSigned) =>
      changesOf(c, 16, isSigned),
    );
    for (const bits of [32, 64]) {
      const divisors = Array.from({ length: drawn }, () => drawInteger(bits, source));
      const near = Array.from({ length: bits - 2 }, (_, k) => 1n << BigInt(k + 1));
      const all = [...divisors, ...near.flatMap((x) => [x - 1n, x + 1n, 3n * x])];
      const fitting = all.filter((x) => BigInt.asIntN(bits, x) === x);
      yield checkRule(rule, bits, fitting, (c, isSigned) =>
        drawnChanges(c, bits, isSigned, source),
      );
    }
  }
}
