// Executes LIR as a Cpu with the registers, stack and heap of a guest. So the runner of machine
// code poisons, passes arguments, checks conventions and reads exits as for machine code. The
// program's LIR takes the place of code; its addresses have no bytes.

import { MEANINGS as ARM64_MEANINGS } from "../../../reference/arm64/meanings.js";
import type { CodeImage, GenerateOptions } from "../../../reference/compile.js";
import type { LirGuest } from "../../../reference/lir/interpret/lir-guest.js";
import type { InstructionMeaning } from "../../../reference/lir/interpret/lir-machine.js";
import { LirMachine } from "../../../reference/lir/interpret/lir-machine.js";
import { LirProgram, type LirStage } from "../../../reference/lir/interpret/lir-procedure.js";
import { meaningsOf } from "../../../reference/lir/interpret/machine-rows.js";
import type { CompilerParts } from "../../../reference/parts.js";
import { MoveList } from "../../../reference/regalloc/parallel-moves.js";
import type { TargetName } from "../../../reference/target/target.js";
import { MEANINGS as X64_MEANINGS } from "../../../reference/x64/meanings.js";
import type { HostEvent } from "../../ir/outcome.js";
import { assert } from "../../support/assert.js";
import { CONVENTIONS } from "./conventions.js";
import type { Cpu, MachineEnding } from "./cpu.js";
import { addressAt, HEAP_SIZE_MAX, LAYOUT, REGISTERS, STACK_SIZE, setAddress } from "./guest.js";
import { HostCalls } from "./host-calls.js";
import type { JunkRun } from "./junk.js";
import type { CompiledImage } from "./loaded-image.js";

const MEANINGS: { readonly [T in TargetName]: ReadonlyMap<string, InstructionMeaning> } = {
  x64: X64_MEANINGS,
  arm64: ARM64_MEANINGS,
};

/** Cells of virtual registers take more of a frame than spill slots. */
const STACKS_OF_CELLS = 8;

/** The meaning of LIR, by opcode; another table than the target's own only to plant a bug. */
export type MeaningTable = ReadonlyMap<string, InstructionMeaning>;

type OnLir = NonNullable<GenerateOptions["onLir"]>;

export class LirCpu implements Cpu {
  readonly architecture: TargetName;
  readonly layout = LAYOUT;
  readonly registers: Int32Array;
  readonly stack: Uint8Array;
  heap = new Uint8Array(0);
  code: Uint8Array | null = null;
  readonly machine: LirMachine;
  program = new LirProgram();
  /** The LIR of an image, by its code. */
  private readonly programs = new WeakMap<Uint8Array, LirProgram>();
  private readonly stage: LirStage;
  private readonly parts: CompilerParts;
  private readonly calls: HostCalls;
  private readonly singles = new MoveList();

  constructor(
    architecture: TargetName,
    stage: LirStage,
    parts: CompilerParts,
    table: MeaningTable = MEANINGS[architecture],
  ) {
    const at = REGISTERS[architecture];
    const convention = CONVENTIONS[architecture];
    this.architecture = architecture;
    this.stage = stage;
    this.parts = parts;
    this.registers = new Int32Array(at.wordCount);
    this.stack = new Uint8Array(stage === "lower" ? STACKS_OF_CELLS * STACK_SIZE : STACK_SIZE);
    this.calls = new HostCalls(architecture, this);
    const guest: LirGuest = {
      registers: this.registers,
      vectors: at.vectors,
      stackPointerWord: at.stackPointer,
      framePointer: convention.framePointer,
      stack: this.stack,
      stackAddress: LAYOUT.stack,
      heapAddress: LAYOUT.heap,
      codeAddress: LAYOUT.code,
      returnAddress: LAYOUT.host,
      hostCall: (index) => this.answer(index),
    };
    this.machine = new LirMachine(guest, meaningsOf(parts.plans[architecture].rows, table));
  }

  get events(): readonly HostEvent[] {
    return this.calls.events;
  }

  /** Returns a callback for the compiler that adds the LIR of the stage to the program. */
  collect(program: LirProgram): OnLir {
    return (shown, lir, allocation, plan, _proc, index) => {
      const { stage, parts, singles } = this;
      if ((stage === "lower") !== (shown === "lower")) return;
      const { vectors } = REGISTERS[this.architecture];
      const { sequentialize, recordExits } = parts;
      const preparation = { stage, plan, vectors, sequentialize, recordExits, singles };
      program.add(lir, allocation, preparation, index);
    };
  }

