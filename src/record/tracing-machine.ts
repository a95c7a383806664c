// Runs a program with traces. The oracle interprets the program, hot paths are recorded, and at the
// beginning of a trace the trace runs instead. When it leaves, its inlined activations are
// restored, and the oracle continues in the middle of a block.
//
// 1. A trace is entered at a loop's backward jump to a head, at the start of an activation, and by
// an exit with a side trace; never while its own activations are recorded.
// 2. After an exit that is not a link, the interpreter executes at least one instruction, so that
// it does not immediately enter the same trace again.
// 3. Nothing else runs while a trace runs. So traces may be discarded whenever the oracle runs,
// even if activations that they restored are active. A recording that continues from a discarded
// trace is dropped.
// 4. Recording of a head or an exit is attempted a limited number of times.
// 5. The start of an execution is not a head: it is not reached again, and a trace from there would
// contain all hot code in one line that never runs again.

import {
  type FrameState,
  type Input,
  isBits,
  type ObservedBits,
  type Outcome,
} from "../ir/outcome.js";
import type { OracleMachine } from "../oracle/fast/machine.js";
import { type ActivationState, Oracle } from "../oracle/fast/oracle.js";
import { type DecodedModule, END } from "../oracle/fast/program.js";
import type { ExecutionObserver } from "../oracle/fast/run.js";
import { assert } from "../support/assert.js";
import { HotCounter } from "./hot-counter.js";
import type { ProgramFacts } from "./program-facts.js";
import {
  exitTaken,
  type ProgramPoint,
  type RecordedTrace,
  STATE_MAX,
  type TraceExit,
} from "./recorded-trace.js";
import {
  type FailureReason,
  InstructionLevel,
  type Recorder,
  type RecorderFault,
  type RecordingLevel,
  type RecordingResult,
} from "./recorder.js";
import type { Thresholds } from "./thresholds.js";
import { noCounts, type TraceCounts } from "./trace-counts.js";
import type { TraceRunner } from "./trace-runner.js";

/** Bugs that canaries plant: in the recorder, and in the machine. */
export type TracingFault = RecorderFault | MachineFault;
/**
 * Bugs of the tracing machine that canaries plant; the last one is in the code that links exits.
 */
type MachineFault = "missing-frame" | "endless-penalty" | "exchanged-registers";

/**
 * A point at which a trace may begin, the start of a loop or procedure, with its counter and its
 * trace.
 */
interface TraceHead {
  readonly counter: HotCounter;
  trace: RecordedTrace | null;
}

/** A recording in progress, of a head or of an exit of a trace. */
interface ActiveRecording {
  readonly recorder: Recorder;
  /** The head or exit that receives the trace. */
  readonly target: TraceHead | TraceExit;
  /** How often all traces had been discarded when the recording began. */
  readonly generation: number;
}

interface TracingOptions {
  readonly thresholds: Thresholds;
  readonly runner: TraceRunner;
  readonly fault: TracingFault | null;
  /** The level that is recorded; by default the instructions of the program itself. */
  readonly level?: RecordingLevel;
}

export class TracingMachine implements ExecutionObserver {
  readonly counts: TraceCounts = noCounts();
  /** All recorded traces, including discarded ones. */
  readonly traces: RecordedTrace[] = [];
  isRecording = false;
  private readonly facts: ProgramFacts;
  private readonly program: DecodedModule;
  private readonly options: TracingOptions;
  private readonly level: RecordingLevel;
  private readonly oracle = new Oracle();
  /** The trace heads, by procedure and by the number that `RecordedLevel.headAt` returns. */
  private readonly heads: Map<number, TraceHead>[];
  private recording: ActiveRecording | null = null;
  /** The hot exit whose activations are being restored. */
  private hotExit: RecordedTrace["parent"] = null;
  /** True while the machine must interpret before it enters a trace (rules 2 and 5). */
  private mustInterpret = true;
  /** The number of trace entries that remain; after them, the execution counts as endless. */
  private entriesLeft = 0;
  private exitsSinceFlush = 0;
  private liveCount = 0;

  constructor(facts: ProgramFacts, options: TracingOptions) {
    this.facts = facts;
    this.program = facts.program;
    this.options = options;
    this.level = options.level ?? new InstructionLevel(facts);
    this.heads = this.program.procedures.all().map(() => new Map());
  }

  run(input: Input, fuelMax: number): Outcome {
    this.entriesLeft = fuelMax;
    return this.oracle.runWatched(this.program, input, fuelMax, this);
  }

