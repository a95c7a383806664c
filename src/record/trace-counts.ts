// Counts the actions of a tracing machine.

import type { FailureReason } from "./recorder.js";

export interface TraceCounts {
  /** Traces that begin at a head, and traces that continue from an exit. */
  roots: number;
  sides: number;
  /** Traces by their end: a loop, a link to another trace, or a return. */
  loops: number;
  links: number;
  returns: number;
  /** Entries into traces, including side traces, and exits to the interpreter. */
  entries: number;
  exits: number;
  /** Exits that led directly into another trace: a side trace, or a trace that begins there. */
  linked: number;
  /**
   * Exits that were linked in code, and runs of code that ended in another trace than they began
   * in.
   */
  patched: number;
  crossed: number;
  /** The maximum number of activations that one exit restored. */
  frames: number;
  /** Exits to the interpreter after a return below the activation in which the trace began. */
  below: number;
  /** Exits because an activation returns to another call than the recorded one. */
  callers: number;
  flushes: number;
  blacklisted: number;
  /** Abandoned recordings, by reason. */
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
  below: 0,
  callers: 0,
  flushes: 0,
  blacklisted: 0,
  failures: {},
});

/** Adds the counts of another execution. */
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

type TraceCountName = Exclude<keyof TraceCounts, "failures">;
const { failures: _, ...ZEROES } = noCounts();
const NUMBERS = Object.keys(ZEROES) as readonly TraceCountName[]; // all keys but that one

/** Returns all counts but the reasons of failures; their sum is `failed`. */
export function numbersOf(counts: TraceCounts): Record<string, number> {
  const { failures, ...numbers } = counts;
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return { ...numbers, failed };
}

/** Names of the events that show whether a campaign has covered every action of traces. */
export const TRACE_EVENTS: readonly string[] = [
  ...NUMBERS.map(eventOf).filter((event) => !isLinkEvent(event)),
  "traces: many frames",
];

/** Names of the counts that are nonzero only for compiled traces whose exits are patched. */
export const LINK_EVENTS: readonly string[] = NUMBERS.map(eventOf).filter(isLinkEvent);

export function traceEvents(counts: TraceCounts): string[] {
  const seen = NUMBERS.filter((name) => counts[name] > 0).map(eventOf);
  return counts.frames > 1 ? [...seen, "traces: many frames"] : seen;
}

function isLinkEvent(event: string): boolean {
  return event === eventOf("patched") || event === eventOf("crossed");
}

function eventOf(name: TraceCountName): string {
  return `traces: ${name}`;
}
