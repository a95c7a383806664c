// Tests that a false claim is found and attributed to the operation whose range function made it.

import test from "ava";
import { optimize } from "../../../reference/optimize.js";
import { PARTS } from "../../../reference/parts.js";
import { cloneModule } from "../../ir/clone.js";
import { nameOfOpcode, Op, type Opcode } from "../../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../../ir/outcome.js";
import type { Module, Value } from "../../ir/procedure.js";
import { parseModule } from "../../ir/text/parse.js";
import { InternalError } from "../../support/assert.js";
import { CompilationUnit, DEFAULT_SETTINGS, optionsOf } from "../unit.js";
import {
  checkLoweringClaims,
  executionsOn,
  type TraceSource,
  withClaimChecks,
} from "./check-claims.js";

// x & 15, minus 3; the difference is doubled if it is less than 12.
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

/** Returns an input with an Int32 after the other arguments. */
const inputOf = (x: number, ...before: number[]) => ({
  words: Int32Array.of(...before, x, x >> 31),
  heapSeed: 0,
});

/** Returns the program with one value changed after the analysis. */
function changed(module: Module, id: number, edit: (value: Value) => void): Module {
  const other = cloneModule(module);
  const values = other.entry.blocks.flatMap((block) => block.values);
  const value = values.find((one) => one.id === id);
  if (value !== undefined) edit(value);
  return other;
}

const becomes =
  (opcode: Opcode) =>
  (value: Value): void => {
    value.opcode = opcode;
  };

/**
 * Returns the first false claim before the phase; no phase changes the program, but its executions
 * have another value `id`.
 */
function falseOf(
  program: string,
  input: Input,
  phase: string,
  id: number,
  edit: (value: Value) => void,
): string | null {
  const module = parseModule(program);
  const executions = executionsOn([input], 1000);
  const inert = PARTS.phases.map((row) => ({ ...row, run: () => false }));
  const rows = withClaimChecks(inert, module, (given) => executions(changed(given, id, edit)));
  const settings = { ...DEFAULT_SETTINGS, phases: ["canonicalize-phis", phase] };
  try {
    optimize(module, { ...optionsOf(settings, PARTS), rows, level: "O1", target: null });
    return null;
  } catch (error) {
    if (error instanceof InternalError) return error.what;
    throw error;
  }
}

/** Returns the name of the false claim if the operation `id` computes something else. */
const falseRange = (id: number, opcode: Opcode, x: number, program = PROGRAM): string | null =>
  falseOf(program, inputOf(x), "eliminate-bounds-checks", id, becomes(opcode));

