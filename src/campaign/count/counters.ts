// Reports which counters of the compiler a campaign has never seen above zero, and whether that is
// a fault. Each kind of counter is a row here; the tally uses the names of the image.

import { HALF_FORMS, halfName } from "../../../reference/lower/half-forms.js";
import { PARTS } from "../../../reference/parts.js";
import { LEVEL_ALLOCATORS } from "../../../reference/pipeline.js";
import {
  ALLOCATOR_NAMES,
  type AllocatorName,
} from "../../../reference/regalloc/allocator-names.js";
import { type AllocatorCounter, EVENTS, eventName } from "../../../reference/regalloc/events.js";
import { safepointNames } from "../../../reference/snapshot/record-safepoints.js";
import { TARGET_NAMES } from "../../../reference/target/target.js";
import type { ReferenceSubject } from "../../execute/reference-subject.js";
import { subjectNamed } from "../../execute/subjects.js";
import { LINK_EVENTS, TRACE_EVENTS } from "../../record/trace-counts.js";
import { isOrdinary } from "./ordinary.js";
import type { Tally } from "./tally.js";

/** The number of compiled programs from which a counter of zero is a fault. */
export const PROGRAMS_ENOUGH = 20_000;
/**
 * The number of compiled programs from which a LIR row that was never used is a fault; there are
 * hundreds of rows.
 */
export const PROGRAMS_ENOUGH_FOR_ROWS = 60_000;

interface CounterCoverage {
  readonly kind: string;
  /** Number of compiled programs that could have reached the counters. */
  readonly programs: number;
  /** Number of counters, and of those that were not zero. */
  readonly count: number;
  readonly reached: number;
  readonly never: readonly string[];
  /** The number of programs from which `never` must be empty. */
  readonly enough: number;
}

interface CounterGroup {
  readonly name: string;
  readonly isBy: (subject: ReferenceSubject) => boolean;
  /** The counters that every large campaign of these subjects must reach. */
  readonly names: readonly string[];
  readonly enough?: number;
  /**
   * True for counters of subjects that compile recorded traces; absent for those that compile whole
   * programs.
   */
  readonly ofTraces?: true;
}

const allocatorOf = ({ allocator, level }: ReferenceSubject): AllocatorName =>
  allocator ?? LEVEL_ALLOCATORS[level];

const KINDS: readonly CounterGroup[] = [
  ...ALLOCATOR_NAMES.map((allocator) => ({
    name: `events of ${allocator}`,
    isBy: (subject: ReferenceSubject) =>
      subject.target !== null && allocatorOf(subject) === allocator,
    names: EVENTS.filter(({ by }: AllocatorCounter) => by.includes(allocator)).map(({ name }) =>
      eventName(allocator, name),
    ),
  })),
  { name: "events of traces", isBy: () => true, names: TRACE_EVENTS, ofTraces: true },
  {
    name: "links of traces",
    isBy: ({ target }) => target !== null,
    names: LINK_EVENTS,
    ofTraces: true,
  },
  {
    name: "forms of values in halves",
    isBy: ({ halves }) => halves,
    names: HALF_FORMS.map(halfName),
  },
  ...TARGET_NAMES.flatMap((target) => {
    const { rows, forms } = PARTS.plans[target].emittedNames;
    // Subjects of level O0 are left out, because O0 folds no operand into an instruction.
    const isBy = (subject: ReferenceSubject) => subject.target === target && subject.level !== "O0";
    const enough = PROGRAMS_ENOUGH_FOR_ROWS;
    return [
      { name: `LIR rows of ${target}`, isBy, names: rows, enough },
      { name: `safepoints of ${target}`, isBy, names: safepointNames(target) },
      { name: `operand forms of ${target}`, isBy, names: forms.filter((form) => form !== "") },
    ];
  }),
];

/** All counters, by kind. */
export const COUNTER_KINDS: readonly Pick<CounterGroup, "name" | "names">[] = KINDS;

/** Returns the reached counters by kind; omits kinds that no subject of the campaign has. */
export function reachedOf(tally: Pick<Tally, "code" | "events" | "readings">): CounterCoverage[] {
  const { code, events: eventCounts } = tally;
  const isAsked = isOrdinary(tally);
  return KINDS.flatMap(({ name, isBy, names, enough = PROGRAMS_ENOUGH, ofTraces = false }) => {
    let programs = 0;
    for (const [subjectName, sums] of Object.entries(code)) {
      const subject = subjectNamed(subjectName);
      if (subject?.traced === ofTraces && isBy(subject)) programs += sums.programs;
    }
    if (programs === 0) return [];
    const never = names.filter((event) => (eventCounts[event] ?? 0) === 0);
    const reached = names.length - never.length;
    const asked = isAsked ? enough : Number.POSITIVE_INFINITY;
    return [{ kind: name, programs, count: names.length, reached, never, enough: asked }];
  });
}

export const isUnreached = ({ programs, never, enough }: CounterCoverage): boolean =>
  programs >= enough && never.length > 0;
