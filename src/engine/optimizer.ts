// Runs a command that optimizes a binary module before an engine runs it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { excerptOf } from "../compare/crash-message.js";
import type { Ending } from "../ir/outcome.js";
import { readAnswer } from "./read-answer.js";
import { runCommand } from "./run-command.js";

export interface ExternalOptimizer {
  readonly path: string;
  /** Arguments between the module and `-o OUT`. */
  readonly flags: readonly string[];
}

/** Returns the optimized module, or the failure of the optimizer. */
export async function optimized(
  { path, flags }: ExternalOptimizer,
  wasm: Uint8Array,
  timeMs: number,
): Promise<Uint8Array | Extract<Ending, { kind: "crash" | "hang" | "garbage" }>> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-optimizer-"));
  try {
    const [input, output] = [join(folder, "in.wasm"), join(folder, "out.wasm")];
    writeFileSync(input, wasm);
    const command = { path, args: [input, ...flags, "-o", output] };
    const { death, errors, failure } = await runCommand(command, [], timeMs);
    if (death !== null) {
      const evidence = `the optimizer ${death}; it wrote: ${excerptOf(errors)}`;
      return { kind: failure, evidence };
    }
    const made = readAnswer(output);
    if (typeof made === "string")
      return { kind: "garbage", evidence: `the output of the optimizer cannot be used: ${made}` };
    if (made === null) return { kind: "garbage", evidence: "the optimizer has written nothing" };
    // It drops at least the names: an unchanged module was not optimized, and would count as a
    // success.
    if (Buffer.compare(made, wasm) !== 0) return made;
    return { kind: "garbage", evidence: "the optimizer has written an unchanged module" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
