// Measures how well campaigns find bugs. It plants the bugs of corpus/planted, or with --mutate
// mutants of the compiler, in one build of a copy, and judges programs there until one differs.

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
import { MUTANTS_MAX, type MutantCounts } from "./mutant-task.js";
import { drawMutants, type Mutant } from "./mutants.js";
import { mutantsOfPatch } from "./planted-mutants.js";
import type { NumberedMutant } from "./schemata.js";
import { judgeMutants, type MutantDetection, plantAll } from "./score-mutants.js";
import { type ScoreRow, ScoreRows } from "./score-rows.js";
import { triggerFaults } from "./triggers.js";
import { TypeChecker } from "./type-checker.js";

interface ScoreArgs {
  readonly folders?: readonly string[] | undefined;
  readonly mutate?: string | undefined;
  readonly "mutant-seed"?: string | undefined;
  readonly profile?: string | undefined;
  readonly seeds?: string | undefined;
  readonly count?: string | undefined;
  readonly workers?: string | undefined;
  readonly state: string;
  /** Whether findings of planted bugs are not localized. */
  readonly "no-causes"?: boolean | undefined;
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
  const receive: RowReceiver = (row) => {
    printLine(describe(row));
  };
  try {
    const locates = args["no-causes"] !== true;
    const context = { tree, tasks, workers: workersOf(args), locates, state, receive };
    const rows =
      args.mutate === undefined
        ? await scorePlanted(context, args.folders ?? [])
        : await scoreMutants(context, args);
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

const workersOf = ({ workers }: ScoreArgs): number =>
  workers === undefined ? availableParallelism() : parseCount("--workers", workers, 1, WORKERS_MAX);

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

/** A planted bug or a mutant. */
interface ScoredBug {
  readonly id: string;
  readonly kind: string;
  readonly expected: string | null;
  /** The mutants that are active together. */
  readonly mutants: readonly Mutant[];
  /** Why the bug is not judged; null if it is. */
  readonly dropped: string | null;
}

/** The parts of a score that its bugs share. */
interface ScoreContext {
  readonly tree: CopiedTree;
  readonly tasks: readonly ScoreTask[];
  readonly workers: number;
  /** Whether to localize the findings of planted bugs. */
  readonly locates: boolean;
  readonly state: ScoreRows;
  readonly receive: RowReceiver;
}

/** Scores planted bugs, all in one build. It reuses stored rows. */
async function scorePlanted(context: ScoreContext, chosen: readonly string[]): Promise<ScoreRow[]> {
  const { tree, tasks, state } = context;
  // A dropped bug may be valid by now.
  const isKnown = (id: string): boolean =>
    tasks.every((task) => state.find(keyOf(id, task))?.dropped === null);
  const all = planted(chosen);
  const known = all.filter(({ id }) => isKnown(id));
  for (const row of rowsOf(context, known)) context.receive(row);
  const open = all.filter(({ id }) => !isKnown(id));
  const bugs = open.map(({ id, component, expected, patch }): ScoredBug => {
    const { mutants, fault } = mutantsOfPatch(tree, id, patch);
    return { id, kind: component, expected, mutants, dropped: fault };
  });
  if (bugs.length > 0) plantAll(tree, numbered(bugs));
  // A bug that was judged before has a valid trigger program.
  const triggers = bugs.flatMap(({ id, dropped }, number) =>
    dropped === null && !state.hasJudged(id) ? [{ number, id }] : [],
  );
  const faults = triggerFaults(tree, triggers);
  const shown = bugs.map((bug, number) => ({
    ...bug,
    dropped: bug.dropped ?? faults.get(number) ?? null,
  }));
  await scoreBugs(context, shown);
  return rowsOf(context, [...known, ...shown]);
}

/** Scores mutants. It builds and judges all mutants without stored rows together. */
async function scoreMutants(context: ScoreContext, args: ScoreArgs): Promise<ScoreRow[]> {
  const { tree, tasks, state } = context;
  const { mutate = "", "mutant-seed": drawnBy = "1" } = args;
  const drawn = drawMutants(
    tree.root,
    parseCount("--mutate", mutate, 1, MUTANTS_MAX),
    parseSeed(drawnBy),
  );
  const checker = new TypeChecker(tree.root, (file) => tree.read(file));
  const bugs = drawn.flatMap((mutant): ScoredBug[] => {
    const { id, operator: kind } = mutant;
    if (tasks.every((task) => state.find(keyOf(id, task)) !== null)) return [];
    return [{ id, kind, expected: null, mutants: [mutant], dropped: checker.faultOf(mutant) }];
  });
  checker.close();
  if (bugs.length > 0) plantAll(tree, numbered(bugs));
  await scoreBugs(context, bugs);
  return rowsOf(context, drawn);
}

/** Returns the mutants with the numbers of their bugs, without dropped bugs. */
const numbered = (bugs: readonly ScoredBug[]): readonly NumberedMutant[] =>
  bugs.flatMap(({ mutants, dropped }, number) =>
    dropped === null ? mutants.map((mutant) => ({ mutant, number })) : [],
  );

/** Judges bugs in the copy, which contains all of them, and stores their rows. */
async function scoreBugs(
  { tree, tasks, workers, locates, state, receive }: ScoreContext,
  bugs: readonly ScoredBug[],
): Promise<void> {
  const keep = (number: number, task: ScoreTask, detection: MutantDetection): ScoreRow => {
    const { id, kind, expected, dropped } = bugs[number];
    const row = { ...keyOf(id, task), kind, expected, dropped, ...detection };
    state.add(row);
    return row;
  };
  for (const task of tasks) {
    const mutants = bugs.flatMap(({ id, expected, dropped }, number): MutantCounts[] => {
      const row = state.find(keyOf(id, task));
      if (row !== null && row.dropped === null) return [];
      if (dropped !== null) {
        if (row === null) receive(keep(number, task, NOT_JUDGED));
        return [];
      }
      const {
        count: from = 0,
        reached,
        differed,
        processor,
      } = state.findAlive(keyOf(id, task)) ?? {};
      return [
        {
          ...{ number, from, processor: processor ?? 0, locates: locates && expected !== null },
          ...{ reached: reached ?? 0, differed: differed ?? 0 },
        },
      ];
    });
    await judgeMutants(tree, { ...task, workers }, mutants, (number, count, detection) => {
      const row = keep(number, { ...task, count }, detection);
      if (row.killed || count === task.count) receive(row);
    });
  }
}

/** Returns the stored rows of bugs, by task. */
const rowsOf = (
  { tasks, state }: ScoreContext,
  bugs: readonly { readonly id: string }[],
): ScoreRow[] =>
  tasks.flatMap((task) => bugs.flatMap(({ id }) => state.find(keyOf(id, task)) ?? []));

const NOT_JUDGED: MutantDetection = {
  ...{ killed: false, programs: null, processor: null, subject: null, how: "dropped", cause: null },
  ...{ reached: null, differed: null },
};

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
    return `${bug}: ${profile}: alive after ${programs} programs${spent}${describeReach(row)}`;
  const where = cause === null ? "" : `, ${cause.stage} ${cause.part ?? ""} ${cause.rule ?? ""}`;
  const mismatch = row.expected === null || isRight(row) ? "" : ` (expected ${row.expected})`;
  return `${bug}: ${profile}: killed by program ${programs ?? "?"}${spent}: ${how}, ${subject}${where}${mismatch}`;
}

/** Describes whether programs executed the mutant, and whether it changed a result. */
function describeReach({ reached, differed }: ScoreRow): string {
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
  const judged = rows.filter(({ dropped }) => dropped === null);
  const table: (string | number)[][] = [];
  for (const profile of new Set(judged.map((row) => row.profile))) {
    const here = judged.filter((row) => row.profile === profile);
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
  const located = judged.filter(({ cause }) => cause !== null);
  if (located.length > 0) {
    printLine(
      `findings with the right stage and rule: ${share(located.filter(isRight).length, located.length)}`,
    );
  }
  printLine(`planted bugs that were not searched for: ${rows.length - judged.length}`);
  for (const row of rows.filter(isAlive)) {
    printLine(`not found: ${row.bug} (${row.profile}${describeReach(row)})`);
  }
}
