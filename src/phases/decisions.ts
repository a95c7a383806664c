// Lists the decisions of an execution: sides of branches and checks, cases of switches, and the
// equality of compared values. For each decision it lists the alternatives.

import { EFFECTS, EXITS, Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { bitsOf, wideBits } from "../ir/words.js";
import type { ExecutionTrace } from "../oracle/fast/trace.js";

/** An alternative that the execution did not take. */
export interface UntakenAlternative {
  readonly name: string;
  /** The event that controls the decision, and its bits that select the alternative. */
  readonly event: number;
  readonly bits: bigint;
}

interface ExecutedDecision {
  readonly name: string;
  readonly others: readonly UntakenAlternative[];
}

/** The values that decide, by id. */
export type DecidingValues = ReadonlyMap<number, Value>;

/** Opcodes whose first operand decides. */
const TESTS: ReadonlySet<number> = new Set([Op.Branch, Op.Check, Op.Select]);

/** The greatest number of cases of a switch that are considered. */
const CASES_MAX = 64;

/** @param isIgnored returns whether checks with an exit number are ignored */
export function decidingValuesOf(
  entry: Procedure,
  isIgnored: (exit: number) => boolean,
): DecidingValues {
  const deciding = new Map<number, Value>();
  entry.forEachValue((value) => {
    const { opcode } = value;
    const isExit = (EFFECTS[opcode] & EXITS) !== 0;
    if (opcode === Op.Branch || opcode === Op.Switch || COMPARISONS.has(opcode)) {
      deciding.set(value.id, value);
    } else if (isExit && !isIgnored(value.snapshot.exit)) deciding.set(value.id, value);
  });
  // Comparisons that serve only an ignored check are no decisions.
  entry.forEachValue((value) => {
    if ((EFFECTS[value.opcode] & EXITS) === 0 || deciding.has(value.id)) return;
    for (const operand of [value.a?.a, value.a?.b]) if (operand) deciding.delete(operand.id);
  });
  return deciding;
}

const COMPARISONS: ReadonlySet<number> = new Set([
  ...[Op.Equal, Op.NotEqual, Op.LessThan, Op.GreaterThan, Op.LessEqual, Op.GreaterEqual],
  ...[Op.Above, Op.Below, Op.AboveEqual, Op.BelowEqual, Op.EqualOrUnordered],
]);

/** Returns the values among these that decide something. */
export function decidingAmong(values: ReadonlySet<Value>): DecidingValues {
  const kinds = new Set<number>([...COMPARISONS, Op.Branch, Op.Switch, Op.Select]);
  return new Map(
    [...values].flatMap((value) => (kinds.has(value.opcode) ? [[value.id, value]] : [])),
  );
}

export function decisionsOf(
  trace: ExecutionTrace,
  deciding: DecidingValues,
): readonly ExecutedDecision[] {
  const decisions: ExecutedDecision[] = [];
  for (let e = 0; e < trace.length; e++) {
    if (trace.procedures[e] !== 0) continue;
    const value = deciding.get(trace.ids[e]);
    if (value !== undefined && trace.starts[e] < trace.starts[e + 1]) {
      decisions.push(decisionOf(trace, e, value));
    }
  }
  return decisions;
}

/**
 * Returns the alternative to the check by which an execution exited; null if it ended in another
 * way.
 */
export function exitAlternative(
  { dependences, ids, length, procedures, starts }: ExecutionTrace,
  values: ReadonlyMap<number, Value>,
): UntakenAlternative | null {
  const last = length - 1;
  if (last < 0 || procedures[last] !== 0 || starts[last] === starts[last + 1]) return null;
  const value = values.get(ids[last]);
  if (value?.opcode !== Op.Check) return null;
  return { name: `${value.id} 0`, event: dependences[starts[last]], bits: 0n };
}

function decisionOf(
  { dependences, starts, results }: ExecutionTrace,
  event: number,
  value: Value,
): ExecutedDecision {
  const first = dependences[starts[event]];
  const at = (e: number): bigint => wideBits(results[2 * e], results[2 * e + 1]);
  const alternative = (name: string, bits: bigint, deciding = first): UntakenAlternative => {
    return { name: `${value.id} ${name}`, event: deciding, bits };
  };
  const { opcode, a, b } = value;
  if (opcode === Op.Switch) {
    const cases = keysOf(value).map((key) => alternative(String(key), key));
    const { name } = cases.find(({ bits }) => bits === at(first)) ?? alternative("default", 0n);
    return { name, others: cases.filter((other) => other.name !== name) };
  }
  if (a !== null && b !== null && COMPARISONS.has(opcode)) {
    const second = dependences[starts[event] + 1];
    const [moved, other] = a.isConstant ? [second, first] : [first, second];
    const bits = bitsOf(a.type, results[2 * other], results[2 * other + 1]);
    const equal = alternative("equal", bits, moved);
    return at(first) === at(second)
      ? { name: equal.name, others: [] }
      : { name: alternative("apart", 0n).name, others: [equal] };
  }
  const [zero, one] = [alternative("0", 0n), alternative("1", 1n)];
  const isZero = at(first) === 0n || !TESTS.has(opcode);
  return isZero ? { name: zero.name, others: [one] } : { name: one.name, others: [zero] };
}

function keysOf({ cases: { lo, hi, count }, a }: Value): readonly bigint[] {
  return Array.from({ length: Math.min(count, CASES_MAX) }, (_, c) =>
    a === null ? 0n : bitsOf(a.type, lo[c], hi[c]),
  );
}
