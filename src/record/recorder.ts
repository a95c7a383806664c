// Records one trace. It receives each instruction after its execution, and appends the same
// computation.
//
// A region tracker maps the cells of each recorded activation to values of the trace. A value that
// depends only on constants is replaced by the computed constant. A branch of the program becomes a
// guard. Its snapshot contains all activations as they were before the branch, so that the
// interpreter repeats the branch.
//
// 1. An exit continues at an instruction that the trace has not executed, or that has no effect.
// 2. A passed guard determines its operand, so later uses read the constant.
// 3. Recording terminates: each instruction adds a value, adds an exit or is a jump, and a loop of
// jumps alone does not end in the program either. Values and exits are limited.

import {
  BULK,
  CONTROL,
  EFFECTS,
  EXITS,
  guardsResult,
  isTotal,
  NAMES_KIND,
  OPERAND_COUNTS,
  Op,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, isWide, Void } from "../ir/types.js";
import type { OracleMachine } from "../oracle/fast/machine.js";
import { A, B, C, CALL, DEST, END, NO_CELL, NO_SLOT, STRIDE, Y } from "../oracle/fast/program.js";
import { assert } from "../support/assert.js";
import { HotCounter } from "./hot-counter.js";
import type { ProgramFacts } from "./program-facts.js";
import {
  type ExitKind,
  type ProgramPoint,
  type RecordedTrace,
  STATE_MAX,
  type TraceEnd,
  type TraceExit,
} from "./recorded-trace.js";
import type { Thresholds } from "./thresholds.js";
import { type RecordedFrame, TraceBuilder } from "./trace-builder.js";

/** Why a recording was abandoned. */
export type FailureReason =
  | "too long"
  | "too many exits"
  | "too much state"
  | "nothing recorded"
  | "a guard fails"
  | "a stack slot"
  | "a kept slot"
  | "a patchpoint on the frame"
  | "a return by a patchpoint"
  | "a self tail call"
  | "a call that may ask to leave"
  | "thrown away";

/**
 * The result of one recorded step: the end of the trace, a failure, or null if the recording
 * continues.
 */
export type RecordingResult =
  | { readonly kind: "trace"; readonly trace: RecordedTrace }
  | { readonly kind: "failed"; readonly reason: FailureReason }
  | null;

/** Bugs that canaries plant; the last applies to bytecode only. */
export type RecorderFault =
  | "exchanged-slots"
  | "missing-guard"
  | "missing-callee"
  | "loop-value"
  | "dead-top"
  | "assumed-tag";

interface RecordedActivation {
  readonly procedure: number;
  /** By cell of the activation: the value in the trace that it contains. */
  readonly cells: Map<number, Value>;
  /** The address of the call, if it called the next activation. */
  callAt: number;
}

/** Returns whether a trace begins at a point; `head` is the result of `RecordedLevel.headAt`. */
type HasTrace = (procedure: number, head: number) => boolean;

/** A recording in progress. */
export interface Recorder {
  /** Depth of the innermost recorded activation; deeper activations are not recorded. */
  readonly depth: number;
  /** Called after the innermost recorded activation executed the instruction at `pc`. */
  executed(m: OracleMachine, pc: number, next: number): RecordingResult;
}

/**
 * The level at which an execution is recorded: its own instructions, or the words of a bytecode
 * program that it interprets.
 */
export interface RecordingLevel {
  /**
   * Returns the number of the trace head at `pc` within its procedure; null if no trace may begin
   * there.
   */
  headAt(m: OracleMachine, pc: number): number | null;
  /** Returns the current point of the innermost activation. */
  pointAt(m: OracleMachine, pc: number): ProgramPoint;
  newRecorder(options: RecorderOptions, beginning: RecordingStart): Recorder;
}

export class InstructionLevel implements RecordingLevel {
  private readonly facts: ProgramFacts;

  constructor(facts: ProgramFacts) {
    this.facts = facts;
  }

  headAt(_: OracleMachine, pc: number): number {
    return pc;
  }

  pointAt(m: OracleMachine, pc: number): ProgramPoint {
    return this.facts.pointAt(m.procedure.index, pc);
  }

  newRecorder(options: RecorderOptions, beginning: RecordingStart): Recorder {
    return new TraceRecorder(this.facts, options, beginning);
  }
}

