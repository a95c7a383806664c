// Makes programs that test a condition: every comparison in a register, a branch, a guard and a
// select of every type, also negated and with an operand in memory; guards; overflow flags; Switch.

import { conditionOf } from "../../../reference/target/conditions.js";
import { OPCODE_NAMES, Op, type OpcodeName, typesOver } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, VALUE_TYPES } from "../../ir/types.js";
import { ADDRESSES } from "./memory-programs.js";
import type { ProgramDraft, ProgramSketch } from "./sketch.js";
import { constantsOf } from "./value-programs.js";

type ConditionDraft = (s: ProgramSketch) => Value;
type ConditionConsumer = (ask: ConditionDraft) => ProgramDraft;

const branch: ConditionConsumer = (ask) => (s) => {
  const [first, second] = [ask(s), s.returning(2)];
  s.op("Branch", first, second[0], second[1]);
  return null;
};
const check: ConditionConsumer = (ask) => (s) => s.op("Check", ask(s), s.snapshot());
const set: ConditionConsumer = (ask) => ask;
const select =
  (type: Type): ConditionConsumer =>
  (ask) =>
  (s) => {
    const [a, b] = [s.parameter("u", type), s.parameter("v", type)];
    return s.op("Select", ask(s), a, b);
  };
const CONSUMERS: readonly ConditionConsumer[] = [set, branch, check, ...VALUE_TYPES.map(select)];

const negated =
  (ask: ConditionDraft): ConditionDraft =>
  (s) =>
    s.op("Equal", ask(s), s.constant(Int32, 0n));

const COMPARING = OPCODE_NAMES.flatMap((name) =>
  typesOver(Op[name]).flatMap((type): (readonly [OpcodeName, Type])[] =>
    conditionOf(Op[name], type) >= 0 ? [[name, type]] : [],
  ),
);

export function* comparisonDrafts(): Generator<ProgramDraft> {
  for (const [name, type] of COMPARING) {
    const x = (s: ProgramSketch): Value => s.parameter("x", type);
    const ask: ConditionDraft = (s) => s.op(name, x(s), s.parameter("y", type));
    for (const consumer of CONSUMERS) {
      yield consumer(ask);
      yield consumer(negated(ask));
    }
    yield branch((s) => s.op(name, x(s), x(s)));
    for (const bits of constantsOf(type)) {
      yield branch((s) => s.op(name, x(s), s.constant(type, bits)));
      yield select(Int32)((s) => s.op(name, s.constant(type, bits), x(s)));
    }
  }
}

/** Yields comparisons with a memory operand, at every form of address, in every consumer. */
export function* loadedComparisonDrafts(): Generator<ProgramDraft> {
  for (const type of [Int32, Int64]) {
    for (const address of ADDRESSES) {
      const x = (s: ProgramSketch): Value => s.parameter("x", type);
      const second: ConditionDraft = (s) =>
        s.op("LessThan", x(s), s.op("Load", type, address(s), 8));
      const first: ConditionDraft = (s) => {
        const other = x(s);
        return s.op("Above", s.op("Load", type, address(s), 0), other);
      };
      for (const consumer of CONSUMERS) yield consumer(second);
      yield branch(first);
      yield check(negated(first));
    }
  }
}

/** Yields comparisons with a constant, in every consumer. */
export function* constantComparisonDrafts(): Generator<ProgramDraft> {
  for (const type of [Int32, Int64]) {
    const ask: ConditionDraft = (s) =>
      s.op("LessThan", s.parameter("x", type), s.constant(type, 5n));
    for (const consumer of CONSUMERS) yield consumer(ask);
  }
}

