// Collects the results of the programs of a campaign. Batches end in any order, but are committed
// in the order of programs, so that findings and their order do not depend on workers.
//
// The committed results are, at any time, a state from which another process can resume. A finding
// is in the state before it is announced.

import { symptomOf } from "../../report/bucket.js";
import { type ExtremePrograms, mergeExtremes, NO_EXTREMES } from "../count/extremes.js";
import { emptyTally, mergeTally, type Tally } from "../count/tally.js";
import type { Evolution, UncommonFeatures } from "../evolved/evolution.js";
import { seedAt } from "../program/seeds.js";
import type { CompletedJob } from "./batch.js";
import type { CampaignState } from "./campaign-state.js";
import type { RawFinding } from "./found.js";
import { type BatchFindings, KEPT_PER_SYMPTOM } from "./jobs.js";

/** A state without the results of examinations. */
interface StateMark extends Omit<CampaignState, "kept"> {
  /** The number of findings that were kept when the state was made. */
  readonly keptCount: number;
}

interface LedgerEvents {
  readonly seconds: () => number;
  /** Receives a kept finding; `mark` contains it, unless it is frozen. */
  readonly onKept: (found: RawFinding, symptom: string) => void;
  /** Called when `mark` has a new value; `isNews` if a finding is to be announced. */
  readonly onMark: (isNews: boolean) => void;
}

export class FindingLedger {
  readonly tally: Tally = emptyTally();
  /** The extremes of all committed programs. */
  extremes: ExtremePrograms = NO_EXTREMES;
  readonly found: RawFinding[] = [];
  readonly symptoms: Record<string, number> = {};
  /** Features of programs that another campaign has bred. */
  readonly news: UncommonFeatures[] = [];
  /** Number of programs whose results are present, in any order. */
  programs = 0;
  private committed = 0;
  /** Results that are not committed yet, by index of the first program. */
  private readonly waiting = new Map<number, CompletedJob>();
  private readonly events: LedgerEvents;
  private readonly evolution: Evolution | null;
  private lastMark: StateMark | null = null;
  private isFrozen = false;

  constructor(evolution: Evolution | null, events: LedgerEvents) {
    this.evolution = evolution;
    this.events = events;
  }

  /** Resumes from a state; the caller examines the findings again. */
  restore({ committed, tally, extremes, symptoms, kept }: CampaignState): void {
    this.extremes = mergeExtremes(this.extremes, extremes);
    this.committed = committed;
    this.programs = committed;
    mergeTally(this.tally, tally);
    Object.assign(this.symptoms, symptoms);
    this.found.push(...kept.map(({ found }) => found));
  }

  add(done: CompletedJob): void {
    this.waiting.set(done.job.begin, done);
    this.programs += done.job.count;
  }

  /** Commits the next programs; returns false if they are not done yet. */
  commitNext(): boolean {
    const done = this.waiting.get(this.committed);
    if (done === undefined) return false;
    const { job, tally, extremes, batch, news } = done;
    this.waiting.delete(this.committed);
    this.committed += job.count;
    this.extremes = mergeExtremes(this.extremes, extremes);
    if (job.breeding !== null && this.evolution !== null) {
      this.evolution.commit(job.begin, job.breeding.parents, news);
    } else for (const one of news) this.news.push({ ...one, at: job.begin + one.at });
    this.commit(tally, batch);
    return true;
  }

  /** Adds results to the totals without waiting for earlier programs. */
  commit(tally: Tally, batch: BatchFindings): void {
    mergeTally(this.tally, tally);
    const seen: Record<string, number> = {};
    const news: [RawFinding, string][] = [];
    for (const found of batch.kept) {
      const symptom = symptomOf(found);
      seen[symptom] = (seen[symptom] ?? 0) + 1;
      if ((this.symptoms[symptom] ?? 0) + seen[symptom] > KEPT_PER_SYMPTOM) continue;
      this.found.push(found);
      news.push([found, symptom]);
    }
    for (const [symptom, count] of Object.entries(batch.symptoms)) {
      this.symptoms[symptom] = (this.symptoms[symptom] ?? 0) + count;
    }
    if (!this.isFrozen) this.events.onMark(news.length > 0);
    for (const [found, symptom] of news) this.events.onKept(found, symptom);
  }

  /** Returns the last state from which a campaign can resume; null if nothing is committed. */
  get mark(): StateMark | null {
    if (this.isFrozen) return this.lastMark;
    return this.committed === 0 && this.found.length === 0 ? null : this.markNow();
  }

  /** Freezes the state: later commits may have gaps before them, so no state contains them. */
  freeze(): void {
    if (this.isFrozen) return;
    const mark = this.mark;
    this.lastMark = mark && { ...mark, tally: structuredClone(mark.tally) };
    this.isFrozen = true;
  }

  private markNow(): StateMark {
    const { committed, tally, extremes, symptoms, found, evolution } = this;
    return {
      committed,
      seconds: this.events.seconds(),
      tally,
      extremes,
      symptoms: { ...symptoms },
      keptCount: found.length,
      evolution: evolution?.state ?? null,
    };
  }

  /**
   * Commits the results after a gap, when the campaign ends.
   * @param counts false: programs that were judged after the last needed finding do not count
   * @returns the first and the last seed of each interval that is done
   */
  close(first: bigint, counts: boolean): (readonly [bigint, bigint])[] {
    const stretches = this.committed > 0 ? [{ begin: 0, end: this.committed }] : [];
    for (const [begin, { job, tally, extremes, batch }] of [...this.waiting].sort(
      ([a], [b]) => a - b,
    )) {
      if (!counts) {
        this.programs -= job.count;
        continue;
      }
      // Features are not added, because the corpus must not depend on programs after a gap.
      this.commit(tally, batch);
      this.extremes = mergeExtremes(this.extremes, extremes);
      const end = begin + job.count;
      const last = stretches.at(-1);
      if (last?.end === begin) last.end = end;
      else stretches.push({ begin, end });
    }
    return stretches.map(({ begin, end }) => [seedAt(first, begin), seedAt(first, end - 1)]);
  }
}
