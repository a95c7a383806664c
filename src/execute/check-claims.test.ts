// A claim that does not hold is found, and laid to the operation whose function gave it.

import test from "ava";
import { optimize } from "../../reference/optimize.js";
import { PARTS } from "../../reference/parts.js";
import { cloneModule } from "../ir/clone.js";
import { nameOfOpcode, Op, type Opcode } from "../ir/opcodes.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { InternalError } from "../support/assert.js";
import { checkingClaims, executionsOn } from "./check-claims.js";
import { RANGE_PHASES } from "./range-claims.js";
import { DEFAULT_SETTINGS, optionsOf, Unit } from "./unit.js";

// x & 15, of which 3 is taken away; the difference is doubled where it is less than 12.
const PROGRAM = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(15)
  Int32 @2 = BitAnd(@0, @1)
  Int32 @3 = Const32(3)
  Int32 @4 = Sub(@2, @3)
  Int32 @5 = Const32(12)
  Int32 @6 = LessThan(@4, @5)
  Void @7 = Branch(@6, #1, #2)
#1:
  Int32 @8 = Add(@4, @4)
  Void @9 = Return(@8)
#2:
  Void @10 = Return(@4)
`;

const inputOf = (x: number) => ({ words: Int32Array.of(x, x >> 31), heapSeed: 0 });

/** The program, where the operation `id` is another one than the analysis has seen. */
function changed(module: Module, id: number, opcode: Opcode): Module {
  const other = cloneModule(module);
  const values = other.entry.blocks.flatMap((block) => block.values);
  const value = values.find((one) => one.id === id);
  if (value !== undefined) value.opcode = opcode;
  return other;
}

/** What is laid to blame where the operation `id` computes otherwise than is claimed. */
function blamed(id: number, opcode: Opcode, x: number, program = PROGRAM): string | null {
  const module = parseModule(program);
  const executions = executionsOn([inputOf(x)], 1000);
  const inert = PARTS.phases.map((phase) => ({ ...phase, run: () => false }));
  const rows = checkingClaims(inert, module, (given) => executions(changed(given, id, opcode)));
  const phases = ["reduce-strength", "canonicalize-phis", RANGE_PHASES[0]];
  const settings = { ...DEFAULT_SETTINGS, phases };
  try {
    optimize(module, { ...optionsOf(settings, PARTS), rows, level: "O1", target: null });
    return null;
  } catch (error) {
    if (error instanceof InternalError) return error.what;
    throw error;
  }
}

test("the operation whose range does not hold is named, and what only uses it is not", (t) => {
  for (const x of [0, 7, 15, -1]) t.is(blamed(4, Op.Sub, x), null, `${x}`);
  t.is(blamed(4, Op.Mul, 15), "range by Sub"); // 45, beyond 12
  t.is(blamed(2, Op.BitOr, 100), "range by BitAnd");
  t.is(blamed(8, Op.Mul, 15), null, `${nameOfOpcode(Op.Mul)} of 12 is not reached`);
  t.is(blamed(8, Op.Mul, 14), "range by Add");
});

const ORDERED = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(100)
  Int32 @2 = LessThan(@0, @1)
  Void @3 = Branch(@2, #1, #2)
#1:
  Int32 @4 = Add(@0, @1)
  Void @5 = Return(@4)
#2:
  Void @6 = Return(@1)
`;

test("a condition that implies what is not so is named where its operands are read", (t) => {
  t.is(blamed(2, Op.LessThan, 7, ORDERED), null);
  t.is(blamed(2, Op.GreaterThan, 107, ORDERED), "range by conditions");
});

test("a program that is verified has its claims held against what it does", (t) => {
  const module = parseModule(PROGRAM);
  const settings = { ...DEFAULT_SETTINGS, verify: true };
  const ask = { level: "O2", target: null, chaos: false } as const;
  const executions = executionsOn([inputOf(15)], 1000);
  t.notThrows(() => new Unit(module, settings, PARTS, executions).optimized(ask));
  // The difference is a sum by then.
  const wrong = new Unit(module, settings, PARTS, (given) => executions(changed(given, 4, Op.Mul)));
  const error = t.throws(() => wrong.optimized(ask), { instanceOf: InternalError });
  t.regex(error?.message ?? "", /^before eliminate-bounds-checks of f: .* and is -45$/);
  const unverified = new Unit(module, DEFAULT_SETTINGS, PARTS, () => t.fail() as never);
  t.notThrows(() => unverified.optimized(ask));
});
