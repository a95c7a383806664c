// Runs an image of compiled code on one input, and returns an Outcome. It first poisons the
// machine: every register without an argument, upper halves, unused stack. After each host call it
// also poisons caller-saved registers. At the end it checks the calling convention.

import {
  type AbiRule,
  type CalleeExit,
  type Ending,
  type FrameState,
  type HeapImage,
  heapContents,
  type Input,
  isBits,
  type MemoryImage,
  type ObservedBits,
  type Outcome,
  resultsOf,
  returnOf,
  type SlotBits,
} from "../../ir/outcome.js";
import type { Procedure } from "../../ir/procedure.js";
import { Int64, isWide, type Type, Void } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { ACTIVATIONS_MAX, type Oracle } from "../../oracle/fast/oracle.js";
import { copyOfBytes } from "../../support/program-arrays.js";
import {
  type CallingConvention,
  CONVENTIONS,
  placesOf,
  resultPlacesOf,
  stackBytesOf,
} from "./conventions.js";
import type { Cpu, MachineEnding } from "./cpu.js";
import {
  DECODED_PLACE,
  type DecodedExit,
  type DecodedLocation,
  decodeExits,
} from "./decode-exits.js";
import { misplacedOperand } from "./exit-places.js";
import {
  addressAt,
  DIRECTION_FLAG,
  isControlClean,
  REGISTERS,
  type RegisterLayout,
  setAddress,
} from "./guest.js";
import { bitsAt, clobber } from "./host-calls.js";
import { fillWithJunk, holdsJunk, JUNK_WORDS, type JunkRun, upperHalf } from "./junk.js";
import type { LoadedImage, SharedCode } from "./loaded-image.js";
import { INTERPRETED, interpretedBy, type ResumeFunction, type Resumption } from "./resume.js";

/** Bytes of the caller's frame that must not change. */
const GUARD_ZONE = 256;
/** Bytes of stack below the frame that exit stubs and host calls use. */
const STACK_MARGIN = 1024;

/** The limits of one execution; see `Taken`. */
export interface ExecutionLimits {
  readonly poison: JunkRun;
  /** More instructions are a runaway, in each continuation too. */
  readonly instructionsMax: number;
  /** The fuel of each continuation that is interpreted. */
  readonly fuelMax: number;
}

/** One of several executions of an image. */
interface BatchedRun {
  readonly input: Input;
  readonly limits: ExecutionLimits;
}

/** Changes the parameters of a continuation; only to prove that the comparison detects it. */
export type ResumeFilter = (frames: readonly FrameState[]) => readonly FrameState[];

export class MachineRunner {
  private readonly cpu: Cpu;
  private readonly convention: CallingConvention;
  private readonly at: RegisterLayout;
  private readonly oracle: Oracle;
  private readonly interpretContinuations: ResumeFunction;
  private readonly resumeFilter: ResumeFilter | null;
  private readonly stackView: DataView;
  /** The index into the stack of the stack pointer at entry. */
  private entryStack = 0;
  /** The index into the stack of the first byte above the arguments of the entry. */
  private guardStart = 0;
  private image: LoadedImage | null = null;
  /** The image of the exit that was taken last. */
  exited: LoadedImage | null = null;
  private exits: readonly DecodedExit[] | null = null;
  private poison: JunkRun = 0;
  /** The current exit, if a callee took it. */
  private calleeExit: CalleeExitState | null = null;

  constructor(cpu: Cpu, oracle: Oracle, resumeFilter: ResumeFilter | null = null) {
    this.cpu = cpu;
    this.convention = CONVENTIONS[cpu.architecture];
    this.at = REGISTERS[cpu.architecture];
    this.oracle = oracle;
    this.interpretContinuations = interpretedBy(oracle);
    this.resumeFilter = resumeFilter;
    const { stack } = cpu;
    this.stackView = new DataView(stack.buffer, stack.byteOffset, stack.length);
  }

  /** Loads the image if it is not loaded; another runner may have loaded its own since. */
  load(image: LoadedImage): void {
    if (image === this.image && image.code === this.cpu.code) return;
    const isThere = image.sharing !== undefined && image.code === this.cpu.code;
    if (!isThere) this.cpu.load(image.code, image.module.heapSize);
    this.image = image;
    this.exits = null;
  }

  /** Releases the image of the last run. */
  forget(): void {
    this.image = null;
    this.exited = null;
    this.exits = null;
    this.calleeExit = null;
  }