test("the operation with the false range is named, and its users are not", (t) => {
  for (const x of [0, 7, 15, -1]) t.is(falseRange(4, Op.Sub, x), null, `${x}`);
  t.is(falseRange(4, Op.Mul, 15), "range by Sub"); // 45, above 12
  t.is(falseRange(2, Op.BitOr, 100), "range by BitAnd");
  t.is(falseRange(8, Op.Mul, 15), null, `${nameOfOpcode(Op.Mul)} of 12 is not reached`);
  t.is(falseRange(8, Op.Mul, 14), "range by Add");
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

test("a condition with a false implication is named at the reads of its operands", (t) => {
  t.is(falseRange(2, Op.LessThan, 7, ORDERED), null);
  t.is(falseRange(2, Op.GreaterThan, 107, ORDERED), "range by conditions");
});

// A byte at the heap's start plus 8 plus a number of four bits, and a loaded word above that.
const STORE = `touchstone 1
heap 4096
proc f(Int64 @0, Int32 @1) -> Int32
#0:
  Int64 @2 = ZExt32(@1)
  Int64 @3 = Const64(15)
  Int64 @4 = BitAnd(@2, @3)
  Int64 @5 = Add(@0, @4)
  Void @6 = Store8(@1, @5, offset = 8)
  Int32 @7 = Load(@0, offset = 24)
  Void @8 = Return(@7)
`;

test("accesses that share a byte against the claim are found", (t) => {
  const claimOf = (opcode: Opcode, x: number): string | null =>
    falseOf(STORE, inputOf(x, HEAP_BASE_LO, HEAP_BASE_HI), "forward-loads", 4, becomes(opcode));
  t.is(claimOf(Op.BitAnd, 3), null);
  t.is(claimOf(Op.BitOr, 3), null, "the byte lies at 23");
  t.is(claimOf(Op.Add, 3), "overlap", "it lies at 26");
  t.is(claimOf(Op.Add, 10), null, "it lies at 33");
});

// Two stores through one address of a slot, the second within the first, and a store and a load above both.
const IN_SLOT = `touchstone 1
proc f(Int32 @0) -> Int32
slot stack0 = locked 64
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  Int64 @1 = SlotBase(stack0)
  Int64 @2 = Const64(8)
  Int64 @3 = Add(@1, @2)
  Void @4 = Store(@0, @3)
  Void @5 = Store8(@0, @1, offset = 9)
  Void @6 = Store(@0, @1, offset = 16)
  Int32 @7 = Load(@1, offset = 16)
  Void @8 = Check(@0) s0
  Void @9 = Return(@7)
`;

test("claims about accesses to a slot are checked, by each phase that relies on them", (t) => {
  const at =
    (offset: number) =>
    (value: Value): void => {
      value.constantLow = offset;
    };
  for (const phase of ["forward-loads", "eliminate-dead-stores", "sink-stores"]) {
    const claimOf = (offset: number): string | null =>
      falseOf(IN_SLOT, inputOf(7), phase, 2, at(offset));
    t.is(claimOf(8), null, phase);
    t.is(claimOf(6), null, `${phase}: still within`);
    t.is(claimOf(10), "covered", `${phase}: 9 lies below`);
    t.is(claimOf(15), "covered", phase);
  }
  const apart = IN_SLOT.replace("offset = 9", "offset = 40");
  t.is(falseOf(apart, inputOf(7), "forward-loads", 2, at(12)), null);
  t.is(falseOf(apart, inputOf(7), "forward-loads", 2, at(14)), "overlap");
});

// x & 7, and a half.
const FRACTION = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(7)
  Int32 @2 = BitAnd(@0, @1)
  Double @3 = IToD(@2)
  Double @4 = ConstDouble(0.5)
  Double @5 = Add(@3, @4)
  Double @6 = Ceil(@5)
  Int32 @7 = TruncS32(@6)
  Void @8 = Return(@7)
`;

test("a float beyond the bounds of lowering is found and attributed to its operation", (t) => {
  const module = parseModule(FRACTION);
  const claimOf = (id: number, opcode: Opcode, x: number): string | null => {
    const executions = executionsOn([inputOf(x)], 1000);
    try {
      checkLoweringClaims(module, (given) => executions(changed(given, id, becomes(opcode))));
      return null;
    } catch (error) {
      return error instanceof InternalError ? error.what : `${error}`;
    }
  };
  for (const x of [0, 7, 8, -1]) t.is(claimOf(6, Op.Ceil, x), null, `${x}`);
  t.is(claimOf(5, Op.Sub, 7), null, "6.5 is possible");
  t.is(claimOf(5, Op.Sub, 0), "number range by Add");
  t.is(claimOf(2, Op.Sub, -100), "number range by IToD");
  t.is(claimOf(6, Op.Sqrt, 7), null);
  t.is(claimOf(6, Op.Neg, 7), "number range by Ceil");
});

test("the claims about a verified program are checked against its executions", (t) => {
  const module = parseModule(PROGRAM);
  const way = { level: "O2", target: null, chaos: false } as const;
  const executions = executionsOn([inputOf(15)], 1000);
  const unit = new CompilationUnit(module, { ...DEFAULT_SETTINGS, verify: true });
  unit.optimized(way);
  t.notThrows(() => unit.checkClaims(executions));
  const wrong: TraceSource = (given) => executions(changed(given, 4, becomes(Op.Mul)));
  const error = t.throws(() => unit.checkClaims(wrong), { instanceOf: InternalError });
  t.regex(error?.message ?? "", /^before eliminate-bounds-checks of f: .* from -3 to 12, and is/);
  const ofSource = new CompilationUnit(module, { ...DEFAULT_SETTINGS, checksClaims: true });
  t.notThrows(() => ofSource.checkClaims(wrong), "the optimizer has not run");
  ofSource.optimized(way);
  t.notThrows(() => ofSource.checkClaims(executions));
  t.throws(() => ofSource.checkClaims(wrong), {
    message: /Sub\(@2, @3\): @4 .* from -3 to 12, and is 45$/,
  });
  const neither = new CompilationUnit(module);
  neither.optimized(way);
  t.notThrows(() => neither.checkClaims(wrong));
});
