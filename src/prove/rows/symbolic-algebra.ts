// The operations of reference/lir/meanings on terms of the solver. Where the language leaves an operation undefined,
// the instruction faults.

import type {
  ConversionOpcode,
  FlagComputation,
  FloatBinaryOpcode,
  FloatOperations,
  FloatUnaryOpcode,
  IntegerBinaryOpcode,
  IntegerOperations,
  IntegerUnaryOpcode,
  MeaningAlgebra,
  ScaledIndex,
  ShiftOpcode,
  TotalDivisionOpcode,
  ValueWidth,
} from "../../../reference/lir/meanings/algebra.js";
import { CONDITION_NAMES, type ConditionName } from "../../../reference/target/conditions.js";
import { type Opcode, opcodeNamed } from "../../ir/opcodes.js";
import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { NO_HELP } from "../rule-query.js";
import {
  any,
  apply,
  bits,
  choose,
  equal,
  extract,
  not,
  type SmtTerm,
  signExtend,
  zeroExtend,
} from "../smt.js";
import { guardOf } from "../symbolic-effects.js";
import { operation } from "../symbolic-meanings.js";
import {
  chooseValue,
  floatOf,
  integer,
  integerOf,
  isNotNumber,
  type SymbolicValue,
  truth,
  widthOf,
} from "../symbolic-value.js";
import type { LirSite } from "./lir-site.js";

type SymbolicComputation = (m: LirSite) => SymbolicValue;
type TermComputation = (m: LirSite) => SmtTerm;

/** The types of values that the solver's implementation computes. */
export interface SymbolicDomain {
  readonly l: SymbolicComputation;
  readonly q: SymbolicComputation;
  readonly ss: SymbolicComputation;
  readonly sd: SymbolicComputation;
  readonly claim: TermComputation;
  readonly address: TermComputation;
  readonly effect: (m: LirSite) => void;
}

const TYPE_OF: { readonly [W in ValueWidth]: Type } = { l: Int32, q: Int64, ss: Float, sd: Double };

function opcodeOf(name: string): Opcode {
  const opcode = opcodeNamed(name);
  assert(opcode !== null, () => `expected the name of an opcode, got ${name}`);
  return opcode;
}

/** Computes an opcode of the language; where it is undefined, the instruction faults. */
const compute = (
  m: LirSite,
  opcode: Opcode,
  result: Type,
  operands: readonly SymbolicValue[],
  forbid = (claim: SmtTerm): number => m.faults.push(claim),
): SymbolicValue =>
  operation(opcode, { query: m.query, result, operands, wording: NO_HELP.wording, forbid });

const operated = (
  name: string,
  result: Type,
  ...operands: readonly SymbolicComputation[]
): SymbolicComputation => {
  const opcode = opcodeOf(name);
  return (m) => {
    const values = operands.map((operand) => operand(m));
    return compute(m, opcode, result, values);
  };
};

type TermRelation = (x: SmtTerm, y: SmtTerm) => SmtTerm;
const by =
  (head: string): TermRelation =>
  (x, y) =>
    apply(head, x, y);
const negated =
  (holds: TermRelation): TermRelation =>
  (x, y) =>
    not(holds(x, y));
const isUnordered: TermRelation = (x, y) => any([isNotNumber(x), isNotNumber(y)]);

// biome-ignore format: a table
const HOLDS: { readonly [C in ConditionName]: TermRelation } = {
  eq: equal, ne: negated(equal), lt: by("bvslt"), gt: by("bvsgt"), le: by("bvsle"), ge: by("bvsge"),
  above: by("bvugt"), below: by("bvult"), aboveEqual: by("bvuge"), belowEqual: by("bvule"),
  feq: by("fp.eq"), fne: negated(by("fp.eq")), flt: by("fp.lt"), fgt: by("fp.gt"), fle: by("fp.leq"), fge: by("fp.geq"),
  fequ: (x, y) => any([by("fp.eq")(x, y), isUnordered(x, y)]),
  fnlt: negated(by("fp.lt")), fngt: negated(by("fp.gt")), fnle: negated(by("fp.leq")), fnge: negated(by("fp.geq")),
  fone: (x, y) => any([by("fp.lt")(x, y), by("fp.gt")(x, y)]),
};
const holds = (m: LirSite, x: SmtTerm, y: SmtTerm): SmtTerm => HOLDS[CONDITION_NAMES[m.hi]](x, y);

