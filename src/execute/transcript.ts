// An execution with traces, step by step: which trace ran on which state, and what it did, with the
// traces interpreted as they were recorded. A subject whose traces do the same in every step does the
// same in the whole execution: the interpreter between them, which goes on from the same state, and the
// recorder, which watches it, need not run for every subject again (replayed-subject.ts).

import { recordableOf } from "../bytecode/recorded-words.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/fast/decode.js";
import type { Program } from "../oracle/fast/program.js";
import { ProgramFacts } from "../record/program-facts.js";
import { exitTaken, type RecordedTrace, type TraceExit } from "../record/recorded-trace.js";
import type { Recordable } from "../record/recorder.js";
import type { Thresholds } from "../record/thresholds.js";
import type { TraceCounts } from "../record/trace-counts.js";
import { InterpretedTraces, type TraceRun, type TraceRunner } from "../record/trace-runner.js";
import { type TracingFault, TracingMachine } from "../record/tracing-machine.js";
import { fuelFor } from "./fuel.js";
import type { TraceUnits } from "./trace-units.js";

/** One run of a trace. */
export interface TraceStep {
  readonly kind: "run";
  readonly trace: RecordedTrace;
  readonly words: Int32Array;
  readonly heap: Uint8Array;
  readonly outcome: Outcome;
  /** The exit that it took; null: the execution was over. */
  readonly exit: TraceExit | null;
  /** The first run of this trace on the same state; null if this is it. */
  readonly first: TraceStep | null;
}

/** What the tracing machine asks of what runs its traces, in order. */
export type Step =
  | TraceStep
  | {
      readonly kind: "link";
      readonly from: RecordedTrace;
      readonly exit: TraceExit;
      readonly to: RecordedTrace;
    }
  | { readonly kind: "unlink" };

export interface Transcript {
  readonly steps: readonly Step[];
  readonly counts: TraceCounts;
  readonly outcome: Outcome;
}

/** Steps keep a heap each; what takes more of them is executed by each subject itself. */
const STEPS_MAX = 1000;
const HEAP_BYTES_MAX = 16 << 20;

type Texts = Pick<TraceUnits<unknown>, "textOf">;

/** How a program is traced. */
export interface Tracing {
  readonly thresholds: Thresholds;
  readonly tracingFault?: TracingFault;
}

/** Of one program. */
export class Transcripts {
  readonly facts: ProgramFacts;
  readonly recordable: Recordable;
  private readonly tracing: Tracing;
  private readonly known = new Map<Input, Transcript | null>();
  /** By text: other inputs record the same. */
  private readonly programs = new Map<string, Program>();
  private readonly units: Texts;

  constructor(module: Module, tracing: Tracing, units: Texts) {
    this.facts = new ProgramFacts(module);
    this.recordable = recordableOf(this.facts);
    this.tracing = tracing;
    this.units = units;
  }

  /** A machine that runs the program once, cold. */
  newMachine(runner: TraceRunner): TracingMachine {
    const { facts, recordable } = this;
    const { thresholds, tracingFault: fault = null } = this.tracing;
    return new TracingMachine(facts, { thresholds, runner, fault, recordable });
  }

  /** Null if it would be too long. */
  of(input: Input, fuelUsed: number): Transcript | null {
    let transcript = this.known.get(input);
    if (transcript === undefined) {
      transcript = this.make(input, fuelFor(fuelUsed));
      this.known.set(input, transcript);
    }
    return transcript;
  }

  private make(input: Input, fuelMax: number): Transcript | null {
    const written = new WrittenTraces(new InterpretedTraces(fuelMax, this.programOf));
    const machine = this.newMachine(written);
    const outcome = machine.run(input, fuelMax);
    if (written.isTooLong) return null;
    return { steps: written.steps, counts: machine.counts, outcome };
  }

  private readonly programOf = (trace: Module): Program => {
    const text = this.units.textOf(trace);
    let program = this.programs.get(text);
    if (program === undefined) {
      program = decodeModule(trace);
      this.programs.set(text, program);
    }
    return program;
  };
}

/** Interprets traces, and writes down what is asked. */
class WrittenTraces implements TraceRunner {
  readonly steps: Step[] = [];
  isTooLong = false;
  private readonly interpreted: InterpretedTraces;
  /** Those of each trace that are the first on their state. */
  private readonly firsts = new Map<RecordedTrace, TraceStep[]>();
  private bytes = 0;

  constructor(interpreted: InterpretedTraces) {
    this.interpreted = interpreted;
  }

  run(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceRun {
    const first = this.firstOf(trace, words, heap);
    const before = first?.heap ?? heap.slice();
    const run = this.interpreted.run(trace, words, heap);
    const { outcome } = run;
    const { ending } = outcome;
    const exit = ending.kind === "exit" ? exitTaken(trace, ending.exit) : null;
    this.bytes += 2 * before.length;
    const step: TraceStep = { kind: "run", trace, words, heap: before, outcome, exit, first };
    if (first === null) this.firsts.set(trace, [...(this.firsts.get(trace) ?? []), step]);
    this.write(step);
    return run;
  }

  private firstOf(trace: RecordedTrace, words: Int32Array, heap: Uint8Array): TraceStep | null {
    const isIt = (step: TraceStep): boolean =>
      step.words.every((word, i) => word === words[i]) && Buffer.compare(step.heap, heap) === 0;
    return this.firsts.get(trace)?.find(isIt) ?? null;
  }

  /** None is linked here: where each exit leads to is seen in the steps. */
  link(from: RecordedTrace, exit: TraceExit, to: RecordedTrace): boolean {
    this.write({ kind: "link", from, exit, to });
    return false;
  }

  unlink(): void {
    this.write({ kind: "unlink" });
  }

  private write(step: Step): void {
    this.isTooLong ||= this.steps.length === STEPS_MAX || this.bytes > HEAP_BYTES_MAX;
    if (!this.isTooLong) this.steps.push(step);
  }
}
