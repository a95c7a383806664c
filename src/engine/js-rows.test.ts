// Tests programs exported as JavaScript in the V8 of this Node: its interpreter and its compilers agree
// with the oracle, and wrong code, a wrong state after deoptimization and a missing compiler are found.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { runBoundaryTables } from "../compare/boundary.js";
import { boundaryRows } from "../compare/boundary-cases.js";
import type { RemoteSubject } from "../execute/subject.js";
import { formsOf, PLAIN_FORM } from "../export/forms.js";
import { exportJs } from "../export/js/export-js.js";
import { assert } from "../support/assert.js";
import { trials } from "../support/trials.js";
import { batchSubject } from "./batch-subject.js";
import type { EngineSubject, FileContents } from "./engine-subject.js";
import { engineTest, type JudgedProgram, judged, programFrom, programsIn } from "./engine-test.js";
import { engineNamed, observations } from "./engines.js";

/** Scripts are interpreted slowly, and run four times. */
const FUEL = 100_000;
const NATIVES = ["--allow-natives-syntax"];
const SEEDS = trials(16, 1000);
const FIRST_SEED = 580_000n;

const ONE_OF = trials(8, 1);
const some = (): JudgedProgram[] =>
  ["corpus/golden/run", "corpus/golden/opcodes", "corpus/regress"]
    .flatMap(programsIn)
    .filter((_, p) => p % ONE_OF === 0);
const seeds = (): JudgedProgram[] =>
  Array.from({ length: SEEDS }, (_, s) => programOf(FIRST_SEED + BigInt(s)));

for (const [name, programs] of [
  ["v8-js-ignition", some],
  ["v8-js-sparkplug", seeds],
  ["v8-js-turbofan", () => [...some(), ...seeds()]],
  ["jsc-js-llint", seeds],
  ["jsc-js-ftl", seeds],
  ["sm-js-interpreter", seeds],
  ["sm-js-ion", seeds],
] as const) {
  engineTest(test, name, `${name} agrees`, async (t, engine) => {
    const { different, equal } = await judged(engine, programs(), FUEL);
    t.deepEqual(different, []);
    t.true(equal > 3 * SEEDS, `only ${equal} executions`);
    t.log(`${equal} executions`);
  });
}

/** Returns the compiler of this Node, on scripts that are changed. */
const changed = (
  change: (text: string) => string,
  flags: readonly string[] = NATIVES,
): RemoteSubject =>
  batchSubject({
    name: "changed",
    sources: (programs) => ({ "program.js": change(exportJs(programs)) }),
    compile: (files, executable) => ({ path: "/bin/cp", args: [...files, executable] }),
    runner: [process.execPath, ...flags],
    limits: [],
    missing: () => null,
  });

test("a product that is rounded is found", async (t) => {
  const { different } = await judged(
    changed((text) => text.replace(/Math\.imul\((.*?), (.*?)\);/g, "$1 * $2 | 0;")),
    seeds(),
  );
  t.true(different.length > 0);
});

/** One in this many rows of the boundary tables runs. */
const ROWS_OF = trials(16, 1);
const BOUNDARY_SHARE = trials(1440, 60);

for (const name of ["v8-js-ignition", "jsc-js-llint", "sm-js-interpreter"]) {
  engineTest(test.serial, name, `${name} agrees on the boundary tables`, async (t, engine) => {
    const rows = boundaryRows().filter((_, r) => r % ROWS_OF === 0);
    const options = { subjects: [engine], fuelMax: FUEL, share: BOUNDARY_SHARE };
    const { cases, failures } = await runBoundaryTables(options, rows);
    t.deepEqual(failures, []);
    t.true(cases > 20 * rows.length, `only ${cases} cases`);
    t.log(`${cases} cases`);
  });
}

