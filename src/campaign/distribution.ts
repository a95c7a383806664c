// What the generator makes, measured with the oracle: a table of figures, some of which have a
// floor. A figure below its floor means that a corner of the language is no longer reached.

import { HOST_FUNCTIONS } from "../ir/host-functions.js";
import {
  ALL_OPCODES,
  hasAttribute,
  isValueOperand,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../ir/opcodes.js";
import { type Input, isBits, type Outcome, type SlotBits, unjudgedEnding } from "../ir/outcome.js";
import {
  accessSize,
  isMemoryAccess,
  type Module,
  type SwitchCases,
  type Value,
} from "../ir/procedure.js";
import { isFloating, nameOfType, TYPE_NAMES, type Type, Void } from "../ir/types.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import {
  INT_MIN,
  MINUS_ZERO,
  NAN,
  type ProcedureSlice,
  SUBNORMAL,
  slice,
  specialsConsumed,
  type Trace,
} from "../oracle/trace.js";
import type { AppliedCounts } from "./applied.js";
import { type InstanceCounts, InstanceTable, usefulOf, zeroesOf } from "./instances.js";
import { programOf, seedAt } from "./seeds.js";

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
    const { module, inputs } = programOf(seedAt(firstSeed, i));
    const mattered = tally.addProgram(module, inputs);
    for (const [name, value] of Object.entries(observe(module, inputs, mattered))) {
      tally.observed.set(name, (tally.observed.get(name) ?? 0) + value);
    }
  }
  return { figures: figuresOf(tally, count), instances: tally.instances.rows };
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
  readonly specials = new Uint8Array(SPECIALS_LENGTH);
  private readonly oracle = new Oracle();

  addProgram(module: Module, inputs: readonly Input[]): Int32Array[] {
    const program = decodeModule(module);
    const values = module.procedures.map(valuesById);
    this.sizes.push(values[0].length - module.entry.parameters.length);
    this.blocks.push(module.entry.blocks.length);
    const compiled = reachedByCalls(module);
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
    const paths = new Set<string>();
    for (const input of inputs) {
      const { outcome, trace } = this.oracle.runTraced(program, input, FUEL_MAX);
      const slices = slice(trace);
      this.addExecution(outcome, trace, slices, values);
      slices.forEach(({ matters, executed }, p) => {
        for (const { id, type } of values[p]) {
          // What has no value matters by being there: a branch, a store, a guard.
          mattered[p][id] += type === Void ? executed[id] : matters[id];
        }
      });
      for (const p of compiled) this.instances.addExecution(values[p], slices[p]);
      const repeats = slices[0].executed.reduce((most, n) => Math.max(most, n), 0);
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
    const consumed = specialsConsumed(trace);
    for (let i = 0; i < consumed.length; i++) this.specials[i] |= consumed[i];
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

/** Indices of the procedures that are compiled: the entry, and what it reaches by calls. */
function reachedByCalls({ procedures }: Module): number[] {
  const reached = new Set([procedures[0]]);
  for (const proc of reached) {
    proc.forEachValue(({ procedure }) => {
      if (procedure !== null) reached.add(procedure);
    });
  }
  return [...reached].map((proc) => procedures.indexOf(proc));
}

const SPECIALS = [
  { name: "-0", bit: MINUS_ZERO, isOf: isFloating },
  { name: "NaN", bit: NAN, isOf: isFloating },
  { name: "a subnormal", bit: SUBNORMAL, isOf: isFloating },
  { name: "INT_MIN", bit: INT_MIN, isOf: (type: Type) => !isFloating(type) },
];

/** Every special operand of every opcode has come up in so many programs; in fewer, nearly all have. */
const SPECIALS_FLOOR_PROGRAMS = 20_000;

const specialsExpected = (): number => missingSpecials(new Uint8Array(SPECIALS_LENGTH)).length;
const SPECIALS_LENGTH = ALL_OPCODES.length * TYPE_NAMES.length;

function missingSpecials(specials: Uint8Array): string[] {
  const missing: string[] = [];
  for (const opcode of ALL_OPCODES) {
    for (const type of operandTypes(opcode)) {
      const met = specials[opcode * TYPE_NAMES.length + type];
      for (const { name, bit, isOf } of SPECIALS) {
        if (!isOf(type) || (met & bit) !== 0) continue;
        missing.push(`${nameOfOpcode(opcode)} ${nameOfType(type)} ${name}`);
      }
    }
  }
  return missing;
}

/** Types of what a row computes with: no addresses, which are never special. */
function operandTypes(opcode: Opcode): Set<Type> {
  const takesAddress = hasAttribute(opcode, "Offset") || opcode === Op.CallIndirect;
  const types = new Set<Type>();
  for (const arg of specOf(opcode).args) {
    if (arg === "T") for (const type of typesOver(opcode)) types.add(type);
    else if (arg === "U") for (const type of typesAlso(opcode)) types.add(type);
    else if (isValueOperand(arg) && !(takesAddress && arg === "Int64")) types.add(typeOfName(arg));
    else if (arg === "Rest" && hasAttribute(opcode, "Callee")) {
      for (const host of HOST_FUNCTIONS) for (const type of host.parameters) types.add(type);
    }
  }
  return types;
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
  const missing = missingSpecials(tally.specials);
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
    {
      name: "special operands never met",
      value: missing.join(", "),
      floor: count < SPECIALS_FLOOR_PROGRAMS ? null : 0,
    },
    {
      name: "special operands met, of all",
      value: 1 - missing.length / specialsExpected(),
      floor: count < INSTANCE_FLOOR_PROGRAMS ? null : 0.98,
    },
    ...[...tally.observed].map(([name, sum]) => ({
      name,
      value: share(sum, count),
      floor: OBSERVED_FLOORS.get(name) ?? null,
    })),
  ];
}

/** The least number such that `percent` of all are not above it; 0 of none. */
function percentile(numbers: readonly number[], percent: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}
