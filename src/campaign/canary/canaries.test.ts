// Tests canaries: random programs show each planted bug to a comparison that may find it. Each
// comparison is needed: without it exactly its own canary survives.

import test from "ava";
import { ASPECTS, type Aspect } from "../../compare/aspects.js";
import { type IgnoredAspects, judge, judgeSecond } from "../../compare/compare.js";
import { Judge } from "../../compare/judge-program.js";
import { ALL_SUBJECTS } from "../../execute/subjects.js";
import { emulatorTest } from "../../execute/unicorn-available.js";
import { generateProgram, type Program } from "../../generate/generate-program.js";
import { InternalError } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";
import { programOf } from "../program/seeds.js";
import { CANARIES, isCheckerFailure, plantedBy } from "./canaries.js";
import type { Canary } from "./canary.js";

const PROGRAMS_MAX = 3000;
const FUEL = 1_000_000;
/** A canary must stay invisible without its comparison for this many programs that show it. */
const SURVIVAL_SHOWN = trials(3, 40);
/**
 * Number of programs that are tried; the search ends earlier, unless another comparison may still
 * be needed.
 */
const SURVIVAL_PROGRAMS = trials(300, 1000);

/** Number of the canary's subjects that run in the search; the first that shows the bug ends it. */
const HUNTERS = trials(1, 4);

/** Number of subjects that judge whether the canary survives without its comparison. */
const NEEDED_BY = trials(4, 100);

const judgeOf = (canary: Canary, subjectCount: number): Judge =>
  new Judge({
    subjects: ALL_SUBJECTS.filter(({ name }) =>
      canary.subjects.slice(0, subjectCount).includes(name),
    ),
    fuelMax: FUEL,
    keepOutcomes: true,
    isPlain: canary.stage === "oracle",
    ...plantedBy(canary),
  });

/**
 * Programs by seed; all canaries but a few use the same ones. The programs are not to be changed.
 */
const generated: Program[] = [];

/**
 * The profile that shows a bug first: program 1,192 under pressure, and none of the first 1,500
 * otherwise.
 */
const SOONER: Readonly<Record<string, string>> = { "float-rule": "pressure" };

function programFor({ name, profile = SOONER[name] }: Canary, seed: number): Program {
  if (profile !== undefined) return programOf(BigInt(seed), profile);
  generated[seed] ??= generateProgram(new SeedSource(BigInt(seed)));
  return generated[seed];
}

/**
 * Returns the comparison that finds the first difference, and the number of programs until then.
 */
function hunt(canary: Canary): { aspect: Aspect | "checker" | null; programs: number } {
  const judging = judgeOf(canary, HUNTERS);
  let seed = 0;
  try {
    for (; seed < PROGRAMS_MAX; seed++) {
      const { module, inputs } = programFor(canary, seed);
      for (const { judgements } of judging.judge({ module, inputs }).results) {
        for (const { verdict } of judgements) {
          if (verdict.kind !== "different") continue;
          return { aspect: verdict.aspect, programs: seed + 1 };
        }
      }
    }
    return { aspect: null, programs: PROGRAMS_MAX };
  } catch (error) {
    if (!(error instanceof InternalError && isCheckerFailure(canary, error.what))) throw error;
    return { aspect: "checker", programs: seed + 1 };
  } finally {
    judging.close();
  }
}

/** Returns the comparisons without which no execution of the canary's programs differs. */
function needed(canary: Canary): Aspect[] {
  const judging = judgeOf(canary, NEEDED_BY);
  const seen = new Set<Aspect>(); // a difference was found although only this aspect was ignored
  try {
    let shown = 0;
    const isDone = (): boolean => shown >= SURVIVAL_SHOWN && seen.size >= ASPECTS.length - 1;
    for (let seed = 0; seed < SURVIVAL_PROGRAMS && !isDone(); seed++) {
      const { module, inputs } = programFor(canary, seed);
      const { expected, results } = judging.judge({ module, inputs });
      const differs = results.some(({ judgements }) =>
        judgements.some(({ verdict }) => verdict.kind === "different"),
      );
      if (differs) shown++;
      for (const { judgements } of results) {
        for (const { input, verdict: whole, outcome, second } of judgements) {
          // An execution that is equal with every comparison is equal without one.
          if (outcome === null || whole.kind === "equal") continue;
          for (const aspect of ASPECTS) {
            const ignored: IgnoredAspects = new Set([aspect]);
            const first = judge(expected[input], outcome, ignored);
            const verdict =
              second === null ? first : judgeSecond(first, expected[input], second, ignored);
            if (verdict.kind === "different") seen.add(aspect);
          }
        }
      }
    }
  } finally {
    judging.close();
  }
  return ASPECTS.filter((aspect) => !seen.has(aspect));
}

const withEmulator = emulatorTest(test);

for (const canary of CANARIES) {
  withEmulator(`canary ${canary.name}: ${canary.says}`, (t) => {
    const { aspect, programs } = hunt(canary);
    t.log(`found by ${aspect} after ${programs} programs`);
    const isIt =
      aspect === "checker" ? canary.about.length === 0 : canary.about.some((one) => one === aspect);
    t.true(isIt, `found by ${aspect}`);
  });
}

test("only the plain interpreter finds a bug of the fast one", (t) => {
  const canary = CANARIES.find(({ stage }) => stage === "oracle");
  t.truthy(canary);
  if (canary === undefined) return;
  const options = { subjects: ALL_SUBJECTS.filter(({ name }) => canary.subjects.includes(name)) };
  const judging = new Judge({ ...options, fuelMax: FUEL, ...plantedBy(canary) });
  for (let seed = 0; seed < SURVIVAL_PROGRAMS; seed++) {
    const { module, inputs } = programFor(canary, seed);
    const { results } = judging.judge({ module, inputs });
    const verdicts = results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict));
    t.false(verdicts.some(({ kind }) => kind === "different"));
  }
  judging.close();
});

test("every comparison has a canary of its own", (t) => {
  const proven = CANARIES.filter(({ about }) => about.length === 1).map(({ about }) => about[0]);
  t.deepEqual([...proven].sort(), [...ASPECTS].sort());
});

/** For each comparison one of this many of its canaries is tested to need it. */
const NEEDING = trials(5, 1);

const alone = CANARIES.filter(({ about }) => about.length === 1);
for (const canary of alone.filter((_, c) => c % NEEDING === 0)) {
  withEmulator(
    `without the comparison of ${canary.about[0]} the canary ${canary.name} survives`,
    (t) => {
      t.deepEqual(needed(canary), [canary.about[0]]);
    },
  );
}
