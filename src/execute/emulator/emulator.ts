// Runs machine code for x86-64 or ARM64 under Unicorn, as a process of a user would run it.
//
// This file works around every known hazard of Unicorn, so that no caller depends on one:
// 1. Writing code does not discard its translation. `loadCode` discards what it changed, and only
//    that, because 2.0.1 needs 30 ms to discard everything, and keeps it through unmap and map.
// 2. A run without an instruction limit poisons later runs with one, so that an endless loop hangs.
//    So every run has a limit, also because of hazard 3.
// 3. The PC after a memory fault is that of the instruction only with a limit; without one it is
//    that of its block.
// 4. `uc_emu_start` also succeeds when the limit is used up, at `hlt` and after a stop. Success is
//    a PC at the return address or at the exit address.
// 5. Both are fixed for the life of an engine, outside the code, and never mapped.
// 6. Hooks are in place before anything is translated.
// 7. With an interrupt hook a fault no longer ends a run, and may be reported twice. The hook keeps
//    the first number and stops the engine.
// 8. An exception in a callback does not stop the guest. It is kept, the engine is stopped, and
//    `run` throws the exception again.
// 9. Callbacks get a BigInt, of either sign, for a number above 2^53. They outlive the engine.
// 10. Heap, stack and code are JavaScript memory that the guest shares; the emulator keeps them.
// 11. A batch has 8 bytes for a general and 16 for a vector register.
// 12. Each run starts from a saved context with the control words of a real process.
// 13. If `uc_err` does not distinguish two faults, the interrupt number does.
// 14. If the system refuses memory for translations, Unicorn ends the process. So
//     `requireEngineSpace` reserves it first.
//
// The guest runs in ring 3 or EL0. There `hlt`, `msr`, `cli` and similar instructions are faults.
// In the mode in which Unicorn starts, some of them end the run without an error and the others
// work.
//
// An engine never returns the space of discarded translations (4 KB for a small program). So it is
// closed and opened again from time to time: 1,500 images take up to 100 MB.

import koffi from "koffi";
import type { FaultKind } from "../../ir/outcome.js";
import { wideBits } from "../../ir/words.js";
import { assert } from "../../support/assert.js";
import type { MachineEnding } from "../machine/cpu.js";
import {
  type Architecture,
  type ArchitectureFacts,
  addressAt,
  CODE_SIZE_MAX,
  exitAddress,
  GUEST_CODE,
  type GuestLayout,
  HOST_CALL_COUNT,
  HOST_CALL_OFFSET,
  HOST_CALL_STRIDE,
  hostCallAddress,
  IMAGE_SIZE_MAX,
  LAYOUT,
  LINK_REGISTER,
  PAGE_SIZE,
  REGISTERS,
  type RegisterLayout,
  STACK_SIZE,
  setAddress,
} from "../machine/guest.js";
import { requireEngineSpace } from "./address-space.js";
import { EMULATED_MACHINES, type EmulatedMachine } from "./emulated-machines.js";
import { GuestMemory } from "./guest-memory.js";
import {
  checkUnicorn,
  type GuestAddress,
  loadUnicorn,
  registerCallback,
  UC_ARCH,
  UC_CONTROL,
  UC_ERR,
  UC_HOOK,
  UC_MODE,
  UC_PROTECTION,
  UC_X86_INSTRUCTION,
  UC_X86_REGISTER,
  type UnicornHandle,
  type UnicornLibrary,
} from "./unicorn.js";

const RETURN: MachineEnding = { kind: "return" };
const EXIT: MachineEnding = { kind: "exit" };
const RUNAWAY: MachineEnding = { kind: "runaway" };

// Flat 64-bit segments of ring 3, present and accessed (Intel SDM 3A 3.4.5).
const SEGMENT_TABLE = new BigUint64Array(6);
SEGMENT_TABLE[4] = 0xcf_f300_0000_ffffn; // data
SEGMENT_TABLE[5] = 0xaf_fb00_0000_ffffn; // code

const FAULT_OF_ERROR: { readonly [error: number]: FaultKind } = {
  [UC_ERR.readUnmapped]: "read-unmapped",
  [UC_ERR.writeUnmapped]: "write-unmapped",
  [UC_ERR.readProtected]: "read-protected",
  [UC_ERR.writeProtected]: "write-protected",
  [UC_ERR.invalidInstruction]: "invalid-instruction",
  [UC_ERR.exception]: "exception",
};

