// Keeps the reports of a campaign: the best of each bucket, which counts the others.

import { removeAll } from "../../support/whole-file.js";
import type { RawFinding } from "../run/found.js";
import type { JudgeSettings } from "../run/judge-seed.js";
import {
  type BucketReport,
  type FilingResult,
  type FindingEntry,
  fileWithoutProgram,
  reportedOf,
} from "./filing.js";

export class FindingFiles {
  private readonly settings: JudgeSettings;
  private readonly reports: string;
  /** The report with the smallest program of each bucket; its entry counts the other findings. */
  private readonly byBucket = new Map<string, FindingEntry>();
  private readonly filed = new Map<RawFinding, FilingResult>();
  /** Folders of reports that were replaced, or came too late to be the best of their bucket. */
  private readonly replaced = new Set<string>();

  constructor(settings: JudgeSettings, reports: string) {
    this.settings = settings;
    this.reports = reports;
  }

  get entries(): FindingEntry[] {
    return [...this.byBucket.values()];
  }

  get reported(): Readonly<Record<string, BucketReport>> {
    return reportedOf(this.byBucket);
  }

  /** Returns the result of an examined finding; null for others. */
  filedOf(found: RawFinding): FilingResult | null {
    return this.filed.get(found) ?? null;
  }

  add(found: RawFinding, filed: FilingResult): void {
    this.filed.set(found, filed);
    this.count(found, filed);
  }

  /**
   * Writes a report without a program, if there is no time to examine the finding. A campaign that
   * resumes from here will examine it.
   * @throws MachineError
   */
  addWithoutProgram(found: RawFinding): void {
    const { reports, reported, settings } = this;
    const { canary, profile, outside, remote } = settings;
    const entry = fileWithoutProgram(found, {
      canary,
      profile,
      reports,
      reported,
      outside,
      remote,
    });
    this.count(found, { kind: "report", entry });
  }

  /** Adds an incomplete report; a campaign that resumes from here makes another. */
  addUnfinished(found: RawFinding, filed: FilingResult): void {
    this.count(found, filed);
  }

  /**
   * Removes the reports that were replaced by a better one of their bucket.
   * @throws MachineError
   */
  removeReplaced(): void {
    const listed = new Set(this.entries.map(({ path }) => path));
    for (const path of this.replaced) if (!listed.has(path)) removeAll(path);
    this.replaced.clear();
  }

  /** Counts a finding. Two reports of one bucket may be made at once: the smaller program stays. */
  private count({ aspect }: RawFinding, filed: FilingResult): void {
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
