// Prints the final output of `fuzz run`: about ten lines, which show whether anything was found.
// The summary contains all counts, and `fuzz stats` prints them (print-summary.ts).

import { dirname } from "node:path";
import { APPLICABLE, neverApplied } from "../../src/campaign/count/applied.js";
import { reachedOf } from "../../src/campaign/count/counters.js";
import type { Tally } from "../../src/campaign/count/tally.js";
import { END_REASONS, executionsOf, faultsOf } from "../../src/campaign/publish/night.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import type { CampaignSummary } from "../../src/campaign/run/summary.js";
import { commandLine } from "../../src/report/finding.js";
import { printLine } from "../support/output.js";
import { hasDoubt, printEntries } from "./attend.js";
import { printEffective, printFleet, printSymptoms } from "./print-summary.js";

const DOUBT =
  "the difference did not return in each fresh process, so state or timing may be the cause";

/** @param file the path of the summary */
export function printResult(
  first: bigint,
  { ended, programs, seconds, tally, symptoms, entries }: CampaignResult,
  summary: CampaignSummary,
  file: string,
): void {
  const rate = (programs / seconds).toFixed(1);
  printLine("");
  printSymptoms(symptoms);
  printEntries(entries);
  const doubts = entries.filter(hasDoubt).length;
  if (doubts > 0) printLine(`${doubts} of ${entries.length} buckets not confirmed: ${DOUBT}`);
  printLine(
    `${programs} programs from seed ${first} in ${seconds.toFixed(1)} s, ${rate}/s (${END_REASONS[ended]})`,
  );
  if (programs === 0 && ended === "time") {
    printLine("no program was judged: give --for more time, or name fewer subjects");
  }
  if (tally.programs < programs) printLine(`${programs - tally.programs} of them not judged`);
  printLine(describeExecutions(tally));
  printEffective(tally);
  const covered = describeCoverage(tally);
  if (covered !== null) printLine(covered);
  const limits = describeLimits(tally);
  if (limits !== null) printLine(limits);
  if (summary.fleet !== undefined) printFleet(summary.fleet);
  for (const fault of faultsOf(summary)) printLine(fault);
  printLine(`summary: ${file}`);
  printLine(`all figures: ${commandLine(["npx", "fuzz", "stats", dirname(file), "--all"])}`);
}

function describeExecutions(tally: Tally): string {
  const { equal, different, unjudged } = executionsOf(tally);
  const reasons = Object.entries(tally.unjudged).map(([reason, count]) => `${reason} ${count}`);
  const why = reasons.length === 0 ? "" : ` (the oracle: ${reasons.join(", ")})`;
  const by = `executions by ${Object.keys(tally.subjects).length} subjects`;
  return `${by}: ${equal} equal, ${different} different, ${unjudged} unjudged${why}`;
}

/** Describes the limits at which phases stopped, in programs that are too large for them. */
function describeLimits({ limits = {} }: Tally): string | null {
  const rows = Object.entries(limits).sort(([, a], [, b]) => b - a);
  const list = rows.map(([name, count]) => `${name} ${count}`).join(", ");
  return list === "" ? null : `limits of the compiler, by programs: ${list}`;
}

/** Returns null if no phase was applied, as in a campaign with engines only. */
function describeCoverage(tally: Tally): string | null {
  const never = neverApplied(tally);
  if (never.phases.length === APPLICABLE.phases.length) return null;
  const share = (kind: "phases" | "rules"): string => {
    const count = APPLICABLE[kind].length;
    return `${kind} ${count - never[kind].length} of ${count}`;
  };
  let events = 0;
  let reached = 0;
  for (const row of reachedOf(tally)) {
    events += row.count;
    reached += row.reached;
  }
  const later = events === 0 ? "" : `, events and rows after them ${reached} of ${events}`;
  return `covered: ${share("phases")}, ${share("rules")}${later}`;
}
