// Checks the claims of the alias analysis against executions. Two accesses that are claimed to share
// no byte share none. An access that is claimed to cover another one contains its bytes. The analysis
// claims this only while the base of both addresses is not computed again. So two accesses to the
// heap are compared if both depend on one execution of their base. The address of an access to a slot
// is its offset there, in every activation.

import { AliasAnalysis, HEAP } from "../../../reference/optimize/analysis/alias.js";
import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { isAtomic, isMemoryAccess, type Procedure, type Value } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";
import { type ClaimChecker, eventRead, type FalseClaim, NOT_RECORDED, numberAt } from "./claim.js";

/** The number of accesses with the same base that an access is compared with; the latest ones. */
const COMPARED_MAX = 32;
/** The greatest number of events on the path from an address back to its base. */
const VISITED_MAX = 48;

/** The name of a false claim about two accesses that share a byte. */
export const OVERLAP = "overlap";
/** The name of a false claim about an access that does not contain the bytes of another one. */
export const COVERED = "covered";

interface ExecutedAccess {
  readonly value: Value;
  /** The event of its base; NOT_RECORDED in a slot. */
  readonly base: number;
  /** The event of its root; NOT_RECORDED in a slot. */
  readonly root: number;
  readonly begin: bigint;
  readonly end: bigint;
}

export function aliasClaims(proc: Procedure, context: OptimizeContext): ClaimChecker {
  const aliases = new AliasAnalysis(proc, context.flow(proc), context);
  const accesses = new Map<number, Value>();
  for (const block of context.flow(proc).order) {
    for (const value of block.values) {
      const isAccess = isMemoryAccess(value) || isAtomic(value);
      if (isAccess && aliases.hasKnownOffset(value)) accesses.set(value.id, value);
    }
  }
  return { firstFalse: (trace, index) => firstFalse(trace, index, aliases, accesses) };
}

function firstFalse(
  trace: ExecutionTrace,
  index: number,
  aliases: AliasAnalysis,
  accesses: ReadonlyMap<number, Value>,
): FalseClaim | null {
  /** Keyed by the event of a base, or by the negative number of a slot. */
  const before = new Map<number, ExecutedAccess[]>();
  for (let event = 0; event < trace.length; event++) {
    const value = trace.procedures[event] === index ? accesses.get(trace.ids[event]) : undefined;
    if (value === undefined) continue;
    const space = aliases.space[value.id];
    const access =
      space === HEAP ? inHeap(trace, event, value, aliases) : inSlot(trace, event, value, aliases);
    if (access === null) continue;
    const key = space === HEAP ? access.base : -space;
    const others = before.get(key) ?? [];
    for (const other of others) {
      const what = falseBetween(aliases, other, access) ?? falseBetween(aliases, access, other);
      if (what !== null) return describe(what, other, access);
    }
    others.push(access);
    if (others.length > COMPARED_MAX) others.shift();
    before.set(key, others);
  }
  return null;
}

/** Returns the access; null if its base or its root is not recorded. */
function inHeap(
  trace: ExecutionTrace,
  event: number,
  value: Value,
  aliases: AliasAnalysis,
): ExecutedAccess | null {
  const address = eventRead(trace, event, value.address);
  const base = back(trace, address, aliases.baseOfAccess(value));
  const root = back(trace, address, aliases.rootOfAccess(value));
  if (base === NOT_RECORDED || root === NOT_RECORDED) return null;
  const begin = numberAt(trace, address, value.address) + BigInt(value.offset);
  return { value, base, root, begin, end: begin + BigInt(aliases.size[value.id]) };
}

/** Returns the access; null if its address is not recorded. */
function inSlot(
  trace: ExecutionTrace,
  event: number,
  value: Value,
  aliases: AliasAnalysis,
): ExecutedAccess | null {
  const address = eventRead(trace, event, value.address);
  if (address === NOT_RECORDED) return null;
  const begin = numberAt(trace, address, value.address) + BigInt(value.offset);
  const end = begin + BigInt(aliases.size[value.id]);
  return { value, base: NOT_RECORDED, root: NOT_RECORDED, begin, end };
}

/** Returns the name of the claim about `x` and `y`, in this order, that is false; null if there is none. */
function falseBetween(aliases: AliasAnalysis, x: ExecutedAccess, y: ExecutedAccess): string | null {
  const isOneRoot = aliases.rootOfAccess(x.value) === aliases.rootOfAccess(y.value);
  // Nothing is claimed about one root that was computed twice.
  if (isOneRoot && x.root !== y.root) return null;
  if (aliases.covers(x.value, y.value)) {
    return x.begin <= y.begin && y.end <= x.end ? null : COVERED;
  }
  const isShared = x.begin < y.end && y.begin < x.end;
  return isShared && !aliases.mayOverlap(x.value, y.value) ? OVERLAP : null;
}

const CLAIMED: Readonly<Record<string, string>> = {
  [OVERLAP]: "share no byte",
  [COVERED]: "contain all bytes of the other",
};

function describe(what: string, x: ExecutedAccess, y: ExecutedAccess): FalseClaim {
  const [one, other] = [x, y].map(
    ({ value, begin, end }) => `${printValue(value)} at ${begin} to ${end}`,
  );
  return { what, by: null, detail: `claimed to ${CLAIMED[what]}: ${one}, ${other}` };
}

/**
 * Returns the nearest event of the value `id` that an event depends on; -1 if the search finds
 * none.
 */
function back(trace: ExecutionTrace, event: number, id: number): number {
  if (event === NOT_RECORDED) return event;
  const { procedures, ids, starts, dependences } = trace;
  const reached = [event];
  for (let r = 0; r < reached.length; r++) {
    const from = reached[r];
    if (ids[from] === id) return from;
    for (let d = starts[from]; d < starts[from + 1] && reached.length < VISITED_MAX; d++) {
      const next = dependences[d];
      if (procedures[next] === procedures[event] && !reached.includes(next)) reached.push(next);
    }
  }
  return NOT_RECORDED;
}
