// One program for several subjects: what they share is computed once.

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
import { PARTS, type Parts } from "../../reference/parts.js";
import type { PressurePlan } from "../../reference/regalloc/pressure.js";
import { CopyWhenAsked, cloneModule } from "../ir/clone.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { describeFault, verify, verifyOne } from "../ir/verify/verify.js";
import { type Thresholds, thresholdsOfSeed } from "../record/thresholds.js";
import type { TracingFault } from "../record/tracing-machine.js";
import { blaming, InternalError } from "../support/assert.js";
import { SeedSource } from "../support/source.js";
import {
  checkingClaims,
  claimsOfLowering,
  claimsOfSource,
  type Executions,
  enteredBy,
} from "./claims/check-claims.js";
import type { Compilation } from "./compilation.js";
import { Continued } from "./machine/continued.js";
import { ENVIRONMENT } from "./machine/environment.js";
import { Optimized } from "./optimized.js";
import { TraceUnits } from "./trace-units.js";
import { type Tracing, Transcripts } from "./transcript.js";

/** Settings of the compiler that a user may choose, to bisect. */
export interface OptimizeSettings {
  /** Applications of rules after which the optimizer stops. */
  readonly applicationsMax: number;
  /** Phases and rules that are switched off. */
  readonly disabled: ReadonlySet<string>;
  /** The phases to run, in order; null: those of the level. Required ones always run. */
  readonly phases: readonly string[] | null;
  /** What chaotic subjects draw their choices from, where a program has no seed. */
  readonly chaos: bigint;
  /** Bytes that branches may span before they take their long form; null: what the target can. */
  readonly branchReach: number | null;
  /** What makes allocation hard; null: nothing. */
  readonly pressure: PressurePlan | null;
  /** Carry values of 64 bits in two registers where that can be; `-pieces` subjects always do. */
  readonly pieces: boolean;
  /** Verify the program after every phase; an InternalError says what is wrong. */
  readonly verify: boolean;
  /**
   * Hold what analyses claim of the program against its executions, where no subject differs (check-claims.ts);
   * with `verify` also what they claim before each phase. An InternalError says what is wrong.
   */
  readonly holdsClaims: boolean;
  /** When something is recorded; null: as `chaos` draws it. */
  readonly thresholds: Thresholds | null;
  /** Changes the program before it is compiled; only to plant a bug. */
  readonly plant?: (module: Module) => void;
  /** What the recorder does wrong; only to plant a bug. */
  readonly tracingFault?: TracingFault;
}

export const DEFAULT_SETTINGS: OptimizeSettings = {
  applicationsMax: Number.POSITIVE_INFINITY,
  disabled: new Set(),
  phases: null,
  chaos: 0n,
  branchReach: null,
  pressure: null,
  pieces: false,
  verify: false,
  holdsClaims: false,
  thresholds: null,
};

/** Options of the compiler behind the optimizer. */
export type Generation = Pick<GenerateOptions, "branchReach" | "pressure" | "pieces">;

/** What the optimizer's result depends on, beside the program. */
interface Way extends Pick<Compilation, "level" | "target" | "chaos"> {
  /** Of the subject that asks, if one does. */
  readonly name?: string;
}

export class Unit {
  readonly module: Module;
  private readonly settings: OptimizeSettings;
  private readonly parts: Parts;
  private readonly known = new Map<string, Optimized>();
  /** Ways that are no target's, in the order in which they were gone. */
  private readonly ways: Way[] = [];
  /** Drawn when first needed: the ways of one program share it. */
  private chaotic: OptimizeSettings | null = null;
  /** Indices of its procedures, callees first; null until it is asked for. */
  private order: readonly number[] | null = null;
  private written: Transcripts | null = null;
  /** Of the one judge that the unit is of. */
  readonly continued = new Continued();
  /** What was recorded of it, compiled in the same ways. */
  readonly traces: TraceUnits<Unit> = new TraceUnits(
    (trace) => new Unit(trace, this.settings, this.parts),
  );

  constructor(module: Module, settings = DEFAULT_SETTINGS, parts: Parts = PARTS) {
    this.module = module;
    this.settings = settings;
    this.parts = parts;
  }

  /** All of it, optimized. */
  optimized(way: Way): Optimized {
    const optimized = this.optimizedWhenAsked(way);
    optimized.finishAll();
    return optimized;
  }

