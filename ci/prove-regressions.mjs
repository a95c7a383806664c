#!/usr/bin/env node
// Shows that a regression program fails without its fix. For each file, the script finds the commit that its head
// names (`; fixed by: SUBJECT`), builds the parent in a temporary folder, and runs the file there: it must fail there,
// and pass here.
//
//   node ci/prove-regressions.mjs [FILE.ir ...]      default: all of corpus/regress
//
// Status 0: every file failed before and passes now; 1: some did not; 2: wrong usage.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { regressionSettings } = await import("../build/src/compare/regression-settings.js");
const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

// Runs one file with the modules of one build; status 1 if anything differs or throws.
const RUNNER = `
const [build, file, given] = process.argv.slice(1);
const { readFileSync } = await import("node:fs");
// Older builds have some modules elsewhere.
const firstOf = (...paths) =>
  paths.reduceRight((rest, path) => () => import(build + path).catch(rest), () => {
    throw new Error("none of " + paths.join(", "));
  })();
const { parseModule } = await firstOf("/src/ir/text/parse.js", "/src/ir/parse.js");
const { runLines, checkExpectation } = await firstOf("/src/ir/text/run-line.js", "/src/ir/run-line.js");
const { Judge } = await import(build + "/src/compare/judge-program.js");
const { SUBJECTS } = await import(build + "/src/execute/subjects.js");
const { DEFAULT_SETTINGS } = await import(build + "/src/execute/unit.js");
const options = JSON.parse(given);
const applicationsMax = options.applicationsMax ?? Infinity; // JSON has no infinity
const disabled = new Set(options.disabled);
const settings = { ...DEFAULT_SETTINGS, ...options, applicationsMax, disabled };
const text = readFileSync(file, "utf8");
const module = parseModule(text);
const runs = runLines(text, module);
const judge = new Judge({ subjects: SUBJECTS, fuelMax: 1e6, settings });
const inputs = runs.map(({ input }) => input);
// A build of an older commit takes the module and the inputs as two arguments.
const { expected, results } =
  judge.judge.length === 1 ? judge.judge({ module, inputs }) : judge.judge(module, inputs);
const faults = runs.flatMap((run, i) =>
  run.expected === null ? [] : (checkExpectation(run.expected, expected[i]) ?? []));
for (const { subject, judgements } of results)
  for (const { verdict } of judgements)
    if (verdict.kind === "different") faults.push(subject + ": " + verdict.detail);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
`;

function runWith(build, file) {
  const settings = regressionSettings(readFileSync(file, "utf8"));
  const told = JSON.stringify({ ...settings, disabled: [...settings.disabled] });
  const args = ["--input-type=module", "-e", RUNNER, pathToFileURL(build).href, file, told];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const lines = `${stdout}${stderr}`.split("\n").filter((line) => /\w/.test(line));
  const telling = lines.find((line) => /Error:/.test(line)) ?? lines[0] ?? "";
  return { passes: status === 0, telling: telling.trim().slice(0, 120) };
}

function buildParent(commit) {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-parent-"));
  git("worktree", "add", "--quiet", "--detach", "--force", folder, `${commit}~1`);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  spawnSync(process.execPath, [join(folder, "ci/build.mjs")], { cwd: folder });
  return folder;
}

function prove(file) {
  const subject = /^; fixed by: (.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (subject === undefined) return `${file}: no line '; fixed by:'`;
  const commit = git("log", "--format=%H %s")
    .split("\n")
    .find((line) => line.slice(41) === subject)
    ?.slice(0, 40);
  if (commit === undefined) return `${file}: no commit is named '${subject}'`;
  const now = runWith(join(root, "build"), file);
  if (!now.passes) return `${file}: fails now: ${now.telling}`;
  const folder = buildParent(commit);
  try {
    const before = runWith(join(folder, "build"), file);
    if (before.passes) return `${file}: passes at the parent of ${commit.slice(0, 10)} as well`;
    console.log(`${file}: failed before ${commit.slice(0, 10)} (${before.telling}), passes now`);
    return null;
  } finally {
    git("worktree", "remove", "--force", folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

const regress = join(root, "corpus/regress");
const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given.map((file) => resolve(file))
    : readdirSync(regress)
        .filter((name) => name.endsWith(".ir"))
        .map((name) => join(regress, name));
const failures = files.map(prove).filter((failure) => failure !== null);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
