// Checks that unreached lines of the sources are listed, and executed ones are not.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { emulatorTest } from "../../src/execute/unicorn-available.js";
import { projectRoot } from "../../src/support/project-root.js";

const FILE = "reference/optimize/calls/inline-calls.ts";

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot(), "ci", "measure", "unreached.mjs"), ...args], {
    encoding: "utf8",
  });

emulatorTest(test)("lines are printed as in the sources", (t) => {
  const { status, stdout, stderr } = run("--count", "3", "--below", "reference/optimize");
  t.is(status, 0, stderr);
  const sections = new Map<string, string[]>();
  let section: string[] = [];
  for (const line of stdout.trimEnd().split("\n")) {
    const [, file] = /^(reference\/\S+\.ts): \d+ of \d+ lines$/.exec(line) ?? [];
    if (file === undefined) {
      section.push(line);
    } else {
      section = [];
      sections.set(file, section);
    }
  }
  const source = readFileSync(join(projectRoot(), FILE), "utf8").split("\n");
  const told = sections.get(FILE) ?? [];
  t.true(told.length > 0, "3 programs do not reach all limits of inlining");
  for (const line of told) {
    const [, number, text] = /^ {2}(\d+): (.*)$/.exec(line) ?? [];
    t.is(text, source[Number(number) - 1]?.trim(), line);
  }
  const limit = source.findIndex((line) => line.includes('reachLimit("procedure size")')) + 1;
  t.true(told.some((line) => line.startsWith(`  ${limit}:`)));
  const first = source.findIndex((line) => line.startsWith("export function")) + 2;
  t.false(
    told.some((line) => line.startsWith(`  ${first}:`)),
    "every program executes it",
  );
});

emulatorTest(test)("parts of lines are printed with their counts", (t) => {
  const { status, stdout, stderr } = run(
    "--count",
    "3",
    "--below",
    "reference/optimize",
    "--parts",
    "2",
  );
  t.is(status, 0, stderr);
  const parts = [...stdout.matchAll(/^ {2}\d+, (\d+) of (\d+): .*\[.+\]$/gm)];
  t.true(parts.length > 0);
  for (const [text, count, of] of parts) t.true(Number(count) <= 2 && Number(of) > 2, text);
});

emulatorTest(test)("too many lines are a fault", (t) => {
  const { status, stderr } = run("--count", "1", "--at-most", "10");
  t.is(status, 1);
  t.regex(stderr, /^unreached: expected 10 lines at most/m);
});

test("a wrong option is one line", (t) => {
  const { status, stderr } = run("--profile", "nonsense");
  t.is(status, 2);
  t.regex(stderr, /^unreached: --profile nonsense: expected usual, [^\n]*\n$/);
});
