// Holds the state that a run of the optimizer carries from phase to phase: rules, the counter of
// applications, arenas, and the current procedure's control flow.

import { copyProcedure } from "../../../src/ir/clone.js";
import { analyzeControlFlow, type ControlFlow } from "../../../src/ir/control-flow.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { zeroedWords } from "../../../src/support/program-arrays.js";
import type { TargetName } from "../../target/target.js";
import { RuleMatcher } from "../rules/match.js";
import type { Rule } from "../rules/patterns.js";
import { type LimitName, limitReached } from "./limits.js";

export interface CountedApplication {
  /** The name of a rule, or of a phase that has no rules. */
  readonly by: string;
  readonly value: number;
  readonly procedure: string;
}

interface ContextOptions {
  readonly rules: readonly Rule[];
  readonly applicationsMax: number;
  /** The names of phases and rules that must not be applied. */
  readonly disabled: ReadonlySet<string>;
  /** The target of the code; null if the result must not depend on the target. */
  readonly target: TargetName | null;
  readonly phaseCount: number;
  /** The number of earlier applications. */
  readonly applications: number;
  /** Called before each application. */
  readonly onApplication: ApplicationObserver | null;
}

export type ApplicationObserver = (by: string, value: Value, procedure: string) => void;

export class OptimizeContext {
  readonly matcher: RuleMatcher;
  readonly target: TargetName | null;
  /** By index of a rule: 0 if it may fire. */
  readonly disabledRules: Readonly<Uint8Array>;
  /** By index of a rule: the number of times it fired. */
  readonly fired: Int32Array;
  /** By index of a phase: its applications, including those of its rules. */
  readonly byPhase: Int32Array;
  /** Limits that phases reached in procedures too large for them (limitReached). */
  readonly limits = new Set<string>();
  /** The index and the name of the running phase. */
  private phase = 0;
  private phaseName = "";
  /** The number of optional applications so far. */
  applications: number;
  private readonly applicationsMax: number;
  private readonly onApplication: ApplicationObserver | null;
  private lastBy = "";
  private lastValue = -1;
  private lastProcedure = "";
  private tables = NO_TABLES;
  private procedureName = "";
  /**
   * The control flow of the procedure; null if blocks or edges may have changed since it was
   * computed.
   */
  private knownFlow: ControlFlow | null = null;
  private readonly finished = new Set<Procedure>();
  /** Copies of procedures from before their allocations became loads and stores. */
  private readonly bodies = new Map<Procedure, Procedure>();

  constructor(options: ContextOptions) {
    const { rules, disabled } = options;
    this.matcher = matcherOf(rules);
    this.target = options.target;
    this.applicationsMax = options.applicationsMax;
    this.applications = options.applications;
    this.onApplication = options.onApplication;
    this.byPhase = zeroedWords(options.phaseCount);
    this.disabledRules = disabled.size === 0 ? this.matcher.noRules : markOf(rules, disabled);
    this.fired = zeroedWords(rules.length);
  }

  /** Records that all phases have run on this procedure. */
  finish(proc: Procedure): void {
    this.finished.add(proc);
  }

  isFinished(proc: Procedure): boolean {
    return this.finished.has(proc);
  }

  /**
   * Copies the current procedure for inlining: the next phase hides information that callers use.
   */
  saveInlineBody(proc: Procedure): void {
    this.bodies.set(proc, copyProcedure(proc));
  }

  /** Returns the code of a finished procedure that callers inline. */
  inlineBodyOf(proc: Procedure): Procedure {
    return this.bodies.get(proc) ?? proc;
  }

  /** Makes this procedure the one that later applications belong to. */
  enter(proc: Procedure): void {
    this.procedureName = proc.name;
    this.knownFlow = null;
  }

  /**
   * Returns the order and the dominators of the current procedure's blocks, and updates their
   * predecessors and indices. The result is kept until blocks or edges change: see
   * `Phase.editsBlocks`.
   */
  flow(proc: Procedure): ControlFlow {
    this.knownFlow ??= analyzeControlFlow(proc);
    return this.knownFlow;
  }

  /** Drops `flow`, because blocks or edges have changed. */
  blocksChanged(): void {
    this.knownFlow = null;
  }

