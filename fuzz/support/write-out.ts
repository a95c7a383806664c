// Writes the output of `--out`. An output that cannot be written is a wrong option.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reasonOf } from "../../src/support/machine-error.js";
import { usageError } from "./output.js";

/**
 * Writes a file, and makes its folder.
 * @throws UserError
 */
export function writeOut(out: string, content: string | Uint8Array): void {
  attempt(out, () => {
    const folder = dirname(out);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    writeFileSync(out, content);
  });
}

/**
 * Writes files into a folder, and returns their paths.
 * @param files texts by name
 * @throws UserError
 */
export function writeOutFolder(out: string, files: ReadonlyMap<string, string>): string[] {
  attempt(out, () => {
    mkdirSync(out, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(out, name), text);
  });
  return [...files.keys()].map((name) => join(out, name));
}

function attempt(out: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw usageError(`--out ${out}: cannot be written: ${reasonOf(error)}`);
  }
}