// biome-ignore format: a table
const TOTAL: { readonly [N in TotalDivisionOpcode]: (m: LirSite, x: SymbolicValue, y: SymbolicValue) => SmtTerm } = {
  UDivOrZero: (_, x, y) => choose(isZero(y), zeroOf(y.type), apply("bvudiv", integerOf(x), integerOf(y))),
  ModOrDividend: (_, x, y) => apply("bvsrem", integerOf(x), integerOf(y)),
  UModOrDividend: (_, x, y) => apply("bvurem", integerOf(x), integerOf(y)),
  FloorModOrDividend: (m, x, y) =>
    choose(isZero(y), integerOf(x), integerOf(compute(m, opcodeOf("FloorMod"), x.type, [x, y], () => 0))),
};
const zeroOf = (type: Type): SmtTerm => bits(widthOf(type), 0);
const isZero = (x: SymbolicValue): SmtTerm => equal(integerOf(x), zeroOf(x.type));
const isTotal = (name: IntegerBinaryOpcode): name is TotalDivisionOpcode => name in TOTAL;

const guarded = (
  name: string,
  type: Type,
  ...operands: readonly SymbolicComputation[]
): SymbolicDomain["effect"] => {
  return (m) => {
    const values = operands.map((operand) => operand(m));
    const result = guardOf(m.query, name, type, values);
    assert(result !== null, () => `expected the name of a guard, got ${name}`);
    m.exits = result.exits;
    if (result.value !== null) m.define(result.value);
  };
};

const common = (type: Type) => ({
  use:
    (k: number): SymbolicComputation =>
    (m) =>
      m.value(type, k),
  immediate: (): SymbolicComputation => (m) => m.immediate(type),
  choose:
    (claim: TermComputation, x: SymbolicComputation, y: SymbolicComputation): SymbolicComputation =>
    (m) =>
      chooseValue(m.query, claim(m), x(m), y(m)),
  define: (x: SymbolicComputation) => (m: LirSite) => m.define(x(m)),
  defineOpen: (x: SymbolicComputation) => (m: LirSite) => m.defineOpen(x(m)),
  defineImmediate: () => (m: LirSite) => m.define(m.immediate(type)),
});

/** Reads some bytes as the low bytes of an integer. */
function loaded(m: LirSite, type: Type, address: SmtTerm, count: number, isSigned: boolean) {
  const missing = widthOf(type) - 8 * count;
  const word = m.memory.read(address, count);
  return integer(type, missing === 0 ? word : (isSigned ? signExtend : zeroExtend)(missing, word));
}

function integers(type: Type): IntegerOperations<SymbolicDomain, SymbolicComputation> {
  const width = widthOf(type);
  const zero = integer(type, zeroOf(type));
  const ones = integer(type, bits(width, -1));
  const binary = (
    name: IntegerBinaryOpcode,
    x: SymbolicComputation,
    y: SymbolicComputation,
  ): SymbolicComputation => {
    if (!isTotal(name)) return operated(name, type, x, y);
    return (m) => integer(type, TOTAL[name](m, x(m), y(m)));
  };
  return {
    ...common(type),
    zero: () => () => zero,
    lowImmediate: () => (m) => integer(type, bits(width, m.lo)),
    binary,
    unary: (name: IntegerUnaryOpcode, x) => operated(name, type, x),
    complement: (x) => operated("BitXor", type, x, () => ones),
    shift: (name: ShiftOpcode, x, count) => operated(name, type, x, count),
    flag: (name: FlagComputation, x, y) => operated(name, Int32, x, y),
    divide: (name, x, y) => {
      const result = operated(name, type, x, y);
      return (m) => m.define(result(m));
    },
    checked: (name, x, y) => guarded(name, type, x, y),
    holds: (x, y) => (m) => holds(m, integerOf(x(m)), integerOf(y(m))),
    holdsOfBits: (x, y) => (m) =>
      holds(m, apply("bvand", integerOf(x(m)), integerOf(y(m))), zeroOf(type)),
    load: (address, bytes, isSigned) => (m) => loaded(m, type, address(m), bytes, isSigned),
    store: (address, bytes, x) => (m) => m.write(address(m), x(m), bytes),
    exchange: (address, bytes, name, x) => (m) => {
      const at = address(m);
      const old = loaded(m, type, at, bytes, false);
      const operand = x(m);
      const next =
        name === null
          ? operand
          : binary(
              name,
              () => old,
              () => operand,
            )(m);
      m.write(at, next, bytes);
      m.define(old);
    },
    compareAndExchange: (address, bytes, expected, x, givesOld) => (m) => {
      const at = address(m);
      const old = loaded(m, type, at, bytes, false);
      const low = (value: SymbolicValue): SmtTerm => extract(8 * bytes - 1, 0, integerOf(value));
      const isExpected = equal(low(old), low(expected(m)));
      m.write(at, chooseValue(m.query, isExpected, x(m), old), bytes);
      m.define(givesOld ? old : truth(isExpected));
    },
  };
}

