// Where a program is, as a shell finds it.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Null if there is none. */
export function pathOf(program: string): string | null {
  if (program.includes("/")) return existsSync(program) ? program : null;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, program);
    if (folder !== "" && existsSync(path)) return path;
  }
  return null;
}
