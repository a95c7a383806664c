// Tests reductions with several judging processes, with an interest test, and with interruptions.

import { fork, spawn, spawnSync } from "node:child_process";
import { on } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { checkOrder } from "../../reference/optimize.js";
import { canaryNamed, plantedBy } from "../../src/campaign/canary/canaries.js";
import { parsePressure, printPressure } from "../../src/execute/pressure-text.js";
import { subjectNamed } from "../../src/execute/subjects.js";
import { DEFAULT_SETTINGS } from "../../src/execute/unit.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { printModule } from "../../src/ir/text/print.js";
import { runLines } from "../../src/ir/text/run-line.js";
import type { Candidate } from "../../src/reduce/candidate.js";
import { InterestTest } from "../../src/reduce/interest.js";
import { reduceProgram, signatureIn } from "../../src/reduce/reduce.js";
import {
  type CandidateJudge,
  type ReductionProgress,
  reduceTogether,
} from "../../src/reduce/reduce-together.js";
import { type CompilerConfiguration, harderWays, reduceWay } from "../../src/reduce/reduce-way.js";
import { assert } from "../../src/support/assert.js";
import { programFile } from "../../src/support/bundle.js";
import { projectRoot } from "../../src/support/project-root.js";
import { trials } from "../../src/support/trials.js";
import { candidateMessage } from "./candidate-processes.js";

const LAUNCHER = join(projectRoot(), "fuzz", "launcher.mjs");

/** Triggers a planted bug (x + 0.0 is not x for -0.0), in unrelated code. */
const PROGRAM = `touchstone 1
proc main(Int32 @0, Double @1) -> Int64
#0:
  Int32 @2 = Const32(77)
  Int32 @3 = Mul(@0, @2)
  Int32 @4 = BitXor(@3, @0)
  Void @5 = Branch(@4, #1, #2)
#1:
  Double @6 = Mul(@1, @1)
  Int64 @7 = BitwiseCast(@6)
  Void @8 = Upsilon(@7, ^16)
  Void @9 = Jump(#3)
#2:
  Double @10 = ConstDouble(0.0)
  Double @11 = Add(@1, @10)
  Int64 @12 = BitwiseCast(@11)
  Int64 @13 = SExt32(@4)
  Int64 @14 = Sub(@12, @13)
  Void @15 = Upsilon(@14, ^16)
  Void @17 = Jump(#3)
#3:
  Int64 @16 = Phi()
  Int64 @18 = SExt32(@3)
  Int64 @19 = Add(@16, @18)
  Void @20 = Return(@19)
; run: main(0, -0.0)
; run: main(7, 2.5)
`;

function startOf(text: string): Candidate {
  const module = parseModule(text);
  return { module, inputs: runLines(text, module).map(({ input }) => input) };
}

function interestIn(t: ExecutionContext, start: Candidate) {
  const canary = canaryNamed("float-rule");
  const subject = subjectNamed("ir-O1");
  assert(canary !== null && subject !== null, () => "the canary or the subject is gone");
  const options = { subjects: [subject], fuelMax: 1000, ...plantedBy(canary) };
  const signature = signatureIn(start, options);
  assert(signature !== null, () => "the program does not show the planted bug");
  const interest = new InterestTest(start, signature, options);
  t.teardown(() => interest.close());
  return { interest, options };
}

const candidateJudgeOf = (interest: InterestTest, width: number): CandidateJudge => ({
  width,
  firstOf: async (batch) => batch.findIndex((candidate) => interest.holds(candidate)),
});

const unstopped = { testsMax: 4000, signal: new AbortController().signal, onProgress: () => {} };

test("several judges in parallel find the same program as one", async (t) => {
  const start = startOf(PROGRAM);
  const { interest, options } = interestIn(t, start);
  const alone = reduceProgram(start.module, start.inputs, options);
  t.truthy(alone);
  for (const width of [1, 2, 5]) {
    const together = await reduceTogether(start, candidateJudgeOf(interest, width), unstopped);
    t.is(together && printModule(together.best.module), alone && printModule(alone.module));
  }
});

