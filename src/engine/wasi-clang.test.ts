// Tests the rows of a clang that is WebAssembly, if `ci/setup --engines newest` has installed one.

import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { trials } from "../support/trials.js";
import { type JudgedProgram, judged, programFrom } from "./engine-test.js";
import { ENGINES } from "./engines.js";

/** Fast arithmetic takes a number for equal to itself. */
const NAN = programFrom(`touchstone 1
proc f(Double @0) -> Int32
#0:
  Int32 @1 = Equal(@0, @0)
  Void @2 = Return(@1)
; run: f(1.5)
; run: f(nan:0x7ff8000000000000)
`);

const PROGRAMS: readonly JudgedProgram[] = Array.from({ length: trials(3, 200) }, (_, seed) =>
  programOf(BigInt(seed)),
);

for (const [name, programs, differs] of [
  ["wasm32-clang-O2", [NAN, ...PROGRAMS], false],
  ["wasm32-clang-fast-math", [NAN], true],
] as const) {
  const engine = ENGINES.find((row) => row.name.startsWith(`${name}@`));
  const title = `${name} ${differs ? "is found wrong" : "agrees"}`;
  if (engine === undefined) {
    test.skip(`${title}: ci/setup --engines newest`, (t) => t.fail());
    continue;
  }
  test.serial(title, async (t) => {
    t.regex(engine.version(), /^clang of @yowasp\/clang \d/);
    const { different, equal } = await judged(engine, programs);
    if (differs) t.deepEqual([different.length, equal], [1, 1]);
    else t.deepEqual(different, []);
    t.true(equal >= programs.length);
  });
}