  /** Returns an image for the LIR: its exits, and an array of addresses in place of code. */
  imageOf(program: LirProgram, { root, exits, stackSize }: CodeImage): CompiledImage {
    const code = new Uint8Array(program.codeSize);
    this.mapCode(code, program);
    return { root, code, exits, decoded: program.exits, stackSize: stackOf(program, stackSize) };
  }

  /** Maps the code to the program that runs when this code is loaded. */
  mapCode(code: Uint8Array, program: LirProgram): void {
    this.programs.set(code, program);
  }

  load(code: Uint8Array, heapSize: number): void {
    const program = this.programs.get(code);
    assert(program !== undefined, () => `${code.length} bytes of code have no LIR`);
    this.code = code;
    this.program = program;
    if (this.heap.length !== heapSize)
      this.heap = new Uint8Array(Math.min(heapSize, HEAP_SIZE_MAX));
    this.machine.load(program.procedures);
  }

  run(poison: JunkRun, instructionsMax: number): MachineEnding {
    this.prepare(poison);
    return this.ended(this.machine.run(0, this.heap, poison !== 0, instructionsMax));
  }

  /** Prepares a run as `run` does, but executes nothing: the caller steps `machine`. */
  start(poison: JunkRun): void {
    this.prepare(poison);
    // Junk above a 32-bit value shows a use of undefined bits.
    this.machine.start(0, this.heap, true);
  }

  private prepare(poison: JunkRun): void {
    this.calls.begin(poison);
    const at = REGISTERS[this.architecture];
    this.registers[at.control] = this.architecture === "x64" ? CLEAN_MXCSR : 0;
    this.registers[at.flags] = 0;
  }

  resume(offset: number, instructionsMax: number): MachineEnding {
    const address = LAYOUT.code + offset;
    return this.ended(this.machine.resume(address, this.heap, instructionsMax));
  }

  close(): void {}

  private ended(ending: ReturnType<LirMachine["run"]>): MachineEnding {
    switch (ending.kind) {
      case "exit":
        this.saveRegisters(ending.index);
        return EXIT;
      case "fault":
        return { ...ending, pc: BigInt(LAYOUT.code) };
      case "escaped":
        return { kind: "escaped", pc: BigInt(ending.address) };
      default:
        return ending;
    }
  }

  // On x86-64 the return address is on the stack at the first instruction of a host function.
  private answer(index: number): void {
    const word = REGISTERS[this.architecture].stackPointer;
    const { poppedByReturn } = CONVENTIONS[this.architecture];
    const before = addressAt(this.registers, word);
    setAddress(this.registers, word, before - poppedByReturn);
    this.calls.answer(index);
    setAddress(this.registers, word, before);
  }

  /**
   * Does what an exit stub does: saves every register below the stack pointer, and the number of
   * the exit.
   */
  private saveRegisters(index: number): void {
    const { registers, stack, machine } = this;
    const { saveArea } = CONVENTIONS[this.architecture];
    const at = REGISTERS[this.architecture];
    const area = machine.stackPointer - saveArea.size;
    const view = new DataView(stack.buffer, stack.byteOffset, stack.length);
    const save = (offset: number, word: number): void => {
      view.setInt32(area + offset, registers[word], true);
      view.setInt32(area + offset + 4, registers[word + 1], true);
    };
    for (let r = 0; r < at.generalCount; r++) save(saveArea.general + 8 * r, 2 * r);
    for (let v = 0; v < at.vectorCount; v++) save(saveArea.vector + 8 * v, at.vectors + 4 * v);
    view.setUint32(area + saveArea.index, index, true);
    setAddress(registers, at.stackPointer, LAYOUT.stack + area);
  }
}

/** Returns the bytes of stack for the program, at least as many as its machine code takes. */
export function stackOf({ procedures, frameSize }: LirProgram, least: number): number {
  const depth = procedures.length === 1 ? 1 : DEPTH_MAX;
  return Math.max(least, depth * (frameSize + LINK_SIZE));
}

const EXIT: MachineEnding = { kind: "exit" };
const CLEAN_MXCSR = 0x1f80;
/** The most activations that a judged execution has at one time. */
const DEPTH_MAX = 64;
/** Bytes of a return address and a saved frame pointer. */
const LINK_SIZE = 16;
