// Repeats a difference in fresh processes. A difference in every run is a bug of the compiler. A
// difference in some runs is a bug of something that lasts from program to program.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfirmationRuns, PROGRAM_FILE } from "../../report/finding.js";
import { boundToThisProcess } from "../../support/bound-child.js";
import { checkBuild, pinnedEnvironment } from "../../support/build-id.js";
import { MachineError, namesShortage } from "../../support/machine-error.js";
import { projectRoot } from "../../support/project-root.js";
import type { RawFinding } from "../run/found.js";

/** The number of fresh processes in which a finding is repeated. */
const RUNS = 3;
/** The time limit of one run, in seconds: it usually takes two, but more on a busy machine. */
const SECONDS_MAX = 120;
/**
 * The exit status of a run that shows the difference. The next constant is for a run without one.
 */
const DIFFERS = 1;
const NOTHING_FOUND = 0;
/** The status of a run with an error of the machine. */
const MISSING = 3;
/** The largest length of the kept error output. */
const EVIDENCE_MAX = 2000;

interface RunResult {
  /** The exit status; null if the run was stopped, or did not start. */
  readonly status: number | null;
  /** The error output, or the error of the system. */
  readonly evidence: string;
}

/** A finding that may be repeated: only a difference with a subject is. */
type RepeatableFinding = Pick<RawFinding, "kind" | "subject">;

/**
 * Repeats a difference in fresh processes, which run concurrently with the caller. Returns null if
 * the finding is no difference, or if no run ended in time.
 * @param again the arguments of `fuzz` without subjects and planted bugs
 * @throws MachineError if a run had an error of the machine: the caller may retry
 */
export async function confirm(
  { kind, subject }: RepeatableFinding,
  again: readonly string[],
  canary: string | null,
): Promise<ConfirmationRuns | null> {
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
 * Repeats a reduced program: it may differ less often than the original, or never.
 * @param settings words of a command beside the subject's name
 */
export async function confirmReduced(
  found: RepeatableFinding,
  program: string,
  settings: readonly string[],
  canary: string | null,
): Promise<ConfirmationRuns | null> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-confirm-"));
  const file = join(folder, PROGRAM_FILE);
  try {
    writeFileSync(file, program);
    return await confirm(found, ["exec", file, ...settings], canary);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(args: readonly string[]): Promise<RunResult> {
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

/**
 * Returns whether the machine refused something. A subject that this machine lacks cannot have shown
 * the finding, so status 3 always means a refusal.
 */
const isRefused = ({ status, evidence }: RunResult): boolean =>
  status === MISSING || (status !== DIFFERS && status !== NOTHING_FOUND && namesShortage(evidence));

/** Returns the error line of a command. */
function lineOf({ status, evidence }: RunResult): string {
  const lines = evidence.split("\n").filter((line) => line !== "");
  const line = lines.find((line) => /^fuzz: |\bE[A-Z]{2,}\b/.test(line)) ?? lines[0];
  return line?.replace(/^fuzz: /, "") ?? `status ${status}`;
}
