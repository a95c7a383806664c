// What a tracing machine did, counted.

import type { FailureReason } from "./recorder.js";

export interface TraceCounts {
  /** Traces that begin at a head, and those that go on from an exit. */
  roots: number;
  sides: number;
  /** By their end. */
  loops: number;
  links: number;
  returns: number;
  /** Entries into traces, side traces among them, and exits that went to the interpreter. */
  entries: number;
  exits: number;
  /** Exits that led straight into another trace: into a side trace, or to where one begins. */
  linked: number;
  /** Exits that were linked in code, and runs of code that ended in another trace than they began in. */
  patched: number;
  crossed: number;
  /** Most activations that one exit put back. */
  frames: number;
  flushes: number;
  blacklisted: number;
  /** Recordings that gave up, by reason. */
  readonly failures: Partial<Record<FailureReason, number>>;
}

export const noCounts = (): TraceCounts => ({
  roots: 0,
  sides: 0,
  loops: 0,
  links: 0,
  returns: 0,
  entries: 0,
  exits: 0,
  linked: 0,
  patched: 0,
  crossed: 0,
  frames: 0,
  flushes: 0,
  blacklisted: 0,
  failures: {},
});

/** Adds what another execution did. */
export function addCounts(whole: TraceCounts, part: TraceCounts): void {
  for (const name of NUMBERS) {
    if (name === "frames") whole.frames = Math.max(whole.frames, part.frames);
    else whole[name] += part[name];
  }
  for (const [reason, count] of Object.entries(part.failures)) {
    const name = reason as FailureReason; // a key of the record
    whole.failures[name] = (whole.failures[name] ?? 0) + count;
  }
}

type NumberName = Exclude<keyof TraceCounts, "failures">;
const { failures: _, ...ZEROES } = noCounts();
const NUMBERS = Object.keys(ZEROES) as readonly NumberName[]; // all keys but that one

/** All but the reasons of failures; their sum is `failed`. */
export function numbersOf(counts: TraceCounts): Record<string, number> {
  const { failures, ...numbers } = counts;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return { ...numbers, failed };
}

/** Events by which a campaign tells that it has seen each thing that traces do. */
export const TRACE_EVENTS: readonly string[] = [
  ...NUMBERS.map(eventOf).filter((event) => !isOfCode(event)),
  "traces: many frames",
];

/** Those that only code shows, where it can be patched. */
export const LINK_EVENTS: readonly string[] = NUMBERS.map(eventOf).filter(isOfCode);

export function traceEvents(counts: TraceCounts): string[] {
  const seen = NUMBERS.filter((name) => counts[name] > 0).map(eventOf);
  return counts.frames > 1 ? [...seen, "traces: many frames"] : seen;
}

function isOfCode(event: string): boolean {
  return event === eventOf("patched") || event === eventOf("crossed");
}

function eventOf(name: NumberName): string {
  return `traces: ${name}`;
}
