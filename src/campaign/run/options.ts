// Declares the options and the result of a campaign.

import type { ExtremePrograms } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { BatchParents, EvolutionFigures, UncommonFeatures } from "../evolved/evolution.js";
import type { FindingEntry } from "../file/filing.js";
import type { SeedsJob } from "./batch.js";
import type { CampaignState } from "./campaign-state.js";
import type { RawFinding } from "./found.js";
import type { InjectedFault } from "./jobs.js";
import type { JudgeSettings } from "./judge-seed.js";
import type { ReusableWorkers } from "./kept-workers.js";

export interface CampaignOptions {
  readonly settings: JudgeSettings;
  readonly first: bigint;
  /** The number of programs; Infinity if only another limit ends the campaign. */
  readonly count: number;
  /**
   * The time limit in seconds, including reports; Infinity if only another limit ends the campaign.
   */
  readonly seconds: number;
  readonly workers: number;
  /** Called after each commit: returns whether there are enough findings. */
  readonly isEnough: (progress: ProgressCounts) => boolean;
  /** Number of programs of a round: the profile `evolved` breeds by rounds. */
  readonly roundPrograms: number;
  /**
   * The parents of its programs, if another campaign breeds them; absent: it breeds them itself.
   */
  readonly bred?: BatchParents | null;
  /** The state of the same campaign in an earlier process; null: it begins. */
  readonly from: CampaignState | null;
  /** Called when `Campaign.state` is new; `isNews`: it has findings that are announced next, or a new report. */
  readonly onState: (isNews: boolean) => void;
  /** The folder for the reports of findings. */
  readonly reports: string;
  /** Returns whether a report is written for a kept finding. */
  readonly isReported: (found: RawFinding) => boolean;
  /** The time limit of a reduction; absent: none. */
  readonly reduceSeconds?: number;
  /** The time without progress after which a worker hangs. */
  readonly hangSeconds: number;
  /** A fault that a test injects into workers; null for none. */
  readonly fault: InjectedFault | null;
  /** Receives each kept finding, in the order of seeds. */
  readonly onFound: (found: RawFinding, symptom: string) => void;
  /** The fleet; null: workers of this process judge all programs. */
  readonly helpers: HelperMachines | null;
  /** A cache of workers for several campaigns; absent: workers end with the campaign. */
  readonly kept?: ReusableWorkers;
  /** Called when a worker process was started. */
  readonly onWorker: (pid: number | undefined) => void;
  /** Receives one line for each error of the machine; the operation will be retried. */
  readonly onRefusal: (line: string) => void;
}

/** Other machines, to which a campaign lends intervals of its programs. */
export interface HelperMachines {
  /** The number of further intervals that fleet workers can take now. */
  readonly room: number;
  /** Programs of an interval; null: as many as keep one worker busy for a while. */
  readonly programs: number | null;
  /** Number of worker processes of one fleet worker. */
  readonly processes: number;
  lend(job: SeedsJob): void;
}

export interface ProgressCounts {
  /** Number of programs whose results are present, in any order. */
  readonly programs: number;
  readonly seconds: number;
  /** Committed findings: the first few of each symptom. */
  readonly found: readonly RawFinding[];
  /** Number of seeds with a finding, by symptom; a seed counts in each of its symptoms. */
  readonly symptoms: Readonly<Record<string, number>>;
  /** Number of buckets with a report. */
  readonly causes: number;
}

/** The progress of the reports that workers reduce now. */
export interface ReductionCounts {
  /** Number of reports that are done or begun, and of all reports. */
  readonly begun: number;
  readonly reports: number;
  /** Number of values of the largest program that is reduced now. */
  readonly values: number;
  readonly candidatesPerMinute: number;
}

/** The progress of a running campaign for users; null: nothing is reduced. */
export interface RunningProgress extends ProgressCounts {
  readonly reducing: ReductionCounts | null;
}

/** The reason for the end of a campaign; `machine`: nothing could be done for half a minute. */
export type EndReason = "count" | "time" | "findings" | "interrupted" | "machine";

export interface CampaignResult extends Omit<ProgressCounts, "causes"> {
  readonly ended: EndReason;
  readonly tally: Tally;
  readonly extremes: ExtremePrograms;
  /** The figures of the evolving corpus; null except in the profile `evolved`. */
  readonly evolution: EvolutionFigures | null;
  /** If another campaign bred the programs: their features; `at` is the index in the campaign. */
  readonly news: readonly UncommonFeatures[];
  /** The report of each bucket. */
  readonly entries: readonly FindingEntry[];
  /** Number of findings whose report could not be written. */
  readonly unwritten: number;
  /**
   * Number of findings whose reduction did not end; a campaign that resumes from here reduces them.
   */
  readonly unreduced: number;
  /** The first and the last seed of each interval that is done, in the order of indices. */
  readonly intervals: readonly (readonly [bigint, bigint])[];
  /** The first and last seed of each interval that fleet workers did not deliver. */
  readonly missing: readonly (readonly [bigint, bigint])[];
}
