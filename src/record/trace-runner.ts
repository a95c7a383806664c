// Runs traces: the tracing machine does not know as what. Here, in an oracle of their own.

import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { Program } from "../oracle/fast/program.js";
import type { RecordedTrace, TraceExit } from "./recorded-trace.js";

export interface TraceRunner {
  /**
   * Runs the trace on this heap, which it changes.
   * @param words low and high word of each parameter
   */
  run(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceRun;
  /**
   * The exit leads straight into that trace from now on, which takes all that it hands over; false where it
   * cannot. Absent: no exit does.
   */
  link?(from: RecordedTrace, exit: TraceExit, to: RecordedTrace): boolean;
  /** All exits leave again. */
  unlink?(): void;
}

export interface TraceRun {
  readonly outcome: Outcome;
  /** The trace that it ended in: another one, if exits are linked. */
  readonly last: RecordedTrace;
}

/** Traces as they were recorded, interpreted. */
export class InterpretedTraces implements TraceRunner {
  private readonly oracle = new Oracle();
  private readonly programs = new WeakMap<RecordedTrace, Program>();
  private readonly fuelMax: number;
  private readonly programOf: (trace: Module) => Program;

  /** @param programOf decodes a trace; it may keep the result, as other inputs record the same traces */
  constructor(fuelMax: number, programOf = decodeModule) {
    this.fuelMax = fuelMax;
    this.programOf = programOf;
  }

  run(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceRun {
    let program = this.programs.get(trace);
    if (program === undefined) {
      program = this.programOf(trace.module);
      this.programs.set(trace, program);
    }
    return { outcome: this.oracle.call(program, words, heap, this.fuelMax), last: trace };
  }
}