class TraceRecorder implements Recorder {
  private readonly facts: ProgramFacts;
  private readonly thresholds: Thresholds;
  private readonly hasTrace: HasTrace;
  private readonly fault: RecorderFault | null;
  private readonly name: string;
  private readonly parent: RecordedTrace["parent"];
  private readonly points: readonly ProgramPoint[];
  /** The calls to which the outermost activation has returned, innermost first. */
  private readonly below: ProgramPoint[] = [];
  /** Depth of the outermost recorded activation. */
  private rootDepth: number;
  private readonly builder: TraceBuilder;
  /** Outermost first. */
  private readonly frames: RecordedActivation[];
  /** Operands that passed guards determine, with their constants. */
  private readonly knownConstants = new Map<Value, Value>();
  private readonly exits: TraceExit[] = [];

  /**
   * @param start the activations of its points are innermost first; the first runs next, at that depth
   */
  constructor(
    facts: ProgramFacts,
    { thresholds, hasTrace, fault }: RecorderOptions,
    { name, procedure: ownName, parent, points, depth }: RecordingStart,
  ) {
    this.facts = facts;
    this.thresholds = thresholds;
    this.hasTrace = hasTrace;
    this.fault = fault;
    this.name = name;
    this.parent = parent;
    this.points = points;
    this.rootDepth = depth - (points.length - 1);
    this.builder = new TraceBuilder(facts.module, ownName);
    const { proc } = this.builder;
    this.frames = points.map(({ procedure, pc, cells }): RecordedActivation => {
      const entries = cells.map((cell): [number, Value] => [
        cell,
        proc.newParameter(facts.typeOf(procedure, cell)),
      ]);
      return { procedure, cells: new Map(entries), callAt: pc };
    });
    this.frames.reverse();
  }

  get depth(): number {
    return this.rootDepth + this.frames.length - 1;
  }

  executed(m: OracleMachine, pc: number, next: number): RecordingResult {
    const frame = this.innermost;
    const value = this.facts.valueAt(frame.procedure, pc);
    const effects = EFFECTS[value.opcode];
    if (guardsResult(value.opcode)) return failed("a call that may ask to leave");
    if (next === CALL && (effects & BULK) === 0) return this.recordCall(m, pc);
    // A return that sets the deoptimization flag ends the recording, because a recorded call does
    // not test the flag.
    if (value.opcode === Op.Return || (value.opcode === Op.ReturnDeopt && this.frames.length > 1))
      return this.recordReturn(m, pc);
    if (value.opcode === Op.ReturnDeopt) return failed("a call that may ask to leave");
    if (value.opcode === Op.PatchpointReturn) return failed("a return by a patchpoint");
    if (value.opcode === Op.TailCall) return failed("a self tail call");
    if (next === END) return null; // the execution is over
    if ((effects & CONTROL) !== 0) {
      this.recordControl(m, pc, value, next);
      return this.endAt(next) ?? this.checkLimits();
    }
    if ((effects & EXITS) !== 0 && next !== pc + STRIDE) return failed("a guard fails");
    return this.recordValue(m, pc, value) ?? this.checkLimits();
  }

  private get innermost(): RecordedActivation {
    return this.frames[this.frames.length - 1];
  }

  /** Returns a failure if the trace has too many values or exits. */
  private checkLimits(): RecordingResult {
    const { valuesMax, exitsMax } = this.thresholds;
    if (this.builder.length > valuesMax) return failed("too long");
    return this.builder.exitCount > exitsMax ? failed("too many exits") : null;
  }

  /** Ends the trace where it, or another trace, begins. */
  private endAt(pc: number): RecordingResult {
    const { procedure } = this.innermost;
    const [start] = this.points;
    const isStart = this.parent === null && procedure === start.procedure && pc === start.pc;
    if (isStart && this.frames.length === 1 && this.below.length === 0) return this.finishLoop();
    if (!isStart && !this.hasTrace(procedure, pc)) return null;
    return this.finishAt(pc, "link");
  }

  private operand(frame: RecordedActivation, cell: number): Value {
    const tracked = frame.cells.get(cell);
    if (tracked !== undefined) return this.knownConstants.get(tracked) ?? tracked;
    const source = this.facts.factsOf(frame.procedure).constants.get(cell);
    assert(source !== undefined, () => `cell ${cell} of ${frame.procedure} has no value`);
    return this.constantOf(source);
  }

