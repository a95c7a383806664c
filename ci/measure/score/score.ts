// Measures how well campaigns find bugs. It plants each bug of
// corpus/planted in a copy, and judges programs there until one differs. With --mutate it measures
// mutants of the compiler, all in one build.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseCount, parseProfile, parseSeed } from "../../../fuzz/support/arguments.js";
import { CopiedTree } from "../../../fuzz/support/copied-tree.js";
import { printLine, printTable, STATUS, usageError } from "../../../fuzz/support/output.js";
import { PROFILE_NAMES, USUAL } from "../../../src/campaign/program/seeds.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { ScratchFolder } from "../../../src/support/scratch-folder.js";
import { takeFindings, takeScore } from "../pages/take-results.js";
import { changeMeasured } from "../pages/write-page.js";
import { kill } from "./kill-task.js";
import { MUTANTS_MAX } from "./mutant-task.js";
import { drawMutants } from "./mutants.js";
import { type ScoreRow, ScoreRows } from "./rows.js";
import type { NumberedMutant } from "./schemata.js";
import { judgeMutants, type MutantDetection, plantAll } from "./score-mutants.js";
import { TypeChecker } from "./well-typed.js";

interface ScoreArgs {
  readonly folders?: readonly string[] | undefined;
  readonly mutate?: string | undefined;
  readonly "mutant-seed"?: string | undefined;
  readonly profile?: string | undefined;
  readonly seeds?: string | undefined;
  readonly count?: string | undefined;
  readonly workers?: string | undefined;
  readonly state: string;
  /** Copies the rows to docs/score.md and docs/findings.md. */
  readonly write?: boolean | undefined;
}

/** A bug of corpus/planted. */
interface PlantedBug {
  readonly id: string;
  readonly component: string;
  readonly expected: string | null;
  readonly patch: string;
}

const COUNT = 20_000;
const WORKERS_MAX = 64;
/**
 * The trigger program is small; a longer run means that the compiler does not terminate, and it
 * must end before it exhausts memory.
 */
const WITNESS_SECONDS = 60;
const LAUNCHER = join("fuzz", "launcher.mjs");

export async function run(args: ScoreArgs): Promise<number> {
  const profiles = (args.profile ?? USUAL).split(",");
  const wrong = profiles.find((name) => !PROFILE_NAMES.includes(name));
  if (wrong !== undefined) parseProfile(wrong);
  const seeds = (args.seeds ?? "1").split(",").map((text) => parseSeed(text));
  const count = args.count === undefined ? COUNT : parseCount("--count", args.count);
  checkApart(seeds, count);
  const state = new ScoreRows(args.state);
  const tasks = profiles.flatMap((profile) => seeds.map((seed) => ({ profile, seed, count })));
  const scratch = new ScratchFolder();
  const root = mkdtempSync(join(tmpdir(), "touchstone-score-"));
  const tree = new CopiedTree(root, projectRoot(), (child) => scratch.enlist(child));
  const tell: RowReceiver = (row) => {
    printLine(describe(row));
  };
  try {
    const rows =
      args.mutate === undefined
        ? await scorePlanted(tree, args.folders ?? [], tasks, state, tell)
        : await scoreMutants(tree, args, tasks, state, tell);
    printScore(rows);
    if (args.write) {
      changeMeasured("score", (data) => takeScore(data, rows));
      changeMeasured("findings", (data) => takeFindings(data, rows));
    }
    // Some mutants are equivalent to the original. Each planted bug applies, builds, and has a
    // trigger program.
    const isMissed = args.mutate === undefined && rows.some(({ killed }) => !killed);
    return isMissed ? STATUS.found : STATUS.nothingFound;
  } finally {
    tree.close();
    scratch.close();
  }
}

/** Receives the row of a bug as soon as it is complete. */
type RowReceiver = (row: ScoreRow) => void;

/**
 * Program i of a campaign has the first seed + i, so campaigns with nearby first seeds would judge
 * the same programs.
 */
function checkApart(seeds: readonly bigint[], count: number): void {
  const sorted = [...seeds].sort((x, y) => (x < y ? -1 : 1));
  const near = sorted.findIndex((seed, k) => k > 0 && seed - sorted[k - 1] < count);
  if (near < 0) return;
  const [one, other] = [sorted[near - 1], sorted[near]];
  throw usageError(
    `--seeds ${one},${other}: expected first seeds at a distance of at least ${count} (--count): these two ranges overlap`,
  );
}

