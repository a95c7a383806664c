// Judges mutants in parallel. One build contains all of them (schemata.ts), and a process judges
// each program with the mutants that would change a result (judge-mutants.ts). If a process dies or
// hangs, the active mutant is killed, and another process continues after it.

import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CopiedTree } from "../../../fuzz/support/copied-tree.js";
import { STATUS, UserError } from "../../../fuzz/support/output.js";
import { seedAt } from "../../../src/campaign/program/seeds.js";
import { lastWords } from "../../../src/support/last-words.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { type BugDetection, HUNG, kill } from "./kill-task.js";
import {
  ActiveMutantFile,
  MUTANT_VARIABLE,
  type MutantCounts,
  type MutantMessage,
  mutantTaskText,
  NONE,
} from "./mutant-task.js";
import { type NumberedMutant, withAll } from "./schemata.js";

/** The fate of a mutant, and the number of programs that executed it. */
export interface MutantDetection extends BugDetection {
  /**
   * Programs that executed the mutated code, and programs in which it would have had another
   * result; null: not counted.
   */
  readonly reached: number | null;
  readonly differed: number | null;
}

interface MutantCampaign {
  readonly profile: string;
  readonly seed: bigint;
  /** The maximum number of programs. */
  readonly count: number;
  /** The number of processes. */
  readonly workers: number;
}

/**
 * Receives the fate of a mutant within this many programs; for living mutants, at each of MARKS.
 */
type DetectionReceiver = (number: number, count: number, fate: MutantDetection) => void;

/** Program counts after which living mutants are stored, so that a longer campaign can continue. */
const MARKS: readonly number[] = [100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000];

/** Writes all mutants into the sources of the copy, and builds it. */
export function plantAll(tree: CopiedTree, mutants: readonly NumberedMutant[]): void {
  for (const [file, text] of textsWithAll(tree, mutants)) tree.write(file, text);
  const fault = tree.build(["--no-check"]);
  if (fault !== null) throw new Error(`the copy with all mutants does not build: ${fault}`);
}

/** Returns the changed texts by file. */
export function textsWithAll(
  tree: CopiedTree,
  mutants: readonly NumberedMutant[],
): ReadonlyMap<string, string> {
  const byFile = new Map<string, NumberedMutant[]>();
  for (const numbered of mutants) {
    const { file } = numbered.mutant;
    const list = byFile.get(file) ?? [];
    list.push(numbered);
    byFile.set(file, list);
  }
  return new Map([...byFile].map(([file, list]) => [file, withAll(tree.read(file), list)]));
}

/** Judges programs in a copy that contains all of these mutants. */
export async function judgeMutants(
  tree: CopiedTree,
  campaign: MutantCampaign,
  trials: readonly MutantCounts[],
  tell: DetectionReceiver,
): Promise<void> {
  const { workers } = campaign;
  const shares = Array.from({ length: workers }, (_, w) =>
    trials.filter((_, t) => t % workers === w),
  ).filter((share) => share.length > 0);
  const alone: MutantCounts[] = [];
  await Promise.all(
    shares.map(async (share) => {
      alone.push(...(await new MutantShareJudge(tree, campaign, share, tell).run()));
      for (let trial = alone.shift(); trial !== undefined; trial = alone.shift()) {
        await judgeAlone(tree, campaign, trial, tell);
      }
    }),
  );
}

/** Judges a mutant in a process of its own, in which it is active from the start. */
async function judgeAlone(
  tree: CopiedTree,
  { profile, seed, count }: MutantCampaign,
  { number, from, locates }: MutantCounts,
  tell: DetectionReceiver,
): Promise<void> {
  const task = { profile, seed: seedAt(seed, from), count: count - from, locates };
  const options = { flags: SWITCHED, env: { [MUTANT_VARIABLE]: String(number) } };
  const killed = await kill(tree, task, options);
  const programs = killed.programs === null ? null : killed.programs + from;
  tell(number, count, { ...killed, programs, reached: null, differed: null });
}

/** Judges a part of the mutants, in one process after another. */
class MutantShareJudge {
  private readonly tree: CopiedTree;
  private readonly campaign: MutantCampaign;
  private readonly tell: DetectionReceiver;
  private readonly open: Map<number, MutantCounts>;
  private readonly alone: MutantCounts[] = [];