const INSTRUCTION_WFI = 0xd503_207f | 0;
const IMAGES_PER_ENGINE = 1500;
const NO_INTERRUPT = -1;

interface EmulatorOptions {
  readonly layout?: GuestLayout;
  /** In bytes, a multiple of PAGE_SIZE. */
  readonly heapSize?: number;
  /**
   * Called before each instruction of the image, with its offset there; `look` reads the registers
   * at that time. It costs a call of JavaScript for each instruction, so only localization sets it.
   */
  readonly onInstruction?: (offset: number) => void;
}

/**
 * A machine with one image of code, a heap and a stack. To use it, call `loadCode`, fill `heap`,
 * `stack` and `registers`, call `run`, and read them again; repeat as needed. It belongs to one
 * thread. The caller must close it: a live engine takes 1 GB of address space and a few MB of
 * memory.
 */
export class Emulator {
  readonly architecture: Architecture;
  readonly layout: GuestLayout;
  /**
   * All registers, at the words of REGISTERS. The guest gets their values when a run begins and
   * when `onHostCall` returns, except `pc`, `control` and the system bits of `flags`, which are
   * read-only. After a run and in `onHostCall` they contain the guest's values.
   */
  readonly registers: Int32Array;
  private readonly unicorn: UnicornLibrary = loadUnicorn();
  private readonly memory: GuestMemory;
  /** The guest's stack: the byte at index 0 is at `layout.stack`; the end is its bottom. */
  readonly stack: Uint8Array<ArrayBuffer>;
  /** Called when the guest has called host function `index`; the guest then returns. */
  onHostCall: (index: number) => void = (index) => {
    assert(false, () => `host call ${index} has no handler`);
  };

  private readonly machine: EmulatedMachine;
  private readonly guest: ArchitectureFacts;
  private readonly at: RegisterLayout;
  private readonly stackView: DataView;
  private readonly code: Uint8Array<ArrayBuffer>;
  private readonly hostPage: Uint8Array<ArrayBuffer> = new Uint8Array(PAGE_SIZE);
  private readonly callbacks: readonly EmulatorHook[];
  private readonly readable: RegisterTransfer;
  private readonly writable: RegisterTransfer;

  private engine: UnicornHandle = 0;
  private context: UnicornHandle = 0;
  private heapView: Uint8Array;
  private codeSize = 0;
  private imageCount = 0;

  // The results of the callbacks of one run.
  private isRunning = false;
  private interrupt = NO_INTERRUPT;
  private stoppedAt: { readonly fault: FaultKind; readonly pc: bigint } | null = null;
  private faultAddress = 0n;
  private thrown: { readonly error: unknown } | null = null;

  /**
   * Throws MissingLibrary if libunicorn is not installed.
   * @throws MachineError if the system refuses memory for it
   */
  constructor(architecture: Architecture, options: EmulatorOptions = {}) {
    requireEngineSpace(); // first, before anything is allocated that would need releasing
    const machine = EMULATED_MACHINES[architecture];
    const guest = GUEST_CODE[architecture];
    const at = REGISTERS[architecture];
    this.architecture = architecture;
    this.machine = machine;
    this.guest = guest;
    this.at = at;
    this.layout = options.layout ?? LAYOUT;
    this.memory = GuestMemory.take(guest.trap);
    this.code = this.memory.code;
    this.stack = this.memory.stack;
    this.stackView = new DataView(this.stack.buffer);
    this.heapView = this.memory.viewHeap(options.heapSize ?? PAGE_SIZE);
    this.registers = new Int32Array(at.wordCount);
    this.readable = batch(machine, at, this.registers, () => true);
    this.writable = batch(machine, at, this.registers, (w) => w !== at.pc && w !== at.control);
    this.hostPage.fill(guest.trap);
    for (let index = 0; index < HOST_CALL_COUNT; index++) {
      this.hostPage.set(guest.hostFunction, HOST_CALL_STRIDE * index);
    }
    this.callbacks = this.registerCallbacks(options.onInstruction ?? null);
    this.open();
  }

  /** The guest's heap, at `layout.heap`. Its size is exact: an access beyond either end faults. */
  get heap(): Uint8Array {
    return this.heapView;
  }

