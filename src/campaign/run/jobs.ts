// Declares the messages between a campaign and its workers.

import type { ExtremePrograms } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { BatchParents, UncommonFeatures } from "../evolved/evolution.js";
import type { FilingContext, FilingResult } from "../file/filing.js";
import type { RawFinding } from "./found.js";
import type { JudgeSettings } from "./judge-seed.js";

/**
 * Number of programs that remote subjects get at once: starting a compiler costs more than
 * compiling a program.
 */
export const TOGETHER = 16;

/** The first message to a worker. */
export interface OpenMessage {
  readonly kind: "open";
  readonly settings: JudgeSettings;
  readonly fault: InjectedFault | null;
}

/**
 * A fault for tests: the worker that reaches the seed, or its report, kills itself, never returns,
 * or ends as Unicorn does without memory.
 * `abort-start`: each worker aborts before it is ready, as Node does if the system refuses a thread.
 * `refuse-start`: each worker refuses to start, as after another build.
 */
export interface InjectedFault {
  readonly seed: bigint;
  readonly does: "kill" | "hang" | "starve" | "kill-report" | "abort-start" | "refuse-start";
}

/** A request to judge the seeds from `first` on. */
export interface SeedsMessage {
  readonly kind: "judge";
  readonly first: bigint;
  readonly count: number;
  /** The parents for the programs of the job; null except in the profile `evolved`. */
  readonly breeding: BatchParents | null;
}

/** A request to write the report of a finding. */
export interface ReportMessage {
  readonly kind: "report";
  readonly found: RawFinding;
  /** The time limit of the reduction in seconds; Infinity for none. */
  readonly seconds: number;
  /** The folder in which each report gets a folder of its own. */
  readonly reports: string;
  readonly reported: FilingContext["reported"];
}

export type JobMessage = SeedsMessage | ReportMessage;

export type WorkerMessage =
  | { readonly kind: "ready" }
  | ({ readonly kind: "judged" } & BatchResult)
  /** `isReduced`: false if the time limit has ended the reduction. */
  | { readonly kind: "reported"; readonly filed: FilingResult; readonly isReduced: boolean }
  /**
   * The machine lacks a resource: one line. The job has no result, and may be retried. `isEnding`:
   * this process cannot retry the operation, but another worker can.
   */
  | { readonly kind: "refused"; readonly line: string; readonly isEnding: boolean };

export interface BatchResult {
  readonly tally: Tally;
  readonly extremes: ExtremePrograms;
  readonly batch: BatchFindings;
  /** The uncommon features of the programs; empty except in the profile `evolved`. */
  readonly news: readonly UncommonFeatures[];
}

/** The findings of a batch: the first few of each symptom completely, and counts of all. */
export interface BatchFindings {
  readonly kept: readonly RawFinding[];
  readonly symptoms: Readonly<Record<string, number>>;
}

/** Number of findings of one symptom that are kept completely; the others are counted. */
export const KEPT_PER_SYMPTOM = 3;

/**
 * The file to which a worker writes its position, in words of 8 bytes, little-endian. The words are
 * the current seed, a number that grows while it waits for another process or reduces, and the
 * progress of the reduction. The file survives a `kill -9`, and costs the worker a microsecond a
 * program. The watch for hangs and the display of progress read it.
 */
export const POSITION_FD = 4;
/** The byte offset of each word in the position file. */
export const POSITION = { seed: 0, beats: 8, values: 16, candidates: 24 } as const;
export const POSITION_BYTES = 32;
