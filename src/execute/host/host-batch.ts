// Several runs of one image by one message to the native child.
//
// Only runs that end as they should are told: if the child dies, or leaves what cannot be, it is
// replaced, and the runs are to be made one by one.

import type { HostEvent } from "../../ir/outcome.js";
import type { Batch, GuestState, MachineEnding } from "../machine/cpu.js";
import type { Poison } from "../machine/junk.js";
import { LEFT, MAIL } from "./host-layout.js";
import type { HostProcess } from "./host-process.js";
import { RUN } from "./host-runs.js";

/** Of all runs of a batch together. */
const BATCH_MILLISECONDS_MAX = 60_000;

/** As few as the slowest instructions that there are: what runs longer has run away. */
const INSTRUCTIONS_PER_MILLISECOND = 50_000;
const MILLISECONDS_MIN = 1000;

/** CPU time that a run may take. */
export const millisecondsFor = (instructionsMax: number): number =>
  MILLISECONDS_MIN + Math.ceil(instructionsMax / INSTRUCTIONS_PER_MILLISECOND);

const RETURN: MachineEnding = { kind: "return" };
const EXIT: MachineEnding = { kind: "exit" };

/** How a run ended that has left the guest; null if it has not, or by nothing that we know. */
export function endingBy(left: number): MachineEnding | null {
  if (left === LEFT.byReturn) return RETURN;
  return left === LEFT.byExit ? EXIT : null;
}

/** The processor, as far as a batch needs it. */
interface BatchCpu extends GuestState {
  events: HostEvent[];
  /** What host functions keep of the run that is shown. */
  readonly kept: Int32Array;
  /** The child runs, and has the image. */
  place(): void;
  /** Stack and registers become as they are after the call of the image's start. */
  prepareCall(): void;
  /** Those between two words of the events segment; null if they are none. */
  eventsBetween(begin: number, end: number): HostEvent[] | null;
}

export class HostBatch implements Batch {
  private readonly host: HostProcess;
  private readonly cpu: BatchCpu;
  private count = 0;
  private milliseconds = 0;
  /** By run: read at once, because what goes on behind an exit writes others over them. */
  private events: (HostEvent[] | null)[] = [];

  constructor(host: HostProcess, cpu: BatchCpu) {
    this.host = host;
    this.cpu = cpu;
  }

  begin(stackBegin: number): void {
    const { mail, runs } = this.host.memory;
    const begin = stackBegin & -64; // records are copied by words
    runs.shape(begin, this.cpu.heap.length);
    mail[MAIL.stackBegin] = begin;
    this.count = 0;
    this.milliseconds = 0;
  }

  add(poison: Poison, instructionsMax: number): boolean {
    const { host, cpu, count } = this;
    const { runs } = host.memory;
    if (count === runs.room) return false;
    cpu.prepareCall();
    runs.save(count, cpu);
    const milliseconds = millisecondsFor(instructionsMax);
    runs.setHead(count, RUN.poison, poison);
    runs.setHead(count, RUN.milliseconds, milliseconds);
    this.milliseconds += milliseconds;
    this.count++;
    return true;
  }

  run(): boolean {
    const { host, cpu, count } = this;
    const { mail } = host.memory;
    cpu.place();
    mail[MAIL.goOn] = 0;
    mail[MAIL.entry] = 0;
    mail[MAIL.heapSize] = cpu.heap.length;
    mail[MAIL.milliseconds] = Math.min(this.milliseconds, BATCH_MILLISECONDS_MAX);
    mail[MAIL.runs] = count;
    if (host.exchange() !== "answered" || mail[MAIL.runsDone] !== count) return false;
    this.readEvents();
    return true;
  }

  show(run: number): MachineEnding | null {
    const { host, cpu } = this;
    const { runs, mail } = host.memory;
    const ending = endingBy(runs.head(run, RUN.left));
    const events = this.events[run];
    if (ending === null || events === null) {
      host.stop();
      return null;
    }
    runs.restore(run, cpu);
    cpu.events = events;
    cpu.kept.set(runs.kept(run));
    mail[MAIL.poison] = runs.head(run, RUN.poison);
    return ending;
  }

  private readEvents(): void {
    const { host, cpu, count } = this;
    this.events = [];
    let begin = 0;
    for (let run = 0; run < count; run++) {
      const end = host.memory.runs.head(run, RUN.eventsEnd);
      this.events.push(cpu.eventsBetween(begin, end));
      begin = end;
    }
  }
}
