// Declares a source of campaigns, as pages show them: a folder of reports, or a store.

import type { HtmlMarkup } from "../../report/page/markup.js";
import type { CampaignSummary } from "../run/summary.js";
import type { ProgressPoint } from "./progress.js";

export interface CampaignSource {
  /** The first part of the addresses of its pages. */
  readonly path: string;
  readonly title: string;
  /** Returns the campaigns, or an error in one line. */
  list(): Promise<readonly ListedCampaign[] | string>;
  /** Returns additional contents of the first page; null: nothing. */
  more(): Promise<HtmlMarkup | null>;
  /** Returns a campaign; null: there is none with this key. */
  find(key: string): Promise<ShownCampaign | null>;
  /** Returns a file of a report; null: there is none. */
  file(key: string, report: string, name: string): Promise<Uint8Array | null>;
}

export interface ListedCampaign {
  /** The part of an address that identifies the campaign. */
  readonly key: string;
  readonly name: string;
  /** The state in words. */
  readonly state: string;
  readonly isRunning: boolean;
  /** Milliseconds since 1970; null if unknown. */
  readonly startedAt: number | null;
  /** The latest summary; null before the first one. */
  readonly summary: CampaignSummary | null;
  readonly points: readonly ProgressPoint[];
}

export interface ShownCampaign extends ListedCampaign {
  readonly summary: CampaignSummary;
  /** Terms with their texts, in addition to those of its summary. */
  readonly facts: readonly (readonly [term: string, text: string])[];
  /** A table of the fleet's workers; null: nothing. */
  readonly workers: HtmlMarkup | null;
}

export const RUNS = "running";
/** The seconds after which a campaign without new data counts as killed. */
const SILENT_SECONDS = 60;

/**
 * Describes the state of a campaign that has not ended. A campaign that wrote in the future did so
 * before the clock was set back.
 */
export function stateAfter(silentSeconds: number): string {
  if (Math.abs(silentSeconds) < SILENT_SECONDS) return RUNS;
  const minutes = Math.round(Math.abs(silentSeconds) / 60);
  return silentSeconds > 0
    ? `silent for ${minutes} min`
    : `silent since a clock was set back by ${minutes} min or more`;
}
