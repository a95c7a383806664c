// Implements `fuzz corpus`: lists the regressions, adds one from a finding, and runs them by every
// subject.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { readKnown } from "../src/campaign/file/known.js";
import { describeWithComparison } from "../src/compare/describe-difference.js";
import { Judge } from "../src/compare/judge-program.js";
import { regressionSettings } from "../src/compare/regression-settings.js";
import { SUBJECTS } from "../src/execute/subjects.js";
import { parseModule } from "../src/ir/text/parse.js";
import { checkExpectation, printInput, runLines } from "../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { type CorpusEntry, corpusEntryOf } from "../src/report/finding.js";
import { readFinding } from "../src/report/read-finding.js";
import { projectRoot } from "../src/support/project-root.js";
import { writeWhole } from "../src/support/whole-file.js";
import { printAnswer } from "./answers/print-answer.js";
import { chooseSubjects, chooseSubjectsForFile } from "./support/arguments.js";
import { requireCheckout } from "./support/checkout.js";
import { describeClaim, judgeWithClaim } from "./support/judge-with-claim.js";
import { LongWork } from "./support/long-work.js";
import { located, printLine, readUserText, STATUS, usageError } from "./support/output.js";
import { eachExitOfText } from "./support/program-file.js";

const FOLDER = join("corpus", "regress");
const folder = (): string => join(projectRoot(), FOLDER);

const filesOf = (): string[] =>
  readdirSync(folder())
    .filter((name) => name.endsWith(".ir"))
    .sort();

/** Lists the regressions, each with its first line, and the known buckets. */
export async function list({ json }: { readonly json: boolean }): Promise<number> {
  const regressions = filesOf().map((name) => {
    const text = readFileSync(join(folder(), name), "utf8");
    return { file: join(FOLDER, name), says: /^; (.*)$/m.exec(text)?.[1] ?? "" };
  });
  const known = [...readKnown()].map(([id, bucket]) => ({ id, ...bucket }));
  if (json) {
    printAnswer("touchstone.corpus", { regressions, known });
    return STATUS.nothingFound;
  }
  for (const { file, says } of regressions) printLine(`${file}: ${says}`);
  for (const { id, bucket, owner, fixed } of known) {
    printLine(`bucket ${id} ${bucket}: ${fixed === null ? `open, ${owner}` : `fixed by ${fixed}`}`);
  }
  printLine(`${regressions.length} regressions, ${known.length} known buckets`);
  return STATUS.nothingFound;
}

interface AddArgs {
  readonly finding: string;
  readonly name: string | undefined;
  readonly says: string | undefined;
  readonly fixed: string;
  readonly json: boolean;
}

const NAME = /^[a-z\d]+(-[a-z\d]+)*$/;

/** Proposes a name and a first line from the cause of a finding. */
function proposedIn(finding: string): CorpusEntry {
  const path = join(finding, "finding.json");
  const read = readFinding(readUserText(path));
  if (typeof read === "string") throw usageError(`${path}: ${read}`);
  if (read.isForeign) {
    const keep = "keep program.ir among your own files: docs/how-to/keep-a-regression.md";
    throw usageError(`${finding}: it is no bug of the reference compiler: ${keep}`);
  }
  return corpusEntryOf(read);
}

/** Adds `regression.ir` of a finding's folder, after a first line that describes the bug. */
export async function add(
  { finding, name: given, says: said, fixed, json }: AddArgs,
  into = folder(),
  root = projectRoot(),
): Promise<number> {
  requireCheckout("corpus add", root);
  const proposed = proposedIn(finding);
  const { name, says } = { name: given ?? proposed.name, says: said ?? proposed.says };
  if (!NAME.test(name))
    throw usageError(`--name ${name}: expected words like these: lost-upper-half`);
  for (const [option, text] of [
    ["--says", says],
    ["--fixed", fixed],
  ]) {
    if (/[\r\n]/.test(text) || text === "") throw usageError(`${option}: expected one line`);
  }
  const source = join(finding, "regression.ir");
  const text = readUserText(source);
  located(source, () => runLines(text, parseModule(text)));
  const target = join(into, `${name}.ir`);
  const file = join(FOLDER, `${name}.ir`);
  if (existsSync(target)) throw usageError(`${file} exists already`);
  const origin = /^; .*found by (.*); fixed by: .*$/m.exec(text)?.[1] ?? "a file";
  const program = text.replace(/^(;.*\n)+/, "");
  const [first, ...rest] = program.split("\n");
  const head = [first, `; ${says}`, `; found by: ${origin}`, `; fixed by: ${fixed}`];
  writeWhole(target, [...head, ...rest].join("\n"));
  if (json) printAnswer("touchstone.corpus-add", { file, says, found: origin, fixed });
  else printLine(`added ${relative(process.cwd(), target)}`);
  return STATUS.nothingFound;
}

