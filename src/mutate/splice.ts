// Inserts a stretch of another program: a mutation. Its inputs become values of this program, its
// heap becomes this heap, its exits are new, and some of its results are used here.

import { copyValue } from "../ir/clone.js";
import { EFFECTS, EXITS, Op } from "../ir/opcodes.js";
import { accessSize, isMemoryAccess, type Module, type Value } from "../ir/procedure.js";
import { Void } from "../ir/types.js";
import {
  addressesOf,
  InsertionPoint,
  type MutationInput,
  newSnapshotAt,
  pickBlock,
  pickOne,
} from "./mutant.js";
import { operandAt, PinnedOperands, setOperand, takesAnyNaN } from "./operands.js";
import { indexAfterPhis, isTransferable, pickStretch } from "./stretch.js";

/** The number of attempts to find a stretch of the donor. */
const TRIES = 8;

export function splice(mutant: MutationInput): boolean {
  const { source, module } = mutant;
  const reached = pickBlock(mutant);
  const { proc, block, flow } = reached;
  const heapBase = new PinnedOperands(proc, flow).heapBase();
  const stretch = pickForeign(mutant, heapBase !== null);
  if (stretch.length === 0) return false;
  const first = indexAfterPhis(block);
  const spot = new InsertionPoint(reached, first + source.below(block.values.length - first));
  const twins = new Map<Value, Value>();
  const seen = (operand: Value): Value => {
    const known = twins.get(operand);
    if (known !== undefined) return known;
    const { type } = operand;
    const twin = operand.isConstant
      ? spot.constant(type, operand.constantLow, operand.constantHigh)
      : spot.closed(spot.pick(source, type));
    twins.set(operand, twin);
    return twin;
  };
  const made: Value[] = [];
  for (const value of stretch) {
    const address = isMemoryAccess(value) ? value.address : null;
    const copy = copyValue(proc, value, (operand) =>
      operand === address && heapBase !== null ? heapBase : seen(operand),
    );
    if (address !== null) copy.offset = offsetWithin(module, value);
    if (address !== null) copy.memoryClass = 0; // classes of another program
    if ((EFFECTS[value.opcode] & EXITS) !== 0) copy.extra = newSnapshotAt(spot, mutant);
    twins.set(value, spot.place(copy));
    if (copy.type !== Void) made.push(copy);
  }
  for (let k = 0; k < USES_MAX; k++) addUse(mutant, spot, made, heapBase);
  return true;
}
/** Maximum number of new values that get a use. */
const USES_MAX = 2;

/**
 * Returns the longest of several stretches of the donor that can be inserted; empty if there is
 * none.
 */
function pickForeign({ source, donor }: MutationInput, hasHeap: boolean): Value[] {
  const { procedures } = donor().module;
  let longest: Value[] = [];
  for (let t = 0; t < TRIES; t++) {
    const proc = procedures[source.below(procedures.length)];
    const block = proc.blocks[source.below(proc.blocks.length)];
    const stretch = pickStretch(source, block);
    if (stretch === null) continue;
    const isAddress = addressesOf(proc);
    const values = block.values
      .slice(stretch.from, stretch.to)
      .filter((value) => isTransferable(value, isAddress) && (hasHeap || !isMemoryAccess(value)));
    if (values.length > longest.length) longest = values;
  }
  return longest;
}

const offsetWithin = ({ heapSize }: Module, access: Value): number =>
  Math.abs(access.offset) % (heapSize - accessSize(access));

/** Uses one of the values as an operand of a later value, or stores it. */
function addUse(
  { source, module }: MutationInput,
  spot: InsertionPoint,
  made: readonly Value[],
  heapBase: Value | null,
): void {
  const value = pickOne(source, made);
  if (value === undefined) return;
  const { block } = spot;
  const operands = new PinnedOperands(spot.proc, spot.flow).freeOperands(
    block.values.slice(spot.at),
  );
  const operand = pickOne(
    source,
    operands.filter((other) => operandAt(other)?.type === value.type),
  );
  if (operand !== undefined) {
    setOperand(operand, takesAnyNaN(operand.user) ? value : spot.closed(value));
  } else if (heapBase !== null) {
    const store = spot.emit(Op.Store, Void, spot.closed(value), heapBase);
    store.offset = source.below(module.heapSize / 8) * 8;
  }
}
