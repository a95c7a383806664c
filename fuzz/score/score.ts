// `fuzz score`: what campaigns find. Each bug of corpus/planted, or each of so many mutants of the
// compiler, is put into a copy, and programs are judged there until one differs.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROFILE_NAMES, USUAL } from "../../src/campaign/program/seeds.js";
import { projectRoot } from "../../src/support/project-root.js";
import { printAnswer } from "../answers/print-answer.js";
import { parseCount, parseSeed } from "../support/arguments.js";
import { printLine, printTable, STATUS, usageError } from "../support/output.js";
import { CopiedTree } from "./copied-tree.js";
import { type Killed, kill } from "./kill-task.js";
import { drawMutants, mutated } from "./mutants.js";
import { type ScoreRow, ScoreRows } from "./rows.js";

interface ScoreArgs {
  readonly folders?: readonly string[] | undefined;
  readonly mutate?: string | undefined;
  readonly "mutant-seed"?: string | undefined;
  readonly profile?: string | undefined;
  readonly seeds?: string | undefined;
  readonly count?: string | undefined;
  readonly state: string;
  readonly json: boolean;
}

/** A bug, and how it comes into a copy. */
interface Bug {
  readonly id: string;
  readonly kind: string;
  readonly expected: string | null;
  /** @returns what is wrong with it; null if nothing */
  readonly plant: (tree: CopiedTree) => string | null;
  readonly remove: (tree: CopiedTree) => void;
  /** Asked once the copy is built. @returns why it is no bug; null if it is one, as far as is known */
  readonly fault: (tree: CopiedTree) => string | null;
}

const COUNT = 20_000;
/** A few small programs by every subject; a compiler that never ends takes all memory first, if it is let. */
const WITNESS_SECONDS = 60;
const LAUNCHER = join("fuzz", "launcher.mjs");

export async function run(args: ScoreArgs): Promise<number> {
  const profiles = (args.profile ?? USUAL).split(",");
  const wrong = profiles.find((name) => !PROFILE_NAMES.includes(name));
  if (wrong !== undefined)
    throw usageError(`--profile ${wrong}: expected ${PROFILE_NAMES.join(", ")}`);
  const seeds = (args.seeds ?? "1").split(",").map((text) => parseSeed(text));
  const count = args.count === undefined ? COUNT : parseCount("--count", args.count);
  checkApart(seeds, count);
  const state = new ScoreRows(args.state);
  const tree = new CopiedTree(mkdtempSync(join(tmpdir(), "touchstone-score-")), projectRoot());
  try {
    const bugs =
      args.mutate === undefined
        ? planted(args.folders ?? [])
        : mutants(tree, parseCount("--mutate", args.mutate), parseSeed(args["mutant-seed"] ?? "1"));
    const rows: ScoreRow[] = [];
    for (const bug of bugs) {
      const tasks = profiles.flatMap((profile) => seeds.map((seed) => ({ profile, seed, count })));
      const scored = score(bug, tasks, tree, state);
      rows.push(...scored);
      if (!args.json) for (const row of scored) printLine(describe(row));
    }
    if (args.json) printAnswer("touchstone.score", { rows });
    else printScore(rows);
    // Some mutants change nothing that can be seen; each planted bug has a witness.
    const isMissed = args.mutate === undefined && rows.some(isAlive);
    return isMissed ? STATUS.found : STATUS.nothingFound;
  } finally {
    tree.close();
  }
}

/** Program i of a campaign is that of its first seed + i: of two that begin near each other one says nothing new. */
function checkApart(seeds: readonly bigint[], count: number): void {
  const sorted = [...seeds].sort((x, y) => (x < y ? -1 : 1));
  const near = sorted.findIndex((seed, k) => k > 0 && seed - sorted[k - 1] < count);
  if (near < 0) return;
  const [one, other] = [sorted[near - 1], sorted[near]];
  throw usageError(
    `--seeds ${one},${other}: expected first seeds that lie ${count} programs apart or more (--count): these two name programs twice`,
  );
}

type Task = Pick<ScoreRow, "profile" | "count"> & { readonly seed: bigint };

