// The ways that an execution takes where it could have taken another: sides of branches and checks, cases of switches,
// and whether what is compared is equal.

import { EFFECTS, EXITS, Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { bitsOf, wideBits } from "../ir/words.js";
import type { Trace } from "../oracle/fast/trace.js";

/** A way not taken. */
export interface Way {
  readonly name: string;
  /** The event that decides, and the bits of it with which the way would be taken. */
  readonly decides: number;
  readonly wanted: bigint;
}

interface Taken {
  readonly name: string;
  readonly others: readonly Way[];
}

/** What has ways, by the ids of its values. */
export type Forks = ReadonlyMap<number, Value>;

/** Cases of a switch that are looked at. */
const CASES_MAX = 64;

/** @param passedOver exits of checks that are no forks */
export function forksOf(entry: Procedure, passedOver: number): Forks {
  const forks = new Map<number, Value>();
  entry.forEachValue((value) => {
    const { opcode } = value;
    const isExit = (EFFECTS[opcode] & EXITS) !== 0;
    if (opcode === Op.Branch || opcode === Op.Switch || COMPARES.has(opcode)) {
      forks.set(value.id, value);
    } else if (isExit && value.snapshot.exit !== passedOver) forks.set(value.id, value);
  });
  // Comparisons of which only a check is made that is passed over.
  entry.forEachValue((value) => {
    if ((EFFECTS[value.opcode] & EXITS) === 0 || forks.has(value.id)) return;
    for (const operand of [value.a?.a, value.a?.b]) if (operand) forks.delete(operand.id);
  });
  return forks;
}

const COMPARES: ReadonlySet<number> = new Set([
  ...[Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual],
  ...[Op.Above, Op.Below, Op.AboveEqual, Op.BelowEqual, Op.EqualOrUnordered],
]);

export function waysOf(trace: Trace, forks: Forks): readonly Taken[] {
  const ways: Taken[] = [];
  for (let e = 0; e < trace.length; e++) {
    const value = forks.get(trace.ids[e]);
    if (value !== undefined && trace.starts[e] < trace.starts[e + 1]) {
      ways.push(wayOf(trace, e, value));
    }
  }
  return ways;
}

function wayOf({ dependences, starts, results }: Trace, event: number, value: Value): Taken {
  const first = dependences[starts[event]];
  const at = (e: number): bigint => wideBits(results[2 * e], results[2 * e + 1]);
  const way = (name: string, wanted: bigint, decides = first): Way => {
    return { name: `${value.id} ${name}`, decides, wanted };
  };
  const { opcode, a, b } = value;
  if (opcode === Op.Switch) {
    const cases = keysOf(value).map((key) => way(String(key), key));
    const { name } = cases.find(({ wanted }) => wanted === at(first)) ?? way("default", 0n);
    return { name, others: cases.filter((other) => other.name !== name) };
  }
  if (a !== null && b !== null && COMPARES.has(opcode)) {
    const second = dependences[starts[event] + 1];
    const [moved, other] = a.isConstant ? [second, first] : [first, second];
    const wanted = bitsOf(a.type, results[2 * other], results[2 * other + 1]);
    const equal = way("equal", wanted, moved);
    return at(first) === at(second)
      ? { name: equal.name, others: [] }
      : { name: way("apart", 0n).name, others: [equal] };
  }
  const [zero, one] = [way("0", 0n), way("1", 1n)];
  const isZero = at(first) === 0n || (opcode !== Op.Branch && opcode !== Op.Check);
  return isZero ? { name: zero.name, others: [one] } : { name: one.name, others: [zero] };
}

function keysOf({ cases: { lo, hi, count }, a }: Value): readonly bigint[] {
  return Array.from({ length: Math.min(count, CASES_MAX) }, (_, c) =>
    a === null ? 0n : bitsOf(a.type, lo[c], hi[c]),
  );
}
