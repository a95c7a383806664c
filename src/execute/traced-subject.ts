// `traced-*`: the program is interpreted, and what runs hot in it is recorded as traces, which are
// compiled and run as the subject behind the word compiles and runs programs. An execution goes back
// and forth between the interpreter and that code, which take over each other's state.

import { recordableOf } from "../bytecode/recorded-words.js";
import type { Input, Outcome } from "../ir/outcome.js";
import { ProgramFacts } from "../record/program-facts.js";
import type { Recordable } from "../record/recorder.js";
import { addCounts, noCounts, type TraceCounts, traceEvents } from "../record/trace-counts.js";
import { TracingMachine } from "../record/tracing-machine.js";
import { fuelFor } from "./interpreted-subject.js";
import type { Poison } from "./machine/junk.js";
import type { Open } from "./reference-subject.js";
import { SeparateTraces } from "./separate-traces.js";
import type { CodeCounts, OpenLocal, Prepared, TraceCode } from "./subject.js";
import type { Unit } from "./unit.js";

/** @param open how traces run */
export const openTraced =
  (open: Open): Open =>
  (subject, workshop) => {
    const inner = open(subject, workshop);
    return {
      poisons: inner.poisons,
      prepare: (unit) => new TracedProgram(unit, inner),
      distrust: () => inner.distrust(),
      close: () => inner.close(),
    };
  };

class TracedProgram implements Prepared {
  readonly poisons: readonly Poison[];
  private readonly unit: Unit;
  private readonly facts: ProgramFacts;
  private readonly recordable: Recordable;
  private readonly code: TraceCode;
  private readonly traced: TraceCounts = noCounts();

  constructor(unit: Unit, inner: OpenLocal) {
    this.unit = unit;
    this.facts = new ProgramFacts(unit.module);
    this.recordable = recordableOf(this.facts);
    this.poisons = inner.poisons;
    this.code =
      inner.traces?.(unit) ?? new SeparateTraces((trace) => inner.prepare(unit.withModule(trace)));
  }

  readonly run = (input: Input, poison: Poison, fuelUsed: number, fuelMax: number): Outcome => {
    const { thresholds, tracingFault: fault = null } = this.unit.tracing;
    const { facts, recordable } = this;
    const runner = this.code.begin({ poison, fuelUsed, fuelMax });
    const machine = new TracingMachine(facts, { thresholds, runner, fault, recordable });
    const outcome = machine.run(input, fuelFor(fuelUsed));
    addCounts(this.traced, machine.counts);
    return outcome;
  };

  get counts(): CodeCounts {
    const parts = this.code.counts;
    const sum = (of: (counts: CodeCounts) => number): number =>
      parts.reduce((all, counts) => all + of(counts), 0);
    return {
      codeBytes: sum(({ codeBytes }) => codeBytes),
      instructions: sum(({ instructions }) => instructions),
      spillUnits: sum(({ spillUnits }) => spillUnits),
      moves: sum(({ moves }) => moves),
      longBranches: sum(({ longBranches }) => longBranches),
      pieces: {},
      events: [...new Set([...parts.flatMap(({ events }) => events), ...traceEvents(this.traced)])],
      traces: this.traced,
    };
  }
}
