// What a campaign is told, and what it comes to.

import type { Extremes } from "../count/extremes.js";
import type { Tally } from "../count/tally.js";
import type { Distribution } from "../distribution/distribution.js";
import type { Breeding, EvolutionFigures, ProgramNews } from "../evolved/evolution.js";
import type { FindingEntry } from "../file/filing.js";
import type { SeedsJob } from "./batch.js";
import type { CampaignState } from "./campaign-state.js";
import type { Found } from "./found.js";
import type { Fault } from "./jobs.js";
import type { JudgeSettings } from "./judge-seed.js";
import type { KeptWorkers } from "./kept-workers.js";

export interface CampaignOptions {
  readonly settings: JudgeSettings;
  readonly first: bigint;
  /** Programs; Infinity: until something else ends it. */
  readonly count: number;
  /** Infinity: until something else ends it. Its reports have no longer either. */
  readonly seconds: number;
  readonly workers: number;
  /** Asked after each commit: is what has been found enough? */
  readonly isEnough: (progress: Progress) => boolean;
  /** Programs of the interval of which the distribution is measured; 0: none. */
  readonly sampleCount: number;
  /** Of a round: the profile `evolved` breeds by rounds. */
  readonly roundPrograms: number;
  /** What its programs mutate, where another campaign breeds them; missing: it breeds them itself. */
  readonly bred?: Breeding | null;
  /** Where an earlier process left the same campaign; null: it begins. */
  readonly from: CampaignState | null;
  /** `Campaign.state` is new; `isNews`: it has findings that are announced next. */
  readonly onState: (isNews: boolean) => void;
  /** The folder for the reports of findings. */
  readonly reports: string;
  /** Of what is kept, whether a report is written. */
  readonly isReported: (found: Found) => boolean;
  /** A reduction may take so long; missing: as long as it takes. */
  readonly reduceSeconds?: number;
  /** Without progress for so long, a worker hangs. */
  readonly hangSeconds: number;
  /** For tests. */
  readonly fault: Fault | null;
  /** A finding that is kept, in the order of seeds. */
  readonly onFound: (found: Found, symptom: string) => void;
  /** Null: all is judged by workers of this process. */
  readonly helpers: Helpers | null;
  /** Where its workers come from and go to; without it they end with it. */
  readonly kept?: KeptWorkers;
  /** A worker process was started. */
  readonly onWorker: (pid: number | undefined) => void;
  /** The machine has refused something, which will be tried again: one line. */
  readonly onRefusal: (line: string) => void;
}

/** Other machines, to which a campaign lends intervals of its programs. */
export interface Helpers {
  /** So many intervals more would be taken now. */
  readonly room: number;
  /** Of an interval; null: what keeps one of them busy for a while. */
  readonly programs: number | null;
  /** Worker processes that one of them has. */
  readonly processes: number;
  lend(job: SeedsJob): void;
}

export interface Progress {
  /** Programs whose results are there, in whatever order. */
  readonly programs: number;
  readonly seconds: number;
  /** What is committed: whole for the first few of each symptom. */
  readonly found: readonly Found[];
  /** Seeds with a finding, by symptom; a seed counts in each of its symptoms. */
  readonly symptoms: Readonly<Record<string, number>>;
  /** Buckets that have a report. */
  readonly causes: number;
}

/** How far the reports of findings are that workers reduce now. */
export interface Reducing {
  /** Reports that are made or begun, of so many. */
  readonly begun: number;
  readonly reports: number;
  /** The values of the largest program that is reduced now. */
  readonly values: number;
  readonly candidatesPerMinute: number;
}

/** As a user sees a campaign that runs; null: nothing is reduced. */
export interface Shown extends Progress {
  readonly reducing: Reducing | null;
}

/** What ended a campaign; `machine`: nothing could be done for half a minute. */
export type Ended = "count" | "time" | "findings" | "interrupted" | "machine";

export interface CampaignResult extends Omit<Progress, "causes"> {
  readonly ended: Ended;
  readonly tally: Tally;
  readonly extremes: Extremes;
  /** Null if nothing was measured. */
  readonly distribution: Distribution | null;
  /** Null but in the profile `evolved`. */
  readonly evolution: EvolutionFigures | null;
  /** Where another campaign has bred its programs: what they bring, `at` among all of them. */
  readonly news: readonly ProgramNews[];
  /** The report of each bucket. */
  readonly entries: readonly FindingEntry[];
  /** Findings whose report could not be written. */
  readonly unwritten: number;
  /** Findings whose program is not reduced to the end; a campaign that goes on from here reduces it. */
  readonly unreduced: number;
  /** First and last seed of each stretch that is done, in the order of indices. */
  readonly intervals: readonly (readonly [bigint, bigint])[];
  /** The same of what helpers have not brought. */
  readonly missing: readonly (readonly [bigint, bigint])[];
}
