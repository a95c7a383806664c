// Interprets AArch64 code in JavaScript, as a Cpu. A program's code runs so few times that an
// emulator spends its time on translation. Here an instruction is only decoded, when it is first
// executed.
// It makes only runs that end at the return address or at an exit. Any other run ends as a runaway,
// and an emulator must repeat it and report the reason. Causes are an unknown instruction, an
// access or a jump to an unmapped address, and too many instructions.

import type { HostEvent } from "../../ir/outcome.js";
import { assert } from "../../support/assert.js";
import type { Cpu, MachineEnding } from "../machine/cpu.js";
import {
  type Architecture,
  GUEST_CODE,
  LAYOUT,
  LINK_REGISTER,
  REGISTERS,
  setAddress,
} from "../machine/guest.js";
import { HostCalls } from "../machine/host-calls.js";
import type { JunkRun } from "../machine/junk.js";
import { decodeFirst } from "./decode.js";
import { CELLS, Next, SimulatedState, ZERO } from "./simulated-state.js";

const AT = REGISTERS.arm64;
const FLAGS_SHIFT = 28;

export class SimulatedCpu implements Cpu {
  readonly architecture: Architecture = "arm64";
  readonly layout = LAYOUT;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  heap: Uint8Array;
  code: Uint8Array | null = null;
  private readonly state = new SimulatedState();
  private readonly calls: HostCalls;

  constructor() {
    const { state } = this;
    this.registers = state.words.subarray(0, AT.wordCount);
    this.stack = state.stack;
    this.heap = state.heap;
    this.calls = new HostCalls("arm64", this);
    state.onHostCall = (index) => this.calls.answer(index);
  }

  get events(): readonly HostEvent[] {
    return this.calls.events;
  }

  load(code: Uint8Array, heapSize: number): void {
    const { state } = this;
    const isResized = state.heapSize !== heapSize;
    state.load(code, heapSize, decodeFirst);
    if (isResized) this.heap = state.heap;
    this.code = code;
  }

  patch(begin: number, end: number): void {
    this.state.forget(begin, end, decodeFirst);
  }

  run(poison: JunkRun, instructionsMax: number, entry = 0): MachineEnding {
    this.calls.begin(poison);
    setAddress(this.registers, LINK_REGISTER, LAYOUT.host);
    return this.resume(entry, instructionsMax);
  }

  resume(offset: number, instructionsMax: number): MachineEnding {
    const { state, registers } = this;
    assert(
      offset % 4 === 0 && offset >= 0,
      () => `the simulated code has no instruction at byte ${offset}`,
    );
    registers[AT.control] = 0;
    state.words[ZERO] = 0;
    state.words[ZERO + 1] = 0;
    state.exclusiveView = null;
    state.flags = registers[AT.flags] >>> FLAGS_SHIFT;
    state.pc = offset / 4 < state.instructionCount ? offset / 4 : Next.unknown;
    this.execute(instructionsMax);
    registers[AT.flags] = (state.flags << FLAGS_SHIFT) | GUEST_CODE.arm64.flagsClean;
    registers[AT.flags + 1] = 0;
    if (state.pc === Next.returned) return RETURN;
    return state.pc === Next.exited ? EXIT : RUNAWAY;
  }

  close(): void {}

  /** Executes until `pc` is negative, for at most `instructionsMax` instructions. */
  private execute(instructionsMax: number): void {
    const { state } = this;
    const { steps, instructionCount } = state;
    for (let left = instructionsMax; left > 0; left--) {
      const { pc } = state;
      if (pc < 0) return;
      if (pc >= instructionCount) break; // the last instruction of the code was passed
      state.pc = pc + 1;
      steps[pc](state, CELLS * pc);
    }
    if (state.pc >= 0) state.pc = Next.unknown;
  }
}

const RETURN: MachineEnding = { kind: "return" };
const EXIT: MachineEnding = { kind: "exit" };
const RUNAWAY: MachineEnding = { kind: "runaway" };
