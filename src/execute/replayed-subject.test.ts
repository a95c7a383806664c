// Tests the quick form of `traced-*`: the subject replays the steps of a transcript, and the
// verdicts equal those of whole executions.

import ava, { type ExecutionContext } from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { addCounts, noCounts, type TraceCounts } from "../record/trace-counts.js";
import type { TracingFault } from "../record/tracing-machine.js";
import { assert } from "../support/assert.js";
import { openEmulated } from "./compiled-subject.js";
import type { ReferenceSubject } from "./reference-subject.js";
import { openReplayed } from "./replayed-subject.js";
import type { OpenLocalSubject } from "./subject.js";
import { subjectNamed } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";
import { DEFAULT_SETTINGS } from "./unit.js";

const test = emulatorTest(ava);

const NAMES = ["traced-ir-O2", "traced-x64-O1", "traced-arm64-O2-halves"];
const PROGRAMS = 6n;

function named(name: string): ReferenceSubject {
  const subject = subjectNamed(name);
  assert(subject !== null, () => `no subject ${name}`);
  return subject;
}

interface JudgedSeeds {
  /** Keyed by seed, subject and input. */
  readonly verdicts: readonly string[];
  readonly counts: TraceCounts;
}

function judged(
  subjects: readonly ReferenceSubject[],
  isQuick: boolean,
  tracingFault?: TracingFault,
): JudgedSeeds {
  const planted = tracingFault === undefined ? {} : { tracingFault };
  const settings = { ...DEFAULT_SETTINGS, ...planted };
  const judge = new Judge({ subjects, fuelMax: DEFAULT_FUEL, settings, onlyJudged: true });
  const verdicts: string[] = [];
  const counts = noCounts();
  for (const profile of ["traced", "bytecode"]) {
    for (let seed = 1n; seed <= PROGRAMS; seed++) {
      const { module, inputs } = programOf(seed, profile);
      const { results } = judge.judge({ module, inputs, own: { chaos: seed }, isQuick });
      for (const { subject, judgements, counts: shown } of results) {
        if (shown?.traces !== undefined) addCounts(counts, shown.traces);
        for (const { input, verdict } of judgements) {
          verdicts.push(`${profile} ${seed} ${subject} ${input}: ${verdict.kind}`);
        }
      }
    }
  }
  judge.close();
  return { verdicts, counts };
}

test("the verdicts equal those of whole executions", (t) => {
  const [quick, whole] = [true, false].map((isQuick) => judged(NAMES.map(named), isQuick));
  t.deepEqual(quick.verdicts, whole.verdicts);
  t.true(quick.counts.entries > 200 && quick.counts.crossed > 0, JSON.stringify(quick.counts));
});

test("a replay finds a wrong link as a whole execution does", (t) => {
  const subjects = [named("traced-x64-O1")];
  const [quick, whole] = [true, false].map((isQuick) =>
    judged(subjects, isQuick, "exchanged-registers"),
  );
  const wrong = ({ verdicts }: JudgedSeeds) =>
    verdicts.filter((line) => line.endsWith("different"));
  t.true(wrong(quick).length > 0);
  t.deepEqual(wrong(quick), wrong(whole));
});

/**
 * Judges the programs with steps that always agree or never do. Returns the number of programs that
 * were executed as a whole.
 */
function executedWhole(t: ExecutionContext, isAgreed: boolean): number {
  const facts = named("traced-x64-O1");
  let prepared = 0;
  const open: typeof openEmulated = (...given) => {
    const opened = openEmulated(...given);
    const traces: OpenLocalSubject["traces"] = (unit) => {
      prepared++;
      assert(opened.traces !== undefined, () => "no traces");
      return opened.traces(unit);
    };
    return { ...opened, traces };
  };
  const replayed = openReplayed(open, openEmulated);
  const subject: ReferenceSubject = {
    ...facts,
    open: (workshop) => replayed(facts, isAgreed ? workshop : { ...workshop, agree: () => false }),
  };
  t.deepEqual(judged([subject], false).verdicts, judged([facts], false).verdicts);
  return prepared;
}

test("a differing step causes a whole execution, and little else does", (t) => {
  t.true(executedWhole(t, false) > Number(PROGRAMS)); // some programs record nothing, and have no steps
  t.true(executedWhole(t, true) <= 2);
});
