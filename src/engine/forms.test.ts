// Tests the forms of exported programs: each is right at -O0 of GCC and clang, each changes the
// text, and a form that is used wrongly is found.

import test from "ava";
import { programOf, seedAt } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { exportC } from "../export/c/export-c.js";
import { conflictIn, type FormName, formsOf, PLAIN_FORM } from "../export/forms.js";
import { exportLlvm } from "../export/llvm/export-llvm.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { batchSubject } from "./batch-subject.js";
import { engineTest } from "./engine-test.js";
import { engineNamed } from "./engines.js";
import { pathOf } from "./path-of.js";
import { C_SOURCES } from "./sources.js";

const TEXT = `touchstone 1
heap 4096
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @3 = Const32(3)
  Int32 @6 = Const32(6)
  Int32 @9 = Const32(511)
  Int64 @12 = Const64(75161927680)
  Void @20 = Store(@0, @12, offset=4)
  Void @21 = Upsilon(@0, ^30)
  Void @22 = Jump(#1)
#1:
  Int32 @30 = Phi()
  Int32 @31 = Load(@12, offset=4)
  Int32 @32 = Add(@31, @30)
  Int32 @33 = Mul(@32, @6)
  Void @34 = Store(@33, @12, offset=4)
  Int32 @35 = Below(@33, @1)
  Int32 @36 = Select(@35, @3, @6)
  Int32 @37 = ZShr(@30, @3)
  Int32 @38 = BitAnd(@30, @9)
  Int32 @47 = Load(@12, offset=8)
  Int32 @48 = Add(@47, @38)
  Void @39 = Store(@48, @12, offset=8)
  Void @40 = Upsilon(@37, ^30)
  Int32 @41 = Below(@6, @37)
  Void @42 = Branch(@41, #1, #2)
#2:
  Int32 @43 = Add(@36, @33)
  Int32 @44 = Below(@33, @30)
  Int32 @45 = Add(@43, @44)
  Int64 @49 = SExt32(@45)
  Int64 @50 = Add(@49, @12)
  Void @51 = Store(@50, @12, offset=16)
  Void @46 = Return(@45)
; run: f(-7, 9)
; run: f(19088743, -1)
`;
const program = (text: string): { module: Module; inputs: Input[] } => {
  const parsed = parseModule(text);
  return { module: parsed, inputs: runLines(text, parsed).map(({ input }) => input) };
};
const { module, inputs } = program(TEXT);

/** Only one bit of the loaded value is used, but a fact about its range concerns all of them. */
const BOUNDED = `touchstone 1
proc f() -> Int32
#0:
  Int64 @0 = Const64(75161927680)
  Int32 @1 = Load(@0)
  Int32 @2 = Const32(1)
  Int32 @3 = BitAnd(@1, @2)
  Void @4 = Return(@3)
; run: f() fill 179948613
`;

/** Forms at most one of each dimension; together they have all names. */
const MIXED: readonly (readonly FormName[])[] = [0, 1, 2].map((k) =>
  formsOf("c").flatMap((names) => names[Math.min(k, names.length - 1)]),
);

for (const name of ["gcc-O0", "clang-O0", "gcc-sanitized", "gcc-facts-sanitized"]) {
  const alone = formsOf("c")
    .flat()
    .map((form) => [form]);
  for (const form of name === "gcc-O0" ? [...alone, ...MIXED] : MIXED) {
    const shown = [name, ...form].join("+");
    // One at a time: each runs a compiler and a program.
    engineTest(test.serial, name, `${shown}: programs are right`, async (t) => {
      const engine = engineNamed(shown);
      if (engine === null) return t.fail(shown);
      const count = form.length === 1 ? 6 : 24;
      const programs = Array.from({ length: count }, (_, i) => programOf(seedAt(54_000n, i)));
      t.deepEqual(await wrongIn(engine, programs), []);
      t.deepEqual(await wrongIn(engine, [{ module, inputs }, program(BOUNDED)]), []);
    });
  }
}