/** The rows of one bug: those that are known, and the others by planting it once. */
function score(bug: Bug, tasks: readonly Task[], tree: CopiedTree, state: ScoreRows): ScoreRow[] {
  const { id, kind, expected } = bug;
  const keys = tasks.map(({ profile, seed, count }) => ({
    ...{ bug: id, profile, seed: String(seed), count },
  }));
  const known = keys.map((key) => state.find(key));
  if (known.every((row) => row !== null)) return known;
  const dropped = bug.plant(tree) ?? tree.build() ?? bug.fault(tree);
  const rows = keys.map((key, k): ScoreRow => {
    const old = known[k];
    if (old !== null) return old;
    const locates = expected !== null;
    const became = dropped === null ? kill(tree, { ...tasks[k], locates }) : NOT_ASKED;
    const row = { ...key, kind, expected, dropped, ...became };
    state.add(row);
    return row;
  });
  bug.remove(tree);
  return rows;
}

const NOT_ASKED: Killed = {
  ...{ killed: false, programs: null, processor: null, subject: null, how: "dropped", cause: null },
};

const isAlive = ({ killed, dropped }: ScoreRow): boolean => !killed && dropped === null;

/** @param chosen ids; none: all */
function planted(chosen: readonly string[]): Bug[] {
  const folder = join(projectRoot(), "corpus", "planted");
  const ids = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const unknown = chosen.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw usageError(`${unknown}: no such folder in corpus/planted`);
  return (chosen.length > 0 ? chosen : ids).map((id) => {
    const patch = join(folder, id, "change.patch");
    const head = readFileSync(patch, "utf8").split(/^diff --git /m)[0];
    const lineOf = (name: string): string | null =>
      new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1].trim() ?? null;
    const rule = lineOf("Rule");
    const stage = lineOf("Stage");
    return {
      id,
      kind: lineOf("Component") ?? "",
      expected: rule === null ? stage : `${stage}/${rule}`,
      plant: (tree) => tree.apply(patch),
      remove: (tree) => {
        tree.apply(patch, ["--reverse"]);
      },
      fault: (tree) => {
        const witness = join("corpus", "planted", id, "witness.ir");
        const args = ["corpus", "run", witness, "--subjects", "*"];
        const { status } = tree.run(LAUNCHER, args, WITNESS_SECONDS);
        if (status === null) return `the witness does not end in ${WITNESS_SECONDS} s`;
        return status === STATUS.found ? null : `the witness ends with status ${status}`;
      },
    };
  });
}

function mutants(tree: CopiedTree, count: number, seed: bigint): Bug[] {
  return drawMutants(tree.root, count, seed).map((mutant) => {
    const { id, operator, file } = mutant;
    const original = tree.read(file);
    return {
      id,
      kind: operator,
      expected: null,
      plant: (copy) => {
        copy.write(file, mutated(original, mutant));
        return null;
      },
      remove: (copy) => copy.write(file, original),
      fault: () => null,
    };
  });
}

/** The stage, and the rule where the bug names one. */
function isRight({ cause, expected }: ScoreRow): boolean {
  if (cause === null || expected === null) return false;
  return expected === cause.stage || expected === `${cause.stage}/${cause.rule}`;
}

function describe(row: ScoreRow): string {
  const { bug, profile, killed, dropped, how, programs, processor, subject, cause } = row;
  if (dropped !== null) return `${bug}: dropped: ${dropped}`;
  const spent = processor === null ? "" : `, ${processor.toFixed(0)} s of a processor`;
  if (!killed) return `${bug}: ${profile}: alive after ${programs} programs${spent}`;
  const where = cause === null ? "" : `, ${cause.stage} ${cause.part ?? ""} ${cause.rule ?? ""}`;
  const says = row.expected === null || isRight(row) ? "" : ` (expected ${row.expected})`;
  return `${bug}: ${profile}: killed by program ${programs ?? "?"}${spent}: ${how}, ${subject}${where}${says}`;
}

function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((x, y) => x - y);
  return sorted.length === 0 ? null : sorted[sorted.length >> 1];
}

const share = (part: number, all: number): string =>
  `${part} of ${all}${all === 0 ? "" : ` (${((100 * part) / all).toFixed(0)} %)`}`;

/** By profile and kind: what was killed, and after how much. */
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
    printLine(`stage and rule right: ${share(located.filter(isRight).length, located.length)}`);
  }
  printLine(`dropped: ${rows.length - asked.length}`);
  for (const row of rows.filter(isAlive)) printLine(`alive: ${row.bug} (${row.profile})`);
}
