// `fuzz run --against REF`: judges the same seeds with this compiler and with that of another commit, and lists the
// programs whose verdict, code size or time changed. The other build has the framework of this checkout and the folder
// `reference` of the commit, so both judge the same programs in the same way.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../../src/support/project-root.js";
import { ScratchFolder } from "../../src/support/scratch-folder.js";
import { printAnswer } from "../answers/print-answer.js";
import { noCommit } from "../support/checkout.js";
import { CopiedTree } from "../support/copied-tree.js";
import { printAside, printLine, STATUS, UserError } from "../support/output.js";
import type { ComparisonTask, ProgramFigures } from "./against-child.js";
import { type ChangedProgram, changeOf } from "./compare-builds.js";

const CHILD = "build/fuzz/run/against-child.js";
const COMPILER = "reference";
const ARCHIVE_BYTES_MAX = 1 << 28;
/** More changed programs are counted and not listed. */
const LISTED_MAX = 40;

/** @throws UserError */
export async function runAgainst(
  ref: string,
  task: ComparisonTask,
  json: boolean,
): Promise<number> {
  const root = projectRoot();
  const commit = commitOf(root, ref);
  const scratch = new ScratchFolder();
  const folder = mkdtempSync(join(tmpdir(), "touchstone-against-"));
  const tree = new CopiedTree(folder, root, (child) => scratch.enlist(child));
  try {
    printAside(`building the compiler of ${ref} (${commit.slice(0, 12)})`);
    replaceCompiler(tree, root, commit);
    const fault = tree.build();
    if (fault !== null) {
      const why = `the compiler of ${ref} does not build with the framework of this checkout`;
      throw new UserError(STATUS.missing, `--against: ${why}: ${fault}`);
    }
    const enlist = (child: ChildProcess) => scratch.enlist(child);
    const pair = [figuresIn(tree.root, task, enlist), figuresIn(root, task, enlist)] as const;
    const changed: ChangedProgram[] = [];
    const sums = { programs: 0, others: 0, own: 0 };
    for await (const [others, own] of bothOf(...pair)) {
      const change = changeOf(others, own);
      sums.programs++;
      sums.others += others.seconds;
      sums.own += own.seconds;
      if (change === null) continue;
      changed.push(change);
      if (!json && changed.length <= LISTED_MAX)
        for (const line of linesOf(change)) printLine(line);
    }
    const hasVerdicts = changed.some(({ verdicts }) => Object.keys(verdicts).length > 0);
    if (json) printAnswer("touchstone.against", { commit, programs: sums.programs, changed });
    else printSums(ref, sums, changed);
    return hasVerdicts ? STATUS.found : STATUS.nothingFound;
  } finally {
    tree.close();
    scratch.close();
  }
}

function commitOf(root: string, ref: string): string {
  const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { status, stdout } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw noCommit("--against", ref, root);
  return stdout.trim();
}

/** Replaces the folder of the compiler in the copy by that of the commit. */
function replaceCompiler(tree: CopiedTree, root: string, commit: string): void {
  rmSync(join(tree.root, COMPILER), { recursive: true });
  const archive = execFileSync("git", ["archive", commit, COMPILER], {
    cwd: root,
    maxBuffer: ARCHIVE_BYTES_MAX,
  });
  execFileSync("tar", ["-x", "-C", tree.root], { input: archive });
}

/** Yields the figures of each program, in the order of seeds. */
async function* figuresIn(
  root: string,
  task: ComparisonTask,
  enlist: (child: ChildProcess) => void,
): AsyncGenerator<ProgramFigures> {
  const child = spawn(process.execPath, [join(root, CHILD), JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  enlist(child);
  let evidence = "";
  child.stderr.on("data", (bytes: Buffer) => {
    evidence = (evidence + bytes.toString()).slice(-2000);
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
  const status = await ended;
  if (status !== 0) throw new Error(`a judging process ended with ${status}: ${evidence.trim()}`);
}

/** Yields what both give, in step. */
async function* bothOf<T>(
  one: AsyncGenerator<T>,
  other: AsyncGenerator<T>,
): AsyncGenerator<[T, T]> {
  for (;;) {
    const [first, second] = await Promise.all([one.next(), other.next()]);
    if (first.done === true || second.done === true) return;
    yield [first.value, second.value];
  }
}

const signed = (amount: number): string => `${amount < 0 ? "" : "+"}${amount}`;

function linesOf({ seed, verdicts, codeBytes, seconds }: ChangedProgram): string[] {
  const lines = Object.entries(verdicts).map(
    ([name, [before, now]]) => `seed ${seed}: ${name}: ${before}, now ${now}`,
  );
  const sizes = Object.entries(codeBytes).map(
    ([name, [before, now]]) => `${name} ${signed(now - before)}`,
  );
  if (sizes.length > 0) lines.push(`seed ${seed}: bytes of code: ${sizes.join(", ")}`);
  if (seconds !== null) {
    const [before, now] = seconds.map((amount) => amount.toFixed(3));
    lines.push(`seed ${seed}: processor seconds: ${before}, now ${now}`);
  }
  return lines;
}

function printSums(
  ref: string,
  { programs, others, own }: Readonly<Record<"programs" | "others" | "own", number>>,
  changed: readonly ChangedProgram[],
): void {
  const count = (has: (change: ChangedProgram) => boolean): number => changed.filter(has).length;
  const verdicts = count((change) => Object.keys(change.verdicts).length > 0);
  const sizes = count(({ codeBytes }) => Object.keys(codeBytes).length > 0);
  const times = count(({ seconds }) => seconds !== null);
  if (changed.length > LISTED_MAX)
    printLine(`... and ${changed.length - LISTED_MAX} more programs`);
  printLine(
    `${programs} programs against ${ref}: ${verdicts} changed verdict, ${sizes} code size, ${times} time`,
  );
  const ratio = others > 0 ? (own / others).toFixed(3) : "-";
  printLine(`processor time: ${own.toFixed(1)} s, there ${others.toFixed(1)} s (${ratio})`);
}