test("a judging process answers for an invalid program, and continues", async (t) => {
  const start = startOf(PROGRAM);
  const { options } = interestIn(t, start);
  const signature = signatureIn(start, options) ?? t.fail();
  const bug = { subject: "ir-O1", canary: "float-rule", cause: null };
  const charge = { ...bug, settings: DEFAULT_SETTINGS, signature, start: candidateMessage(start) };
  const child = fork(programFile(new URL("./reduce-worker.js", import.meta.url)), [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  const refused = {
    ...candidateMessage(start),
    text: PROGRAM.replace("Upsilon(@7, ^16)", "Nop()"),
  };
  for (const message of [charge, refused, candidateMessage(start)]) child.send(message);
  const answers = on(child, "message", { close: ["exit"] });
  t.is((await answers.next()).value[0], false);
  t.is((await answers.next()).value[0], true);
});

test("an uninteresting program is not reduced", async (t) => {
  const candidateJudge: CandidateJudge = { width: 2, firstOf: async () => -1 };
  t.is(await reduceTogether(startOf(PROGRAM), candidateJudge, unstopped), null);
});

/** The number of runs. Each run is stopped one batch of candidates later than the previous run. */
const MOMENTS = trials(30, 100);

test("whenever it is stopped, the best program so far exists", async (t) => {
  const start = startOf(PROGRAM);
  const { interest } = interestIn(t, start);
  const ends = new Set<string>();
  for (let moment = 0; moment < MOMENTS; moment++) {
    const stop = new AbortController();
    let asked = 0;
    let announced: Candidate = start;
    const inner = candidateJudgeOf(interest, 1 + (moment % 3));
    const candidateJudge: CandidateJudge = {
      width: inner.width,
      firstOf: (batch) => {
        if (asked++ === moment) stop.abort();
        return inner.firstOf(batch);
      },
    };
    const onProgress = ({ best }: ReductionProgress, isBetter: boolean): void => {
      if (isBetter) announced = best;
    };
    const { signal } = stop;
    const result = await reduceTogether(start, candidateJudge, {
      testsMax: 4000,
      signal,
      onProgress,
    });
    t.is(result?.best, announced, `moment ${moment}`);
    t.true(interest.holds(announced), `moment ${moment}`);
    ends.add(printModule(announced.module));
  }
  t.true(ends.size > 5, `${ends.size} different programs`);
});

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-reduce-test-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("after it is killed, it continues from the file that it has written", async (t) => {
  const folder = folderFor(t);
  const [file, out] = [join(folder, "x.ir"), join(folder, "small.ir")];
  writeFileSync(file, PROGRAM);
  const words = ["reduce", file, "--canary", "float-rule", "--subjects", "ir-O1", "--out", out];
  const child = spawn(process.execPath, [LAUNCHER, ...words], { stdio: "ignore" });
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (!existsSync(out) && child.exitCode === null) return;
      clearInterval(look);
      child.kill("SIGKILL");
      resolve();
    }, 1);
  });
  t.notThrows(() => startOf(readFileSync(out, "utf8")));
  const again = spawnSync(process.execPath, [LAUNCHER, ...words, "--resume"], { encoding: "utf8" });
  t.is(again.status, 0, again.stderr);
  const text = readFileSync(out, "utf8");
  t.regex(text, /^; ir-O1: result; \d+ values before, \d+ after/);
  t.regex(text, /Add\(@\d+, @\d+\)/);
  t.true((text.match(/^ {2}\w+ @/gm) ?? []).length <= 5, text);
});

test("a command decides whether a program is interesting", (t) => {
  const folder = folderFor(t);
  const [file, script] = [join(folder, "x.ir"), join(folder, "has mul.sh")];
  writeFileSync(file, PROGRAM);
  writeFileSync(script, '#!/bin/sh\ngrep -q "Mul" "$1"\n');
  chmodSync(script, 0o755);
  const words = ["reduce", file, "--test", `'${script}'`, "--workers", "2"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...words], {
    encoding: "utf8",
  });
  t.is(status, 0, stderr);
  t.regex(stdout, /Mul/);
  t.notRegex(stdout, /Xor/);
});