  /**
   * Changes the size of the heap in bytes, a multiple of PAGE_SIZE, because memory is protected in
   * pages. Bytes keep their values, also those that are out of reach in the meantime. Costs 25 us.
   */
  resizeHeap(size: number): void {
    if (size === this.heapView.length) return;
    const view = this.memory.viewHeap(size);
    const { unicorn, engine, layout } = this;
    checkUnicorn(unicorn.unmap(engine, layout.heap, this.heapView.length), "uc_mem_unmap");
    this.heapView = view;
    this.map(layout.heap, view.length, UC_PROTECTION.read | UC_PROTECTION.write, this.memory.heap);
  }

  /**
   * Loads the first `size` bytes of `bytes` as the image at `layout.code`; the rest of the code
   * area traps.
   */
  loadCode(bytes: Uint8Array, size: number): void {
    assert(
      size > 0 && size <= IMAGE_SIZE_MAX,
      () => `the image has ${size} bytes, expected 1 to ${IMAGE_SIZE_MAX}`,
    );
    assert(size <= bytes.length, () => `expected ${size} bytes of code, got ${bytes.length}`);
    const { code, codeSize, guest } = this;
    let end = Math.max(size, codeSize);
    while (end > 0 && code[end - 1] === (end <= size ? bytes[end - 1] : guest.trap)) end--;
    this.codeSize = size;
    if (end === 0) return;
    let begin = 0;
    while (begin < size && code[begin] === bytes[begin]) begin++;
    code.set(bytes.subarray(begin, Math.min(size, end)), begin);
    if (end > size) code.fill(guest.trap, size, end);
    this.discardTranslations(begin, end);
  }

  /** Copies the bytes from `begin` to `end` of `bytes` into the loaded image. */
  patchCode(bytes: Uint8Array, begin: number, end: number): void {
    assert(
      begin >= 0 && end <= this.codeSize,
      () =>
        `bytes ${begin} to ${end} are not within the ${this.codeSize} bytes of the loaded image`,
    );
    this.code.set(bytes.subarray(begin, end), begin);
    this.discardTranslations(begin, end);
  }

  private discardTranslations(begin: number, end: number): void {
    const { code } = this.layout;
    this.removeTranslations(code + begin, code + end);
    if (++this.imageCount < IMAGES_PER_ENGINE) return;
    this.closeEngine();
    requireEngineSpace();
    this.open();
  }

  /**
   * Calls the code at `entryOffset` in the image and runs it until it returns, exits or fails, for
   * at most `instructionsMax` instructions; the `ret` of a host function is one of them. The stack
   * pointer in `registers` is that before the call; this function adds the return address. An
   * exception of `onHostCall` is thrown again.
   */
  run(entryOffset: number, instructionsMax: number): MachineEnding {
    this.placeReturnAddress();
    return this.resume(entryOffset, instructionsMax);
  }

  /**
   * Does the same without a call: continues at that offset, after a run that ended as an exit. The
   * return address of that run still holds.
   */
  resume(entryOffset: number, instructionsMax: number): MachineEnding {
    assert(!this.isRunning, () => "the emulator is running already");
    assert(
      instructionsMax > 0,
      () => `the limit is ${instructionsMax} instructions, expected at least 1`,
    );
    const { unicorn, engine, layout } = this;
    checkUnicorn(unicorn.restoreContext(engine, this.context), "uc_context_restore");
    this.writeRegisters(this.guest.flagsClean);
    this.forgetLastRun();
    this.isRunning = true;
    const error = unicorn.start(engine, layout.code + entryOffset, layout.host, 0, instructionsMax);
    this.isRunning = false;
    this.readRegisters();
    if (this.thrown !== null) throw this.thrown.error;
    return this.ending(error);
  }

  /**
   * Reads the guest's registers into `registers`, for `onInstruction`; a write to them there has no
   * effect.
   */
  look(): void {
    this.readRegisters();
  }

  /**
   * Frees the engine. The emulator must not be used afterwards, because another one reuses its
   * memory.
   */
  close(): void {
    this.closeEngine();
    for (const hook of this.callbacks) koffi.unregister(hook.callback);
    this.memory.release(this.codeSize);
  }