  run(image: LoadedImage, input: Input, limits: ExecutionLimits): Outcome {
    this.load(image);
    heapContents(this.cpu.heap, input.heapSeed);
    return this.execute(image, input.words, limits);
  }

  /** Runs the image with these arguments on the given heap, which it changes. */
  call(image: LoadedImage, words: Int32Array, heap: Uint8Array, limits: ExecutionLimits): Outcome {
    this.load(image);
    this.cpu.heap.set(heap);
    const outcome = this.execute(image, words, limits);
    heap.set(this.cpu.heap);
    return outcome;
  }

  /**
   * Makes all runs in one batch if the processor can. Returns null if the caller must make them one
   * by one: the processor cannot batch, or a run ended abnormally.
   */
  runAll(image: LoadedImage, runs: readonly BatchedRun[]): Outcome[] | null {
    const { cpu } = this;
    const { batch } = cpu;
    if (batch === undefined || runs.length === 0) return null;
    this.load(image);
    for (let r = 0; r < runs.length; r++) {
      const { input, limits } = runs[r];
      heapContents(cpu.heap, input.heapSeed);
      this.prepare(image, input.words, limits.poison);
      if (r === 0) batch.begin(this.freshStack(image));
      if (!batch.add(limits.poison, limits.instructionsMax)) return null;
    }
    if (!batch.run()) return null;
    const outcomes: Outcome[] = [];
    for (let r = 0; r < runs.length; r++) {
      const { limits } = runs[r];
      const ending = batch.show(r);
      if (ending === null) return null;
      this.poison = limits.poison;
      outcomes.push(this.finish(ending, image, limits));
    }
    return outcomes;
  }

  private execute(image: LoadedImage, words: Int32Array, limits: ExecutionLimits): Outcome {
    const { poison, instructionsMax } = limits;
    this.prepare(image, words, poison);
    const entry = image.sharing?.entry ?? 0;
    return this.finish(this.cpu.run(poison, instructionsMax, entry), image, limits);
  }

  private prepare(image: LoadedImage, words: Int32Array, poison: JunkRun): void {
    const { cpu } = this;
    this.poison = poison;
    const entry = image.module.procedures[image.root];
    const places = placesOf(
      cpu.architecture,
      entry.parameters.map(({ type }) => type),
    );
    // The caller's stack pointer is 16-byte aligned; on x86-64 the call pushes the return address.
    this.guardStart = cpu.stack.length - GUARD_ZONE;
    const argumentBytes = image.sharing?.argumentBytes ?? stackBytesOf(places);
    this.entryStack = this.guardStart - argumentBytes - this.convention.poppedByReturn;
    this.poisonMachine(this.freshStack(image));
    this.passArguments(entry, places, words);
  }

  /** Returns the outcome of the run. If a callee has exited, continues the run in its caller. */
  private finish(ended: MachineEnding, image: LoadedImage, limits: ExecutionLimits): Outcome {
    const { cpu } = this;
    const { instructionsMax } = limits;
    const calleeExits: CalleeExit[] = [];
    let ending = this.interpret(ended, image, limits);
    for (;;) {
      const { calleeExit } = this;
      const returned = calleeExit === null ? null : returnOf(ending);
      if (calleeExit === null || returned === null || ending.kind !== "exit") break;
      // The oracle would run out of fuel long before.
      if (calleeExits.length === ACTIVATIONS_MAX) return { events: cpu.events, ending: RUNAWAY };
      calleeExits.push({ after: cpu.events.length, ending });
      const offset = this.unwind(calleeExit, resultsOf(returned), image.code.length);
      if (offset === null) {
        ending = abi("stack-pointer", `exit ${ending.exit} cannot return to its caller`);
        break;
      }
      ending = this.interpret(cpu.resume(offset, instructionsMax), image, limits);
    }
    return { events: cpu.events, ending, ...(calleeExits.length === 0 ? {} : { calleeExits }) };
  }

  close(): void {
    this.cpu.close();
  }

  /** Returns the lowest index into the stack that the run may use. */
  private freshStack({ stackSize }: LoadedImage): number {
    return Math.max(0, this.entryStack - stackSize - STACK_MARGIN);
  }