type ScoreTask = Pick<ScoreRow, "profile" | "count"> & { readonly seed: bigint };

const keyOf = (bug: string, { profile, seed, count }: ScoreTask) => ({
  ...{ bug, profile, seed: String(seed), count },
});

/**
 * Scores planted bugs one after the other. It reuses stored rows, and plants each remaining bug
 * once.
 */
async function scorePlanted(
  tree: CopiedTree,
  chosen: readonly string[],
  tasks: readonly ScoreTask[],
  state: ScoreRows,
  tell: RowReceiver,
): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for (const bug of planted(chosen)) {
    const { id, component, expected, patch } = bug;
    // A dropped bug may be valid by now.
    const isOpen = (row: ScoreRow | null): boolean => row === null || row.dropped !== null;
    const open = tasks.filter((task) => isOpen(state.find(keyOf(id, task))));
    if (open.length > 0) {
      const dropped = tree.apply(patch) ?? tree.build() ?? faultOf(tree, bug);
      for (const task of open) {
        const locates = expected !== null;
        const killed = dropped === null ? await kill(tree, { ...task, locates }) : NOT_JUDGED;
        state.add({
          ...{ ...keyOf(id, task), kind: component, expected, dropped },
          ...{ ...killed, ...NOT_COUNTED },
        });
      }
      tree.apply(patch, ["--reverse"]);
    }
    for (const task of tasks) {
      const row = state.find(keyOf(id, task));
      if (row === null) continue;
      rows.push(row);
      tell(row);
    }
  }
  return rows;
}

/** Scores mutants. It builds and judges all mutants without stored rows together. */
async function scoreMutants(
  tree: CopiedTree,
  args: ScoreArgs,
  tasks: readonly ScoreTask[],
  state: ScoreRows,
  tell: RowReceiver,
): Promise<ScoreRow[]> {
  const { mutate = "", "mutant-seed": drawnBy = "1", workers: width } = args;
  const workers =
    width === undefined ? availableParallelism() : parseCount("--workers", width, 1, WORKERS_MAX);
  const drawn = drawMutants(
    tree.root,
    parseCount("--mutate", mutate, 1, MUTANTS_MAX),
    parseSeed(drawnBy),
  );
  const numbered = drawn.map((mutant, number): NumberedMutant => ({ mutant, number }));
  const keep = (
    number: number,
    task: ScoreTask,
    dropped: string | null,
    fate: MutantDetection,
  ): ScoreRow => {
    const { id, operator: kind } = drawn[number];
    const row = { ...keyOf(id, task), kind, expected: null, dropped, ...fate };
    state.add(row);
    return row;
  };
  const isOpen = ({ mutant: { id } }: NumberedMutant, task: ScoreTask): boolean =>
    state.find(keyOf(id, task)) === null;
  const checker = new TypeChecker(tree.root, (file) => tree.read(file));
  const standing = numbered
    .filter((each) => tasks.some((task) => isOpen(each, task)))
    .filter(({ mutant, number }) => {
      const fault = checker.faultOf(mutant);
      if (fault === null) return true;
      for (const task of tasks) tell(keep(number, task, fault, { ...NOT_JUDGED, ...NOT_COUNTED }));
      return false;
    });
  checker.close();
  if (standing.length > 0) plantAll(tree, standing);
  for (const task of tasks) {
    const open = standing.filter((each) => isOpen(each, task));
    const trials = open.map(({ mutant: { id }, number }) => {
      const known = state.alive(keyOf(id, task));
      const { count: from = 0, reached, differed, processor } = known ?? {};
      return {
        ...{ number, from, processor: processor ?? 0 },
        ...{ reached: reached ?? 0, differed: differed ?? 0 },
      };
    });
    await judgeMutants(tree, { ...task, workers }, trials, (number, count, fate) => {
      const row = keep(number, { ...task, count }, null, fate);
      if (row.killed || count === task.count) tell(row);
    });
  }
  return tasks.flatMap((task) => drawn.flatMap(({ id }) => state.find(keyOf(id, task)) ?? []));
}

const NOT_JUDGED = {
  ...{ killed: false, programs: null, processor: null, subject: null, how: "dropped", cause: null },
};

/** Executions of the changed code are counted for mutants only. */
const NOT_COUNTED = { reached: null, differed: null };

const isAlive = ({ killed, dropped }: ScoreRow): boolean => !killed && dropped === null;

