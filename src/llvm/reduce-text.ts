// Reduces a module of LLVM IR by `llvm-reduce`, which starts a script for each candidate. The script sends the path of the
// candidate to this process and reads the answer, by two pipes, so that the judge stays loaded.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { userEnvironment } from "../support/user-environment.js";

/** The descriptors of the questions and the answers in `llvm-reduce` and its script. */
const [QUESTION_FD, ANSWER_FD] = [3, 4];
const SCRIPT = `#!/bin/sh\necho "$1" >&${QUESTION_FD} && read answer <&${ANSWER_FD} && exit "$answer"\nexit 2\n`;
/** Globals keep their initial values, so that the text can be linked and run. */
const KEPT = ["--skip-delta-passes=global-initializers"];

/**
 * Returns the shortest interesting text that was found in the time; null if `llvm-reduce` cannot be started.
 * @param command the path of `llvm-reduce`
 * @param isInteresting whether a candidate still shows the property; it is true of the text
 */
export async function reduceText(
  text: string,
  command: string,
  isInteresting: (candidate: string) => boolean,
  timeMs: number,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-reduce-"));
  let best = text;
  const consider = (path: string): boolean => {
    const candidate = readFileSync(path, "utf8");
    if (!isInteresting(candidate)) return false;
    if (candidate.length < best.length) best = candidate;
    return true;
  };
  try {
    const [script, input] = ["test.sh", "input.ll"].map((name) => join(folder, name));
    writeFileSync(script, SCRIPT, { mode: 0o700 });
    writeFileSync(input, text);
    const isStarted = await runReducer(
      [command, `--test=${script}`, ...KEPT, input],
      folder,
      consider,
      timeMs,
    );
    return isStarted ? best : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the command, and answers each path that the script sends. */
function runReducer(
  [command, ...args]: readonly string[],
  folder: string,
  isInteresting: (path: string) => boolean,
  timeMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...userEnvironment(), TMPDIR: folder },
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      timeout: timeMs,
      killSignal: "SIGKILL",
    });
    const [questions, answers] = [child.stdio[QUESTION_FD], child.stdio[ANSWER_FD]];
    child.on("error", () => resolve(false));
    child.on("close", () => resolve(true));
    if (!(questions instanceof Readable && answers instanceof Writable)) return;
    answers.on("error", () => {}); // the command has ended
    createInterface({ input: questions }).on("line", (path) => {
      answers.write(`${isInteresting(path) ? 0 : 1}\n`);
    });
  });
}
