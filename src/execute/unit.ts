// Holds one program for several subjects, and computes their shared parts once.

import { drawEmission } from "../../reference/chaos/draw-emission.js";
import { drawChaos } from "../../reference/chaos/draw-order.js";
import type { GenerateOptions } from "../../reference/compile.js";
import { calleesFirst } from "../../reference/optimize/analysis/call-order.js";
import { unusedSnapshot } from "../../reference/optimize/edit/sweep.js";
import {
  type AfterPhase,
  hasTargetPhases,
  type OptimizeOptions,
  type OptimizeReport,
  Optimizer,
  optimize,
} from "../../reference/optimize.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import type { PressureSettings } from "../../reference/regalloc/pressure.js";
import { cloneModule, LazyModuleCopy } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { describeFault, verify, verifyOne } from "../ir/verify/verify.js";
import { type Thresholds, thresholdsOfSeed } from "../record/thresholds.js";
import type { TracingFault } from "../record/tracing-machine.js";
import { InternalError, withSubject } from "../support/assert.js";
import { SeedSource } from "../support/source.js";
import {
  checkLoweringClaims,
  checkSourceClaims,
  proceduresEnteredBy,
  type TraceSource,
  withClaimChecks,
} from "./claims/check-claims.js";
import type { CompilationSettings } from "./compilation.js";
import { ENVIRONMENT } from "./machine/environment.js";
import type { LoadedImage } from "./machine/loaded-image.js";
import { OptimizedModule } from "./optimized.js";
import { TraceUnits } from "./trace-units.js";
import { ProgramTranscripts, type TracingSettings } from "./transcript.js";

/**
 * The compiled continuations of one program. The unit owns it, so V8 frees both together. In a
 * WeakMap the value, and everything it reaches, would live until the next full collection.
 */
class ContinuationCache {
  /** Counts of executed continuations, by the subject that ran them. */
  readonly ran: Record<string, number> = {};
  /** Keyed by compilation, machine and procedure; a string is the reason for a missing image. */
  readonly images = new Map<string, LoadedImage | string>();
}

/** Compiler settings that a user may choose, to bisect. */
export interface OptimizeSettings {
  /** The optimizer stops after this many applications of rules. */
  readonly applicationsMax: number;
  /** Names of phases and rules that are switched off. */
  readonly disabled: ReadonlySet<string>;
  /** The phases to run, in order; null: those of the level. Required ones always run. */
  readonly phases: readonly string[] | null;
  /** Seeds the choices of chaotic subjects if a program has no seed. */
  readonly chaos: bigint;
  /** The span in bytes above which branches take their long form; null: the limit of the target. */
  readonly branchReach: number | null;
  /** The pressure on allocation; null: none. */
  readonly pressure: PressureSettings | null;
  /** Carry 64-bit values in two registers if possible; `-halves` subjects always do. */
  readonly halves: boolean;
  /** Verify the program after every phase; a fault throws an InternalError. */
  readonly verify: boolean;
  /**
   * Check the claims of analyses against the program's executions if no subject differs
   * (check-claims.ts). With `verify`, check the claims before each phase as well. A false claim
   * throws an InternalError.
   */
  readonly checksClaims: boolean;
  /** Thresholds of the recorder; null: drawn from `chaos`. */
  readonly thresholds: Thresholds | null;
  /** Changes the program before it is compiled; only to plant a bug. */
  readonly plant?: (module: Module) => void;
  /** A fault of the recorder; only to plant a bug. */
  readonly tracingFault?: TracingFault;
}

export const DEFAULT_SETTINGS: OptimizeSettings = {
  applicationsMax: Number.POSITIVE_INFINITY,
  disabled: new Set(),
  phases: null,
  chaos: 0n,
  branchReach: null,
  pressure: null,
  halves: false,
  verify: false,
  checksClaims: false,
  thresholds: null,
};

/** Options of lowering, register allocation and emission. */
export type BackEndOptions = Pick<GenerateOptions, "branchReach" | "pressure" | "halves">;

/** The settings that determine the optimizer's result for a program. */
interface OptimizationKey extends Pick<CompilationSettings, "level" | "target" | "chaos"> {
  /** The name of the requesting subject, if there is one. */
  readonly name?: string;
}

export class CompilationUnit {
  readonly module: Module;
  private readonly settings: OptimizeSettings;
  private readonly parts: CompilerParts;
  private readonly optimizedByKey = new Map<string, OptimizedModule>();
  /** The settings without a target, in the order of their first use. */
  private readonly requestedKeys: OptimizationKey[] = [];
  /** Drawn on first use and shared by all compilations of the program. */
  private chaotic: OptimizeSettings | null = null;
  /** Indices of its procedures, callees first; computed on first use. */
  private order: readonly number[] | null = null;
  private cachedTranscripts: ProgramTranscripts | null = null;
  /** State of the continuations; it belongs to one judge. */
  readonly continued = new ContinuationCache();
  /** The recorded traces, compiled with the same settings. */
  readonly traces: TraceUnits<CompilationUnit> = new TraceUnits(
    (trace) => new CompilationUnit(trace, this.settings, this.parts),
  );

