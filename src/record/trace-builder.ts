// Builds the module of a trace during recording. The values form one block, after the constants. A
// trace that returns to its beginning becomes a loop with Phis.

import { cloneModule } from "../ir/clone.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import {
  type BasicBlock,
  type ExtraReference,
  type FrameSlot,
  Module,
  Procedure,
  rewriteSlots,
  type Snapshot,
  type Value,
} from "../ir/procedure.js";
import { Int32, type Type, Void } from "../ir/types.js";
import { unrollTrace } from "./unroll-trace.js";

/** The operands of a value, in addition to opcode and type. */
interface ValueParts {
  readonly a?: Value | null;
  readonly b?: Value | null;
  readonly c?: Value | null;
  readonly rest?: Value[] | null;
  readonly offset?: number;
  readonly memoryClass?: number;
  readonly resultIndex?: number;
  readonly extra?: ExtraReference;
}

/** A frame of a snapshot: its point, and its values. */
export interface RecordedFrame {
  readonly name: string;
  readonly point: number;
  readonly values: readonly Value[];
}

export class TraceBuilder {
  readonly proc: Procedure;
  /** The number of the first exit. */
  readonly exitBase: number;
  private readonly source: Module;
  private readonly body: Value[] = [];
  private readonly constants = new Map<string, Value>();

  constructor(source: Module, name: string) {
    this.source = source;
    this.proc = new Procedure(name, Void);
    this.exitBase = exitEnd(source);
  }

  get length(): number {
    return this.body.length;
  }

  get exitCount(): number {
    return this.proc.snapshots.length;
  }

  constant(type: Type, lo: number, hi: number): Value {
    const key = `${type} ${lo} ${hi}`;
    const known = this.constants.get(key);
    if (known !== undefined) return known;
    const value = this.proc.newConstant(type, lo, hi);
    this.constants.set(key, value);
    return value;
  }

  add(opcode: Opcode, type: Type, parts: ValueParts): Value {
    const value = this.proc.newValue(opcode, type);
    Object.assign(value, parts);
    this.body.push(value);
    return value;
  }

  /** Makes a snapshot for each guard, with a new exit number. */
  snapshot(frames: readonly RecordedFrame[]): Snapshot {
    const snapshot = this.proc.newSnapshot(this.exitBase + this.exitCount);
    for (const { name, point, values } of frames) {
      snapshot.frames.push({ name, point, slots: values.map(slotOf) });
    }
    return snapshot;
  }

  /** Ends the trace by an unconditional exit with this snapshot. */
  leave(snapshot: Snapshot): void {
    this.add(Op.Check, Void, { a: this.constant(Int32, 1, 0), extra: snapshot });
    this.add(Op.Oops, Void, {});
  }

  /** Returns the finished trace as a module, for a trace without a loop. */
  straight(): Module {
    this.block([...this.constants.values(), ...this.body]);
    return this.module();
  }

  /**
   * Returns the finished trace as a module, for a trace that loops: the first iteration, then a
   * loop of further iterations.
   * @param next the value of each parameter in the next iteration
   * @param forgets a planted bug: a changing value is treated as invariant
   */
  unrolled(next: readonly Value[], forgets: boolean): Module {
    const { phis, body, inLoop } = unrollTrace(this.proc, this.body, next, forgets);
    const back = [...phis].map(([value, phi]) => this.upsilon(inLoop(value), phi));
    return this.loopModule(this.body, phis, [...phis.values(), ...body, ...back]);
  }

  /**
   * Returns the finished trace as a module, for a trace that loops, without a separate first
   * iteration.
   */
  loop(next: readonly Value[], forgets: boolean): Module {
    const { proc, body } = this;
    const phis = new Map<Value, Value>();
    const changing = proc.parameters.filter((parameter, i) => next[i] !== parameter);
    for (const parameter of forgets ? changing.slice(0, -1) : changing) {
      phis.set(parameter, proc.newValue(Op.Phi, parameter.type));
    }
    const substituted = (value: Value): Value => phis.get(value) ?? value;
    for (const value of body) rewriteOperands(value, substituted);
    for (const snapshot of proc.snapshots) rewriteSlots(snapshot, substituted);
    const back = [...phis].map(([parameter, phi]) =>
      this.upsilon(substituted(next[proc.parameters.indexOf(parameter)]), phi),
    );
    return this.loopModule([], phis, [...phis.values(), ...body, ...back]);
  }

  /**
   * Returns the module of a loop.
   * @param phis the Phi of each changing value, by its initial value
   */
  private loopModule(
    line: readonly Value[],
    phis: ReadonlyMap<Value, Value>,
    body: readonly Value[],
  ): Module {
    const first = [...phis].map(([value, phi]) => this.upsilon(value, phi));
    const entry = this.block([...this.constants.values(), ...line, ...first, this.jump()]);
    const loop = this.block([...body, this.jump()]);
    entry.successors = [loop];
    loop.successors = [loop];
    return this.module();
  }

  private upsilon(value: Value, phi: Value): Value {
    const upsilon = this.proc.newValue(Op.Upsilon, Void, value);
    upsilon.extra = phi;
    return upsilon;
  }

  private jump(): Value {
    return this.proc.newValue(Op.Jump, Void);
  }

  private block(values: Value[]): BasicBlock {
    const block = this.proc.newBlock();
    block.values = values;
    for (const value of values) value.block = block;
    return block;
  }

  /** Returns the module of the trace, with the procedures of the program that it calls. */
  private module(): Module {
    const { proc, source } = this;
    const calls = proc.blocks.flatMap(({ values }) =>
      values.filter(({ procedure }) => procedure !== null),
    );
    const module = calls.length === 0 ? new Module() : cloneModule(source);
    module.heapSize = source.heapSize;
    const called = new Set<Procedure>();
    for (const call of calls) {
      if (call.procedure === null) continue;
      const callee = module.procedures[source.procedures.indexOf(call.procedure)];
      call.extra = callee;
      called.add(callee);
    }
    keepReached(module, called);
    module.procedures.unshift(proc);
    return module;
  }
}

function slotOf(value: Value): FrameSlot {
  if (!value.isConstant) return { kind: "value", value };
  const { type, constantLow: lo, constantHigh: hi } = value;
  return { kind: "constant", type, lo, hi };
}

function rewriteOperands(value: Value, substituted: (value: Value) => Value): void {
  if (value.a !== null) value.a = substituted(value.a);
  if (value.b !== null) value.b = substituted(value.b);
  if (value.c !== null) value.c = substituted(value.c);
  if (value.rest !== null) value.rest = value.rest.map(substituted);
}

/**
 * Removes the procedures that are unreachable from these, by calls or by continuations of exits.
 */
function keepReached(module: Module, reached: Set<Procedure>): void {
  for (const proc of reached) {
    proc.forEachValue(({ procedure }) => {
      if (procedure !== null) reached.add(procedure);
    });
    for (const { exit } of proc.snapshots) {
      for (const continuation of module.continuations.get(exit) ?? []) reached.add(continuation);
    }
  }
  for (const [exit, continuations] of module.continuations) {
    if (!continuations.every((proc) => reached.has(proc))) module.continuations.delete(exit);
  }
  const kept = module.procedures.filter((proc) => reached.has(proc));
  module.procedures.splice(0, module.procedures.length, ...kept);
}

/** Returns the highest exit number plus one. */
function exitEnd({ procedures, continuations }: Module): number {
  let end = 0;
  for (const { snapshots } of procedures) {
    for (const { exit } of snapshots) end = Math.max(end, exit + 1);
  }
  for (const exit of continuations.keys()) end = Math.max(end, exit + 1);
  return end;
}
