// Reads known buckets: bugs with an owner, one file each in corpus/known. A campaign does not
// report open ones, and reports fixed ones that have returned.

import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { bucketIdOf } from "../../report/bucket.js";
import type { Finding } from "../../report/finding.js";
import { InternalError } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";

const line = (expected: string) => z.string(expected).min(1, expected);
const KNOWN = z.object(
  {
    bucket: line(`expected "bucket": the bucket's name`),
    /** The person or team that has to fix the bug. */
    owner: line(`expected "owner": a name`),
    /** A description of the bug in one line. */
    says: line(`expected "says": description`),
    /** The commit with the fix, as in git log; null while it is open. */
    fixed: z.string(`expected "fixed": text or null`).nullable(),
  },
  "expected an object",
);
type KnownBucket = z.infer<typeof KNOWN>;

/**
 * The comparison of a bucket with corpus/known; `seen`: unknown, but an earlier campaign of the
 * same folder has a report.
 */
export const NEWS = ["new", "seen", "known", "returned"] as const;
type BucketStatus = (typeof NEWS)[number];

const knownFolder = (): string => join(projectRoot(), "corpus", "known");

/**
 * Reads the files `ID.json` of the folder, by id of the bucket.
 * @throws InternalError with the file's name and the expected contents
 */
export function readKnown(folder = knownFolder()): ReadonlyMap<string, KnownBucket> {
  const known = new Map<string, KnownBucket>();
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((file) => file.endsWith(".json")).sort()) {
    const bucket = parseKnown(readFileSync(join(folder, name), "utf8"));
    if (typeof bucket === "string") throw new InternalError(`${join(folder, name)}: ${bucket}`);
    const id = bucketIdOf(bucket.bucket);
    if (name !== `${id}.json`) {
      throw new InternalError(
        `${join(folder, name)}: expected the name ${id}.json, that of its bucket`,
      );
    }
    known.set(id, bucket);
  }
  return known;
}

/** Returns the bucket, or a string with the expected contents. */
function parseKnown(text: string): KnownBucket | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "expected JSON";
  }
  const { data, error } = KNOWN.safeParse(value);
  return data ?? error?.issues[0].message ?? "expected an object";
}

export function newsOf(bucketId: string, known: ReadonlyMap<string, KnownBucket>): BucketStatus {
  const bucket = known.get(bucketId);
  if (bucket === undefined) return "new";
  return bucket.fixed === null ? "known" : "returned";
}

type BucketIdentity = Pick<Finding, "bucketId" | "canary">;

/**
 * Returns whether a folder has a report of the bucket, its own or one of a campaign in it.
 * @param except the folder of the caller's campaign
 */
export function isReportedIn(folder: string, except: string, finding: BucketIdentity): boolean {
  const own = resolve(except);
  return foldersIn(folder).some(
    (path) =>
      isReportOf(path, finding) ||
      (resolve(path) !== own && foldersIn(path).some((report) => isReportOf(report, finding))),
  );
}

/** Returns the readable folders in a folder; links are not followed. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

const FINDING_BYTES_MAX = 1_000_000;

function isReportOf(folder: string, { bucketId, canary }: BucketIdentity): boolean {
  const file = join(folder, "finding.json");
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > FINDING_BYTES_MAX) return false;
    const other: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof other !== "object" || other === null) return false;
    const { bucketId: id, canary: planted }: Partial<Record<string, unknown>> = { ...other };
    return id === bucketId && planted === canary;
  } catch {
    return false;
  }
}
