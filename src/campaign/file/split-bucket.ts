// Two bugs of one phase would share a bucket, and the second stay silent. So a later finding of a phase
// is made small now and then, and gets a bucket of its own where other opcodes are left of it.

import type { Cause } from "../../localize/cause.js";
import type { Reported } from "./filing.js";

/** The 2nd, 3rd, 5th, 9th of a bucket and so on: many of one bug cost little. */
const isPowerOfTwo = (count: number): boolean => count > 0 && (count & (count - 1)) === 0;

/**
 * Whether the next finding of the bucket is made small, though it has a report: where a rule or a
 * transfer function is to blame, that is as fine as it gets.
 */
export const isLookedAtAgain = (cause: Cause | null, { instances }: Reported): boolean =>
  cause !== null && cause.stage === "optimizer" && cause.rule === null && isPowerOfTwo(instances);

/**
 * The bucket of a finding among those of its cause that are reported.
 * @returns outline: what it is told from the first one by; null where it is not
 */
export function splitBucket(
  reported: Readonly<Record<string, Reported>>,
  bucket: string,
  outline: string | null,
): { readonly bucket: string; readonly outline: string | null } {
  const first = reported[bucket];
  const isFirst = first === undefined || first.outline === null || first.outline === outline;
  if (isFirst || outline === null) return { bucket, outline: null };
  return { bucket: `${bucket} (${outline})`, outline };
}
