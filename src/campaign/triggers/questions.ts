// Detectors of triggers in what is asked in front of a branch: of two branches that are one question, and of a call
// whose procedure may return at once.

import { Op, type Opcode } from "../../ir/opcodes.js";
import { type BasicBlock, calledBy, type Value } from "../../ir/procedure.js";
import { constantInteger, sum, unsigned, writersOf } from "./ask.js";
import type { Detector, View } from "./study.js";

/** A call of a procedure whose first branch leads to a return. */
export const returnsAtOnce: Detector = (study) =>
  sum(study, (call, view) => {
    const first = call.opcode === Op.CCall ? calledBy(call)?.blocks[0] : undefined;
    if (first?.last.opcode !== Op.Branch) return 0;
    const returns = first.successors.some(({ last }) => last.opcode === Op.Return);
    return returns ? view.times(call) : 0;
  });

const BOUNDS: ReadonlySet<Opcode> = new Set([
  ...[Op.GreaterEqual, Op.LessEqual, Op.LessThan, Op.GreaterThan],
]);

/**
 * Two branches that compare one integer with constants, the second behind the first; both lead to one join, which is told
 * from which.
 */
export const joinIsToldWhich: Detector = (study) => {
  let total = 0;
  for (const view of study.views) {
    for (const first of view.flow.order) {
      for (const second of first.successors) {
        if (!areBounds(first, second)) continue;
        if (tells(view, first, second)) total += view.times(second.last);
      }
    }
  }
  return total;
};

function areBounds(first: BasicBlock, second: BasicBlock): boolean {
  const [one, other] = [first.last, second.last].map(boundAsked);
  return second.predecessors.length === 1 && one !== null && one === other;
}

/** What a branch compares with a constant, by order. */
function boundAsked({ opcode, a }: Value): Value | null {
  if (opcode !== Op.Branch || a === null || !BOUNDS.has(a.opcode)) return null;
  return constantInteger(a.b) === null ? null : a.a;
}

function tells(view: View, first: BasicBlock, second: BasicBlock): boolean {
  const aside = first.successors.find((successor) => successor !== second);
  const join = aside?.successors[0];
  const dropped = second.successors.find((successor) => successor.successors[0] === join);
  if (aside === undefined || join === undefined || dropped === undefined) return false;
  return join.values.some((phi) => {
    if (phi.opcode !== Op.Phi) return false;
    const inputs = [aside, dropped].map(
      (arm) => writersOf(view, phi).find(({ block }) => block === arm)?.a,
    );
    return inputs[0] !== inputs[1];
  });
}

/**
 * One of two ranges that begin a power of two apart and have one number more than that, where the last number of the
 * upper one is asked for.
 */
export const rangesTouch: Detector = (study) =>
  sum(study, (choice, view) => {
    const { opcode, a, b, c } = choice;
    if (opcode !== Op.Select || a === null || c === null || constantInteger(b) !== 1n) return 0;
    const [one, other] = [a, c].map(rangeAsked);
    if (one === null || other === null || one.x !== other.x || one.size !== other.size) return 0;
    const { x, size } = one;
    const distance = unsigned(x, one.added - other.added);
    if (distance !== size && unsigned(x, -distance) !== size) return 0;
    if (size === 0n || (size & (size - 1n)) !== 0n) return 0;
    const start = distance === size ? one.added : other.added;
    return view.times(choice, (event) => {
      const at = event.integer(x);
      return at !== null && unsigned(x, at + start) === 2n * size;
    });
  });

interface Range {
  readonly x: Value;
  readonly added: bigint;
  readonly size: bigint;
}

function rangeAsked({ opcode, a, b }: Value): Range | null {
  if (opcode !== Op.BelowEqual || a === null || a.opcode !== Op.Add || a.a === null) return null;
  const [added, size] = [constantInteger(a.b), constantInteger(b)];
  return added === null || size === null ? null : { x: a.a, added, size: unsigned(a, size) };
}
