// Tests the LIR interpreter. It agrees with the oracle before and after allocation, and every row
// has a meaning. A wrong meaning or a wrong allocation shows.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { MEANINGS as ARM64_MEANINGS } from "../../reference/arm64/meanings.js";
import type { InstructionMeaning } from "../../reference/lir/interpret/lir-machine.js";
import { meaningsOf } from "../../reference/lir/interpret/machine-rows.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import { MEANINGS as X64_MEANINGS } from "../../reference/x64/meanings.js";
import { loseMoves } from "../campaign/canary/allocation-canaries.js";
import { programOf } from "../campaign/program/seeds.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import { openLir } from "./lir-subject.js";
import { type ReferenceSubject, referenceSubject } from "./reference-subject.js";
import { ALL_SUBJECTS, subjectNamed } from "./subjects.js";

const FUEL = 100_000;
const TABLES = { x64: X64_MEANINGS, arm64: ARM64_MEANINGS } as const;

const PROGRAMS = BigInt(trials(80, 1000));
const subjects = ALL_SUBJECTS.filter(
  ({ name, allocator }) => /^(lir|alloc)-/.test(name) && allocator === null,
);

for (const target of TARGET_NAMES) {
  const { rows } = PARTS.plans[target];

  test(`every LIR row of ${target} has a meaning, and every meaning a row`, (t) => {
    t.is(meaningsOf(rows, TABLES[target]).length, rows.length);
    const lacking = new Map(TABLES[target]);
    lacking.delete("addl");
    t.throws(() => meaningsOf(rows, lacking), { message: /without a meaning: addl;/ });
    const more = new Map([...TABLES[target], ["addlTwice", () => {}] as const]);
    t.throws(() => meaningsOf(rows, more), { message: /without a row: addlTwice/ });
  });
}

test("interpreted LIR agrees with the oracle, before and after allocation", (t) => {
  const judge = new Judge({ subjects, fuelMax: FUEL, resumes: "interpreted" });
  const compared = new Map<string, number>();
  for (let seed = 1n; seed <= PROGRAMS; seed++) {
    const { module, inputs } = programOf(seed);
    // Each program runs in two of the subjects, and every subject in rotation.
    const first = Number(seed) % subjects.length;
    const chosen = Uint8Array.from(subjects, (_, s) =>
      s === first || s === (first + 7) % subjects.length ? 1 : 0,
    );
    for (const { subject, judgements } of judge.judge({
      module,
      inputs,
      own: { chaos: seed },
      chosen,
    }).results) {
      for (const { verdict } of judgements) {
        if (verdict.kind === "different")
          t.fail(`seed ${seed}, ${subject}: ${describeDifference(verdict.difference)}`);
        if (verdict.kind === "equal") compared.set(subject, (compared.get(subject) ?? 0) + 1);
      }
    }
  }
  judge.close();
  for (const { name } of subjects) t.true((compared.get(name) ?? 0) > 10, name);
});

test("a named operand in an exit is right before allocation", (t) => {
  const file = "corpus/regress/named-operand-is-right-before-allocation.ir";
  const text = readFileSync(join(projectRoot(), file), "utf8");
  const module = parseModule(text);
  const inputs = runLines(text, module).map(({ input }) => input);
  const judge = new Judge({ subjects, fuelMax: FUEL, resumes: "interpreted" });
  for (const { subject, judgements } of judge.judge({ module, inputs }).results)
    for (const { verdict } of judgements) t.is(verdict.kind, "equal", subject);
  judge.close();
});

const SEEDS = 40n;
/** Returns the first of SEEDS seeds that shows a difference; null if none does. */
function firstDifferent(shown: ReferenceSubject, parts: CompilerParts = PARTS): bigint | null {
  const judge = new Judge({
    subjects: [shown],
    fuelMax: FUEL,
    parts,
    checkAllocation: false,
    resumes: "interpreted", // otherwise continuations run as machine code
  });
  for (let seed = 1n; seed <= SEEDS; seed++) {
    const { module, inputs } = programOf(seed);
    const [{ judgements }] = judge.judge({ module, inputs }).results;
    if (judgements.some(({ verdict }) => verdict.kind === "different")) return seed;
  }
  return null;
}

for (const target of TARGET_NAMES) {
  test(`a wrong meaning of one row of ${target} shows`, (t) => {
    const subject = subjectNamed(`lir-${target}-O0`);
    if (subject === null) return t.fail();
    const wrong: InstructionMeaning = (m) => m.setLow(0, m.low(1) - m.low(2));
    const table = new Map([...TABLES[target], ["addl", wrong] as const]);
    t.is(firstDifferent(subject), null);
    t.not(firstDifferent(referenceSubject(subject, openLir("lower", table))), null);
  });
}

test("lost moves show after allocation, and not before it", (t) => {
  const { allocators } = PARTS;
  const wrapped = Object.fromEntries(
    Object.entries(allocators).map(([name, newAllocator]) => [
      name,
      () => loseMoves(3)(newAllocator()),
    ]),
  );
  const parts: CompilerParts = { ...PARTS, allocators: { ...allocators, ...wrapped } };
  const [before, after] = ["lir-arm64-O0", "alloc-arm64-O0"].map(subjectNamed);
  if (before === null || after === null) return t.fail();
  t.is(firstDifferent(before, parts), null);
  t.not(firstDifferent(after, parts), null);
});
