// Finds the source line of a cause, for links from a pipeline's result.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cause } from "../../localize/cause.js";
import { projectRoot } from "../../support/project-root.js";

interface SourceLine {
  /** Path from the project's root, with slashes. */
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

const RULES = "reference/optimize/rules";
const PHASES = "reference/pipeline.ts";

/** Files in which each stage begins; the report has the details. */
const STAGES: Readonly<Record<string, string>> = {
  optimizer: "reference/optimize.ts",
  lowering: "reference/lower/lower.ts",
  allocation: "reference/allocate.ts",
  moves: "reference/regalloc/clean-up.ts",
  emission: "reference/emit/emit.ts",
  exits: "reference/snapshot/record-exits.ts",
  oracle: "src/oracle/README.md",
};

/**
 * Returns the source line of a cause, such as the row of a rule; null if the sources are missing,
 * or the cause has no line.
 */
export function sourceLineOf({ stage, part, rule }: Cause): SourceLine | null {
  if (rule !== null) {
    for (const file of filesOf(RULES)) {
      const line = rowOf(file, rule);
      if (line !== null) return line;
    }
  }
  if (part !== null) {
    const line = rowOf(PHASES, part);
    if (line !== null) return line;
  }
  const file = Object.hasOwn(STAGES, stage) ? STAGES[stage] : null;
  return file === null || read(file) === null ? null : { file, line: 1 };
}

/** Returns the row of a table that has this name. */
function rowOf(file: string, name: string): SourceLine | null {
  const at = (read(file) ?? "").split("\n").findIndex((row) => row.includes(`name: "${name}"`));
  return at < 0 ? null : { file, line: at + 1 };
}

function filesOf(folder: string): string[] {
  try {
    const names = readdirSync(join(projectRoot(), folder));
    return names.filter((name) => /^[a-z-]+\.ts$/.test(name)).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(join(projectRoot(), file), "utf8");
  } catch {
    return null;
  }
}
