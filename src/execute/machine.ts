// Runs an image of compiled code on one input under emulation, and reports an Outcome.
//
// The machine is poisoned before: every register that is no argument, upper halves, fresh stack;
// and so are caller-saved registers after each host call. Afterwards the calling convention is
// checked.

import { HOST_FUNCTIONS, isObservable, purifyWords } from "../ir/host-functions.js";
import {
  type AbiRule,
  type Bits,
  type Ending,
  type FrameState,
  type HeapImage,
  type HostEvent,
  heapContents,
  type Input,
  type Outcome,
} from "../ir/outcome.js";
import type { Module, Procedure } from "../ir/procedure.js";
import { isFloating, isWide, type Type, Void } from "../ir/types.js";
import type { Oracle } from "../oracle/oracle.js";
import type { Program } from "../oracle/program.js";
import { CONVENTIONS, type Convention } from "./conventions.js";
import {
  DECODED_PLACE,
  type DecodedExit,
  type DecodedLocation,
  decodeExits,
} from "./decode-exits.js";
import { Emulator, type Ending as MachineEnding } from "./emulator.js";
import {
  type Architecture,
  addressAt,
  LINK_REGISTER,
  REGISTERS,
  type RegisterLayout,
  setAddress,
} from "./guest.js";
import { fillWithJunk, holdsJunk, JUNK_WORDS, type Poison, upperHalf } from "./junk.js";

/** Bytes of the caller's frame that must not change. */
const GUARD_ZONE = 256;
/** Below the frame: what exit stubs and host calls use of the stack. */
const STACK_MARGIN = 1024;
const DIRECTION_FLAG = 1 << 10;

export interface LoadedImage {
  readonly code: Uint8Array;
  readonly exits: Uint8Array;
  readonly frameSize: number;
  /** The module that was compiled, as it is after the optimizer. */
  readonly module: Module;
  /** The same, decoded for the interpreter; exit blocks and continuations run there. */
  readonly program: () => Program;
}

/** Changes what a continuation is given; only to prove that it would be noticed. */
export type ResumeFilter = (frames: readonly FrameState[]) => readonly FrameState[];

export class MachineRunner {
  private readonly emulator: Emulator;
  private readonly convention: Convention;
  private readonly at: RegisterLayout;
  private readonly oracle: Oracle;
  private readonly resumeFilter: ResumeFilter | null;
  private readonly stackView: DataView;
  /** Index into the stack of the stack pointer at entry. */
  private readonly entryStack: number;
  private image: LoadedImage | null = null;
  private exits: readonly DecodedExit[] | null = null;
  private poison: Poison = 0;
  private events: HostEvent[] = [];
  private readonly hostWords = new Int32Array(64);

  constructor(architecture: Architecture, oracle: Oracle, resumeFilter: ResumeFilter | null) {
    this.emulator = new Emulator(architecture);
    this.convention = CONVENTIONS[architecture];
    this.at = REGISTERS[architecture];
    this.oracle = oracle;
    this.resumeFilter = resumeFilter;
    const { stack } = this.emulator;
    this.stackView = new DataView(stack.buffer);
    // The caller's is 16-byte aligned; on x86-64 the call pushes the return address.
    this.entryStack = stack.length - GUARD_ZONE - this.convention.poppedByReturn;
    this.emulator.onHostCall = (index) => this.answerHostCall(index);
  }

  load(image: LoadedImage): void {
    const { emulator } = this;
    if (emulator.heap.length !== image.module.heapSize) emulator.resizeHeap(image.module.heapSize);
    emulator.loadCode(image.code, image.code.length);
    this.image = image;
    this.exits = null;
  }

  /** @param instructionsMax more are a runaway; @param fuelMax for each continuation */
  run(input: Input, poison: Poison, instructionsMax: number, fuelMax: number): Outcome {
    const { emulator, image } = this;
    if (image === null) throw new Error("run before load");
    this.poison = poison;
    this.events = [];
    heapContents(emulator.heap, input.heapSeed);
    this.poisonMachine(image.frameSize);
    this.passArguments(image.module.entry, input);
    const machineEnding = emulator.run(0, instructionsMax);
    const ending = this.interpret(machineEnding, image, fuelMax);
    return { events: this.events, ending };
  }

  close(): void {
    this.emulator.close();
  }

