// A false fact is used by a pass of LLVM: the program is wrong, and that pass is named. Where the fact is not
// stated, the program is right.

import test from "ava";
import { Judge } from "../../compare/judge-program.js";
import type { EngineSubject } from "../../engine/engine-subject.js";
import { engineNamed } from "../../engine/engines.js";
import { parseModule } from "../../ir/text/parse.js";
import type { Candidate } from "../../reduce/candidate.js";
import { locatePart } from "./locate-part.js";

const GREATEST = 0x7fffffff;
// Of the greatest number the next one is less; a sum that never overflows is not.
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

test("the pass of LLVM that uses a false fact is located", async (t) => {
  const [right, wrong] = ["llvm-O2", "llvm-false-nsw"].map(engineNamed);
  if (wrong?.parts === undefined || right?.parts === undefined) return t.fail("no such engine");
  const lack = wrong.missing();
  if (lack !== null) return void t.pass(lack);
  t.is(await verdictBy(right), "equal");
  t.is(await verdictBy(wrong), "different");
  t.regex((await locatePart(PROGRAM, "result", wrong.parts)) ?? "none", /^\w+Pass$/);
  t.is(await locatePart(PROGRAM, "result", right.parts), null);
});
