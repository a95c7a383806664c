// Records one trace of bytecode, as Tamarin Tracing does: word by word, before each word executes.
// A pushed value is stored to the stack immediately. A region tracker maps cells to values of the
// trace, so that only cells from before the trace are loaded.
//
// The state of an exit is in memory; its snapshot contains only the address of the word and the
// tops of the stacks. Memory above a top is dead at an exit, and the snapshot states that, so
// filters can remove useless stores.
//
// 1. An exit continues at the word before which it is placed; its tops are those before the word.
// 2. Dead bytes in a snapshot lie above a top, in memory that the trace has written. No byte of
// another region is declared dead.
// 3. The tag of a box that the trace has made or checked is known. Any other tag is a value, and
// dependent code has a guard.
// 4. The address of a word is constant in a trace, and so is a return address that was pushed in
// it.

import { hostFunctionNamed } from "../ir/host-functions.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import { HEAP_BASE_LO } from "../ir/outcome.js";
import type { FrameSlot, Snapshot, Value } from "../ir/procedure.js";
import { isNaNBits } from "../ir/text/literals.js";
import { Double, Int32, Int64, type Type, Void } from "../ir/types.js";
import type { OracleMachine } from "../oracle/fast/machine.js";
import { HotCounter } from "../record/hot-counter.js";
import type {
  ExitKind,
  ProgramPoint,
  RecordedTrace,
  TraceEnd,
  TraceExit,
} from "../record/recorded-trace.js";
import {
  failed,
  type Recorder,
  type RecorderOptions,
  type RecordingResult,
  type RecordingStart,
} from "../record/recorder.js";
import { type RecordedFrame, TraceBuilder } from "../record/trace-builder.js";
import { assert } from "../support/assert.js";
import { immediateOf, primitiveOf } from "./code.js";
import { COMPUTE } from "./interpreter.js";
import type { InterpreterState, StateRole } from "./interpreter-state.js";
import {
  CELL_BYTES,
  DATA_CLASS,
  DATA_WORDS,
  OPERAND_CLASS,
  OPERAND_LIMIT,
  RETURN_CLASS,
  RETURN_LIMIT,
  WORD_BYTES,
} from "./layout.js";
import {
  type CellKind,
  type ComputingOpcode,
  isInteger,
  type PrimitiveSteps,
  TAG_BITS,
  TAG_MASK,
} from "./primitives.js";

/** A stack: the movement of its top, and the known values, by distance from its first top. */
interface TrackedStack {
  readonly pointer: Value;
  readonly bytes: number;
  top: number;
  /** The highest written position. */
  high: number;
  readonly values: Map<number, Value>;
  readonly pointers: Map<number, Value>;
}

/** The tops of the stacks before a word. */
interface StackTops {
  readonly operands: number;
  readonly returns: number;
}

export class WordRecorder implements Recorder, PrimitiveSteps<Value> {
  readonly depth: number;
  private readonly interpreter: InterpreterState;
  private readonly options: RecorderOptions;
  private readonly beginning: RecordingStart;
  private readonly builder: TraceBuilder;
  private readonly heap: Value;
  private readonly operands: TrackedStack;
  private readonly returns: TrackedStack;
  private readonly tags = new Map<Value, number>();
  /** By Double: the integer that was loaded from the same cell, so that a cell is one value. */
  private readonly integers = new Map<Value, Value>();
  private readonly exits: TraceExit[] = [];
  private readonly snapshots: (readonly [snapshot: Snapshot, tops: StackTops])[] = [];
  private recordedWords = 0;
  private isFirstWord = true;
  /** The address of the recorded word, the tops before it, and the contents at the tops. */
  private ip = 0;
  private topsBefore: StackTops = { operands: 0, returns: 0 };
  private topCell = 0;
  private topWord = 0;

  constructor(interpreter: InterpreterState, options: RecorderOptions, beginning: RecordingStart) {
    this.interpreter = interpreter;
    this.options = options;
    this.beginning = beginning;
    this.depth = beginning.depth;
    this.builder = new TraceBuilder(interpreter.facts.module, beginning.procedure);
    const { proc } = this.builder;
    interpreter.cells.forEach((cell) => proc.newParameter(interpreter.facts.typeOf(0, cell)));
    this.heap = this.parameter("heap");
    this.operands = trackedOf(this.parameter("sp"), CELL_BYTES);
    this.returns = trackedOf(this.parameter("rp"), WORD_BYTES);
  }

  executed(m: OracleMachine, pc: number): RecordingResult {
    const { edgePc, nextPc } = this.interpreter;
    if (pc !== edgePc && pc !== nextPc) return null;
    this.ip = this.interpreter.lowOf(m, "ip");
    this.topsBefore = { operands: this.operands.top, returns: this.returns.top };
    const recorded = pc === edgePc ? this.recordEdge() : this.recordWord(m);
    this.isFirstWord = false;
    return recorded;
  }

