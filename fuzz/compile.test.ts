// `fuzz compile --dump`: what it prints is programs, and they do what the program did.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { DEFAULT_FUEL } from "../src/execute/subjects.js";
import { projectRoot } from "../src/execute/unicorn-library.js";
import { parseModule } from "../src/ir/parse.js";
import { checkExpectation, runLines } from "../src/ir/run-line.js";
import { decodeModule } from "../src/oracle/decode.js";
import { Oracle } from "../src/oracle/oracle.js";

const LAUNCHER = join(projectRoot(), "fuzz", "launcher.mjs");
const PROGRAM = join(projectRoot(), "corpus", "bench", "sieve.ir");

function compile(t: ExecutionContext, ...args: readonly string[]): string {
  const all = [LAUNCHER, "compile", PROGRAM, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
  t.is(status, 0, stderr);
  return stdout;
}

/** The programs in a text, each as if it stood alone. */
const programsIn = (text: string): string[] => text.split(/^(?=touchstone 1$)/m).slice(1);

function checkProgram(t: ExecutionContext, text: string): void {
  const module = parseModule(text);
  const program = decodeModule(module);
  const oracle = new Oracle();
  const runs = runLines(text, module);
  t.is(runs.length, 2);
  for (const { input, expected } of runs) {
    t.truthy(expected);
    const outcome = oracle.run(program, input, DEFAULT_FUEL);
    if (expected !== null) t.is(checkExpectation(expected, outcome), null);
  }
}

/** The last application that each header speaks of. */
const lastApplications = (text: string): number[] =>
  [...text.matchAll(/^; after .* --opt-limit (?:\d+ to )?(\d+): /gm)].map(([, last]) =>
    Number(last),
  );

test("--dump all: every dump is a program that keeps its run lines", (t) => {
  const story = compile(t, "--level", "O2", "--dump", "all");
  t.regex(story, /^; as given\n/);
  const programs = programsIn(story);
  t.true(programs.length > 2);
  t.is(new Set(programs).size, programs.length);
  for (const program of programs) checkProgram(t, program);
  t.regex(story, /^; after canonicalize-phis of sieve/m);
  t.regex(story, /^; after reduce-strength of sieve, --opt-limit 1(?: to \d+)?: [a-z-]+ \d+/m);
});

test("--dump PHASE: one program", (t) => {
  const text = compile(t, "--level", "O1", "--dump", "reduce-strength");
  t.is(programsIn(text).length, 1);
  checkProgram(t, text);
  t.notRegex(text, /eliminate/);
  t.regex(
    compile(t, "--level", "O0", "--dump", "reduce-strength"),
    /^; reduce-strength did not run$/m,
  );
});

test("--opt-limit stops where the story says", (t) => {
  const counts = lastApplications(compile(t, "--level", "O2", "--dump", "all"));
  t.deepEqual(
    counts,
    [...counts].sort((x, y) => x - y),
  );
  const some = Math.floor((counts.at(-1) ?? 0) / 2);
  t.true(some > 1);
  const limited = lastApplications(
    compile(t, "--level", "O2", "--dump", "all", "--opt-limit", `${some}`),
  );
  t.is(limited.at(-1), some);
});

test("--disable and --phases choose what runs", (t) => {
  const phasesOf = (text: string): string[] =>
    [...text.matchAll(/^; after ([\w-]+) of/gm)].map(([, phase]) => phase);
  const chosen = compile(t, "--dump", "all", "--phases", "eliminate-dead-code");
  t.deepEqual(phasesOf(chosen), ["eliminate-dead-code", "canonicalize-phis"]);
  const without = compile(t, "--dump", "all", "--disable", "eliminate-dead-code");
  t.false(phasesOf(without).includes("eliminate-dead-code"));
  t.true(phasesOf(without).includes("reduce-strength"));
});
