// Runs the emulator as a Cpu; host calls are performed during the run.

import type { HostEvent } from "../../ir/outcome.js";
import type { Cpu, MachineEnding } from "../machine/cpu.js";
import type { Architecture, GuestLayout } from "../machine/guest.js";
import { HostCalls } from "../machine/host-calls.js";
import type { JunkRun } from "../machine/junk.js";
import { Emulator } from "./emulator.js";

export class EmulatedCpu implements Cpu {
  readonly architecture: Architecture;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  readonly layout: GuestLayout;
  code: Uint8Array | null = null;
  private readonly emulator: Emulator;
  private readonly calls: HostCalls;

  /**
   * Throws MissingLibrary if libunicorn is not installed.
   * @param onInstruction as for an emulator; `look` reads the registers for it
   */
  constructor(architecture: Architecture, onInstruction?: (offset: number) => void) {
    const emulator = new Emulator(
      architecture,
      onInstruction === undefined ? {} : { onInstruction },
    );
    this.architecture = architecture;
    this.emulator = emulator;
    this.registers = emulator.registers;
    this.stack = emulator.stack;
    this.layout = emulator.layout;
    this.calls = new HostCalls(architecture, emulator);
    emulator.onHostCall = (index) => this.calls.answer(index);
  }

  get heap(): Uint8Array {
    return this.emulator.heap;
  }

  get events(): readonly HostEvent[] {
    return this.calls.events;
  }

  look(): void {
    this.emulator.look();
  }

  load(code: Uint8Array, heapSize: number): void {
    const { emulator } = this;
    emulator.resizeHeap(heapSize);
    emulator.loadCode(code, code.length);
    this.code = code;
  }

  patch(begin: number, end: number): void {
    if (this.code !== null) this.emulator.patchCode(this.code, begin, end);
  }

  run(poison: JunkRun, instructionsMax: number, entry = 0): MachineEnding {
    this.calls.begin(poison);
    return this.emulator.run(entry, instructionsMax);
  }

  resume(offset: number, instructionsMax: number): MachineEnding {
    return this.emulator.resume(offset, instructionsMax);
  }

  close(): void {
    this.emulator.close();
  }
}
