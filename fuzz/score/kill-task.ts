// What a campaign in a copy is told and what it answers, as JSON in one line.

import { relative } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Found } from "../../src/campaign/run/found.js";
import type { Cause } from "../../src/localize/cause.js";
import { lastWords } from "../../src/support/last-words.js";
import { projectRoot } from "../../src/support/project-root.js";
import type { CopiedTree, StartOptions } from "../support/copied-tree.js";

interface KillTask {
  readonly seed: bigint;
  /** Programs, at most. */
  readonly count: number;
  readonly profile: string;
  /** Whether what is to blame is asked for. */
  readonly locates: boolean;
}

/** What became of the bug. A process that dies or hangs has seen it too. */
export interface Killed {
  readonly killed: boolean;
  /** Judged until then; null where the process has not said. */
  readonly programs: number | null;
  /** Seconds of a processor; null where the process has not said. */
  readonly processor: number | null;
  readonly subject: string | null;
  /** What differed, or how the process ended. */
  readonly how: string;
  readonly cause: Cause | null;
}

/** Of a process that waits for something: one that computes is ended by its own watch. */
const SECONDS_MAX = 1800;
export const HUNG = "the process hung";

/** Of an error in few words what it says: it may be no deed of the bug. */
export const howOf = ({
  kind,
  aspect,
  detail,
}: Pick<Found, "kind" | "aspect" | "detail">): string =>
  kind === "internal-error"
    ? `${kind}: ${detail.split("\n", 1)[0].slice(0, SAID_MAX)}`
    : `${kind} ${aspect ?? ""}`.trim();
const SAID_MAX = 200;

/** The task as the process reads it. */
export function parseTask(text: string): KillTask {
  // Our own words, written by kill.
  const { seed, count, profile, locates } = JSON.parse(text) as Record<keyof KillTask, never>;
  return { seed: BigInt(seed), count, profile, locates };
}

/** Judges programs in the copy until one differs. */
export async function kill(
  tree: CopiedTree,
  task: KillTask,
  options: StartOptions = {},
): Promise<Killed> {
  const asked = JSON.stringify({ ...task, seed: String(task.seed) });
  const child = tree.start(SCRIPT, [asked], options);
  const timer = setTimeout(() => child.kill("SIGKILL"), 1000 * SECONDS_MAX);
  const closed = new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...ended) => resolve(ended));
  });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [status, signal] = await closed;
  clearTimeout(timer);
  const unsaid = { programs: null, processor: null, subject: null, cause: null };
  if (status !== 0) {
    // Written by watcher.ts.
    const { hung, programs, processor } = JSON.parse(stdout === "" ? "{}" : stdout);
    if (hung) return { ...unsaid, killed: true, how: HUNG, programs, processor };
    const how = signal === null ? `the process died: ${lastWords(stderr)}` : HUNG;
    return { killed: true, how, ...unsaid };
  }
  // Written by kill.ts.
  const { programs, processor, found, cause } = JSON.parse(stdout);
  if (found === null)
    return { killed: false, how: "alive", programs, processor, subject: null, cause };
  return { killed: true, how: howOf(found), programs, processor, subject: found.subject, cause };
}

// The process of the copy: not the one that this module would load.
const SCRIPT = relative(projectRoot(), fileURLToPath(new URL("./kill.js", import.meta.url)));
