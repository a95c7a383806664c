// Traces of small programs.

import test from "ava";
import { Op } from "../../ir/opcodes.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { parseModule } from "../../ir/text/parse.js";
import { Double, Float, Int32, Int64, TYPE_NAMES, type Type } from "../../ir/types.js";
import { decodeModule } from "./decode.js";
import { Oracle } from "./oracle.js";
import { FUEL, GUARDED, input, SUM } from "./test-programs.js";
import {
  ALL_ONES,
  INFINITY,
  INT_MAX,
  INT_MIN,
  MINUS_ZERO,
  NAN,
  SUBNORMAL,
  slice,
  specialsConsumed,
} from "./trace.js";

const oracle = new Oracle();

function traced(text: string, args: readonly bigint[]) {
  const program = decodeModule(parseModule(`touchstone 1\n${text}`));
  const plain = oracle.run(program, input(args), FUEL);
  const { outcome, trace } = oracle.runTraced(program, input(args), FUEL);
  return { plain, outcome, trace, slices: slice(trace) };
}

/** Returns "id: executed/matters/steers" for each value that executed. */
function countsOf(text: string, args: readonly bigint[], procedure = 0): string[] {
  const { executed, matters, steers } = traced(text, args).slices[procedure];
  const lines: string[] = [];
  executed.forEach((count, id) => {
    if (count > 0) lines.push(`${id}: ${count}/${matters[id]}/${steers[id]}`);
  });
  return lines;
}

test("a traced run has the same outcome", (t) => {
  for (const [text, args] of [
    [SUM, [10n]],
    [GUARDED, [5n, 1n, HEAP_BASE]],
  ] as const) {
    const { plain, outcome } = traced(text, args);
    t.deepEqual(outcome, plain);
  }
});

test("a trace holds every executed value in order, with its result", (t) => {
  const { trace } = traced(SUM, [1n]);
  t.deepEqual([...trace.ids], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 6, 7, 8, 14]);
  const lows = trace.results.filter((_, i) => i % 2 === 0);
  t.deepEqual([...lows], [1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0]);
  const wide = traced(GUARDED, [5n, 0n, HEAP_BASE]).trace;
  t.deepEqual(
    [...wide.results.slice(4, 6)],
    [Number(BigInt.asIntN(32, HEAP_BASE)), Number(HEAP_BASE >> 32n)],
  );
});

test("values matter through data, steer through branches, or do neither", (t) => {
  // biome-ignore format: a table
  t.deepEqual(countsOf(SUM, [2n]), [
    "0: 1/1/0", "1: 1/1/0", "2: 1/1/0", "3: 1/1/0", "4: 1/1/0", "5: 1/0/0",
    "6: 3/3/0", "7: 3/2/1", "8: 3/0/3", "9: 2/2/0", "10: 2/1/1", "11: 2/2/0", "12: 2/1/1", "13: 2/0/0", "14: 1/1/0",
  ]);
});

test("patchpoints depend on their operands and on the bytes that they read", (t) => {
  const text = `
proc f(Int64 @0, Int64 @1, Int32 @2, Double @3) -> Int32
slot stack0 = locked 16
snapshot s0 = exit 1 frames [f@0:]
#0:
  Int64 @4 = ArgumentReg(%a1)
  Int64 @5 = SlotBase(stack0)
  Void @6 = Store(@4, @5)
  Void @7 = Store(@0, @5, offset = 8)
  Int64 @8 = Patchpoint(slotFetch, @5)
  Int32 @9 = Patchpoint(heapExchange, @0, @2)
  Int32 @10 = PatchpointCheck(addOrExit, @2, @2) s0
  Int32 @11 = Patchpoint(copiesApart, @2, @3, @2)
  Int32 @12 = Trunc(@8)
  Void @13 = PatchpointReturn(returnSum, @12, @2)
`;
  // biome-ignore format: a table
  t.deepEqual(countsOf(text, [HEAP_BASE, 5n, 7n, 0n]), [
    "0: 1/1/0", "1: 1/1/0", "2: 1/1/0", "3: 1/0/0", "4: 1/1/0", "5: 1/1/0", "6: 1/1/0", "7: 1/0/0",
    "8: 1/1/0", "9: 1/1/0", "10: 1/0/1", "11: 1/0/0", "12: 1/1/0", "13: 1/1/0",
  ]);
  // The guard exits: only the heap is shown.
  t.deepEqual(countsOf(text, [HEAP_BASE, 5n, 0x8000_0000n, 0n]).slice(8), [
    "8: 1/0/0",
    "9: 1/1/0",
    "10: 1/0/1",
  ]);
});

