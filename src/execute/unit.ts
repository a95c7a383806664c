// One program on its way through several subjects: what they share is made once.

import { PARTS, type Parts } from "../../reference/parts.js";
import { type Level, type OptimizeReport, optimize } from "../../reference/pipeline.js";
import { cloneModule } from "../ir/clone.js";
import type { Module } from "../ir/procedure.js";
import { decodeModule } from "../oracle/decode.js";
import type { Program } from "../oracle/program.js";

/** What a user may ask of the optimizer, to bisect. */
export interface OptimizeSettings {
  /** Applications of rules after which the optimizer stops. */
  readonly applicationsMax: number;
  /** Phases and rules that are switched off. */
  readonly disabled: ReadonlySet<string>;
  /** The phases to run, in order; null: those of the level. Required ones always run. */
  readonly phases: readonly string[] | null;
  /** Changes the program before it is compiled; only to plant a bug. */
  readonly plant?: (module: Module) => void;
}

export const DEFAULT_SETTINGS: OptimizeSettings = {
  applicationsMax: Number.POSITIVE_INFINITY,
  disabled: new Set(),
  phases: null,
};

/** A module after the optimizer of one level. */
export interface Optimized {
  readonly module: Module;
  readonly report: OptimizeReport;
  /** Decoded for the interpreter, when first asked for. */
  readonly program: () => Program;
}

export class Unit {
  readonly module: Module;
  private readonly settings: OptimizeSettings;
  private readonly parts: Parts;
  private readonly byLevel = new Map<Level, Optimized>();

  constructor(module: Module, settings = DEFAULT_SETTINGS, parts: Parts = PARTS) {
    this.module = module;
    this.settings = settings;
    this.parts = parts;
  }

  optimized(level: Level): Optimized {
    const known = this.byLevel.get(level);
    if (known !== undefined) return known;
    const { settings, parts } = this;
    const module = cloneModule(this.module);
    settings.plant?.(module);
    const report = optimize(module, {
      level,
      rules: parts.rules,
      applicationsMax: settings.applicationsMax,
      disabled: settings.disabled,
      phases: settings.phases,
      afterPhase: null,
    });
    let program: Program | null = null;
    const optimized: Optimized = {
      module,
      report,
      program: () => {
        program ??= decodeModule(module);
        return program;
      },
    };
    this.byLevel.set(level, optimized);
    return optimized;
  }
}
