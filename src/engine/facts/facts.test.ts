// Tests the facts of a program on some inputs: each claim is stated if it holds, and omitted if one
// execution breaks it. Also tests the text of both formats (corpus/golden/facts), and that a false
// fact shows as a difference.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { exportC } from "../../export/c/export-c.js";
import { FACT_KINDS, type FactKind, type StatedFacts } from "../../export/facts.js";
import { exportLlvm, LLVM_DRIVER } from "../../export/llvm/export-llvm.js";
import type { Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { assert } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";
import { batchSubject } from "../batch-subject.js";
import { engineTest } from "../engine-test.js";
import { engineNamed } from "../engines.js";
import { C_FACT_SOURCES, LLVM_FACT_SOURCES, type SourceProgram } from "../sources.js";
import { MemoryClasses } from "./memory-classes.js";
import { statedFor } from "./see-facts.js";

const inputsOf = (text: string, module: Module): Input[] =>
  runLines(text, module).map(({ input }) => input);

function programFrom(text: string): SourceProgram {
  const module = parseModule(text);
  return { module, inputs: inputsOf(text, module) };
}

/** Match the lines of the first procedure; for LLVM IR also the metadata nodes after it. */
const C_FUNCTION = /^static \w+ p0_f0\([^;]*\{\n[\s\S]*?^\}\n/m;
const LLVM_FUNCTION = /^define internal [^\n]*@p0_f0\([\s\S]*?^\}\n/m;
const NODES = /^!\d+ = .*\n/gm;

function partOf(text: string, pattern: RegExp): string {
  const [part] = pattern.exec(text) ?? [];
  assert(part !== undefined, () => `${pattern} is nowhere in\n${text}`);
  return part;
}

function written(program: SourceProgram): string[] {
  const llvm = LLVM_FACT_SOURCES([program])["program.ll"];
  const c = C_FACT_SOURCES([program])["program.c"];
  const parts = [
    {
      mark: ";llvm| ",
      text: partOf(llvm, LLVM_FUNCTION) + (llvm.match(NODES) ?? []).join(""),
    },
    { mark: ";c| ", text: partOf(c, C_FUNCTION) },
  ];
  return parts.flatMap(({ mark, text }) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => (mark + line).trimEnd()),
  );
}

const FOLDER = join(projectRoot(), "corpus", "golden", "facts");
for (const file of readdirSync(FOLDER)) {
  test(`${file}: the stated facts`, (t) => {
    const path = join(FOLDER, file);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const program = lines.filter((line) => !/^;(?:llvm|c)\|/.test(line));
    const stated = written(programFrom(program.join("\n")));
    if (process.env["GOLDEN"] === "write") {
      writeFileSync(path, `${[...program, ...stated].join("\n")}\n`);
    } else t.deepEqual(stated, lines.slice(program.length));
    t.true(stated.length > 10);
  });
}

// The LLVM instruction after executions on these operands.
// biome-ignore format: a table
const CLAIMS: readonly (readonly [opcode: string, types: string, inputs: readonly string[], statement: string])[] = [
  ["Add", "Int32 Int32 Int32", ["1, 2"],                          "add nuw nsw i32"],
  ["Add", "Int32 Int32 Int32", ["1, 2", "2147483647, 1"],         "add nuw i32"],
  ["Add", "Int32 Int32 Int32", ["1, 2", "-1, 1"],                 "add nsw i32"],
  ["Add", "Int32 Int32 Int32", ["-1, 1", "2147483647, 1"],        "add i32"],
  ["Add", "Int64 Int64 Int64", ["9223372036854775807, 1"],        "add nuw i64"],
  ["Add", "Int64 Int64 Int64", ["-1, 1"],                         "add nsw i64"],
  ["Sub", "Int32 Int32 Int32", ["3, 3"],                          "sub nuw nsw i32"],
  ["Sub", "Int32 Int32 Int32", ["2, 3"],                          "sub nsw i32"],
  ["Sub", "Int64 Int64 Int64", ["-1, 9223372036854775807"],       "sub nuw nsw i64"],
  ["Sub", "Int64 Int64 Int64", ["-2, 9223372036854775807"],       "sub nuw i64"],
  ["Mul", "Int32 Int32 Int32", ["46340, 46340"],                  "mul nuw nsw i32"],
  ["Mul", "Int32 Int32 Int32", ["46341, 46341"],                  "mul nuw i32"],
  ["Mul", "Int32 Int32 Int32", ["-46341, 46340"],                 "mul nsw i32"],
  ["Mul", "Int64 Int64 Int64", ["3037000500, 3037000500"],        "mul nuw i64"],
  ["Neg", "Int32 Int32",       ["5"],                             "sub nsw i32"],
  ["Neg", "Int32 Int32",       ["-2147483648"],                   "sub i32"],
  ["Neg", "Int64 Int64",       ["0"],                             "sub nuw nsw i64"],
  ["Shl", "Int32 Int32 Int32", ["1, 30"],                         "shl nuw nsw i32 %v0, %v1"],
  ["Shl", "Int32 Int32 Int32", ["1, 31"],                         "shl nuw i32 %v0, %v1"],
  ["Shl", "Int32 Int32 Int32", ["-1, 31"],                        "shl nsw i32 %v0, %v1"],
  ["Shl", "Int32 Int32 Int32", ["1, 33"],                         "shl nuw nsw i32 %v0, %v2.n"],
  ["Shl", "Int64 Int64 Int32", ["1, 63"],                         "shl nuw i64"],
  ["Shl", "Int64 Int64 Int32", ["-1, 63"],                        "shl nsw i64"],
  ["ZShr", "Int32 Int32 Int32", ["8, 3"],                         "lshr exact i32 %v0, %v1"],
  ["ZShr", "Int32 Int32 Int32", ["8, 3", "8, 4"],                 "lshr i32 %v0, %v1"],
  ["SShr", "Int64 Int64 Int32", ["-8, 3"],                        "ashr exact i64"],
  ["SShr", "Int64 Int64 Int32", ["-8, 67"],                       "ashr exact i64 %v0, %v2.n"],
  ["SShr", "Int64 Int64 Int32", ["-9, 3"],                        "ashr i64"],
  ["Div",  "Int32 Int32 Int32", ["-6, 3"],                        "sdiv exact i32"],
  ["Div",  "Int32 Int32 Int32", ["-6, 3", "7, 3"],                "sdiv i32"],
  ["UDiv", "Int32 Int32 Int32", ["-1, 5"],                        "udiv exact i32"],
  ["UDiv", "Int64 Int64 Int64", ["-1, 5"],                        "udiv exact i64"],
  ["UDiv", "Int64 Int64 Int64", ["-1, 7"],                        "udiv i64"],
  ["BitOr", "Int32 Int32 Int32", ["5, 2"],                        "or disjoint i32"],
  ["BitOr", "Int32 Int32 Int32", ["5, 2", "5, 4"],                "or i32"],
  ["BitOr", "Int64 Int64 Int64", ["4294967296, 8589934592"],      "or disjoint i64"],
  ["BitOr", "Int64 Int64 Int64", ["4294967296, 4294967296"],      "or i64"],
  ["ZExt32", "Int64 Int32",     ["5"],                            "zext nneg i32"],
  ["ZExt32", "Int64 Int32",     ["5", "-5"],                      "zext i32"],
  ["UToD", "Double Int64",      ["5"],                            "uitofp nneg i64"],
  ["UToD", "Double Int64",      ["-5"],                           "uitofp i64"],
  ["Trunc", "Int32 Int64",      ["5"],                            "trunc nuw nsw i64"],
  ["Trunc", "Int32 Int64",      ["4294967295"],                   "trunc nuw i64"],
  ["Trunc", "Int32 Int64",      ["-1"],                           "trunc nsw i64"],
  ["Trunc", "Int32 Int64",      ["-4294967296"],                  "trunc i64"],
  ["Add", "Double Double Double", ["1.5, 2.0"],                   "fadd nnan ninf double"],
  ["Add", "Double Double Double", ["1e308, 1e308"],               "fadd nnan double"],
  ["Add", "Double Double Double", ["1.5, 2.0", "nan:0x7ff8000000000000, 1.0"],       "fadd ninf double"],
  ["Mul", "Float Float Float",  ["1.5, 2.0"],                     "fmul nnan ninf float"],
  ["LessThan", "Int32 Double Double", ["1.5, inf"],               "fcmp nnan olt double"],
  ["Sqrt", "Double Double",     ["4.0"],                          "call nnan ninf double @llvm.sqrt"],
  ["Sqrt", "Double Double",     ["-4.0"],                         "call ninf double @llvm.sqrt"],
  ["TruncS32", "Int32 Double",  ["2147483647.5"],                 "fptosi double"],
  ["TruncS32", "Int32 Double",  ["2147483648.0"],                 "call i32 @llvm.fptosi.sat"],
  ["TruncU32", "Int32 Double",  ["-0.5"],                         "fptoui double"],
  ["TruncU32", "Int32 Double",  ["-1.0"],                         "call i32 @llvm.fptoui.sat"],
  ["TruncS64", "Int64 Float",   ["nan:0x7fc00000"],                          "call i64 @llvm.fptosi.sat"],
  ["TruncU64", "Int64 Double",  ["1e19"],                         "fptoui double"],
];

/** Returns a procedure that is one operation of its parameters. */
function operationOf(opcode: string, types: string, inputs: readonly string[]): SourceProgram {
  const [result, ...parameters] = types.split(" ");
  const n = parameters.length;
  const takes = parameters.map((type, p) => `${type} @${p}`).join(", ");
  const uses = parameters.map((_, p) => `@${p}`).join(", ");
  return programFrom(`touchstone 1
proc f(${takes}) -> ${result}
#0:
  ${result} @${n} = ${opcode}(${uses})
  Void @${n + 1} = Return(@${n})
${inputs.map((input) => `; run: f(${input})\n`).join("")}`);
}

test("an operation states the facts of all of its executions", (t) => {
  for (const [opcode, types, inputs, statement] of CLAIMS) {
    const program = operationOf(opcode, types, inputs);
    const text = LLVM_FACT_SOURCES([program])["program.ll"];
    t.true(
      text.includes(`= ${statement}`),
      `${opcode} ${inputs.join("; ")}: ${statement}\n${text}`,
    );
  }
});

// The statement of C before an operation; the second execution breaks it.
// biome-ignore format: a table
const C_CLAIMS: readonly (readonly [opcode: string, types: string, holds: string, breaks: string, statement: string])[] = [
  ["Div",    "Int32 Int32 Int32", "-6, 3", "7, 3",  "if ((int32_t)(v0) % (int32_t)(v1) != 0)"],
  ["Div",    "Int64 Int64 Int64", "-6, 3", "7, 3",  "if ((int64_t)(v0) % (int64_t)(v1) != 0)"],
  ["UDiv",   "Int32 Int32 Int32", "-1, 5", "-1, 7", "if (v0 % v1 != 0)"],
  ["SShr",   "Int64 Int64 Int32", "-8, 3", "-9, 3", "if ((v0 & (((uint64_t)(1) << (v1 & (64 - 1))) - 1)) != 0)"],
  ["ZShr",   "Int32 Int32 Int32", "8, 3",  "8, 4",  "if ((v0 & (((uint32_t)(1) << (v1 & (32 - 1))) - 1)) != 0)"],
  ["BitOr",  "Int32 Int32 Int32", "5, 2",  "5, 4",  "if ((v0 & v1) != 0)"],
  ["ZExt32", "Int64 Int32",       "5",     "-5",    "if ((int32_t)(v0) < 0)"],
  ["UToD",   "Double Int64",      "5",     "-5",    "if ((int64_t)(v0) < 0)"],
  ["UToF",   "Float Int32",       "5",     "-5",    "if ((int32_t)(v0) < 0)"],
];

test("C states remainders, bits, and signs", (t) => {
  for (const [opcode, types, holds, breaks, statement] of C_CLAIMS) {
    const textOf = (...inputs: string[]): string =>
      C_FACT_SOURCES([operationOf(opcode, types, inputs)])["program.c"];
    t.true(textOf(holds).includes(`${statement} __builtin_unreachable();`), `${opcode} ${holds}`);
    t.false(textOf(holds, breaks).includes(statement), `${opcode} ${breaks}`);
  }
});

const SANITIZED = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
const C_KINDS: ReadonlySet<FactKind> = new Set(["exact", "disjoint", "nneg"]);

engineTest(test, "gcc-facts-sanitized", "C: each of these shows if it is false", async (t) => {
  const subject = hasty("gcc-facts-sanitized", textOfC, C_KINDS, SANITIZED);
  const judge = new Judge({ subjects: [subject], fuelMax: 1000 });
  const programs = C_CLAIMS.map(([opcode, types, holds, breaks]) =>
    operationOf(opcode, types, [holds, breaks]),
  );
  const judged = await judge.judgeAll(programs);
  judge.close();
  for (const [p, { results }] of judged.entries()) {
    const kinds = results[0].judgements.map(({ verdict }) => verdict.kind);
    t.deepEqual(kinds, ["equal", "different"], C_CLAIMS[p].join(" "));
  }
});

/**
 * The second load has the result of the first if the store between them does not change its bytes.
 */
const PAIR = `touchstone 1
proc pair(Int64 @0) -> Int32
#0:
  Int64 @1 = Const64(75161927680)
  Int64 @2 = Add(@0, @1)
  Int32 @3 = Load(@1)
  Int32 @4 = Const32(77)
  Void @5 = Store(@4, @2)
  Int32 @6 = Load(@1)
  Int32 @7 = Sub(@6, @3)
  Void @8 = Return(@7)
; run: pair(16)
; run: pair(0)
`;

for (const name of ["gcc-facts", "clang-facts"]) {
  const title = `${name}: a load differs if it touches bytes that only the store may touch`;
  engineTest(test, name, title, async (t) => {
    const subject = hasty(name, textOfC, new Set(["noalias"]));
    const program = programFrom(PAIR);
    t.regex(
      textOfC([program.module], [statedFor(program.inputs.slice(0, 1))])["program.c"],
      CALLED,
    );
    t.notRegex(textOfC([program.module], [statedFor(program.inputs)])["program.c"], CALLED);
    t.deepEqual(await verdictsOf(subject, program), ["equal", "different"]);
  });
}
const CALLED = /= t_apart_Int32_Int32\(/;

const TBAA: ReadonlySet<FactKind> = new Set(["tbaa"]);
for (const [name, textOf, kept, joined] of [
  [
    "llvm-facts",
    textOfLlvm,
    /store .*!tbaa !4\n(?:.*\n){2}.*load .*!tbaa !2$/m,
    /!tbaa !2\n(?:.*\n){2}.*!tbaa !2$/m,
  ],
  [
    "gcc-facts",
    textOfC,
    /p0_c(\d)_store_Int32\((?!.*p0_c\1_load)/s,
    /p0_c(\d)_store_Int32\(.*p0_c\1_load/s,
  ],
] as const) {
  const title = `${name}: a load differs if its class excludes a store that it touches`;
  engineTest(test, name, title, async (t) => {
    const program = programFrom(PAIR);
    const stated = (count: number): string =>
      Object.values(textOf([program.module], [statedFor(program.inputs.slice(0, count), TBAA)]))[0];
    t.regex(stated(1), kept);
    t.regex(stated(2), joined);
    t.deepEqual(await verdictsOf(hasty(name, textOf, TBAA), program), ["equal", "different"]);
  });
}

/**
 * Each procedure but the entry has another effect; `run: f(16)` and `run: f(0)` call all of them.
 */
const DOING = `touchstone 1
exit 0 resumes resume
proc f(Int64 @0) -> Int32
#0:
  Int64 @1 = Const64(75161927680)
  Int32 @2 = CCall(reads, @0)
  Int32 @3 = Const32(77)
  Void @4 = Store(@3, @1)
  Int32 @5 = CCall(reads, @0)
  Int32 @6 = CCall(leaves, @5)
  Int32 @7 = CCall(logs, @6)
  Int32 @8 = Sub(@7, @2)
  Void @9 = Return(@8)

proc reads(Int64 @0) -> Int32
#0:
  Int64 @1 = Const64(75161927680)
  Int64 @2 = Add(@0, @1)
  Void @3 = Branch(@0, #1, #2)
#1:
  Int32 @4 = Const32(5)
  Int32 @5 = CCall(computes, @4)
  Void @6 = Return(@5)
#2:
  Int32 @7 = Load(@2)
  Void @8 = Return(@7)

proc computes(Int32 @0) -> Int32
slot stack0 = anonymous 8
#0:
  Int64 @1 = SlotBase(stack0)
  Void @2 = Store(@0, @1)
  Int32 @3 = Load(@1)
  Int32 @4 = Add(@3, @0)
  Void @5 = Return(@4)

proc leaves(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [leaves@0: @0]
#0:
  Int32 @1 = Const32(77)
  Int32 @2 = Equal(@0, @1)
  Void @3 = Check(@2) s0
  Void @4 = Return(@0)

proc resume(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)

proc logs(Int32 @0) -> Int32
#0:
  Void @1 = CCall(logInt, @0)
  Void @2 = Return(@0)
`;
const MEMORY: ReadonlySet<FactKind> = new Set(["memory"]);
const RUN = ["; run: f(16)\n", "; run: f(0)\n"];

test("the effects of a procedure include all of its activations and callees", (t) => {
  const stated = (runs: string): string[] => {
    const { module, inputs } = programFrom(DOING + runs);
    const text = exportLlvm([module], [statedFor(inputs, MEMORY)]);
    return [...text.matchAll(/^define internal \w+ @p0_f\d\(.*?\)(.*) \{$/gm)].map(
      ([, attributes]) => attributes,
    );
  };
  const [nothing, reading] = ["none", "read"].map((word) => ` memory(${word}) nosync willreturn`);
  t.deepEqual(stated(RUN[0]), ["", nothing, nothing, nothing, nothing, ""]);
  t.deepEqual(stated(RUN.join("")), ["", reading, nothing, "", nothing, ""]);
});

const SEVERAL = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = CCall(both, @0)
  Int32 @2 = Extract(@1, 1)
  Int32 @3 = Add(@1, @2)
  Void @4 = Return(@3)

proc both(Int32 @0) -> Int32, Int32
#0:
  Int32 @1 = Neg(@0)
  Void @2 = Return(@0, @1)
; run: f(5)
`;
const ASKING = `touchstone 1
proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  Int64 @1 = FunctionAddress(requests)
  Int32 @2 = CallCheck(@1, @0) s0
  Int32 @3 = CCall(computes, @0)
  Void @4 = Return(@3)

proc requests(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)

proc computes(Int32 @0) -> Int32
#0:
  Int32 @1 = Neg(@0)
  Void @2 = Return(@1)
; run: f(5)
`;

test("further results and requests to leave are visible effects", (t) => {
  for (const text of [SEVERAL, ASKING]) {
    const { module, inputs } = programFrom(text);
    const stated = exportLlvm(
      [module],
      [statedFor(inputs, new Set<FactKind>(["memory", "range"]))],
    );
    t.regex(stated, /range\(/);
    t.notRegex(stated, /memory\(/, text);
  }
});

test("a procedure that has left by an exit has no range of results", (t) => {
  const stated = (runs: string): string => {
    const { module, inputs } = programFrom(DOING + runs);
    return exportLlvm([module], [statedFor(inputs, new Set<FactKind>(["range"]))]);
  };
  t.regex(stated(RUN[0]), /^define internal range\(i32 10, 11\) i32 @p0_f3\(/m);
  t.regex(stated(RUN.join("")), /^define internal i32 @p0_f3\(/m);
});

for (const [name, textOf] of [
  ["llvm-facts", textOfLlvm],
  ["gcc-facts", textOfC],
] as const) {
  const title = `${name}: a call differs if it reads a store after an equal call and the read is not stated`;
  engineTest(test, name, title, async (t) => {
    // GCC would inline so small a function before it analyzes calls.
    const subject = hasty(name, textOf, MEMORY, ["-O2", "-fno-inline"]);
    t.deepEqual(await verdictsOf(subject, programFrom(DOING + RUN.join(""))), [
      "equal",
      "different",
    ]);
  });
}

test("sites that touch the same byte are in one class, transitively", (t) => {
  const classes = new MemoryClasses(16);
  const [a, b, c, d] = [0, 1, 2, 3].map(() => classes.newSite());
  classes.touch(a, 0, 4);
  classes.touch(b, 4, 8);
  classes.touch(c, 8, 12);
  t.is(new Set([a, b, c, d].map((site) => classes.classOf(site))).size, 4);
  classes.touch(d, 7, 9);
  t.is(classes.classOf(b), classes.classOf(c));
  t.is(classes.classOf(b), classes.classOf(d));
  t.not(classes.classOf(a), classes.classOf(d));
  classes.touch(a, 11, 12);
  t.is(classes.classOf(a), classes.classOf(b));
});

const NEXT = `touchstone 1
proc next(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = Add(@0, @1)
  Int32 @3 = LessThan(@2, @0)
  Void @4 = Return(@3)
; run: next(5)
; run: next(2147483647)
`;

test("only requested kinds are stated, and none if an execution is not judged", (t) => {
  const { module, inputs } = programFrom(NEXT);
  const textOf = (stated: StatedFacts): string => exportLlvm([module], [stated]);
  const few = inputs.slice(0, 1);
  t.regex(textOf(statedFor(few, new Set<FactKind>(["nsw"]))), /add nsw i32/);
  t.regex(textOf(statedFor(few, new Set<FactKind>(["nuw"]))), /add nuw i32/);
  const divided = programFrom(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Div(@0, @0)
  Void @2 = Return(@1)
; run: f(1)
; run: f(0)
`);
  const [judged] = divided.inputs;
  t.regex(exportLlvm([divided.module], [statedFor([judged])]), /sdiv exact/);
  t.notRegex(exportLlvm([divided.module], [statedFor(divided.inputs)]), /sdiv exact/);
});

/** Returns the verdict of each execution. */
async function verdictsOf(subject: RemoteSubject, program: SourceProgram): Promise<string[]> {
  const judge = new Judge({ subjects: [subject], fuelMax: 1000 });
  const [{ results }] = await judge.judgeAll([program]);
  judge.close();
  return results[0].judgements.map(({ verdict }) => verdict.kind);
}

/**
 * Returns a subject that states the facts of the first execution alone, which may be false in the
 * others: a control.
 */
function hasty(
  name: string,
  text: (modules: readonly Module[], stated: readonly StatedFacts[]) => Record<string, string>,
  kinds: ReadonlySet<FactKind> = new Set(FACT_KINDS),
  flags: readonly string[] = ["-O2"],
) {
  const engine = engineNamed(name);
  const program = name.startsWith("gcc") ? "gcc" : "clang-19";
  const subject: RemoteSubject = batchSubject({
    name: "hasty",
    sources: (programs) =>
      text(
        programs.map(({ module }) => module),
        programs.map(({ inputs }) => statedFor(inputs.slice(0, 1), kinds)),
      ),
    compile: (files, executable) => ({
      path: "/usr/bin/env",
      args: [program, "-w", ...flags, "-o", executable, ...files, "-lm"],
    }),
    limits: [],
    missing: () => engine?.missing() ?? null,
  });
  return subject;
}

function textOfLlvm(
  modules: readonly Module[],
  stated: readonly StatedFacts[],
): Record<string, string> {
  return { "program.ll": exportLlvm(modules, stated), "driver.c": LLVM_DRIVER };
}

function textOfC(
  modules: readonly Module[],
  stated: readonly StatedFacts[],
): Record<string, string> {
  return { "program.c": exportC(modules, stated) };
}

for (const [name, subject] of [
  ["llvm-facts", hasty("llvm-facts", textOfLlvm)],
  ["gcc-facts", hasty("gcc-facts", textOfC)],
] as const) {
  const title = `${name}: a fact that is false in one execution shows as a difference there`;
  engineTest(test, name, title, async (t, right) => {
    t.deepEqual(await verdictsOf(subject, programFrom(NEXT)), ["equal", "different"]);
    t.deepEqual(await verdictsOf(right, programFrom(NEXT)), ["equal", "equal"]);
  });
}
