// A log that JavaScriptCore wrote, as it is, and with one line of one phase changed, which has to be found and to be
// blamed on that phase. Then JavaScriptCore itself, where it is.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import { engineTest } from "../engine/engine-test.js";
import { type B3Compilation, readB3Dump } from "../import/b3/read-dump.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { judgePhases } from "./judge-phases.js";

const read = (path: string): string => readFileSync(join(projectRoot(), path), "utf8");
const LOG = read("corpus/import/b3-loop.log");

function compilation(): B3Compilation {
  const [first, ...others] = readB3Dump(LOG);
  if (others.length > 0) throw new Error("the log has more than one procedure");
  return first;
}

test("no phase of the log is wrong", (t) => {
  const { judged, unchanged, outside, wrong, equal, open } = judgePhases(compilation());
  t.deepEqual(
    { judged, unchanged, outside, wrong },
    { judged: 9, unchanged: 2, outside: [], wrong: null },
  );
  t.true(equal > 8 * open && equal > 50, `${equal} equal, ${open} open`);
});

/** By phase: what is found in a line of what it left, and what stands there instead. */
const CHANGES: readonly (readonly [phase: string, found: RegExp, instead: string])[] = [
  ["fixSSA", /= Sub\(/, "= Add("],
  ["fixSSA", /= Store8</, "= Store16<"],
  ["fixSSA", /Then:#(\d+), Else:#(\d+)/, "Then:#$2, Else:#$1"],
  ["fixSSA", /= Const32\(10/, "= Const32(11"],
  ["reduceStrength", /= Shl\(/, "= RotR("],
  ["reduceStrength", /= SShr\(/, "= ZShr("],
  ["reduceStrength", /offset = 4,/, "offset = 8,"],
  ["duplicateTails", /Void (b@\d+) = Store8.*/, "Void $1 = Nop()"],
  ["foldPathConstants", /= GreaterThan\(/, "= LessThan("],
  ["lowerMacros", /= Add\((b@\d+), /, "= Sub($1, "],
  ["moveConstants", /= GreaterThan\(/, "= LessThan("],
  ["eliminateDeadCode", /offset = 4,/, "offset = 5,"],
];

for (const [name, found, instead] of CHANGES) {
  test(`${name} that makes '${instead}' of ${found.source} is found`, (t) => {
    const { phases } = compilation();
    const at = phases.findIndex((phase) => phase.name === name);
    const text = phases[at].text.replace(found, instead);
    t.not(text, phases[at].text);
    const changed = phases.map((phase, i) => (i === at ? { ...phase, text } : phase));
    t.is(judgePhases({ phases: changed }).wrong?.name, name);
  });
}

test("a loop without end is a difference", (t) => {
  const { phases } = compilation();
  const at = phases.findIndex(({ name }) => name === "reduceStrength");
  const text = phases[at].text.replace(
    / {2}Successors: Then:#(\d+), Else:#\d+/,
    "  Successors: Then:#$1, Else:#$1",
  );
  const { wrong } = judgePhases({ phases: [...phases.slice(0, at), { ...phases[at], text }] });
  t.is(wrong?.name, "reduceStrength");
});

engineTest(test, "jsc-b3", `no phase of B3 is wrong for a program of a seed`, async (t, engine) => {
  const judge = new Judge({ subjects: [engine], fuelMax: 1_000_000 });
  const [{ results }] = await judge.judgeAll([programOf(760_000n)]);
  judge.close();
  const kinds = results[0].judgements.map(({ verdict }) => verdict.kind);
  t.deepEqual(new Set(kinds), new Set(["equal"]));
});

engineTest(test, "jsc-b3", "where B3 dies, the phase is named", async (t, engine) => {
  const text = read("corpus/known/engines/jsc-omg-i64-keys.ir");
  const module = parseModule(text);
  const inputs = runLines(text, module).map(({ input }) => input);
  const judge = new Judge({ subjects: [engine], fuelMax: 1_000_000 });
  const [{ results }] = await judge.judgeAll([{ module, inputs }]);
  judge.close();
  const [{ outcome }] = results[0].judgements;
  if (outcome?.ending.kind !== "crash") return t.fail(outcome?.ending.kind);
  t.regex(outcome.ending.evidence, /SIGILL; B3's lowerMacros was next$/);
});
