// Unrolls a trace as LuaJIT's LOOP does: it repeats the recorded iteration with substitution. The
// first iteration precedes the loop. In the copy, each value has the value of all further
// iterations. If the copy of a value has the same operands, it is invariant, and the value of the
// first iteration is used. A guard with invariant operands is not repeated.
//
// 1. A parameter of the trace becomes, in the copy, the value that the first iteration passes to
// the next: that value itself if it is the same at the end of every iteration, otherwise a Phi of
// it and its copy.
// 2. The set of changing values is the least fixed point: a value is treated as invariant until its
// copy is another value. Each round adds one value, so the search terminates.
// 3. Stores, observed calls, volatile loads, and loads that a write may affect are repeated, in
// order.

import { BULK, EFFECTS, FENCE, Op, READS_MEMORY, VOLATILE, WRITES_MEMORY } from "../ir/opcodes.js";
import { copySlot, type Procedure, Snapshot, type Value } from "../ir/procedure.js";

/** The loop of a trace: its Phis and the body of one further iteration. */
interface UnrolledLoop {
  /** The Phi of each changing value of the first iteration. */
  readonly phis: ReadonlyMap<Value, Value>;
  /** The values of one further iteration, in order. */
  readonly body: readonly Value[];
  /** Maps a value of the first iteration to its value in a further one. */
  readonly inLoop: (value: Value) => Value;
}

/**
 * @param body the first iteration, with the parameters of `proc`
 * @param next the value of each parameter in the next iteration
 * @param forgets a planted bug: the last changing value is treated as invariant
 */
export function unrollTrace(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  forgets: boolean,
): UnrolledLoop {
  const isReadOnly = !body.some(mayWrite);
  const phis = new Map<Value, Value>();
  for (;;) {
    const varies = variesTest(proc, body, next, phis, isReadOnly);
    const found = next.find((value) => !value.isConstant && !phis.has(value) && varies(value));
    if (found === undefined) {
      const last = [...phis.keys()].at(-1);
      if (forgets && last !== undefined) phis.delete(last);
      return copyIteration(proc, body, next, phis, isReadOnly);
    }
    phis.set(found, proc.newValue(Op.Phi, found.type));
  }
}

/** Returns, by parameter, its value in a further iteration. */
function parametersIn(
  { parameters }: Procedure,
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
): Map<Value, Value> {
  return new Map(parameters.map((parameter, i) => [parameter, phis.get(next[i]) ?? next[i]]));
}

/**
 * Returns a test whether a value of the first iteration changes in a further iteration, according to
 * the current Phis.
 */
function variesTest(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
  isReadOnly: boolean,
): (value: Value) => boolean {
  const parameters = parametersIn(proc, next, phis);
  const repeated = new Set<Value>();
  const varies = (value: Value): boolean =>
    repeated.has(value) || (parameters.get(value) ?? value) !== value;
  for (const value of body) {
    if (mustRepeat(value, isReadOnly) || operandsOf(value).some(varies)) repeated.add(value);
  }
  return varies;
}

function copyIteration(
  proc: Procedure,
  body: readonly Value[],
  next: readonly Value[],
  phis: ReadonlyMap<Value, Value>,
  isReadOnly: boolean,
): UnrolledLoop {
  const varies = variesTest(proc, body, next, phis, isReadOnly);
  const substitution = parametersIn(proc, next, phis);
  const substituted = (value: Value): Value => substitution.get(value) ?? value;
  const snapshots = new Map<Snapshot, Snapshot>();
  const copies: Value[] = [];
  for (const value of body) {
    if (!varies(value)) continue;
    const copy = proc.newValue(value.opcode, value.type);
    copy.a = value.a && substituted(value.a);
    copy.b = value.b && substituted(value.b);
    copy.c = value.c && substituted(value.c);
    copy.rest = value.rest?.map(substituted) ?? null;
    copy.takeImmediates(value);
    copy.extra =
      value.extra instanceof Snapshot
        ? copyOfSnapshot(proc, value.extra, snapshots, substituted)
        : value.extra;
    copies.push(copy);
    substitution.set(value, copy);
  }
  return { phis, body: copies, inLoop: substituted };
}

/**
 * Copies the snapshot of a guard with the same exit. Guards that shared a snapshot share its copy.
 */
function copyOfSnapshot(
  proc: Procedure,
  snapshot: Snapshot,
  copies: Map<Snapshot, Snapshot>,
  substituted: (value: Value) => Value,
): Snapshot {
  const known = copies.get(snapshot);
  if (known !== undefined) return known;
  const copy = proc.newSnapshot(snapshot.exit);
  for (const { name, point, slots } of snapshot.frames) {
    copy.frames.push({ name, point, slots: slots.map((slot) => copySlot(slot, substituted)) });
  }
  copies.set(snapshot, copy);
  return copy;
}

function operandsOf({ a, b, c, rest }: Value): readonly Value[] {
  return [a, b, c, ...(rest ?? [])].filter((operand) => operand !== null);
}

function mustRepeat(value: Value, isReadOnly: boolean): boolean {
  const effects = EFFECTS[value.opcode];
  if ((effects & (WRITES_MEMORY | BULK | FENCE | VOLATILE)) !== 0) return true;
  if ((effects & READS_MEMORY) !== 0) return !isReadOnly;
  if (!isCallOrPatchpoint(value)) return false;
  return !(value.isPureCall || (value.isUnobserved && isReadOnly));
}

const mayWrite = (value: Value): boolean =>
  (EFFECTS[value.opcode] & (WRITES_MEMORY | BULK | FENCE)) !== 0 ||
  (isCallOrPatchpoint(value) && !value.isUnobserved);

const isCallOrPatchpoint = ({ opcode, patchpoint }: Value): boolean =>
  opcode === Op.CCall || patchpoint !== null;
