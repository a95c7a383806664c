// Tests addresses that a host keeps, in the oracle: which uses of them are undefined.

import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { decodeModule } from "./decode.js";
import { Oracle } from "./oracle.js";

/** Returns the result of the entry, or why it is not judged. */
function ending(text: string, x: number): bigint | string {
  const program = decodeModule(parseModule(`touchstone 1\n${text}`));
  const words = Int32Array.of(x, x >> 31);
  const { ending: end } = new Oracle().run(program, { words, heapSeed: 0 }, 1000);
  const last = end.kind === "exit" ? end.resumed.at(-1)?.ending : end;
  if (last?.kind === "undefined") return `${last.rule} @${last.value}`;
  if (last?.kind !== "return" || last.result === null) return last?.kind ?? end.kind;
  return BigInt.asIntN(64, (BigInt(last.result.hi) << 32n) | BigInt(last.result.lo >>> 0));
}

const KEEPER = `
proc g(Int32 @0, Int64 @1) -> Void
slot stack0 = locked 16
#0:
  Int64 @2 = SlotBase(stack0)
  Void @3 = Store(@1, @2)
  Void @4 = CCall(keepSlot, @0, @2)
  Void @5 = Return()
`;
const PLACES = "  Int32 @1 = Const32(1)\n  Int32 @2 = Const32(2)";

test("a place where nothing is kept reads as 0 and ignores writes", (t) => {
  const body = `proc f(Int64 @0) -> Int64\n#0:\n${PLACES}
  Void @3 = CCall(writeKept, @1, @0)
  Int64 @4 = CCall(readKept, @1)
  Int64 @5 = Add(@4, @0)
  Void @6 = Return(@5)`;
  t.is(ending(body, 7), 7n);
});

test("the slot of a callee that has returned is undefined to use until its place is dropped", (t) => {
  const body = (more: string): string => `proc f(Int64 @0) -> Int64\n#0:\n${PLACES}
  Void @3 = CCall(g, @1, @0)
  ${more}
  Int64 @4 = CCall(readKept, @1)
  Void @5 = Return(@4)
${KEEPER}`;
  t.is(ending(body(""), 7), "slot of a frame that is gone @4");
  t.is(ending(body("Void @6 = CCall(writeKept, @1, @0)"), 7), "slot of a frame that is gone @6");
  t.is(ending(body("Void @6 = CCall(dropSlot, @1)"), 7), 0n);
});

// The second activation of the callee occupies the bytes of the first.
test("another activation of the same procedure is another frame", (t) => {
  const body = `proc f(Int64 @0) -> Int64\n#0:\n${PLACES}
  Void @3 = CCall(g, @1, @0)
  Int64 @4 = CCall(h, @0)
  Void @5 = Return(@4)
${KEEPER}
proc h(Int64 @0) -> Int64
slot stack0 = locked 16
#0:
  Int32 @1 = Const32(1)
  Int64 @2 = SlotBase(stack0)
  Void @3 = Store(@0, @2)
  Int64 @4 = CCall(readKept, @1)
  Void @5 = Return(@4)`;
  t.is(ending(body, 7), "slot of a frame that is gone @4");
});

test("an access has eight bytes, within the slot and written", (t) => {
  const body = (use: string, at = "@5"): string => `proc f(Int64 @0) -> Int64
slot stack0 = locked 16
slot stack1 = locked 8
#0:\n${PLACES}
  Int64 @3 = SlotBase(stack0)
  Int64 @4 = Const64(4)
  Int64 @5 = Add(@3, @0)
  Void @6 = Store(@4, @3)
  Void @7 = CCall(keepSlot, @1, ${at})
  ${use}
  Int64 @9 = CCall(readKept, @1)
  Void @10 = Return(@9)`;
  t.is(ending(body(""), 0), 4n);
  t.is(ending(body(""), 1), "unwritten slot byte @9");
  t.is(ending(body(""), 9), "slot access out of bounds @9");
  t.is(ending(body(""), -1), "slot access out of bounds @9");
  t.is(ending(body("Void @8 = CCall(writeKept, @1, @0)"), 8), 8n);
  t.is(ending(body("Void @8 = CCall(writeKept, @1, @0)"), 9), "slot access out of bounds @8");
});

// In machine code a continuation runs in another stack frame.
test("a continuation cannot use addresses kept earlier, and can keep its own", (t) => {
  const body = (rest: string): string => `exit 0 resumes h
proc f(Int64 @0) -> Int64
slot stack0 = locked 8
snapshot s0 = exit 0 frames [f@0: @0]
#0:\n${PLACES}
  Int64 @3 = SlotBase(stack0)
  Void @4 = Store(@0, @3)
  Void @5 = CCall(keepSlot, @1, @3)
  Int64 @6 = CCall(k)
  Void @7 = Check(@1) s0
  Void @8 = Return(@6)
proc k() -> Int64
#0:
  Int32 @0 = Const32(1)
  Int64 @1 = CCall(readKept, @0)
  Void @2 = Return(@1)
proc h(Int64 @0) -> Int64
slot stack0 = locked 8
#0:\n${PLACES}
  Int64 @3 = SlotBase(stack0)
  Void @4 = Store(@0, @3)
  ${rest}
  Void @9 = Return(@8)`;
  t.is(ending(body("Int64 @8 = CCall(readKept, @1)"), 7), "slot of a frame that is gone @8");
  t.is(ending(body("Int64 @8 = CCall(readKept, @2)"), 7), 0n);
  t.is(ending(body("Void @7 = CCall(keepSlot, @1, @3)\n  Int64 @8 = CCall(readKept, @1)"), 7), 7n);
});

test("after the continuation of a callee's exit, only places that it has not changed are usable", (t) => {
  const body = (rest: string): string => `exit 0 resumes h
proc f(Int64 @0) -> Int64
slot stack0 = locked 8
#0:\n${PLACES}
  Int64 @3 = SlotBase(stack0)
  Void @4 = Store(@0, @3)
  Void @5 = CCall(keepSlot, @1, @3)
  Int64 @6 = CCall(k, @0)
  Int64 @7 = CCall(readKept, @1)
  Void @8 = Return(@7)
proc k(Int64 @0) -> Int64
snapshot s0 = exit 0 frames [k@0: @0]
#0:
  Int32 @1 = Const32(1)
  Void @2 = Check(@1) s0
  Void @3 = Return(@0)
proc h(Int64 @0) -> Int64
#0:\n${PLACES}
  ${rest}
  Void @9 = Return(@0)`;
  t.is(ending(body(""), 7), 7n);
  t.is(ending(body("Void @3 = CCall(dropSlot, @2)"), 7), 7n);
  t.is(ending(body("Void @3 = CCall(dropSlot, @1)"), 7), "slot of a frame that is gone @7");
});

test("a tail call ends the frame", (t) => {
  const body = `proc f(Int64 @0) -> Int64
slot stack0 = locked 8
#0:\n${PLACES}
  Int64 @3 = SlotBase(stack0)
  Int64 @4 = Const64(1)
  Int64 @5 = Sub(@0, @4)
  Void @6 = Branch(@0, #1, #2)
#1:
  Void @7 = Store(@0, @3)
  Void @8 = CCall(keepSlot, @1, @3)
  Void @9 = TailCall(f, @5)
#2:
  Int64 @10 = CCall(readKept, @1)
  Void @11 = Return(@10)`;
  t.is(ending(body, 0), 0n);
  t.is(ending(body, 1), "slot of a frame that is gone @10");
});
