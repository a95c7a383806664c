// Renumbers ids from 0 without gaps, in the order of the text, so that a reduced program reads like a handwritten one.

import { type BasicBlock, copySlot, Module, Procedure, Snapshot, Value } from "../ir/procedure.js";

/** Returns a copy with new ids of values, blocks and snapshots; everything else is equal. */
export function renumberModule(module: Module): Module {
  const copy = new Module();
  copy.heapSize = module.heapSize;
  const twins = new Map<Procedure, Procedure>();
  for (const proc of module.procedures) {
    const twin = new Procedure(proc.name, proc.result, proc.further);
    twins.set(proc, twin);
    copy.procedures.push(twin);
  }
  for (const [proc, twin] of twins) new ProcedureRenumbering(proc, twin, twins).run();
  for (const [exit, continuations] of module.continuations) {
    copy.continuations.set(
      exit,
      continuations.flatMap((proc) => twins.get(proc) ?? []),
    );
  }
  return copy;
}

class ProcedureRenumbering {
  private readonly proc: Procedure;
  private readonly copy: Procedure;
  private readonly procedures: ReadonlyMap<Procedure, Procedure>;
  private readonly values = new Map<Value, Value>();
  private readonly blocks = new Map<BasicBlock, BasicBlock>();
  private readonly snapshots = new Map<Snapshot, Snapshot>();

  /** @param procedures the copy of each procedure that a call may refer to */
  constructor(proc: Procedure, copy: Procedure, procedures: ReadonlyMap<Procedure, Procedure>) {
    this.proc = proc;
    this.copy = copy;
    this.procedures = procedures;
  }

  run(): void {
    const { proc, copy } = this;
    copy.slots.push(...proc.slots); // immutable
    for (const parameter of proc.parameters) {
      this.values.set(parameter, copy.newParameter(parameter.type));
    }
    for (const block of proc.blocks) this.copyBlock(block);
    for (const snapshot of proc.snapshots) this.copySnapshot(snapshot);
    for (const [block, twin] of this.blocks) {
      twin.successors = block.successors.flatMap((successor) => this.blocks.get(successor) ?? []);
    }
    for (const [value, twin] of this.values) this.connect(value, twin);
  }

  private copyBlock(block: BasicBlock): void {
    const twin = this.copy.newBlock();
    twin.frequency = block.frequency;
    this.blocks.set(block, twin);
    for (const value of block.values) {
      const copied = this.copyValue(value);
      twin.append(copied);
    }
  }

  private copyValue(value: Value): Value {
    const twin = this.copy.newValue(value.opcode, value.type);
    twin.takeImmediates(value);
    this.values.set(value, twin);
    return twin;
  }

  private copySnapshot(snapshot: Snapshot): void {
    const twin = this.copy.newSnapshot(snapshot.exit);
    this.snapshots.set(snapshot, twin);
    for (const value of snapshot.values) twin.values.push(this.copyValue(value));
    for (const { name, point, slots } of snapshot.frames) {
      const twins = slots.map((slot) => copySlot(slot, (value) => this.twinOf(value)));
      twin.frames.push({ name, point, slots: twins });
    }
  }

  private twinOf(value: Value): Value {
    return this.values.get(value) ?? value;
  }

  private connect(value: Value, twin: Value): void {
    const { extra } = value;
    if (value.a !== null) twin.a = this.twinOf(value.a);
    if (value.b !== null) twin.b = this.twinOf(value.b);
    if (value.c !== null) twin.c = this.twinOf(value.c);
    if (value.rest !== null) twin.rest = value.rest.map((operand) => this.twinOf(operand));
    if (extra instanceof Value) twin.extra = this.twinOf(extra);
    else if (extra instanceof Snapshot) twin.extra = this.snapshots.get(extra) ?? null;
    else if (extra instanceof Procedure) twin.extra = this.procedures.get(extra) ?? null;
    else twin.extra = extra;
  }
}
