// `traced-*`: the program is interpreted, and what runs hot in it is recorded as traces, which are
// compiled and run as the subject behind the word compiles and runs programs. An execution goes back
// and forth between the interpreter and that code, which take over each other's state.

import { recordableOf } from "../bytecode/recorded-words.js";
import type { Input, Outcome } from "../ir/outcome.js";
import { printModule } from "../ir/text/print.js";
import { ProgramFacts } from "../record/program-facts.js";
import type { RecordedTrace } from "../record/recorded-trace.js";
import type { Recordable } from "../record/recorder.js";
import { addCounts, noCounts, type TraceCounts, traceEvents } from "../record/trace-counts.js";
import { TracingMachine } from "../record/tracing-machine.js";
import { assert } from "../support/assert.js";
import { fuelFor } from "./interpreted-subject.js";
import type { Poison } from "./machine/junk.js";
import type { Open } from "./reference-subject.js";
import type { CodeCounts, OpenLocal, Prepared } from "./subject.js";
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
  private readonly inner: OpenLocal;
  private readonly facts: ProgramFacts;
  private readonly recordable: Recordable;
  /** By text: other inputs record the same. */
  private readonly prepared = new Map<string, Prepared>();
  private readonly byTrace = new WeakMap<RecordedTrace, Prepared>();
  private readonly traced: TraceCounts = noCounts();

  constructor(unit: Unit, inner: OpenLocal) {
    this.unit = unit;
    this.inner = inner;
    this.facts = new ProgramFacts(unit.module);
    this.recordable = recordableOf(this.facts);
    this.poisons = inner.poisons;
  }

  readonly run = (input: Input, poison: Poison, fuelUsed: number, fuelMax: number): Outcome => {
    const { thresholds, tracingFault: fault = null } = this.unit.tracing;
    const runner = {
      run: (trace: RecordedTrace, words: Int32Array, heap: Uint8Array): Outcome => {
        const { call } = this.preparedOf(trace);
        assert(call !== undefined, () => "traces cannot be called there");
        return call(words, heap, poison, fuelUsed, fuelMax);
      },
    };
    const { facts, recordable } = this;
    const machine = new TracingMachine(facts, { thresholds, runner, fault, recordable });
    const outcome = machine.run(input, fuelFor(fuelUsed));
    addCounts(this.traced, machine.counts);
    return outcome;
  };

  get counts(): CodeCounts {
    const parts = [...this.prepared.values()].flatMap(({ counts }) => counts ?? []);
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

  private preparedOf(trace: RecordedTrace): Prepared {
    const known = this.byTrace.get(trace);
    if (known !== undefined) return known;
    const text = printModule(trace.module);
    const prepared =
      this.prepared.get(text) ?? this.inner.prepare(this.unit.withModule(trace.module));
    this.prepared.set(text, prepared);
    this.byTrace.set(trace, prepared);
    return prepared;
  }
}
