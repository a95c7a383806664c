// Runs a decoded program on an input and returns its outcome.

import { guardsResult } from "../../ir/opcodes.js";
import {
  type Ending,
  type FrameState,
  heapContents,
  type Input,
  isBits,
  isJudged,
  type ObservedBits,
  type Outcome,
  resultsOf,
  returnOf,
} from "../../ir/outcome.js";
import { assert } from "../../support/assert.js";
import { moveBytes } from "./bulk.js";
import { OracleMachine } from "./machine.js";
import { ObjectTable } from "./objects.js";
import {
  A,
  DEST,
  type DecodedExit,
  type DecodedModule,
  type DecodedProcedure,
  END,
  STEP,
  STRIDE,
  X,
  Y,
} from "./program.js";
import { type ExecutionObserver, run, runRecorded, runWatched } from "./run.js";
import { BULK_STEP } from "./steps.js";
import { type ExecutionTrace, TraceWriter } from "./trace.js";

/**
 * The number of continuations of one execution, plus 1 for the entry. Each has fuel of its own and may exit and be
 * continued itself, so fuel alone would not end a chain. One more continuation is out of fuel.
 */
export const ACTIVATIONS_MAX = 64;
/** The number of live activations, and of bytes of their stack slots; a call beyond is out of fuel. */
const DEPTH_MAX = 64;
const SLOT_BYTES_MAX = 1 << 20;

/** The fast interpreter. One instance runs many programs, one after the other, and reuses its buffers. */
export class Oracle {
  /**
   * The fuel of the entry's activation in the last run, including its exit block and calls, excluding continuations.
   */
  fuelUsed = 0;
  /** The most fuel that one continuation used in the last run, including its calls. */
  resumedFuel = 0;
  // V8 allocates a function assigned to a property in old space. Everything that it references then lives until the
  // next full collection.
  private readonly machine = new OracleMachine((fuel) => this.runWithFuel(fuel));
  /** The recorder of the trace; null unless the run is traced. */
  private recorder: TraceWriter | null = null;
  /** The observer of the run; null unless the run is watched. */
  private watcher: ExecutionObserver | null = null;
  /** The heap of `run`; the other entry points use their caller's. */
  private heap = new Uint8Array(0);
  private activations = 0;
  private fuelMax = 0;
  /** True if the current ending ends the whole execution, although a callee reached it. */
  private isOver = false;
  /** The replacement in progress of an activation that is not the current one. */
  private replacement: Replacement | null = null;

  /**
   * Executes the entry on the input, and the continuations of the exits that it takes.
   * @param fuelMax the number of values that each activation may execute: an integer
   */
  run(program: DecodedModule, input: Input, fuelMax: number): Outcome {
    const m = this.machine;
    m.load(program);
    if (this.heap.length !== program.heapSize) this.heap = new Uint8Array(program.heapSize);
    heapContents(this.heap, input.heapSeed);
    m.heap.attach(this.heap);
    // A watcher executes parts of the program itself, and does not report which values become addresses.
    if (program.allocates && this.watcher === null) m.objects = new ObjectTable(program.heapSize);
    return this.execute(program, input.words, fuelMax);
  }

  private execute(program: DecodedModule, words: Int32Array, fuelMax: number): Outcome {
    const m = this.machine;
    this.begin(fuelMax);
    const entry = program.procedures.at(0);
    m.enter(entry);
    for (let i = 0; i < entry.parameterCount; i++) {
      m.setCell(i, words[2 * i], words[2 * i + 1], false);
    }
    this.recorder?.enter(m);
    const ending = this.runFrom(0, fuelMax);
    this.fuelUsed = m.fuelUsed;
    return this.wholeOutcome(program, ending, fuelMax);
  }

  private runFrom(start: number, fuelMax: number): Ending {
    const { machine, recorder, watcher } = this;
    if (recorder !== null) return runRecorded(machine, start, fuelMax, recorder);
    if (watcher !== null) return runWatched(machine, start, fuelMax, watcher);
    return run(machine, start, fuelMax);
  }

  private begin(fuelMax: number): void {
    // The fuel used is a difference, which infinite fuel does not have.
    assert(
      Number.isSafeInteger(fuelMax) && fuelMax >= 0,
      () => `oracle: fuel of ${fuelMax}, expected a whole number of values`,
    );
    this.activations = 1;
    this.fuelMax = fuelMax;
    this.machine.events = [];
    this.machine.volatileLoads = [];
    this.machine.fences = [];
    this.machine.calleeExits = [];
    this.machine.kept.begin();
    this.isOver = false;
    this.replacement = null;
    this.resumedFuel = 0;
  }