  private recordEdge(): RecordingResult {
    const { parent, points } = this.beginning;
    if (this.isFirstWord) return null;
    if (parent === null && this.ip === points[0].word) return this.finishLoop();
    const isLinked =
      this.options.hasTrace(0, this.ip) && (this.options.thresholds.linksCalls || !this.isCall);
    return isLinked ? this.finishAt(this.interpreter.edgePc, "link") : null;
  }

  private recordWord(m: OracleMachine): RecordingResult {
    const primitive = primitiveOf(this.word);
    if (primitive.name === "HALT") return this.finishAt(this.interpreter.nextPc, "return");
    this.topCell = m.heap.view.getInt32(this.interpreter.lowOf(m, "sp") - HEAP_BASE_LO, true);
    this.topWord = m.heap.view.getInt32(this.interpreter.lowOf(m, "rp") - HEAP_BASE_LO, true);
    primitive.applyTo(this);
    const { valuesMax, exitsMax } = this.options.thresholds;
    if (Math.max(this.builder.length, this.recordedWords++) > valuesMax) return failed("too long");
    return this.builder.exitCount > exitsMax ? failed("too many exits") : null;
  }

  private get word(): number {
    return this.interpreter.code.words[this.ip];
  }

  /** Whether a procedure begins at the word. */
  private get isCall(): boolean {
    return primitiveOf(this.word).name === "ENTER";
  }

  private parameter(role: StateRole): Value {
    return this.builder.proc.parameters[this.interpreter.roles.indexOf(role)];
  }

  immediate(): Value {
    return this.integer(immediateOf(this.word));
  }

  nextAddress(): Value {
    return this.integer(this.ip + 1);
  }

  pop(kind: CellKind): Value {
    const at = this.operands.top--;
    const known = this.operands.values.get(at);
    if (known !== undefined) return this.converted(kind, known);
    const type = isInteger(kind) ? Int32 : Double;
    const value = this.access(Op.Load, type, this.operands.pointer, CELL_BYTES * at, OPERAND_CLASS);
    this.operands.values.set(at, value);
    return value;
  }

  push(_: CellKind, value: Value): void {
    const cell = value.type === Int32 ? this.extended(value) : value;
    const at = this.setValue(this.operands, ++this.operands.top, value);
    this.access(Op.Store, Void, this.operands.pointer, CELL_BYTES * at, OPERAND_CLASS, cell);
  }

  popReturn(): Value {
    return this.wordAt(this.returns.top--);
  }

  pushReturn(value: Value): void {
    this.setWord(++this.returns.top, value);
  }

  local(): Value {
    return this.wordAt(this.returns.top - immediateOf(this.word));
  }

  setLocal(value: Value): void {
    this.setWord(this.returns.top - immediateOf(this.word), value);
  }

  load(index: Value): Value {
    const { address, offset } = this.dataAt(index);
    return this.access(Op.Load, Int32, address, offset, DATA_CLASS);
  }

  store(value: Value, index: Value): void {
    const { address, offset } = this.dataAt(index);
    this.access(Op.Store, Void, address, offset, DATA_CLASS, value);
  }

  compute(
    opcode: ComputingOpcode,
    operands: readonly Value[],
    takes: CellKind,
    gives: CellKind,
  ): Value {
    const [a, b = null] = operands;
    return (
      this.folded(opcode, operands, takes, gives) ??
      this.builder.add(Op[opcode], isInteger(gives) ? Int32 : Double, { a, b })
    );
  }

  log(value: Value): void {
    const host = hostFunctionNamed("logInt");
    assert(host !== null, () => "no host function logs an integer");
    this.builder.add(Op.CCall, host.result, { rest: [value], extra: host });
  }

  box(payload: Value, tag: number): Value {
    const shifted = this.compute("Shl", [payload, this.integer(TAG_BITS)], "int", "int");
    const box = this.compute("BitOr", [shifted, this.integer(tag)], "int", "box");
    this.tags.set(box, tag);
    return box;
  }

  tagOf(box: Value): Value {
    const known = this.tags.get(box);
    if (known !== undefined) return this.integer(known);
    if (this.options.fault === "assumed-tag") return this.integer(this.topCell & TAG_MASK);
    return this.compute("BitAnd", [box, this.integer(TAG_MASK)], "box", "int");
  }

  payloadOf(box: Value): Value {
    return this.compute("SShr", [box, this.integer(TAG_BITS)], "box", "int");
  }

