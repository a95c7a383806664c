// Tests which Int64 values are numbers in the form `safe-integers`.

import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { exportJs } from "./export-js.js";

/** Returns the expression of the value @9 in a program with these operations. */
function expressionOf(operations: string): string | undefined {
  const lines = operations.split("; ").map((line) => `  Int64 ${line}\n`);
  const module = parseModule(
    `touchstone 1\nproc f(Int64 @0, Int32 @1) -> Int64\n#0:\n  Int32 @2 = Const32(11)\n${lines.join("")}  Void @10 = Return(@9)\n`,
  );
  const script = exportJs([{ module, inputs: [] }], { form: new Set(["safe-integers"]) });
  return / v9 = (.*);/.exec(script)?.[1];
}

// biome-ignore format: a table
const EXPRESSIONS: readonly (readonly [operations: string, expression: string | RegExp])[] = [
  ["@9 = SExt32(@1)", "v1"],
  ["@9 = ZExt32(@1)", "v1 >>> 0"],
  ["@3 = SExt32(@1); @4 = Const64(4194303); @9 = Mul(@3, @4)", "v3 * 4194303 + 0"],
  ["@3 = SExt32(@1); @4 = Const64(4194304); @9 = Mul(@3, @4)", /BigInt\(v3\) \* 4194304n/], // 2^53 at most
  ["@3 = ZShr(@0, @2); @9 = Neg(@3)", "0 - v3"],
  ["@9 = ZShr(@0, @2)", /^Number\(/],
  ["@3 = SExt32(@1); @9 = BitAnd(@0, @3)", /^BigInt\(v3\) & v0|^v0 & BigInt\(v3\)/], // may be any Int64
  ["@3 = ZExt32(@1); @9 = BitAnd(@0, @3)", /^Number\(/],
  ["@3 = ZExt32(@1); @9 = BitAnd(@3, @3)", /^Number\(/], // more than the 32 bits of `&`
  ["@3 = SExt32(@1); @9 = BitAnd(@3, @3)", "v3 & v3"],
  ["@3 = SExt32(@1); @9 = BitXor(@3, @3)", "v3 ^ v3"],
  ["@3 = ZExt32(@1); @9 = BitOr(@3, @3)", /^BigInt\(v3\) \| BigInt/],
  ["@3 = SExt32(@1); @9 = SShr(@3, @2)", "Math.floor(v3 / 2048)"],
  ["@3 = SExt32(@1); @9 = ZShr(@3, @2)", /^Number\(/], // the bits of a negative number
];

for (const [operations, expression] of EXPRESSIONS) {
  test(operations, (t) => {
    const written = expressionOf(operations) ?? "";
    if (typeof expression === "string") t.is(written, expression);
    else t.regex(written, expression);
  });
}