  private poisonMachine(freshStack: number): void {
    const { cpu, at, convention, entryStack, poison } = this;
    const { registers } = cpu;
    registers.set(JUNK_WORDS[poison].subarray(0, registers.length));
    const callerStack = cpu.layout.stack + entryStack + convention.poppedByReturn;
    setAddress(registers, at.stackPointer, callerStack);
    fillWithJunk(cpu.stack, freshStack, cpu.stack.length, poison);
  }

  private passArguments(proc: Procedure, places: readonly number[], words: Int32Array): void {
    const { cpu, stackView, entryStack, convention } = this;
    for (let i = 0; i < places.length; i++) {
      const low = words[2 * i];
      const high = isWide(proc.parameters[i].type) ? words[2 * i + 1] : upperHalf(this.poison, i);
      if (places[i] >= 0) {
        cpu.registers[places[i]] = low;
        cpu.registers[places[i] + 1] = high;
      } else {
        const offset = entryStack + convention.poppedByReturn + 8 * (-1 - places[i]);
        stackView.setInt32(offset, low, true);
        stackView.setInt32(offset + 4, high, true);
      }
    }
  }

  private interpret(ending: MachineEnding, image: LoadedImage, limits: ExecutionLimits): Ending {
    this.calleeExit = null;
    switch (ending.kind) {
      case "return":
        return this.checkReturn() ?? this.readReturn(image.module.procedures[image.root]);
      case "exit":
        return this.readExit(image, limits);
      case "fault": {
        const codeOffset = Number(ending.pc - BigInt(this.cpu.layout.code));
        return { kind: "fault", fault: ending.fault, address: ending.address, codeOffset };
      }
      default:
        return ending;
    }
  }

  private readReturn(proc: Procedure): Ending {
    const { architecture, registers } = this.cpu;
    const heap = this.heapImage();
    if (proc.result === Void) return { kind: "return", result: null, heap };
    const types = [proc.result, ...proc.further];
    const places = resultPlacesOf(architecture, types);
    const [result, ...further] = types.map((type, i) =>
      bitsAt(type, registers[places[i]], registers[places[i] + 1]),
    );
    if (further.length === 0) return { kind: "return", result, heap };
    return { kind: "return", result, further, heap };
  }

  private heapImage(): HeapImage {
    return { bytes: copyOfBytes(this.cpu.heap), anyNaN: [], masked: [] };
  }

  /** Returns null if the callee has preserved everything that the convention requires. */
  private checkReturn(): Ending | null {
    const { convention, at, cpu, entryStack, poison } = this;
    const { registers } = cpu;
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
    const stack = addressAt(cpu.registers, at.stackPointer) - cpu.layout.stack;
    const expected = entryStack + convention.poppedByReturn;
    if (stack !== expected)
      return abi("stack-pointer", `the stack pointer is off by ${stack - expected} bytes`);
    return this.checkSurroundings();
  }

  private checkSurroundings(): Ending | null {
    const { at, cpu, poison } = this;
    const { stack, registers } = cpu;
    if (!holdsJunk(stack, this.guardStart, stack.length, poison)) {
      return abi("guard-zone", "the caller's frame was written to");
    }
    const isX64 = cpu.architecture === "x64";
    if (isX64 && (registers[at.flags] & DIRECTION_FLAG) !== 0) {
      return abi("direction-flag", "set");
    }
    if (!isControlClean(cpu.architecture, registers))
      return abi("rounding-mode", "the control register changed");
    return null;
  }

  // The stub has saved the registers below the stack pointer. The frame still exists, so the
  // callee-saved map of the exit is checked as an unwinder would use it.
  private readExit(image: LoadedImage, limits: ExecutionLimits): Ending {
    const { convention, cpu, at, stackView } = this;
    const { saveArea } = convention;
    const area = addressAt(cpu.registers, at.stackPointer) - cpu.layout.stack;
    if (area < 0 || area + saveArea.size > this.entryStack) {
      return abi("stack-pointer", `at an exit the stack pointer is ${area} bytes into the stack`);
    }
    const index = stackView.getUint32(area + saveArea.index, true);
    const found = this.exitAt(image, index);
    if (found === null) return abi("stack-pointer", `an exit stub saved index ${index}`);
    const { exit } = found;
    this.exited = found.image;
    const entryFrame = this.entryStack - convention.entryToFramePointer;
    const frame = area + saveArea.size + exit.frameSize;
    const framePointer = this.savedGeneral(area, convention.framePointer);
    if (framePointer !== BigInt(cpu.layout.stack + frame) || frame > entryFrame) {
      return abi("stack-pointer", "the frame pointer is wrong at an exit");
    }
    const isInCallee = frame < entryFrame;
    if (exit.procedure !== found.image.root && !isInCallee) {
      return abi("stack-pointer", "an exit of a callee has the frame of the entry");
    }
    const broken = isInCallee ? null : this.checkExit(area, frame, exit);
    const ending = broken ?? this.checkSurroundings();
    if (ending !== null) return ending;
    const misplaced =
      exit.patchpoint === 0 ? null : misplacedOperand(found.image, exit, convention);
    if (misplaced !== null) return abi("exit-place", misplaced);
    if (isInCallee) this.calleeExit = { exit, area, frame };
    return this.takeExit(found.image, exit, area, frame, limits);
  }

