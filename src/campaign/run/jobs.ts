// What a campaign and its workers say to each other.

import type { Extremes } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { Distribution } from "../distribution/distribution.js";
import type { Breeding, ProgramNews } from "../evolved/evolution.js";
import type { Filed, Filing } from "../file/filing.js";
import type { Found } from "./found.js";
import type { JudgeSettings } from "./judge-seed.js";

/** Programs that remote subjects get at once: to start a compiler costs more than to compile one. */
export const TOGETHER = 16;

/** The first message to a worker. */
export interface OpenMessage {
  readonly kind: "open";
  readonly settings: JudgeSettings;
  readonly fault: Fault | null;
}

/**
 * For tests: the worker that reaches the seed, or its report, kills itself, never returns, or ends as Unicorn does
 * without memory. `abort-start`: each worker aborts before it is ready, as Node does where the system refuses a thread.
 */
export interface Fault {
  readonly seed: bigint;
  readonly does: "kill" | "hang" | "starve" | "kill-report" | "abort-start";
}

/** Work on the seeds from `first` on. */
export interface SeedsMessage {
  readonly kind: "judge" | "measure";
  readonly first: bigint;
  readonly count: number;
  /** Null but in the profile `evolved`. */
  readonly breeding: Breeding | null;
}

/** Write the report of a finding. */
export interface ReportMessage {
  readonly kind: "report";
  readonly found: Found;
  /** For its reduction; Infinity: as long as that takes. */
  readonly seconds: number;
  /** The folder in which each report gets one of its own. */
  readonly reports: string;
  readonly reported: Filing["reported"];
}

export type JobMessage = SeedsMessage | ReportMessage;

export type WorkerMessage =
  | { readonly kind: "ready" }
  | ({ readonly kind: "judged" } & Judged)
  | { readonly kind: "measured"; readonly distribution: Distribution }
  /** A measurement threw. */
  | { readonly kind: "failed"; readonly found: Found }
  /** `isReduced`: false if its time has ended the reduction. */
  | { readonly kind: "reported"; readonly filed: Filed; readonly isReduced: boolean }
  /**
   * The machine was short of something: one line. Nothing came of the job, which may be tried again. `isEnding`: what
   * it was refused it cannot ask for again, and another worker can.
   */
  | { readonly kind: "refused"; readonly line: string; readonly isEnding: boolean };

export interface Judged {
  readonly tally: Tally;
  readonly extremes: Extremes;
  readonly batch: FoundInBatch;
  /** Nothing where there is no breeding. */
  readonly news: readonly ProgramNews[];
}

/** What a batch found: whole for the first few of each symptom, and counts of all. */
export interface FoundInBatch {
  readonly kept: readonly Found[];
  readonly symptoms: Readonly<Record<string, number>>;
}

/** Findings of one symptom that are kept whole; the others are counted. */
export const KEPT_PER_SYMPTOM = 3;

/**
 * The file in which a worker writes, in words of 8 bytes, little-endian, the seed that it is at, a number that grows
 * while it waits for another process or reduces, and how far the reduction is. It survives a `kill -9`, and costs
 * the worker a microsecond a program; the watch for hangs reads it, and what shows progress.
 */
export const POSITION_FD = 4;
/** By word. */
export const POSITION = { seed: 0, beats: 8, values: 16, candidates: 24 } as const;
export const POSITION_BYTES = 32;