  arrive(m: OracleMachine, start: number, fuel: number): number {
    let pc = start;
    let used = 0;
    for (let isDone = false; !isDone && pc !== END; ) {
      m.isReplaced = false;
      if (this.hotExit !== null) this.recordExit(m, this.hotExit);
      const head = this.mustInterpret || this.isRecorded(m) ? null : this.headAt(m, pc);
      if (head === null) isDone = true;
      else if (head.trace === null) {
        isDone = true;
        if (this.recording === null && head.counter.countArrival(this.options.thresholds)) {
          this.recordHead(m, head, pc);
        }
      } else {
        pc = this.enter(m, head.trace, pc, fuel - used);
        used += m.fuelUsed;
      }
    }
    // END: a trace has removed this activation, and its caller arrives next.
    if (pc !== END) this.mustInterpret = false;
    m.fuelUsed = used;
    return m.ending === null ? pc : END;
  }

  executed(m: OracleMachine, pc: number, next: number): void {
    const { recording } = this;
    if (recording === null || m.depth !== recording.recorder.depth) return;
    const result = recording.recorder.executed(m, pc, next);
    if (result !== null) this.finish(recording, result);
  }

  private headAt(m: OracleMachine, pc: number): TraceHead | null {
    const heads = this.heads[m.procedure.index];
    const key = this.level.headAt(m, pc);
    if (key === null) return null;
    let head = heads.get(key);
    if (head === undefined) {
      const { hotLoop, hotCall } = this.options.thresholds;
      head = { counter: new HotCounter(pc === 0 ? hotCall : hotLoop), trace: null };
      heads.set(key, head);
    }
    return head;
  }

  private recordHead(m: OracleMachine, head: TraceHead, pc: number): void {
    this.begin(m, [this.level.pointAt(m, pc)], head, null);
  }

  /** Begins to record from a hot exit, after its activations were restored. */
  private recordExit(m: OracleMachine, parent: NonNullable<RecordedTrace["parent"]>): void {
    this.hotExit = null;
    this.begin(m, parent.exit.points, parent.exit, parent);
  }

  private readonly hasTrace = (procedure: number, head: number): boolean =>
    (this.heads[procedure].get(head)?.trace ?? null) !== null;

  /** Returns whether the activation is being recorded; traces run only in its callees. */
  private isRecorded(m: OracleMachine): boolean {
    return this.recording !== null && m.depth <= this.recording.recorder.depth;
  }

  /** @param target the hot head or exit, which receives the trace */
  private begin(
    m: OracleMachine,
    points: readonly ProgramPoint[],
    target: TraceHead | TraceExit,
    parent: RecordedTrace["parent"],
  ): void {
    const { thresholds, fault } = this.options;
    // Rule 4 is broken: the execution stops.
    if (target.counter.attempts > thresholds.attemptsMax) {
      this.oracle.endExecution({ kind: "runaway" });
      return;
    }
    if (points.reduce((sum, { cells }) => sum + cells.length, 0) > STATE_MAX) {
      this.fail(target, "too much state");
      return;
    }
    const recorder = this.level.newRecorder(
      { thresholds, hasTrace: this.hasTrace, fault: isRecorderFault(fault) ? fault : null },
      {
        name: this.nameOf(this.traces.length),
        procedure: this.nameOf(this.liveCount),
        parent,
        points,
        depth: m.depth,
      },
    );
    this.recording = { recorder, target, generation: this.counts.flushes };
    this.isRecording = true;
  }

  private nameOf(number: number): string {
    let name = `trace${number}`;
    while (this.facts.module.procedureNamed(name) !== null) name += "_";
    return name;
  }

  private finish(
    { target, generation }: ActiveRecording,
    result: NonNullable<RecordingResult>,
  ): void {
    this.recording = null;
    this.isRecording = false;
    if (result.kind === "failed") this.fail(target, result.reason);
    else if (generation !== this.counts.flushes) this.fail(target, "thrown away");
    else this.install(target, result.trace);
  }

  private fail({ counter }: TraceHead | TraceExit, reason: FailureReason): void {
    const { counts } = this;
    const { thresholds, fault } = this.options;
    counts.failures[reason] = (counts.failures[reason] ?? 0) + 1;
    if (fault === "endless-penalty") return;
    counter.fail(thresholds);
    if (counter.isDisabled(thresholds)) counts.blacklisted++;
  }