  /** Executes like `run`, and records every executed value. Memory grows with fuel: about 40 bytes a value. */
  runTraced(
    program: DecodedModule,
    input: Input,
    fuelMax: number,
  ): { outcome: Outcome; trace: ExecutionTrace } {
    const recorder = new TraceWriter(program);
    this.recorder = recorder;
    try {
      const outcome = this.run(program, input, fuelMax);
      return { outcome, trace: recorder.finish(isJudged(outcome)) };
    } finally {
      this.recorder = null;
    }
  }

  /** Executes like `run`, but the watcher may execute parts of the program itself. */
  runWatched(
    program: DecodedModule,
    input: Input,
    fuelMax: number,
    watcher: ExecutionObserver,
  ): Outcome {
    this.watcher = watcher;
    try {
      return this.run(program, input, fuelMax);
    } finally {
      this.watcher = null;
    }
  }

  /**
   * Executes the entry on an existing heap.
   * @param words the low and high word of each argument
   */
  call(program: DecodedModule, words: Int32Array, heap: Uint8Array, fuelMax: number): Outcome {
    this.machine.load(program);
    this.machine.heap.attach(heap);
    return this.execute(program, words, fuelMax);
  }

  /**
   * Calls the continuations of an exit that compiled code took. Returns no outcomes if the exit has none.
   * @param frames the frames that the exit rebuilt, innermost first; bits above a 32-bit value are ignored
   * @param heap the heap after the exit; the continuations change it in place
   */
  resume(
    program: DecodedModule,
    exit: number,
    frames: readonly FrameState[],
    heap: Uint8Array,
    fuelMax: number,
  ): Outcome[] {
    const m = this.machine;
    m.load(program);
    m.heap.attach(heap);
    this.begin(fuelMax);
    return this.resumeFrames(program, exit, frames, fuelMax);
  }

  /**
   * Runs the exit block of a snapshot for compiled code. Returns the frames, or the ending if the block ended
   * otherwise.
   * @param leaves the low and high word of each value of `snapshotLeaves(snapshot)`, in that order
   * @param heap the heap before the exit block; the block's stores change it in place
   */
  takeExitBlock(
    program: DecodedModule,
    procedureIndex: number,
    snapshotId: number,
    leaves: Int32Array,
    heap: Uint8Array,
  ): ExitState {
    const m = this.machine;
    m.load(program);
    m.heap.attach(heap);
    const procedure = program.procedures.at(procedureIndex);
    const exit = exitOf(procedure, snapshotId);
    m.enter(procedure);
    exit.leafCells.forEach((cell, i) => {
      m.setCell(cell, leaves[2 * i], leaves[2 * i + 1], false);
    });
    const ending = this.runFrom(exit.pc, Number.MAX_SAFE_INTEGER); // straight-line code ends by itself
    return ending.kind === "exit" ? { kind: "frames", frames: ending.frames } : ending;
  }

  /** Returns the outcome of the run that has ended, with those of the continuations of its exit. */
  private wholeOutcome(program: DecodedModule, ending: Ending, fuelMax: number): Outcome {
    const { events, volatileLoads, fences, calleeExits } = this.machine;
    const outcome = {
      events,
      ending,
      ...(volatileLoads === null ? {} : { volatileLoads }),
      ...(fences === null || fences.length === 0 ? {} : { fences }),
      ...(calleeExits.length === 0 ? {} : { calleeExits }),
    };
    if (ending.kind !== "exit" || this.isOver) return outcome;
    const resumed = this.resumeFrames(program, ending.exit, ending.frames, fuelMax);
    return resumed.length === 0 ? outcome : { ...outcome, ending: { ...ending, resumed } };
  }

  private resumeFrames(
    program: DecodedModule,
    exit: number,
    frames: readonly FrameState[],
    fuelMax: number,
  ): Outcome[] {
    const resumed: Outcome[] = [];
    const continuations = program.continuations.get(exit);
    if (continuations === undefined) return resumed;
    let inner: readonly ObservedBits[] = []; // results of the continuation of the next inner frame
    for (let f = 0; f < frames.length; f++) {
      const args: ObservedBits[] = frames[f].slots.filter(isBits);
      args.push(...inner);
      const procedure = program.procedures.at(continuations[f]);
      const outcome = this.resumeIn(program, procedure, args, fuelMax);
      resumed.push(outcome);
      const end = returnOf(outcome.ending);
      if (end === null) return resumed;
      inner = resultsOf(end);
    }
    return resumed;
  }