  private exitAt(image: LoadedImage, index: number): ReturnType<SharedCode["exitAt"]> {
    if (image.sharing !== undefined) return image.sharing.exitAt(index);
    this.exits ??= image.decoded ?? decodeExits(image.exits);
    const exit = this.exits[index];
    return exit === undefined ? null : { image, exit };
  }

  // The contents of the callee-saved registers at the call of the entry are known.
  private checkExit(area: number, frame: number, exit: DecodedExit): Ending | null {
    const { convention, poison, at } = this;
    const { saveArea } = convention;
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

  /**
   * Returns from a callee that has exited to its caller, by the unwind facts of the exit.
   * Callee-saved registers and the stack are as at the call, results are in their registers, and
   * everything that a callee may destroy holds junk. Returns the offset in the image at which the
   * caller continues; null if the return address is invalid.
   */
  private unwind(
    { exit, area, frame }: CalleeExitState,
    results: readonly ObservedBits[],
    codeSize: number,
  ): number | null {
    const { convention, cpu, at, stackView } = this;
    const { registers } = cpu;
    clobber(cpu.architecture, registers, this.poison);
    const restore = (word: number, offset: number): void => {
      registers[word] = stackView.getInt32(offset, true);
      registers[word + 1] = stackView.getInt32(offset + 4, true);
    };
    for (const r of convention.calleeSaved) {
      const place = exit.saved.indexOf(r);
      if (r === convention.framePointer) restore(2 * r, frame);
      else if (place >= 0) restore(2 * r, frame - 8 * (place + 1));
      else restore(2 * r, area + convention.saveArea.general + 8 * r);
    }
    for (const v of convention.calleeSavedVectors) {
      const place = exit.saved.indexOf(VECTOR_NUMBERS + v);
      const offset =
        place < 0 ? area + convention.saveArea.vector + 8 * v : frame - 8 * (place + 1);
      restore(at.vectors + 4 * v, offset);
    }
    setAddress(registers, at.stackPointer, cpu.layout.stack + frame + LINK_SIZE);
    const types = results.map(({ type }) => type);
    resultPlacesOf(cpu.architecture, types).forEach((word, i) => {
      const { type, lo, hi } = results[i];
      registers[word] = lo;
      registers[word + 1] = isWide(type) ? hi : upperHalf(this.poison, exit.exit);
    });
    registers[2 * convention.leaveRequest] = 0; // continuations make no request
    const offset = Number(stackView.getBigUint64(frame + 8, true)) - cpu.layout.code;
    return offset > 0 && offset < codeSize ? offset : null;
  }

  private takeExit(
    image: LoadedImage,
    exit: DecodedExit,
    area: number,
    frame: number,
    limits: ExecutionLimits,
  ): Ending {
    const { cpu, oracle } = this;
    const read = (location: DecodedLocation) => this.readLocation(location, area, frame);
    let frames: readonly FrameState[] = exit.frames.map(({ name, point, slots }) => ({
      name,
      point,
      slots: slots.map(read),
    }));
    if (exit.blockSize > 0 || exit.frames.some(({ slots }) => slots.some(isComputed))) {
      const leaves = new Int32Array(2 * exit.leaves.length);
      exit.leaves.forEach((location, i) => {
        const bits = read(location);
        if (!isBits(bits)) return; // no leaf is dead, or contents
        leaves[2 * i] = bits.lo;
        leaves[2 * i + 1] = bits.hi;
      });
      const { procedure, snapshot } = exit;
      const program = image.program();
      const state = oracle.takeExitBlock(program, procedure, snapshot, leaves, cpu.heap);
      if (state.kind !== "frames") return state;
      const computed = state.frames;
      frames = frames.map((state, f) => ({
        ...state,
        slots: state.slots.map((slot, s) =>
          isComputed(exit.frames[f].slots[s]) ? computed[f].slots[s] : slot,
        ),
      }));
    }
    const heap = this.heapImage();
    const { by, outcomes: resumed } = this.continueFrom(image, exit.exit, frames, limits);
    const ending = { kind: "exit", exit: exit.exit, frames, heap, resumed } as const;
    return by === INTERPRETED ? ending : { ...ending, resumedBy: by };
  }

  // Continuations are not called if the frames do not match their parameters: the slots differ
  // already.
  private continueFrom(
    image: LoadedImage,
    exit: number,
    frames: readonly FrameState[],
    limits: ExecutionLimits,
  ): Resumption {
    const continuations = image.module.continuations.get(exit);
    if (continuations === undefined || continuations.length !== frames.length) return NO_RESUMPTION;
    for (let f = 0; f < frames.length; f++) {
      const given = frames[f].slots.filter(isBits);
      const expected = continuations[f].parameters;
      if (given.some((slot, i) => slot.type !== expected[i]?.type)) return NO_RESUMPTION;
    }
    // The machine uses the result of a callee's continuation, so a filter would also change later
    // comparisons.
    const isFiltered = this.resumeFilter !== null && this.calleeExit === null;
    const seen = isFiltered ? this.resumeFilter(frames) : frames;
    const { program, resume = this.interpretContinuations } = image;
    const { poison, instructionsMax, fuelMax } = limits;
    const { heap } = this.cpu;
    return resume({ program, exit, frames: seen, heap, poison, instructionsMax, fuelMax });
  }

  private readLocation(location: DecodedLocation, area: number, frame: number): SlotBits {
    const { stackView } = this;
    const { saveArea } = this.convention;
    // A type is stored as its number; the decoder has checked its range.
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
      case DECODED_PLACE.contents:
        return imageIn(stackView, frame - location.index, location.lo);
      case DECODED_PLACE.halves:
        return this.readHalves(location, area, frame);
      default:
        return null; // dead, or filled in by the caller
    }
  }