  private install(target: TraceHead | TraceExit, trace: RecordedTrace): void {
    const { counts } = this;
    if (this.liveCount === this.options.thresholds.tracesMax) this.discardTraces();
    target.counter.succeed();
    if ("side" in target) target.side = trace;
    else target.trace = trace;
    this.liveCount++;
    this.traces.push(trace);
    counts[trace.parent === null ? "roots" : "sides"]++;
    counts[COUNT_OF_END[trace.end]]++;
    this.link(trace);
  }

  /**
   * Links the exit from which the trace continues to the trace, and its end to the trace that
   * begins there.
   */
  private link(trace: RecordedTrace): void {
    if (!this.options.thresholds.patches) return;
    const { parent, exits, end } = trace;
    if (parent !== null) this.linkExit(parent.trace, parent.exit, trace);
    const last = exits.at(-1);
    if (end !== "link" || last === undefined) return;
    if (last.points.length > 1 || last.replaces > 1) return;
    const [{ procedure, pc, word = pc }] = last.points;
    const next = this.heads[procedure].get(word)?.trace ?? null;
    if (next !== null) this.linkExit(trace, last, next);
  }

  /** A trace that returns below its beginning takes state that no exit contains. */
  private linkExit(from: RecordedTrace, exit: TraceExit, to: RecordedTrace): void {
    if (to.below.length > 0) return;
    if (this.options.runner.link?.(from, exit, to) === true) this.counts.patched++;
  }

  /** Discards all traces; side traces with the exits that lead to them (rule 3). */
  private discardTraces(): void {
    this.counts.flushes++;
    this.liveCount = 0;
    this.options.runner.unlink?.();
    for (const heads of this.heads) {
      for (const head of heads.values()) {
        head.trace = null;
        head.counter.reset();
      }
    }
  }

  /**
   * Runs the trace and the traces linked to its exits; returns the address at which the interpreter
   * continues.
   */
  private enter(m: OracleMachine, first: RecordedTrace, pc: number, fuel: number): number {
    const { counts } = this;
    let trace = first;
    const point = this.level.pointAt(m, pc);
    let words = wordsOf([
      ...point.cells.map((cell) => m.bitsOf(cell)),
      ...this.stateBelow(m, trace, m.depth),
    ]);
    for (;;) {
      counts.entries++;
      trace.entered++;
      if (this.entriesLeft-- === 0) return this.oracle.endExecution({ kind: "runaway" });
      const run = this.runTrace(m, trace, words);
      if (run === null) return END;
      const { exit, frames } = run;
      if (run.last !== trace) counts.crossed++;
      exit.taken++;
      if (exit.kind === "caller") counts.callers++;
      if (exit.side === null) return this.leave(m, run.last, exit, frames, fuel);
      counts.linked++;
      trace = exit.side;
      words = wordsOf([
        ...frames.flatMap(({ slots }) => slots.filter(isBits)),
        ...this.stateBelow(m, trace, m.depth - exit.replaces + 1),
      ]);
    }
  }

  /**
   * Returns the parameters of the trace for the calls to which it returns: if a call is another
   * one, its number, so that the trace leaves there. A trace does not return to an activation that
   * is being recorded.
   * @param depth that of the outermost activation in which the trace begins
   */
  private stateBelow(m: OracleMachine, { below }: RecordedTrace, depth: number): ArgumentWords[] {
    const lowest = this.recording === null ? 0 : this.recording.recorder.depth + 1;
    return below.flatMap(({ procedure, pc, cells }, b): ArgumentWords[] => {
      const caller = depth - b > lowest ? m.callerOf(depth - b) : null;
      if (caller === null) return [NO_CALLER, ...cells.map(() => NO_CALLER)];
      const number = { lo: this.facts.numberAt(caller.procedure, caller.callAt), hi: 0 };
      const isRecorded = caller.procedure === procedure && caller.callAt === pc;
      const { i32 } = caller;
      return [
        number,
        ...cells.map((cell) =>
          isRecorded ? { lo: i32[2 * cell], hi: i32[2 * cell + 1] } : NO_CALLER,
        ),
      ];
    });
  }

