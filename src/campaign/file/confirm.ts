// A difference once more, in processes that have done nothing before: what comes every time is a bug of
// the compiler; what does not is one of something that lasts from program to program.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Confirmed, PROGRAM_FILE } from "../../report/finding.js";
import { boundToThisProcess } from "../../support/bound-child.js";
import { checkBuild, pinnedEnvironment } from "../../support/build-id.js";
import { MachineError, namesShortage } from "../../support/machine-error.js";
import { projectRoot } from "../../support/project-root.js";
import type { Found } from "../run/found.js";

/** Runs of one program. */
const RUNS = 3;
/** A busy machine makes a run of two seconds last long. */
const SECONDS_MAX = 120;
/** Statuses that say that a subject differs, and that none does; others are of a run that told nothing. */
const DIFFERS = 1;
const NOTHING_FOUND = 0;
/** The status of a run that the machine has refused something. */
const MISSING = 3;
/** What it said, at most. */
const EVIDENCE_MAX = 2000;

/** What a run came to. */
interface Ran {
  /** Null if it was stopped, or did not start. */
  readonly status: number | null;
  /** What it, or the system, said. */
  readonly evidence: string;
}

/** What is run again: a difference by a subject. */
type Differing = Pick<Found, "kind" | "subject">;

/**
 * Null where the finding is no difference, so that a run would say nothing, and where no run came to its
 * end in time: a run that was stopped says nothing. The processes run at
 * once, beside whatever the caller does until it waits for them.
 * @param again what `fuzz` is told, but for subjects and planted bugs
 * @throws MachineError if the machine has refused something to a run: it may be tried again
 */
export async function confirm(
  { kind, subject }: Differing,
  again: readonly string[],
  canary: string | null,
): Promise<Confirmed | null> {
  if (kind !== "difference" || subject === null) return null;
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const planted = canary === null ? [] : ["--canary", canary];
  const args = [...boundToThisProcess(), launcher, ...again, "--subjects", subject, ...planted];
  checkBuild();
  const runs = await Promise.all(Array.from({ length: RUNS }, () => run(args)));
  checkBuild();
  const refused = runs.find(isRefused);
  if (refused !== undefined) throw new MachineError(`confirming: ${lineOf(refused)}`);
  const statuses = runs.map(({ status }) => status);
  const ended = statuses.filter((status) => status === DIFFERS || status === NOTHING_FOUND);
  if (ended.length === 0) return null;
  return { runs: ended.length, differed: ended.filter((status) => status === DIFFERS).length };
}

/**
 * The same of a program that was reduced: it may differ less often than the one that it was made from, or not at all.
 * @param settings words of a command beside the subject's name
 */
export async function confirmReduced(
  found: Differing,
  program: string,
  settings: readonly string[],
  canary: string | null,
): Promise<Confirmed | null> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-confirm-"));
  const file = join(folder, PROGRAM_FILE);
  try {
    writeFileSync(file, program);
    return await confirm(found, ["exec", file, ...settings], canary);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    let evidence = "";
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: pinnedEnvironment(),
      timeout: SECONDS_MAX * 1000,
    });
    child.stderr.on("data", (bytes: Buffer) => {
      evidence = (evidence + bytes.toString()).slice(-EVIDENCE_MAX);
    });
    child.on("error", ({ message }) => resolve({ status: null, evidence: message }));
    child.on("close", (status) => resolve({ status, evidence }));
  });
}

/** A subject that this machine lacks has found nothing to be confirmed, so 3 says that it refused something. */
const isRefused = ({ status, evidence }: Ran): boolean =>
  status === MISSING || (status !== DIFFERS && status !== NOTHING_FOUND && namesShortage(evidence));

/** The line of a command, or of an error. */
function lineOf({ status, evidence }: Ran): string {
  const lines = evidence.split("\n").filter((line) => line !== "");
  const line = lines.find((line) => /^fuzz: |\bE[A-Z]{2,}\b/.test(line)) ?? lines[0];
  return line?.replace(/^fuzz: /, "") ?? `status ${status}`;
}