  /** True if the kept control flow equals a new analysis of the procedure. */
  isFlowCurrent(proc: Procedure): boolean {
    const { knownFlow } = this;
    if (knownFlow === null) return true;
    const known = proc.blocks.map(({ predecessors }) => predecessors);
    const found = analyzeControlFlow(proc);
    return (
      areSame(knownFlow.order, found.order) &&
      areSame(knownFlow.position, found.position) &&
      areSame(knownFlow.dominator, found.dominator) &&
      proc.blocks.every(({ predecessors }, b) => areSame(predecessors, known[b]))
    );
  }

  /** Starts a run: it owns its tables until `end`. */
  start(): void {
    this.tables = arenas.pop() ?? new TableArena();
  }

  /** Starts a phase: the tables of the previous one become free. */
  begin(phase: number, name: string): void {
    this.phase = phase;
    this.phaseName = name;
    this.tables.begin();
  }

  /** Ends a run: its tables become available to other runs of the optimizer. */
  end(): void {
    arenas.push(this.tables);
    this.tables = NO_TABLES;
  }

  /**
   * Claims one application. If it returns true, the caller must apply the change, and the program
   * must be valid before and after. It returns false if the limit is reached.
   */
  claim(by: string, value: Value): boolean {
    if (this.applications >= this.applicationsMax) return false;
    this.applications++;
    this.byPhase[this.phase]++;
    this.onApplication?.(by, value, this.procedureName);
    this.lastBy = by;
    this.lastValue = value.id;
    this.lastProcedure = this.procedureName;
    return true;
  }

  /** Records that the phase does less than it could because of a limit. */
  reachLimit(limit: LimitName): void {
    this.limits.add(limitReached(this.phaseName, limit));
  }

  get last(): CountedApplication | null {
    if (this.lastValue < 0) return null;
    return { by: this.lastBy, value: this.lastValue, procedure: this.lastProcedure };
  }

  /**
   * Returns a table of zeroes with at least this length, which the caller owns until the phase
   * ends.
   */
  table(length: number): Int32Array {
    return this.tables.table(length);
  }

  /** Returns a table of zeroes as `table` does, but for any numbers. */
  numbers(length: number): Float64Array {
    return this.tables.numbers(length);
  }
}

const markOf = (rules: readonly Rule[], names: ReadonlySet<string>): Uint8Array =>
  Uint8Array.from(rules, ({ name }) => (names.has(name) ? 1 : 0));

const areSame = <T>(xs: ArrayLike<T>, ys: ArrayLike<T>): boolean =>
  xs.length === ys.length && Array.from(xs).every((x, i) => x === ys[i]);

/** The tables of one run of the optimizer. */
class TableArena {
  private readonly tables: Int32Array[] = [];
  private tableCount = 0;
  private readonly numberTables: Float64Array[] = [];
  private numberTableCount = 0;

  begin(): void {
    this.tableCount = 0;
    this.numberTableCount = 0;
  }

  table(length: number): Int32Array {
    const at = this.tableCount++;
    const old = this.tables[at];
    if (old !== undefined && old.length >= length) return cleared(old, length);
    const fresh = new Int32Array(roomFor(length));
    if (fresh.length <= KEPT_MAX) this.tables[at] = fresh;
    return fresh;
  }

  numbers(length: number): Float64Array {
    const at = this.numberTableCount++;
    const old = this.numberTables[at];
    if (old !== undefined && old.length >= length) return cleared(old, length);
    const fresh = new Float64Array(roomFor(length));
    if (fresh.length <= KEPT_MAX) this.numberTables[at] = fresh;
    return fresh;
  }
}

/** The length up to which a table is zeroed by a loop, which is faster than `fill`. */
const LOOP_MAX = 64;

function cleared<T extends Int32Array | Float64Array>(table: T, length: number): T {
  if (length > LOOP_MAX) table.fill(0, 0, length);
  else for (let i = 0; i < length; i++) table[i] = 0;
  return table;
}

/**
 * The length up to which a table is kept for reuse, so that one large program does not occupy
 * memory forever.
 */
const KEPT_MAX = 1 << 16;
/** Arenas that no run of the optimizer uses. */
const arenas: TableArena[] = [];
const NO_TABLES = new TableArena();

// Returns the length of a new table: more than requested, since the next procedure may need a
// longer one.
const roomFor = (length: number): number => Math.max(256, 2 * length);

// Rules are compiled once for each list of rules, not once for each program.
const matchers = new WeakMap<readonly Rule[], RuleMatcher>();

function matcherOf(rules: readonly Rule[]): RuleMatcher {
  const known = matchers.get(rules);
  if (known !== undefined) return known;
  const matcher = new RuleMatcher(rules);
  matchers.set(rules, matcher);
  return matcher;
}
