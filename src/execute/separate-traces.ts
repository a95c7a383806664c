// Runs each trace as a program of its own.

import type { Module } from "../ir/procedure.js";
import type { RecordedTrace } from "../record/recorded-trace.js";
import type { TraceRunner } from "../record/trace-runner.js";
import { assert } from "../support/assert.js";
import type { CodeCounts, Execution, PreparedProgram, TraceCode } from "./subject.js";
import type { TraceUnits } from "./trace-units.js";

type Texts = Pick<TraceUnits<unknown>, "textOf">;

export class SeparateTraces implements TraceCode {
  private readonly units: Texts;
  private readonly prepare: (trace: Module) => PreparedProgram;
  /** Keyed by text, because several inputs record the same trace. */
  private readonly prepared = new Map<string, PreparedProgram>();
  private readonly byTrace = new WeakMap<RecordedTrace, PreparedProgram>();

  constructor(units: Texts, prepare: (trace: Module) => PreparedProgram) {
    this.units = units;
    this.prepare = prepare;
  }

  begin({ poison, fuelUsed, fuelMax }: Execution): TraceRunner {
    return {
      run: (trace, words, heap) => {
        const { call } = this.preparedOf(trace);
        assert(call !== undefined, () => "the subject of the traces has no `call`");
        return { outcome: call(words, heap, poison, fuelUsed, fuelMax), last: trace };
      },
    };
  }

  get counts(): CodeCounts[] {
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
