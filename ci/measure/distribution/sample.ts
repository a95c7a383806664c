// Collects a sample of programs: the oracle executes and traces each. One object contains all
// counts; distribution-figures.ts computes figures from them.

import { ExitTable } from "../../../src/campaign/evolved/exit-forms.js";
import type { Program } from "../../../src/generate/generate-program.js";
import { hostFunctionNamed, placeOfKept } from "../../../src/ir/host-functions.js";
import { CALLS_ADDRESS, Op } from "../../../src/ir/opcodes.js";
import {
  type HostEvent,
  isBits,
  type Outcome,
  type SlotBits,
  unjudgedEnding,
} from "../../../src/ir/outcome.js";
import {
  accessSize,
  compiledProcedures,
  isMemoryAccess,
  type Module,
  type SwitchCases,
  type Value,
} from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import { decodeModule } from "../../../src/oracle/fast/decode.js";
import { Oracle } from "../../../src/oracle/fast/oracle.js";
import {
  type ExecutionTrace,
  type ProcedureCounts,
  slice,
} from "../../../src/oracle/fast/trace.js";
import { BoundaryTable } from "./boundary-pairs.js";
import { ProgramHistograms } from "./histograms.js";
import { InstanceTable } from "./instances.js";
import { MakerTable } from "./maker-table.js";
import { SpecialTable } from "./special-operands.js";

const FUEL_MAX = 100_000;
/**
 * Kinds of slots: those of snapshots; values that an exit block computes are a kind of their own.
 */
export const SLOT_KINDS = [
  "value",
  "computed",
  "constant",
  "dead",
  "contents",
  "fields",
  "deadHeap",
  "deadBytes",
] as const;
type SlotKind = (typeof SLOT_KINDS)[number];

/** Properties that a program has if one of its executions has them. */
const PROGRAM_PROPERTIES = [
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
  "further",
  "calleeExit",
  "kept",
  "crowded",
  "fourFrames",
  "bigFrame",
] as const;
type ByProperty<V> = Record<(typeof PROGRAM_PROPERTIES)[number], V>;

function forEachProperty<V>(value: V): ByProperty<V> {
  const entries = PROGRAM_PROPERTIES.map((name) => [name, value]);
  return Object.fromEntries(entries) as ByProperty<V>; // an entry for each name
}

export class ProgramSample {
  readonly sizes: number[] = [];
  readonly blocks: number[] = [];
  /** Number of executed values, by execution. */
  readonly lengths: number[] = [];
  readonly observed = new Map<string, number>();
  /** Number of programs with each property. */
  readonly programs = { ...forEachProperty(0), paths: 0 };
  /** Programs that took an exit of the entry with a slot of the kind. */
  readonly slotKinds = new Map(SLOT_KINDS.map((kind) => [kind, 0]));
  readonly unjudged = { undefined: 0, "out-of-fuel": 0, "nan-bits": 0 };
  executions = 0;
  executed = 0;
  mattered = 0;
  steered = 0;
  readonly instances = new InstanceTable();
  readonly specials = new SpecialTable();
  readonly boundaries = new BoundaryTable();
  readonly makers = new MakerTable();
  readonly exits = new ExitTable();
  readonly histograms = new ProgramHistograms();
  private readonly oracle = new Oracle();

  addProgram({ module, inputs, made }: Program): Int32Array[] {
    const program = decodeModule(module);
    const values = module.procedures.map(valuesById);
    this.sizes.push(values[0].length - module.entry.parameters.length);
    this.blocks.push(module.entry.blocks.length);
    this.histograms.addProgram(module.entry, values[0].length - module.entry.parameters.length);
    const compiled = compiledProcedures(module).map((proc) => module.procedures.indexOf(proc));
    for (const p of compiled) this.instances.addProgram(values[p]);
    const seen = { ...forEachProperty(false), bigFrame: hasBigFrame(module.entry) };
    const kinds = new Set<SlotKind>();
    const calls = values[0].filter(callsProcedure);
    const extracts = values[0].filter(({ opcode }) => opcode === Op.Extract);
    const mattered = module.procedures.map(({ valueIdEnd }) => new Int32Array(valueIdEnd));
    const useful = mattered.map(({ length }) => new Int32Array(length));
    const paths = new Set<string>();
    for (const input of inputs) {
      const { outcome, trace } = this.oracle.runTraced(program, input, FUEL_MAX);
      const slices = slice(trace);
      this.addExecution(outcome, trace, slices, values);
      addUses(mattered, useful, slices, values, compiled);
      this.exits.addExecution(module, trace, values, compiled);
      this.specials.addExecution(trace, compiled);
      this.boundaries.addExecution(trace, values, compiled);
      for (const p of compiled) this.instances.addExecution(values[p], slices[p]);
      const { executed } = slices[0];
      const repeats = executed.reduce((most, n) => Math.max(most, n), 0);
      this.histograms.addExecution(trace, values, repeats);
      seen.loop ||= repeats >= 3;
      seen.overlap ||= hasOverlap(trace, values);
      seen.called ||= calls.some(({ id }) => executed[id] > 0);
      seen.further ||= extracts.some(({ id }) => executed[id] > 0);
      seen.calleeExit ||= outcome.calleeExits !== undefined;
      seen.kept ||= goesThroughKept(outcome.events);
      recordExit(seen, kinds, module, outcome);
      paths.add(executed.join());
      for (const value of values[0]) {
        if (value.opcode !== Op.Switch || executed[value.id] === 0) continue;
        seen[areInRow(value.cases) ? "row" : "scattered"] = true;
      }
    }
    for (const name of PROGRAM_PROPERTIES) if (seen[name]) this.programs[name]++;
    for (const kind of kinds) this.slotKinds.set(kind, (this.slotKinds.get(kind) ?? 0) + 1);
    if (paths.size > 1) this.programs.paths++;
    this.makers.addProgram(module, made, useful);
    return mattered;
  }

