// Writes a finding as a folder, and makes its entry of the summary. All kinds of reports end here.

import { dirname, resolve } from "node:path";
import { z } from "zod";
import { causeOfKnownBugs } from "../../localize/cause.js";
import type { LocatedCause } from "../../localize/located-cause.js";
import type { ReductionWatch } from "../../reduce/reduction-watch.js";
import type { FindingEvidence } from "../../report/evidence.js";
import { commandFromRoot, doubtOf, type FindingFacts, makeFinding } from "../../report/finding.js";
import { reportFolder, writeReport } from "../../report/write-report.js";
import { outsideFiles } from "../program/outside.js";
import type { RawFinding } from "../run/found.js";
import { type RemoteSubjectShare, remoteWords, subsetOfRemote } from "../run/judge-elsewhere.js";
import { isReportedIn, NEWS, newsOf, readKnown } from "./known.js";
import { outlineOf } from "./outline.js";
import { COUNT, SEED, type ShapeOf, TEXT, TEXTS } from "./shapes.js";

/** The cause, as in finding.json. */
const CAUSE = z.object({
  stage: TEXT,
  part: TEXT.nullable().describe("the phase; after the optimizer, the target"),
  rule: TEXT.nullable(),
});

/** A finding in the list of a summary. Summaries of older builds lack the optional properties. */
export const FINDING = z.object({
  id: TEXT.describe("identifier, and name of the report's folder"),
  bucket: TEXT.describe("equal for all findings of one cause"),
  bucketId: TEXT,
  news: z
    .enum(NEWS)
    .describe(
      "relative to corpus/known; `seen`: an earlier campaign of the folder has the finding",
    ),
  kind: TEXT,
  seed: SEED.nullable().describe("null for a program from a file"),
  detail: TEXT.describe("the difference, in one line"),
  path: TEXT.describe("the folder of the report"),
  command: TEXTS.describe(
    "arguments of the command that reproduces the finding, from the project's root",
  ),
  instances: COUNT.describe("examined findings of the bucket, including this one"),
  values: COUNT.nullable().describe("size of the reduced program"),
  aspects: TEXTS.exactOptional().describe("aspects that differ in the findings of the bucket"),
  cause: CAUSE.nullable().exactOptional(),
  outline: TEXT.nullable().exactOptional().describe("the opcodes of a small program"),
  doubt: TEXT.nullable()
    .exactOptional()
    .describe("why the difference is not confirmed; null if it is"),
});
export type FindingEntry = ShapeOf<typeof FINDING>;

/** The destination of reports, and the facts that all findings of a campaign share. */
export interface FilingContext {
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
  readonly remote?: readonly RemoteSubjectShare[] | undefined;
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
export const FILING_RESULT = z.union([
  z.object({ kind: z.literal("report"), entry: FINDING }),
  z.object({ kind: z.literal("instance"), bucket: TEXT }),
]);
export type FilingResult = ShapeOf<typeof FILING_RESULT>;

/** The symptom of a program; the seed is null for a program from a file. */
export type ProgramSymptom = Omit<RawFinding, "seed"> & { readonly seed: bigint | null };

export type ReportedProgram = Pick<FindingEvidence, "module"> & {
  readonly inputs: FindingEvidence["originalInputs"];
};

/** Writes a report without a program: only the seed is known. */
export const fileWithoutProgram = (found: ProgramSymptom, filing: FilingContext): FindingEntry =>
  fileAs(found, filing, {}, null, null);

/** Writes the folder of a report, and returns its entry for the summary. */
export function fileAs(
  found: ProgramSymptom,
  { canary, profile, reports, reported, outside, remote = [], earlier }: FilingContext,
  known: Partial<FindingFacts>,
  evidence: FindingEvidence | null,
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