/** Truncates toward zero, as cvtt does: the least integer if there is no result. */
function truncatedOrLeast(m: LirSite, from: Type, width: 32 | 64, x: SymbolicValue): SymbolicValue {
  const [name, type] = width === 32 ? ["TruncS32", Int32] : (["TruncS64", Int64] as const);
  const inside = integerOf(compute(m, opcodeOf(name), type, [x]));
  const wide = width === 32 ? signExtend(32, inside) : inside;
  const least = bits(64, -(1n << BigInt(width - 1)));
  const toFloat = opcodeOf(from === Float ? "IToF" : "IToD");
  const limit = floatOf(compute(m, toFloat, from, [integer(Int64, least)])).number;
  const down = apply("fp.roundToIntegral", "RTZ", floatOf(x).number);
  const isIn = apply(
    "and",
    apply("fp.leq", limit, down),
    apply("fp.lt", down, apply("fp.neg", limit)),
  );
  return integer(Int64, choose(isIn, wide, least));
}

function floats(type: Type): FloatOperations<SymbolicDomain, SymbolicComputation> {
  return {
    ...common(type),
    binary: (name: FloatBinaryOpcode, x, y) => operated(name, type, x, y),
    unary: (name: FloatUnaryOpcode, x) => operated(name, type, x),
    fused: (x, y, z) => operated("FusedMulAdd", type, x, y, z),
    truncatedOrLeast: (width, x) => (m) => truncatedOrLeast(m, type, width, x(m)),
    holds: (x, y) => (m) => holds(m, floatOf(x(m)).number, floatOf(y(m)).number),
    load: (address) => (m) => m.read(type, address(m)),
    store: (address, x) => (m) => m.write(address(m), x(m), widthOf(type) / 8),
  };
}

function converted(conversion: ConversionOpcode): SymbolicDomain["effect"] {
  const [name, from, to] = conversion.split(" ");
  const [operand, result] = [typeOf(from), typeOf(to)];
  const value = operated(name, result, (m) => m.value(operand, 1));
  return (m) => m.define(value(m));
}
function typeOf(width: string): Type {
  const found = Object.entries(TYPE_OF).find(([name]) => name === width);
  assert(found !== undefined, () => `expected a width, got ${width}`);
  return found[1];
}

const shifted = (index: SmtTerm, scale: number): SmtTerm =>
  scale === 0 ? index : apply("bvshl", index, bits(64, scale));
function indexOf(m: LirSite, { kind, scale }: ScaledIndex, k: number): SmtTerm {
  if (kind === "x") return shifted(m.wide(k), scale);
  return shifted((kind === "u" ? zeroExtend : signExtend)(32, m.low(k)), scale);
}

export const SYMBOLIC: MeaningAlgebra<SymbolicDomain> = {
  l: integers(Int32),
  q: integers(Int64),
  ss: floats(Float),
  sd: floats(Double),
  high: (k) => (m) => integer(Int32, m.high(k)),
  highImmediate: () => (m) => integer(Int64, bits(64, m.hi)),
  low: (x) => (m) => integer(Int32, extract(31, 0, integerOf(x(m)))),
  truth: (claim) => (m) => truth(claim(m)),
  index: (index, k) => (m) => integer(Int64, indexOf(m, index, k)),
  address({ base, index, isDisplaced }, k) {
    const isOperand = base === "operand";
    return (m) => {
      const parts = [isOperand ? m.wide(k) : m.slotAddress(m.hi)];
      if (index !== null) parts.push(indexOf(m, index, isOperand ? k + 1 : k));
      if (isDisplaced) parts.push(bits(64, m.lo));
      return parts.length === 1 ? parts[0] : apply("bvadd", ...parts);
    };
  },
  slotAddress: () => (m) => integer(Int64, m.slotAddress(m.lo)),
  convert: converted,
  convertOrExit: (isExact) =>
    guarded(isExact ? "CheckToInt32Exact" : "CheckToInt32", Int32, (m) => m.value(Double, 1)),
  defineHalves: (low, high) => (m) => m.defineWords(integerOf(low(m)), integerOf(high(m))),
  copy: () => (m) => m.defineCell(m.cell(1)),
  exitIf: (claim) => (m) => {
    m.exits = claim(m);
  },
  exit: () => (m) => {
    m.exits = "true";
  },
  branch: (claim) => (m) => {
    m.branches = [claim(m)];
  },
  jump: () => (m) => {
    m.branches = [];
  },
  nothing: () => () => {},
};
