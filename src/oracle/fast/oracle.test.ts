// Tests programs in the oracle: memory, open NaNs (whose bits the language leaves open), exits and continuations, fuel,
// and the contents of traces.

import test from "ava";
import type { OpcodeName } from "../../ir/opcodes.js";
import {
  type Ending,
  HEAP_BASE,
  heapContents,
  isJudged,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
} from "../../ir/outcome.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import { parseModule } from "../../ir/text/parse.js";
import { Float, Int32, Int64, type Type } from "../../ir/types.js";
import { decodeModule } from "./decode.js";
import { Oracle } from "./oracle.js";
import { FUEL, GUARDED, input, SUM } from "./test-programs.js";

const oracle = new Oracle();
const FLOAT_NAN = 0x7fc0_0000;
const SIGNALLING = 0x7f80_0001n;

/** Executes the program. Arguments are bits; a heap address is HEAP_BASE plus an offset. */
function execute(text: string, args: readonly bigint[] = [], fuelMax = FUEL): Outcome {
  return oracle.run(decodeModule(parseModule(`touchstone 1\n${text}`)), input(args), fuelMax);
}

const endingOf = (text: string, args?: readonly bigint[], fuelMax?: number): Ending =>
  execute(text, args, fuelMax).ending;

/** Returns the bits returned; "open" for an open NaN; else the kind of the ending, with its rule and value. */
function resultOf(text: string, args?: readonly bigint[], fuelMax?: number): bigint | string {
  const ending = endingOf(text, args, fuelMax);
  if (ending.kind === "undefined") return `${ending.rule} @${ending.value}`;
  if (ending.kind === "nan-bits") return `nan-bits @${ending.value}`;
  if (ending.kind !== "return" || ending.result === null) return ending.kind;
  const { lo, hi, anyNaN } = ending.result;
  return anyNaN ? "open" : (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}

const int32 = (lo: number): ObservedBits => ({ type: Int32, lo, hi: 0, anyNaN: false });
const bits = (type: Type, lo: number, hi = 0, anyNaN = false): ObservedBits => ({
  type,
  lo,
  hi,
  anyNaN,
});

test("a loop runs, and every executed value costs one unit of fuel", (t) => {
  t.is(resultOf(SUM, [10n]), 55n);
  // Five values before the loop, three at each of eleven tests, five in each of ten rounds, one return.
  const fuel = 5 + 3 * 11 + 5 * 10 + 1;
  t.is(oracle.fuelUsed, fuel);
  t.is(resultOf(SUM, [10n], fuel), 55n);
  t.is(resultOf(SUM, [10n], fuel - 1), "out-of-fuel");
  t.is(oracle.fuelUsed, fuel - 1);
  t.is(resultOf("proc f() -> Void\n#0:\n  Void @0 = Nop()\n  Void @1 = Oops()"), "Oops reached @1");
});

test("a variable keeps the last write, wherever it is, and its Phi keeps the value that it read", (t) => {
  const text = `
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Void @2 = Upsilon(@1, ^5)
  Void @3 = Upsilon(@0, ^5)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = Phi()
  Void @6 = Upsilon(@1, ^5)
  Int32 @7 = Sub(@5, @1)
  Void @8 = Return(@7)
`;
  t.is(resultOf(text, [9n, 4n]), 5n);
});

test("conditions are tested at their own width", (t) => {
  const text = (body: string): string => `
proc f(Int64 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: dead]
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = Const32(2)
${body}`;
  const high = [1n << 32n];
  const select = text("  Int32 @3 = Select(@0, @1, @2)\n  Void @4 = Return(@3)");
  t.is(resultOf(select, high), 1n);
  t.is(resultOf(select, [0n]), 2n);
  const branch = text(
    "  Void @3 = Branch(@0, #1, #2)\n#1:\n  Void @4 = Return(@1)\n#2:\n  Void @5 = Return(@2)",
  );
  t.is(resultOf(branch, high), 1n);
  t.is(resultOf(branch, [0n]), 2n);
  const check = text("  Void @3 = Check(@0) s0\n  Void @4 = Return(@1)");
  t.is(resultOf(check, high), "exit");
  t.is(resultOf(check, [0n]), 1n);
});

test("loads and stores are little endian, of any alignment, with signs", (t) => {
  const text = (load: string): string => `
proc f(Int64 @0, Int64 @1) -> Int32
#0:
  Void @2 = Store(@1, @0, offset = 3)
  Int32 @3 = ${load}
  Void @4 = Return(@3)
`;
  const args = [HEAP_BASE, 0x8877_6655_f4f3_f2f1n];
  const facts: [string, bigint][] = [
    ["Load8Z(@0, offset = 3)", 0xf1n],
    ["Load8S(@0, offset = 4)", 0xffff_fff2n],
    ["Load16Z(@0, offset = 5)", 0xf4f3n],
    ["Load16S(@0, offset = 5)", 0xffff_f4f3n],
    ["Load(@0, offset = 7)", 0x8877_6655n],
    ["Load(@0, offset = 1)", 0xf2f1_0000n],
  ];
  for (const [load, want] of facts) t.is(resultOf(text(load), args), want, load);
  const narrow = `
proc f(Int64 @0, Int32 @1) -> Int64
#0:
  Void @2 = Store8(@1, @0)
  Void @3 = Store16(@1, @0, offset = 2)
  Int64 @4 = Load(@0)
  Void @5 = Return(@4)
`;
  t.is(resultOf(narrow, [HEAP_BASE, 0x1234_5678n]), 0x5678_0078n);
});

test("addresses wrap modulo 2^64; a byte out of bounds is undefined", (t) => {
  const text = (offset: number): string => `
proc f(Int64 @0) -> Int64
#0:
  Int64 @1 = Load(@0, offset = ${offset})
  Void @2 = Return(@1)
`;
  const outside = "heap access out of bounds @1";
  t.is(resultOf(text(0), [HEAP_BASE]), 0n);
  t.is(resultOf(text(4088), [HEAP_BASE]), 0n);
  t.is(resultOf(text(4089), [HEAP_BASE]), outside);
  t.is(resultOf(text(-1), [HEAP_BASE]), outside);
  t.is(resultOf(text(-0x7000_0000), [HEAP_BASE + 0x7000_0008n]), 0n);
  t.is(resultOf(text(0x7000_0000), [HEAP_BASE - 0x7000_0000n]), 0n);
  for (const address of [0n, 1n << 63n, (1n << 64n) - 1n, HEAP_BASE + (1n << 60n)]) {
    t.is(resultOf(text(8), [address]), outside);
  }
});

test("the final heap is part of the outcome; its initial contents depend on the input's seed", (t) => {
  const program = decodeModule(
    parseModule(
      "touchstone 1\nheap 8192\nproc f(Int64 @0) -> Void\n#0:\n" +
        "  Int64 @1 = Const64(-2)\n  Void @2 = Store(@1, @0)\n  Void @3 = Return()\n",
    ),
  );
  const { ending } = oracle.run(program, { ...input([HEAP_BASE + 16n]), heapSeed: 77 }, FUEL);
  const heap = new Uint8Array(8192);
  heapContents(heap, 77);
  heap.fill(255, 16, 24);
  heap[16] = 254;
  t.deepEqual(ending, {
    kind: "return",
    result: null,
    heap: { bytes: heap, anyNaN: [], masked: [] },
  });
});

test("a stack slot: unwritten bytes, bounds, anonymous and locked", (t) => {
  const text = (kind: string, body: string): string => `
proc f(Int64 @0) -> Int32
slot stack4 = locked 8
slot stack0 = ${kind} 16
slot stack1 = locked 64
#0:
  Int64 @1 = SlotBase(stack0)
  Int64 @2 = Const64(4)
  Int64 @3 = Add(@1, @2)
  Int64 @4 = Add(@1, @0)
  Int32 @5 = Const32(-2)
${body}
  Void @20 = Return(@19)
`;
  const whole = "  Void @9 = Store(@0, @1)\n  Void @10 = Store(@0, @1, offset = 8)";
  const inPart = "  Void @11 = Store(@5, @3)\n  Int32 @19 = Load(@1, offset = 8)";
  const readBack = "  Void @11 = Store(@5, @3)\n  Int32 @19 = Load(@1, offset = 4)";
  t.is(resultOf(text("locked", "  Int32 @19 = Load(@1)"), [0n]), "unwritten slot byte @19");
  t.is(resultOf(text("locked", `${whole}\n${inPart}`), [7n]), 7n);
  t.is(resultOf(text("anonymous", `${whole}\n${inPart}`), [7n]), "unwritten slot byte @19");
  t.is(resultOf(text("anonymous", `${whole}\n${readBack}`), [7n]), 0xffff_fffen);
  const partly = "  Void @11 = Store8(@5, @3)\n  Int32 @19 = Load16Z(@3)";
  t.is(resultOf(text("locked", partly), [7n]), "unwritten slot byte @19");
  const any = "  Void @11 = Store(@5, @4)\n  Int32 @19 = Load(@4)";
  const outside = "slot access out of bounds @11";
  t.is(resultOf(text("locked", any), [12n]), 0xffff_fffen);
  for (const offset of [13n, (1n << 64n) - 1n, 1n << 32n, HEAP_BASE]) {
    t.is(resultOf(text("locked", any), [offset]), outside);
  }
});

// Open NaNs. @10 is an open Float NaN, @11 its bits, @12 an open Double NaN, @13 a specified NaN.
const openNaNs = (body: string, result = "Int32"): string => `
proc f(Int64 @0) -> ${result}
slot stack0 = locked 16
#0:
  Float @1 = ConstFloat(0.0)
  Int64 @2 = SlotBase(stack0)
  Float @10 = Div(@1, @1)
  Int32 @11 = BitwiseCast(@10)
  Double @12 = FloatToDouble(@10)
  Float @13 = ConstFloat(nan:0x7f800001)
${body}
`;
const nan = (body: string, result?: string): bigint | string =>
  resultOf(openNaNs(body, result), [HEAP_BASE]);

test("moves pass on an open NaN, and keep the bits of a specified NaN", (t) => {
  t.is(nan("  Void @20 = Return(@11)"), "open");
  t.is(nan("  Void @20 = Return(@12)", "Double"), "open");
  t.is(
    nan("  Float @20 = Identity(@10)\n  Float @21 = Neg(@20)\n  Void @22 = Return(@21)", "Float"),
    "open",
  );
  t.is(nan("  Float @20 = Add(@13, @1)\n  Void @21 = Return(@20)", "Float"), "open");
  t.is(nan("  Float @20 = Abs(@13)\n  Void @21 = Return(@20)", "Float"), SIGNALLING);
  t.is(
    nan(
      "  Float @20 = PurifyNaN(@10)\n  Int32 @21 = BitwiseCast(@20)\n  Int32 @22 = Neg(@21)\n  Void @23 = Return(@22)",
    ),
    0x8040_0000n,
  );
  t.is(nan("  Int32 @20 = NotEqual(@10, @10)\n  Void @21 = Return(@20)"), 1n);
  const chosen = (first: number): string =>
    `  Int32 @19 = Const32(${first})\n  Int32 @20 = Select(@19, @11, @19)\n  Void @21 = Return(@20)`;
  t.is(nan(chosen(1)), "open");
  t.is(nan(chosen(0)), 0n);
  const variable =
    "  Void @20 = Upsilon(@10, ^21)\n  Void @22 = Jump(#1)\n#1:\n  Float @21 = Phi()\n  Void @23 = Return(@21)";
  t.is(nan(variable, "Float"), "open");
});

test("every other look at an open NaN ends the execution", (t) => {
  const looks = [
    "  Int32 @20 = BitXor(@11, @11)",
    "  Int32 @20 = Equal(@11, @11)",
    "  Int64 @20 = SExt32(@11)",
    "  Double @20 = IToD(@11)",
    "  Int32 @20 = Select(@11, @11, @11)",
    "  Void @20 = Store8(@11, @0)",
    "  Void @20 = Store16(@11, @2)",
    "  Int32 @20 = CCall(mix32, @11, @11)",
    "  Void @20 = CCall(logInt, @11)",
  ];
  for (const look of looks) {
    const rest = look.includes("Int32 @20") ? "@20" : "@11";
    t.is(nan(`${look}\n  Void @30 = Return(${rest})`), "nan-bits @20", look);
  }
  t.is(nan("  Void @20 = Branch(@11, #1, #1)\n#1:\n  Void @21 = Return(@11)"), "nan-bits @20");
  const address =
    "  Int64 @19 = BitwiseCast(@12)\n  Int32 @20 = Load(@19)\n  Void @21 = Return(@20)";
  t.is(nan(address), "nan-bits @20");
  const wide = "  Int64 @19 = BitwiseCast(@12)\n  Int32 @20 = Trunc(@19)\n  Void @21 = Return(@20)";
  t.is(nan(wide), "nan-bits @20");
});

test("memory holds an open NaN whole, in the heap and in slots", (t) => {
  for (const base of ["@0", "@2"]) {
    const stored = `  Void @20 = Store(@11, ${base}, offset = 4)`;
    const load = (type: string, what: string): bigint | string =>
      nan(
        `  Void @18 = Store(@0, ${base})\n  Void @19 = Store(@0, ${base}, offset = 8)\n` +
          `${stored}\n  ${type} @21 = ${what}\n  Void @22 = Return(@21)`,
        type,
      );
    t.is(load("Float", `Load(${base}, offset = 4)`), "open");
    t.is(load("Int32", `Load(${base}, offset = 4)`), "open");
    t.is(load("Int32", `Load(${base})`), HEAP_BASE & 0xffff_ffffn);
    t.is(load("Int32", `Load(${base}, offset = 8)`), HEAP_BASE & 0xffff_ffffn);
    for (const cut of [
      `Load(${base}, offset = 3)`,
      `Load8Z(${base}, offset = 7)`,
      `Load16S(${base}, offset = 4)`,
    ]) {
      t.is(load("Int32", cut), "nan-bits @21", cut);
    }
    t.is(load("Int64", `Load(${base})`), "nan-bits @21");
    const store = (what: string): bigint | string =>
      nan(
        `  Void @19 = Store(@0, ${base}, offset = 8)\n${stored}\n  Void @21 = ${what}\n  Int32 @22 = Load(${base}, offset = 4)\n  Void @23 = Return(@22)`,
      );
    t.is(store(`Store(@1, ${base}, offset = 4)`), 0n);
    t.is(store(`Store(@0, ${base}, offset = 4)`), HEAP_BASE & 0xffff_ffffn);
    t.is(store(`Store8(@11, ${base}, offset = 12)`), "nan-bits @21");
    for (const cut of [
      "Store(@1, BASE, offset = 5)",
      "Store(@1, BASE, offset = 2)",
      "Store(@0, BASE, offset = 7)",
    ]) {
      t.is(store(cut.replace("BASE", base)), "nan-bits @21", cut);
    }
  }
});

test("the final heap lists the open NaNs in it; a host function may not read them", (t) => {
  const stores = "  Void @20 = Store(@12, @0, offset = 9)\n  Void @21 = Store(@10, @0, offset = 2)";
  const ending = endingOf(openNaNs(`${stores}\n  Void @22 = Return(@11)`), [HEAP_BASE]);
  t.deepEqual(ending.kind === "return" && ending.heap.anyNaN, [2, 4, 9, 8]);
  const read = `${stores}\n  Int32 @22 = Const32(1)\n  Int32 @23 = CCall(checksum, @22)\n  Void @24 = Return(@23)`;
  t.is(nan(read), "nan-bits @23");
  // An overwritten NaN is gone, so the function may look.
  const closed = `  Void @25 = Store(@0, @0, offset = 9)\n  Void @26 = Store(@1, @0, offset = 2)\n`;
  t.is(typeof nan(read.replace("  Int32 @22", `${closed}  Int32 @22`)), "bigint");
  // The next run has no open NaN of this run.
  t.is(
    resultOf(
      "proc f(Int64 @0) -> Int32\n#0:\n  Int32 @1 = Load8Z(@0, offset = 10)\n  Void @2 = Return(@1)",
      [HEAP_BASE],
    ),
    0n,
  );
});

test("an event records bits as passed, and the function sees a purified NaN", (t) => {
  const text = openNaNs(`
  Int32 @20 = Const32(5)
  Void @21 = CCall(logMixed, @0, @12, @20, @13)
  Float @22 = CCall(halve, @13)
  Int32 @23 = BitwiseCast(@22)
  Void @24 = Return(@23)`);
  const { events, ending } = execute(text, [HEAP_BASE]);
  t.is(events.length, 1);
  t.is(events[0].name, "logMixed");
  const [address, open, five, signalling] = events[0].args;
  t.deepEqual(address, bits(Int64, Number(BigInt.asIntN(32, HEAP_BASE)), Number(HEAP_BASE >> 32n)));
  t.true(open.anyNaN);
  t.deepEqual([five, signalling], [int32(5), bits(Float, 0x7f80_0001)]);
  t.deepEqual(ending.kind === "return" && ending.result, int32(FLOAT_NAN));
  // This function's result depends on every bit of its arguments.
  const wide = (payload: string): bigint | string =>
    nan(
      `
  Int32 @20 = Const32(5)
  Double @21 = ConstDouble(nan:${payload})
  Int64 @22 = CCall(wide, @20, @21, @0, @21, @20, @1, @0, @21, @20, @1, @20, @21, @1, @21)
  Void @23 = Return(@22)`,
      "Int64",
    );
  t.is(wide("0x7ff0000000000001"), wide("0xfff8000000000002"));
});

function firstWords({ bytes }: MemoryImage): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [0, 4, 8].map((at) => view.getInt32(at, true));
}

