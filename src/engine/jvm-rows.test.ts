// Tests programs that are exported as class files in HotSpot: its interpreter and its compilers agree
// with the oracle, the required compiler ran, and wrong code is found.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { runBoundaryTables } from "../compare/boundary.js";
import { boundaryRows } from "../compare/boundary-cases.js";
import { PLAIN_FORM } from "../export/forms.js";
import { trials } from "../support/trials.js";
import type { EngineSubject } from "./engine-subject.js";
import { engineTest, type JudgedProgram, judged, programFrom, programsIn } from "./engine-test.js";
import { jvmRows } from "./jvm-rows.js";
import { pathOf } from "./path-of.js";

const FUEL = 100_000;
const SEEDS = trials(8, 1000);
const FIRST_SEED = 590_000n;
const ONE_OF = trials(8, 1);

const programs = (): JudgedProgram[] => [
  ...["corpus/golden/run", "corpus/golden/opcodes", "corpus/regress"]
    .flatMap(programsIn)
    .filter((_, p) => p % ONE_OF === 0),
  ...Array.from({ length: SEEDS }, (_, s) => programOf(FIRST_SEED + BigInt(s))),
];

for (const name of ["hotspot-int", "hotspot-c1", "hotspot-c2"]) {
  engineTest(test.serial, name, `${name} agrees`, async (t, engine) => {
    const { different, equal } = await judged(engine, programs(), FUEL);
    t.deepEqual(different, []);
    t.true(equal > 3 * SEEDS, `only ${equal} executions`);
    t.log(`${equal} executions`);
  });
}

engineTest(test.serial, "hotspot-int", "the path of java may contain a space", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone a java-"));
  const path = join(folder, "java");
  symlinkSync(pathOf("java") ?? "", path);
  const [row] = jvmRows(path, "spaced");
  const { different, equal } = await judged(row, programs().slice(0, 1), FUEL);
  rmSync(folder, { recursive: true });
  t.deepEqual(different, []);
  t.true(equal > 0);
});

const ABS_OF_NAN = programFrom(`touchstone 1
proc f(Float @0, Double @1) -> Float
#0:
  Int64 @2 = Const64(75161927680)
  Double @3 = Abs(@1)
  Void @4 = Store(@3, @2)
  Float @5 = Abs(@0)
  Void @6 = Return(@5)

; run: f(nan:0xffff0000, nan:0xfff8000000000001)
`);

for (const name of ["hotspot-int", "hotspot-c1", "hotspot-c2"]) {
  engineTest(
    test.serial,
    name,
    `${name}: the magnitude of a NaN has no sign`,
    async (t, engine) => {
      t.deepEqual(await judged(engine, [ABS_OF_NAN], FUEL), { different: [], equal: 1 });
    },
  );
}

test("an old Java is refused by its version", (t) => {
  for (const version of ["8", "1.8.0"]) {
    const [row] = jvmRows(process.execPath, version);
    t.is(row.missing(), `hotspot-int@${version}: Java 11 or newer is needed`);
  }
  t.is(jvmRows(process.execPath, "11.0.2")[0].missing(), null);
});

const ROWS_OF = trials(16, 1);
const BOUNDARY_SHARE = trials(1440, 60);

engineTest(
  test.serial,
  "hotspot-int",
  "hotspot-int agrees on the boundary tables",
  async (t, engine) => {
    const rows = boundaryRows().filter((_, r) => r % ROWS_OF === 0);
    const options = { subjects: [engine], fuelMax: FUEL, share: BOUNDARY_SHARE };
    const { cases, failures } = await runBoundaryTables(options, rows);
    t.deepEqual(failures, []);
    t.true(cases > 20 * rows.length, `only ${cases} cases`);
  },
);

engineTest(
  test.serial,
  "hotspot-false-shift",
  "a wrong instruction is found",
  async (t, engine) => {
    const rows = boundaryRows().filter(({ name }) => name === "ZShr Int32");
    const { failures } = await runBoundaryTables(
      { subjects: [engine], fuelMax: FUEL, share: 60 },
      rows,
    );
    t.true(failures.length > 0);
    for (const failure of failures) t.regex(failure, /^ZShr\(.*Int32.*: hotspot-false-shift: /);
  },
);

const LOOP = programFrom(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(0)
  Void @2 = Upsilon(@1, ^6)
  Int32 @3 = Const32(1)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Int32 @9 = Add(@6, @3)
  Void @10 = Upsilon(@9, ^6)
  Int32 @11 = LessThan(@9, @0)
  Void @12 = Branch(@11, #1, #2)
#2:
  Void @13 = Return(@9)
; run: f(9)
; run: f(20)
`);

/** Returns for each program whether the engine compiled none of its methods. */
async function uncompiledBy(engine: EngineSubject): Promise<boolean[]> {
  const executions = LOOP.inputs.map((input) => ({ input, fuelUsed: 1000 }));
  const open = engine.open();
  const answers = await (await open.prepare([{ module: LOOP.module, executions }])).run();
  open.close();
  return answers.map((answer) => answer.kind === "ran" && answer.isUncompiled === true);
}

for (const name of ["hotspot-c1", "hotspot-c2"]) {
  engineTest(
    test.serial,
    name,
    `${name} reports a program that it does not compile`,
    async (t, engine) => {
      const words = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Program.*"];
      const alteration = { name, words, kinds: new Set<never>(), form: PLAIN_FORM };
      t.deepEqual(await uncompiledBy(engine), [false]);
      t.deepEqual(await uncompiledBy(engine.alterable?.with(alteration) ?? engine), [true]);
    },
  );
}

/** The levels of code of the program's procedure, as the virtual machine prints them. */
const LEVELS = { "hotspot-c1": ["1"], "hotspot-c2": ["3", "4"] } as const;

for (const [name, levels] of Object.entries(LEVELS)) {
  engineTest(
    test.serial,
    name,
    `${name}: the virtual machine prints the compilation`,
    async (t, engine) => {
      const [input] = LOOP.inputs;
      const expected = { status: 1, trap: null, records: new Uint8Array(0) };
      const open = new Uint8Array(0);
      const files = engine.reproducer({ module: LOOP.module, input, expected, open });
      const folder = mkdtempSync(join(tmpdir(), "touchstone-jvm-"));
      for (const [file, contents] of Object.entries(files))
        writeFileSync(join(folder, file), contents);
      const script = String(files["reproduce.sh"]).replace(
        "touchstone.Main",
        "-XX:+DisplayVMOutput -XX:+DisplayVMOutputToStderr -XX:+PrintCompilation $&",
      );

      spawnSync("sh", ["-s"], { cwd: folder, input: script.replace(/^here=.*$/m, "here=.") });
      const log = spawnSync("cat", [join(folder, "errors.txt")], { encoding: "utf8" }).stdout;
      rmSync(folder, { recursive: true, force: true });
      const printed = [...log.matchAll(/ (\d) +Program::f0 \(/g)].map(([, level]) => level);
      for (const level of levels) t.true(printed.includes(level), log.slice(0, 2000));
    },
  );
}
