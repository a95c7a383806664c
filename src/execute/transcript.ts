// Records an execution with interpreted traces, step by step: the trace, the state before it, and
// its outcome. A subject whose traces produce the same outcome in every step is correct for the
// whole execution. So the interpreter between the traces and the recorder need not run again for
// every subject (replayed-subject.ts).

import { recordingLevelOf } from "../bytecode/bytecode-level.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/fast/decode.js";
import type { DecodedModule } from "../oracle/fast/program.js";
import { ProgramFacts } from "../record/program-facts.js";
import { exitTaken, type RecordedTrace, type TraceExit } from "../record/recorded-trace.js";
import type { RecordingLevel } from "../record/recorder.js";
import type { Thresholds } from "../record/thresholds.js";
import type { TraceCounts } from "../record/trace-counts.js";
import { InterpretedTraces, type TraceRun, type TraceRunner } from "../record/trace-runner.js";
import { type TracingFault, TracingMachine } from "../record/tracing-machine.js";
import { fuelFor } from "./fuel.js";
import type { TraceUnits } from "./trace-units.js";

export interface TraceStep {
  readonly kind: "run";
  readonly trace: RecordedTrace;
  readonly words: Int32Array;
  readonly heap: Uint8Array;
  readonly outcome: Outcome;
  /** The exit that it took; null if the execution ended. */
  readonly exit: TraceExit | null;
  /** The first run of this trace on the same state; null if this is it. */
  readonly first: TraceStep | null;
}

/** A request of the tracing machine to its trace runner. */
export type TranscriptStep =
  | TraceStep
  | {
      readonly kind: "link";
      readonly from: RecordedTrace;
      readonly exit: TraceExit;
      readonly to: RecordedTrace;
    }
  | { readonly kind: "unlink" };

export interface Transcript {
  readonly steps: readonly TranscriptStep[];
  readonly counts: TraceCounts;
  readonly outcome: Outcome;
}

/** Each step keeps a heap. A subject executes a longer transcript itself. */
const STEPS_MAX = 1000;
const HEAP_BYTES_MAX = 16 << 20;

type TraceTexts = Pick<TraceUnits<unknown>, "textOf">;

/** How a program is traced. */
export interface TracingSettings {
  readonly thresholds: Thresholds;
  readonly tracingFault?: TracingFault;
}

export class ProgramTranscripts {
  readonly facts: ProgramFacts;
  readonly level: RecordingLevel;
  private readonly tracing: TracingSettings;
  private readonly known = new Map<Input, Transcript | null>();
  /** Keyed by text, because several inputs record the same trace. */
  private readonly programs = new Map<string, DecodedModule>();
  private readonly units: TraceTexts;

  constructor(module: Module, tracing: TracingSettings, units: TraceTexts) {
    this.facts = new ProgramFacts(module);
    this.level = recordingLevelOf(this.facts);
    this.tracing = tracing;
    this.units = units;
  }

  /** Returns a tracing machine that has recorded nothing yet. */
  newMachine(runner: TraceRunner): TracingMachine {
    const { facts, level } = this;
    const { thresholds, tracingFault: fault = null } = this.tracing;
    return new TracingMachine(facts, { thresholds, runner, fault, level });
  }

  /** Returns null if the transcript is too long. */
  of(input: Input, fuelUsed: number): Transcript | null {
    let transcript = this.known.get(input);
    if (transcript === undefined) {
      transcript = this.make(input, fuelFor(fuelUsed));
      this.known.set(input, transcript);
    }
    return transcript;
  }

  private make(input: Input, fuelMax: number): Transcript | null {
    const written = new RecordingTraces(new InterpretedTraces(fuelMax, this.programOf));
    const machine = this.newMachine(written);
    const outcome = machine.run(input, fuelMax);
    if (written.isTooLong) return null;
    return { steps: written.steps, counts: machine.counts, outcome };
  }

  private readonly programOf = (trace: Module): DecodedModule => {
    const text = this.units.textOf(trace);
    let program = this.programs.get(text);
    if (program === undefined) {
      program = decodeModule(trace);
      this.programs.set(text, program);
    }
    return program;
  };
}

/** Interprets traces, and records the requests. */
class RecordingTraces implements TraceRunner {
  readonly steps: TranscriptStep[] = [];
  isTooLong = false;
  private readonly interpreted: InterpretedTraces;
  /** For each trace, the steps that are the first on their state. */
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

  /** Records the request and links nothing; the steps show the target of each exit. */
  link(from: RecordedTrace, exit: TraceExit, to: RecordedTrace): boolean {
    this.write({ kind: "link", from, exit, to });
    return false;
  }

  unlink(): void {
    this.write({ kind: "unlink" });
  }

  private write(step: TranscriptStep): void {
    this.isTooLong ||= this.steps.length === STEPS_MAX || this.bytes > HEAP_BYTES_MAX;
    if (!this.isTooLong) this.steps.push(step);
  }
}