test("a guard whose condition holds exits: its exit block, frames, heap, then continuations inside out", (t) => {
  t.is(resultOf(GUARDED, [5n, 0n, HEAP_BASE]), 5n);
  const { ending } = execute(GUARDED, [5n, 1n, HEAP_BASE]);
  if (ending.kind !== "exit") return t.fail(ending.kind);
  t.is(oracle.fuelUsed, 8);
  t.is(ending.exit, 7);
  t.deepEqual(ending.frames, [
    { name: "g", point: 5, slots: [int32(5), null, int32(945)] },
    { name: "f", point: 1, slots: [bits(Int64, -3, -1), int32(1)] },
  ]);
  t.deepEqual(firstWords(ending.heap), [5, 945, 0]);
  const [inner, outer] = ending.resumed;
  t.deepEqual(inner.events, [{ name: "logInt", args: [int32(940)] }]);
  t.deepEqual(inner.ending.kind === "return" && inner.ending.result, int32(940));
  t.deepEqual(outer.ending.kind === "return" && outer.ending.result, bits(Int64, 937, 0));
  if (outer.ending.kind !== "return") return t.fail(outer.ending.kind);
  t.deepEqual(firstWords(outer.ending.heap), [5, 945, -1]);
});

test("arithmetic guards exit exactly where the true result does not fit", (t) => {
  const values = [0n, 1n, 2n, 46341n, 3037000500n, -1n, -46341n];
  const run = (opcode: OpcodeName, type: "Int32" | "Int64"): void => {
    const width = type === "Int32" ? 32 : 64;
    const edge = 1n << BigInt(width - 1);
    const all = [...values, edge - 1n, -edge, 1n - edge].filter(
      (x) => x === BigInt.asIntN(width, x),
    );
    const program = decodeModule(
      parseModule(`touchstone 1
proc f(${type} @0, ${type} @1) -> ${type}
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  ${type} @2 = ${opcode}(@0, @1) s0
  Void @3 = Return(@2)
`),
    );
    for (const x of all) {
      for (const y of all) {
        const exact = { CheckAdd: x + y, CheckSub: x - y, CheckMul: x * y }[opcode as "CheckAdd"];
        const { ending } = oracle.run(
          program,
          input([x, y].map((z) => BigInt.asUintN(64, z))),
          FUEL,
        );
        const fits = exact === BigInt.asIntN(width, exact);
        t.is(ending.kind, fits ? "return" : "exit", `${opcode} ${type} ${x} ${y}`);
        if (ending.kind !== "return" || ending.result === null) continue;
        const { lo, hi } = ending.result;
        const got = (BigInt(hi) << 32n) | BigInt(lo >>> 0);
        t.is(BigInt.asIntN(width, got), exact);
      }
    }
  };
  for (const opcode of ["CheckAdd", "CheckSub", "CheckMul"] as const) {
    run(opcode, "Int32");
    run(opcode, "Int64");
  }
});