  private open(): void {
    const { unicorn, architecture, layout } = this;
    const engine: [UnicornHandle] = [0];
    checkUnicorn(unicorn.open(UC_ARCH[architecture], UC_MODE[architecture], engine), "uc_open");
    this.engine = engine[0];
    this.imageCount = 0;
    const { read, write, execute } = UC_PROTECTION;
    this.map(layout.code, CODE_SIZE_MAX, read | execute, this.code.buffer);
    this.map(layout.heap, this.heapView.length, read | write, this.memory.heap);
    this.map(layout.stack, STACK_SIZE, read | write, this.stack.buffer);
    this.map(layout.host + HOST_CALL_OFFSET, PAGE_SIZE, read | execute, this.hostPage.buffer);
    for (const hook of this.callbacks) {
      const { type, callback, begin, end, instruction } = hook;
      const values = instruction === undefined ? [] : ["int", instruction];
      const error = unicorn.addHook(this.engine, [0], type, callback, null, begin, end, ...values);
      checkUnicorn(error, "uc_hook_add");
    }
    this.enterUserMode();
    this.setExits();
    this.saveContext();
  }

  /** Does nothing if there is no engine: the system may have refused a replacement. */
  private closeEngine(): void {
    if (this.engine === 0) return;
    checkUnicorn(this.unicorn.freeContext(this.context), "uc_context_free");
    checkUnicorn(this.unicorn.close(this.engine), "uc_close");
    this.engine = 0;
  }

  private enterUserMode(): void {
    const { unicorn, engine, machine } = this;
    const { enterUserMode: program } = machine;
    const scratch = new Uint8Array(PAGE_SIZE);
    const begin = this.layout.host - 16 * PAGE_SIZE; // in no area of any layout
    const segments = 1024;
    scratch.set(program);
    scratch.set(new Uint8Array(SEGMENT_TABLE.buffer), segments);
    const { read, write, execute } = UC_PROTECTION;
    this.map(begin, PAGE_SIZE, read | write | execute, scratch.buffer);
    if (this.architecture === "x64") {
      this.setSegmentTable(begin + segments, SEGMENT_TABLE.byteLength - 1);
    }
    this.writeRegister(machine.stackPointerNumber, begin + PAGE_SIZE);
    const end = begin + program.length;
    checkUnicorn(unicorn.start(engine, begin, end, 0, program.length), "entering user mode");
    assert(
      this.readPc() === BigInt(end),
      () => `the code that enters user mode stopped at ${this.readPc()}, expected ${end}`,
    );
    if (this.architecture === "x64") this.setSegmentTable(0, 0); // so that a segment load faults
    this.removeTranslations(begin, end);
    checkUnicorn(unicorn.unmap(engine, begin, PAGE_SIZE), "uc_mem_unmap");
  }

  /** Writes a `uc_x86_mmr`: selector, base, limit, flags. */
  private setSegmentTable(base: number, limit: number): void {
    const value = new DataView(new ArrayBuffer(24));
    value.setBigUint64(8, BigInt(base), true);
    value.setUint32(16, limit, true);
    const bytes = new Uint8Array(value.buffer);
    const error = this.unicorn.writeRegister(this.engine, UC_X86_REGISTER.gdtr, bytes);
    checkUnicorn(error, "setting the segment table");
  }

  private setExits(): void {
    const { unicorn, engine, layout } = this;
    const exits = new BigUint64Array([BigInt(layout.host), BigInt(exitAddress(layout))]);
    checkUnicorn(unicorn.control(engine, UC_CONTROL.useExits, "int", 1), "enabling exits");
    checkUnicorn(
      unicorn.control(engine, UC_CONTROL.setExits, "void *", exits, "size_t", exits.length),
      "setting exits",
    );
  }

  private saveContext(): void {
    for (const [register, value] of this.machine.initial) this.writeRegister(register, value);
    const context: [UnicornHandle] = [0];
    checkUnicorn(this.unicorn.allocateContext(this.engine, context), "uc_context_alloc");
    this.context = context[0];
    checkUnicorn(this.unicorn.saveContext(this.engine, this.context), "uc_context_save");
  }

