// What the generator makes, measured with the oracle: a table of figures, some of which have a
// floor. A figure below its floor means that a corner of the language is no longer reached.

import type { Program } from "../../generate/generate-program.js";
import { Op } from "../../ir/opcodes.js";
import {
  type Input,
  isBits,
  type Outcome,
  type SlotBits,
  unjudgedEnding,
} from "../../ir/outcome.js";
import {
  accessSize,
  compiledProcedures,
  isMemoryAccess,
  type Module,
  type SwitchCases,
  type Value,
} from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import { decodeModule } from "../../oracle/decode.js";
import { Oracle } from "../../oracle/oracle.js";
import { type ProcedureSlice, slice, type Trace } from "../../oracle/trace.js";
import type { AppliedCounts } from "../count/applied.js";
import { generatedOf, seedAt } from "../program/seeds.js";
import { type ExitCounts, ExitTable } from "./exit-forms.js";
import { type Histogram, Histograms } from "./histograms.js";
import { type InstanceCounts, InstanceTable, usefulOf, zeroesOf } from "./instances.js";
import { type MakerCounts, MakerTable } from "./maker-table.js";
import { raresOf, type SpecialCounts, SpecialTable } from "./special-operands.js";

export interface Figure {
  readonly name: string;
  /**
   * A number, or where names say more, what is missing: the floor of such a figure is the empty
   * list.
   */
  readonly value: number | string;
  /** The least value that is good; null if the figure is only told. */
  readonly floor: number | null;
}

/**
 * Further counts of one program, by name: their sums over all programs become figures, as shares.
 * `mattered`: by index of the procedure and id of the value, executions in which it mattered; of what
 * has no value, executions.
 */
export type Observe = (
  module: Module,
  inputs: readonly Input[],
  mattered: readonly Int32Array[],
) => Record<string, number>;

export const isBelowFloor = ({ value, floor }: Figure): boolean =>
  floor !== null && (typeof value === "string" ? value !== "" : value < floor);

const FUEL_MAX = 100_000;
/** Executions with a value that matters, of each opcode at each type, in so many programs. */
const INSTANCE_FLOOR = 50;
const INSTANCE_FLOOR_PROGRAMS = 2000;
/** Floors of counts, in a hundred thousand programs; of fewer programs, their share. */
const SCALE = 100_000;
const SCALED_FLOORS = {
  /** Each form of exit: times that it was taken. */
  exit: 500,
  /** Each maker of a table, and each rule: programs in which something of it mattered or steered. */
  maker: 300,
  rule: 100,
  /** Each special operand of each opcode at each type: executions that met it. */
  special: 100,
} as const;
/** What is rare is asked for in samples from so many programs on. */
const RARE_SAMPLE = 20_000;

/** What is rarer than one program in a hundred has a floor only in large samples. */
const RARE_FLOOR = 0.001;
const RARE_PROGRAMS = 2000;
const SLOT_KIND_FLOORS = {
  value: 0.25,
  computed: 0.05,
  constant: 0.09,
  dead: 0.09,
  contents: 0.04,
  fields: 0.01,
  deadHeap: 0.02,
} as const;

/** Floors of what an observer counts: it sees compilers, which this module does not. */
const OBSERVED_FLOORS: ReadonlyMap<string, number> = new Map([["programs that spill", 0.25]]);

export interface Distribution {
  readonly figures: readonly Figure[];
  /** In the order of the opcode table. */
  readonly instances: readonly InstanceCounts[];
  /** By the tables of the generator. */
  readonly makers: readonly MakerCounts[];
  readonly exits: readonly ExitCounts[];
  readonly specials: readonly SpecialCounts[];
  readonly histograms: readonly Histogram[];
  /** Of phases and rules of the optimizer, if somebody has looked at it. */
  readonly applied?: readonly AppliedCounts[];
}

