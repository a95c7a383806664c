// Checks that each opcode can be exported as Lua. Tests in src/engine run the result where LuaJIT
// is installed.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { Double, Int32, Int64 } from "../../ir/types.js";
import { projectRoot } from "../../support/project-root.js";
import { exportLua } from "./export-lua.js";
import { literal } from "./literals.js";

const FOLDER = join(projectRoot(), "corpus", "golden", "opcodes");

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".ir"))) {
  test(`${name} is exported as Lua`, (t) => {
    t.notThrows(() => exportLua([parseModule(readFileSync(join(FOLDER, name), "utf8"))]));
  });
}

/** Returns the number of parameters and locals of the only function of a program. */
function localsOf(source: string): number {
  const text = exportLua([parseModule(source)]);
  const body = text.slice(text.indexOf("function F.p0_f0("));
  const lists = body.slice(0, body.indexOf("\nend\n")).match(/(local |F\.p0_f0\()[^=\n]+/g) ?? [];
  return lists.flatMap((line) => line.split(",")).length;
}

test("a function with many stack slots has no more locals than Lua allows", (t) => {
  const slots = Array.from({ length: 200 }, (_, id) => `slot stack${id} = anonymous 8\n`).join("");
  const count = localsOf(
    `touchstone 1\nproc f(Int32 @0) -> Int32\n${slots}#0:\n  Void @1 = Return(@0)\n`,
  );
  t.true(count > 10 && count < 200, `${count} locals`);
});

test("a function with many parameters has no more locals than Lua allows", (t) => {
  const parameters = Array.from({ length: 178 }, (_, id) => `Int32 @${id}`).join(", ");
  const sums = Array.from({ length: 50 }, (_, i) => `  Int32 @${178 + i} = Add(@${177 + i}, @0)\n`);
  const count = localsOf(
    `touchstone 1\nproc f(${parameters}) -> Int32\n#0:\n${sums.join("")}  Void @228 = Return(@227)\n`,
  );
  t.true(count > 178 && count < 200, `${count} locals`);
});

test("a constant keeps its bits, and no two signs are adjacent", (t) => {
  t.is(literal(Int32, -1, 0), "(-1)");
  t.is(literal(Int64, 0, 1 << 31), "MIN");
  t.is(literal(Int64, -2, -1), "(-0x2LL)");
  t.is(literal(Double, 0, 1 << 31), "(-0.0)");
  t.is(literal(Double, 1, 0x7ff00000), "0x7ff0000000000001LL");
});

const LOOP = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Void @2 = Upsilon(@1, ^4)
  Void @3 = Jump(#1)
#1:
  Int32 @4 = Phi()
  Int32 @5 = Add(@4, @0)
  Int32 @6 = Add(@5, @4)
  Void @7 = Upsilon(@6, ^4)
  Void @8 = Branch(@6, #1, #2)
#2:
  Void @9 = Return(@5)
`;
for (const [form, place] of [
  ["field-homes", /\bt\.[vp]\d+ = /],
  ["element-homes", /\bt\[\d+\] = /],
] as const) {
  test(`${form}: one value in two is in the table`, (t) => {
    const module = parseModule(LOOP);
    t.regex(exportLua([module], new Set([form])), place);
    t.notRegex(exportLua([module]), place);
  });
}
