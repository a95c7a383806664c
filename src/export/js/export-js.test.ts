// Checks that each opcode can be exported as JavaScript. Tests in src/engine run the result.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { Double, Float, Int32, Int64 } from "../../ir/types.js";
import { projectRoot } from "../../support/project-root.js";
import { exportJs } from "./export-js.js";
import { literal } from "./literals.js";

const FOLDER = join(projectRoot(), "corpus", "golden", "opcodes");

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".ir"))) {
  test(`${name} is exported as JavaScript`, (t) => {
    const module = parseModule(readFileSync(join(FOLDER, name), "utf8"));
    t.notThrows(() => new Function(exportJs([{ module, inputs: [] }])));
  });
}

test("a constant keeps its bits, and no two signs are adjacent", (t) => {
  t.is(literal(Int32, -1, 0), "(-1)");
  t.is(literal(Int64, 0, 1 << 31), "(-9223372036854775808n)");
  t.is(literal(Double, 0, 1 << 31), "(-0)");
  t.is(literal(Double, 1, 0x7ff00000), "9218868437227405313n");
  t.is(literal(Float, -1, 0), "4294967295n");
});

const textOf = (body: string): string =>
  exportJs([{ module: parseModule(`touchstone 1\nproc f${body}`), inputs: [] }]);

test("a loop is a loop, and a value that cannot be a NaN with bits is not converted", (t) => {
  const text = textOf(`(Double @0) -> Double
#0:
  Double @1 = Add(@0, @0)
  Void @2 = Upsilon(@1, ^4)
  Void @3 = Jump(#1)
#1:
  Double @4 = Phi()
  Double @5 = Mul(@4, @4)
  Void @6 = Upsilon(@5, ^4)
  Int32 @7 = LessThan(@5, @1)
  Void @8 = Branch(@7, #1, #2)
#2:
  Void @9 = Return(@4)
`);
  t.regex(text, /var v1 = num\(v0\) \+ num\(v0\);/);
  t.regex(text, /L\d: for \(;;\) \{\n {2}var v4 = p4;\n {2}var v5 = v4 \* v4;/);
});
