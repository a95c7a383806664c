// Finds the row of a rule in the sources, if the sources are present.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";

const FOLDER = "reference/optimize/rules";
const ROW_LINES_MAX = 12;

interface RuleRow {
  /** Path and line from the project's root: `reference/optimize/rules/integer-rules.ts:41`. */
  readonly place: string;
  readonly text: string;
}

/** Returns the row of a rule by its name; null if there is none, or the sources are missing. */
export function rowOfRule(rule: string): RuleRow | null {
  const folder = join(projectRoot(), FOLDER);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((file) => file.endsWith("-rules.ts")).sort()) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes(`name: ${JSON.stringify(rule)}`));
    if (at < 0) continue;
    const first = lines[at].includes("{") ? at : at - 1;
    return { place: `${FOLDER}/${name}:${at + 1}`, text: rowFrom(lines, first) };
  }
  return null;
}

/** Returns the source lines of the rule: from `first` to the line that closes all braces. */
function rowFrom(lines: readonly string[], first: number): string {
  let depth = 0;
  const row: string[] = [];
  for (const line of lines.slice(first, first + ROW_LINES_MAX)) {
    row.push(line.replace(/^ {2}/, ""));
    for (const letter of line) depth += letter === "{" ? 1 : letter === "}" ? -1 : 0;
    if (depth <= 0) break;
  }
  return `${row.join("\n")}\n`;
}
