// Provides programs and inputs that several tests of the oracle use.

import { HEAP_BASE, type Input } from "../../ir/outcome.js";

export const FUEL = 10_000;

/** Returns an input with these bits as arguments, and a heap of zeroes. */
export const input = (args: readonly bigint[]): Input => ({
  words: new Int32Array(BigUint64Array.from(args).buffer),
  heapSeed: 0,
});

// A loop with Upsilon and Phi: the sum of 1 to n.
export const SUM = `
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Void @3 = Upsilon(@1, ^6)
  Void @4 = Upsilon(@0, ^7)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @7 = Phi()
  Void @8 = Branch(@7, #2, #3)
#2:
  Int32 @9 = Add(@6, @7)
  Int32 @10 = Sub(@7, @2)
  Void @11 = Upsilon(@9, ^6)
  Void @12 = Upsilon(@10, ^7)
  Void @13 = Jump(#1)
#3:
  Void @14 = Return(@6)
`;

// Two guards that share an exit of two frames, and its continuations.
export const GUARDED = `
exit 7 resumes inner, outer

proc f(Int32 @0, Int32 @1, Int64 @2) -> Int64
snapshot s3 = exit 7 block {
  Int32 @30 = Add(@0, @20)
  Int32 @31 = Const32(9)
  Int32 @32 = Mul(@30, @31)
  Void @33 = Store(@32, @2, offset = 4)
} frames [g@5: @0, dead, @32 | f@1: Const64(-3), @1]
#0:
  Int32 @20 = Const32(100)
  Void @21 = Store(@0, @2)
  Int32 @22 = CheckAdd(@0, @1) s3
  Void @23 = Check(@1) s3
  Int64 @24 = SExt32(@22)
  Void @25 = Return(@24)

proc inner(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = Sub(@1, @0)
  Void @3 = CCall(logInt, @2)
  Void @4 = Return(@2)

proc outer(Int64 @0, Int32 @1, Int32 @2) -> Int64
#0:
  Int64 @3 = SExt32(@2)
  Int64 @4 = Add(@0, @3)
  Int32 @5 = Const32(-1)
  Int64 @6 = Const64(${HEAP_BASE})
  Void @7 = Store(@5, @6, offset = 8)
  Void @8 = Return(@4)
`;