  constructor(
    tree: CopiedTree,
    campaign: MutantCampaign,
    share: readonly MutantCounts[],
    tell: DetectionReceiver,
  ) {
    this.tree = tree;
    this.campaign = campaign;
    this.tell = tell;
    this.open = new Map(share.map((trial) => [trial.number, trial]));
  }

  /** @returns the mutants that must be judged alone */
  async run(): Promise<readonly MutantCounts[]> {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-mutants-"));
    const mark = join(folder, "mark");
    try {
      while (this.open.size > 0 && !(await this.runOnce(mark)));
    } finally {
      rmSync(folder, { recursive: true });
    }
    return this.alone;
  }

  /** @returns whether the process finished */
  private async runOnce(mark: string): Promise<boolean> {
    const { tree, campaign, open } = this;
    const { seed, count, profile } = campaign;
    writeFileSync(mark, new Int32Array([NONE, 0]));
    const mutants = [...open.values()];
    const task = mutantTaskText({ seed, count, profile, mutants, marks: [...MARKS, count], mark });
    const child = tree.start(SCRIPT, [task], { flags: SWITCHED });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_MAX);
    });
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    let isHung = false;
    for await (const text of createInterface({ input: child.stdout })) {
      // by judge-mutants.ts or watcher.ts
      const line = JSON.parse(text) as MutantMessage | { hung: true };
      if ("hung" in line) isHung = true;
      else if (line.kind === "end") return true;
      else if (this.take(line)) return false;
    }
    const status = await closed;
    const died = `the process died (${status ?? "by a signal"}): ${lastWords(stderr)}`;
    this.buryOf(mark, isHung ? HUNG : died);
    return false;
  }

  /** @returns whether the process ends after this line */
  private take(line: Exclude<MutantMessage, { kind: "end" }>): boolean {
    const { open, alone, tell, campaign } = this;
    switch (line.kind) {
      case "killed": {
        const { trial, programs, how, subject, cause } = line;
        const { number, processor, reached, differed } = trial;
        open.delete(number);
        tell(number, campaign.count, {
          ...{ killed: true, programs, processor, subject, how, cause, reached, differed },
        });
        return false;
      }
      case "alive": {
        const { programs } = line;
        for (const trial of line.trials) {
          open.set(trial.number, { ...trial, from: Math.max(trial.from, programs) });
          if (trial.from >= programs || !line.isMark) continue;
          const { number, processor, reached, differed } = trial;
          tell(number, programs, {
            ...{ killed: false, programs, processor, subject: null, how: "alive", cause: null },
            ...{ reached, differed },
          });
        }
        return false;
      }
      case "alone":
        for (const number of line.numbers) {
          const trial = open.get(number);
          if (trial !== undefined) alone.push(trial);
          open.delete(number);
        }
        return false;
      case "unclean":
        this.goOnFrom(line.index);
        return true;
      case "wrong": {
        const seed = seedAt(campaign.seed, line.index);
        const command = `fuzz --seed ${seed} --profile ${campaign.profile}`;
        throw new UserError(
          STATUS.found,
          `no mutants can be judged: ${command} differs without a mutant`,
        );
      }
    }
  }

  /** Records that the active mutant has killed the process. */
  private buryOf(mark: string, how: string): void {
    const file = openSync(mark, "r");
    const { number, index } = new ActiveMutantFile(file).get();
    closeSync(file);
    const trial = this.open.get(number);
    if (trial === undefined) throw new Error(`judging without a mutant: ${how}`);
    // The mutants before it were tried with this program as well.
    for (const passed of this.open.values()) {
      if (passed.number === number) break;
      this.open.set(passed.number, { ...passed, from: Math.max(passed.from, index + 1) });
    }
    this.open.delete(number);
    this.goOnFrom(index);
    this.tell(number, this.campaign.count, {
      // The counts of the mutant are lost with the process.
      ...{ killed: true, programs: index + 1, processor: null, subject: null, how, cause: null },
      ...{ reached: null, differed: null },
    });
  }

  private goOnFrom(index: number): void {
    for (const [number, trial] of this.open) {
      this.open.set(number, { ...trial, from: Math.max(trial.from, index) });
    }
  }
}

const STDERR_MAX = 10_000;
const below = (url: URL): string => relative(projectRoot(), fileURLToPath(url));
const SCRIPT = below(new URL("./judge-mutants.js", import.meta.url));
/** Loads the copy's switch before its other modules. */
export const SWITCHED: readonly string[] = [
  "--import",
  `./${below(new URL("./switch.js", import.meta.url))}`,
];
