// Merges two programs: a mutation. The donor's procedures join the module with new names and new
// exits, and a call of its entry is added, with live values as arguments.

import { cloneModule } from "../ir/clone.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../ir/outcome.js";
import { type Module, Procedure, Snapshot } from "../ir/procedure.js";
import { Void } from "../ir/types.js";
import {
  type DonorProgram,
  exitEnd,
  freshName,
  InsertionPoint,
  type MutationInput,
  pickBlock,
  pickOne,
} from "./mutant.js";
import { operandAt, PinnedOperands, setOperand, takesAnyNaN } from "./operands.js";
import { indexAfterPhis } from "./stretch.js";

/** The maximum number of procedures in a module that is merged with another. */
const PROCEDURES_MAX = 24;

export function merge(mutant: MutationInput): boolean {
  const { source, module } = mutant;
  const reached = pickBlock(mutant);
  const { proc, block, flow } = reached;
  const heapBase = new PinnedOperands(proc, flow).heapBase();
  if (heapBase === null) return false;
  const donor = mutant.donor();
  const guest = donor.module;
  if (module.procedures.length + guest.procedures.length > PROCEDURES_MAX) return false;
  const first = indexAfterPhis(block);
  const spot = new InsertionPoint(reached, first + source.below(block.values.length - first));
  const entry = adopt(module, guest);
  const baseAt = heapBaseAt(donor);
  const call = proc.newValue(Op.CCall, entry.result);
  call.rest = entry.parameters.map((parameter, p) =>
    p === baseAt ? heapBase : spot.closed(spot.pick(source, parameter.type)),
  );
  call.extra = entry;
  spot.place(call);
  if (call.type === Void) return true;
  const operands = new PinnedOperands(proc, flow).freeOperands(block.values.slice(spot.at));
  const operand = pickOne(
    source,
    operands.filter((other) => operandAt(other)?.type === call.type),
  );
  if (operand !== undefined) {
    setOperand(operand, takesAnyNaN(operand.user) ? call : spot.closed(call));
  }
  return true;
}

/** Returns the index of the entry's parameter that is the heap's base; -1 if there is none. */
const heapBaseAt = ({ module, inputs }: DonorProgram): number =>
  module.entry.parameters.findIndex((_, p) =>
    inputs.every(({ words }) => words[2 * p] === HEAP_BASE_LO && words[2 * p + 1] === HEAP_BASE_HI),
  );

/** Copies the donor's procedures into the module; returns the copy of its entry. */
function adopt(module: Module, guest: Module): Procedure {
  const copy = cloneModule(guest);
  const exitsFrom = exitEnd(module);
  const entry = copy.entry;
  const renamed = new Map<Procedure, Procedure>();
  for (const proc of copy.procedures) {
    const own = renameProcedure(proc, freshName(module, "guest"), exitsFrom);
    renamed.set(proc, own);
    module.procedures.push(own);
  }
  for (const proc of renamed.values()) {
    proc.forEachValue((value) => {
      if (value.procedure !== null) value.extra = renamed.get(value.procedure) ?? null;
    });
  }
  for (const [exit, continuations] of copy.continuations) {
    const own = continuations.map((proc) => renamed.get(proc) ?? proc);
    module.continuations.set(exit + exitsFrom, own);
  }
  module.heapSize = Math.max(module.heapSize, guest.heapSize);
  return renamed.get(entry) ?? entry;
}

/**
 * Returns the procedure with another name and other exits; the old one must not be used any more.
 */
function renameProcedure(proc: Procedure, name: string, exitsFrom: number): Procedure {
  const own = new Procedure(name, proc.result, proc.further);
  own.parameters.push(...proc.parameters);
  own.slots.push(...proc.slots);
  own.blocks = proc.blocks;
  own.valueIdEnd = proc.valueIdEnd;
  own.blockIdEnd = proc.blockIdEnd;
  const twins = new Map<Snapshot, Snapshot>();
  for (const snapshot of proc.snapshots) {
    const twin = own.newSnapshot(snapshot.exit + exitsFrom, snapshot.id);
    twin.values.push(...snapshot.values);
    twin.frames.push(...snapshot.frames);
    twins.set(snapshot, twin);
  }
  own.snapshotIdEnd = proc.snapshotIdEnd;
  own.forEachValue((value) => {
    if (value.extra instanceof Snapshot) value.extra = twins.get(value.extra) ?? null;
  });
  return own;
}