test("a wrong operation is found by the boundary tables, and its operands are reported", async (t) => {
  const subject = changed((text) => text.replace(/Math\.imul\((.*?), (.*?)\);/g, "$1 * $2 | 0;"));
  const options = { subjects: [subject], fuelMax: FUEL, share: 60 };
  const rows = boundaryRows().filter(({ name }) => name === "Mul Int32");
  const { failures } = await runBoundaryTables(options, rows);
  t.true(failures.length > 0);
  for (const failure of failures) t.regex(failure, /^Mul\(.*Int32.*: changed: /);
});

/** On the last input the loop leaves in its second iteration, after two runs that do not leave. */
const LEAVES_LATE_TEXT = `touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
snapshot s0 = exit 0 frames [f@1: @5, @6]
#0:
  Int32 @2 = Const32(0)
  Int32 @12 = Const32(7)
  Void @3 = Upsilon(@0, ^5)
  Void @13 = Upsilon(@2, ^6)
  Void @4 = Jump(#1)
#1:
  Int32 @5 = Phi()
  Int32 @6 = Phi()
  Int32 @7 = CheckAdd(@5, @1) s0
  Void @8 = Upsilon(@7, ^5)
  Int32 @14 = Const32(1)
  Int32 @9 = Add(@6, @14)
  Void @15 = Upsilon(@9, ^6)
  Int32 @10 = LessThan(@9, @12)
  Void @11 = Branch(@10, #1, #2)
#2:
  Void @16 = Return(@7)

; run: f(5, 3)
; run: f(2147483600, 40)
`;
const LEAVES_LATE = programFrom(LEAVES_LATE_TEXT);

/** An even number of operations that restore @0: more code than Ion compiles by default. */
const LARGE = Array.from({ length: 400 }, (_, i) => {
  const before = i === 0 ? 0 : 99 + i;
  return `  Int32 @${100 + i} = BitXor(@${before}, @12)`;
}).join("\n");
const LEAVES_LARGE_LATE = programFrom(
  LEAVES_LATE_TEXT.replace(
    "  Void @3 = Upsilon(@0, ^5)",
    `${LARGE}\n  Void @3 = Upsilon(@499, ^5)`,
  ),
);

/** Each value with a number that three divides depends on the fact. */
const NEVER_LEAVES = programFrom(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int64 @1 = SExt32(@0)
  Int64 @3 = Add(@1, @1)
  Int32 @4 = Trunc(@3)
  Int32 @6 = BitXor(@4, @0)
  Void @7 = Return(@6)

; run: f(5)
; run: f(8)
`);

const CALLS_AND_SWITCHES = programFrom(`touchstone 1
heap 4096
proc f(Int32 @0, Int32 @1) -> Int32
snapshot s0 = exit 0 frames [f@1: @0]
#0:
  Int32 @2 = CCall(g, @0)
  Int64 @4 = Const64(75161927680)
  Int32 @5 = Load(@4)
  Void @6 = Check(@5) s0
  Void @7 = Upsilon(@5, ^12)
  Void @8 = Switch(@2, 1: #1, 2: #2, default: #3)
#1:
  Void @9 = Upsilon(@0, ^12)
  Void @10 = Jump(#3)
#2:
  Void @11 = Upsilon(@1, ^12)
  Void @13 = Jump(#3)
#3:
  Int32 @12 = Phi()
  Int32 @15 = Const32(7)
  Int32 @18 = Add(@12, @15)
  Int32 @19 = LessThan(@18, @1)
  Void @20 = Upsilon(@18, ^12)
  Void @21 = Branch(@19, #3, #4)
#4:
  Int64 @23 = SExt32(@18)
  Int64 @24 = Neg(@23)
  Void @25 = Store(@24, @4)
  Void @22 = Return(@18)

proc g(Int32 @0) -> Int32
#0:
  Int32 @3 = Add(@0, @0)
  Void @4 = Return(@3)

; run: f(1, 2)
`);

for (const [name, limit] of [
  ["v8-js-turbofan", "--max-optimized-bytecode-size=100"],
  ["jsc-js-ftl", "--maximumOptimizationCandidateBytecodeCost=100"],
] as const) {
  engineTest(
    test,
    name,
    `${name} reports a program that it does not compile`,
    async (t, engine) => {
      const alteration = { name, words: [limit], kinds: new Set<never>(), form: PLAIN_FORM };
      const limited = engine.alterable?.with(alteration);
      t.deepEqual(await uncompiledBy(engine), [false]);
      t.deepEqual(await uncompiledBy(limited ?? engine), [true]);
    },
  );
}

/** Returns whether an engine runs LEAVES_LARGE_LATE without compiling it. */
async function uncompiledBy(engine: EngineSubject): Promise<boolean[]> {
  const { module, inputs } = LEAVES_LARGE_LATE;
  const executions = inputs.map((input) => ({ input, fuelUsed: 1000 }));
  const open = engine.open();
  const answers = await (await open.prepare([{ module, executions }])).run();
  open.close();
  return answers.map((answer) => answer.kind === "ran" && answer.isUncompiled === true);
}

/** By row: facts that it does not use, or whose loss discards code before the code runs again. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  "v8-js-turbofan": [],
  "jsc-js-ftl": ["lost-getter", "lost-callee"],
  "sm-js-ion": ["lost-elements"],
};

for (const [name, control] of [
  ["v8-js-turbofan", "v8-js-late"],
  ["jsc-js-ftl", "jsc-js-late"],
  ["sm-js-ion", "sm-js-late"],
] as const) {
  engineTest(test.serial, name, `${name} restores the state of an exit`, async (t, engine) => {
    t.deepEqual(await judged(engine, [LEAVES_LATE]), { different: [], equal: 2 });
    // The control: a value that is one iteration late.
    const late = engineNamed(control);
    const { different, equal } = await judged(late ?? engine, [LEAVES_LATE]);
    t.is(equal, 1);
    t.regex(different.join(), /^frame 0: slot 0: expected 0x7ffffff8, got 0x7fffffd0/);
  });

  engineTest(
    test.serial,
    name,
    `${name} reports that it leaves compiled code`,
    async (t, engine) => {
      t.true((await engine.leftCompiled?.(LEAVES_LATE))?.[1]);
      t.true((await engine.leftCompiled?.(LEAVES_LARGE_LATE))?.[1]);
      t.deepEqual(await engine.leftCompiled?.(NEVER_LEAVES), [false, false]);
      const facts = formsOf("js")
        .flat()
        .filter((form) => form.startsWith("lost-"));
      const unseen: string[] = [];
      for (const fact of facts) {
        const left = await engineNamed(`${name}+${fact}`)?.leftCompiled?.(NEVER_LEAVES);
        if (left?.includes(true) !== true) unseen.push(fact);
      }
      t.deepEqual(unseen, UNSEEN[name]);
    },
  );
}

for (const [name, control] of [
  ["v8-js-turbofan", "v8-js-late"],
  ["jsc-js-ftl", "jsc-js-late"],
  ["sm-js-ion", "sm-js-late"],
] as const) {
  engineTest(test.serial, name, `${name}: a report has a script for the shell`, async (t) => {
    const right = await filesOf(name);
    t.is(outputOf(right), "right\n");
    const formed = await filesOf(`${name}+lost-int+late-loss+field-homes+typed-arrays`);
    t.is(outputOf(formed), "right\n");
    t.regex(outputOf(await filesOf(control)), /^wrong: expected 1 \w+\n +got 1 \w+\n/);
    const script = String(right["reproduce.js"]);
    t.regex(script, /^\/\/ Command: .* reproduce.js\n/);
    t.regex(script, /x \| 0.*sec-numberbitwiseop/);
    t.true(script.split("\n").length < 120, script);
  });
}

/** Returns the files that show the second execution of LEAVES_LATE. */
async function filesOf(name: string): Promise<FileContents> {
  const { module, inputs } = LEAVES_LATE;
  const { value: expected } = await observations(module, inputs[1]).next();
  assert(expected !== undefined, () => "V8 has no answer");
  const open = new Uint8Array(expected.records.length);
  const shown = { module, input: inputs[1], inputs, expected, open };
  return engineNamed(name)?.reproducer(shown) ?? {};
}

/** Returns what reproduce.sh leaves in got.txt. */
function outputOf(files: FileContents): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-report-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { status } = spawnSync("sh", [join(folder, "reproduce.sh")]);
  const got = readFileSync(join(folder, "got.txt"), "utf8");
  rmSync(folder, { recursive: true });
  assert((status === 0) === (got === "right\n"), () => `status ${status}: ${got}`);
  return got;
}

test("each form changes the script, and the plain form does not", (t) => {
  const plain = exportJs([LEAVES_LATE]);
  t.is(exportJs([LEAVES_LATE], { form: PLAIN_FORM }), plain);
  const scripts = formsOf("js")
    .flat()
    .map((form) => exportJs([CALLS_AND_SWITCHES], { form: new Set([form]) }));
  // Without a fact, nothing is lost late.
  t.is(new Set([exportJs([CALLS_AND_SWITCHES]), ...scripts]).size, scripts.length);
});

test("a process whose compiler does not compile is a difference", async (t) => {
  const { different } = await judged(
    changed((text) => text, [...NATIVES, "--no-opt"]),
    [LEAVES_LATE],
  );
  t.regex(different[0], /the required compiler did not compile/);
});
