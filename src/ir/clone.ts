// Copies of a module, a procedure, a value: compiling changes a program in place, and one program is compiled many ways.

import {
  BasicBlock,
  copySlot,
  type Frame,
  Module,
  Procedure,
  Snapshot,
  Value,
} from "./procedure.js";

/** A copy that shares nothing mutable with the original; ids, orders and names are kept. */
export function cloneModule(module: Module): Module {
  const copy = new Module();
  copy.heapSize = module.heapSize;
  // Calls name procedures that stand anywhere in the module.
  const twins = new Map<Procedure, Procedure>();
  for (const proc of module.procedures) {
    const twin = new Procedure(proc.name, proc.result, proc.further);
    twins.set(proc, twin);
    copy.procedures.push(twin);
  }
  for (const [proc, twin] of twins) cloneProcedure(proc, twin, twins);
  for (const [exit, continuations] of module.continuations) {
    const indices = continuations.map((proc) => module.procedures.indexOf(proc));
    copy.continuations.set(
      exit,
      indices.map((index) => copy.procedures[index]),
    );
  }
  return copy;
}

/**
 * Makes a procedure of a copy of the module, whatever it is, a copy of its original.
 * @param twins the copy of each procedure of the module
 */
export function copyAgain(proc: Procedure, copy: Procedure, twins: Twins): void {
  for (const list of [copy.slots, copy.parameters, copy.snapshots, copy.blocks]) list.length = 0;
  cloneProcedure(proc, copy, twins);
}

/** A copy of one procedure, which calls what the original calls. */
export function copyProcedure(proc: Procedure): Procedure {
  const copy = new Procedure(proc.name, proc.result, proc.further);
  cloneProcedure(proc, copy, new Map());
  return copy;
}

/** A copy that is not placed yet, with operands mapped by `seen`. */
export function copyValue(proc: Procedure, value: Value, seen: (operand: Value) => Value): Value {
  const copy = proc.newValue(value.opcode, value.type);
  copy.lo = value.lo;
  copy.hi = value.hi;
  copy.extra = value.extra instanceof Value ? seen(value.extra) : value.extra;
  if (value.a !== null) copy.a = seen(value.a);
  if (value.b !== null) copy.b = seen(value.b);
  if (value.c !== null) copy.c = seen(value.c);
  if (value.rest !== null) copy.rest = value.rest.map(seen);
  return copy;
}

type Twins = ReadonlyMap<Procedure, Procedure>;

/** Fills `copy`; `twins` has the copy of each procedure that the module has. */
function cloneProcedure(proc: Procedure, copy: Procedure, twins: Twins): void {
  const values: Value[] = new Array(proc.valueIdEnd);
  const blocks: BasicBlock[] = new Array(proc.blockIdEnd);
  const snapshots: Snapshot[] = new Array(proc.snapshotIdEnd);
  copy.slots.push(...proc.slots); // immutable
  for (const parameter of proc.parameters) copy.parameters.push(cloneValue(parameter, values));
  for (const snapshot of proc.snapshots) {
    const twin = new Snapshot(snapshot.id, snapshot.exit);
    for (const value of snapshot.values) twin.values.push(cloneValue(value, values));
    snapshots[snapshot.id] = twin;
    copy.snapshots.push(twin);
  }
  for (const block of proc.blocks) {
    const twin = new BasicBlock(block.id);
    twin.frequency = block.frequency;
    blocks[block.id] = twin;
    copy.blocks.push(twin);
  }
  for (const block of proc.blocks) {
    const twin = blocks[block.id];
    twin.successors = block.successors.map((successor) => blocks[successor.id]);
    twin.values = block.values.map((value) => cloneValue(value, values));
    for (const value of twin.values) value.block = twin;
  }
  connect(proc, values, snapshots, twins);
  copy.valueIdEnd = proc.valueIdEnd;
  copy.blockIdEnd = proc.blockIdEnd;
  copy.snapshotIdEnd = proc.snapshotIdEnd;
}

function cloneValue(value: Value, values: Value[]): Value {
  const twin = new Value(value.id, value.opcode, value.type);
  twin.lo = value.lo;
  twin.hi = value.hi;
  values[value.id] = twin;
  return twin;
}

// Second pass: operands may stand later in the order of blocks.
function connect(proc: Procedure, values: Value[], snapshots: Snapshot[], twins: Twins): void {
  proc.forEachValue((value) => {
    const twin = values[value.id];
    if (value.a !== null) twin.a = values[value.a.id];
    if (value.b !== null) twin.b = values[value.b.id];
    if (value.c !== null) twin.c = values[value.c.id];
    if (value.rest !== null) twin.rest = value.rest.map((operand) => values[operand.id]);
    const { extra } = value;
    if (extra instanceof Value) twin.extra = values[extra.id];
    else if (extra instanceof Snapshot) twin.extra = snapshots[extra.id];
    else if (extra instanceof Procedure) twin.extra = twins.get(extra) ?? extra;
    else twin.extra = extra;
  });
  for (const snapshot of proc.snapshots) {
    for (const frame of snapshot.frames) {
      snapshots[snapshot.id].frames.push(cloneFrame(frame, values));
    }
  }
}

function cloneFrame(frame: Frame, values: readonly Value[]): Frame {
  const slots = frame.slots.map((slot) => copySlot(slot, (value) => values[value.id]));
  return { name: frame.name, point: frame.point, slots };
}
