// The limits beyond which a phase does less than it could, or nothing, because its time would grow
// faster than the procedure. A phase that reaches one says so (OptimizeContext.reachLimit), and
// campaigns count it.

export const LIMITS = {
  /** Values of a procedure whose loops are copied. */
  "procedure size": 3000,
  /** Accesses before and behind a place that are compared one by one. */
  "near accesses": 256,
  /** Loops that one value leaves. */
  "loop levels": 64,
  /** Blocks in front of a partial value that are searched for exits. */
  "searched blocks": 256,
  /** Stores and patchpoints of one loop that are compared one by one. */
  "loop writes": 256,
  /** Stack slots times blocks and snapshots, for each of which the last store to each slot is known. */
  "slot states": 1 << 20,
  /** Objects, and Phis of their addresses, that are followed. */
  objects: 48,
  /** Steps after which ranges that still grow are given up. */
  "range steps": 12,
} as const satisfies Readonly<Record<string, number>>;

export type LimitName = keyof typeof LIMITS;

/** A limit that a phase has reached, as reports and campaigns name it. */
export const limitReached = (phase: string, limit: LimitName): string => `${phase}: ${limit}`;
