// Finds a program as the user's shell does. npx puts the programs of packages first: the package
// `wabt` has a `wasm-interp` of its own, in JavaScript, of another version, and a tenth as fast.

import { existsSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { askProgram } from "../support/ask-program.js";

const OF_PACKAGES = join(sep, "node_modules", ".bin");

/** Returns the path; null if there is none. */
export function pathOf(program: string): string | null {
  if (program.includes("/")) return existsSync(program) ? program : null;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, program);
    if (folder !== "" && !folder.endsWith(OF_PACKAGES) && existsSync(path)) return path;
  }
  return null;
}

/**
 * Describes the lack of a program.
 * @param name the row that needs it
 * @param install the command that installs it; a program with a path is put or linked there
 */
export const lackOf = (name: string, program: string, install: string): string =>
  `${name}: there is no ${program}: ${program.includes("/") ? "put or link it there: docs/engines.md" : install}`;

/** Returns true if a C compiler finds a library file of that name. */
export function hasLibrary(compiler: string, file: string): boolean {
  const path = pathOf(compiler);
  if (path === null) return false;
  const { stdout } = askProgram(path, [`-print-file-name=${file}`]);
  // It prints the path of the file, or the unchanged name if there is none.
  return existsSync(stdout?.trim() ?? "");
}