/** Measures the programs of `count` seeds from `firstSeed` on. */
export function measureDistribution(
  firstSeed: bigint,
  count: number,
  observe: Observe = () => ({}),
): Distribution {
  const tally = new Tally();
  for (let i = 0; i < count; i++) {
    const program = generatedOf(seedAt(firstSeed, i));
    const { module, inputs } = program;
    const mattered = tally.addProgram(program);
    for (const [name, value] of Object.entries(observe(module, inputs, mattered))) {
      tally.observed.set(name, (tally.observed.get(name) ?? 0) + value);
    }
  }
  return {
    figures: figuresOf(tally, count),
    instances: tally.instances.rows,
    makers: tally.makers.rows,
    exits: tally.exits.rows,
    specials: tally.specials.rows,
    histograms: tally.histograms.rows,
  };
}

class Tally {
  readonly sizes: number[] = [];
  readonly blocks: number[] = [];
  /** Executed values of each execution. */
  readonly lengths: number[] = [];
  readonly observed = new Map<string, number>();
  /** Programs by what is true of them. */
  readonly programs = {
    loop: 0,
    exit: 0,
    resumed: 0,
    overlap: 0,
    paths: 0,
    nested: 0,
    row: 0,
    scattered: 0,
    contents: 0,
    deadHeap: 0,
    called: 0,
    calleeExit: 0,
    crowded: 0,
    fourFrames: 0,
    bigFrame: 0,
  };
  /** Programs that took an exit of the entry with such a slot, by kind. */
  readonly slotKinds = new Map(SLOT_KINDS.map((kind) => [kind, 0]));
  readonly unjudged = { undefined: 0, "out-of-fuel": 0, "nan-bits": 0 };
  executions = 0;
  executed = 0;
  mattered = 0;
  steered = 0;
  readonly instances = new InstanceTable();
  readonly specials = new SpecialTable();
  readonly makers = new MakerTable();
  readonly exits = new ExitTable();
  readonly histograms = new Histograms();
  private readonly oracle = new Oracle();

  addProgram({ module, inputs, made }: Program): Int32Array[] {
    const program = decodeModule(module);
    const values = module.procedures.map(valuesById);
    this.sizes.push(values[0].length - module.entry.parameters.length);
    this.blocks.push(module.entry.blocks.length);
    this.histograms.addProgram(module.entry, values[0].length - module.entry.parameters.length);
    const compiled = compiledProcedures(module).map((proc) => module.procedures.indexOf(proc));
    for (const p of compiled) this.instances.addProgram(values[p]);
    const seen = {
      loop: false,
      exit: false,
      resumed: false,
      overlap: false,
      nested: false,
      row: false,
      scattered: false,
      contents: false,
      deadHeap: false,
      called: false,
      calleeExit: false,
      crowded: false,
      fourFrames: false,
      bigFrame: hasBigFrame(module.entry),
    };
    const kinds = new Set<SlotKind>();
    const calls = values[0].filter(callsProcedure);
    const mattered = module.procedures.map(({ valueIdEnd }) => new Int32Array(valueIdEnd));
    const useful = mattered.map(({ length }) => new Int32Array(length));
    const paths = new Set<string>();
    for (const input of inputs) {
      const { outcome, trace } = this.oracle.runTraced(program, input, FUEL_MAX);
      const slices = slice(trace);
      this.addExecution(outcome, trace, slices, values);
      slices.forEach(({ matters, steers, executed }, p) => {
        for (const { id, type } of values[p]) {
          // What has no value matters by being there: a branch, a store, a guard.
          mattered[p][id] += type === Void ? executed[id] : matters[id];
          if (compiled.includes(p))
            useful[p][id] += type === Void ? executed[id] : matters[id] + steers[id];
        }
      });
      this.exits.addExecution(module, trace, values, compiled);
      this.specials.addExecution(trace, compiled);
      for (const p of compiled) this.instances.addExecution(values[p], slices[p]);
      const repeats = slices[0].executed.reduce((most, n) => Math.max(most, n), 0);
      this.histograms.addExecution(trace, values, repeats);
      seen.loop ||= repeats >= 3;
      seen.overlap ||= hasOverlap(trace, values);
      seen.called ||= calls.some(({ id }) => slices[0].executed[id] > 0);
      seen.calleeExit ||= outcome.calleeExits !== undefined;
      if (outcome.ending.kind === "exit") {
        seen.exit = true;
        seen.contents ||= outcome.ending.frames.some(({ slots }) => slots.some(isContents));
        seen.deadHeap ||= outcome.ending.heap.masked.length > 0;
        const { frames, exit } = outcome.ending;
        seen.fourFrames ||= frames.length >= 4;
        seen.crowded ||= frames.reduce((sum, { slots }) => sum + slots.length, 0) >= CROWD;
        addKinds(kinds, module, exit);
        seen.resumed ||= module.continuations.has(outcome.ending.exit);
        seen.nested ||= outcome.ending.resumed.some(({ ending }) => ending.kind === "exit");
      }
      paths.add(slices[0].executed.join());
      for (const value of values[0]) {
        if (value.opcode !== Op.Switch || slices[0].executed[value.id] === 0) continue;
        seen[areInRow(value.cases) ? "row" : "scattered"] = true;
      }
    }
    for (const name of SEEN) if (seen[name]) this.programs[name]++;
    for (const kind of kinds) this.slotKinds.set(kind, (this.slotKinds.get(kind) ?? 0) + 1);
    if (paths.size > 1) this.programs.paths++;
    this.makers.addProgram(module, made, useful);
    return mattered;
  }

