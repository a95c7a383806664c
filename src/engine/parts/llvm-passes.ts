// Treats the passes of LLVM as parts that can be switched off: LLVM counts them, and stops after a
// given number.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RemoteSubject } from "../../execute/subject.js";
import { type BatchCompiler, compileIn } from "../batch-subject.js";
import type { CompilerSteps } from "../engine-subject.js";
import { causingPassOf, type PassCompiler } from "../llvm/llvm-subject.js";

/** Returns clang's option for the limit; with -1 all passes run, and each is logged. */
const limitOf = (count: number): readonly string[] => ["-mllvm", `-opt-bisect-limit=${count}`];
const LOGGED_PASS = /^BISECT: running pass \((\d+)\) (.*) on .*$/;

/**
 * @param flagged returns the compiler with additional flags
 * @param printed the same compiler, which prints the text after each pass
 * @param opened returns the subject of a compiler
 */
export const llvmPasses = (
  flagged: (flags: readonly string[]) => BatchCompiler,
  printed: PassCompiler,
  opened: (compiler: BatchCompiler) => RemoteSubject,
): CompilerSteps => ({
  async list(program) {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-passes-"));
    const { sources, compile } = flagged(limitOf(-1));
    try {
      const { ended } = await compileIn(folder, sources([program]), compile);
      return passesIn(ended.errors);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  judged: async (program) => causingPassOf(printed, program),
  rest: "without passes",
  upTo: (count) => opened(flagged(limitOf(count))),
});

/**
 * Returns the passes of the program, which is compiled first; the count restarts for the driver.
 */
function passesIn(log: string): string[] {
  const names: string[] = [];
  for (const line of log.split("\n")) {
    const match = LOGGED_PASS.exec(line);
    if (match === null) continue;
    if (Number(match[1]) !== names.length + 1) break;
    names.push(match[2]);
  }
  return names;
}
