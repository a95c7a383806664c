// Makes several runs of one image with one message to the native child. It returns only runs that
// end normally. If the child dies, or leaves an invalid state, it is replaced, and the caller makes
// the runs one by one.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import type { HostEvent } from "../../ir/outcome.js";
import type { GuestState, MachineEnding, RunBatch } from "../machine/cpu.js";
import { LAYOUT, STACK_SIZE } from "../machine/guest.js";
import type { HostCalls } from "../machine/host-calls.js";
import type { JunkRun } from "../machine/junk.js";
import { BLOCK, LEFT, SEGMENTS } from "./host-layout.js";
import { TIMER } from "./host-libc.js";
import type { HostProcess } from "./host-process.js";
import type { RunRecords } from "./host-runs.js";
import { STEP_SIZE, type StepWriter } from "./host-steps.js";
import { CALL } from "./system-calls.js";

/** The limit for all runs of a batch together. */
const BATCH_MILLISECONDS_MAX = 60_000;

/** The rate of the slowest instructions: a run that takes longer is a runaway. */
const INSTRUCTIONS_PER_MILLISECOND = 50_000;
/** The least processor time: a run also pays for the faults of the pages that it touches first. */
const MILLISECONDS_MIN = 100;

/** Returns the CPU time that a run may take. */
export const millisecondsFor = (instructionsMax: number): number =>
  MILLISECONDS_MIN + Math.ceil(instructionsMax / INSTRUCTIONS_PER_MILLISECOND);

/** Limits the CPU time of the child from this step on. */
export function writeTimer(steps: StepWriter, milliseconds: number): void {
  const seconds = Math.floor(milliseconds / 1000);
  const interval = steps.data([0, 0, seconds, (milliseconds % 1000) * 1000]);
  steps.call(CALL.setitimer, [TIMER.cpu, interval, 0]);
}

/** The size of a timer with its data, and of a run between two copies of its whole state. */
const TIMER_SIZE = STEP_SIZE + 32;
const RUN_SIZE = TIMER_SIZE + 8 * STEP_SIZE;
/** The most runs that fit, with some steps at the start and at the end of a request. */
const RUNS_MAX = Math.floor((SEGMENTS.steps.size - 8 * STEP_SIZE) / RUN_SIZE);

const RETURN: MachineEnding = { kind: "return" };
const EXIT: MachineEnding = { kind: "exit" };

/**
 * Returns the ending of a run that has left the guest; null if it has not, or if the record is
 * invalid.
 */
export function endingBy(left: number): MachineEnding | null {
  if (left === LEFT.byReturn) return RETURN;
  return left === LEFT.byExit ? EXIT : null;
}

/** The parts of a Cpu that a batch needs. */
interface BatchCpu extends GuestState {
  readonly calls: HostCalls;
  /** Starts the child if necessary, and loads the image. */
  place(): void;
  /** Sets stack and registers to their state after the call of the image's start. */
  prepareCall(): void;
}

interface BatchRun {
  readonly poison: JunkRun;
  readonly milliseconds: number;
  readonly instructionsMax: number;
  /** The address of the step that enters the guest. */
  entry: number;
  /** The events, the addresses that host functions keep, and the number of calls. */
  events: HostEvent[];
  readonly kept: Int32Array;
  callCount: number;
}

export class HostBatch implements RunBatch {
  private readonly host: HostProcess;
  private readonly cpu: BatchCpu;
  private stackBegin = STACK_SIZE;
  private runs: BatchRun[] = [];

  constructor(host: HostProcess, cpu: BatchCpu) {
    this.host = host;
    this.cpu = cpu;
  }

  begin(stackBegin: number): void {
    this.stackBegin = stackBegin & -64; // records are copied by words
    this.host.memory.runs.shape(this.stackBegin, this.cpu.heap.length);
    this.runs = [];
  }

  add(poison: JunkRun, instructionsMax: number): boolean {
    const { cpu, runs } = this;
    const records = this.host.memory.runs;
    if (runs.length >= Math.min(records.room, RUNS_MAX)) return false;
    cpu.prepareCall();
    records.save(runs.length, cpu);
    const milliseconds = millisecondsFor(instructionsMax);
    const kept = new Int32Array(KEPT_PLACES).fill(-1);
    runs.push({ poison, milliseconds, instructionsMax, entry: 0, events: [], kept, callCount: 0 });
    return true;
  }

  run(): boolean {
    const { host, cpu, runs } = this;
    cpu.place();
    const steps = host.request(cpu.heap.length);
    runs.forEach((run, i) => this.write(steps, run, i));
    const milliseconds = runs.reduce((sum, run) => sum + run.milliseconds, 0);
    let current: BatchRun | null = null;
    const exchange = host.converse(Math.min(milliseconds, BATCH_MILLISECONDS_MAX), (call) => {
      if (current?.entry !== call.step) {
        const next = runs.find(({ entry }) => entry === call.step);
        if (next === undefined) return false;
        if (current !== null) this.leave(current);
        current = next;
        cpu.calls.begin(next.poison);
      }
      if (++current.callCount > current.instructionsMax) return false;
      cpu.calls.answer(call.index);
      return true;
    });
    if (current !== null) this.leave(current);
    return exchange === "answered";
  }

  show(run: number): MachineEnding | null {
    const { host, cpu } = this;
    const records = host.memory.runs;
    const ending = endingBy(records.left(run));
    if (ending === null) {
      host.stop();
      return null;
    }
    const { poison, events, kept } = this.runs[run];
    records.restore(run, cpu);
    cpu.calls.begin(poison);
    cpu.calls.events = events;
    cpu.calls.kept.restore(kept);
    return ending;
  }

  private leave(run: BatchRun): void {
    const { calls } = this.cpu;
    run.events = calls.events;
    calls.kept.save(run.kept);
  }

  private write(steps: StepWriter, run: BatchRun, index: number): void {
    const { places, memory } = this.host;
    const records: RunRecords = memory.runs;
    const { left, registers, stack, heap } = records.parts(index);
    // The guest's address, the record's, and the size.
    const parts = [
      [places.block + BLOCK.registers, places.runs + registers, records.registersSize],
      [LAYOUT.stack + this.stackBegin, places.runs + stack, records.stackSize],
      [LAYOUT.heap, places.runs + heap, records.heapSize],
    ] as const;
    for (const [guest, record, size] of parts) steps.copy(guest, record, size);
    writeTimer(steps, run.milliseconds);
    run.entry = steps.enter();
    for (const [guest, record, size] of parts) steps.copy(record, guest, size);
    steps.copy(places.runs + left, places.block + BLOCK.left, 4);
  }
}
