// Splits buckets: two bugs of one phase would share a bucket, and the second would stay hidden. So
// some later findings of a phase are reduced, and get a bucket of their own if other opcodes
// remain.

import { type Cause, isCoarse, isLocated } from "../../localize/cause.js";
import type { BucketReport } from "./filing.js";

/**
 * True for the 2nd, 3rd, 5th, 9th finding of a bucket and so on: many findings of one bug cost
 * little.
 */
const isPowerOfTwo = (count: number): boolean => count > 0 && (count & (count - 1)) === 0;

/**
 * Returns whether the next finding of the bucket is reduced although there is a report. If a rule,
 * an analysis or a transfer function is the cause, the bucket is as fine as possible.
 */
export const isExaminedAgain = (cause: Cause | null, { instances }: BucketReport): boolean =>
  cause !== null && isCoarse(cause) && isPowerOfTwo(instances);

/**
 * Returns the bucket of a finding among the reported ones of its cause.
 * @returns outline: the opcodes that distinguish it from the first one; null if they are the same
 */
export function splitBucket(
  reported: Readonly<Record<string, BucketReport>>,
  bucket: string,
  cause: Cause | null,
  outline: string | null,
): { readonly bucket: string; readonly outline: string | null } {
  const first = reported[bucket];
  const isFirst = first === undefined || first.outline === null || first.outline === outline;
  const isFine = cause !== null && isLocated(cause) && !isCoarse(cause);
  if (isFirst || isFine || outline === null) return { bucket, outline: null };
  return { bucket: `${bucket} (${outline})`, outline };
}
