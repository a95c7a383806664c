// A finding as a folder, and as a summary lists it: what all ways to look at one end with.

import { dirname, resolve } from "node:path";
import type { Cause } from "../../localize/cause.js";
import type { Located } from "../../localize/located.js";
import type { ReductionWatch } from "../../reduce/reduction-watch.js";
import type { Evidence } from "../../report/evidence.js";
import { commandFromRoot, doubtOf, type FindingFacts, makeFinding } from "../../report/finding.js";
import { reportFolder, writeReport } from "../../report/write-report.js";
import { outsideFiles } from "../program/outside.js";
import type { Found } from "../run/found.js";
import { type RemoteShare, remoteWords, subsetOfRemote } from "../run/judge-elsewhere.js";
import { isReportedIn, type News, newsOf, readKnown } from "./known.js";
import { outlineOf } from "./outline.js";

/** A finding, as a summary lists it. */
export interface FindingEntry {
  readonly id: string;
  readonly bucket: string;
  readonly bucketId: string;
  readonly news: News;
  readonly kind: string;
  /** Decimal; null for a program that came from a file. */
  readonly seed: string | null;
  readonly detail: string;
  /** The folder of the report. */
  readonly path: string;
  /** The argument vector that shows it again, from the project's root. */
  readonly command: readonly string[];
  /** Findings of the bucket that were looked at, this one included. */
  readonly instances: number;
  /** As in finding.json. */
  readonly values: number | null;
  /** The aspects of the bucket's findings, in the order in which they came; summaries of older builds have none. */
  readonly aspects?: readonly string[];
  /** As in finding.json; summaries of older builds have none. */
  readonly cause?: Cause | null;
  /** The opcodes of a small program (split-bucket.ts); summaries of older builds have none. */
  readonly outline?: string | null;
  /** Why the finding is not confirmed, as `doubtOf` returns it; summaries of older builds have none. */
  readonly doubt?: string | null;
}

/** Where findings go, and what is known already. */
export interface Filing {
  /** The name of a planted bug. */
  readonly canary: string | null;
  /** What the seed means: one of PROFILE_NAMES. */
  readonly profile: string;
  /** The folder in which each report gets one of its own. */
  readonly reports: string;
  /** By bucket. */
  readonly reported: Readonly<Record<string, Reported>>;
  /** JudgeSettings.outside: a report has those that its seed mutates. */
  readonly outside?: readonly string[] | undefined;
  /** The folder whose reports and campaigns came earlier; if it is not given, the one that `reports` is in. */
  readonly earlier?: string;
  /** JudgeSettings.remote: the command of a finding says how its subject is reached. */
  readonly remote?: readonly RemoteShare[] | undefined;
  /** Follows the reduction, and may end it. */
  readonly watch?: ReductionWatch | undefined;
}

/** What a bucket's report tells those who have another finding of it. */
export type Reported = Required<Pick<FindingEntry, "values" | "instances" | "outline">>;

export const reportedOf = (
  entries: Iterable<readonly [string, FindingEntry]>,
): Record<string, Reported> =>
  Object.fromEntries(
    [...entries].map(([bucket, { values, instances, outline = null }]) => {
      return [bucket, { values, instances, outline }] as const;
    }),
  );

/** What became of a finding: a report, or one more instance of a bucket that has a better one. */
export type Filed =
  | { readonly kind: "report"; readonly entry: FindingEntry }
  | { readonly kind: "instance"; readonly bucket: string };

/** What is wrong with a program; null is the seed of one from a file. */
export type Symptom = Omit<Found, "seed"> & { readonly seed: bigint | null };

export type Shown = Pick<Evidence, "module"> & { readonly inputs: Evidence["originalInputs"] };

/** Writes a report without a program: the seed is all that is known. */
export const fileBare = (found: Symptom, filing: Filing): FindingEntry =>
  fileAs(found, filing, {}, null, null);

/** Writes the folder. */
export function fileAs(
  found: Symptom,
  { canary, profile, reports, reported, outside, remote = [], earlier }: Filing,
  known: Partial<FindingFacts>,
  evidence: Evidence | null,
  place: Located | null,
): FindingEntry {
  const { kind, seed, parents, subject, aspect, detail } = found;
  const seen = { kind, seed, profile, parents, subject, aspect, detail, canary };
  const nothing = { input: null, text: null, cause: null, values: null };
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
  const { id, bucket, bucketId, values, cause } = finding;
  const command = commandFromRoot(finding, path);
  const registered = newsOf(bucketId, readKnown());
  const news = registered === "new" && isSeen ? "seen" : registered;
  const about = { id, bucket, bucketId, news, kind, seed: seed?.toString() ?? null, detail };
  const outline = evidence === null ? null : outlineOf(evidence.module);
  const aspects = aspect === null ? [] : [aspect];
  const doubt = doubtOf(finding);
  return { ...about, path, command, instances: 1, values, cause, outline, aspects, doubt };
}
