// Runs a module of WebAssembly in JavaScriptCore until its best compiler has compiled it, and gives what that
// compiler, B3, logs of each phase.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Input } from "../../ir/outcome.js";
import type { Command } from "../bound-process.js";
import { type Ended, runCommand } from "../run-command.js";
import { questionOf } from "../wasm-protocol.js";

/** Of JavaScriptCore: each phase of B3 is logged, with the whole procedure. */
export const LOG_PHASES = "dumpB3GraphAtEachPhase=1";
/** The most bytes of its answer, whose records are in hexadecimal. */
const OUTPUT_MAX = 1 << 29;
/** How often each input runs: by the third time the best compiler has made the code. */
const ROUNDS = 3;
/** Of the log, in blocks of 512 bytes. */
const BLOCKS_MAX = 1 << 20;
/**
 * The log goes to a file: JavaScriptCore writes it a few bytes at a time, and a pipe takes twice as long for them.
 */
const SCRIPT = `ulimit -f ${BLOCKS_MAX}; log=$1; shift; exec "$@" 2> "$log"`;

/** How the engine ended, and what it logged. */
interface Logged {
  readonly ended: Ended;
  readonly log: string;
}

/** @param command JavaScriptCore with LOG_PHASES, and the driver of `wasm-driver.ts` */
export async function b3Log(
  { path, args }: Command,
  wasm: Uint8Array,
  inputs: readonly Input[],
  timeMs: number,
): Promise<Logged> {
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