  private poisonMachine(frameSize: number): void {
    const { emulator, at, convention, entryStack, poison } = this;
    const { registers } = emulator;
    registers.set(JUNK_WORDS[poison].subarray(0, registers.length));
    const callerStack = emulator.layout.stack + entryStack + convention.poppedByReturn;
    setAddress(registers, at.stackPointer, callerStack);
    const begin = Math.max(0, entryStack - frameSize - STACK_MARGIN);
    fillWithJunk(emulator.stack, begin, emulator.stack.length, poison);
  }

  private passArguments(proc: Procedure, { words }: Input): void {
    const { convention, at, emulator } = this;
    let integers = 0;
    let floats = 0;
    for (let i = 0; i < proc.parameters.length; i++) {
      const { type } = proc.parameters[i];
      const word = isFloating(type)
        ? at.vectors + 4 * convention.floatArguments[floats++]
        : 2 * convention.integerArguments[integers++];
      emulator.registers[word] = words[2 * i];
      emulator.registers[word + 1] = isWide(type) ? words[2 * i + 1] : upperHalf(this.poison, i);
    }
  }

  private answerHostCall(index: number): void {
    const { convention, at, emulator, hostWords } = this;
    const { registers } = emulator;
    const host = HOST_FUNCTIONS[index];
    if (host === undefined) throw new Error(`compiled code called host function ${index}`);
    const args: Bits[] = [];
    let integers = 0;
    let floats = 0;
    for (let i = 0; i < host.parameters.length; i++) {
      const type = host.parameters[i];
      const word = isFloating(type)
        ? at.vectors + 4 * convention.floatArguments[floats++]
        : 2 * convention.integerArguments[integers++];
      const bits = bitsAt(type, registers[word], registers[word + 1]);
      args.push(bits);
      hostWords[2 * i] = bits.lo;
      hostWords[2 * i + 1] = bits.hi;
      if (isFloating(type)) purifyWords(hostWords, 2 * i, type);
    }
    if (isObservable(host)) this.events.push({ name: host.name, args });
    host.apply(hostWords.subarray(0, Math.max(2, 2 * host.parameters.length)), emulator.heap);
    const [lo, hi] = [hostWords[0], hostWords[1]];
    this.clobber();
    if (host.result === Void) return;
    hostWords[0] = lo;
    hostWords[1] = hi;
    if (isFloating(host.result)) purifyWords(hostWords, 0, host.result);
    const word = isFloating(host.result)
      ? at.vectors + 4 * convention.floatResult
      : 2 * convention.integerResult;
    registers[word] = hostWords[0];
    registers[word + 1] = isWide(host.result) ? hostWords[1] : upperHalf(this.poison, index);
  }

  /** What a callee may destroy, it destroys: other junk than at entry. */
  private clobber(): void {
    const { convention, at, emulator } = this;
    const { registers } = emulator;
    const junk = JUNK_WORDS[this.poison];
    for (let r = 0; r < at.generalCount; r++) {
      if (2 * r === at.stackPointer || convention.calleeSaved.includes(r)) continue;
      // The link register holds the address that the host function returns to.
      if (2 * r === LINK_REGISTER && convention.poppedByReturn === 0) continue;
      registers[2 * r] = junk[1024 + 2 * r];
      registers[2 * r + 1] = junk[1025 + 2 * r];
    }
    for (let v = 0; v < at.vectorCount; v++) {
      const word = at.vectors + 4 * v;
      const first = convention.calleeSavedVectors.includes(v) ? 2 : 0;
      for (let k = first; k < 4; k++) registers[word + k] = junk[2048 + 4 * v + k];
    }
  }

  private interpret(ending: MachineEnding, image: LoadedImage, fuelMax: number): Ending {
    switch (ending.kind) {
      case "return":
        return this.checkReturn() ?? this.readReturn(image.module.entry);
      case "exit":
        return this.readExit(image, fuelMax);
      case "fault": {
        const codeOffset = Number(ending.pc - BigInt(this.emulator.layout.code));
        return { kind: "fault", fault: ending.fault, address: ending.address, codeOffset };
      }
      default:
        return ending;
    }
  }

