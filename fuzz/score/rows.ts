// What has been scored: a line of JSON for each bug, profile and first seed. A run that finds its row
// there does not ask again, so a score is resumed where it was interrupted.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { MutantFate } from "./score-mutants.js";

export interface ScoreRow extends MutantFate {
  readonly bug: string;
  /** Component of a planted bug, operator of a mutant. */
  readonly kind: string;
  readonly profile: string;
  readonly seed: string;
  /** Programs, at most. */
  readonly count: number;
  /** The stage and rule that the bug says, if it does. */
  readonly expected: string | null;
  /** Why it was not asked: it does not apply or build, or its witness shows nothing; null if it was. */
  readonly dropped: string | null;
}

type Key = Pick<ScoreRow, "bug" | "profile" | "seed" | "count">;
const keyOf = ({ bug, profile, seed, count }: Key): string =>
  JSON.stringify([bug, profile, seed, count]);

/** The same bug and programs, however many. */
const campaignOf = ({ bug, profile, seed }: Omit<Key, "count">): string =>
  JSON.stringify([bug, profile, seed]);

export class ScoreRows {
  private readonly path: string;
  private readonly known = new Map<string, ScoreRow>();
  private readonly byCampaign = new Map<string, ScoreRow[]>();

  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n")) {
      // The last line of a run that was killed may be cut off.
      if (!line.endsWith("}")) continue;
      const row = JSON.parse(line) as Omit<ScoreRow, "reached" | "differed">; // written by add
      this.keep({ ...NOT_COUNTED, ...row });
    }
  }

  /** The row, if it was scored before; one that was killed by fewer programs, or dropped, is that of more. */
  find(key: Key): ScoreRow | null {
    const exact = this.known.get(keyOf(key));
    if (exact !== undefined) return exact;
    const settled = this.of(key).find(
      ({ dropped, killed, programs, count }) =>
        dropped !== null || (killed && (programs ?? count) <= key.count),
    );
    return settled === undefined ? null : { ...settled, count: key.count };
  }

  /** That of the most programs, up to those, which the bug has outlived; null if none is known. */
  alive(key: Key): ScoreRow | null {
    const outlived = this.of(key)
      .filter(({ killed, dropped, count }) => !killed && dropped === null && count <= key.count)
      .sort((x, y) => y.count - x.count);
    return outlived[0] ?? null;
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

  private of(key: Key): readonly ScoreRow[] {
    return this.byCampaign.get(campaignOf(key)) ?? [];
  }
}

/** Rows of before mutants were counted have neither. */
const NOT_COUNTED = { reached: null, differed: null };