  private readHalves({ halves }: DecodedLocation, area: number, frame: number): SlotBits {
    const [low, high] = halves?.map((half) => this.readLocation(half, area, frame)) ?? [];
    // The decoder accepts only bits as halves.
    return isBits(low) && isBits(high) ? bitsAt(Int64, low.lo, high.lo) : null;
  }

  private savedGeneral(area: number, register: number): bigint {
    return this.stackView.getBigUint64(
      area + this.convention.saveArea.general + 8 * register,
      true,
    );
  }
}

/** Returns true if the run ended with a return or an exit. */
export const isNormalEnding = ({ ending: { kind } }: Outcome): boolean =>
  kind === "return" || kind === "exit";

/** Returns true for values that the exit block computes, and for values joined from leaves. */
const isComputed = ({ place }: DecodedLocation): boolean =>
  place === DECODED_PLACE.result || place === DECODED_PLACE.fields;

/**
 * An exit that a callee has taken: its record, and the indexes of save area and frame in the stack.
 */
interface CalleeExitState {
  readonly exit: DecodedExit;
  readonly area: number;
  readonly frame: number;
}

/** Bytes of the caller's frame pointer and the return address, from the frame pointer upward. */
const LINK_SIZE = 16;
const RUNAWAY: Ending = { kind: "runaway" };
const NO_RESUMPTION: Resumption = { by: INTERPRETED, outcomes: [] };

/** Vector registers follow 32 general ones in the numbering of exit tables. */
const VECTOR_NUMBERS = 32;

const abi = (rule: AbiRule, detail: string): Ending => ({ kind: "abi", rule, detail });

function imageIn(view: DataView, offset: number, size: number): MemoryImage {
  const isIn = offset >= 0 && offset + size <= view.byteLength;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + (isIn ? offset : 0), isIn ? size : 0);
  return { bytes: bytes.slice(), anyNaN: [], masked: [] };
}

function bitsIn(view: DataView, offset: number, type: Type): ObservedBits {
  if (offset < 0 || offset + 8 > view.byteLength) return bitsAt(type, 0, 0);
  return bitsAt(type, view.getInt32(offset, true), view.getInt32(offset + 4, true));
}

const wideOf = (words: Int32Array, word: number): bigint =>
  BigInt.asUintN(64, wideBits(words[word], words[word + 1]));
