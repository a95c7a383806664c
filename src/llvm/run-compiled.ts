// Compiles LLVM IR without passes, links it with a driver in C, and runs it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askProgram } from "../support/ask-program.js";

const COMPILE_MS = 120_000;
const RUN_MS = 60_000;
const OUTPUT_MAX = 1 << 26;

/**
 * Returns what the driver prints; null if it cannot be compiled or does not end.
 * @param compiler the command and its first words
 * @param flags such as `-O2`, for the back end
 */
export function runCompiled(
  text: string,
  driver: string,
  compiler: readonly string[],
  flags: readonly string[],
): string | null {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-llvm-"));
  const [command, ...words] = compiler;
  const compile = (...args: string[]): boolean =>
    askProgram(command, [...words, ...args], { timeMs: COMPILE_MS, bytesMax: OUTPUT_MAX })
      .status === 0;
  try {
    const [module, source, object, program] = ["x.ll", "driver.c", "x.o", "x"].map((name) =>
      join(folder, name),
    );
    writeFileSync(module, text);
    writeFileSync(source, driver);
    const isLinked =
      compile(...flags, "-w", "-c", "-Xclang", "-disable-llvm-passes", module, "-o", object) &&
      compile(
        "-w",
        "-no-pie",
        source,
        object,
        "-Wl,--unresolved-symbols=ignore-all",
        "-o",
        program,
      );
    if (!isLinked) return null;
    const ended = askProgram(program, [], { timeMs: RUN_MS, bytesMax: OUTPUT_MAX });
    return ended.status === 0 ? ended.stdout : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
