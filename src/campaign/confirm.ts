// A difference once more, in processes that have done nothing before: what comes every time is a bug of
// the compiler; what does not is one of something that lasts from program to program.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../execute/unicorn-library.js";
import type { Confirmed } from "../report/finding.js";
import type { Found } from "./found.js";

/** Runs of one difference. */
const RUNS = 3;
const SECONDS_MAX = 60;

/**
 * Null where the finding is no difference, so that a run would say nothing.
 * @param again what `fuzz` is told, but for subjects and planted bugs
 */
export function confirm(
  { kind, subject }: Pick<Found, "kind" | "subject">,
  again: readonly string[],
  canary: string | null,
): Confirmed | null {
  if (kind !== "difference" || subject === null) return null;
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const planted = canary === null ? [] : ["--canary", canary];
  const args = [launcher, ...again, "--subjects", subject, ...planted];
  let differed = 0;
  for (let run = 0; run < RUNS; run++) {
    const { status } = spawnSync(process.execPath, args, {
      stdio: "ignore",
      timeout: SECONDS_MAX * 1000,
    });
    if (status === 1) differed++;
  }
  return { runs: RUNS, differed };
}
