// Runs a module of WebAssembly in JavaScriptCore until its best compiler, B3, has compiled it, and
// returns B3's log of each phase.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Input } from "../../ir/outcome.js";
import type { ProcessCommand } from "../bound-process.js";
import { type CommandResult, runCommand } from "../run-command.js";
import { questionOf } from "../wasm-protocol.js";

/** An option of JavaScriptCore: B3 logs the whole procedure after each phase. */
export const LOG_PHASES = "dumpB3GraphAtEachPhase=1";
/** The most bytes of the answer, whose records are in hexadecimal. */
const OUTPUT_MAX = 1 << 29;
/** The number of runs of each input: in the third, the best compiler's code runs. */
const ROUNDS = 3;
/** The size limit of the log, in blocks of 512 bytes. */
const BLOCKS_MAX = 1 << 20;
/**
 * The log goes to a file: JavaScriptCore writes it a few bytes at a time, and a pipe takes twice as
 * long for them.
 */
const SCRIPT = `ulimit -f ${BLOCKS_MAX}; log=$1; shift; exec "$@" 2> "$log"`;

/** The end of the engine's process, and its log. */
interface B3LogResult {
  readonly ended: CommandResult;
  readonly log: string;
}

/** @param command JavaScriptCore with LOG_PHASES, and the driver of `wasm-driver.ts` */
export async function b3Log(
  { path, args }: ProcessCommand,
  wasm: Uint8Array,
  inputs: readonly Input[],
  timeMs: number,
): Promise<B3LogResult> {
  const folder = await mkdtemp(join(tmpdir(), "touchstone-b3-"));
  try {
    const file = join(folder, "log");
    const words = ["-c", SCRIPT, "sh", file, path, ...args];
    const question = Buffer.from(`${questionOf(wasm, inputs, ROUNDS)}\n`);
    const ended = await runCommand(
      { path: "/bin/sh", args: words },
      [question],
      timeMs,
      undefined,
      OUTPUT_MAX,
    );
    return { ended, log: existsSync(file) ? readFileSync(file, "latin1") : "" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