  private addExecution(
    outcome: Outcome,
    trace: Trace,
    slices: readonly ProcedureSlice[],
    values: readonly (readonly Value[])[],
  ): void {
    this.executions++;
    this.lengths.push(trace.length);
    const ending = unjudgedEnding(outcome);
    if (ending !== null && ending.kind in this.unjudged) {
      this.unjudged[ending.kind as keyof typeof this.unjudged]++; // asked just before
    }
    // Of the entry alone: continuations are not compiled.
    const [{ executed, matters, steers }] = slices;
    for (const value of values[0]) {
      this.executed += executed[value.id];
      this.mattered += matters[value.id];
      this.steered += steers[value.id];
    }
  }
}

const SEEN = [
  "loop",
  "exit",
  "resumed",
  "overlap",
  "nested",
  "row",
  "scattered",
  "contents",
  "deadHeap",
  "called",
  "calleeExit",
  "crowded",
  "fourFrames",
  "bigFrame",
] as const;

/** Slots that no frame of small ones has: beyond the twelve bits of an offset, or dozens. */
const hasBigFrame = ({ slots }: Module["entry"]): boolean =>
  slots.length > 32 || slots.some(({ size }) => size > 4096);

/** Slots of all frames of an exit together that only crowded snapshots have. */
const CROWD = 300;

/** What a slot is: as in snapshots, and values apart by where they are made. */
const SLOT_KINDS = [
  "value",
  "computed",
  "constant",
  "dead",
  "contents",
  "fields",
  "deadHeap",
] as const;
type SlotKind = (typeof SLOT_KINDS)[number];

/** Kinds of the entry's snapshots with that number; those that share one agree but for deadness. */
function addKinds(kinds: Set<SlotKind>, { entry }: Module, exit: number): void {
  for (const snapshot of entry.snapshots) {
    if (snapshot.exit !== exit) continue;
    for (const { slots } of snapshot.frames) {
      for (const slot of slots) {
        const isComputed = slot.kind === "value" && snapshot.values.includes(slot.value);
        kinds.add(isComputed ? "computed" : slot.kind);
      }
    }
  }
}

const callsProcedure = ({ opcode, host }: Value): boolean =>
  opcode === Op.CallIndirect || (opcode === Op.CCall && host === null);

/** Some byte of a stack slot is written, and shown. */
const isContents = (slot: SlotBits): boolean =>
  slot !== null && !isBits(slot) && !(slot.masked[0] === 0 && slot.masked[1] === slot.bytes.length);

/** True for keys that a table is made for: at least four, and most of a range. */
function areInRow({ lo, hi, count }: SwitchCases): boolean {
  const keys = lo.map((word, k) => hi[k] * 2 ** 32 + (word >>> 0));
  const span = Math.max(...keys) - Math.min(...keys);
  return count >= 4 && span < 2 * count;
}

function valuesById(proc: Module["entry"]): Value[] {
  const values = [...proc.parameters];
  proc.forEachValue((value) => values.push(value));
  return values;
}

