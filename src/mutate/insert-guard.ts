// Adds a guard: a mutation.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Int32, isInteger, Void } from "../ir/types.js";
import {
  addressesOf,
  InsertionPoint,
  type MutationInput,
  newSnapshotAt,
  pickBlock,
  pickOne,
} from "./mutant.js";
import { indexAfterPhis } from "./stretch.js";

/**
 * Adds a guard that rarely fails, with a snapshot of its own; or makes a sum, a product or a
 * conversion checked.
 */
export function insertGuard(mutant: MutationInput): boolean {
  const { source } = mutant;
  const reached = pickBlock(mutant);
  const { block } = reached;
  const plain = block.values.filter((value) => guardOf(value) !== undefined);
  if (plain.length > 0 && source.below(2) === 1) {
    const value = plain[source.below(plain.length)];
    if (addressesOf(reached.proc)[value.id] === 1) return false;
    const spot = new InsertionPoint(reached, block.values.indexOf(value));
    value.extra = newSnapshotAt(spot, mutant);
    value.opcode = guardOf(value) ?? value.opcode;
    return true;
  }
  const first = indexAfterPhis(block);
  const spot = new InsertionPoint(reached, first + source.below(block.values.length - first));
  const x = pickOne(
    source,
    spot.available(null).filter(({ isConstant }) => !isConstant),
  );
  if (x === undefined) return false;
  const y = source.below(3) === 0 ? spot.pick(source, x.type) : spot.drawnConstant(source, x.type);
  const comparison = spot.emit(COMPARISONS[source.below(COMPARISONS.length)], Int32, x, y);
  const guard = spot.emit(Op.Check, Void, comparison);
  guard.extra = newSnapshotAt(spot, mutant);
  return true;
}
const GUARDED = new Map<Opcode, Opcode>([
  [Op.Add, Op.CheckAdd],
  [Op.Sub, Op.CheckSub],
  [Op.Mul, Op.CheckMul],
]);
const guardOf = ({ opcode, type, a }: Value): Opcode | undefined =>
  opcode === Op.TruncS32 && a?.type === Double
    ? Op.CheckToInt32
    : isInteger(type)
      ? GUARDED.get(opcode)
      : undefined;
const COMPARISONS = [Op.Equal, Op.Equal, Op.Equal, Op.LessThan, Op.GreaterThan];