interface RunArgs {
  readonly files: readonly string[] | undefined;
  readonly subjects: string | undefined;
  readonly eachExit?: boolean | undefined;
  readonly json: boolean;
}

/**
 * Runs every regression, or the named ones, by every subject that this machine can run. With
 * `eachExit`, each guard also fails once.
 */
export async function run(args: RunArgs): Promise<number> {
  const { files = [], subjects: named, eachExit = false, json } = args;
  const isOurs = files.length === 0;
  const { subjects, left } = isOurs
    ? chooseSubjects(named, SUBJECTS)
    : chooseSubjectsForFile(named);
  const paths = isOurs ? filesOf().map((name) => join(folder(), name)) : files;
  const options = { subjects, fuelMax: DEFAULT_FUEL };
  const judge = new Judge(options);
  const failures: { file: string; detail: string }[] = [];
  const exits = { guards: 0, taken: 0 };
  let done = 0;
  const work = new LongWork(
    () => `${done} of ${paths.length} regressions, ${failures.length} failures`,
  );
  try {
    for (const path of paths) {
      if (await work.pause()) break;
      done++;
      const text = readUserText(path);
      const module = located(path, () => parseModule(text));
      const lines = located(path, () => runLines(text, module));
      const inputs = lines.map(({ input }) => input);
      const each = eachExit ? eachExitOfText(path, module, inputs) : { module, inputs, exits: [] };
      exits.guards += each.exits.length;
      exits.taken += each.exits.filter(({ input }) => input !== null).length;
      const settings = regressionSettings(text);
      const judged = judgeWithClaim(judge, options, each.module, each.inputs, settings);
      const { expected, results } = judged.result;
      if (judged.claim !== null)
        failures.push({ file: basename(path), detail: describeClaim(judged.claim) });
      const fail = (input: number, what: string): void => {
        const line = lines[input]?.line;
        const place =
          line === undefined ? printInput(each.module, each.inputs[input]) : `line ${line}`;
        failures.push({ file: basename(path), detail: `${place}: ${what}` });
      };
      lines.forEach((line, i) => {
        const wrong = line.expected === null ? null : checkExpectation(line.expected, expected[i]);
        if (wrong !== null) fail(i, `oracle: ${wrong}`);
      });
      for (const { subject, judgements } of results) {
        for (const { input, verdict } of judgements) {
          if (verdict.kind === "different")
            fail(input, `${subject}: ${describeWithComparison(verdict.difference)}`);
        }
      }
    }
  } finally {
    judge.close();
    work.end();
  }
  const counts = { files: done, subjects: subjects.length, failed: failures.length };
  const interrupted = work.isInterrupted;
  if (json) printAnswer("touchstone.corpus-run", { ...counts, interrupted, exits, failures });
  else {
    for (const { file, detail } of failures) printLine(`${file}: ${detail}`);
    for (const { subject, reason } of left) printLine(`${subject} is left out: ${reason}`);
    if (eachExit) printLine(`${exits.taken} of ${exits.guards} guards are reached`);
    if (interrupted) printLine(`interrupted: ${paths.length - done} regressions were not run`);
    printLine(
      `${counts.files} regressions by ${counts.subjects} subjects: ${counts.failed} failures`,
    );
  }
  return failures.length === 0 ? STATUS.nothingFound : STATUS.found;
}
