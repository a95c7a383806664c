// What compilers count beside the code: which of it a campaign has never seen, and whether that is
// a fault. A kind of count is a row here; its names travel from the image to the tally as they are.

import { PIECE_FORMS, pieceName } from "../../reference/lower/piece-forms.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../../reference/regalloc/allocator.js";
import { EVENTS, type EventRow, eventName } from "../../reference/regalloc/events.js";
import type { Subject } from "../execute/subject.js";
import { subjectNamed } from "../execute/subjects.js";
import type { Tally } from "./tally.js";

/** From so many compiled programs on it is a fault if something never happened in them. */
export const PROGRAMS_ENOUGH = 20_000;

export interface Reached {
  readonly kind: string;
  /** Compiled programs that could have shown it. */
  readonly programs: number;
  /** What can happen, and how much of it did. */
  readonly count: number;
  readonly reached: number;
  readonly never: readonly string[];
}

interface Kind {
  readonly name: string;
  readonly isBy: (subject: Subject) => boolean;
  /** What every large campaign of these subjects must see. */
  readonly names: readonly string[];
}

const allocatorOf = ({ allocator, level }: Subject): AllocatorName =>
  allocator ?? LEVEL_ALLOCATORS[level];

const KINDS: readonly Kind[] = [
  ...ALLOCATOR_NAMES.map((allocator) => ({
    name: `events of ${allocator}`,
    isBy: (subject: Subject) => subject.target !== null && allocatorOf(subject) === allocator,
    names: EVENTS.filter(({ by }: EventRow) => by.includes(allocator)).map(({ name }) =>
      eventName(allocator, name),
    ),
  })),
  {
    name: "forms of values in pieces",
    isBy: ({ pieces }) => pieces,
    names: PIECE_FORMS.map(pieceName),
  },
];

/** By kind: those that nothing of the campaign could show are left out. */
export function reachedOf({ code, happened }: Pick<Tally, "code" | "happened">): Reached[] {
  return KINDS.flatMap(({ name, isBy, names }) => {
    let programs = 0;
    for (const [subjectName, sums] of Object.entries(code)) {
      const subject = subjectNamed(subjectName);
      if (subject !== null && isBy(subject)) programs += sums.programs;
    }
    if (programs === 0) return [];
    const never = names.filter((event) => (happened[event] ?? 0) === 0);
    return [
      { kind: name, programs, count: names.length, reached: names.length - never.length, never },
    ];
  });
}

export const isUnreached = ({ programs, never }: Reached): boolean =>
  programs >= PROGRAMS_ENOUGH && never.length > 0;