  /** Returns the exit that the trace took; null if the execution is over. */
  private runTrace(m: OracleMachine, trace: RecordedTrace, words: Int32Array): TakenExit | null {
    const { outcome, last } = this.options.runner.run(trace, words, m.heap.bytes);
    const { events, volatileLoads, fences, ending, calleeExits } = outcome;
    if (ending.kind === "exit") overwriteDead(m.heap.bytes, ending.heap.masked);
    // All bytes are specified after a trace: it stores no open NaN and leaves no byte dead.
    m.heap.attach(m.heap.bytes);
    const before = m.events.length;
    for (const { after, ending: left } of calleeExits ?? []) {
      m.calleeExits.push({ after: before + after, ending: left });
    }
    m.events.push(...events);
    if (volatileLoads === undefined) {
      m.volatileLoads = null;
      m.fences = null;
    } else {
      const passed = m.volatileLoads?.length ?? 0;
      for (const fence of fences ?? []) m.fences?.push({ ...fence, after: passed + fence.after });
      m.volatileLoads?.push(...volatileLoads);
    }
    const exit = ending.kind === "exit" ? exitTaken(last, ending.exit) : null;
    if (ending.kind === "exit" && exit !== null) return { last, exit, frames: ending.frames };
    this.oracle.endExecution(ending);
    return null;
  }

  private leave(
    m: OracleMachine,
    trace: RecordedTrace,
    exit: TraceExit,
    frames: readonly FrameState[],
    fuel: number,
  ): number {
    const { counts } = this;
    const { thresholds, fault } = this.options;
    counts.exits++;
    if (exit.kind === "link") counts.linked++;
    else this.mustInterpret = true;
    const restored = restoredActivations(exit, frames);
    const dropsFrame = fault === "missing-frame" && restored.length > 1;
    if (dropsFrame) restored.pop();
    counts.frames = Math.max(counts.frames, restored.length);
    if (++this.exitsSinceFlush === thresholds.entriesPerFlush) {
      this.exitsSinceFlush = 0;
      this.discardTraces();
    } else if (isGuard(exit) && this.recording === null && !dropsFrame) {
      if (exit.counter.countArrival(thresholds)) this.hotExit = { trace, exit };
    }
    if (exit.replaces > 1) counts.below++;
    const next = this.oracle.replaceActivations(restored, fuel, exit.replaces);
    // A trace may not begin at the return from a call, so the machine interprets first.
    if (next !== END && restored.length > 1 && !m.isReplaced) this.mustInterpret = true;
    return next;
  }
}

interface TakenExit {
  readonly last: RecordedTrace;
  readonly exit: TraceExit;
  readonly frames: readonly FrameState[];
}

const isGuard = ({ kind }: TraceExit): boolean => kind === "guard" || kind === "caller";

/** By the end of a trace: the count to increment. */
const COUNT_OF_END = { loop: "loops", link: "links", return: "returns" } as const;

function isRecorderFault(fault: TracingFault | null): fault is RecorderFault {
  return fault !== null && !MACHINE_FAULTS.has(fault);
}

const MACHINE_FAULTS: ReadonlySet<TracingFault> = new Set<MachineFault>([
  "missing-frame",
  "endless-penalty",
  "exchanged-registers",
]);

/**
 * Overwrites dead bytes with junk: an interpreted trace has stored values there that compiled code
 * need not store.
 */
function overwriteDead(heap: Uint8Array, dead: readonly number[]): void {
  for (let i = 0; i < dead.length; i += 2) heap.fill(JUNK, dead[i], dead[i] + dead[i + 1]);
}

/** The byte that is written over heap bytes that an exit marks as dead. */
export const JUNK = 0xdb;

/** The low and the high word of an argument. */
type ArgumentWords = Pick<ObservedBits, "lo" | "hi">;

/** Words that are not the number of an instruction. */
const NO_CALLER: ArgumentWords = { lo: -1, hi: -1 };

function wordsOf(state: readonly ArgumentWords[]): Int32Array {
  const words = new Int32Array(2 * state.length);
  state.forEach(({ lo, hi }, i) => {
    words[2 * i] = lo;
    words[2 * i + 1] = hi;
  });
  return words;
}

/** Returns the activations of an exit, outermost first. */
function restoredActivations(
  { points, number }: TraceExit,
  frames: readonly FrameState[],
): ActivationState[] {
  const activations = points.map(({ procedure, pc, cells }, f): ActivationState => {
    const bits = frames[f].slots.filter(isBits);
    assert(bits.length === cells.length, () => `exit ${number} shows ${bits.length} cells`);
    return { procedure, pc, cells: cells.map((cell, c) => [cell, bits[c]]) };
  });
  return activations.reverse();
}
