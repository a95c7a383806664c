// Defines how the tracing machine runs traces. The implementation here interprets them in a
// separate oracle.

import type { Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import type { RecordedTrace, TraceExit } from "./recorded-trace.js";

export interface TraceRunner {
  /**
   * Runs the trace on this heap, which it changes.
   * @param words low and high word of each parameter
   */
  run(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceRun;
  /**
   * Links the exit directly to that trace, which takes all passed values; returns false if that is
   * impossible. Absent if exits are never linked.
   */
  link?(from: RecordedTrace, exit: TraceExit, to: RecordedTrace): boolean;
  /** Unlinks all exits. */
  unlink?(): void;
}

export interface TraceRun {
  readonly outcome: Outcome;
  /** The trace in which it ended: another one, if exits are linked. */
  readonly last: RecordedTrace;
}

/** Interprets traces as they were recorded. */
export class InterpretedTraces implements TraceRunner {
  private readonly oracle = new Oracle();
  private readonly programs = new WeakMap<RecordedTrace, DecodedModule>();
  private readonly fuelMax: number;
  private readonly decode: (trace: Module) => DecodedModule;

  /**
   * @param programOf decodes a trace; it may cache the result, because other inputs record the same
   * traces
   */
  constructor(fuelMax: number, programOf = decodeModule) {
    this.fuelMax = fuelMax;
    this.decode = programOf;
  }

  run(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceRun {
    let program = this.programs.get(trace);
    if (program === undefined) {
      program = this.decode(trace.module);
      this.programs.set(trace, program);
    }
    return { outcome: this.oracle.call(program, words, heap, this.fuelMax), last: trace };
  }
}
