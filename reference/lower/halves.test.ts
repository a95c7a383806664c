// Tests the selection of 64-bit values that are carried in halves: those that are only moved, web
// by web.

import test from "ava";
import { analyzeControlFlow } from "../../src/ir/control-flow.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { valuesInHalves } from "./halves.js";

interface Case {
  readonly name: string;
  /** The head's parameters and result, then the values. */
  readonly head: string;
  readonly body: readonly string[];
  /** Ids of the values in halves. */
  readonly inHalves: readonly number[];
}

const CASES: readonly Case[] = [
  {
    name: "a value that is stitched, stored and truncated",
    head: "(Int64 @0, Int32 @1) -> Int32",
    body: [
      "Int64 @2 = Stitch(@1, @1)",
      "Void @3 = Store(@2, @0)",
      "Int32 @4 = TruncHigh(@2)",
      "Void @5 = Return(@4)",
    ],
    inHalves: [2],
  },
  {
    name: "one sum excludes all inputs of a Select, through Identity",
    head: "(Int64 @0, Int64 @1, Int64 @2, Int32 @3) -> Int64",
    body: [
      "Int64 @4 = Identity(@1)",
      "Int64 @5 = Select(@3, @4, @2)",
      "Int64 @6 = Add(@2, @2)",
      "Void @7 = Store(@6, @0)",
      "Void @8 = Return(@5)",
    ],
    inHalves: [],
  },
  {
    name: "a Select of constants, as argument and result of a call",
    head: "(Int32 @0) -> Int64",
    body: [
      "Int64 @1 = Const64(1)",
      "Int64 @2 = Const64(2)",
      "Int64 @3 = Select(@0, @1, @2)",
      "Int64 @4 = CCall(ask, @3)",
      "Void @5 = Return(@4)",
    ],
    inHalves: [3, 4],
  },
  {
    name: "a condition is tested whole",
    head: "(Int64 @0, Int32 @1, Int64 @2) -> Int32",
    body: ["Int32 @3 = Select(@0, @1, @1)", "Void @4 = Return(@3)"],
    inHalves: [2],
  },
  {
    name: "an address, and a parameter with a named register",
    head: "(Int64 @0, Int64 @1) -> Int64",
    body: ["Int64 @2 = ArgumentReg(%a1)", "Int64 @3 = Load(@0)", "Void @4 = Return(@3)"],
    inHalves: [3],
  },
  {
    name: "a half beyond the largest offset",
    head: "(Int64 @0, Int64 @1) -> Int64",
    body: [
      "Int64 @2 = Load(@0, offset = 2147483644)",
      "Int64 @3 = Load(@0, offset = 2147483643)",
      "Void @4 = Store(@1, @0, offset = 2147483647)",
      "Void @5 = Store(@2, @0)",
      "Void @6 = Return(@3)",
    ],
    inHalves: [3],
  },
  {
    name: "a loop that swaps its Phis, and one that counts",
    head: "(Int64 @0, Int64 @1) -> Int64",
    body: [
      "Int64 @2 = Const64(3)",
      "Void @3 = Upsilon(@0, ^7)",
      "Void @4 = Upsilon(@1, ^8)",
      "Void @5 = Upsilon(@2, ^9)",
      "Void @6 = Jump(#1)",
      "#1:",
      "Int64 @7 = Phi()",
      "Int64 @8 = Phi()",
      "Int64 @9 = Phi()",
      "Int64 @10 = Sub(@9, @2)",
      "Void @11 = Upsilon(@8, ^7)",
      "Void @12 = Upsilon(@7, ^8)",
      "Void @13 = Upsilon(@10, ^9)",
      "Void @14 = Branch(@10, #1, #2)",
      "#2:",
      "Void @15 = Return(@7)",
    ],
    inHalves: [0, 1, 7, 8],
  },
];

for (const { name, head, body, inHalves } of CASES) {
  test(name, (t) => {
    const { entry } = parseModule(
      ["touchstone 1", `proc f${head}`, "#0:", ...body.map((line) => `  ${line}`)].join("\n"),
    );
    const carried = valuesInHalves(entry, analyzeControlFlow(entry).order);
    const ids = Array.from(carried.keys()).filter((id) => carried[id] === 1);
    t.deepEqual(ids, inHalves);
  });
}
