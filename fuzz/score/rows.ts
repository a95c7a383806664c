// What has been scored: a line of JSON for each bug, profile and first seed. A run that finds its row
// there does not ask again, so a score is resumed where it was interrupted.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Killed } from "./kill-task.js";

export interface ScoreRow extends Killed {
  readonly bug: string;
  /** Component of a planted bug, operator of a mutant. */
  readonly kind: string;
  readonly profile: string;
  readonly seed: string;
  /** Programs, at most. */
  readonly count: number;
  /** The stage and rule that the bug says, if it does. */
  readonly expected: string | null;
  /** Why it was not asked: it does not apply, build, or pass the quick tests; null if it was. */
  readonly dropped: string | null;
}

type Key = Pick<ScoreRow, "bug" | "profile" | "seed" | "count">;
const keyOf = ({ bug, profile, seed, count }: Key): string =>
  JSON.stringify([bug, profile, seed, count]);

export class ScoreRows {
  private readonly path: string;
  private readonly known = new Map<string, ScoreRow>();

  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      // The last line of a run that was killed may be cut off.
      if (!line.endsWith("}")) continue;
      const row = JSON.parse(line) as ScoreRow; // written by add
      this.known.set(keyOf(row), row);
    }
  }

  /** The row, if it was scored before. */
  find(key: Key): ScoreRow | null {
    return this.known.get(keyOf(key)) ?? null;
  }

  add(row: ScoreRow): void {
    this.known.set(keyOf(row), row);
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify(row)}\n`);
  }
}