/** True if some access reads bytes that one of another width wrote. */
function hasOverlap(trace: Trace, values: readonly (readonly Value[])[]): boolean {
  const sizes = values.map((list) => {
    const byId: number[] = [];
    for (const value of list) if (isMemoryAccess(value)) byId[value.id] = accessSize(value);
    return byId;
  });
  for (let e = 0; e < trace.length; e++) {
    const size = sizes[trace.procedures[e]][trace.ids[e]];
    if (size === undefined) continue;
    for (let d = trace.starts[e]; d < trace.starts[e + 1]; d++) {
      const other = trace.dependences[d];
      const otherSize = sizes[trace.procedures[other]][trace.ids[other]];
      if (otherSize !== undefined && otherSize !== size) return true;
    }
  }
  return false;
}

function figuresOf(tally: Tally, count: number): Figure[] {
  const { programs, unjudged, executions } = tally;
  const rareFloor = count >= RARE_PROGRAMS ? RARE_FLOOR : null;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const unjudgedCount = unjudged.undefined + unjudged["out-of-fuel"] + unjudged["nan-bits"];
  const worst = tally.instances.rows
    .filter(({ applies }) => applies.includes("mattered") || applies.includes("steered"))
    .map((counts) => ({ name: counts.name, times: usefulOf(counts) }))
    .sort((a, b) => a.times - b.times);
  const least = worst[0];
  const floor = Math.floor((INSTANCE_FLOOR * count) / INSTANCE_FLOOR_PROGRAMS);
  return [
    { name: "values, median", value: percentile(tally.sizes, 50), floor: 60 },
    { name: "values, 95 %", value: percentile(tally.sizes, 95), floor: null },
    { name: "blocks of the entry, median", value: percentile(tally.blocks, 50), floor: 4 },
    { name: "executed values, median", value: percentile(tally.lengths, 50), floor: null },
    { name: "executed values, 99 %", value: percentile(tally.lengths, 99), floor: null },
    { name: "executed values, most", value: percentile(tally.lengths, 100), floor: null },
    { name: "programs with a loop of 3 turns", value: share(programs.loop, count), floor: 0.4 },
    { name: "programs that exit", value: share(programs.exit, count), floor: 0.3 },
    { name: "of these resumed", value: share(programs.resumed, programs.exit), floor: 0.5 },
    {
      name: "programs that exit again when resumed",
      value: share(programs.nested, count),
      floor: 0.01,
    },
    {
      name: "programs that execute a Switch of keys in a row",
      value: share(programs.row, count),
      floor: 0.04,
    },
    {
      name: "programs that execute a Switch of scattered keys",
      value: share(programs.scattered, count),
      floor: 0.04,
    },
    {
      name: "programs that exit with contents of a slot",
      value: share(programs.contents, count),
      floor: 0.04,
    },
    {
      name: "programs that exit with dead heap",
      value: share(programs.deadHeap, count),
      floor: 0.02,
    },
    {
      name: "programs that exit with hundreds of slots",
      value: share(programs.crowded, count),
      floor: rareFloor,
    },
    {
      name: "programs that exit with four frames",
      value: share(programs.fourFrames, count),
      floor: 0.01,
    },
    {
      name: "programs with a frame beyond displacements",
      value: share(programs.bigFrame, count),
      floor: count >= RARE_PROGRAMS ? 0.008 : null,
    },
    ...SLOT_KINDS.map((kind) => ({
      name: `programs that exit with a slot: ${kind}`,
      value: share(tally.slotKinds.get(kind) ?? 0, count),
      floor: SLOT_KIND_FLOORS[kind],
    })),
    { name: "programs that call a procedure", value: share(programs.called, count), floor: 0.3 },
    {
      name: "programs whose callees exit and go on",
      value: share(programs.calleeExit, count),
      floor: 0.05,
    },
    { name: "programs with overlapping widths", value: share(programs.overlap, count), floor: 0.1 },
    { name: "programs with several paths", value: share(programs.paths, count), floor: 0.5 },
    { name: "judged executions", value: 1 - share(unjudgedCount, executions), floor: 0.99 },
    { name: "undefined", value: share(unjudged.undefined, executions), floor: null },
    { name: "out of fuel", value: share(unjudged["out-of-fuel"], executions), floor: null },
    { name: "nan-bits", value: share(unjudged["nan-bits"], executions), floor: null },
    {
      name: "executed values that matter",
      value: share(tally.mattered, tally.executed),
      floor: null,
    },
    {
      name: "executed values that matter or steer",
      value: share(tally.mattered + tally.steered, tally.executed),
      floor: 0.6,
    },
    { name: `least executed instance that mattered: ${least.name}`, value: least.times, floor },
    {
      name: "instances below the floor",
      value: worst
        .filter(({ times }) => times < floor)
        .map(({ name }) => name)
        .join(", "),
      floor: 0,
    },
    {
      name: "opcodes by type with a zero",
      value: tally.instances.rows
        .filter((counts) => zeroesOf(counts).length > 0)
        .map((counts) => `${counts.name} (${zeroesOf(counts).join(", ")})`)
        .join(", "),
      floor: count < INSTANCE_FLOOR_PROGRAMS ? null : 0,
    },
    ...tableFigures(tally, count),
    ...[...tally.observed].map(([name, sum]) => ({
      name,
      value: share(sum, count),
      floor: OBSERVED_FLOORS.get(name) ?? null,
    })),
  ];
}