  private resumeIn(
    program: DecodedModule,
    procedure: DecodedProcedure,
    args: readonly ObservedBits[],
    fuelMax: number,
  ): Outcome {
    if (this.activations === ACTIVATIONS_MAX)
      return { events: [], ending: { kind: "out-of-fuel" } };
    this.activations++;
    const m = this.machine;
    assert(
      args.length === procedure.parameterCount,
      () => `a continuation of procedure ${procedure.index} got ${args.length} arguments`,
    );
    const { events, volatileLoads, fences, calleeExits } = m;
    const { isOver } = this;
    const { baseDepth } = m;
    m.events = [];
    m.volatileLoads = [];
    m.fences = [];
    m.calleeExits = [];
    m.baseDepth = m.depth;
    this.isOver = false;
    m.enter(procedure);
    for (let i = 0; i < args.length; i++) m.setBits(i, args[i]);
    this.recorder?.enter(m);
    const outcome = m.kept.duringContinuation(() => {
      const ending = this.runFrom(0, fuelMax);
      this.resumedFuel = Math.max(this.resumedFuel, m.fuelUsed);
      return this.wholeOutcome(program, ending, fuelMax);
    });
    m.events = events;
    m.volatileLoads = volatileLoads;
    m.fences = fences;
    m.calleeExits = calleeExits;
    m.baseDepth = baseDepth;
    this.isOver = isOver;
    return outcome;
  }

  /** Executes the call or the bulk operation at `callAt`. Returns the caller's next program counter. */
  private runWithFuel(fuel: number): number {
    const m = this.machine;
    const isBulk = m.code[m.callAt + STEP] === BULK_STEP;
    return isBulk ? moveBytes(m, m.callAt, fuel) : this.callProcedure(fuel);
  }

  private callProcedure(fuel: number): number {
    const m = this.machine;
    const { program, callAt } = m;
    assert(program !== null, () => "a procedure was called before a program was loaded");
    const { code, i32, flags, cellObjects } = m;
    const { procedure, argCells } = m.procedure.calls[code[callAt + Y]];
    const callee = program.procedures.at(procedure >= 0 ? procedure : i32[2 * code[callAt + A]]);
    m.fuelUsed = 0;
    if (!this.hasRoom(callee)) return m.endAs({ kind: "out-of-fuel" });
    this.recorder?.call(argCells);
    m.push(callee, callAt);
    for (let i = 0; i < argCells.length; i++) {
      const from = argCells[i];
      m.setCell(i, i32[2 * from], i32[2 * from + 1], flags[from] !== 0, cellObjects[from]);
    }
    this.recorder?.enter(m);
    const ending = this.runFrom(0, fuel);
    if (this.replacement === null) return this.finishCall(callAt, ending, m.fuelUsed);
    const standing = this.removeCallee(this.replacement);
    if (standing === null) return END;
    const { fuelUsed } = m;
    const next = this.replaceActivations(standing, fuel - fuelUsed);
    m.fuelUsed += fuelUsed;
    return next;
  }

  /** Returns whether the limits of activations permit a call; if not, the execution is over. */
  private hasRoom(callee: DecodedProcedure): boolean {
    const m = this.machine;
    const liveSlotBytes = m.liveSlotBytes + m.procedure.slotBytes + callee.slotBytes;
    const hasRoom = m.depth + 1 < DEPTH_MAX && liveSlotBytes <= SLOT_BYTES_MAX;
    if (!hasRoom) this.isOver = true;
    return hasRoom;
  }

  /** Finishes a call whose callee has ended. Returns the caller's next program counter. */
  private finishCall(callAt: number, ending: Ending, fuelUsed: number): number {
    const m = this.machine;
    const { program } = m;
    assert(program !== null, () => "a call ended before a program was loaded");
    // A return by continuations requests nothing.
    const asks = ending.kind === "return" && m.asks;
    const returnOfCallee = this.isOver ? null : this.returned(program, ending);
    m.pop();
    this.recorder?.leave(m, callAt, returnOfCallee !== null);
    m.fuelUsed = fuelUsed;
    if (returnOfCallee === null) return END;
    m.ending = null;
    const dest = m.code[callAt + DEST];
    resultsOf(returnOfCallee).forEach((result, i) => {
      m.setBits(dest + i, result);
    });
    return asks && guardsResult(m.opcodeAt(callAt)) ? m.code[callAt + X] : callAt + STRIDE;
  }

