// Stores scores: a line of JSON for each bug, profile and first seed. A run skips what the file
// contains, so an interrupted score resumes.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { MutantDetection } from "./score-mutants.js";

export interface ScoreRow extends MutantDetection {
  readonly bug: string;
  /** Component of a planted bug, or operator of a mutant. */
  readonly kind: string;
  readonly profile: string;
  readonly seed: string;
  /** The maximum number of programs. */
  readonly count: number;
  /** The stage and rule that corpus/planted expects; null if there is none. */
  readonly expected: string | null;
  /**
   * Why the bug was not judged: it does not apply or build, or its trigger program shows nothing;
   * null if it was judged.
   */
  readonly dropped: string | null;
}

type ScoreKey = Pick<ScoreRow, "bug" | "profile" | "seed" | "count">;
const keyOf = ({ bug, profile, seed, count }: ScoreKey): string =>
  JSON.stringify([bug, profile, seed, count]);

/** Identifies the bug and the programs, without their count. */
const campaignOf = ({ bug, profile, seed }: Omit<ScoreKey, "count">): string =>
  JSON.stringify([bug, profile, seed]);

export class ScoreRows {
  private readonly path: string;
  private readonly known = new Map<string, ScoreRow>();
  private readonly byCampaign = new Map<string, ScoreRow[]>();

  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      // The last line of a killed run may be incomplete.
      if (!line.endsWith("}")) continue;
      const row = JSON.parse(line) as Omit<ScoreRow, "reached" | "differed">; // written by add
      this.keep({ ...NOT_COUNTED, ...row });
    }
  }

  /**
   * Returns the row if it was scored before. A bug that fewer programs killed, or that was dropped, has
   * the same result for more programs.
   */
  find(key: ScoreKey): ScoreRow | null {
    const exact = this.known.get(keyOf(key));
    if (exact !== undefined) return exact;
    const decided = this.rowsOf(key).find(
      ({ dropped, killed, programs, count }) =>
        dropped !== null || (killed && (programs ?? count) <= key.count),
    );
    return decided === undefined ? null : { ...decided, count: key.count };
  }

  /**
   * Returns the row with the most programs, up to the count, that the bug survived; null if there
   * is none.
   */
  findAlive(key: ScoreKey): ScoreRow | null {
    const outlived = this.rowsOf(key)
      .filter(({ killed, dropped, count }) => !killed && dropped === null && count <= key.count)
      .sort((x, y) => y.count - x.count);
    return outlived[0] ?? null;
  }

  /** Returns whether a campaign has judged this bug, so that it was valid. */
  hasJudged(bug: string): boolean {
    return [...this.known.values()].some((row) => row.bug === bug && row.dropped === null);
  }

  add(row: ScoreRow): void {
    this.keep(row);
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `${JSON.stringify(row)}\n`);
  }

  private keep(row: ScoreRow): void {
    this.known.set(keyOf(row), row);
    const campaign = campaignOf(row);
    const list = this.byCampaign.get(campaign) ?? [];
    list.push(row);
    this.byCampaign.set(campaign, list);
  }

  private rowsOf(key: ScoreKey): readonly ScoreRow[] {
    return this.byCampaign.get(campaignOf(key)) ?? [];
  }
}

/** Rows from before mutated code was counted lack both fields. */
const NOT_COUNTED = { reached: null, differed: null };
