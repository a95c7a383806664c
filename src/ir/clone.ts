// Copies modules, procedures and values: compiling changes a program in place, and one program is compiled in many
// ways.

import { assert } from "../support/assert.js";
import {
  BasicBlock,
  copySlot,
  type ExtraReference,
  Module,
  Procedure,
  Snapshot,
  type SnapshotFrame,
  Value,
} from "./procedure.js";

/** Returns a copy that shares nothing mutable with the original; ids, orders and names are equal. */
export function cloneModule(module: Module): Module {
  const { copy, twins } = emptyCopy(module);
  for (const [proc, twin] of twins) cloneProcedure(proc, twin, twins);
  return copy;
}

/** A copy whose procedures have no code until `bring` copies it: most users need few procedures. */
export class LazyModuleCopy {
  readonly module: Module;
  readonly original: Module;
  private readonly twins: ProcedureCopies;
  private readonly brought = new Set<Procedure>();

  constructor(original: Module) {
    const { copy, twins } = emptyCopy(original);
    this.module = copy;
    this.original = original;
    this.twins = twins;
  }

  /** Copies the current code of a procedure of the original; does nothing if it was copied before. */
  bring(proc: Procedure): void {
    if (this.brought.has(proc)) return;
    this.brought.add(proc);
    const twin = this.twins.get(proc);
    assert(twin !== undefined, () => `${proc.name} is no procedure of the copied module`);
    cloneProcedure(proc, twin, this.twins);
  }
}

/** Returns a procedure with the parameters and results, without code. */
function signatureOf(proc: Procedure): Procedure {
  const copy = new Procedure(proc.name, proc.result, proc.further);
  for (const { type, id } of proc.parameters) copy.newParameter(type, id);
  return copy;
}

/** Copies all but the code of procedures; a call may refer to any procedure of the module. */
function emptyCopy(module: Module): { readonly copy: Module; readonly twins: ProcedureCopies } {
  const copy = new Module();
  copy.heapSize = module.heapSize;
  const twins = new Map<Procedure, Procedure>();
  for (const proc of module.procedures) {
    const twin = signatureOf(proc);
    twins.set(proc, twin);
    copy.procedures.push(twin);
  }
  for (const [exit, continuations] of module.continuations) {
    copy.continuations.set(
      exit,
      continuations.map((proc) => twins.get(proc) ?? proc),
    );
  }
  return { copy, twins };
}

/** Returns a copy of one procedure, which calls the same procedures as the original. */
export function copyProcedure(proc: Procedure): Procedure {
  const copy = signatureOf(proc);
  cloneProcedure(proc, copy, new Map());
  return copy;
}

/** Returns a copy that is in no block, with each operand mapped by `seen`. */
export function copyValue(proc: Procedure, value: Value, seen: (operand: Value) => Value): Value {
  const copy = proc.newValue(value.opcode, value.type);
  copy.takeImmediates(value);
  copy.extra = value.extra instanceof Value ? seen(value.extra) : value.extra;
  if (value.a !== null) copy.a = seen(value.a);
  if (value.b !== null) copy.b = seen(value.b);
  if (value.c !== null) copy.c = seen(value.c);
  if (value.rest !== null) copy.rest = value.rest.map(seen);
  return copy;
}

type ProcedureCopies = ReadonlyMap<Procedure, Procedure>;

/** Fills `copy`, which has the parameters; `twins` contains the copy of each procedure of the module. */
function cloneProcedure(proc: Procedure, copy: Procedure, twins: ProcedureCopies): void {
  const values: Value[] = new Array(proc.valueIdEnd);
  const blocks: BasicBlock[] = new Array(proc.blockIdEnd);
  const snapshots: Snapshot[] = new Array(proc.snapshotIdEnd);
  copy.slots.push(...proc.slots); // immutable
  for (const parameter of copy.parameters) values[parameter.id] = parameter;
  for (const snapshot of proc.snapshots) {
    const twin = new Snapshot(snapshot.id, snapshot.exit);
    snapshots[snapshot.id] = twin;
    copy.snapshots.push(twin);
  }
  for (const block of proc.blocks) {
    const twin = new BasicBlock(block.id);
    twin.frequency = block.frequency;
    blocks[block.id] = twin;
    copy.blocks.push(twin);
  }
  const cloner = new ProcedureCloner(values, snapshots, twins);
  for (const { id, values: own, frames } of proc.snapshots) {
    const twin = snapshots[id];
    for (const value of own) twin.values.push(cloner.clone(value));
    for (const frame of frames) twin.frames.push(cloneFrame(frame, cloner));
  }
  for (const block of proc.blocks) {
    const twin = blocks[block.id];
    twin.successors = block.successors.map((successor) => blocks[successor.id]);
    for (let i = 0; i < block.values.length; i++) {
      const value = cloner.clone(block.values[i]);
      twin.append(value);
    }
  }
  copy.valueIdEnd = proc.valueIdEnd;
  copy.blockIdEnd = proc.blockIdEnd;
  copy.snapshotIdEnd = proc.snapshotIdEnd;
}

class ProcedureCloner {
  /** The copies, by id. */
  private readonly values: Value[];
  private readonly snapshots: readonly Snapshot[];
  private readonly twins: ProcedureCopies;

  constructor(values: Value[], snapshots: readonly Snapshot[], twins: ProcedureCopies) {
    this.values = values;
    this.snapshots = snapshots;
    this.twins = twins;
  }

  /** Returns the copy of a value, with its operands and fields. */
  clone(value: Value): Value {
    const twin = this.twinOf(value);
    const { a, b, c, rest, extra } = value;
    twin.takeImmediates(value);
    if (a !== null) twin.a = this.twinOf(a);
    if (b !== null) twin.b = this.twinOf(b);
    if (c !== null) twin.c = this.twinOf(c);
    if (rest !== null) twin.rest = rest.map((operand) => this.twinOf(operand));
    if (extra !== null) twin.extra = this.extraOf(extra);
    return twin;
  }

  /** Returns the copy of a value, and makes it on first use: an operand may be defined later in the order of blocks. */
  twinOf({ id, opcode, type }: Value): Value {
    const known = this.values[id];
    if (known !== undefined) return known;
    const twin = new Value(id, opcode, type);
    this.values[id] = twin;
    return twin;
  }

  private extraOf(extra: NonNullable<ExtraReference>): ExtraReference {
    if (extra instanceof Value) return this.twinOf(extra);
    if (extra instanceof Snapshot) return this.snapshots[extra.id];
    return extra instanceof Procedure ? (this.twins.get(extra) ?? extra) : extra;
  }
}

function cloneFrame(frame: SnapshotFrame, cloner: ProcedureCloner): SnapshotFrame {
  const slots = frame.slots.map((slot) => copySlot(slot, (value) => cloner.twinOf(value)));
  return { name: frame.name, point: frame.point, slots };
}
