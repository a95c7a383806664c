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
import { type NumberedMutant, withMutants } from "./schemata.js";

/** The detection of a mutant, and the number of programs that executed it. */
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
  readonly workers: number;
}

/**
 * Receives the detection of a mutant within this many programs; for living mutants, at each of MARKS.
 */
type DetectionReceiver = (number: number, count: number, detection: MutantDetection) => void;

/** Program counts after which living mutants are stored, so that a longer campaign can continue. */
const CHECKPOINTS: readonly number[] = [100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000];

/** Writes all mutants into the sources of the copy, and builds it. */
export function plantAll(tree: CopiedTree, mutants: readonly NumberedMutant[]): void {
  for (const [file, text] of textsWithMutants(tree, mutants)) tree.write(file, text);
  const fault = tree.build(["--no-check"]);
  if (fault !== null) throw new Error(`the copy with all mutants does not build: ${fault}`);
}

/** Returns the changed texts by file. */
export function textsWithMutants(
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
  return new Map([...byFile].map(([file, list]) => [file, withMutants(tree.read(file), list)]));
}

/** Judges programs in a copy that contains all of these mutants. */
export async function judgeMutants(
  tree: CopiedTree,
  campaign: MutantCampaign,
  mutants: readonly MutantCounts[],
  receive: DetectionReceiver,
): Promise<void> {
  const { workers } = campaign;
  const shares = Array.from({ length: workers }, (_, w) =>
    mutants.filter((_, t) => t % workers === w),
  ).filter((share) => share.length > 0);
  const alone: MutantCounts[] = [];
  await Promise.all(
    shares.map(async (share) => {
      alone.push(...(await new MutantShareJudge(tree, campaign, share, receive).run()));
      for (let mutant = alone.shift(); mutant !== undefined; mutant = alone.shift()) {
        await judgeAlone(tree, campaign, mutant, receive);
      }
    }),
  );
}

/** Judges a mutant in a process of its own, in which it is active from the start. */
async function judgeAlone(
  tree: CopiedTree,
  { profile, seed, count }: MutantCampaign,
  { number, from, locates }: MutantCounts,
  receive: DetectionReceiver,
): Promise<void> {
  const task = { profile, seed: seedAt(seed, from), count: count - from, locates };
  const options = { flags: LOADS_SWITCH, env: { [MUTANT_VARIABLE]: String(number) } };
  const killed = await kill(tree, task, options);
  const programs = killed.programs === null ? null : killed.programs + from;
  receive(number, count, { ...killed, programs, reached: null, differed: null });
}

/** Judges a part of the mutants, in one process after another. */
class MutantShareJudge {
  private readonly tree: CopiedTree;
  private readonly campaign: MutantCampaign;
  private readonly receive: DetectionReceiver;
  private readonly open: Map<number, MutantCounts>;
  private readonly alone: MutantCounts[] = [];
  /** The last program that ended a process without a mutant. */
  private lastPlainDeath = -1;

  constructor(
    tree: CopiedTree,
    campaign: MutantCampaign,
    share: readonly MutantCounts[],
    receive: DetectionReceiver,
  ) {
    this.tree = tree;
    this.campaign = campaign;
    this.receive = receive;
    this.open = new Map(share.map((mutant) => [mutant.number, mutant]));
  }

  /** @returns the mutants that must be judged alone */
  async run(): Promise<readonly MutantCounts[]> {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-mutants-"));
    const activeMutantPath = join(folder, "mark");
    try {
      while (this.open.size > 0 && !(await this.runOnce(activeMutantPath)));
    } finally {
      rmSync(folder, { recursive: true });
    }
    return this.alone;
  }

  /** @returns whether the process finished */
  private async runOnce(activeMutantPath: string): Promise<boolean> {
    const { tree, campaign, open } = this;
    const { seed, count, profile } = campaign;
    writeFileSync(activeMutantPath, new Int32Array([NONE, 0]));
    const mutants = [...open.values()];
    const task = mutantTaskText({
      seed,
      count,
      profile,
      mutants,
      checkpoints: [...CHECKPOINTS, count],
      activeMutantPath,
    });
    const child = tree.start(SCRIPT, [task], { flags: LOADS_SWITCH });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_MAX);
    });
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    let isHung = false;
    for await (const text of createInterface({ input: child.stdout })) {
      // The text was written by judge-mutants.ts or watchdog-thread.ts.
      const line = JSON.parse(text) as MutantMessage | { hung: true };
      if ("hung" in line) isHung = true;
      else if (line.kind === "end") return true;
      else if (this.handle(line)) return false;
    }
    const status = await closed;
    const died = `the process died (${status ?? "by a signal"}): ${lastWords(stderr)}`;
    this.recordDeath(activeMutantPath, isHung ? HUNG : died);
    return false;
  }

  /** @returns whether the process ends after this line */
  private handle(line: Exclude<MutantMessage, { kind: "end" }>): boolean {
    const { open, alone, receive, campaign } = this;
    switch (line.kind) {
      case "killed": {
        const { mutant, programs, how, subject, cause } = line;
        const { number, processor, reached, differed } = mutant;
        open.delete(number);
        receive(number, campaign.count, {
          ...{ killed: true, programs, processor, subject, how, cause, reached, differed },
        });
        return false;
      }
      case "alive": {
        const { programs } = line;
        for (const mutant of line.mutants) {
          open.set(mutant.number, { ...mutant, from: Math.max(mutant.from, programs) });
          if (mutant.from >= programs || !line.isCheckpoint) continue;
          const { number, processor, reached, differed } = mutant;
          receive(number, programs, {
            ...{ killed: false, programs, processor, subject: null, how: "alive", cause: null },
            ...{ reached, differed },
          });
        }
        return false;
      }
      case "alone":
        for (const number of line.numbers) {
          const mutant = open.get(number);
          if (mutant !== undefined) alone.push(mutant);
          open.delete(number);
        }
        return false;
      case "unclean":
        this.continueFrom(line.index);
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
  private recordDeath(path: string, how: string): void {
    const file = openSync(path, "r");
    const { number, index } = new ActiveMutantFile(file).get();
    closeSync(file);
    const mutant = this.open.get(number);
    if (mutant === undefined) {
      // An earlier mutant may have left some state, so another process tries this program once more.
      if (index <= this.lastPlainDeath) throw new Error(`judging without a mutant: ${how}`);
      this.lastPlainDeath = index;
      this.continueFrom(index);
      return;
    }
    // The mutants before it were tried with this program as well.
    for (const passed of this.open.values()) {
      if (passed.number === number) break;
      this.open.set(passed.number, { ...passed, from: Math.max(passed.from, index + 1) });
    }
    this.open.delete(number);
    this.continueFrom(index);
    this.receive(number, this.campaign.count, {
      // The counts of the mutant are lost with the process.
      ...{ killed: true, programs: index + 1, processor: null, subject: null, how, cause: null },
      ...{ reached: null, differed: null },
    });
  }

  private continueFrom(index: number): void {
    for (const [number, mutant] of this.open) {
      this.open.set(number, { ...mutant, from: Math.max(mutant.from, index) });
    }
  }
}

const STDERR_MAX = 10_000;
const below = (url: URL): string => relative(projectRoot(), fileURLToPath(url));
const SCRIPT = below(new URL("./judge-mutants.js", import.meta.url));
/** Loads the copy's switch before its other modules. */
export const LOADS_SWITCH: readonly string[] = [
  "--import",
  `./${below(new URL("./active-mutant.js", import.meta.url))}`,
];
