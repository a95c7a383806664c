// Keeps the traces of one program as programs of their own, so that all subjects, inputs and runs
// share one optimized module. Traces with the same text are the same.

import type { Module } from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";

/** @template U the type of a compiled trace: a Unit */
export class TraceUnits<U> {
  private readonly newUnit: (trace: Module) => U;
  private readonly texts = new WeakMap<Module, string>();
  private readonly units = new Map<string, U>();

  constructor(newUnit: (trace: Module) => U) {
    this.newUnit = newUnit;
  }

  /** The units of all traces so far. */
  get all(): readonly U[] {
    return [...this.units.values()];
  }

  textOf(trace: Module): string {
    const known = this.texts.get(trace);
    if (known !== undefined) return known;
    const text = printModule(trace);
    this.texts.set(trace, text);
    return text;
  }

  of(trace: Module): U {
    const text = this.textOf(trace);
    const known = this.units.get(text);
    if (known !== undefined) return known;
    const unit = this.newUnit(trace);
    this.units.set(text, unit);
    return unit;
  }
}