  /**
   * Replaces the current activation, and the activations that it called, by the given ones, and runs the calls to their
   * end. Only a watcher uses it.
   * @param activations the activations, outermost first; all but the last are at a call
   * @param removed the number of activations that they replace: the current one and its callers
   * @returns the program counter at which the current activation continues, or END; `fuelUsed` is the fuel consumed
   */
  replaceActivations(activations: readonly ActivationState[], fuel: number, removed = 1): number {
    const m = this.machine;
    if (removed > 1) {
      m.fuelUsed = 0;
      this.replacement = { activations, left: removed - 1 };
      return m.returnAs(null);
    }
    let used = 0;
    let standing: readonly ActivationState[] | null = activations;
    while (standing !== null) {
      const [{ procedure, pc, cells }, ...inner]: readonly ActivationState[] = standing;
      assert(
        procedure === m.procedure.index,
        () => `an activation of procedure ${procedure} replaces one of ${m.procedure.index}`,
      );
      for (const [cell, bits] of cells) m.setBits(cell, bits);
      m.fuelUsed = used;
      if (inner.length === 0) return pc;
      const ending = this.callReplaced(pc, inner, fuel - used);
      if (ending === null) return END;
      used += m.fuelUsed;
      if (this.replacement === null) return this.finishCall(pc, ending, used);
      standing = this.removeCallee(this.replacement);
    }
    m.fuelUsed = used;
    return END;
  }

  /** Runs the callees of the current activation to their end; returns null if there is no room for them. */
  private callReplaced(
    callAt: number,
    callees: readonly ActivationState[],
    fuel: number,
  ): Ending | null {
    const m = this.machine;
    const { program } = m;
    assert(program !== null, () => "activations were restored before a program was loaded");
    const callee = program.procedures.at(callees[0].procedure);
    if (!this.hasRoom(callee)) {
      m.endAs({ kind: "out-of-fuel" });
      return null;
    }
    m.push(callee, callAt);
    const start = this.replaceActivations(callees, fuel);
    const used = m.fuelUsed;
    const ending = start === END ? m.ending : this.runFrom(start, fuel - used);
    if (start !== END) m.fuelUsed += used;
    assert(ending !== null, () => "an activation ended without an ending");
    return ending;
  }

  /**
   * Removes a callee that a trace has left. Returns the activations that replace the current one; null if that is to be
   * removed too.
   */
  private removeCallee(replacement: Replacement): readonly ActivationState[] | null {
    const m = this.machine;
    m.pop();
    if (--replacement.left > 0) return null;
    this.replacement = null;
    m.ending = null;
    m.isReplaced = true;
    return replacement.activations;
  }

  /** Ends the whole execution with this ending, for a watcher. Returns END. */
  endExecution(ending: Ending): typeof END {
    this.isOver = true;
    return this.machine.endAs(ending);
  }

  /** Returns the return of the callee, or of the continuations of its exit; null if the execution ends. */
  private returned(
    program: DecodedModule,
    ending: Ending,
  ): Extract<Ending, { kind: "return" }> | null {
    const m = this.machine;
    let whole = ending;
    if (ending.kind === "exit") {
      const { exit, frames } = ending;
      whole = { ...ending, resumed: this.resumeFrames(program, exit, frames, this.fuelMax) };
    }
    const returned = returnOf(whole);
    if (returned === null) {
      this.isOver = true;
      m.ending = whole;
    } else if (whole.kind === "exit") {
      m.calleeExits.push({ after: m.events.length, ending: whole });
    }
    return returned;
  }
}

/** The program counter of an activation, and the cells that it needs to continue: all but constants. */
export interface ActivationState {
  /** The index in the program. */
  readonly procedure: number;
  readonly pc: number;
  readonly cells: readonly (readonly [cell: number, bits: ObservedBits])[];
}

/** Activations that replace the caller of those that still have to be removed. */
interface Replacement {
  readonly activations: readonly ActivationState[];
  left: number;
}

/** The frames that an exit block made, or its ending if it ended otherwise. */
type ExitState =
  | { readonly kind: "frames"; readonly frames: readonly FrameState[] }
  | Exclude<Ending, { kind: "exit" }>;

function exitOf(procedure: DecodedProcedure, snapshotId: number): DecodedExit {
  const exit = procedure.exits.find((candidate) => candidate.snapshotId === snapshotId);
  assert(exit !== undefined, () => `procedure ${procedure.index} has no snapshot s${snapshotId}`);
  return exit;
}