  /**
   * Returns the constant in the form that its cell contains: for a slot address its offset, for a
   * procedure address its index.
   */
  private constantOf(source: Value): Value {
    const { type, procedure } = source;
    if (source.isConstant) {
      return this.builder.constant(
        type,
        source.constantLow,
        isWide(type) ? source.constantHigh : 0,
      );
    }
    const index = procedure === null ? 0 : this.facts.module.procedures.indexOf(procedure);
    return this.builder.constant(type, index, 0);
  }

  private operands(cells: readonly number[]): Value[] {
    return cells.map((cell) => this.operand(this.innermost, cell));
  }

  private recordValue(m: OracleMachine, pc: number, value: Value): RecordingResult {
    const { code, procedure } = m;
    const frame = this.innermost;
    const effects = EFFECTS[value.opcode];
    const dest = code[pc + DEST];
    if (isMove(value)) {
      frame.cells.set(dest, this.operand(frame, code[pc + A]));
      return null;
    }
    if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0 && code[pc + Y] !== NO_SLOT) {
      return failed("a stack slot");
    }
    if (value.host?.class === "keep") return failed("a kept slot");
    const [a, b, c] = [0, 1, 2].map((o) => {
      const cell = o < OPERAND_COUNTS[value.opcode] ? code[pc + A + o] : NO_CELL;
      return cell === NO_CELL ? null : this.operand(frame, cell);
    });
    let rest: Value[] | null = null;
    if (value.opcode === Op.CCall) rest = this.operands(procedure.calls[code[pc + Y]].argCells);
    if (NAMES_KIND[value.opcode] === 1) {
      const patchpoint = procedure.patchpoints[code[pc + Y]];
      if (patchpoint.kind.parameters.some(({ address }) => address !== null)) {
        return failed("a patchpoint on the frame");
      }
      rest = this.operands(patchpoint.argCells);
    }
    if (this.isFolded(m, value, dest, [a, b, c])) {
      const { lo, hi } = m.bitsOf(dest);
      frame.cells.set(dest, this.builder.constant(value.type, lo, hi));
      return null;
    }
    const isGuard = (effects & EXITS) !== 0;
    if (value.opcode === Op.Check && a?.isConstant) return null;
    const extra = isGuard ? this.snapshotBefore(pc, "guard") : value.host;
    const recorded = this.builder.add(value.opcode, value.type, {
      a,
      b,
      c,
      rest,
      extra,
    });
    recorded.takeImmediates(value);
    if (dest !== NO_CELL) frame.cells.set(dest, recorded);
    if (value.opcode === Op.Check && a !== null) this.learnZero(a);
    return null;
  }

  /**
   * Returns whether the computed result is a constant: the same computation would give the same
   * result.
   */
  private isFolded(
    m: OracleMachine,
    value: Value,
    dest: number,
    operands: (Value | null)[],
  ): boolean {
    if (dest === NO_CELL || m.flags[dest] !== 0 || NAMES_KIND[value.opcode] === 1) return false;
    const { opcode } = value;
    const isComputed = isTotal(opcode, value.type) || COMPUTED.has(opcode);
    return isComputed && operands.every((operand) => operand === null || operand.isConstant);
  }

  /** Records that a passed guard has shown the value to be zero. */
  private learnZero(value: Value): void {
    if (!value.isConstant) this.knownConstants.set(value, this.builder.constant(value.type, 0, 0));
  }

  private recordControl(m: OracleMachine, pc: number, value: Value, next: number): void {
    if (value.opcode === Op.Jump) return;
    const operand = this.operand(this.innermost, m.code[pc + A]);
    if (operand.isConstant || this.fault === "missing-guard") return;
    const { type, lo, hi } = m.bitsOf(m.code[pc + A]);
    const actual = this.builder.constant(type, lo, hi);
    if (value.opcode === Op.Branch) this.recordBranch(pc, operand, lo === 0 && hi === 0);
    else this.recordSwitch(m, pc, operand, actual, next);
  }

  private recordBranch(pc: number, operand: Value, isZero: boolean): void {
    const snapshot = this.snapshotBefore(pc, "guard");
    if (isZero) {
      this.builder.add(Op.Check, Void, { a: operand, extra: snapshot });
      this.learnZero(operand);
      return;
    }
    const zero = this.builder.constant(operand.type, 0, 0);
    const isOther = this.builder.add(Op.Equal, Int32, { a: operand, b: zero });
    this.builder.add(Op.Check, Void, { a: isOther, extra: snapshot });
  }

  /** A matched key replaces the operand; in the default case no key is equal to the operand. */
  private recordSwitch(
    m: OracleMachine,
    pc: number,
    operand: Value,
    actual: Value,
    next: number,
  ): void {
    const { lo, hi, targets } = m.procedure.switches[m.code[pc + Y]];
    const snapshot = this.snapshotBefore(pc, "guard");
    const matched = lo.findIndex(
      (low, k) => low === actual.constantLow && hi[k] === actual.constantHigh,
    );
    if (matched >= 0) {
      const isOther = this.builder.add(Op.NotEqual, Int32, { a: operand, b: actual });
      this.builder.add(Op.Check, Void, { a: isOther, extra: snapshot });
      this.knownConstants.set(operand, actual);
      return;
    }
    assert(next === targets[lo.length], () => `a switch went to no key and not to its default`);
    for (let k = 0; k < lo.length; k++) {
      const key = this.builder.constant(operand.type, lo[k], isWide(operand.type) ? hi[k] : 0);
      const isKey = this.builder.add(Op.Equal, Int32, { a: operand, b: key });
      this.builder.add(Op.Check, Void, { a: isKey, extra: snapshot });
    }
  }

  private recordCall(m: OracleMachine, pc: number): RecordingResult {
    const frame = this.innermost;
    const { procedure: named, argCells } = m.procedure.calls[m.code[pc + Y]];
    const index = named >= 0 ? named : m.i32[2 * m.code[pc + A]];
    if (named < 0) this.guardCallee(pc, this.operand(frame, m.code[pc + A]), index);
    const callee = this.facts.program.procedures.at(index);
    const args = this.operands(argCells);
    frame.callAt = pc;
    if (this.isInlined(index)) {
      this.frames.push({ procedure: index, cells: new Map(args.entries()), callAt: 0 });
      const begins = this.thresholds.linksCalls ? this.endAt(0) : null;
      return begins ?? this.checkLimits();
    }
    // A host function may keep the address of a slot; the slots of a trace have other addresses.
    if (this.facts.keepsSlots) return failed("a kept slot");
    const call = this.builder.add(Op.CCall, callee.result, {
      rest: args,
      extra: this.facts.module.procedures[index],
    });
    const dest = m.code[pc + DEST];
    if (dest !== NO_CELL) frame.cells.set(dest, call);
    callee.further.forEach((type, i) => {
      frame.cells.set(
        dest + 1 + i,
        this.builder.add(Op.Extract, type, { a: call, resultIndex: i + 1 }),
      );
    });
    return this.checkLimits();
  }

  /** Adds a guard that the callee is the recorded one. */
  private guardCallee(pc: number, address: Value, index: number): void {
    if (address.isConstant || this.fault === "missing-callee") return;
    const expected = this.builder.constant(address.type, index, 0);
    const snapshot = this.snapshotBefore(pc, "guard");
    const isOther = this.builder.add(Op.NotEqual, Int32, { a: address, b: expected });
    this.builder.add(Op.Check, Void, { a: isOther, extra: snapshot });
    this.knownConstants.set(address, expected);
  }

  private isInlined(index: number): boolean {
    const { framesMax, recursionMax } = this.thresholds;
    const { slotBytes } = this.facts.program.procedures.at(index);
    const same = this.frames.filter(({ procedure }) => procedure === index).length;
    return slotBytes === 0 && this.frames.length <= framesMax && same <= recursionMax;
  }

  private recordReturn(m: OracleMachine, pc: number): RecordingResult {
    const results = [A, B, C].flatMap((operand) => {
      const cell = m.code[pc + operand];
      return cell === NO_CELL ? [] : [this.operand(this.innermost, cell)];
    });
    if (this.frames.length > 1) this.frames.pop();
    else if (!this.returnBelow(m, pc)) return this.finishAt(pc, "return");
    const caller = this.innermost;
    const { code } = this.facts.program.procedures.at(caller.procedure);
    const dest = code[caller.callAt + DEST];
    results.forEach((result, i) => {
      caller.cells.set(dest + i, result);
    });
    return this.checkLimits();
  }

  /**
   * Continues in the caller of the outermost activation, as LuaJIT's RETF does: with a guard that
   * the call is the recorded one. Returns false if the trace has to end.
   */
  private returnBelow(m: OracleMachine, pc: number): boolean {
    const { facts, below, builder } = this;
    const { proc } = builder;
    const caller = m.callerOf(this.rootDepth);
    if (caller === null || below.length === this.thresholds.returnsMax) return false;
    const { procedure, callAt } = caller;
    const point = facts.pointOfCall(procedure, callAt);
    if (proc.parameters.length + point.cells.length >= STATE_MAX) return false;
    const a = proc.newParameter(Int32);
    const b = builder.constant(Int32, facts.numberAt(procedure, callAt), 0);
    const snapshot = this.snapshotBefore(pc, "caller");
    const isOther = builder.add(Op.NotEqual, Int32, { a, b });
    builder.add(Op.Check, Void, { a: isOther, extra: snapshot });
    const cells = point.cells.map((cell): [number, Value] => [
      cell,
      proc.newParameter(facts.typeOf(procedure, cell)),
    ]);
    below.push(point);
    this.rootDepth--;
    this.frames[0] = { procedure, cells: new Map(cells), callAt };
    return true;
  }

  private snapshotBefore(pc: number, kind: ExitKind) {
    const { frames, facts } = this;
    const points = frames.map(({ procedure, callAt }, f) =>
      f === frames.length - 1 ? facts.pointAt(procedure, pc) : facts.pointOfCall(procedure, callAt),
    );
    const states = points.map(
      ({ procedure, pc: at, cells }, f): RecordedFrame => ({
        name: facts.module.procedures[procedure].name,
        point: facts.idAt(procedure, at),
        values: cells.map((cell) => this.operand(frames[f], cell)),
      }),
    );
    if (this.fault === "exchanged-slots") states[0] = withExchangedSlots(states[0]);
    points.reverse();
    states.reverse();
    const snapshot = this.builder.snapshot(states);
    const { exit: number } = snapshot;
    const counter = new HotCounter(this.thresholds.hotExit);
    const replaces = (this.parent?.exit.replaces ?? 1) + this.below.length;
    this.exits.push({ number, kind, points, replaces, taken: 0, counter, side: null });
    return snapshot;
  }

  private finishAt(pc: number, kind: ExitKind & TraceEnd): RecordingResult {
    if (this.builder.length === 0) return failed("nothing recorded");
    this.builder.leave(this.snapshotBefore(pc, kind));
    return this.finish(kind, this.builder.straight());
  }

  private finishLoop(): RecordingResult {
    const [frame] = this.frames;
    const next = this.points[0].cells.map((cell) => this.operand(frame, cell));
    const forgets = this.fault === "loop-value";
    const { builder } = this;
    const module = this.thresholds.unrolls
      ? builder.unrolled(next, forgets)
      : builder.loop(next, forgets);
    return this.finish("loop", module);
  }

  private finish(end: TraceEnd, module: RecordedTrace["module"]): RecordingResult {
    const { name, parent, points, below, exits, builder } = this;
    const { exitBase } = builder;
    return {
      kind: "trace",
      trace: { name, parent, points, below, module, end, exits, exitBase, entered: 0 },
    };
  }
}