test("stores matter while their bytes are observed, and so do their addresses", (t) => {
  const text = `
proc f(Int64 @0, Int32 @1, Int32 @2) -> Int32
slot stack0 = locked 8
#0:
  Int64 @3 = Const64(8)
  Int64 @4 = Add(@0, @3)
  Void @5 = Store(@1, @0)
  Void @6 = Store(@2, @0)
  Int64 @7 = SlotBase(stack0)
  Void @8 = Store(@1, @7)
  Void @9 = Store(@2, @7, offset = 4)
  Int32 @10 = Load(@7, offset = 4)
  Int32 @11 = Const32(0)
  Int32 @12 = Add(@1, @2)
  Int32 @13 = Select(@11, @12, @10)
  Int32 @14 = Load(@4)
  Void @15 = Return(@13)
`;
  // biome-ignore format: a table
  t.deepEqual(countsOf(text, [HEAP_BASE, 1n, 2n]), [
    "0: 1/1/0", "1: 1/0/0", "2: 1/1/0", "3: 1/0/0", "4: 1/0/0", "5: 1/0/0", "6: 1/1/0", "7: 1/1/0", "8: 1/0/0", "9: 1/1/0",
    "10: 1/1/0", "11: 1/1/0", "12: 1/0/0", "13: 1/1/0", "14: 1/0/0", "15: 1/1/0",
  ]);
});

test("exits make their slots matter, and traces continue in continuations", (t) => {
  // biome-ignore format: a table
  t.deepEqual(countsOf(GUARDED, [5n, 1n, HEAP_BASE]), [
    "0: 1/1/0", "1: 1/1/0", "2: 1/1/0", "20: 1/1/0", "21: 1/1/0", "22: 1/0/1", "23: 1/0/1",
    "30: 1/1/0", "31: 1/1/0", "32: 1/1/0", "33: 1/1/0",
  ]);
  t.deepEqual(countsOf(GUARDED, [5n, 1n, HEAP_BASE], 1), [
    "0: 1/1/0",
    "1: 1/1/0",
    "2: 1/1/0",
    "3: 1/1/0",
    "4: 1/1/0",
  ]);
  t.deepEqual(countsOf(GUARDED, [5n, 1n, HEAP_BASE], 2)[1], "1: 1/0/0", "an unused parameter");
});

test("a host function that reads the heap depends on every store before it", (t) => {
  const text = `
proc f(Int64 @0, Int32 @1) -> Int32
#0:
  Void @2 = Store8(@1, @0)
  Int32 @3 = CCall(checksum, @1)
  Int64 @4 = ZExt32(@3)
  Int32 @5 = CCall(stir, @1, @4)
  Int32 @6 = Const32(0)
  Void @7 = Store8(@6, @0)
  Void @8 = Return(@6)
`;
  // biome-ignore format: a table
  t.deepEqual(countsOf(text, [HEAP_BASE, 7n]), [
    "0: 1/1/0", "1: 1/1/0", "2: 1/1/0", "3: 1/1/0", "4: 1/1/0", "5: 1/1/0", "6: 1/1/0", "7: 1/1/0", "8: 1/1/0",
  ]);
});

test("nothing of an unjudged execution matters", (t) => {
  const text = `
proc f(Int32 @0) -> Void
#0:
  Void @1 = CCall(logInt, @0)
  Void @2 = `;
  t.deepEqual(countsOf(`${text}Oops()`, [1n]), ["0: 1/0/0", "1: 1/0/0", "2: 1/0/0"]);
  t.deepEqual(countsOf(`${text}Return()`, [1n]), ["0: 1/1/0", "1: 1/1/0", "2: 1/1/0"]);
});