  private registerCallbacks(
    onInstruction: ((offset: number) => void) | null,
  ): readonly EmulatorHook[] {
    const { host, code } = this.layout;
    const everywhere = { begin: 1, end: 0 };
    const page = host + HOST_CALL_OFFSET;
    const { syscall, in: input, out: output } = UC_X86_INSTRUCTION;
    const instruction = (number: number, callback: bigint): EmulatorHook => {
      return { type: UC_HOOK.instruction, ...everywhere, instruction: number, callback };
    };
    const onCode = (_engine: UnicornHandle, address: GuestAddress) =>
      this.hostCalled(Number(address));
    const onInterrupt = (_engine: UnicornHandle, number: number) => this.interrupted(number);
    const onMemory = (_engine: UnicornHandle, _type: number, address: GuestAddress) => {
      this.faultAddress = BigInt.asUintN(64, BigInt(address));
      return false; // the access fails
    };
    const hooks: EmulatorHook[] = [
      {
        type: UC_HOOK.code,
        begin: page,
        end: page + PAGE_SIZE - 1,
        callback: registerCallback("code", onCode),
      },
      {
        type: UC_HOOK.interrupt,
        ...everywhere,
        callback: registerCallback("interrupt", onInterrupt),
      },
      {
        type: UC_HOOK.memoryInvalid,
        ...everywhere,
        callback: registerCallback("memory", onMemory),
      },
    ];
    if (onInstruction !== null) {
      const onStep = (_engine: UnicornHandle, address: GuestAddress): void =>
        this.keepingException(() => onInstruction(Number(address) - code));
      hooks.push({
        type: UC_HOOK.code,
        begin: code,
        end: code + CODE_SIZE_MAX - 1,
        callback: registerCallback("code", onStep),
      });
    }
    if (this.architecture === "x64") {
      const onSyscall = () => this.stopAt("system-call");
      const onPort = () => {
        this.stopAt("port");
        return 0;
      };
      hooks.push(
        instruction(syscall, registerCallback("syscall", onSyscall)),
        instruction(input, registerCallback("in", onPort)),
        instruction(
          output,
          registerCallback("out", () => this.stopAt("port")),
        ),
      );
    }
    return hooks;
  }

  private hostCalled(address: number): void {
    const index = (address - hostCallAddress(this.layout, 0)) / HOST_CALL_STRIDE;
    if (!isHostFunction(index) || this.thrown !== null) return;
    this.readRegisters();
    const { flags } = this.at;
    const systemFlags = this.registers[flags] & ~this.guest.flagsMask;
    this.keepingException(() => {
      this.onHostCall(index);
      this.writeRegisters(systemFlags);
    });
  }

  /** Keeps an exception of the callback and stops the engine; `run` throws it again. */
  private keepingException(callback: () => void): void {
    if (this.thrown !== null) return;
    try {
      callback();
    } catch (error) {
      this.thrown = { error };
      this.stop();
    }
  }

  private stopAt(fault: FaultKind): void {
    this.stoppedAt ??= { fault, pc: this.readPc() };
    this.stop();
  }

  private interrupted(number: number): void {
    if (this.interrupt === NO_INTERRUPT) this.interrupt = number;
    this.stop();
  }

  private stop(): void {
    checkUnicorn(this.unicorn.stop(this.engine), "uc_emu_stop");
  }

  private forgetLastRun(): void {
    this.interrupt = NO_INTERRUPT;
    this.stoppedAt = null;
    this.faultAddress = 0n;
    this.thrown = null;
  }

  private ending(error: number): MachineEnding {
    if (this.stoppedAt !== null) return this.fault(this.stoppedAt.fault, this.stoppedAt.pc);
    const pc = this.pcBits();
    if (this.interrupt !== NO_INTERRUPT) {
      const { fault, size } =
        this.machine.interrupts[this.interrupt] ?? this.machine.otherInterrupt;
      return this.fault(fault, pc - BigInt(size));
    }
    if (error === UC_ERR.ok) {
      if (this.isPcAt(this.layout.host)) return RETURN;
      if (this.isPcAt(exitAddress(this.layout))) return EXIT;
      return this.hasWaited(pc) ? this.fault("halt", pc - 4n) : RUNAWAY;
    }
    if (error === UC_ERR.fetchUnmapped || error === UC_ERR.fetchProtected) {
      return { kind: "escaped", pc };
    }
    const fault = FAULT_OF_ERROR[error];
    assert(fault !== undefined, () => `uc_emu_start failed with uc_err ${error} at ${pc}`);
    return this.fault(fault, pc);
  }

  private fault(fault: FaultKind, pc: bigint): MachineEnding {
    const inCode = Number(pc) - this.layout.code;
    if (inCode >= 0 && inCode < this.codeSize) {
      return { kind: "fault", fault, address: this.faultAddress, pc };
    }
    // If the `ret` of a host function faults, the stack pointer is wrong: the fault is that of the
    // host function's address.
    const inHost = Number(pc) - hostCallAddress(this.layout, 0);
    if (!isHostFunction(inHost / HOST_CALL_STRIDE)) return { kind: "escaped", pc };
    return { kind: "fault", fault, address: this.faultAddress, pc };
  }

