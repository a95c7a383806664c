// Lists the limits beyond which a phase does less than it could, because its time would grow faster
// than the procedure. A phase that reaches a limit calls OptimizeContext.reachLimit, and campaigns
// count that.

export const LIMITS = {
  /** Values of a procedure whose loops are copied. */
  "procedure size": 3000,
  /** Accesses before and after a position that are compared one by one. */
  "near accesses": 256,
  /** Loops out of which one value is moved. */
  "loop levels": 64,
  /** Blocks before a partial value that are searched for exits. */
  "searched blocks": 256,
  /** Stores and patchpoints of one loop that are compared one by one. */
  "loop writes": 256,
  /**
   * Stack slots times blocks and snapshots; for each of them the last store to each slot is
   * tracked.
   */
  "slot states": 1 << 20,
  /** Objects, and Phis of their addresses, that are tracked. */
  objects: 48,
  /** Steps after which ranges that still grow are widened to their limits. */
  "range steps": 12,
} as const satisfies Readonly<Record<string, number>>;

export type LimitName = keyof typeof LIMITS;

/** Returns the name of a reached limit in reports and campaigns. */
export const limitReached = (phase: string, limit: LimitName): string => `${phase}: ${limit}`;