async function wrongIn(
  engine: RemoteSubject,
  programs: Parameters<Judge["judgeAll"]>[0],
): Promise<string[]> {
  const judge = new Judge({ subjects: [engine], fuelMax: 100_000 });
  const answers = await judge.judgeAll(programs);
  judge.close();
  return answers.flatMap(({ results }) =>
    results[0].judgements.flatMap(({ verdict }) =>
      verdict.kind === "different" ? [JSON.stringify(verdict.difference)] : [],
    ),
  );
}

test("each form changes the text, and the plain form does not", (t) => {
  t.is(exportC([module], [], PLAIN_FORM), exportC([module]));
  t.is(exportLlvm([module], [], PLAIN_FORM), exportLlvm([module]));
  const texts = formsOf("c")
    .flat()
    .map((form) => exportC([module], [], new Set([form])));
  t.is(new Set([exportC([module]), ...texts]).size, texts.length + 1);
  const irs = formsOf("llvm")
    .flat()
    .map((form) => exportLlvm([module], [], new Set([form])));
  t.is(new Set([exportLlvm([module]), ...irs]).size, irs.length + 1);
});

test("names of one dimension exclude each other", (t) => {
  t.is(conflictIn(["nested", "signed", "narrow"]), null);
  t.is(conflictIn(["signed", "signed-phis"]), "signed and signed-phis exclude each other");
  t.is(engineNamed("gcc-O2+signed+signed-phis"), null);
  t.is(engineNamed("llvm-O2+nested"), null);
  t.is(engineNamed("v8-turbofan+signed"), null);
  t.is(engineNamed("gcc-O2+tees"), null);
  t.is(engineNamed("v8-turbofan+tees+block-params")?.row, "v8-turbofan");
  t.is(engineNamed("wasm-interp+flat")?.row, "wasm-interp");
  t.is(engineNamed("gcc-O2+signed+nsw")?.row, "gcc-O2");
});

/** Edits of the text with which the program is wrong, by form. */
// biome-ignore format: a table
const MISUSES: readonly (readonly [FormName, RegExp, string])[] = [
  ["signed", /\(uint32_t\)v33 < \(uint32_t\)v30/, "v33 < v30"], // an unsigned comparison
  ["signed-phis", /v33 < \(uint32_t\)v30/, "(int32_t)v33 < v30"],
  ["narrow", /uint16_t v38/, "uint8_t v38"],
  ["nested", /\(\(uint32_t\)\((\(\(uint32_t\)\(t_load_Int32\(.*\)\)\) \+ v30)\)\) \*/, "$1 *"], // precedence
  ["inline-access", /(t_in_load_Int32\(p\) \(\*\(const )t_a32/, "$1t_a16"],
  ["byte-access", /<< 16/, "<< 8"],
  ["late-constants", /k3 = 0x3u/, "k3 = 0x4u"],
  ["loops", /while \((.*)\);/, "while (!($1));"],
  ["if-select", /else /, ""],
];

for (const [form, pattern, by] of MISUSES) {
  engineTest(test.serial, "gcc-O0", `${form}: wrong use of ${pattern} is found`, async (t) => {
    const sources = C_SOURCES.altered?.(new Set(), new Set([form]));
    const text = sources?.([{ module, inputs }])["program.c"] ?? "";
    t.regex(text, new RegExp(pattern.source));
    const subject = batchSubject({
      name: "misused",
      sources: () => ({ "program.c": text.replace(pattern, by) }),
      compile: ([file], executable) => ({
        path: pathOf("gcc") ?? "gcc",
        args: ["-w", "-O0", "-o", executable, file, "-lm"],
      }),
      limits: [],
      missing: () => null,
    });
    t.not((await wrongIn(subject, [{ module, inputs }])).length, 0);
  });
}
