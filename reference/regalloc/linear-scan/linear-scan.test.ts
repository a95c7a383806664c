// Linear scan keeps an argument where it arrives, as far as it is read there.

import test from "ava";
import { ENVIRONMENT } from "../../../src/execute/machine/environment.js";
import { parseModule } from "../../../src/ir/text/parse.js";
import { Compiler } from "../../compile.js";

/** An argument that is compared, and wanted again behind a call. */
const PROGRAM = `touchstone 1

proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = LessThan(@0, @1)
  Void @3 = Branch(@2, #1, #2)
#1:
  Void @4 = Return(@0)
#2:
  Int32 @5 = CCall(g, @0)
  Int32 @6 = Add(@5, @1)
  Void @7 = Return(@6)

proc g(Int32 @0) -> Int32
#0:
  Int32 @1 = PopCnt(@0)
  Void @2 = Return(@1)
`;

test("what is read before the call is not read from where it waits for the call to end", (t) => {
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