/** Yields bit tests, in every consumer. */
export function* bitsDrafts(): Generator<ProgramDraft> {
  for (const type of [Int32, Int64]) {
    const masks: ConditionDraft[] = [
      (s) => s.parameter("y", type),
      ...constantsOf(type).map((bits) => (s: ProgramSketch) => s.constant(type, bits)),
    ];
    for (const mask of masks) {
      const ask: ConditionDraft = (s) => s.op("BitAnd", s.parameter("x", type), mask(s));
      for (const name of ["Equal", "NotEqual"] as const) {
        const compared: ConditionDraft = (s) => s.op(name, ask(s), s.constant(type, 0n));
        for (const consumer of CONSUMERS) yield consumer(compared);
      }
      for (const consumer of CONSUMERS.slice(1)) yield consumer(ask);
    }
  }
}

/** Yields tests of a value for nonzero. */
export function* truthDrafts(): Generator<ProgramDraft> {
  for (const type of [Int32, Int64]) {
    const ask: ConditionDraft = (s) => s.parameter("x", type);
    for (const consumer of CONSUMERS.slice(1)) yield consumer(ask);
    for (const bits of [0n, 1n]) yield check((s) => s.constant(type, bits));
    yield (s) => {
      const blocks = s.returning(3);
      const [key, other] = type === Int32 ? [5, 0] : [-1, 7];
      const cases = [
        [[key, type === Int32 ? 0 : -1], blocks[0]],
        [[0, other], blocks[1]],
      ] as const;
      s.op("Switch", s.parameter("x", type), { cases, otherwise: blocks[2] });
      return null;
    };
    yield (s) => joined(s, type);
  }
  for (const type of [Float, Double]) yield (s) => joined(s, type);
}

/** Makes two branches that join in a Phi; returns the Phi. */
function joined(s: ProgramSketch, type: Type): Value {
  const [condition, x, y] = [
    s.parameter("c", Int32),
    s.parameter("x", type),
    s.parameter("y", type),
  ];
  const { builder } = s;
  const start = builder.block;
  const [first, second, end] = [builder.startBlock(), builder.startBlock(), builder.startBlock()];
  const phi = s.op("Phi", type);
  for (const [block, value] of [
    [first, x],
    [second, y],
  ] as const) {
    builder.block = block;
    s.op("Upsilon", value, phi);
    s.op("Jump", end);
  }
  builder.block = start;
  s.op("Branch", condition, first, second);
  builder.block = end;
  return phi;
}

const FLAGS = [
  ["CheckAdd", "AddOverflows", "Add"],
  ["CheckSub", "SubOverflows", "Sub"],
  ["CheckMul", "MulOverflows", "Mul"],
] as const;

export function* guardDrafts(): Generator<ProgramDraft> {
  for (const [guard, flag, result] of FLAGS) {
    for (const type of [Int32, Int64]) {
      const x = (s: ProgramSketch): Value => s.parameter("x", type);
      const pairs: ((s: ProgramSketch) => readonly [Value, Value])[] = [
        (s) => [x(s), s.parameter("y", type)],
        (s) => [x(s), x(s)],
        ...constantsOf(type).flatMap((bits) => [
          (s: ProgramSketch) => [x(s), s.constant(type, bits)] as const,
          (s: ProgramSketch) => [s.constant(type, bits), x(s)] as const,
        ]),
      ];
      for (const pair of pairs) {
        yield (s) => s.op(guard, ...pair(s), s.snapshot());
        yield (s) => s.op("Check", s.op(flag, ...pair(s)), s.snapshot());
        yield (s) => {
          const [a, b] = pair(s);
          s.op("Check", s.op(flag, a, b), s.snapshot());
          return s.op(result, a, b);
        };
        yield (s) => {
          const [a, b] = pair(s);
          const sum = s.op(result, a, b);
          s.op("Check", s.op(flag, a, b), s.snapshot());
          return type === Int32 ? s.op("ZExt32", sum) : sum;
        };
      }
    }
  }
  for (const name of ["CheckToInt32", "CheckToInt32Exact"] as const)
    yield (s) => s.op(name, s.parameter("x", Double), s.snapshot());
}
