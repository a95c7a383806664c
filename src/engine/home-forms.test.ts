// Tests the forms of JavaScript and Lua in which variables contain other shapes of a value, or
// operators are metamethods: each is right, and one that is used wrongly is found.

import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import type { RemoteSubject } from "../execute/subject.js";
import type { FormName } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { exportLua } from "../export/lua/export-lua.js";
import type { Module } from "../ir/procedure.js";
import { trials } from "../support/trials.js";
import { batchSubject } from "./batch-subject.js";
import { engineTest, judged, programFrom } from "./engine-test.js";
import { engineNamed } from "./engines.js";
import { pathOf } from "./path-of.js";

const LOOP = programFrom(`touchstone 1
heap 4096
proc f(Int32 @0, Int64 @1, Double @3) -> Double
#0:
  Int32 @2 = Const32(0)
  Void @5 = Upsilon(@0, ^4)
  Void @7 = Jump(#1)
#1:
  Int32 @4 = Phi()
  Int32 @6 = Sub(@4, @0)
  Int64 @8 = Add(@1, @1)
  Int32 @10 = Trunc(@8)
  Int32 @12 = Add(@6, @10)
  Double @14 = Div(@3, @3)
  Int32 @16 = LessThan(@12, @4)
  Void @17 = Upsilon(@12, ^4)
  Void @18 = Branch(@16, #1, #2)
#2:
  Int32 @20 = Mul(@12, @4)
  Double @22 = IToD(@20)
  Double @24 = Mul(@22, @14)
  Int64 @26 = SExt32(@12)
  Int64 @28 = Add(@26, @26)
  Double @30 = IToD(@28)
  Double @32 = Add(@24, @30)
  Int32 @34 = Select(@16, @10, @20)
  Double @36 = IToD(@34)
  Double @38 = Add(@32, @36)
  Int64 @40 = Const64(75161927680)
  Void @41 = Store(@20, @40)
  Int32 @42 = Load(@40)
  Double @44 = IToD(@42)
  Double @46 = Add(@38, @44)
  Void @47 = Return(@46)

; run: f(100000000, -9, 7.0)
; run: f(-2147483648, 3, 0.5)
; run: f(-2000000000, 1100000000, 2.0)
`);

/** Programs of seeds, for each row and form. */
const COUNT = trials(8, 400);
const FIRST_SEED = 540_000n;
const FUEL = 100_000;

/** Edits of the text with which the program is wrong, by form. */
// biome-ignore format: a table
const MISUSES: readonly (readonly ["js" | "lua", FormName, RegExp, string])[] = [
  // One object for two values, which the Upsilon changes.
  ["js",  "object-homes",   /v4 = \{ value: p4\.value \}([\s\S]*)p4 = \{ value: (.*) \}/, "v4 = p4$1p4.value = $2"],
  ["js",  "string-homes",   /Number\(v6\)/, "v6"], // concatenation
  ["js",  "fraction-homes", /Math\.floor\(v6\)/, "Math.ceil(v6)"],
  ["js",  "unsigned-homes", /\(v12 \| 0\) </, "v12 <"],
  ["js",  "late-truncation", /\(v12 \| 0\) </, "v12 <"],
  ["js",  "unsigned-arrays", /v\.u32\[p >> 2\] \| 0/, "v.u32[p >> 2]"],
  ["js",  "safe-integers",  /v26 \+ v26/, "v26 + v26 | 0"],
  ["lua", "object-homes",   /v4 = \{ value = p4\.value \}([\s\S]*)p4 = \{ value = (.*) \}/, "v4 = p4$1p4.value = $2"],
  ["lua", "string-homes",   /\(v6 \+ 0\)/, "#v6"],
  ["lua", "fraction-homes", /tobit\(v6\)/, "math.ceil(v6)"],
  ["lua", "unsigned-homes", /tobit\(v12\) </, "v12 <"],
  ["lua", "late-truncation", /tobit\(v12\) </, "v12 <"],
  ["lua", "metamethods",    /__sub\(x, y\)/, "__sub(y, x)"],
];

const HOSTS = {
  js: {
    row: "v8-js-ignition",
    file: "program.js",
    write: writeJs,
    program: () => process.execPath,
  },
  lua: { row: "luajit-hot", file: "program.lua", write: writeLua, program: () => pathOf("luajit") },
};

function writeJs(modules: readonly Module[], form: FormName): string {
  return exportJs(
    modules.map((module) => ({ module, inputs: [] })),
    { form: new Set([form]) },
  );
}
function writeLua(modules: readonly Module[], form: FormName): string {
  return exportLua(modules, new Set([form]));
}

for (const [format, form, pattern, by] of MISUSES) {
  const { row, file, write, program } = HOSTS[format];
  engineTest(
    test.serial,
    row,
    `${format}: ${form} is right, and its misuse is found`,
    async (t) => {
      const engine = engineNamed(`${row}+${form}`);
      if (engine === null) return t.fail(form);
      t.deepEqual(await judged(engine, [LOOP]), { different: [], equal: 3 });
      const programs = Array.from({ length: COUNT }, (_, s) => programOf(FIRST_SEED + BigInt(s)));
      const { different, equal } = await judged(engine, programs, FUEL);
      t.deepEqual(different, []);
      t.true(equal > 3 * COUNT, `only ${equal} executions`);

      t.regex(write([LOOP.module], form), pattern);
      const misused: RemoteSubject = batchSubject({
        name: "misused",
        sources: (some) => ({
          [file]: write(
            some.map(({ module }) => module),
            form,
          ).replace(pattern, by),
        }),
        compile: (files, executable) => ({ path: "/bin/cp", args: [...files, executable] }),
        runner: [program() ?? format, ...(format === "js" ? ["--allow-natives-syntax"] : [])],
        limits: [],
        missing: () => null,
      });
      t.not((await judged(misused, [LOOP])).different.length, 0);
    },
  );
}
