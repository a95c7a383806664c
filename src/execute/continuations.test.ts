// Tests continuations that run as machine code: every compilation is drawn, exits in continuations
// are continued, and the outcome agrees with the oracle.

import test from "ava";
import { Judge } from "../compare/judge-program.js";
import type { Input, Outcome } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { trials } from "../support/trials.js";
import { CONTINUATION_COMPILATIONS } from "./continuations.js";
import { INTERPRETED } from "./machine/resume.js";
import { PRINCIPAL_SUBJECTS } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";

const withEmulator = emulatorTest(test);

/**
 * f calls h, whose guard fails; h resumes in two continuations. Then f exits, and its continuation
 * calls h again and exits again, three levels deep. The points of the frames determine the subject
 * that continues.
 */
const nested = (point: number): string => `touchstone 1
exit 0 resumes inner, outer
exit 1 resumes again
exit 2 resumes third
exit 3 resumes last

proc f(Int64 @0, Int32 @1) -> Int32
snapshot s0 = exit 1 frames [f@${point}: @0, @3, dead]
#0:
  Int32 @3 = CCall(h, @0, @1)
  Void @4 = Check(@1) s0
  Void @5 = Return(@3)

proc h(Int64 @0, Int32 @1) -> Int32
snapshot s0 = exit 0 frames [h@${point}: @0, @1 | caller@${point + 1}: Const32(1000)]
#0:
  Void @2 = Check(@1) s0
  Void @3 = Return(@1)

proc inner(Int64 @0, Int32 @1) -> Int64
#0:
  Int32 @2 = CCall(mix32, @1, @1)
  Void @3 = Store(@2, @0, offset = 8)
  Int64 @4 = SExt32(@1)
  Int64 @5 = CCall(ask, @4)
  Void @6 = Return(@4)

proc outer(Int32 @0, Int64 @1) -> Int32
#0:
  Int32 @2 = Trunc(@1)
  Int32 @3 = Add(@0, @2)
  Void @4 = Return(@3)

proc again(Int64 @0, Int32 @1) -> Int32
snapshot s0 = exit 2 frames [again@${point + 2}: @0, @2]
#0:
  Int32 @2 = CCall(h, @0, @1)
  Void @3 = Check(@2) s0
  Void @4 = Return(@2)

proc third(Int64 @0, Int32 @1) -> Int32
snapshot s0 = exit 3 frames [third@${point + 3}: @1]
#0:
  Int32 @2 = CCall(h, @0, @1)
  Void @3 = Check(@2) s0
  Void @4 = Return(@2)

proc last(Int32 @0) -> Int32
#0:
  Int32 @1 = Neg(@0)
  Void @2 = Return(@1)
`;

const INPUTS: readonly Input[] = [
  { words: Int32Array.of(0x8000_0000 | 0, 0x11, 7, 0), heapSeed: 3 },
  { words: Int32Array.of(0x8000_0000 | 0, 0x11, 0, 0), heapSeed: 0 },
];
const POINTS = 60;

withEmulator("every subject continues at every depth with the oracle's outcome", (t) => {
  const judge = new Judge({
    subjects: PRINCIPAL_SUBJECTS.filter(({ native, target }) => !native && target !== null),
    fuelMax: 10_000,
    keepOutcomes: true,
  });
  const ran = new Set<string>();
  const chains = new Set<string>();
  for (let point = 0; point < POINTS; point++) {
    const { results, continued } = judge.judge({
      module: parseModule(nested(point)),
      inputs: INPUTS,
    });
    for (const name of Object.keys(continued)) ran.add(name);
    for (const { subject, judgements } of results) {
      for (const { verdict, outcome } of judgements) {
        t.is(verdict.kind, "equal", `point ${point}, ${subject}: ${JSON.stringify(verdict)}`);
        if (outcome !== null) chains.add(chainOf(outcome));
      }
    }
  }
  judge.close();
  t.deepEqual(
    [...ran].sort(),
    [INTERPRETED, ...CONTINUATION_COMPILATIONS.map(({ name }) => name)].sort(),
  );
  const compiled = [...chains].filter((chain) => /^(x64|arm64)-O\d (x64|arm64)-O\d/.test(chain));
  t.true(compiled.length > 3, `compiled within compiled: ${compiled}`);
  t.true(
    compiled.every((chain) => chain.endsWith(INTERPRETED)),
    "the oracle runs the third level",
  );
});

/**
 * If a subject could continue its own exits, some of the forty subjects would draw themselves
 * within these points.
 */
const OWN_CODE_POINTS = trials(6, 60);

withEmulator("no subject continues an exit of its own code", (t) => {
  for (const subject of PRINCIPAL_SUBJECTS.filter(
    ({ native, target }) => !native && target !== null,
  )) {
    const judge = new Judge({ subjects: [subject], fuelMax: 10_000, keepOutcomes: true });
    for (let point = 0; point < OWN_CODE_POINTS; point++) {
      const { results } = judge.judge({
        module: parseModule(nested(point)),
        inputs: INPUTS.slice(0, 1),
      });
      const [{ outcome }] = results[0].judgements;
      t.not(outcome === null ? "" : chainOf(outcome).split(" ")[0], subject.name);
    }
    judge.close();
  }
});

withEmulator("all continuations can be interpreted", (t) => {
  const judge = new Judge({
    subjects: PRINCIPAL_SUBJECTS,
    fuelMax: 10_000,
    resumes: "interpreted",
  });
  for (let point = 0; point < 8; point++) {
    const { continued } = judge.judge({ module: parseModule(nested(point)), inputs: INPUTS });
    t.deepEqual(Object.keys(continued), [INTERPRETED]);
  }
  judge.close();
});

/** Returns the subjects that continued, from the outermost exit inward. */
function chainOf({ ending }: Outcome): string {
  if (ending.kind !== "exit" || ending.resumed.length === 0) return "";
  const inner = ending.resumed.map(chainOf).filter((chain) => chain !== "");
  return [ending.resumedBy ?? INTERPRETED, ...inner].join(" ");
}
