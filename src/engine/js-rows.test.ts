// Tests programs exported as JavaScript in the V8 of this Node: its interpreter and its compilers agree
// with the oracle, and wrong code, a wrong state after deoptimization and a missing compiler are found.

import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import type { RemoteSubject } from "../execute/subject.js";
import { exportJs } from "../export/js/export-js.js";
import { trials } from "../support/trials.js";
import { batchSubject } from "./batch-subject.js";
import { engineTest, type JudgedProgram, judged, programFrom, programsIn } from "./engine-test.js";

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
    limit: null,
    missing: () => null,
  });

test("a product that is rounded is found", async (t) => {
  const { different } = await judged(
    changed((text) => text.replace(/Math\.imul\((.*?), (.*?)\);/g, "$1 * $2 | 0;")),
    seeds(),
  );
  t.true(different.length > 0);
});

/** On the last input the loop leaves in its second iteration, after two runs that do not leave. */
const LEAVES_LATE = programFrom(`touchstone 1
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
`);

test("an engine leaves compiled code with the right state, and a value one iteration late is found", async (t) => {
  t.deepEqual(
    await judged(
      changed((text) => text),
      [LEAVES_LATE],
    ),
    { different: [], equal: 2 },
  );
  const late = (text: string): string =>
    text.replace(/put32\(q \+ 12, v5\)/, "put32(q + 12, v5 - v1)");
  const { different, equal } = await judged(changed(late), [LEAVES_LATE]);
  t.is(equal, 1);
  t.regex(different.join(), /slot 0: expected 0x7ffffff8, got 0x7fffffd0/);
});

test("a process whose compiler does not compile is a difference", async (t) => {
  const { different } = await judged(
    changed((text) => text, [...NATIVES, "--no-opt"]),
    [LEAVES_LATE],
  );
  t.regex(different[0], /the required compiler did not compile/);
});
