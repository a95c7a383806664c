// A place that keeps campaigns, as pages show them: a folder of reports, or a store.

import type { Markup } from "../../report/page/markup.js";
import type { Summary } from "../run/summary.js";
import type { Point } from "./progress.js";

export interface Place {
  /** The first part of its addresses. */
  readonly path: string;
  readonly title: string;
  /** What it cannot give now is said in a line. */
  list(): Promise<readonly ListedCampaign[] | string>;
  /** What the first page shows beside its campaigns; null: nothing. */
  more(): Promise<Markup | null>;
  /** Null: there is none of that key. */
  find(key: string): Promise<ShownCampaign | null>;
  /** A file of a report; null: there is none. */
  file(key: string, report: string, name: string): Promise<Uint8Array | null>;
}

export interface ListedCampaign {
  /** Its part of addresses. */
  readonly key: string;
  readonly name: string;
  /** How it stands, in words. */
  readonly state: string;
  readonly isRunning: boolean;
  /** Milliseconds since 1970; null where that is not known. */
  readonly startedAt: number | null;
  /** Null where it has none yet. */
  readonly summary: Summary | null;
  readonly points: readonly Point[];
}

export interface ShownCampaign extends ListedCampaign {
  readonly summary: Summary;
  /** Terms and what they are, beside those of its summary. */
  readonly facts: readonly (readonly [term: string, text: string])[];
  /** What a page of it has more, by title; null: nothing. */
  readonly workers: Markup | null;
}

export const RUNS = "running";
/** A campaign that has not written for so long was killed, or its machine sleeps. */
const SILENT_SECONDS = 60;

/** How a campaign stands that has not ended. One that wrote in the future did so before the clock was set back. */
export function stateAfter(silentSeconds: number): string {
  if (Math.abs(silentSeconds) < SILENT_SECONDS) return RUNS;
  const minutes = Math.round(Math.abs(silentSeconds) / 60);
  return silentSeconds > 0
    ? `silent for ${minutes} min`
    : `silent since a clock was set back by ${minutes} min or more`;
}
