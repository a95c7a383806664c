// One program on its way through several subjects: what they share is made once.

import type { TargetName } from "../../reference/lower/target.js";
import {
  hasTargetPhases,
  type OptimizeOptions,
  type OptimizeReport,
  optimize,
  optimizeForTarget,
} from "../../reference/optimize/optimize.js";
import { PARTS, type Parts } from "../../reference/parts.js";
import type { Level } from "../../reference/pipeline.js";
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
  private readonly known = new Map<string, Optimized>();

  constructor(module: Module, settings = DEFAULT_SETTINGS, parts: Parts = PARTS) {
    this.module = module;
    this.settings = settings;
    this.parts = parts;
  }

  /** @param target null: what the phases that all targets share leave */
  optimized(level: Level, target: TargetName | null): Optimized {
    const key = `${level} ${target}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const optimized = target === null ? this.shared(level) : this.forTarget(level, target);
    this.known.set(key, optimized);
    return optimized;
  }

  private shared(level: Level): Optimized {
    const module = cloneModule(this.module);
    this.settings.plant?.(module);
    return optimizedOf(module, optimize(module, this.options(level)));
  }

  private forTarget(level: Level, target: TargetName): Optimized {
    const shared = this.optimized(level, null);
    if (!hasTargetPhases(level, this.settings.phases)) return shared;
    const module = cloneModule(shared.module);
    const options = { ...this.options(level), target };
    return optimizedOf(module, optimizeForTarget(module, options, shared.report.applications));
  }

  private options(level: Level): OptimizeOptions {
    const { applicationsMax, disabled, phases } = this.settings;
    const { rules } = this.parts;
    return { level, target: null, rules, applicationsMax, disabled, phases, afterPhase: null };
  }
}

function optimizedOf(module: Module, report: OptimizeReport): Optimized {
  let program: Program | null = null;
  return {
    module,
    report,
    program: () => {
      program ??= decodeModule(module);
      return program;
    },
  };
}