  private addExecution(
    outcome: Outcome,
    trace: ExecutionTrace,
    slices: readonly ProcedureCounts[],
    values: readonly (readonly Value[])[],
  ): void {
    this.executions++;
    this.lengths.push(trace.length);
    const ending = unjudgedEnding(outcome);
    if (ending !== null && ending.kind in this.unjudged) {
      this.unjudged[ending.kind as keyof typeof this.unjudged]++; // checked just before
    }
    // Only the entry counts: continuations are not compiled.
    const [{ executed, matters, steers }] = slices;
    for (const value of values[0]) {
      this.executed += executed[value.id];
      this.mattered += matters[value.id];
      this.steered += steers[value.id];
    }
  }
}

/**
 * Returns whether the slots of a frame need large offsets: they are beyond twelve bits, or dozens.
 */
const hasBigFrame = ({ slots }: Module["entry"]): boolean =>
  slots.length > 32 || slots.some(({ size }) => size > 4096);

/** Slots of all frames of an exit together; only crowded snapshots have that many. */
const CROWD = 300;

/** Adds how often each value mattered, and how often it mattered or steered. */
function addUses(
  mattered: readonly Int32Array[],
  useful: readonly Int32Array[],
  slices: readonly ProcedureCounts[],
  values: readonly (readonly Value[])[],
  compiled: readonly number[],
): void {
  slices.forEach(({ matters, steers, executed }, p) => {
    for (const { id, type } of values[p]) {
      // A value of type Void (a branch, a store, a guard) matters if it is executed.
      mattered[p][id] += type === Void ? executed[id] : matters[id];
      if (compiled.includes(p))
        useful[p][id] += type === Void ? executed[id] : matters[id] + steers[id];
    }
  });
}

/**
 * Returns whether the host accesses a slot in a later call than the one that passed its address.
 */
function goesThroughKept(events: readonly HostEvent[]): boolean {
  const kept = new Set<number>();
  for (const { name, args } of events) {
    const use = hostFunctionNamed(name)?.kept ?? null;
    if (use === null) continue;
    const place = placeOfKept(Int32Array.of(args[0].lo));
    if (use === "takes") kept.add(place);
    else if (use === "drops") kept.delete(place);
    else if (kept.has(place)) return true;
  }
  return false;
}

function recordExit(
  seen: ByProperty<boolean>,
  kinds: Set<SlotKind>,
  module: Module,
  { ending }: Outcome,
): void {
  if (ending.kind !== "exit") return;
  const { frames, exit, heap, resumed } = ending;
  seen.exit = true;
  seen.contents ||= frames.some(({ slots }) => slots.some(isContents));
  seen.deadHeap ||= heap.masked.length > 0;
  seen.fourFrames ||= frames.length >= 4;
  seen.crowded ||= frames.reduce((sum, { slots }) => sum + slots.length, 0) >= CROWD;
  addKinds(kinds, module, exit);
  seen.resumed ||= module.continuations.has(exit);
  seen.nested ||= resumed.some(({ ending: { kind } }) => kind === "exit");
}

/**
 * Adds the slot kinds of the entry's snapshots with this number. Snapshots that share a number
 * differ only in dead slots.
 */
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
  CALLS_ADDRESS[opcode] === 1 || (opcode === Op.CCall && host === null);

/** Returns whether some byte of a stack slot is written and shown. */
const isContents = (slot: SlotBits): boolean =>
  slot !== null && !isBits(slot) && !(slot.masked[0] === 0 && slot.masked[1] === slot.bytes.length);

/** Returns whether a compiler makes a jump table for the keys: at least four, and dense. */
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

/** Returns whether some access reads bytes that an access of another width wrote. */
function hasOverlap(trace: ExecutionTrace, values: readonly (readonly Value[])[]): boolean {
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
