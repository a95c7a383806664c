// What became of the findings of a campaign: the report of each bucket, which counts the others.

import { removeAll } from "../../support/whole-file.js";
import type { Found } from "../run/found.js";
import type { JudgeSettings } from "../run/judge-seed.js";
import { type Filed, type FindingEntry, fileBare, type Reported, reportedOf } from "./filing.js";

export class Filings {
  private readonly settings: JudgeSettings;
  /** The folder for the reports. */
  private readonly reports: string;
  /** By bucket: the best report, which counts the others. */
  private readonly byBucket = new Map<string, FindingEntry>();
  private readonly filed = new Map<Found, Filed>();
  /** Folders of reports that were the best of their bucket, or came too late to be. */
  private readonly replaced = new Set<string>();

  constructor(settings: JudgeSettings, reports: string) {
    this.settings = settings;
    this.reports = reports;
  }

  get entries(): FindingEntry[] {
    return [...this.byBucket.values()];
  }

  get reported(): Readonly<Record<string, Reported>> {
    return reportedOf(this.byBucket);
  }

  /** What became of a finding that was looked at closer; null of others. */
  filedOf(found: Found): Filed | null {
    return this.filed.get(found) ?? null;
  }

  add(found: Found, filed: Filed): void {
    this.filed.set(found, filed);
    this.count(found, filed);
  }

  /**
   * Where there is no time to look closer, a report without its program; a campaign that goes on from here
   * will look.
   * @throws MachineError
   */
  addMeanwhile(found: Found): void {
    const { reports, reported, settings } = this;
    const { canary, profile, outside, remote } = settings;
    const entry = fileBare(found, { canary, profile, reports, reported, outside, remote });
    this.count(found, { kind: "report", entry });
  }

  /** A report with what there was time for; a campaign that goes on from here makes another. */
  addUnfinished(found: Found, filed: Filed): void {
    this.count(found, filed);
  }

  /**
   * Removes the reports that a better one of their bucket has replaced.
   * @throws MachineError
   */
  removeReplaced(): void {
    const listed = new Set(this.entries.map(({ path }) => path));
    for (const path of this.replaced) if (!listed.has(path)) removeAll(path);
    this.replaced.clear();
  }

  /** Two of one bucket may have been on their way at once: the smaller program stays. */
  private count({ aspect }: Found, filed: Filed): void {
    const fresh = filed.kind === "report" ? filed.entry : null;
    const bucket = filed.kind === "report" ? filed.entry.bucket : filed.bucket;
    const known = this.byBucket.get(bucket);
    const best = known === undefined || isSmaller(fresh, known) ? fresh : known;
    if (best === null) return;
    for (const entry of [fresh, known]) if (entry != null) this.replaced.add(entry.path);
    const instances = (known?.instances ?? 0) + 1;
    const seen = [...(known?.aspects ?? []), ...(best.aspects ?? [])];
    const aspects = [...new Set(aspect === null ? seen : [...seen, aspect])];
    this.byBucket.set(bucket, { ...best, instances, aspects });
  }
}

const isSmaller = (fresh: FindingEntry | null, known: FindingEntry): boolean =>
  fresh !== null && fresh.values !== null && fresh.values < (known.values ?? Infinity);