  private readReturn(proc: Procedure): Ending {
    const { convention, at, emulator } = this;
    const heap = this.heapImage();
    if (proc.result === Void) return { kind: "return", result: null, heap };
    const word = isFloating(proc.result)
      ? at.vectors + 4 * convention.floatResult
      : 2 * convention.integerResult;
    const result = bitsAt(proc.result, emulator.registers[word], emulator.registers[word + 1]);
    return { kind: "return", result, heap };
  }

  private heapImage(): HeapImage {
    return { bytes: this.emulator.heap.slice(), anyNaN: [] };
  }

  /** Null if the callee has left everything as the convention demands. */
  private checkReturn(): Ending | null {
    const { convention, at, emulator, entryStack, poison } = this;
    const { registers } = emulator;
    const junk = JUNK_WORDS[poison];
    for (const r of convention.calleeSaved) {
      if (registers[2 * r] !== junk[2 * r] || registers[2 * r + 1] !== junk[2 * r + 1]) {
        return abi("callee-saved", `general register ${r} changed`);
      }
    }
    for (const v of convention.calleeSavedVectors) {
      const w = at.vectors + 4 * v;
      if (registers[w] !== junk[w] || registers[w + 1] !== junk[w + 1]) {
        return abi("callee-saved", `vector register ${v} changed`);
      }
    }
    const stack = addressAt(emulator.registers, at.stackPointer) - emulator.layout.stack;
    const wanted = entryStack + convention.poppedByReturn;
    if (stack !== wanted) return abi("stack-pointer", `off by ${stack - wanted} bytes`);
    return this.checkSurroundings();
  }

  private checkSurroundings(): Ending | null {
    const { convention, at, emulator, poison } = this;
    const { stack, registers } = emulator;
    const guard = this.entryStack + convention.poppedByReturn;
    if (!holdsJunk(stack, guard, stack.length, poison)) {
      return abi("guard-zone", "the caller's frame was written to");
    }
    const isX64 = emulator.architecture === "x64";
    if (isX64 && (registers[at.flags] & DIRECTION_FLAG) !== 0) {
      return abi("direction-flag", "set");
    }
    if (!emulator.isControlClean()) return abi("rounding-mode", "the control register changed");
    return null;
  }

  // The stub has saved the registers below the stack pointer. The frame is still there, so the
  // callee-saved map of the exit is checked as an unwinder would use it.
  private readExit(image: LoadedImage, fuelMax: number): Ending {
    const { convention, emulator, at, stackView } = this;
    const { saveArea } = convention;
    const area = addressAt(emulator.registers, at.stackPointer) - emulator.layout.stack;
    if (area < 0 || area + saveArea.size > this.entryStack) {
      return abi("stack-pointer", `at an exit it is ${area} bytes into the stack`);
    }
    this.exits ??= decodeExits(image.exits);
    const index = stackView.getUint32(area + saveArea.index, true);
    const exit = this.exits[index];
    if (exit === undefined) return abi("stack-pointer", `an exit stub saved index ${index}`);
    const frame = this.entryStack - convention.entryToFramePointer;
    const broken = this.checkExit(area, frame, exit) ?? this.checkSurroundings();
    return broken ?? this.takeExit(image, exit, area, frame, fuelMax);
  }

  private checkExit(area: number, frame: number, exit: DecodedExit): Ending | null {
    const { convention, emulator, poison, at } = this;
    const { saveArea } = convention;
    const framePointer = this.savedGeneral(area, convention.framePointer);
    const wanted = BigInt(emulator.layout.stack + frame);
    if (framePointer !== wanted) return abi("stack-pointer", "wrong frame pointer at an exit");
    if (area + saveArea.size !== frame - exit.frameSize) {
      return abi("stack-pointer", `frame of ${frame - area - saveArea.size} bytes at an exit`);
    }
    const junk = JUNK_WORDS[poison];
    for (const r of convention.calleeSaved) {
      const place = exit.saved.indexOf(r);
      const value =
        r === convention.framePointer
          ? this.stackView.getBigUint64(frame, true)
          : place < 0
            ? this.savedGeneral(area, r)
            : this.stackView.getBigUint64(frame - 8 * (place + 1), true);
      if (value !== wideOf(junk, 2 * r)) {
        return abi("callee-saved", `general register ${r} is lost at exit ${exit.exit}`);
      }
    }
    for (const v of convention.calleeSavedVectors) {
      const place = exit.saved.indexOf(VECTOR_NUMBERS + v);
      const at8 = place < 0 ? area + saveArea.vector + 8 * v : frame - 8 * (place + 1);
      if (this.stackView.getBigUint64(at8, true) !== wideOf(junk, at.vectors + 4 * v)) {
        return abi("callee-saved", `vector register ${v} is lost at exit ${exit.exit}`);
      }
    }
    return null;
  }