test("a command that cannot run, or exceeds its time on the initial program, is a usage error", (t) => {
  const folder = folderFor(t);
  const [file, plain] = [join(folder, "x.ir"), join(folder, "plain.sh")];
  writeFileSync(file, PROGRAM.replace(/^; run:.*$/gm, "")); // no run line is needed
  writeFileSync(plain, "true\n", { mode: 0o644 });
  const reduce = (...words: string[]) =>
    spawnSync(process.execPath, [LAUNCHER, "reduce", file, "--workers", "1", ...words], {
      encoding: "utf8",
    });
  const missing = reduce("--test", "./no-such-script");
  t.is(missing.status, 2);
  t.regex(
    missing.stderr,
    /--test \.\/no-such-script: the command cannot run \(status 127\): .*not found/,
  );
  const refused = reduce("--test", plain);
  t.is(refused.status, 2);
  t.regex(refused.stderr, /the command cannot run \(status 126\)/);
  const slow = reduce("--test", "sleep 1000;", "--test-seconds", "1");
  t.is(slow.status, 2);
  t.regex(slow.stderr, /more than 1 s for the initial program: --test-seconds N/);
  const { status, stdout } = reduce("--test", "true");
  t.is(status, 0);
  t.regex(stdout, /^touchstone 1$/m);
});

test("settings that are harder for the compiler are accepted by it, and less simple than the original", (t) => {
  for (const name of ["x64-O0", "arm64-O1-colouring", "x64-O2"]) {
    const subject = subjectNamed(name);
    if (subject === null) return t.fail();
    const ways = harderWays({ subject, settings: DEFAULT_SETTINGS });
    t.is(ways.length, 7);
    for (const way of ways) {
      t.notThrows(() => checkOrder(way.settings.phases ?? []));
      t.deepEqual(reduceWay(way, () => true).settings, DEFAULT_SETTINGS);
      t.notDeepEqual(way.settings, DEFAULT_SETTINGS);
    }
  }
  const interpreted = subjectNamed("ir-O2");
  t.deepEqual(interpreted && harderWays({ subject: interpreted, settings: DEFAULT_SETTINGS }), []);
});

test("the settings of a compilation become as simple as the difference allows", (t) => {
  const subject = subjectNamed("x64-O2-chaos");
  if (subject === null) return t.fail();
  const start: CompilerConfiguration = { subject, settings: { ...DEFAULT_SETTINGS, chaos: 5n } };
  const plain = reduceWay(start, () => true);
  t.is(plain.subject.name, "x64-O2");
  t.deepEqual({ ...plain.settings }, { ...DEFAULT_SETTINGS });
  // Needs one phase, and pressure.
  const needs = ({ settings }: CompilerConfiguration): boolean =>
    settings.pressure !== null && settings.phases?.includes("narrow") === true;
  const given = { registers: 3, ghosts: 0, places: 0, reorders: true, seed: 9n };
  const phases = ["reduce-strength", "canonicalize-phis", "narrow", "forward-loads"];
  const settings = { ...DEFAULT_SETTINGS, pressure: given, phases, halves: true };
  const needed = reduceWay({ ...start, settings }, needs);
  t.is(needed.subject.name, "x64-O2");
  t.deepEqual(needed.settings.phases, ["canonicalize-phis", "narrow"]);
  t.deepEqual(needed.settings.pressure, given);
  t.is(needed.settings.halves, false);
});

test("pressure is printed as one word", (t) => {
  const plan = { registers: 3, ghosts: 8, places: 0, reorders: true, seed: 12345678901234567n };
  t.is(printPressure(plan), "registers=3,ghosts=8,reorders,seed=12345678901234567");
  t.deepEqual(parsePressure(printPressure(plan)), plan);
  for (const text of ["", "registers=0", "ghosts", "reorders=1", "x=1", "seed=-1"]) {
    t.is(typeof parsePressure(text), "string", text);
  }
});