/** @param chosen ids; none: all */
function planted(chosen: readonly string[]): PlantedBug[] {
  const folder = join(projectRoot(), "corpus", "planted");
  const ids = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const unknown = chosen.find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw usageError(`${unknown}: corpus/planted has no folder of this name`);
  return (chosen.length > 0 ? chosen : ids).map((id) => {
    const patch = join(folder, id, "change.patch");
    const head = readFileSync(patch, "utf8").split(/^diff --git /m)[0];
    const lineOf = (name: string): string | null =>
      new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1].trim() ?? null;
    const rule = lineOf("Rule");
    const stage = lineOf("Stage");
    const component = lineOf("Component") ?? "";
    return { id, component, expected: rule === null ? stage : `${stage}/${rule}`, patch };
  });
}

/**
 * Checks the trigger program. Requires that the copy is built.
 * @returns why the bug is invalid; null if it is valid
 */
function faultOf(tree: CopiedTree, { id }: PlantedBug): string | null {
  const trigger = join("corpus", "planted", id, "trigger.ir");
  const args = ["corpus", "run", trigger, "--subjects", "*"];
  const { status } = tree.run(LAUNCHER, args, WITNESS_SECONDS);
  if (status === null) return `the trigger program does not end in ${WITNESS_SECONDS} s`;
  // The bug may also turn programs into invalid programs, which is an internal error.
  const isSeen = status === STATUS.found || status === STATUS.internalError;
  return isSeen ? null : `the trigger program ends with status ${status}`;
}

/** Compares the stage, and the rule if the bug names one. */
function isRight({ cause, expected }: ScoreRow): boolean {
  if (cause === null || expected === null) return false;
  return expected === cause.stage || expected === `${cause.stage}/${cause.rule}`;
}

function describe(row: ScoreRow): string {
  const { bug, profile, killed, dropped, how, programs, processor, subject, cause } = row;
  if (dropped !== null) return `${bug}: dropped: ${dropped}`;
  const spent = processor === null ? "" : `, ${processor.toFixed(0)} s of processor time`;
  if (!killed)
    return `${bug}: ${profile}: alive after ${programs} programs${spent}${passedBy(row)}`;
  const where = cause === null ? "" : `, ${cause.stage} ${cause.part ?? ""} ${cause.rule ?? ""}`;
  const says = row.expected === null || isRight(row) ? "" : ` (expected ${row.expected})`;
  return `${bug}: ${profile}: killed by program ${programs ?? "?"}${spent}: ${how}, ${subject}${where}${says}`;
}

/** Describes whether programs executed the mutant, and whether it changed a result. */
function passedBy({ reached, differed }: ScoreRow): string {
  if (reached === null || differed === null) return "";
  return `, executed by ${reached}, with another result by ${differed}`;
}

function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((x, y) => x - y);
  return sorted.length === 0 ? null : sorted[sorted.length >> 1];
}

const share = (part: number, all: number): string =>
  `${part} of ${all}${all === 0 ? "" : ` (${((100 * part) / all).toFixed(0)} %)`}`;

/** Prints killed bugs and median effort, by profile and kind. */
function printScore(rows: readonly ScoreRow[]): void {
  const asked = rows.filter(({ dropped }) => dropped === null);
  const table: (string | number)[][] = [];
  for (const profile of new Set(asked.map((row) => row.profile))) {
    const here = asked.filter((row) => row.profile === profile);
    for (const kind of [...new Set(here.map((row) => row.kind)), null]) {
      const list = here.filter((row) => kind === null || row.kind === kind);
      const killed = list.filter((row) => row.killed);
      const programs = median(killed.flatMap((row) => row.programs ?? []));
      const seconds = median(killed.flatMap((row) => row.processor ?? []));
      table.push([
        ...[profile, kind ?? "all", share(killed.length, list.length)],
        ...[programs ?? "-", seconds?.toFixed(1) ?? "-"],
      ]);
    }
  }
  printTable([["profile", "kind", "killed", "programs", "processor seconds"], ...table]);
  const located = asked.filter(({ cause }) => cause !== null);
  if (located.length > 0) {
    printLine(
      `findings with the right stage and rule: ${share(located.filter(isRight).length, located.length)}`,
    );
  }
  printLine(`planted bugs that were not searched for: ${rows.length - asked.length}`);
  for (const row of rows.filter(isAlive)) {
    printLine(`not found: ${row.bug} (${row.profile}${passedBy(row)})`);
  }
}
