// Tests that linear scan keeps an argument in its incoming register as long as it is read there.

import test from "ava";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { Compiler } from "../../compile.js";

/** An argument that is compared first, and used again in a loop with a call. */
const PROGRAM = `touchstone 1

proc f(Int32 @0, Int32 @1, Int32 @2) -> Int32
#0:
  Int32 @3 = LessThan(@0, @1)
  Void @4 = Branch(@3, #1, #2)
#1:
  Void @5 = Return(@0)
#2:
  Void @6 = Upsilon(@0, ^8)
  Void @7 = Jump(#3)
#3:
  Int32 @8 = Phi()
  Int32 @9 = BitAnd(@8, @1)
  Int32 @10 = BitXor(@9, @2)
  Int32 @11 = CCall(g, @10)
  Void @13 = Branch(@11, #5, #4)
#5:
  Void @12 = Upsilon(@11, ^8)
  Void @15 = Jump(#3)
#4:
  Void @14 = Return(@8)

proc g(Int32 @0) -> Int32
#0:
  Int32 @1 = PopCnt(@0)
  Void @2 = Return(@1)
`;

test("a read before the call uses the incoming register, not the slot that survives the call", (t) => {
  const { listing } = new Compiler().generate(parseModule(PROGRAM), "x64", {
    environment: ENVIRONMENT,
    level: "O2",
    allocator: "linear-scan",
    checkAllocation: true,
    listing: true,
  });
  const code = listing.filter((line) => /^[0-9a-f]{4}/.test(line)).map((line) => line.slice(6));
  const comparison = code.find((line) => line.startsWith("cmp"));
  t.is(comparison, "cmp edi, esi");
});
