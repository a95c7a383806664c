// Defines the input and the output of a campaign in a copy, as one line of JSON each, and runs such
// a campaign.

import { relative } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CopiedTree, StartOptions } from "../../../fuzz/support/copied-tree.js";
import type { RawFinding } from "../../../src/campaign/run/found.js";
import type { Cause } from "../../../src/localize/cause.js";
import { lastWords } from "../../../src/support/last-words.js";
import { projectRoot } from "../../../src/support/project-root.js";

interface KillTask {
  readonly seed: bigint;
  /** The maximum number of programs. */
  readonly count: number;
  readonly profile: string;
  /** Whether to localize the cause. */
  readonly locates: boolean;
}

/** Whether and how a bug was found. A process that dies or hangs has found it as well. */
export interface BugDetection {
  readonly killed: boolean;
  /** Programs judged so far; null if the process did not report them. */
  readonly programs: number | null;
  /** Processor seconds; null if the process did not report them. */
  readonly processor: number | null;
  readonly subject: string | null;
  /** The difference, or how the process ended. */
  readonly how: string;
  readonly cause: Cause | null;
}

/** The limit for a process that waits; a process that computes is ended by its own watch. */
const SECONDS_MAX = 1800;
export const HUNG = "the process hung";

/**
 * Summarizes a finding. For an error it includes the message, because the bug may not be the cause.
 */
export const summaryOf = ({
  kind,
  aspect,
  detail,
}: Pick<RawFinding, "kind" | "aspect" | "detail">): string =>
  kind === "internal-error"
    ? `${kind}: ${detail.split("\n", 1)[0].slice(0, MESSAGE_MAX)}`
    : `${kind} ${aspect ?? ""}`.trim();
const MESSAGE_MAX = 200;

/** Parses the task in the child process. */
export function parseTask(text: string): KillTask {
  // The cast: the text was written by `kill`.
  const { seed, count, profile, locates } = JSON.parse(text) as Record<keyof KillTask, never>;
  return { seed: BigInt(seed), count, profile, locates };
}

/** Judges programs in the copy until one differs. */
export async function kill(
  tree: CopiedTree,
  task: KillTask,
  options: StartOptions = {},
): Promise<BugDetection> {
  const taskText = JSON.stringify({ ...task, seed: String(task.seed) });
  const child = tree.start(SCRIPT, [taskText], options);
  const timer = setTimeout(() => child.kill("SIGKILL"), 1000 * SECONDS_MAX);
  const closed = new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...ended) => resolve(ended));
  });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [status, signal] = await closed;
  clearTimeout(timer);
  const unknown = { programs: null, processor: null, subject: null, cause: null };
  if (status !== 0) {
    // The text was written by watchdog-thread.ts.
    const { hung, programs, processor } = JSON.parse(stdout === "" ? "{}" : stdout);
    if (hung) return { ...unknown, killed: true, how: HUNG, programs, processor };
    const how = signal === null ? `the process died: ${lastWords(stderr)}` : HUNG;
    return { killed: true, how, ...unknown };
  }
  // The text was written by kill.ts.
  const { programs, processor, found, cause } = JSON.parse(stdout);
  if (found === null)
    return { killed: false, how: "alive", programs, processor, subject: null, cause };
  return {
    killed: true,
    how: summaryOf(found),
    programs,
    processor,
    subject: found.subject,
    cause,
  };
}

// The path of the copy's script, relative to the root.
const SCRIPT = relative(projectRoot(), fileURLToPath(new URL("./kill.js", import.meta.url)));
