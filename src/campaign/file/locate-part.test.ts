// Tests that a wrong part is located. A pass of LLVM uses a false fact: the program is wrong, and
// the pass is named. Without the fact the program is right. For an engine with several tiers, the
// wrong tier is named.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import type { EngineSubject } from "../../engine/engine-subject.js";
import { engineTest } from "../../engine/engine-test.js";
import { engineNamed } from "../../engine/engines.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import type { Candidate } from "../../reduce/candidate.js";
import { projectRoot } from "../../support/project-root.js";
import { locatePart } from "./locate-part.js";

const GREATEST = 0x7fffffff;
// The successor of the greatest number is less, but a sum that never overflows is not.
const PROGRAM: Candidate = {
  module: parseModule(`touchstone 1
proc next(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(1)
  Int32 @2 = Add(@0, @1)
  Int32 @3 = LessThan(@2, @0)
  Void @4 = Return(@3)
`),
  inputs: [{ words: Int32Array.of(GREATEST, 0), heapSeed: 0 }],
};

async function verdictBy(subject: EngineSubject): Promise<string> {
  const judge = new Judge({ subjects: [subject], fuelMax: 100 });
  const [{ results }] = await judge.judgeAll([PROGRAM]);
  judge.close();
  return results[0].judgements[0].verdict.kind;
}

const USES_FACT = "the pass of LLVM that uses a false fact is located";
engineTest(test, "llvm-false-nsw", USES_FACT, async (t, wrong) => {
  const right = engineNamed("llvm-O2");
  if (wrong.parts === undefined || right?.parts === undefined) return t.fail("no such engine");
  t.is(await verdictBy(right), "equal");
  t.is(await verdictBy(wrong), "different");
  t.regex((await locatePart(PROGRAM, "result", wrong.parts)) ?? "none", /^\w+Pass$/);
  t.is(await locatePart(PROGRAM, "result", right.parts), null);
});

/** Whether a number equals itself, for a NaN. */
const IS_ITSELF: Candidate = {
  module: parseModule(`touchstone 1
proc f(Double @0) -> Int32
#0:
  Int32 @1 = Equal(@0, @0)
  Void @2 = Return(@1)
`),
  inputs: [{ words: Int32Array.of(0, 0x7ff80000), heapSeed: 0 }],
};

const NAMES_OPTION = "the option of GCC that makes a program wrong is named";
engineTest(test, "gcc-fast-math", NAMES_OPTION, async (t, wrong) => {
  const right = engineNamed("gcc-O2");
  if (wrong.parts === undefined || right?.parts === undefined) return t.fail("no such engine");
  t.is(await locatePart(IS_ITSELF, "result", wrong.parts), "finite-math-only");
  t.is(await locatePart(IS_ITSELF, "result", right.parts), null);
});

/**
 * The conversion of 1e12 to the nearest number; the unfinished compiler of one V8 gets it wrong.
 */
const CONVERSION: Candidate = {
  module: parseModule(`touchstone 1
proc f(Double @0) -> Int32
#0:
  Int32 @1 = TruncS32(@0)
  Void @2 = Return(@1)
`),
  inputs: [{ words: Int32Array.of(0xa2000000 | 0, 0x426d1a94), heapSeed: 0 }],
};

const NAMES_TIER = "the wrong tier of V8 is named, and none if all are right";
engineTest(test, "v8-turboshaft", NAMES_TIER, async (t, wrong) => {
  const right = engineNamed("v8-turbofan");
  if (wrong.parts === undefined || right?.parts === undefined) return t.fail("no such engine");
  t.is(await locatePart(CONVERSION, "result", wrong.parts), "v8-turboshaft");
  t.is(await locatePart(CONVERSION, "result", right.parts), null);
  // The same tiers in reverse order: a wrong tier is not mistaken for the one above it.
  t.is(
    await locatePart(CONVERSION, "result", { ...right.parts, upTo: () => wrong }),
    right.parts.rest,
  );
});

const NAMES_PHASE = "a crash of B3 is located in its phase, for each row";
for (const row of ["jsc-omg", "jsc-b3"]) {
  engineTest(test, row, `${NAMES_PHASE}: ${row}`, async (t, { parts }) => {
    if (parts === undefined) return t.fail("no parts");
    const path = join(projectRoot(), "corpus/known/engines/jsc-omg-i64-keys.ir");
    const text = readFileSync(path, "utf8");
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    t.is(await locatePart({ module, inputs }, "ending", parts), "lowerMacros");
  });
}