  private takeExit(
    image: LoadedImage,
    exit: DecodedExit,
    area: number,
    frame: number,
    fuelMax: number,
  ): Ending {
    const { emulator, oracle } = this;
    const read = (location: DecodedLocation) => this.readLocation(location, area, frame);
    let frames: readonly FrameState[] = exit.frames.map(({ name, point, slots }) => ({
      name,
      point,
      slots: slots.map(read),
    }));
    if (exit.blockSize > 0) {
      const leaves = new Int32Array(2 * exit.leaves.length);
      exit.leaves.forEach((location, i) => {
        const bits = read(location);
        leaves[2 * i] = bits?.lo ?? 0;
        leaves[2 * i + 1] = bits?.hi ?? 0;
      });
      const { procedure, snapshot } = exit;
      const program = image.program();
      const state = oracle.takeExitBlock(program, procedure, snapshot, leaves, emulator.heap);
      if (state.kind !== "frames") return state;
      const computed = state.frames;
      frames = frames.map((state, f) => ({
        ...state,
        slots: state.slots.map((slot, s) =>
          exit.frames[f].slots[s].place === DECODED_PLACE.result ? computed[f].slots[s] : slot,
        ),
      }));
    }
    const heap = this.heapImage();
    const resumed = this.resume(image, exit.exit, frames, fuelMax);
    return { kind: "exit", exit: exit.exit, frames, heap, resumed };
  }

  // Continuations whose parameters the frames do not fit are not called: the slots differ already.
  private resume(
    image: LoadedImage,
    exit: number,
    frames: readonly FrameState[],
    fuelMax: number,
  ): readonly Outcome[] {
    const continuations = image.module.continuations.get(exit);
    if (continuations === undefined || continuations.length !== frames.length) return [];
    for (let f = 0; f < frames.length; f++) {
      const given = frames[f].slots.filter((slot) => slot !== null);
      const wanted = continuations[f].parameters;
      if (given.some((slot, i) => slot.type !== wanted[i]?.type)) return [];
    }
    const seen = this.resumeFilter === null ? frames : this.resumeFilter(frames);
    return this.oracle.resume(image.program(), exit, seen, this.emulator.heap, fuelMax);
  }

  private readLocation(location: DecodedLocation, area: number, frame: number): Bits | null {
    const { stackView } = this;
    const { saveArea } = this.convention;
    // A type is kept as the number that it is in memory; the decoder has checked its range.
    const type = location.type as Type;
    switch (location.place) {
      case DECODED_PLACE.general:
        return bitsIn(stackView, area + saveArea.general + 8 * location.index, type);
      case DECODED_PLACE.vector:
        return bitsIn(stackView, area + saveArea.vector + 8 * location.index, type);
      case DECODED_PLACE.frame:
        return bitsIn(stackView, frame - location.index, type);
      case DECODED_PLACE.constant:
        return bitsAt(type, location.lo, location.hi);
      default:
        return null; // dead, or a result of the exit block that the caller fills in
    }
  }

  private savedGeneral(area: number, register: number): bigint {
    return this.stackView.getBigUint64(
      area + this.convention.saveArea.general + 8 * register,
      true,
    );
  }
}

/** Vector registers follow 32 general ones in the numbering of exit tables. */
const VECTOR_NUMBERS = 32;

const abi = (rule: AbiRule, detail: string): Ending => ({ kind: "abi", rule, detail });

/** The low bits are the value; what is above a 32-bit value is not looked at. */
function bitsAt(type: Type, lo: number, hi: number): Bits {
  return { type, lo, hi: isWide(type) ? hi : 0, anyNaN: false };
}

function bitsIn(view: DataView, offset: number, type: Type): Bits {
  if (offset < 0 || offset + 8 > view.byteLength) return bitsAt(type, 0, 0);
  return bitsAt(type, view.getInt32(offset, true), view.getInt32(offset + 4, true));
}

const wideOf = (words: Int32Array, word: number): bigint =>
  (BigInt(words[word + 1] >>> 0) << 32n) | BigInt(words[word] >>> 0);