  /**
   * What is asked for of it is optimized then. The phases that all targets share run once; a target's own
   * continue from there.
   */
  optimizedWhenAsked(way: Way): Optimized {
    const { level, target, chaos } = way;
    const key = `${level} ${target} ${chaos}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const optimized = target === null ? this.shared(way) : this.forTarget(way);
    if (this.isWhole) optimized.finishAll();
    this.verifyWhole(optimized.module);
    this.known.set(key, optimized);
    return optimized;
  }

  /** Applications are counted over the whole program, and what is verified or changed is the whole as well. */
  private get isWhole(): boolean {
    const { applicationsMax, verify, plant } = this.settings;
    return verify || plant !== undefined || applicationsMax !== Number.POSITIVE_INFINITY;
  }

  /** What is drawn for this program is drawn from it. */
  get chaos(): bigint {
    return this.settings.chaos;
  }

  /** How code is generated from the optimized module. */
  generateOptions(compilation: Compilation, checkAllocation: boolean): GenerateOptions {
    const generation = generationOf(this.settingsOf(compilation.chaos));
    return {
      environment: ENVIRONMENT,
      level: compilation.level,
      allocator: compilation.allocator ?? undefined,
      ...generation,
      pieces: compilation.pieces || generation.pieces,
      checkAllocation,
      listing: false,
    };
  }

  /**
   * Looks at what analyses claim of the program; and if it is verified, does what the optimizer has done so far once
   * more, and looks at what they claim on the way. Nothing where the optimizer was not asked.
   * @throws InternalError if a claim is false of an execution
   */
  holdClaims(executions: Executions): void {
    const { verify, holdsClaims } = this.settings;
    const [first] = this.ways;
    if (first === undefined) return;
    if (verify || holdsClaims) blamingOn(first, () => claimsOfSource(this.module, executions));
    for (const way of verify ? this.ways : []) {
      const module = cloneModule(this.module);
      this.settings.plant?.(module);
      const options = this.options(way);
      const entered = enteredBy(module, executions);
      const rows = checkingClaims(options.rows, module, executions, entered);
      blamingOn(way, () => optimize(module, { ...options, rows }));
      blamingOn(way, () => claimsOfLowering(module, executions));
    }
  }

  /** How the program is traced. */
  get tracing(): Tracing {
    const { thresholds, chaos, tracingFault } = this.settings;
    const drawn = thresholds ?? thresholdsOfSeed(chaos);
    return { thresholds: drawn, ...(tracingFault === undefined ? {} : { tracingFault }) };
  }

  /** Its executions with traces. */
  get transcripts(): Transcripts {
    this.written ??= new Transcripts(this.module, this.tracing, this.traces);
    return this.written;
  }

  private settingsOf(chaos: boolean): OptimizeSettings {
    if (!chaos) return this.settings;
    this.chaotic ??= chaoticSettings(this.settings);
    return this.chaotic;
  }

  /** Names of phases and rules that the optimizer applied, in all its runs so far, to traces too. */
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

  /** What phases left undone by a limit, in all runs of the optimizer so far. */
  limits(): ReadonlySet<string> {
    return new Set(this.reports().flatMap((report) => [...report.limits]));
  }

  private reports(): readonly OptimizeReport[] {
    const own = [...this.known.values()].map(({ report }) => report);
    return own.concat(this.traces.all.flatMap((trace) => trace.reports()));
  }

  private shared(way: Way): Optimized {
    const copy = this.copyOf(this.module);
    const { module } = copy;
    this.settings.plant?.(module);
    this.ways.push(way);
    const options = { ...this.options(way), afterPhase: this.verifierOf(module) };
    const optimizer = new Optimizer(module, options, null, this.orderIn(module));
    return new Optimized(copy, optimizer);
  }

  private forTarget(way: Way): Optimized {
    const shared = this.optimizedWhenAsked({ ...way, target: null });
    const options = this.options(way);
    if (!hasTargetPhases(options.level, options.phases)) return shared;
    const copy = this.copyOf(shared.module);
    const { module } = copy;
    const checked = { ...options, afterPhase: this.verifierOf(module) };
    const { applications } = shared.report;
    const optimizer = new Optimizer(module, checked, applications, this.orderIn(module));
    return new Optimized(copy, optimizer, shared);
  }

  private copyOf(module: Module): CopyWhenAsked {
    const copy = new CopyWhenAsked(module);
    if (this.isWhole) for (const proc of module.procedures) copy.bring(proc);
    return copy;
  }

  /** Procedures of a copy, callees first, as the program calls them: its copies may be empty yet. */
  private orderIn({ procedures }: Module): readonly Procedure[] {
    if (this.isWhole) return calleesFirst({ procedures });
    this.order ??= calleesFirst(this.module).map((proc) => this.module.procedures.indexOf(proc));
    return this.order.map((index) => procedures[index]);
  }

  private options({ level, target, chaos }: Way): OptimizeOptions {
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
      const says = fault === undefined ? `s${unused?.id} has no guard` : describeFault(fault);
      throw new InternalError(`${phase} of ${proc.name}: ${says}`, { what: phase });
    };
  }

  /** What procedures must have in common; a phase changes one of them. */
  private verifyWhole(module: Module): void {
    const [fault] = this.settings.verify ? verify(module) : [];
    if (fault === undefined) return;
    throw new InternalError(`the phases: ${describeFault(fault)}`, { what: "optimize" });
  }
}

/** What goes wrong is laid to the subject that asked for that way: by it alone it shows again. */
function blamingOn({ name }: Way, does: () => void): void {
  try {
    does();
  } catch (error) {
    throw name === undefined ? error : blaming(name, error);
  }
}

/** Options of the optimizer, from settings and parts. */
export function optionsOf(
  { applicationsMax, disabled, phases }: OptimizeSettings,
  parts: Parts,
): Omit<OptimizeOptions, "level" | "target"> {
  const { rules, phases: rows } = parts;
  const unwatched = { afterPhase: null, onApplication: null, clock: null };
  return { rules, rows, applicationsMax, disabled, phases, ...unwatched };
}

/** Options of the compiler behind the optimizer, from settings. */
export const generationOf = ({ branchReach, pressure, pieces }: OptimizeSettings): Generation => ({
  branchReach: branchReach ?? undefined,
  pressure: pressure ?? undefined,
  pieces,
});

/** The user's options come before what is drawn. */
export function chaoticSettings(settings: OptimizeSettings): OptimizeSettings {
  const drawn = drawChaos(new SeedSource(settings.chaos, "chaos"));
  const emission = drawEmission(new SeedSource(settings.chaos, "emission"), settings.chaos);
  return {
    ...settings,
    phases: settings.phases ?? drawn.phases,
    disabled: new Set([...settings.disabled, ...drawn.disabled]),
    branchReach: settings.branchReach ?? emission.branchReach,
    pressure: settings.pressure ?? emission.pressure,
    pieces: settings.pieces || emission.pieces,
  };
}