export interface RecorderOptions {
  readonly thresholds: Thresholds;
  readonly hasTrace: HasTrace;
  readonly fault: RecorderFault | null;
}

export interface RecordingStart {
  readonly name: string;
  /**
   * The name of the trace's entry procedure. It is always the same, so a trace that is recorded
   * again is the same module.
   */
  readonly procedure: string;
  readonly parent: RecordedTrace["parent"];
  readonly points: readonly ProgramPoint[];
  readonly depth: number;
}

export const failed = (reason: FailureReason): RecordingResult => ({ kind: "failed", reason });

/** The planted bug: exchanges the first two different slots of one type. */
function withExchangedSlots(state: RecordedFrame): RecordedFrame {
  const { values } = state;
  for (let i = 0; i < values.length; i++) {
    const j = values.findIndex((other, k) => k > i && isExchangeable(other, values[i]));
    if (j >= 0) return { ...state, values: values.with(i, values[j]).with(j, values[i]) };
  }
  return state;
}

const isExchangeable = (x: Value, y: Value): boolean => x !== y && x.type === y.type;

/** Opcodes that are not total, and whose result depends on their operands alone. */
const COMPUTED: ReadonlySet<number> = new Set([
  ...[Op.Div, Op.Mod, Op.UDiv, Op.UMod, Op.CheckAdd, Op.CheckSub, Op.CheckMul],
]);

/**
 * Returns whether the value is its operand, bit for bit and of the same type, so that the trace
 * needs no value.
 */
const isMove = ({ opcode }: Value): boolean => MOVES.has(opcode);
const MOVES: ReadonlySet<number> = new Set([
  ...[Op.Phi, Op.Upsilon, Op.Identity, Op.ArgumentReg, Op.Extract],
]);
