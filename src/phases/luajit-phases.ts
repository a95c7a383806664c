// Judges all traces of a recording.

import { type ImportedTrace, importTrace } from "../import/luajit/import-luajit.js";
import type { RecordedTrace, RecordedTraces } from "../import/luajit/recorded-trace.js";
import { CopiedMemory, readStacks, type StackState } from "../import/luajit/stack-log.js";
import { CutError } from "../import/luajit/trace-writer.js";
import {
  compareInterpreter,
  compareMachine,
  memoryDifference,
  runTrace,
  type TraceRun,
  type TraceVerdict,
} from "./luajit-traces.js";

/** The recorded traces, and the states that were captured. */
interface StateFiles {
  readonly recorded: RecordedTraces;
  readonly memories: ReadonlyMap<number, readonly number[]>;
  readonly ticks: (state: number) => Buffer | null;
  readonly exit: (state: number) => Buffer | null;
  readonly memory: (state: number, tick: number) => Buffer | null;
}

interface TraceDifference {
  readonly run: TraceRun;
  readonly difference: string;
  readonly isMachineCode: boolean;
}

export interface TraceVerdicts {
  readonly trace: RecordedTrace;
  /** The first part that the import does not model; null if there is none. */
  readonly cut: string | null;
  /** The reason why the trace cannot be imported; null if it can. */
  readonly refused: string | null;
  readonly equal: number;
  /** The number of executions after which machine code took the same exit. */
  readonly machine: number;
  readonly open: ReadonlyMap<string, number>;
  readonly wrong: TraceDifference | null;
  /** The first execution that is not open, else the first; null if there is none. */
  readonly example: TraceRun | null;
}

/** The most states from which a trace runs; they are spread over the captured ones. */
const STATES_MAX = 6;
const ITERATIONS_MAX = 1_000_000;

export function judgeTraces(files: StateFiles): TraceVerdicts[] {
  const logs = new Map<number, StackState[]>();
  const stacksOf = (state: number): StackState[] => {
    const known = logs.get(state);
    if (known !== undefined) return known;
    const log = files.ticks(state);
    const stacks = log === null ? [] : readStacks(log);
    logs.set(state, stacks);
    return stacks;
  };
  return files.recorded.traces.map((trace) => judgeTrace(files, trace, stacksOf));
}

/** A state at which a trace begins. */
interface TraceEntry {
  readonly state: number;
  readonly tick: number;
  readonly stacks: readonly StackState[];
  readonly machineExit: { readonly trace: number; readonly exit: number } | null;
}

function entriesOf(
  { recorded, memories }: StateFiles,
  trace: RecordedTrace,
  stacksOf: (state: number) => readonly StackState[],
): TraceEntry[] {
  const { from, number } = trace;
  const pc = trace.snapshots[0]?.pc;
  const found: TraceEntry[] = [];
  for (const { state, trace: of, exit, left } of recorded.states) {
    if (from !== null && (of !== from.trace || exit !== from.exit)) continue;
    const all = stacksOf(state);
    for (const tick of memories.get(state) ?? []) {
      if (all[tick]?.pc !== pc || (from !== null && tick !== 0)) continue;
      const isFirst = exit === null && of === number && tick <= 1;
      found.push({ state, tick, stacks: all.slice(tick), machineExit: isFirst ? left : null });
    }
  }
  const step = Math.max(1, found.length / STATES_MAX);
  return found.filter((_, f) => Math.floor(f / step) !== Math.floor((f - 1) / step));
}

/**
 * Runs the iterations of a loop between two copies of the memory, and compares slots and memory after them. Returns null
 * if there is no second copy.
 */
function judgeBetweenCopies(
  { memories, memory: memoryAt }: StateFiles,
  imported: ImportedTrace,
  { state, tick, stacks }: TraceEntry,
  memory: CopiedMemory,
): { readonly run: TraceRun; readonly verdict: TraceVerdict } | null {
  const { path } = imported.trace;
  const isWhole = (distance: number): boolean => distance >= 2 * path && distance % path === 0;
  const end = path === 0 ? undefined : memories.get(state)?.find((each) => isWhole(each - tick));
  const copy = end === undefined ? null : memoryAt(state, end);
  if (end === undefined || copy === null) return null;
  const run = runTrace(imported, stacks[0], memory, (end - tick) / path - 1);
  if (run === null || run.exit?.kind !== "limit") return null;
  const verdict = compareInterpreter(imported, run, stacks, memory);
  if (verdict.kind !== "equal") return { run, verdict };
  const difference = memoryDifference(run, new CopiedMemory(copy));
  return { run, verdict: difference === null ? verdict : { kind: "different", difference } };
}

function judgeTrace(
  files: StateFiles,
  trace: RecordedTrace,
  stacksOf: (state: number) => readonly StackState[],
): TraceVerdicts {
  const open = new Map<string, number>();
  const counts = { equal: 0, machine: 0 };
  let imported: ImportedTrace;
  try {
    imported = importTrace(files.recorded, trace);
  } catch (error) {
    if (!(error instanceof CutError)) throw error;
    const none = { cut: null, wrong: null, example: null };
    return { trace, refused: error.message, ...none, ...counts, open };
  }
  let example: TraceRun | null = null;
  let wrong: TraceDifference | null = null;
  const count = (run: TraceRun, verdict: TraceVerdict, isMachineCode: boolean): void => {
    if (verdict.kind === "open") open.set(verdict.reason, (open.get(verdict.reason) ?? 0) + 1);
    else if (verdict.kind === "equal") counts[isMachineCode ? "machine" : "equal"]++;
    else wrong ??= { run, difference: verdict.difference, isMachineCode };
  };
  const entries = entriesOf(files, trace, stacksOf);
  if (entries.length === 0) open.set("no state at its start was captured", 1);
  for (const { state, tick, stacks, machineExit } of entries) {
    const copy = files.memory(state, tick);
    if (copy === null) continue;
    const memory = new CopiedMemory(copy);
    const iterationsMax = Math.max(1, Math.floor(stacks.length / Math.max(1, trace.path)) - 1);
    const run = runTrace(imported, stacks[0], memory, iterationsMax);
    if (run === null) {
      open.set("a value of the parent is in no slot", 1);
      continue;
    }
    const verdict = compareInterpreter(imported, run, stacks, memory);
    count(run, verdict, false);
    if (example === null || (example.exit === null && run.exit !== null)) example = run;
    const later = judgeBetweenCopies(files, imported, { state, tick, stacks, machineExit }, memory);
    if (later !== null && verdict.kind === "equal") count(later.run, later.verdict, false);
    if (machineExit === null || verdict.kind !== "equal") continue;
    const after = files.exit(state);
    if (after === null) continue;
    const completeRun =
      run.exit?.kind === "limit" ? runTrace(imported, stacks[0], memory, ITERATIONS_MAX) : run;
    const [stack] = readStacks(after);
    if (stack !== undefined && completeRun !== null)
      count(completeRun, compareMachine(imported, completeRun, machineExit, stack, memory), true);
  }
  return { trace, cut: imported.cut, refused: null, ...counts, open, wrong, example };
}
