// Tests that a judged program becomes unreachable: V8 frees it with the young objects, and need not collect its whole
// heap.

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import test from "ava";
import { generatedOf } from "../campaign/program/seeds.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { emulatorTest } from "../execute/unicorn-available.js";
import { cloneModule } from "../ir/clone.js";
import { parseModule } from "../ir/text/parse.js";
import { Judge } from "./judge-program.js";

setFlagsFromString("--expose-gc");
const collect: (options?: { readonly type: "minor" }) => void = runInNewContext("gc");

/** A typical program, of moderate size. */
const SEED = 770000303n;
const FUEL = 100_000;
const TIMES = 24;
/**
 * The limit lies between two measurements: 196,000 to 213,000 bytes if programs are retained, and 11,000 to 47,000 if
 * they are freed.
 */
const BYTES_MAX = 90_000;

/** Returns the bytes that one of many calls leaves in the old part of the heap. */
function retainedBy(work: () => void): number {
  for (let i = 0; i < TIMES; i++) work();
  const left: number[] = [];
  for (let round = 0; round < 3; round++) {
    collect();
    const before = oldBytes();
    for (let i = 0; i < TIMES; i++) work();
    // The garbage of the last call is freed, too.
    collect({ type: "minor" });
    collect({ type: "minor" });
    left.push((oldBytes() - before) / TIMES);
  }
  return left.sort((x, y) => x - y)[1];
}

const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) =>
      /^(old|large_object)_space$/.test(space_name) ? sum + space_used_size : sum,
    0,
  );

const SMALL = parseModule(`touchstone 1
heap 65536
proc main(Int64 @0) -> Int32
#0:
  Int32 @1 = Load(@0)
  Void @2 = Return(@1)
`);

const subjectsNamed = (name: string): readonly ReferenceSubject[] => {
  const subject = subjectNamed(name);
  return subject === null ? [] : [subject];
};

for (const name of ["x64-O1", "arm64-O2-halves-chaos", "traced-ir-O0"]) {
  emulatorTest(test)(`${name} does not retain judged programs`, (t) => {
    const judge = new Judge({ subjects: subjectsNamed(name), fuelMax: FUEL });
    const { module, inputs } = generatedOf(SEED);
    const settings = { chaos: 4n, holdsClaims: true };
    const left = retainedBy(() => {
      judge.judge({ module: cloneModule(module), inputs, own: settings });
      judge.judge({ module: SMALL, inputs });
    });
    t.true(left < BYTES_MAX, `${left} bytes a program`);
    judge.close();
  });
}
