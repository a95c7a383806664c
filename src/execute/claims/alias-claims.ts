// Checks the claims of the alias analysis against executions: two accesses that are claimed to
// share no byte share none. The analysis claims this only while the base of both addresses is not
// computed again. So two accesses are compared if both depend on one execution of their base.

import { Aliases, HEAP } from "../../../reference/optimize/analysis/alias.js";
import type { OptimizeContext } from "../../../reference/optimize/edit/context.js";
import { isAtomic, isMemoryAccess, type Procedure, type Value } from "../../ir/procedure.js";
import { printValue } from "../../ir/text/print.js";
import type { Trace } from "../../oracle/fast/trace.js";
import { type Claims, eventRead, type FalseClaim, NOT_RECORDED, numberAt } from "./claim.js";

/** The number of accesses with the same base that an access is compared with; the latest ones. */
const COMPARED_MAX = 32;
/** The greatest number of events on the path from an address back to its base. */
const VISITED_MAX = 48;

/** The name of a false claim about two accesses that share a byte. */
export const OVERLAP = "overlap";

/** An execution of an access. */
interface Access {
  readonly value: Value;
  /** The event of its root. */
  readonly root: number;
  readonly begin: bigint;
  readonly end: bigint;
}

export function aliasClaims(proc: Procedure, context: OptimizeContext): Claims {
  const aliases = new Aliases(proc, context.flow(proc), context);
  const accesses = new Map<number, Value>();
  for (const block of context.flow(proc).order) {
    for (const value of block.values) {
      const isAccess = isMemoryAccess(value) || isAtomic(value);
      if (isAccess && aliases.space[value.id] === HEAP && aliases.hasKnownOffset(value)) {
        accesses.set(value.id, value);
      }
    }
  }
  return { firstFalse: (trace, index) => firstFalse(trace, index, aliases, accesses) };
}

function firstFalse(
  trace: Trace,
  index: number,
  aliases: Aliases,
  accesses: ReadonlyMap<number, Value>,
): FalseClaim | null {
  /** Keyed by the event of a base. */
  const before = new Map<number, Access[]>();
  for (let event = 0; event < trace.length; event++) {
    const value = trace.procedures[event] === index ? accesses.get(trace.ids[event]) : undefined;
    if (value === undefined) continue;
    const address = eventRead(trace, event, value.address);
    const base = back(trace, address, aliases.baseOfAccess(value));
    const root = back(trace, address, aliases.rootOfAccess(value));
    if (base === NOT_RECORDED || root === NOT_RECORDED) continue;
    const begin = numberAt(trace, address, value.address) + BigInt(value.offset);
    const access = { value, root, begin, end: begin + BigInt(aliases.size[value.id]) };
    const others = before.get(base) ?? [];
    for (const other of others) {
      if (isFalse(aliases, other, access)) return describe(other, access);
    }
    others.push(access);
    if (others.length > COMPARED_MAX) others.shift();
    before.set(base, others);
  }
  return null;
}

function isFalse(aliases: Aliases, x: Access, y: Access): boolean {
  if (x.begin >= y.end || y.begin >= x.end) return false;
  // Nothing is claimed about one root that was computed twice.
  const isOneRoot = aliases.rootOfAccess(x.value) === aliases.rootOfAccess(y.value);
  return (!isOneRoot || x.root === y.root) && !aliases.mayOverlap(x.value, y.value);
}

function describe(x: Access, y: Access): FalseClaim {
  const [one, other] = [x, y].map(
    ({ value, begin, end }) => `${printValue(value)} at ${begin} to ${end}`,
  );
  return { what: OVERLAP, by: null, detail: `claimed to share no byte: ${one}, ${other}` };
}

/**
 * Returns the nearest event of the value `id` that an event depends on; -1 if the search finds
 * none.
 */
function back(trace: Trace, event: number, id: number): number {
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
