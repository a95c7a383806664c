// Maps a diff of the compiler to names at which a campaign can aim: changed rows to rules, words of
// changed lines to opcodes, folders to profiles of the generator.

import { aimAt } from "../../src/campaign/program/toward.js";
import { OPCODE_NAMES } from "../../src/ir/opcodes.js";

const RULES = "reference/optimize/rules/";
/** By folder of the compiler: the profile of the generator that exercises it. */
// biome-ignore format: a table
const FOLDERS: readonly (readonly [folder: string, profile: string])[] = [
  ["reference/regalloc/",              "pressure"],
  ["reference/optimize/memory/",       "memory"],
  ["reference/optimize/loops/",        "control"],
  ["reference/optimize/control-flow/", "control"],
  ["reference/snapshot/",              "exits"],
  ["src/oracle/exit",                  "exits"],
];

/** The new lines of a hunk, and its removed and added text. */
interface DiffHunk {
  readonly file: string;
  /** The first of the new lines, from 1; if the hunk only removes lines, the line before them. */
  readonly line: number;
  readonly count: number;
  readonly words: Set<string>;
}

/**
 * Returns the names for a profile `toward:`.
 * @param read returns the current text of a file
 */
export function aimsOfDiff(diff: string, read: (file: string) => string): string[] {
  const rules = new Set<string>();
  const opcodes = new Set<string>();
  const profiles = new Set<string>();
  for (const hunk of hunksIn(diff)) {
    for (const [folder, profile] of FOLDERS)
      if (hunk.file.startsWith(folder)) profiles.add(profile);
    if (hunk.file.startsWith(RULES)) for (const name of rulesAt(hunk, read)) rules.add(name);
    else for (const name of OPCODE_NAMES) if (hunk.words.has(name)) opcodes.add(name);
  }
  return [...rules, ...opcodes, ...profiles].filter((name) => aimAt(name) !== null);
}

function hunksIn(diff: string): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let file: string | null = null;
  for (const line of diff.split("\n")) {
    if (line.startsWith("+++ ")) {
      const isSource = line.startsWith("+++ b/") && line.endsWith(".ts");
      file = isSource && !line.endsWith(".test.ts") ? line.slice("+++ b/".length) : null;
      continue;
    }
    const at = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (at !== null && file !== null) {
      hunks.push({ file, line: Number(at[1]), count: Number(at[2] ?? 1), words: new Set() });
    } else if (/^[+-]/.test(line) && file !== null) {
      for (const word of line.match(/\w+/g) ?? []) hunks.at(-1)?.words.add(word);
    }
  }
  return hunks;
}

const RULE_NAME = /\bname: "([\w-]+)"/;

/**
 * Returns the rules whose row changed. A row extends from its name, or the line before it, to the
 * next name.
 */
function rulesAt({ file, line, count }: DiffHunk, read: (file: string) => string): string[] {
  const rows = read(file).split("\n");
  const names: string[] = [];
  for (let at = Math.max(1, line); at <= Math.max(line, line + count - 1); at++) {
    const isOpening = /^\s*\{\s*$/.test(rows[at - 1] ?? "");
    let from = isOpening ? at + 1 : at;
    while (from > 0 && !RULE_NAME.test(rows[from - 1] ?? "")) from--;
    const name = RULE_NAME.exec(rows[from - 1] ?? "")?.[1];
    if (name !== undefined) names.push(name);
  }
  return names;
}
