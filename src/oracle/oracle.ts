// The judge: runs a decoded program on an input and says what it did.

import {
  type Bits,
  type Ending,
  type FrameState,
  heapContents,
  type Input,
  isJudged,
  type Outcome,
} from "../ir/outcome.js";
import { assert } from "../support/assert.js";
import { Machine } from "./machine.js";
import type { DecodedExit, DecodedProcedure, Program } from "./program.js";
import { Recorder, type Trace } from "./trace.js";

/**
 * Activations of one execution, continuations included. Each continuation has fuel of its own and
 * may exit and be continued itself, so fuel alone would not end a chain; the activation beyond is
 * out of fuel.
 */
const ACTIVATIONS_MAX = 64;

/** One oracle runs many programs, one after the other, and keeps its buffers between them. */
export class Oracle {
  /** Fuel of the entry's activation in the last run: with its exit block, without continuations. */
  fuelUsed = 0;
  private readonly machine = new Machine();
  /** Of `run`; the other entries work on their caller's. */
  private heap = new Uint8Array(0);
  private activations = 0;

  /**
   * Executes the entry on the input, and the continuations of the exits that it takes.
   * @param fuelMax values that each activation may execute
   */
  run(program: Program, input: Input, fuelMax: number): Outcome {
    const m = this.machine;
    m.load(program);
    if (this.heap.length !== program.heapSize) this.heap = new Uint8Array(program.heapSize);
    heapContents(this.heap, input.heapSeed);
    m.heap.attach(this.heap);
    this.activations = 1;
    const entry = program.procedures[0];
    m.enter(entry);
    for (let i = 0; i < entry.parameterCount; i++) {
      m.setCell(i, input.words[2 * i], input.words[2 * i + 1], false);
    }
    m.recorder?.enter(m);
    const ending = m.run(0, fuelMax);
    this.fuelUsed = m.fuelUsed;
    return this.continued(program, { events: m.events, ending }, fuelMax);
  }

  /** As `run`, and records every executed value. Memory grows with fuel: some 40 bytes a value. */
  runTraced(program: Program, input: Input, fuelMax: number): { outcome: Outcome; trace: Trace } {
    const recorder = new Recorder(program);
    this.machine.recorder = recorder;
    try {
      const outcome = this.run(program, input, fuelMax);
      return { outcome, trace: recorder.finish(isJudged(outcome)) };
    } finally {
      this.machine.recorder = null;
    }
  }

  /**
   * Calls the continuations of an exit that compiled code took. Empty if the exit has none.
   * @param frames what the exit rebuilt, innermost first; bits above a 32-bit value are ignored
   * @param heap what the exit left; the continuations change it in place
   */
  resume(
    program: Program,
    exit: number,
    frames: readonly FrameState[],
    heap: Uint8Array,
    fuelMax: number,
  ): Outcome[] {
    const m = this.machine;
    m.load(program);
    m.heap.attach(heap);
    this.activations = 1;
    return this.resumeFrames(program, exit, frames, fuelMax);
  }

  /**
   * Runs the exit block of a snapshot for compiled code and gives the frames; otherwise what ended
   * it.
   * @param leaves low and high word of each value of `snapshotLeaves(snapshot)`, in that order
   * @param heap as the guard found it; the exit block's stores change it in place
   */
  takeExitBlock(
    program: Program,
    procedureIndex: number,
    snapshotId: number,
    leaves: Int32Array,
    heap: Uint8Array,
  ): ExitState {
    const m = this.machine;
    m.load(program);
    m.heap.attach(heap);
    const procedure = program.procedures[procedureIndex];
    const exit = exitOf(procedure, snapshotId);
    m.enter(procedure);
    exit.leafCells.forEach((cell, i) => {
      m.setCell(cell, leaves[2 * i], leaves[2 * i + 1], false);
    });
    const ending = m.run(exit.pc, Number.POSITIVE_INFINITY); // straight-line code ends by itself
    return ending.kind === "exit" ? { kind: "frames", frames: ending.frames } : ending;
  }

  /** The outcome with what its exit's continuations did. */
  private continued(program: Program, outcome: Outcome, fuelMax: number): Outcome {
    const { events, ending } = outcome;
    if (ending.kind !== "exit") return outcome;
    const resumed = this.resumeFrames(program, ending.exit, ending.frames, fuelMax);
    return resumed.length === 0 ? outcome : { events, ending: { ...ending, resumed } };
  }

  private resumeFrames(
    program: Program,
    exit: number,
    frames: readonly FrameState[],
    fuelMax: number,
  ): Outcome[] {
    const resumed: Outcome[] = [];
    const continuations = program.continuations.get(exit);
    if (continuations === undefined) return resumed;
    let inner: Bits | null = null; // what the continuation of the next inner frame returned
    for (let f = 0; f < frames.length; f++) {
      const args: Bits[] = frames[f].slots.filter((slot) => slot !== null);
      if (inner !== null) args.push(inner);
      const procedure = program.procedures[continuations[f]];
      const outcome = this.call(program, procedure, args, fuelMax);
      resumed.push(outcome);
      const end = lastEnding(outcome);
      if (end === null) return resumed;
      inner = end.result;
    }
    return resumed;
  }

  private call(
    program: Program,
    procedure: DecodedProcedure,
    args: readonly Bits[],
    fuelMax: number,
  ): Outcome {
    if (this.activations === ACTIVATIONS_MAX)
      return { events: [], ending: { kind: "out-of-fuel" } };
    this.activations++;
    const m = this.machine;
    assert(
      args.length === procedure.parameterCount,
      () => `procedure ${procedure.index} continues with ${args.length} arguments`,
    );
    m.enter(procedure);
    for (let i = 0; i < args.length; i++) m.setCell(i, args[i].lo, args[i].hi, args[i].anyNaN);
    m.recorder?.enter(m);
    const ending = m.run(0, fuelMax);
    return this.continued(program, { events: m.events, ending }, fuelMax);
  }
}

/** What an exit block made, or how it ended instead. */
export type ExitState =
  | { readonly kind: "frames"; readonly frames: readonly FrameState[] }
  | Exclude<Ending, { kind: "exit" }>;

function exitOf(procedure: DecodedProcedure, snapshotId: number): DecodedExit {
  const exit = procedure.exits.find((candidate) => candidate.snapshotId === snapshotId);
  assert(exit !== undefined, () => `procedure ${procedure.index} has no snapshot s${snapshotId}`);
  return exit;
}

/** How the activation returned, itself or by its outermost continuation; null if it did not. */
function lastEnding(outcome: Outcome): Extract<Ending, { kind: "return" }> | null {
  const { ending } = outcome;
  if (ending.kind === "return") return ending;
  if (ending.kind !== "exit" || ending.resumed.length < ending.frames.length) return null;
  const outermost = ending.resumed.at(-1);
  return outermost === undefined ? null : lastEnding(outermost);
}
