// Makes a stretch the body of a loop: a mutation.

import { Op } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, Void } from "../ir/types.js";
import type { ChoiceSource } from "../support/source.js";
import { addressesOf, InsertionPoint, type MutationInput, pickBlock, pickOne } from "./mutant.js";
import { type OperandUse, operandAt, PinnedOperands, setOperand } from "./operands.js";
import { pickStretch } from "./stretch.js";

/** Makes a stretch the body of a loop that counts down; the loop may carry one of its values. */
export function wrapInLoop(mutant: MutationInput): boolean {
  const { source } = mutant;
  const reached = pickBlock(mutant);
  const { proc, block, flow } = reached;
  const stretch = pickStretch(source, block);
  if (stretch === null) return false;
  const inside = block.values.slice(stretch.from, stretch.to);
  const carried = pickCarried(source, new PinnedOperands(proc, flow), inside, addressesOf(proc));
  const rest = block.values.splice(stretch.from);
  const body = proc.newBlock();
  const after = proc.newBlock();
  body.frequency = block.frequency;
  after.frequency = block.frequency;
  after.successors = block.successors;
  block.successors = [body];
  body.successors = [body, after];
  const before = new InsertionPoint(reached, stretch.from);
  const loop = new InsertionPoint({ proc, flow, block: body }, 0);
  const type = source.below(2) === 0 ? Int32 : Int64;
  const counter = loop.emit(Op.Phi, type);
  writeTo(before, counter, before.constant(type, 2 + source.below(ITERATIONS), 0));
  const phi = carried === null ? null : loop.emit(Op.Phi, carried.first.type);
  if (carried !== null && phi !== null) {
    writeTo(before, phi, before.closed(carried.first));
    setOperand(carried.operand, phi);
  }
  before.emit(Op.Jump, Void);
  for (const value of inside) loop.place(value);
  if (carried !== null && phi !== null) writeTo(loop, phi, loop.closed(carried.next));
  const left = loop.emit(Op.Sub, type, counter, loop.constant(type, 1, 0));
  writeTo(loop, counter, left);
  loop.emit(Op.Branch, Void, left);
  const tail = new InsertionPoint({ proc, flow, block: after }, 0);
  for (const value of rest.slice(inside.length)) tail.place(value);
  return true;
}
const ITERATIONS = 4;

function writeTo(spot: InsertionPoint, phi: Value, value: Value): void {
  spot.emit(Op.Upsilon, Void, value).extra = phi;
}

interface CarriedValue {
  /** The operand that the loop's Phi replaces instead of `first`. */
  readonly operand: OperandUse;
  readonly first: Value;
  readonly next: Value;
}

function pickCarried(
  source: ChoiceSource,
  pinned: PinnedOperands,
  inside: readonly Value[],
  isAddress: Uint8Array,
): CarriedValue | null {
  const own = new Set(inside);
  const choices: CarriedValue[] = [];
  for (const operand of pinned.freeOperands(inside)) {
    const first = operandAt(operand);
    if (first === null || own.has(first)) continue;
    for (const next of inside) {
      if (next.type === first.type && isAddress[next.id] === 0)
        choices.push({ operand, first, next });
    }
  }
  return pickOne(source, choices) ?? null;
}
