// Tests programs of emulated subjects on the processor: equal results are reported for the emulated subject,
// differences only if the emulator shows them too.

import ava from "ava";
import { CANARIES, plantedBy } from "../campaign/canary/canaries.js";
import { isEmulated } from "../campaign/run/judge-seed.js";
import type { LocalSubject } from "../execute/subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { hostTest } from "../execute/unicorn-available.js";
import type { Ending } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { assert } from "../support/assert.js";
import { Judge, type JudgeOptions, type SubjectResult } from "./judge-program.js";

const test = hostTest(ava);

const PROGRAM = parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Add(@0, @0)
  Void @2 = Return(@1)
`);
const INPUTS = [1, 2].map((word) => ({ words: Int32Array.of(word, 0), heapSeed: 0 }));

function judged(subject: LocalSubject, options: Partial<JudgeOptions> = {}): SubjectResult {
  const judge = new Judge({ fuelMax: 1000, ...options, subjects: [subject] });
  const { results } = judge.judge({ module: PROGRAM, inputs: INPUTS, isQuick: true });
  judge.close();
  return results[0];
}

const kinds = ({ judgements }: SubjectResult): string[] =>
  judgements.map(({ verdict }) => verdict.kind);

function named(name: string): LocalSubject {
  const subject = subjectNamed(name);
  assert(subject !== null, () => name);
  return subject;
}

/** Returns the subject with every run ending so. */
const endingAs = (subject: LocalSubject, ending: Ending): LocalSubject => ({
  ...subject,
  open: () => ({
    poisons: [0],
    prepare: () => ({ poisons: [0], counts: null, run: () => ({ events: [], ending }) }),
    discardMachine: () => {},
    close: () => {},
  }),
});

test("equality on the processor is reported for the emulated subject", (t) => {
  for (const name of ["x64-O0", "x64-O2-chaos", "x64-O1-colouring-halves"]) {
    const result = judged(named(name));
    t.deepEqual([result.subject, result.onProcessor], [name, true]);
    t.deepEqual(kinds(result), ["equal", "equal"]);
  }
  t.is(judged(named("arm64-O0")).onProcessor, undefined); // simulated
});

test("a difference in the emulator too is reported for the emulated subject", (t) => {
  const canary = CANARIES.find(({ name }) => name === "return-value");
  assert(canary !== undefined, () => "no such canary");
  const result = judged(named("x64-O1"), plantedBy(canary));
  t.deepEqual([result.subject, result.onProcessor], ["x64-O1", undefined]);
  t.true(kinds(result).includes("different"));
});

test("a difference on the processor alone is reported for the native subject", (t) => {
  const native = endingAs(named("host-O1"), { kind: "runaway" });
  const result = judged({ ...named("x64-O1"), quicker: () => native });
  t.is(result.subject, "host-O1");
  t.deepEqual(kinds(result), ["different", "different"]);
});

test("a difference in the simulator alone is an internal error", (t) => {
  const simulated = endingAs(named("arm64-O1"), { kind: "runaway" });
  t.throws(() => judged({ ...named("arm64-O1"), quicker: () => simulated }), {
    message: /simulated code behaves differently than the same code under the emulator/,
  });
});

test("a difference in the simulator and the emulator is reported for the subject", (t) => {
  const canary = CANARIES.find(({ name }) => name === "return-value");
  assert(canary !== undefined, () => "no such canary");
  const result = judged(named("arm64-O1"), plantedBy(canary));
  t.is(result.subject, "arm64-O1");
  t.true(kinds(result).includes("different"));
});

test("the emulator runs one program in sixteen, drawn by the seed", (t) => {
  let count = 0;
  for (let seed = 1n; seed <= 1600n; seed++) if (isEmulated(seed)) count++;
  t.true(count > 60 && count < 140, String(count));
});