test("special operands are recorded by opcode and type", (t) => {
  const text = `
proc f(Float @0, Double @1, Int32 @2, Int64 @3) -> Float
#0:
  Float @4 = Mul(@0, @0)
  Double @5 = Abs(@1)
  Int32 @6 = Neg(@2)
  Int64 @7 = Neg(@3)
  Void @8 = Return(@4)
`;
  const met = (args: readonly bigint[]): number[] => {
    const specials = specialsConsumed(traced(text, args).trace, 0);
    const at = (opcode: number, type: Type): number => specials[opcode * TYPE_NAMES.length + type];
    return [at(Op.Mul, Float), at(Op.Abs, Double), at(Op.Neg, Int32), at(Op.Neg, Int64)];
  };
  const min = 1n << 63n;
  t.deepEqual(met([0x8000_0000n, 1n, 0x8000_0000n, min]), [
    MINUS_ZERO,
    SUBNORMAL,
    INT_MIN,
    INT_MIN,
  ]);
  t.deepEqual(met([1n, min | 0n, 1n, 0x8000_0000n]), [SUBNORMAL, MINUS_ZERO, 0, 0]);
  t.deepEqual(met([0x7f80_0001n, 0x7ff0_0000_0000_0001n, 0n, 0n]), [NAN, NAN, 0, 0]);
  t.deepEqual(met([0n, 0x0010_0000_0000_0000n, 1n << 31n, 1n]), [0, 0, INT_MIN, 0]);
  t.deepEqual(met([0x7f80_0000n, 0x000f_ffff_0000_0000n, 0n, 0n]), [INFINITY, SUBNORMAL, 0, 0]);
  t.deepEqual(met([0n, 0xfff0_0000_0000_0000n, 0x7fff_ffffn, min - 1n]), [
    0,
    INFINITY,
    INT_MAX,
    INT_MAX,
  ]);
  t.deepEqual(met([1n << 24n, 1n, 0xffff_ffffn, -1n]), [0, SUBNORMAL, ALL_ONES, ALL_ONES]);
  t.deepEqual(met([1n << 24n, 1n << 53n, 1n, 0x7fff_ffff_7fff_ffffn]), [0, 0, 0, 0]);
});

test("special operands are recorded by procedure", (t) => {
  const text = `
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = CCall(g, @0)
  Int32 @2 = Neg(@1)
  Void @3 = Return(@2)

proc g(Int32 @0) -> Int32
#0:
  Int32 @1 = PopCnt(@0)
  Void @2 = Return(@1)
`;
  const { trace } = traced(text, [0xffff_ffffn]);
  const at = (procedure: number, opcode: number): number =>
    specialsConsumed(trace, procedure)[opcode * TYPE_NAMES.length + Int32];
  t.deepEqual([at(0, Op.PopCnt), at(1, Op.PopCnt)], [0, ALL_ONES]);
  t.deepEqual([at(0, Op.Neg), at(1, Op.Neg)], [0, 0]);
});

const TAIL = `proc f(Int32 @0, Int32 @1, Int32 @2) -> Int32
#0:
  Void @3 = Branch(@0, #1, #2)
#1:
  Int32 @4 = Const32(0)
  Int32 @5 = Add(@1, @1)
  Int32 @6 = Add(@2, @2)
  Void @7 = TailCall(f, @4, @5, @6)
#2:
  Void @8 = Return(@1)`;

test("a tail call matters if a parameter that it passes does; each argument flows to its own", (t) => {
  t.deepEqual(countsOf(TAIL, [1n, 3n, 5n]), [
    ...["0: 2/0/2", "1: 2/2/0", "2: 2/0/0", "3: 2/0/2"],
    ...["4: 1/0/1", "5: 1/1/0", "6: 1/0/0", "7: 1/1/0", "8: 1/1/0"],
  ]);
});