test("exits of compiled code have the same effect: takeExitBlock, then resume", (t) => {
  const module = parseModule(`touchstone 1\n${GUARDED}`);
  const program = decodeModule(module);
  const whole = oracle.run(program, input([5n, 1n, HEAP_BASE]), FUEL);
  if (whole.ending.kind !== "exit") return t.fail(whole.ending.kind);

  const leaves = snapshotLeaves(module.entry.snapshots[0]);
  t.deepEqual(
    leaves.map(({ id }) => id),
    [0, 20, 2, 1],
  );
  const address = [Number(BigInt.asIntN(32, HEAP_BASE)), Number(HEAP_BASE >> 32n)];
  const junk = 0x5555_5555;
  const words = Int32Array.of(5, junk, 100, junk, ...address, 1, junk);
  const heap = new Uint8Array(4096);
  heap[0] = 5;
  const state = oracle.takeExitBlock(program, 0, 3, words, heap);
  if (state.kind !== "frames") return t.fail(state.kind);
  t.deepEqual(state.frames, whole.ending.frames);
  t.deepEqual(heap, whole.ending.heap.bytes);
  t.deepEqual(oracle.resume(program, 7, state.frames, heap, FUEL), whole.ending.resumed);
  t.is(heap[8], 255, "the continuations' stores are in the caller's heap");
  t.deepEqual(oracle.resume(program, 8, state.frames, heap, FUEL), []);
  // The oracle uses its own heap again.
  oracle.run(program, input([5n, 0n, HEAP_BASE]), FUEL);
  t.is(heap[8], 255);

  words[5] = 0; // a wrong address, as a miscompiled program might pass it
  t.deepEqual(oracle.takeExitBlock(program, 0, 3, words, heap), {
    kind: "undefined",
    rule: "heap access out of bounds",
    value: 33,
  });
});

