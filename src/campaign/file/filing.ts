// Writes a finding as a folder, and makes its entry of the summary. All kinds of reports end here.

import { dirname, resolve } from "node:path";
import { type Cause, causeOfKnownBugs } from "../../localize/cause.js";
import type { LocatedCause } from "../../localize/located.js";
import type { ReductionWatch } from "../../reduce/reduction-watch.js";
import type { Evidence } from "../../report/evidence.js";
import { commandFromRoot, doubtOf, type FindingFacts, makeFinding } from "../../report/finding.js";
import { reportFolder, writeReport } from "../../report/write-report.js";
import { outsideFiles } from "../program/outside.js";
import type { RawFinding } from "../run/found.js";
import { type RemoteShare, remoteWords, subsetOfRemote } from "../run/judge-elsewhere.js";
import { isReportedIn, type News, newsOf, readKnown } from "./known.js";
import { outlineOf } from "./outline.js";

/** A finding in the list of a summary. */
export interface FindingEntry {
  readonly id: string;
  readonly bucket: string;
  readonly bucketId: string;
  readonly news: News;
  readonly kind: string;
  /** The seed in decimal; null for a program from a file. */
  readonly seed: string | null;
  readonly detail: string;
  /** The folder of the report. */
  readonly path: string;
  /** The argument vector that reproduces it, from the project's root. */
  readonly command: readonly string[];
  /** Number of examined findings of the bucket, this one included. */
  readonly instances: number;
  /** The number of values of the reduced program, as in finding.json. */
  readonly values: number | null;
  /**
   * The aspects of the bucket's findings, in the order in which they came; absent in summaries of
   * older builds.
   */
  readonly aspects?: readonly string[];
  /** The located cause, as in finding.json; absent in summaries of older builds. */
  readonly cause?: Cause | null;
  /** The opcodes of a small program (split-bucket.ts); absent in summaries of older builds. */
  readonly outline?: string | null;
  /** Why the finding is not confirmed, as `doubtOf` returns it; summaries of older builds have none. */
  readonly doubt?: string | null;
}

/** The destination of reports, and the facts that all findings of a campaign share. */
export interface Filing {
  /** The name of the planted bug; null if none is planted. */
  readonly canary: string | null;
  /** The profile of the seed: one of PROFILE_NAMES. */
  readonly profile: string;
  /** The folder in which each report gets a folder of its own. */
  readonly reports: string;
  /** The best report of each bucket so far, by name of the bucket. */
  readonly reported: Readonly<Record<string, BucketReport>>;
  /** JudgeSettings.outside: a report contains those programs that its seed mutates. */
  readonly outside?: readonly string[] | undefined;
  /** The folder with earlier reports and campaigns; by default the parent of `reports`. */
  readonly earlier?: string;
  /** JudgeSettings.remote: the command of a finding names the command of its subject. */
  readonly remote?: readonly RemoteShare[] | undefined;
  /** Observes the reduction, and may end it. */
  readonly watch?: ReductionWatch | undefined;
}

/** The facts of a bucket's report that matter for another finding of the bucket. */
export type BucketReport = Required<Pick<FindingEntry, "values" | "instances" | "outline">>;

export const reportedOf = (
  entries: Iterable<readonly [string, FindingEntry]>,
): Record<string, BucketReport> =>
  Object.fromEntries(
    [...entries].map(([bucket, { values, instances, outline = null }]) => {
      return [bucket, { values, instances, outline }] as const;
    }),
  );

/**
 * The result of filing a finding: a report, or one more instance of a bucket with a better report.
 */
export type FilingResult =
  | { readonly kind: "report"; readonly entry: FindingEntry }
  | { readonly kind: "instance"; readonly bucket: string };

/** The symptom of a program; the seed is null for a program from a file. */
export type Symptom = Omit<RawFinding, "seed"> & { readonly seed: bigint | null };

export type ReportedProgram = Pick<Evidence, "module"> & {
  readonly inputs: Evidence["originalInputs"];
};

/** Writes a report without a program: only the seed is known. */
export const fileWithoutProgram = (found: Symptom, filing: Filing): FindingEntry =>
  fileAs(found, filing, {}, null, null);

/** Writes the folder of a report, and returns its entry for the summary. */
export function fileAs(
  found: Symptom,
  { canary, profile, reports, reported, outside, remote = [], earlier }: Filing,
  known: Partial<FindingFacts>,
  evidence: Evidence | null,
  place: LocatedCause | null,
): FindingEntry {
  const { kind, seed, parents, subject, aspect, detail, known: bugs } = found;
  const seen = { kind, seed, profile, parents, subject, aspect, detail, canary };
  const cause = bugs === undefined ? null : causeOfKnownBugs(bugs);
  const nothing = { input: null, text: null, cause, values: null };
  const runs = { confirmed: null, confirmedReduced: null };
  const instruction = place !== null && "instruction" in place ? place.instruction : null;
  const unknown = { ...nothing, ...runs, instruction };
  const share = remote.find(({ name }) => name === subject);
  const way = { foundBy: subject, settings: share === undefined ? [] : remoteWords(share) };
  const supports = subsetOfRemote(remote);
  const within = supports === undefined ? {} : { supports };
  const finding = makeFinding({ ...seen, ...unknown, ...way, ...within, ...known });
  const path = reportFolder(reports, finding);
  const before = earlier ?? dirname(resolve(reports));
  const isSeen = reported[finding.bucket] === undefined && isReportedIn(before, reports, finding);
  writeReport(path, finding, evidence, place, outsideFiles(outside, parents));
  const { id, bucket, bucketId, values } = finding;
  const command = commandFromRoot(finding, path);
  const registered = bugs === undefined ? newsOf(bucketId, readKnown()) : "known";
  const news = registered === "new" && isSeen ? "seen" : registered;
  const about = { id, bucket, bucketId, news, kind, seed: seed?.toString() ?? null, detail };
  const outline = evidence === null ? null : outlineOf(evidence.module);
  const aspects = aspect === null ? [] : [aspect];
  const doubt = doubtOf(finding);
  return {
    ...about,
    path,
    command,
    instances: 1,
    values,
    cause: finding.cause,
    outline,
    aspects,
    doubt,
  };
}
