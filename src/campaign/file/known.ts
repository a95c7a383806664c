// Known buckets: bugs with an owner, one file each in corpus/known. A campaign does not report those that
// are open, and reports one that was fixed and has returned.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bucketIdOf } from "../../report/bucket.js";
import { InternalError } from "../../support/assert.js";
import { projectRoot } from "../../support/project-root.js";

interface KnownBucket {
  readonly bucket: string;
  /** Whose task it is to fix the bug. */
  readonly owner: string;
  /** One line that says what is wrong. */
  readonly says: string;
  /** The commit that fixed it, as in git log; null while it is open. */
  readonly fixed: string | null;
}

/** A bucket compared with corpus/known. */
export type News = "new" | "known" | "returned";

const knownFolder = (): string => join(projectRoot(), "corpus", "known");

/**
 * By id of the bucket: the files `ID.json` of the folder.
 * @throws InternalError with the file's name and what was expected there
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

/** @returns a string that says what was expected, if it is none */
function parseKnown(text: string): KnownBucket | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "expected JSON";
  }
  if (typeof value !== "object" || value === null) return "expected an object";
  const { bucket, owner, says, fixed }: Partial<Record<string, unknown>> = { ...value };
  if (typeof bucket !== "string" || bucket === "") return `expected "bucket": the bucket's name`;
  if (typeof owner !== "string" || owner === "") return `expected "owner": a name`;
  if (typeof says !== "string" || says === "") return `expected "says": what is wrong`;
  if (fixed !== null && typeof fixed !== "string") return `expected "fixed": text or null`;
  return { bucket, owner, says, fixed };
}

export function newsOf(bucketId: string, known: ReadonlyMap<string, KnownBucket>): News {
  const bucket = known.get(bucketId);
  if (bucket === undefined) return "new";
  return bucket.fixed === null ? "known" : "returned";
}
