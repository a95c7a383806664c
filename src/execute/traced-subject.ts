// Opens `traced-*`: the program is interpreted, its hot paths are recorded as traces, and the
// subject in the rest of the name compiles and runs them. An execution alternates between the
// interpreter and this code, and each takes over the state of the other.

import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import type { RecordedTrace } from "../record/recorded-trace.js";
import { addCounts, noCounts, type TraceCounts, traceEvents } from "../record/trace-counts.js";
import type { TraceRunner } from "../record/trace-runner.js";
import { assert } from "../support/assert.js";
import { fuelFor } from "./fuel.js";
import type { JunkRun } from "./machine/junk.js";
import type { SubjectOpener } from "./reference-subject.js";
import type {
  CompiledCodeCounts,
  ExecutionSettings,
  OpenLocalSubject,
  PreparedProgram,
  TraceCode,
} from "./subject.js";
import type { TraceUnits } from "./trace-units.js";
import type { CompilationUnit } from "./unit.js";

/** @param open opens the subject that runs traces */
export const openTraced =
  (open: SubjectOpener): SubjectOpener =>
  (subject, workshop) => {
    const inner = open(subject, workshop);
    return {
      poisons: inner.poisons,
      prepare: (unit) => new TracedProgram(unit, inner),
      discardMachine: () => inner.discardMachine(),
      close: () => inner.close(),
    };
  };

/** Returns the code of a program's traces in this subject. */
export const traceCodeOf = (
  unit: CompilationUnit,
  { traces, prepare }: OpenLocalSubject,
): TraceCode =>
  traces?.(unit) ?? new SeparateTraces(unit.traces, (trace) => prepare(unit.traces.of(trace)));

class TracedProgram implements PreparedProgram {
  readonly poisons: readonly JunkRun[];
  private readonly unit: CompilationUnit;
  private readonly code: TraceCode;
  private readonly traced: TraceCounts = noCounts();

  constructor(unit: CompilationUnit, inner: OpenLocalSubject) {
    this.unit = unit;
    this.poisons = inner.poisons;
    this.code = traceCodeOf(unit, inner);
  }

  readonly run = (input: Input, poison: JunkRun, fuelUsed: number, fuelMax: number): Outcome => {
    const runner = this.code.begin({ poison, fuelUsed, fuelMax });
    const machine = this.unit.transcripts.newMachine(runner);
    const outcome = machine.run(input, fuelFor(fuelUsed));
    addCounts(this.traced, machine.counts);
    return outcome;
  };

  get counts(): CompiledCodeCounts {
    return codeCountsOf(this.code.counts, this.traced);
  }
}

/** @param parts counts for the code of each trace */
export function codeCountsOf(
  parts: readonly CompiledCodeCounts[],
  traces: TraceCounts,
): CompiledCodeCounts {
  const sum = (of: (counts: CompiledCodeCounts) => number): number =>
    parts.reduce((all, counts) => all + of(counts), 0);
  return {
    codeBytes: sum(({ codeBytes }) => codeBytes),
    instructions: sum(({ instructions }) => instructions),
    spillUnits: sum(({ spillUnits }) => spillUnits),
    moves: sum(({ moves }) => moves),
    longBranches: sum(({ longBranches }) => longBranches),
    halves: {},
    events: [...new Set([...parts.flatMap(({ events }) => events), ...traceEvents(traces)])],
    traces,
  };
}

type TraceTexts = Pick<TraceUnits<unknown>, "textOf">;

/** Runs each trace as a program of its own. */
class SeparateTraces implements TraceCode {
  private readonly units: TraceTexts;
  private readonly prepare: (trace: Module) => PreparedProgram;
  /** Keyed by text, because several inputs record the same trace. */
  private readonly prepared = new Map<string, PreparedProgram>();
  private readonly byTrace = new WeakMap<RecordedTrace, PreparedProgram>();

  constructor(units: TraceTexts, prepare: (trace: Module) => PreparedProgram) {
    this.units = units;
    this.prepare = prepare;
  }

  begin({ poison, fuelUsed, fuelMax }: ExecutionSettings): TraceRunner {
    return {
      run: (trace, words, heap) => {
        const { call } = this.preparedOf(trace);
        assert(call !== undefined, () => "the subject of the traces has no `call`");
        return { outcome: call(words, heap, poison, fuelUsed, fuelMax), last: trace };
      },
    };
  }

  get counts(): CompiledCodeCounts[] {
    return [...this.prepared.values()].flatMap(({ counts }) => counts ?? []);
  }

  private preparedOf(trace: RecordedTrace): PreparedProgram {
    const known = this.byTrace.get(trace);
    if (known !== undefined) return known;
    const text = this.units.textOf(trace.module);
    const prepared = this.prepared.get(text) ?? this.prepare(trace.module);
    this.prepared.set(text, prepared);
    this.byTrace.set(trace, prepared);
    return prepared;
  }
}
