// LOOP, as LuaJIT does it: the recorded iteration is repeated with substitution. The first stands in front
// of the loop; in the copy each value is what it is in all further iterations. What the copy would compute
// of the same operands is the value of the first iteration: it is invariant, and stands in front. A guard
// of such operands has been asked there, and is not repeated.
//
// 1. A parameter of the trace is, in the copy, what the first iteration left for the next one: that value
//    itself if it is the same at the end of every iteration, else a Phi of it and its copy.
// 2. Which of them change is found from below: none is thought to, until its copy is another value. Each
//    round adds one, so it ends.
// 3. Stores, observed calls, volatile loads, and loads where something may write are repeated, in order.

import { BULK, EFFECTS, FENCE, Op, READS_MEMORY, VOLATILE, WRITES_MEMORY } from "../ir/opcodes.js";
import { copySlot, type Procedure, Snapshot, type Value } from "../ir/procedure.js";

/** What follows the first iteration. */
interface Unrolled {
  /** By value of the first iteration that changes. */
  readonly phis: ReadonlyMap<Value, Value>;
  /** One further iteration. */
  readonly body: readonly Value[];
  /** What a value of the first iteration is in a further one. */
  readonly seen: (value: Value) => Value;
}

/**
 * @param body the first iteration, of the parameters of `proc`
 * @param next what each parameter is in the next iteration
 * @param forgets a planted bug: the last value that changes is thought not to
 */
export function unrollTrace(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  forgets: boolean,
): Unrolled {
  const isQuiet = !body.some(mayWrite);
  const phis = new Map<Value, Value>();
  for (;;) {
    const varies = variesIn(proc, body, next, phis, isQuiet);
    const other = next.find((value) => !value.isConstant && !phis.has(value) && varies(value));
    if (other === undefined) {
      const last = [...phis.keys()].at(-1);
      if (forgets && last !== undefined) phis.delete(last);
      return copyOf(proc, body, next, phis, isQuiet);
    }
    phis.set(other, proc.newValue(Op.Phi, other.type));
  }
}

/** What the parameters are in a further iteration. */
function parametersIn(
  { parameters }: Procedure,
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
): Map<Value, Value> {
  return new Map(parameters.map((parameter, i) => [parameter, phis.get(next[i]) ?? next[i]]));
}

/** Whether a value of the first iteration is another one in a further iteration, as far as is known. */
function variesIn(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
  isQuiet: boolean,
): (value: Value) => boolean {
  const parameters = parametersIn(proc, next, phis);
  const repeated = new Set<Value>();
  const varies = (value: Value): boolean =>
    repeated.has(value) || (parameters.get(value) ?? value) !== value;
  for (const value of body) {
    if (mustRepeat(value, isQuiet) || operandsOf(value).some(varies)) repeated.add(value);
  }
  return varies;
}

function copyOf(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
  isQuiet: boolean,
): Unrolled {
  const varies = variesIn(proc, body, next, phis, isQuiet);
  const known = parametersIn(proc, next, phis);
  const seen = (value: Value): Value => known.get(value) ?? value;
  const snapshots = new Map<Snapshot, Snapshot>();
  const copies: Value[] = [];
  for (const value of body) {
    if (!varies(value)) continue;
    const copy = proc.newValue(value.opcode, value.type);
    copy.a = value.a && seen(value.a);
    copy.b = value.b && seen(value.b);
    copy.c = value.c && seen(value.c);
    copy.rest = value.rest?.map(seen) ?? null;
    copy.lo = value.lo;
    copy.hi = value.hi;
    copy.extra =
      value.extra instanceof Snapshot
        ? copyOfSnapshot(proc, value.extra, snapshots, seen)
        : value.extra;
    copies.push(copy);
    known.set(value, copy);
  }
  return { phis, body: copies, seen };
}

/** A copy of a guard keeps its exit, and has slots of its own; guards that share one go on doing so. */
function copyOfSnapshot(
  proc: Procedure,
  snapshot: Snapshot,
  copies: Map<Snapshot, Snapshot>,
  seen: (value: Value) => Value,
): Snapshot {
  const known = copies.get(snapshot);
  if (known !== undefined) return known;
  const copy = proc.newSnapshot(snapshot.exit);
  for (const { name, point, slots } of snapshot.frames) {
    copy.frames.push({ name, point, slots: slots.map((slot) => copySlot(slot, seen)) });
  }
  copies.set(snapshot, copy);
  return copy;
}

function operandsOf({ a, b, c, rest }: Value): readonly Value[] {
  return [a, b, c, ...(rest ?? [])].filter((operand) => operand !== null);
}

function mustRepeat(value: Value, isQuiet: boolean): boolean {
  const effects = EFFECTS[value.opcode];
  if ((effects & (WRITES_MEMORY | BULK | FENCE | VOLATILE)) !== 0) return true;
  if ((effects & READS_MEMORY) !== 0) return !isQuiet;
  if (!isCallOrPatchpoint(value)) return false;
  return !(value.isPureCall || (value.isUnobserved && isQuiet));
}

const mayWrite = (value: Value): boolean =>
  (EFFECTS[value.opcode] & (WRITES_MEMORY | BULK | FENCE)) !== 0 ||
  (isCallOrPatchpoint(value) && !value.isUnobserved);

const isCallOrPatchpoint = ({ opcode, patchpoint }: Value): boolean =>
  opcode === Op.CCall || patchpoint !== null;