  constructor(module: Module, settings = DEFAULT_SETTINGS, parts: CompilerParts = PARTS) {
    this.module = module;
    this.settings = settings;
    this.parts = parts;
  }

  /** Returns the module with all procedures optimized. */
  optimized(key: OptimizationKey): OptimizedModule {
    const optimized = this.optimizedLazily(key);
    optimized.finishAll();
    return optimized;
  }

  /**
   * Returns the module; each procedure is optimized on first use. The phases that all targets share
   * run once. The phases of a target continue from their result.
   */
  optimizedLazily(key: OptimizationKey): OptimizedModule {
    const { level, target, chaos } = key;
    const cacheKey = `${level} ${target} ${chaos}`;
    const known = this.optimizedByKey.get(cacheKey);
    if (known !== undefined) return known;
    const optimized = target === null ? this.shared(key) : this.forTarget(key);
    if (this.isWhole) optimized.finishAll();
    this.verifyWhole(optimized.module);
    this.optimizedByKey.set(cacheKey, optimized);
    return optimized;
  }

  /**
   * Returns true if the whole program must be optimized at once. A limit counts applications over
   * the whole program, and verification and planting apply to the whole program as well.
   */
  private get isWhole(): boolean {
    const { applicationsMax, verify, plant } = this.settings;
    return verify || plant !== undefined || applicationsMax !== Number.POSITIVE_INFINITY;
  }

  /** The seed of all choices that are drawn for this program. */
  get chaos(): bigint {
    return this.settings.chaos;
  }

  /** Returns the options for generating code from the optimized module. */
  generateOptions(compilation: CompilationSettings, checkAllocation: boolean): GenerateOptions {
    const generation = backEndOptionsOf(this.settingsOf(compilation.chaos));
    return {
      environment: ENVIRONMENT,
      level: compilation.level,
      allocator: compilation.allocator ?? undefined,
      ...generation,
      halves: compilation.halves || generation.halves,
      checkAllocation,
      listing: false,
    };
  }

  /**
   * Checks the claims of analyses about the program. With `verify`, repeats the optimizations so
   * far and checks the claims before each phase. Does nothing if the optimizer has not run.
   * @throws InternalError if an execution contradicts a claim
   */
  checkClaims(executions: TraceSource): void {
    const { verify, checksClaims: holdsClaims } = this.settings;
    const [first] = this.requestedKeys;
    if (first === undefined) return;
    if (verify || holdsClaims)
      attributingTo(first, () => checkSourceClaims(this.module, executions));
    for (const key of verify ? this.requestedKeys : []) {
      const module = cloneModule(this.module);
      this.settings.plant?.(module);
      const options = this.options(key);
      const entered = proceduresEnteredBy(module, executions);
      const rows = withClaimChecks(options.rows, module, executions, entered);
      attributingTo(key, () => optimize(module, { ...options, rows }));
      attributingTo(key, () => checkLoweringClaims(module, executions));
    }
  }

  /** The thresholds and the planted fault of the recorder. */
  get tracing(): TracingSettings {
    const { thresholds, chaos, tracingFault } = this.settings;
    const drawn = thresholds ?? thresholdsOfSeed(chaos);
    return { thresholds: drawn, ...(tracingFault === undefined ? {} : { tracingFault }) };
  }

  /** The transcripts of its executions with traces. */
  get transcripts(): ProgramTranscripts {
    this.cachedTranscripts ??= new ProgramTranscripts(this.module, this.tracing, this.traces);
    return this.cachedTranscripts;
  }

  private settingsOf(chaos: boolean): OptimizeSettings {
    if (!chaos) return this.settings;
    this.chaotic ??= chaoticSettings(this.settings);
    return this.chaotic;
  }

  /**
   * Returns the names of phases and rules that the optimizer applied in all runs so far, including
   * those for traces.
   */
  applied(): ReadonlySet<string> {
    const names = new Set<string>();
    const { rules, phases } = this.parts;
    for (const report of this.reports()) {
      const { fired, byPhase } = report;
      for (let r = 0; r < fired.length; r++) if (fired[r] > 0) names.add(rules[r].name);
      for (let p = 0; p < byPhase.length; p++) if (byPhase[p] > 0) names.add(phases[p].name);
    }
    return names;
  }

