// What became of the findings of a campaign: the report of each bucket, which counts the others.

import type { Found } from "../run/found.js";
import type { JudgeSettings } from "../run/judge-seed.js";
import { type Filed, type FindingEntry, fileBare } from "./file-finding.js";

export class Filings {
  private readonly settings: JudgeSettings;
  /** The folder for the reports. */
  private readonly reports: string;
  /** By bucket: the best report, which counts the others. */
  private readonly byBucket = new Map<string, FindingEntry>();
  private readonly filed = new Map<Found, Filed>();

  constructor(settings: JudgeSettings, reports: string) {
    this.settings = settings;
    this.reports = reports;
  }

  get entries(): FindingEntry[] {
    return [...this.byBucket.values()];
  }

  /** By bucket: the size of the program in its report. */
  get reported(): Readonly<Record<string, number | null>> {
    return Object.fromEntries([...this.byBucket].map(([bucket, { values }]) => [bucket, values]));
  }

  /** What became of a finding that was looked at closer; null of others. */
  filedOf(found: Found): Filed | null {
    return this.filed.get(found) ?? null;
  }

  add(found: Found, filed: Filed): void {
    this.filed.set(found, filed);
    this.count(filed);
  }

  /** For a finding that takes its worker along: a report without its program. */
  addBare(found: Found): void {
    this.add(found, this.bare(found));
  }

  /** The same where there is no time to look closer; a campaign that goes on from here will. */
  addMeanwhile(found: Found): void {
    this.count(this.bare(found));
  }

  private bare(found: Found): Filed {
    const { reports, reported, settings } = this;
    const { canary, profile } = settings;
    return { kind: "report", entry: fileBare(found, { canary, profile, reports, reported }) };
  }

  /** Two of one bucket may have been on their way at once: the smaller program stays. */
  private count(filed: Filed): void {
    const fresh = filed.kind === "report" ? filed.entry : null;
    const bucket = filed.kind === "report" ? filed.entry.bucket : filed.bucket;
    const known = this.byBucket.get(bucket);
    const best = known === undefined || isSmaller(fresh, known) ? fresh : known;
    if (best === null) return;
    const instances = (known?.instances ?? 0) + 1;
    this.byBucket.set(bucket, { ...best, instances });
  }
}

const isSmaller = (fresh: FindingEntry | null, known: FindingEntry): boolean =>
  fresh !== null && fresh.values !== null && fresh.values < (known.values ?? Infinity);
