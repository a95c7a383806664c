// What `fuzz run` prints at the end: about ten lines for somebody who wants to know whether anything was found.
// All the counts are in the summary, and `fuzz stats` prints them (print-summary.ts).

import { dirname } from "node:path";
import { APPLICABLE, neverApplied } from "../../src/campaign/count/applied.js";
import { isUnreached, reachedOf } from "../../src/campaign/count/counters.js";
import type { Tally } from "../../src/campaign/count/tally.js";
import { type Figure, isBelowFloor } from "../../src/campaign/distribution/figure.js";
import { figuresOf } from "../../src/campaign/distribution/figures.js";
import type { CampaignResult } from "../../src/campaign/run/options.js";
import { SAMPLE_WHOLE, type Summary } from "../../src/campaign/run/summary.js";
import { commandLine } from "../../src/report/finding.js";
import { printLine } from "../support/output.js";
import { printEntries } from "./attend.js";
import { printEffective, printSymptoms } from "./print-summary.js";

/** @param file where the summary is */
export function printResult(
  first: bigint,
  { ended, programs, seconds, tally, symptoms, entries }: CampaignResult,
  { sample }: Summary,
  file: string,
): void {
  const rate = (programs / seconds).toFixed(1);
  printLine("");
  printSymptoms(symptoms);
  printEntries(entries);
  printLine(
    `${programs} programs from seed ${first} in ${seconds.toFixed(1)} s, ${rate}/s (${ENDED[ended]})`,
  );
  if (tally.programs < programs) printLine(`${programs - tally.programs} of them not judged`);
  printLine(describeExecutions(tally));
  printEffective(tally);
  printLine(describeCoverage(tally));
  const limits = describeLimits(tally);
  if (limits !== null) printLine(limits);
  printFaults([...figuresOf(tally, seconds), ...(sample?.figures ?? [])], tally);
  printLine(`summary: ${file}`);
  printLine(`all figures: ${commandLine(["npx", "fuzz", "stats", dirname(file)])}`);
}

const ENDED = {
  count: "all that were asked for",
  time: "the time is up",
  findings: "enough was found",
  interrupted: "interrupted",
  machine: "this machine refused to go on",
} as const;

function describeExecutions({ subjects, unjudged }: Tally): string {
  const rows = Object.values(subjects);
  const total = { equal: 0, different: 0, unjudged: 0 };
  for (const row of rows) {
    for (const key of ["equal", "different", "unjudged"] as const) total[key] += row[key];
  }
  const reasons = Object.entries(unjudged).map(([reason, count]) => `${reason} ${count}`);
  const why = reasons.length === 0 ? "" : ` (the oracle: ${reasons.join(", ")})`;
  const { equal, different } = total;
  const by = `executions by ${rows.length} subjects`;
  return `${by}: ${equal} equal, ${different} different, ${total.unjudged} unjudged${why}`;
}

/** Phases that did less than they could, or nothing, in programs that are too large for them. */
function describeLimits({ limits = {} }: Tally): string | null {
  const rows = Object.entries(limits).sort(([, a], [, b]) => b - a);
  const list = rows.map(([name, count]) => `${name} ${count}`).join(", ");
  return list === "" ? null : `limits of the compiler, by programs: ${list}`;
}

function describeCoverage(tally: Tally): string {
  const never = neverApplied(tally);
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
  const behind = events === 0 ? "" : `, events and rows behind them ${reached} of ${events}`;
  return `covered: ${share("phases")}, ${share("rules")}${behind}`;
}

/** What a campaign of this size should have reached and has not: the generator is blind, or the compiler does less. */
function printFaults(figures: readonly Figure[], tally: Tally): void {
  const isEnough = tally.programs >= SAMPLE_WHOLE;
  for (const figure of isEnough ? figures.filter(isBelowFloor) : []) {
    const { name, value, floor } = figure;
    const text =
      typeof value === "number" ? `${Number(value.toPrecision(3))}, floor ${floor}` : value;
    printLine(`below its floor, so programs are not what they should be: ${name}: ${text}`);
  }
  for (const { kind, never } of reachedOf(tally).filter(isUnreached)) {
    printLine(`never seen, so status 1: ${kind}: ${never.join(", ")}`);
  }
}