// The inner continuation exits itself if its argument is odd.
const CHAIN = (exit: number, loops: string): string => `
exit 1 resumes inner, outer
${loops}
proc f(Int32 @0) -> Int32
snapshot s0 = exit 1 frames [g@0: @0 | f@0: Const32(10)]
#0:
  Void @1 = Check(@0) s0
  Void @2 = Return(@0)

proc inner(Int32 @0) -> Int32
snapshot s0 = exit ${exit} frames [g@1: @0]
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = BitAnd(@0, @1)
  Void @3 = Check(@2) s0
  Void @4 = Return(@0)

proc outer(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)

proc last(Int32 @0) -> Int32
#0:
  Int32 @1 = Mul(@0, @0)
  Void @2 = Return(@1)
`;

test("continuations may exit; without a continuation of its own the whole execution ends there", (t) => {
  const resumedOf = (text: string, arg: bigint, fuel = FUEL): readonly Outcome[] => {
    const ending = endingOf(text, [arg], fuel);
    return ending.kind === "exit" ? ending.resumed : [];
  };
  const resultAt = (outcome: Outcome | undefined): number | string => {
    if (outcome?.ending.kind !== "return") return outcome?.ending.kind ?? "none";
    return outcome.ending.result?.lo ?? "void";
  };
  t.deepEqual(resumedOf(CHAIN(2, ""), 6n).map(resultAt), [6, 16]);
  t.deepEqual(resumedOf(CHAIN(2, ""), 7n).map(resultAt), ["exit"]);
  t.true(isJudged(execute(CHAIN(2, ""), [7n])));
  const resumed = resumedOf(CHAIN(2, "exit 2 resumes last\n"), 7n);
  t.deepEqual(resumed.map(resultAt), ["exit", 59]);
  const [{ ending }] = resumed;
  t.deepEqual(ending.kind === "exit" && ending.resumed.map(resultAt), [49]);
  // Each continuation has fuel of its own: the entry needs 1, inner 4.
  t.deepEqual(resumedOf(CHAIN(2, ""), 6n, 3).map(resultAt), ["out-of-fuel"]);
  // An exit that resumes in itself without end is out of fuel too.
  const endless = execute(CHAIN(2, "exit 2 resumes inner\n"), [7n]);
  t.false(isJudged(endless));
});

test("fuel is a whole number of values", (t) => {
  const text = `
proc f() -> Void
#0:
  Void @0 = Return()
`;
  for (const fuel of [Number.POSITIVE_INFINITY, Number.NaN, -1, 0.5]) {
    t.throws(() => execute(text, [], fuel), {
      message: `oracle: fuel of ${fuel}, expected a whole number of values`,
    });
  }
  t.is(execute(text, [], 1).ending.kind, "return");
  t.is(oracle.fuelUsed, 1);
});
