// The passes of LLVM as parts that can be left out: it counts them, and stops after so many.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BatchCompiler, batchSubject, compileIn } from "../batch-subject.js";
import type { Parts } from "../engine-subject.js";

/** As clang takes it; -1: all, and each is told. */
const limitOf = (count: number): readonly string[] => ["-mllvm", `-opt-bisect-limit=${count}`];
const TOLD = /^BISECT: running pass \((\d+)\) (.*) on .*$/;

/** @param flagged the compiler with flags more */
export const llvmPasses = (flagged: (flags: readonly string[]) => BatchCompiler): Parts => ({
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
  rest: "without passes",
  upTo: (count) => batchSubject(flagged(limitOf(count))),
});

/** Of the program, which is compiled first: behind it the count begins again, for the driver. */
function passesIn(told: string): string[] {
  const names: string[] = [];
  for (const line of told.split("\n")) {
    const match = TOLD.exec(line);
    if (match === null) continue;
    if (Number(match[1]) !== names.length + 1) break;
    names.push(match[2]);
  }
  return names;
}