  checkTag(tag: number): void {
    const box = this.pop("box");
    this.operands.top++;
    const found = this.tagOf(box);
    const isRight = found.isConstant && found.constantLow === tag;
    if (isRight) return;
    this.guard(this.builder.add(Op.NotEqual, Int32, { a: found, b: this.integer(tag) }));
    this.tags.set(box, tag);
  }

  truthOf(integer: Value): Value {
    if (integer.isConstant) return this.integer(Number(integer.constantLow !== 0));
    return this.builder.add(Op.NotEqual, Int32, { a: integer, b: this.integer(0) });
  }

  checkRoom(): void {
    this.checkTop(this.operands, OPERAND_LIMIT);
    this.checkTop(this.returns, RETURN_LIMIT);
  }

  /** The next recorded word has the target address, so nothing is needed here. */
  jump(): void {}

  jumpIf(condition: Value): void {
    if (condition.isConstant) return;
    if (this.topCell === 0) this.guard(condition);
    else this.guard(this.builder.add(Op.Equal, Int32, { a: condition, b: this.integer(0) }));
  }

  jumpTo(address: Value): void {
    if (address.isConstant) return;
    const b = this.integer(this.topWord);
    this.guard(this.builder.add(Op.NotEqual, Int32, { a: address, b }));
  }

  /** A trace ends before it. */
  halt(): void {}

  private integer(n: number): Value {
    return this.builder.constant(Int32, n | 0, 0);
  }

  private access(
    opcode: Opcode,
    type: Type,
    address: Value,
    offset: number,
    memoryClass: number,
    stored?: Value,
  ): Value {
    const operands = stored === undefined ? { a: address } : { a: stored, b: address };
    return this.builder.add(opcode, type, { ...operands, offset, memoryClass });
  }

  /** Returns a cell that contains an integer. */
  private extended(value: Value): Value {
    if (value.isConstant) return this.builder.constant(Int64, value.constantLow, 0);
    return this.builder.add(Op.ZExt32, Int64, { a: value });
  }

  /** Returns the tracked value, converted to that kind. */
  private converted(kind: CellKind, value: Value): Value {
    const { builder } = this;
    if (isInteger(kind) && value.type === Double) {
      const known = this.integers.get(value);
      if (known !== undefined) return known;
      const bits = builder.add(Op.BitwiseCast, Int64, { a: value });
      const integer = builder.add(Op.Trunc, Int32, { a: bits });
      this.integers.set(value, integer);
      return integer;
    }
    if (kind === "double" && value.type === Int32) {
      return builder.add(Op.BitwiseCast, Double, { a: this.extended(value) });
    }
    return value;
  }

  private setValue(stack: TrackedStack, at: number, value: Value): number {
    stack.values.set(at, value);
    stack.high = Math.max(stack.high, at);
    return at;
  }

  private wordAt(at: number): Value {
    const known = this.returns.values.get(at);
    if (known !== undefined) return known;
    const value = this.access(Op.Load, Int32, this.returns.pointer, WORD_BYTES * at, RETURN_CLASS);
    this.returns.values.set(at, value);
    return value;
  }

  private setWord(at: number, value: Value): void {
    this.setValue(this.returns, at, value);
    this.access(Op.Store, Void, this.returns.pointer, WORD_BYTES * at, RETURN_CLASS, value);
  }

  private dataAt(index: Value): { readonly address: Value; readonly offset: number } {
    const { builder } = this;
    const mask = DATA_WORDS - 1;
    if (index.isConstant)
      return { address: this.heap, offset: WORD_BYTES * (index.constantLow & mask) };
    const word = builder.add(Op.BitAnd, Int32, { a: index, b: this.integer(mask) });
    const bytes = builder.add(Op.Shl, Int32, { a: word, b: this.integer(2) });
    const distance = builder.add(Op.ZExt32, Int64, { a: bytes });
    return { address: builder.add(Op.Add, Int64, { a: this.heap, b: distance }), offset: 0 };
  }

  /**
   * Folds an opcode on constants; returns null if an operand is not constant, and for a NaN, whose
   * bits are open.
   */
  private folded(
    opcode: ComputingOpcode,
    operands: readonly Value[],
    takes: CellKind,
    gives: CellKind,
  ): Value | null {
    if (!operands.every(({ isConstant }) => isConstant)) return null;
    const [x, y = 0] = operands.map(numberOf);
    const result = COMPUTE[opcode](x, y, takes);
    if (isInteger(gives)) return this.integer(result);
    SCRATCH.setFloat64(0, result);
    const [hi, lo] = [SCRATCH.getInt32(0), SCRATCH.getInt32(4)];
    return isNaNBits(Double, lo, hi) ? null : this.builder.constant(Double, lo, hi);
  }

  // Guards, exits and ends.

