// Names the events of allocation. Every allocation counts them, so that a campaign can report those
// that never occur. An event is a row; the code that causes it counts it:
// `allocation.events[EVENT.evicted]++`.

import type { AllocatorName } from "./allocator-names.js";

export interface AllocatorCounter {
  readonly name: string;
  /** The allocators that can cause it. A large campaign fails if one of them never did. */
  readonly by: readonly AllocatorName[];
  /**
   * True if the procedure is too large for the allocator, which then skips a step or uses another
   * method.
   */
  readonly isLimit?: true;
}

// biome-ignore format: a table
export const EVENTS = [
  { name: "took-hint", by: ["linear-scan"] },
  { name: "went-to-memory", by: ["linear-scan"] },
  { name: "cut-at-call", by: ["linear-scan"] },
  { name: "left-before-loop", by: ["linear-scan"] },
  { name: "read-before-call", by: ["linear-scan"] },
  { name: "loaded-before-loop", by: ["linear-scan"] },
  { name: "register-for-nothing", by: ["linear-scan"] },
  { name: "evicted", by: ["linear-scan", "one-pass"] },
  { name: "slot-shared", by: ["linear-scan", "colouring"] },
  { name: "left-to-rematerialize", by: ["linear-scan", "colouring"] },
  { name: "derived", by: ["linear-scan", "colouring"] },
  { name: "coalesced", by: ["colouring"] },
  { name: "frozen", by: ["colouring"] },
  { name: "potential-spill", by: ["colouring"] },
  { name: "dissolved", by: ["colouring"] },
  { name: "not-worth-saving", by: ["linear-scan", "colouring"] },
  { name: "spilled", by: ["colouring"] },
  { name: "rejoined", by: ["colouring"] },
  { name: "cut-around-loop", by: ["colouring"] },
  { name: "rebuilt", by: ["colouring"] },
  { name: "too-large", by: ["colouring"], isLimit: true },
  { name: "rematerialized", by: ["one-pass"] },
  { name: "moved-over", by: ["one-pass"] },
  { name: "soft-use-to-slot", by: ["one-pass"] },
  { name: "loaded-at-edge", by: ["one-pass"] },
  { name: "home-at-edge", by: ["one-pass"] },
  { name: "kept-round-loop", by: ["one-pass"] },
  { name: "kept-through-loop", by: ["one-pass"] },
  { name: "home-at-loop", by: ["one-pass"] },
  { name: "moved-at-loop", by: ["one-pass"] },
  { name: "loaded-at-loop", by: ["one-pass"] },
  // Limits that campaigns need not reach. Linear scan and colouring leave deep nests of loops to
  // the one-pass allocator; that allocator does not record a use for each loop around it.
  { name: "deep-loops", by: [], isLimit: true },
  { name: "unnoted-uses", by: [], isLimit: true },
  // Counted by the checker (check/check.ts), after any allocator.
  { name: "unchecked", by: [], isLimit: true },
  // Counted by clean-up (clean-up.ts), after any allocator.
  { name: "there-already", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "stored-already", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "loaded-from-register", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "move-never-read", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "store-never-read", by: ["linear-scan", "colouring", "one-pass"] },
  // Counted after any allocator (../allocate.ts): an operand, or an exit, reads a stack argument in
  // the caller's slot.
  { name: "argument-in-place", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "exit-reads-argument", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "exit-shows-operand", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "exit-shows-argument", by: ["linear-scan", "colouring", "one-pass"] },
  // Counted by lowering (../lower/pack-slots.ts): stack slots of the program share bytes.
  { name: "stack-slots-packed", by: ["linear-scan", "colouring", "one-pass"] },
  // Counted by emission (../emit/framed-blocks.ts): where the frame is made, if not at the entry.
  { name: "no-frame", by: ["linear-scan", "colouring", "one-pass"] },
  { name: "frame-made-later", by: ["linear-scan", "colouring", "one-pass"] },
] as const satisfies readonly AllocatorCounter[];

type AllocatorCounterName = (typeof EVENTS)[number]["name"];

/**
 * The index of each event in `Allocation.events`. The cast holds because each row becomes a key;
 * fromEntries loses the names.
 */
export const EVENT = Object.fromEntries(EVENTS.map(({ name }, index) => [name, index])) as {
  readonly [E in AllocatorCounterName]: number;
};

/** Returns the name of an event in campaigns. */
export const eventName = (allocator: AllocatorName, event: AllocatorCounterName): string =>
  `${allocator}: ${event}`;

const LIMITS: ReadonlySet<string> = new Set(
  (EVENTS as readonly AllocatorCounter[]).filter(({ isLimit }) => isLimit).map(({ name }) => name),
);

/** Returns whether an event, by its name in campaigns, is a limit that was reached. */
export function isLimitEvent(name: string): boolean {
  const at = name.indexOf(": ");
  return LIMITS.has(at < 0 ? name : name.slice(at + 2));
}

/** Returns the names of the events that occurred. */
export function eventsOf(allocator: AllocatorName, counts: Int32Array): string[] {
  return EVENTS.filter((_, e) => counts[e] > 0).map(({ name }) => eventName(allocator, name));
}