  /** `wfi` waits in EL0 too, for an interrupt that never arrives; Unicorn then ends the run. */
  private hasWaited(pc: bigint): boolean {
    const before = Number(pc) - this.layout.code - 4;
    if (this.architecture !== "arm64" || before < 0 || before >= this.codeSize) return false;
    return new DataView(this.code.buffer).getInt32(before, true) === INSTRUCTION_WFI;
  }

  private placeReturnAddress(): void {
    const { registers, layout } = this;
    if (this.architecture === "arm64") {
      setAddress(registers, LINK_REGISTER, layout.host);
      return;
    }
    const word = this.at.stackPointer;
    const stackPointer = addressAt(registers, word) - 8;
    const offset = stackPointer - layout.stack;
    assert(
      offset >= 0 && offset <= STACK_SIZE - 8,
      () => `the stack pointer is ${stackPointer}, which is outside of the stack`,
    );
    setAddress(registers, word, stackPointer);
    this.stackView.setBigUint64(offset, BigInt(layout.host), true);
  }

  private isPcAt(address: number): boolean {
    return addressAt(this.registers, this.at.pc) === address;
  }

  private pcBits(): bigint {
    const { registers, at } = this;
    return BigInt.asUintN(64, wideBits(registers[at.pc], registers[at.pc + 1]));
  }

  private readRegisters(): void {
    const { numbers, pointers } = this.readable;
    const { unicorn, engine } = this;
    checkUnicorn(unicorn.readRegisters(engine, numbers, pointers, numbers.length), "reading");
  }

  private writeRegisters(systemFlags: number): void {
    const { numbers, pointers } = this.writable;
    const { unicorn, engine, registers, at } = this;
    registers[at.flags] = (registers[at.flags] & this.guest.flagsMask) | systemFlags;
    registers[at.flags + 1] = 0;
    checkUnicorn(unicorn.writeRegisters(engine, numbers, pointers, numbers.length), "writing");
  }

  /** Reads the PC in the middle of a run, without changing `registers`. */
  private readPc(): bigint {
    const value = new BigUint64Array(1);
    const bytes = new Uint8Array(value.buffer);
    const error = this.unicorn.readRegister(this.engine, this.machine.pcNumber, bytes);
    checkUnicorn(error, "reading the pc");
    return value[0];
  }

  private writeRegister(register: number, value: number): void {
    const bytes = new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);
    checkUnicorn(this.unicorn.writeRegister(this.engine, register, bytes), "writing a register");
  }

  private map(address: number, size: number, permissions: number, memory: ArrayBuffer): void {
    const error = this.unicorn.mapPointer(this.engine, address, size, permissions, memory);
    checkUnicorn(error, "uc_mem_map_ptr");
  }

  private removeTranslations(begin: number, end: number): void {
    const { unicorn, engine } = this;
    checkUnicorn(
      unicorn.control(engine, UC_CONTROL.removeTranslations, "uint64_t", begin, "uint64_t", end),
      "removing translations",
    );
  }
}

interface EmulatorHook {
  readonly type: number;
  readonly begin: number;
  readonly end: number;
  readonly instruction?: number;
  readonly callback: bigint;
}

/**
 * Registers that one call reads or writes: Unicorn's numbers, and the addresses of their values.
 */
interface RegisterTransfer {
  readonly numbers: Int32Array;
  readonly pointers: BigUint64Array;
}

function batch(
  machine: EmulatedMachine,
  at: RegisterLayout,
  values: Int32Array,
  includes: (word: number) => boolean,
): RegisterTransfer {
  const numbers: number[] = [];
  const words: number[] = [];
  machine.numbers.forEach((number, i) => {
    if (!includes(2 * i)) return;
    numbers.push(number);
    words.push(2 * i);
  });
  for (let i = 0; i < at.vectorCount; i++) {
    numbers.push(machine.vectorNumber + i);
    words.push(at.vectors + 4 * i);
  }
  const base = koffi.address(values.buffer);
  const pointers = words.map((word) => base + BigInt(4 * word));
  return { numbers: new Int32Array(numbers), pointers: new BigUint64Array(pointers) };
}

/** Returns false for a fraction, and for an index in the page of host functions that has none. */
const isHostFunction = (index: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < HOST_CALL_COUNT;