  private checkTop(stack: TrackedStack, limit: number): void {
    const { builder } = this;
    const b = builder.add(Op.Add, Int64, { a: this.heap, b: builder.constant(Int64, limit, 0) });
    this.guard(builder.add(Op.Above, Int32, { a: this.pointerOf(stack, stack.top), b }));
  }

  /** Leaves the trace before the word if the condition is not zero. */
  private guard(condition: Value): void {
    if (this.options.fault === "missing-guard") return;
    const snapshot = this.snapshotAt(this.interpreter.nextPc, "guard");
    this.builder.add(Op.Check, Void, { a: condition, extra: snapshot });
  }

  private pointerOf(stack: TrackedStack, top: number): Value {
    if (top === 0) return stack.pointer;
    const known = stack.pointers.get(top);
    if (known !== undefined) return known;
    const b = this.builder.constant(Int64, stack.bytes * top, top < 0 ? -1 : 0);
    const value = this.builder.add(Op.Add, Int64, { a: stack.pointer, b });
    stack.pointers.set(top, value);
    return value;
  }

  private snapshotAt(pc: number, kind: ExitKind): Snapshot {
    const { interpreter, topsBefore, options } = this;
    let sp = this.pointerOf(this.operands, topsBefore.operands);
    let rp = this.pointerOf(this.returns, topsBefore.returns);
    if (options.fault === "exchanged-slots") [sp, rp] = [rp, sp];
    const state = { heap: this.heap, ip: this.integer(this.ip), sp, rp };
    const values = interpreter.roles.map((role) => state[role]);
    const frame: RecordedFrame = { name: "bytecode", point: this.ip, values };
    const snapshot = this.builder.snapshot([frame]);
    const points: ProgramPoint[] = [interpreter.pointOf(pc, this.ip)];
    const counter = new HotCounter(options.thresholds.hotExit);
    const exit = {
      number: snapshot.exit,
      kind,
      points: points,
      replaces: 1,
      taken: 0,
      counter: counter,
      side: null,
    };
    this.exits.push(exit);
    this.snapshots.push([snapshot, topsBefore]);
    return snapshot;
  }

  private finishAt(pc: number, kind: ExitKind & TraceEnd): RecordingResult {
    if (this.builder.length === 0) return failed("nothing recorded");
    this.builder.leave(this.snapshotAt(pc, kind));
    this.addDeadSlots();
    return this.finish(kind, this.builder.straight());
  }

  private finishLoop(): RecordingResult {
    const next = {
      heap: this.heap,
      ip: this.parameter("ip"),
      sp: this.pointerOf(this.operands, this.operands.top),
      rp: this.pointerOf(this.returns, this.returns.top),
    };
    const values = this.interpreter.roles.map((role) => next[role]);
    const forgets = this.options.fault === "loop-value";
    const { builder } = this;
    this.addDeadSlots();
    const module = this.options.thresholds.unrolls
      ? builder.unrolled(values, forgets)
      : builder.loop(values, forgets);
    return this.finish("loop", module);
  }

  /**
   * Adds to each snapshot the dead ranges: memory above its tops that the trace writes anywhere.
   */
  private addDeadSlots(): void {
    const lowered = this.options.fault === "dead-top" ? 1 : 0;
    for (const [{ frames }, tops] of this.snapshots) {
      const dead = [
        deadAbove(this.operands, tops.operands - lowered),
        deadAbove(this.returns, tops.returns),
      ];
      for (const slot of dead) if (slot !== null) frames[0].slots.push(slot);
    }
  }

  private finish(end: TraceEnd, module: RecordedTrace["module"]): RecordingResult {
    const { name, parent, points } = this.beginning;
    const { exits } = this;
    const { exitBase } = this.builder;
    const trace = {
      name,
      parent,
      points: points,
      below: [],
      module,
      end,
      exits,
      exitBase,
      entered: 0,
    };
    return { kind: "trace", trace };
  }
}

const SCRATCH = new DataView(new ArrayBuffer(8));

function numberOf({ type, constantLow: lo, constantHigh: hi }: Value): number {
  if (type === Int32) return lo;
  SCRATCH.setInt32(0, hi);
  SCRATCH.setInt32(4, lo);
  return SCRATCH.getFloat64(0);
}

const trackedOf = (pointer: Value, bytes: number): TrackedStack => ({
  pointer,
  bytes,
  top: 0,
  high: 0,
  values: new Map(),
  pointers: new Map(),
});

/** Returns null if nothing above the top is written. */
function deadAbove({ pointer, bytes, high }: TrackedStack, top: number): FrameSlot | null {
  if (high <= top) return null;
  return {
    kind: "deadBytes",
    address: pointer,
    offset: bytes * (top + 1),
    size: bytes * (high - top),
  };
}
