// Runs a command of others for one question; it ends with its answer.

import {
  destroyPipes,
  endGroup,
  type ProcessCommand,
  spawnBound,
  watchMemory,
  whenEnded,
} from "./bound-process.js";
import { watchTime } from "./time-limit.js";

/** The words about a process that was ended at its time limit. */
export const DID_NOT_END = "did not end within";

export interface CommandResult {
  readonly output: Buffer;
  /** The first part of its standard error. */
  readonly errors: string;
  /** The way in which it failed; null if it ended with status 0. */
  readonly death: string | null;
  /** The ending of a program without an answer: `garbage` if the command wrote too much. */
  readonly failure: "crash" | "hang" | "garbage";
}

const ERRORS_MAX = 1 << 20;
/** The largest answer of a command. */
export const ANSWER_MAX = 1 << 26;
/** A killed process that does not end is abandoned after this time. */
const ABANDONED_MS = 5000;

/**
 * @param timeMs limit of the time in which it computes or waits
 * @param maxKb memory limit; the usual limit if absent
 * @param outputMax limit of bytes on its standard output
 */
export function runCommand(
  command: ProcessCommand,
  input: readonly Uint8Array[],
  timeMs: number,
  maxKb?: number,
  outputMax = ANSWER_MAX,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawnBound(command);
    const output: Buffer[] = [];
    let [size, errors] = [0, ""];
    let failure: CommandResult["failure"] = "crash";
    let ended: string | null = null;
    let givingUp: NodeJS.Timeout | undefined;
    const finish = (how: string | null): void => {
      clearTimeout(givingUp);
      for (const unwatch of watches) unwatch();
      destroyPipes(child);
      resolve({ output: Buffer.concat(output), errors, death: ended ?? how, failure });
    };
    const end = (why: string, kind: CommandResult["failure"]): void => {
      if (ended !== null) return;
      ended = why;
      failure = kind;
      endGroup(child);
      givingUp = setTimeout(() => finish(why), ABANDONED_MS);
    };
    const watches = [
      watchMemory(child, (why) => end(why, "crash"), maxKb),
      watchTime(child, timeMs, () => end(`${DID_NOT_END} ${timeMs} ms`, "hang")),
    ];
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= outputMax) output.push(chunk);
      else end(`wrote more than ${outputMax} bytes`, "garbage");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += String(chunk);
      // A message may follow much text, or come before it.
      const half = ERRORS_MAX / 2;
      if (errors.length > 2 * ERRORS_MAX) errors = errors.slice(0, half) + errors.slice(-half);
    });
    child.stdin.on("error", () => {}); // it has ended, which is reported elsewhere
    child.stdin.end(Buffer.concat(input));
    whenEnded(child, finish);
  });
}
