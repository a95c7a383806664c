// A program as detectors of triggers look at it: its procedures with users, dominators and loops;
// its executions in the oracle, by value; the same of what the optimizer makes of it; and the LIR
// of that with its allocation. Each is made when it is first asked for.

import { Compiler } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import { copyLir } from "../../../reference/lir/interpret/lir-procedure.js";
import { type Lir, typeOfWord } from "../../../reference/lir/lir.js";
import { Allocation, MOVE_STRIDE, orderOf } from "../../../reference/regalloc/allocation.js";
import type { Plan } from "../../../reference/target/plan.js";
import type { TargetName } from "../../../reference/target/target.js";
import { ENVIRONMENT } from "../../execute/machine/environment.js";
import { Unit } from "../../execute/unit.js";
import {
  analyzeControlFlow,
  type ControlFlow,
  dominates,
  UNREACHABLE,
} from "../../ir/control-flow.js";
import type { Input, Outcome } from "../../ir/outcome.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  type Module,
  type Procedure,
  Snapshot,
  type Value,
} from "../../ir/procedure.js";
import type { Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { decodeModule } from "../../oracle/decode.js";
import { Oracle } from "../../oracle/oracle.js";
import { mattering, type Trace } from "../../oracle/trace.js";

/** How often a trigger occurred in a program. */
export type Detector = (study: Study) => number;

const FUEL_MAX = 100_000;
/** In bytes; short, because no random program has a branch beyond the real reach. */
const BRANCH_REACH = 2048;
const oracle = new Oracle();
const compiler = new Compiler();

export class Study {
  readonly module: Module;
  readonly inputs: readonly Input[];
  private knownViews: readonly View[] | null = null;
  private knownRuns: readonly Run[] | null = null;
  /** Shares what is the same for both targets. */
  private unit: Unit | null = null;
  private readonly optimizedFor = new Map<string, Study>();
  private readonly loweredFor = new Map<string, readonly Lowered[]>();

  constructor(module: Module, inputs: readonly Input[]) {
    this.module = module;
    this.inputs = inputs;
  }

  /** The procedures that are compiled with the entry. */
  get views(): readonly View[] {
    this.knownViews ??= compiledWithEntry(this.module).map((proc) => new View(this, proc));
    return this.knownViews;
  }

  /** One for each input. */
  get runs(): readonly Run[] {
    this.knownRuns ??= this.trace();
    return this.knownRuns;
  }

  /** What the optimizer makes of the program. */
  optimized(target: TargetName, level: Level = "O2"): Study {
    const known = this.optimizedFor.get(target + level);
    if (known !== undefined) return known;
    this.unit ??= new Unit(this.module);
    const { module } = this.unit.optimized({ level, target, chaos: false });
    const study = new Study(module, this.inputs);
    this.optimizedFor.set(target + level, study);
    return study;
  }

  /**
   * LIR of the optimized program, allocated by linear scan; the values are those of `optimized`.
   */
  lowered(target: TargetName, level: Level = "O2"): readonly Lowered[] {
    const known = this.loweredFor.get(target + level);
    if (known !== undefined) return known;
    const study = this.optimized(target, level);
    const lowered: Lowered[] = [];
    const { longBranches } = compiler.generate(study.module, target, {
      environment: ENVIRONMENT,
      level,
      allocator: "linear-scan",
      branchReach: BRANCH_REACH,
      checkAllocation: false,
      listing: false,
      onLir: (stage, lir, allocation, plan, proc) => {
        const view = study.views.find((each) => each.proc === proc);
        if (stage === "lower" || view === undefined) return;
        const { moves, moveCount, spillUnits } = allocation;
        const gaps = gapsOf(moves, moveCount, lir.instructionCount);
        lowered.push({
          view,
          plan,
          lir: copyLir(lir),
          gaps,
          spillUnits,
          allocation: copyAllocation(allocation),
        });
      },
    });
    for (const each of lowered) each.longBranches = longBranches;
    this.loweredFor.set(target + level, lowered);
    return lowered;
  }

  private trace(): Run[] {
    const program = decodeModule(this.module);
    return this.inputs.map((input) => {
      const { outcome, trace } = oracle.runTraced(program, input, FUEL_MAX);
      return new Run(outcome, trace);
    });
  }
}

/** A move as the allocator wrote it. */
export interface Move {
  /** The moves of one gap and one order take effect together. */
  readonly order: number;
  readonly from: number;
  readonly to: number;
  readonly type: Type;
}

export interface Lowered {
  readonly view: View;
  readonly plan: Plan;
  readonly lir: Lir;
  /** By instruction: the moves before it. */
  readonly gaps: readonly (readonly Move[])[];
  readonly spillUnits: number;
  /** Its moves, and the registers that are used. */
  readonly allocation: Allocation;
  /** Of the whole image: branches further than BRANCH_REACH. */
  longBranches?: number;
}

/** @param keeps which moves, by the location that they write; all if not given */
export function copyAllocation(
  { moves, moveCount, usedRegisters }: Allocation,
  keeps: (to: number) => boolean = () => true,
): Allocation {
  const copy = new Allocation();
  copy.usedRegisters.set(usedRegisters);
  for (let m = 0; m < moveCount * MOVE_STRIDE; m += MOVE_STRIDE) {
    const [word, from, to, type] = moves.subarray(m, m + MOVE_STRIDE);
    if (keeps(to)) copy.addMove(word >> 2, orderOf(word), from, to, type);
  }
  return copy;
}

const NO_MOVES: readonly Move[] = [];

function gapsOf(moves: Int32Array, count: number, instructions: number): (readonly Move[])[] {
  const gaps: (readonly Move[])[] = new Array(instructions).fill(NO_MOVES);
  const own = new Map<number, Move[]>();
  for (let m = 0; m < count * MOVE_STRIDE; m += MOVE_STRIDE) {
    const gap = moves[m] >> 2;
    let list = own.get(gap);
    if (list === undefined) {
      list = [];
      own.set(gap, list);
      gaps[gap] = list;
    }
    list.push({
      order: moves[m] & 3,
      from: moves[m + 1],
      to: moves[m + 2],
      type: typeOfWord(moves[m + 3]),
    });
  }
  return gaps;
}

export interface Loop {
  readonly header: BasicBlock;
  readonly latches: readonly BasicBlock[];
  readonly blocks: ReadonlySet<BasicBlock>;
}

/** A procedure that is compiled. */
export class View {
  readonly study: Study;
  readonly proc: Procedure;
  /** Its index in the module. */
  readonly index: number;
  /** Parameters, then those of blocks and exit blocks. */
  readonly values: readonly Value[];
  private readonly byId: readonly Value[];
  private readonly usersById: readonly Value[][];
  private readonly shownById: Uint8Array;
  private readonly order: Int32Array;
  private knownFlow: ControlFlow | null = null;
  private knownLoops: readonly Loop[] | null = null;

  constructor(study: Study, proc: Procedure) {
    this.study = study;
    this.proc = proc;
    this.index = study.module.procedures.indexOf(proc);
    const values = [...proc.parameters];
    this.order = new Int32Array(proc.valueIdEnd);
    for (const block of proc.blocks) {
      block.values.forEach((value, i) => {
        this.order[value.id] = i;
      });
    }
    proc.forEachValue((value) => values.push(value));
    this.values = values;
    const byId: Value[] = new Array(proc.valueIdEnd);
    const users: Value[][] = Array.from({ length: proc.valueIdEnd }, () => []);
    this.shownById = new Uint8Array(proc.valueIdEnd);
    for (const value of values) {
      byId[value.id] = value;
      forEachOperand(value, ({ id }) => {
        if (!users[id].includes(value)) users[id].push(value);
      });
      if (!(value.extra instanceof Snapshot)) continue;
      forEachSlotValue(value.extra, ({ id }) => {
        this.shownById[id] = 1;
      });
    }
    this.byId = byId;
    this.usersById = users;
  }

  valueOf(id: number): Value {
    return this.byId[id];
  }

  /** Those that have it as an operand, each once. */
  users({ id }: Value): readonly Value[] {
    return this.usersById[id];
  }

  /** Some guard shows it. */
  isShown({ id }: Value): boolean {
    return this.shownById[id] === 1;
  }

  /** Position in its block. */
  placeOf({ id }: Value): number {
    return this.order[id];
  }

  get flow(): ControlFlow {
    this.knownFlow ??= analyzeControlFlow(this.proc);
    return this.knownFlow;
  }

  /** Position of a block in the order of control flow; UNREACHABLE if nothing leads there. */
  positionOf(block: BasicBlock): number {
    return this.flow.position[block.index];
  }

  /** Every path to `later` passes `earlier`. */
  dominates(earlier: BasicBlock, later: BasicBlock): boolean {
    const [a, b] = [this.positionOf(earlier), this.positionOf(later)];
    return a !== UNREACHABLE && b !== UNREACHABLE && dominates(this.flow, a, b);
  }

  /** Natural loops, those with one header together. */
  get loops(): readonly Loop[] {
    this.knownLoops ??= this.findLoops();
    return this.knownLoops;
  }

  /** Executions of a value that pass the test. */
  times({ id }: Value, test: (event: Execution) => boolean = always): number {
    let sum = 0;
    for (const run of this.study.runs) {
      const events = run.eventsOf(this.index, id);
      if (test === always) sum += events.length;
      else
        for (let k = 0; k < events.length; k++) {
          if (test(new Execution(this, run, events[k], k === 0 ? -1 : events[k - 1]))) sum++;
        }
    }
    return sum;
  }

  /** Times that a guard left. */
  exits(guard: Value, test: (event: Execution) => boolean = always): number {
    return this.times(guard, (event) => event.run.left.has(event.at) && test(event));
  }

  /** Of the runs in which the block was executed, those that pass the test. */
  runsThrough(block: BasicBlock, test: (run: Run) => boolean): number {
    let sum = 0;
    for (const run of this.study.runs) {
      if (run.eventsOf(this.index, block.last.id).length > 0 && test(run)) sum++;
    }
    return sum;
  }

  /** Its last execution in a run; null if there was none. */
  last({ id }: Value, run: Run): Execution | null {
    const events = run.eventsOf(this.index, id);
    const k = events.length - 1;
    return k < 0 ? null : new Execution(this, run, events[k], k === 0 ? -1 : events[k - 1]);
  }

  private findLoops(): Loop[] {
    const loops = new Map<BasicBlock, { latches: BasicBlock[]; blocks: Set<BasicBlock> }>();
    for (const block of this.flow.order) {
      for (const header of block.successors) {
        if (!this.dominates(header, block)) continue;
        const loop = loops.get(header) ?? { latches: [], blocks: new Set([header]) };
        loops.set(header, loop);
        loop.latches.push(block);
        const work = [block];
        for (let at = work.pop(); at !== undefined; at = work.pop()) {
          if (loop.blocks.has(at)) continue;
          loop.blocks.add(at);
          work.push(...at.predecessors);
        }
      }
    }
    return [...loops].map(([header, loop]) => ({ header, ...loop }));
  }
}

const always = (): boolean => true;

/** One execution of the program, by value. */
export class Run {
  readonly outcome: Outcome;
  readonly trace: Trace;
  /** The events of guards that left. */
  readonly left: ReadonlySet<number>;
  private readonly starts: readonly Int32Array[];
  private readonly events: readonly Int32Array[];
  private knownMattering: Uint8Array | null = null;

  constructor(outcome: Outcome, trace: Trace) {
    this.outcome = outcome;
    this.trace = trace;
    this.left = new Set(trace.exits);
    const { procedures, ids, length } = trace;
    const starts = trace.program.procedures
      .all()
      .map(({ valueIdEnd }) => new Int32Array(valueIdEnd + 1));
    for (let e = 0; e < length; e++) starts[procedures[e]][ids[e] + 1]++;
    for (const column of starts) for (let i = 1; i < column.length; i++) column[i] += column[i - 1];
    const next = starts.map((column) => column.slice());
    const events = starts.map((column) => new Int32Array(column[column.length - 1]));
    for (let e = 0; e < length; e++) events[procedures[e]][next[procedures[e]][ids[e]]++] = e;
    this.starts = starts;
    this.events = events;
  }

  /** In order. */
  eventsOf(procedure: number, id: number): Int32Array {
    const starts = this.starts[procedure];
    return this.events[procedure].subarray(starts[id], starts[id + 1]);
  }

  /** What is compared depends on the event. */
  matters(event: number): boolean {
    this.knownMattering ??= mattering(this.trace);
    return this.knownMattering[event] === 1;
  }
}

/** One execution of one value. */
export class Execution {
  readonly view: View;
  readonly run: Run;
  readonly at: number;
  /** The event of the same value before it, -1 if there is none. */
  readonly previous: number;

  constructor(view: View, run: Run, at: number, previous: number) {
    this.view = view;
    this.run = run;
    this.at = at;
    this.previous = previous;
  }

  get matters(): boolean {
    return this.run.matters(this.at);
  }

  /** What it gave, as a signed integer. */
  result(type: number): bigint {
    const { results } = this.run.trace;
    return integerOf(type, results[2 * this.at], results[2 * this.at + 1]);
  }

  /** What it gave, as a number. */
  resultFloat(type: number): number {
    const { results } = this.run.trace;
    return floatOf(type, results[2 * this.at], results[2 * this.at + 1]);
  }

  /**
   * The execution of an operand that it read: among what it depends on, or, of arguments, which
   * their callee depends on, the last one before. Null for a constant, or what never was.
   */
  of(operand: Value): Execution | null {
    const { procedures, ids, starts, dependences } = this.run.trace;
    for (let d = starts[this.at]; d < starts[this.at + 1]; d++) {
      const at = dependences[d];
      if (ids[at] === operand.id && procedures[at] === this.view.index)
        return new Execution(this.view, this.run, at, -1);
    }
    const events = this.run.eventsOf(this.view.index, operand.id);
    let k = events.length - 1;
    while (k >= 0 && events[k] >= this.at) k--;
    return k < 0 ? null : new Execution(this.view, this.run, events[k], -1);
  }

  /** An operand as a signed integer; null if it was not read. */
  integer(operand: Value): bigint | null {
    if (operand.isConstant) return integerOf(operand.type, operand.lo, operand.hi);
    return this.of(operand)?.result(operand.type) ?? null;
  }

  /** An operand as a number; a NaN if it was not read. */
  float(operand: Value): number {
    if (operand.isConstant) return floatOf(operand.type, operand.lo, operand.hi);
    return this.of(operand)?.resultFloat(operand.type) ?? Number.NaN;
  }

  /** The events that it depends on. */
  get dependences(): Int32Array {
    const { starts, dependences } = this.run.trace;
    return dependences.subarray(starts[this.at], starts[this.at + 1]);
  }

  /** What was executed. */
  get value(): Value {
    return this.view.valueOf(this.run.trace.ids[this.at]);
  }

  /** The k-th event that it depends on, in whatever procedure; null where that is not compiled. */
  source(k: number): Execution | null {
    const at = this.dependences[k];
    const procedure = this.run.trace.procedures[at];
    const view = this.view.study.views.find(({ index }) => index === procedure);
    return view === undefined ? null : new Execution(view, this.run, at, -1);
  }

  /** The value of an event of the same procedure; null for one of another. */
  valueAt(event: number): Value | null {
    const { procedures, ids } = this.run.trace;
    return procedures[event] === this.view.index ? this.view.valueOf(ids[event]) : null;
  }
}

const words = new DataView(new ArrayBuffer(8));
const INT64 = 2;
const FLOAT = 3;

/** The signed integer of an integer's bits. */
export function integerOf(type: number, lo: number, hi: number): bigint {
  return type === INT64 ? wideBits(lo, hi) : BigInt(lo | 0);
}

/** The number of a float's bits. */
export function floatOf(type: number, lo: number, hi: number): number {
  words.setInt32(0, lo, true);
  words.setInt32(4, hi, true);
  return type === FLOAT ? words.getFloat32(0, true) : words.getFloat64(0, true);
}

function compiledWithEntry({ entry }: Module): Procedure[] {
  const reached = new Set([entry]);
  for (const proc of reached) {
    proc.forEachValue(({ procedure }) => {
      if (procedure !== null) reached.add(procedure);
    });
  }
  return [...reached];
}
