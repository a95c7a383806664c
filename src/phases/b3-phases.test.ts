// Judges a log of JavaScriptCore as it is, and with one line of one phase changed: the change must
// be found and attributed to that phase. Then judges JavaScriptCore itself, if it is installed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../compare/judge-program.js";
import { engineTest } from "../engine/engine-test.js";
import { type B3Compilation, readB3Dump } from "../import/b3/read-dump.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { projectRoot } from "../support/project-root.js";
import { judgeB3 } from "./b3-phases.js";

const read = (path: string): string => readFileSync(join(projectRoot(), path), "utf8");
/** A loop in WebAssembly; JavaScript that adds to a property. */
const [LOOP, PROPERTY] = ["corpus/import/b3-loop.log", "corpus/import/b3-property.log"];

function compilation(path: string): B3Compilation {
  const [first, ...others] = readB3Dump(read(path));
  if (others.length > 0) throw new Error(`${path} has more than one procedure`);
  return first;
}

test("every phase of JavaScript is correct and can be imported", (t) => {
  const { judged, outside, wrong, equal, open } = judgeB3(compilation(PROPERTY));
  t.deepEqual({ judged, outside, wrong, open }, { judged: 6, outside: [], wrong: null, open: 0 });
  t.true(equal > 80, `${equal} equal`);
});

test("every phase of WebAssembly is correct", (t) => {
  const { judged, unchanged, outside, wrong, equal, open } = judgeB3(compilation(LOOP));
  t.deepEqual(
    { judged, unchanged, outside, wrong },
    { judged: 9, unchanged: 2, outside: [], wrong: null },
  );
  t.true(equal > 4 * open && equal > 50, `${equal} equal, ${open} open`);
});

/** Each row: the log, the phase, a pattern in the text after this phase, and its replacement. */
const CHANGES: readonly (readonly [log: string, phase: string, found: RegExp, instead: string])[] =
  [
    [LOOP, "fixSSA", /= Sub\(/, "= Add("],
    [LOOP, "fixSSA", /= Store8</, "= Store16<"],
    [LOOP, "fixSSA", /Then:#(\d+), Else:#(\d+)/, "Then:#$2, Else:#$1"],
    [LOOP, "fixSSA", /= Const32\(10/, "= Const32(11"],
    [LOOP, "reduceStrength", /= Shl\(/, "= RotR("],
    [LOOP, "reduceStrength", /= SShr\(/, "= ZShr("],
    [LOOP, "reduceStrength", /offset = 4,/, "offset = 8,"],
    [LOOP, "duplicateTails", /Void (b@\d+) = Store8.*/, "Void $1 = Nop()"],
    [LOOP, "foldPathConstants", /= GreaterThan\(/, "= LessThan("],
    [LOOP, "lowerMacros", /= Add\((b@\d+), /, "= Sub($1, "],
    [LOOP, "moveConstants", /= GreaterThan\(/, "= LessThan("],
    [LOOP, "eliminateDeadCode", /offset = 4,/, "offset = 5,"],
    [PROPERTY, "reduceStrength", /= Below\(/, "= BelowEqual("],
    [PROPERTY, "eliminateCommonSubexpressions", /= NotEqual\(/, "= Equal("],
    [PROPERTY, "lowerMacros", /, b@\d+:ColdAny/, ""],
    [PROPERTY, "moveConstants", /Void (b@\d+) = Check\(.*/, "Void $1 = Nop()"],
  ];

for (const [log, name, found, instead] of CHANGES) {
  const of = log === LOOP ? "" : " in JavaScript";
  test(`${name}${of} that writes '${instead}' for ${found.source} is found`, (t) => {
    const { phases } = compilation(log);
    const at = phases.findIndex((phase) => phase.name === name);
    const text = phases[at].text.replace(found, instead);
    t.not(text, phases[at].text);
    const changed = phases.map((phase, i) => (i === at ? { ...phase, text } : phase));
    t.is(judgeB3({ phases: changed }).wrong?.name, name);
  });
}

test("a use before the definition of its value is a fault of the phase", (t) => {
  const { phases } = compilation(LOOP);
  const at = phases.findIndex(({ name }) => name === "reduceStrength");
  const swap = /^( {4}\S+ (b@\d+) = .*\n)( {4}.*\(.*\2.*\n)/m;
  const [, , id] = swap.exec(phases[at].text) ?? [];
  const text = phases[at].text.replace(swap, "$3$1");
  const changed = phases.map((phase, i) => (i === at ? { ...phase, text } : phase));
  const { wrong, outside } = judgeB3({ phases: changed });
  t.is(wrong?.name, "reduceStrength");
  t.regex(
    wrong?.difference ?? "",
    new RegExp(`^line \\d+: \\w+ uses ${id}, which line \\d+ defines$`),
  );
  t.is(wrong?.modules.after, null);
  t.deepEqual(outside, []);
});

test("an endless loop is a difference", (t) => {
  const { phases } = compilation(LOOP);
  const at = phases.findIndex(({ name }) => name === "reduceStrength");
  const text = phases[at].text.replace(
    / {2}Successors: Then:#(\d+), Else:#\d+/,
    "  Successors: Then:#$1, Else:#$1",
  );
  const { wrong } = judgeB3({ phases: [...phases.slice(0, at), { ...phases[at], text }] });
  t.is(wrong?.name, "reduceStrength");
});

engineTest(
  test,
  "jsc-b3",
  "every phase of B3 is correct for a small program",
  async (t, engine) => {
    const judge = new Judge({ subjects: [engine], fuelMax: 1_000_000 });
    const text = read("corpus/golden/run/load-is-not-carried-over-a-store.ir");
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    const [{ results }] = await judge.judgeAll([{ module, inputs }]);
    judge.close();
    const kinds = results[0].judgements.map(({ verdict }) => verdict.kind);
    t.deepEqual(new Set(kinds), new Set(["equal"]));
  },
);

engineTest(test, "jsc-b3", "if B3 crashes, the phase is named", async (t, engine) => {
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