/** Of the tables, what is under the floor that one line has. */
function tableFigures({ makers, exits, specials, histograms }: Tally, count: number): Figure[] {
  const rows = makers.rows.map((row) => ({ name: row.name, count: row.mattered }));
  const isRule = ({ name }: { readonly name: string }): boolean => name.startsWith("rule ");
  const shapes = rows.filter((row) => !isRule(row) || row.name === "rule by hand");
  const rules = rows.filter((row) => isRule(row) && row.name !== "rule by hand");
  const taken = exits.rows.map((row) => ({ name: row.name, count: row.taken }));
  const scaled = (floor: number): number => Math.floor((floor * count) / SCALE);
  const isLarge = count >= RARE_SAMPLE;
  // From 2,000 programs on none may be missing; large samples also say which are few.
  const specialFloor = isLarge ? scaled(SCALED_FLOORS.special) : 1;
  const [rare] = raresOf(specials.rows, specialFloor);
  const figures = [
    ...lowestOf("makers", "program where it mattered", shapes, scaled(SCALED_FLOORS.maker), count),
    ...lowestOf(
      "rules",
      "program where it mattered",
      rules,
      isLarge ? scaled(SCALED_FLOORS.rule) : 0,
      count,
    ),
    ...lowestOf("forms of exit", "taken", taken, scaled(SCALED_FLOORS.exit), count),
    {
      name: "special operands below the floor",
      value: rare.join(", "),
      floor: isTold(count, 0),
    },
  ];
  const spread = [
    { name: "programs, by depth of expressions", least: 16, floor: 0.1 },
    { name: "programs, by integers live at once", least: 16, floor: 0.15 },
    { name: "programs, by floats live at once", least: 16, floor: 0.04 },
    { name: "executions, by turns of the busiest loop", least: 4, floor: 0.15 },
    { name: "executions, by loads of just what a store wrote", least: 1, floor: 0.15 },
    { name: "executions, by loads of part of a store", least: 1, floor: 0.04 },
    { name: "executions, by loads across stores", least: 1, floor: 0.05 },
  ] as const;
  return [
    ...figures,
    ...spread.map(({ name, least, floor }) => ({
      name: `${name}: ${least} or more`,
      value: histograms.shareFrom(name, least),
      floor: isTold(count, floor),
    })),
  ];
}

const isTold = (count: number, floor: number): number | null =>
  count < INSTANCE_FLOOR_PROGRAMS ? null : floor;

/** The line that is lowest, and all that are below the floor. */
function lowestOf(
  table: string,
  what: string,
  rows: readonly { readonly name: string; readonly count: number }[],
  floor: number,
  programs: number,
): Figure[] {
  const [least] = rows.toSorted((a, b) => a.count - b.count);
  const below = rows.filter((row) => row.count < floor).map(({ name }) => name);
  return [
    {
      name: `least of the ${table}, ${what}: ${least.name}`,
      value: least.count,
      floor: isTold(programs, floor),
    },
    { name: `${table} below the floor`, value: below.join(", "), floor: isTold(programs, 0) },
  ];
}

/** The least number such that `percent` of all are not above it; 0 of none. */
function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}
