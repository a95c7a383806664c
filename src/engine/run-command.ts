// A command of others that is started for one question, and ends with its answer.

import { type Command, endGroup, spawnBound, watchMemory } from "./bound-process.js";

export interface Ended {
  readonly output: Buffer;
  /** The first that it said on its standard error. */
  readonly errors: string;
  /** Null if it ended with status 0. */
  readonly death: string | null;
  readonly isHung: boolean;
}

const ERRORS_MAX = 1 << 20;
const OUTPUT_MAX = 1 << 30;

/** @param maxKb of memory; a usual bound if not given */
export function runCommand(
  command: Command,
  input: readonly Uint8Array[],
  timeMs: number,
  maxKb?: number,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawnBound(command);
    const output: Buffer[] = [];
    let [size, errors] = [0, ""];
    let isHung = false;
    let ended: string | null = null;
    const end = (why: string): void => {
      ended ??= why;
      endGroup(child);
    };
    const unwatch = watchMemory(child, end, maxKb);
    const timer = setTimeout(() => {
      isHung = true;
      end(`did not end within ${timeMs} ms`);
    }, timeMs);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_MAX) output.push(chunk);
      else end(`wrote more than ${OUTPUT_MAX} bytes`);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + String(chunk)).slice(0, ERRORS_MAX);
    });
    child.stdin.on("error", () => {}); // it is gone: its end says so
    child.stdin.end(Buffer.concat(input));
    const finish = (how: string | null): void => {
      clearTimeout(timer);
      unwatch();
      endGroup(child); // what it has left behind
      resolve({ output: Buffer.concat(output), errors, death: ended ?? how, isHung });
    };
    child.on("error", (error) => finish(`could not be started: ${error.message}`));
    // Its children may hold the pipes open.
    child.on("exit", () => setTimeout(() => endGroup(child), 100).unref());
    child.on("close", (status, signal) => {
      finish(
        signal === null
          ? status === 0
            ? null
            : `ended with status ${status}`
          : `was ended by ${signal}`,
      );
    });
  });
}
