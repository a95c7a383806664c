// Shows the progress of a campaign. On a terminal it redraws a block at the bottom; lines printed
// meanwhile scroll above it. In a log it prints a line from time to time.

import type { ReductionCounts, RunningProgress } from "../../src/campaign/run/options.js";
import { escapeText } from "../../src/ir/text/literals.js";
import { splitSymptom } from "../../src/report/bucket.js";
import { sumOfSubjects } from "./seen-as.js";

/** The limits of a campaign; infinite if there is no limit. */
interface CampaignGoal {
  readonly count: number;
  readonly seconds: number;
}

/** The output stream: `process.stderr`, or a stream of a test. */
interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const TERMINAL_SECONDS = 0.5;
/**
 * In a log the interval between lines grows from one second, which shows that the campaign runs, to
 * one minute.
 */
const LOG_SECONDS = { first: 1, last: 60 } as const;
const COLUMNS = 80;
/** The number of symptoms with a line of their own; further symptoms are summed in one line. */
const SYMPTOMS_SHOWN = 4;

export class ProgressView {
  private readonly terminal: TerminalStream;
  private readonly goal: CampaignGoal;
  private readonly read: () => RunningProgress;
  private period: number;
  private timer: NodeJS.Timeout | null = null;
  /** Lines of the block that are on the screen. */
  private drawn = 0;
  /**
   * By symptom: the time of its first occurrence in any subject, in seconds of the campaign; in
   * order of occurrence.
   */
  private readonly firstSeen = new Map<string, number>();

  constructor(terminal: TerminalStream, goal: CampaignGoal, read: () => RunningProgress) {
    this.terminal = terminal;
    this.goal = goal;
    this.read = read;
    this.period = terminal.isTTY ? TERMINAL_SECONDS : LOG_SECONDS.first;
  }

  start(): void {
    this.timer = setTimeout(() => {
      this.show();
      if (!this.terminal.isTTY) this.period = Math.min(2 * this.period, LOG_SECONDS.last);
      this.start();
    }, this.period * 1000);
  }

  /** Redraws the block, or adds a line to the log. */
  show(): void {
    const progress = this.read();
    for (const symptom of Object.keys(progress.symptoms)) {
      const { what } = splitSymptom(symptom);
      if (!this.firstSeen.has(what)) this.firstSeen.set(what, progress.seconds);
    }
    if (!this.terminal.isTTY) {
      this.terminal.write(`${describeProgress(progress, this.goal)}\n`);
      return;
    }
    const width = (this.terminal.columns ?? COLUMNS) - 1;
    const lines = [describeProgress(progress, this.goal), ...this.describeFound(progress)];
    this.clear();
    this.terminal.write(lines.map((line) => `${escapeText(line).slice(0, width)}\n`).join(""));
    this.drawn = lines.length;
  }

  /** Prints above the block. */
  around(print: () => void): void {
    const isDrawn = this.drawn > 0;
    this.clear();
    print();
    if (isDrawn) this.show();
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.clear();
  }

  private clear(): void {
    if (this.drawn > 0) this.terminal.write(`\x1b[${this.drawn}A\r\x1b[J`);
    this.drawn = 0;
  }

  private describeFound({ symptoms, seconds }: RunningProgress): string[] {
    const names = [...this.firstSeen.keys()].reverse();
    const findings = new Map(sumOfSubjects(symptoms).map(({ what, findings }) => [what, findings]));
    const lines = names.slice(0, SYMPTOMS_SHOWN).map((name) => {
      const ago = describeSeconds(seconds - (this.firstSeen.get(name) ?? 0));
      return `  ${findings.get(name)} × ${name}, first seen ${ago} ago`;
    });
    if (names.length > SYMPTOMS_SHOWN) lines.push(`  and ${names.length - SYMPTOMS_SHOWN} more`);
    return lines;
  }
}

function describeProgress(
  { programs, seconds, symptoms, causes, reducing }: RunningProgress,
  goal: CampaignGoal,
): string {
  const rate = programs / seconds;
  const found = Object.values(symptoms).reduce((total, count) => total + count, 0);
  const left = secondsLeft(programs, seconds, goal);
  const parts = [
    `${programs} programs`,
    `${rate.toFixed(rate > 0 && rate < 1 ? 2 : 0)}/s`,
    describeSeconds(seconds),
    describeCounts(causes, found),
  ];
  if (Number.isFinite(left) && (left > 0 || reducing === null))
    parts.push(`${describeSeconds(left)} left`);
  if (reducing !== null) parts.push(describeReducing(reducing));
  return parts.join(", ");
}

export function describeReducing({
  begun,
  reports,
  values,
  candidatesPerMinute,
}: ReductionCounts): string {
  const which = `${begun} of ${reports}`;
  if (values === 0) return `examining ${which}`;
  const rate = candidatesPerMinute.toFixed(0);
  return `reducing ${which}, ${values} values, ${rate} candidates a minute`;
}

/** @param causes buckets with a report; a finding may have none yet */
function describeCounts(causes: number, findings: number): string {
  if (findings === 0) return "0 found";
  const found = causes === 1 ? "1 cause" : `${causes} causes`;
  return `${found} in ${findings} ${findings === 1 ? "finding" : "findings"}`;
}

/** Returns infinity if the campaign has no limit, or has judged nothing yet. */
function secondsLeft(programs: number, seconds: number, goal: CampaignGoal): number {
  const byCount = ((goal.count - programs) * seconds) / programs;
  const left = Math.min(goal.seconds - seconds, Number.isNaN(byCount) ? Infinity : byCount);
  return Math.max(0, left);
}

function describeSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