  /** Returns the limits that stopped a phase, in all runs of the optimizer so far. */
  limits(): ReadonlySet<string> {
    return new Set(this.reports().flatMap((report) => [...report.limits]));
  }

  private reports(): readonly OptimizeReport[] {
    const own = [...this.optimizedByKey.values()].map(({ report }) => report);
    return own.concat(this.traces.all.flatMap((trace) => trace.reports()));
  }

  private shared(key: OptimizationKey): OptimizedModule {
    const copy = this.copyOf(this.module);
    const { module } = copy;
    this.settings.plant?.(module);
    this.requestedKeys.push(key);
    const options = { ...this.options(key), afterPhase: this.verifierOf(module) };
    const optimizer = new Optimizer(module, options, null, this.orderIn(module));
    return new OptimizedModule(copy, optimizer);
  }

  private forTarget(key: OptimizationKey): OptimizedModule {
    const shared = this.optimizedLazily({ ...key, target: null });
    const options = this.options(key);
    if (!hasTargetPhases(options.level, options.phases)) return shared;
    const copy = this.copyOf(shared.module);
    const { module } = copy;
    const checked = { ...options, afterPhase: this.verifierOf(module) };
    const { applications } = shared.report;
    const optimizer = new Optimizer(module, checked, applications, this.orderIn(module));
    return new OptimizedModule(copy, optimizer, shared);
  }

  private copyOf(module: Module): LazyModuleCopy {
    const copy = new LazyModuleCopy(module);
    if (this.isWhole) for (const proc of module.procedures) copy.bring(proc);
    return copy;
  }

  /**
   * Returns the procedures of a copy, callees first. The order comes from the original, because
   * procedures of the copy may still be empty.
   */
  private orderIn({ procedures }: Module): readonly Procedure[] {
    if (this.isWhole) return calleesFirst({ procedures });
    this.order ??= calleesFirst(this.module).map((proc) => this.module.procedures.indexOf(proc));
    return this.order.map((index) => procedures[index]);
  }

  private options({ level, target, chaos }: OptimizationKey): OptimizeOptions {
    return { ...optionsOf(this.settingsOf(chaos), this.parts), level, target };
  }

  private verifierOf(module: Module): AfterPhase | null {
    if (!this.settings.verify) return null;
    let known: ReadonlySet<Procedure> = new Set(module.procedures);
    return (phase, proc) => {
      if (known.size !== module.procedures.length) known = new Set(module.procedures);
      const [fault] = verifyOne(module, proc, known);
      const unused = unusedSnapshot(proc);
      if (fault === undefined && unused === null) return;
      const detail = fault === undefined ? `s${unused?.id} has no guard` : describeFault(fault);
      throw new InternalError(`${phase} of ${proc.name}: ${detail}`, { what: phase });
    };
  }

  /** Verifies the properties that involve several procedures; a phase changes only one. */
  private verifyWhole(module: Module): void {
    const [fault] = this.settings.verify ? verify(module) : [];
    if (fault === undefined) return;
    throw new InternalError(`the phases made an invalid module: ${describeFault(fault)}`, {
      what: "optimize",
    });
  }
}

/**
 * Attributes an error to the subject that requested these settings, because this subject alone
 * reproduces it.
 */
function attributingTo({ name }: OptimizationKey, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw name === undefined ? error : withSubject(name, error);
  }
}

/** Returns the optimizer's options: the settings, with the phases and rules of the compiler's parts. */
export function optionsOf(
  { applicationsMax, disabled, phases }: OptimizeSettings,
  parts: CompilerParts,
): Omit<OptimizeOptions, "level" | "target"> {
  const { rules, phases: rows } = parts;
  const unwatched = { afterPhase: null, onApplication: null, clock: null };
  return { rules, rows, applicationsMax, disabled, phases, ...unwatched };
}

/** Returns the options of lowering, register allocation and emission, from settings. */
export const backEndOptionsOf = ({
  branchReach,
  pressure,
  halves,
}: OptimizeSettings): BackEndOptions => ({
  branchReach: branchReach ?? undefined,
  pressure: pressure ?? undefined,
  halves,
});

/** Draws the settings that the user has not chosen. */
export function chaoticSettings(settings: OptimizeSettings): OptimizeSettings {
  const drawn = drawChaos(new SeedSource(settings.chaos, "chaos"));
  const emission = drawEmission(new SeedSource(settings.chaos, "emission"), settings.chaos);
  return {
    ...settings,
    phases: settings.phases ?? drawn.phases,
    disabled: new Set([...settings.disabled, ...drawn.disabled]),
    branchReach: settings.branchReach ?? emission.branchReach,
    pressure: settings.pressure ?? emission.pressure,
    halves: settings.halves || emission.halves,
  };
}
