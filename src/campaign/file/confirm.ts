// A difference once more, in processes that have done nothing before: what comes every time is a bug of
// the compiler; what does not is one of something that lasts from program to program.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Confirmed } from "../../report/finding.js";
import { boundToThisProcess } from "../../support/bound-child.js";
import { projectRoot } from "../../support/project-root.js";
import type { Found } from "../run/found.js";

/** Runs of one difference. */
const RUNS = 3;
/** A busy machine makes a run of two seconds last long. */
const SECONDS_MAX = 120;
/** Statuses that say that a subject differs, and that none does; others are of a run that told nothing. */
const DIFFERS = 1;
const NOTHING_FOUND = 0;

/**
 * Null where the finding is no difference, so that a run would say nothing, and where no run came to its
 * end in time: a run that was stopped says nothing. The processes run at
 * once, beside whatever the caller does until it waits for them.
 * @param again what `fuzz` is told, but for subjects and planted bugs
 */
export async function confirm(
  { kind, subject }: Pick<Found, "kind" | "subject">,
  again: readonly string[],
  canary: string | null,
): Promise<Confirmed | null> {
  if (kind !== "difference" || subject === null) return null;
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const planted = canary === null ? [] : ["--canary", canary];
  const args = [...boundToThisProcess(), launcher, ...again, "--subjects", subject, ...planted];
  const statuses = await Promise.all(Array.from({ length: RUNS }, () => statusOf(args)));
  const ended = statuses.filter((status) => status === DIFFERS || status === NOTHING_FOUND);
  if (ended.length === 0) return null;
  return { runs: ended.length, differed: ended.filter((status) => status === DIFFERS).length };
}

/** Null if it was stopped, or did not start. */
function statusOf(args: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      stdio: "ignore",
      timeout: SECONDS_MAX * 1000,
    });
    child.on("error", () => resolve(null));
    child.on("exit", resolve);
  });
}
