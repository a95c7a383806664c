// Performs the host functions that compiled code calls, and records the observable calls.

import {
  ASKED,
  HOST_FUNCTIONS,
  type HostFunction,
  isObservable,
  purifyWords,
  TAKEN_ADDRESS,
} from "../../ir/host-functions.js";
import type { HostEvent, ObservedBits } from "../../ir/outcome.js";
import { isFloating, isWide, type Type, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { type CallingConvention, CONVENTIONS, placesOf } from "./conventions.js";
import type { GuestState } from "./cpu.js";
import {
  type Architecture,
  addressAt,
  LINK_REGISTER,
  REGISTERS,
  type RegisterLayout,
} from "./guest.js";
import { GuestKeptSlots } from "./guest-kept-slots.js";
import { JUNK_WORDS, type JunkRun, upperHalf } from "./junk.js";

/**
 * A call reads the guest's state at the first instruction of the function, and writes its results
 * there.
 */
export class HostCalls {
  /** In the order of the calls, since the last `begin`. */
  events: HostEvent[] = [];
  private readonly guest: GuestState;
  private readonly architecture: Architecture;
  private readonly convention: CallingConvention;
  private readonly at: RegisterLayout;
  private readonly words = new Int32Array(64);
  /** The argument words that a function reads, by number of parameters; two at least. */
  private readonly shownWords: readonly Int32Array[];
  private poison: JunkRun = 0;
  readonly kept: GuestKeptSlots;
  /** The locations of a function's arguments, by host function. */
  private readonly places: readonly (readonly number[])[];

  constructor(architecture: Architecture, guest: GuestState) {
    this.guest = guest;
    this.architecture = architecture;
    this.convention = CONVENTIONS[architecture];
    this.at = REGISTERS[architecture];
    this.kept = new GuestKeptSlots(guest);
    this.shownWords = Array.from({ length: this.words.length / 2 }, (_, count) =>
      this.words.subarray(0, Math.max(2, 2 * count)),
    );
    this.places = HOST_FUNCTIONS.map(({ parameters }) => placesOf(architecture, parameters));
  }

  begin(poison: JunkRun): void {
    this.poison = poison;
    this.events = [];
    this.kept.begin();
  }

  // A program makes hundreds of these calls, so this allocates only the recorded events.
  answer(index: number): void {
    const host = HOST_FUNCTIONS[index];
    assert(host !== undefined, () => `there is no host function ${index}`);
    const args = this.takeArguments(host);
    if (isObservable(host)) this.events.push({ name: host.name, args });
    host.apply(this.shownWords[host.parameters.length], this.guest.heap, this.kept);
    clobber(this.architecture, this.guest.registers, this.poison);
    if (host.asks) this.writeLeaveRequest(host);
    if (host.result !== Void) this.writeResult(host);
  }

  private writeLeaveRequest({ index }: HostFunction): void {
    const word = 2 * this.convention.leaveRequest;
    this.guest.registers[word] = this.words[ASKED];
    this.guest.registers[word + 1] = upperHalf(this.poison, index);
  }

  /**
   * Copies the arguments into `words` in the form that functions read, and returns their original
   * bits.
   */
  private takeArguments({ index, parameters, kept }: HostFunction): ObservedBits[] {
    const { words } = this;
    const args: ObservedBits[] = [];
    const places = this.places[index];
    for (let i = 0; i < parameters.length; i++) {
      const type = parameters[i];
      const bits = this.argumentAt(type, places[i]);
      // The address of a slot is not observable.
      const isTaken = kept === "takes" && i === TAKEN_ADDRESS;
      args.push(isTaken ? bitsAt(type, 0, 0) : bits);
      words[2 * i] = bits.lo;
      words[2 * i + 1] = bits.hi;
      if (isFloating(type)) purifyWords(words, 2 * i, type);
    }
    return args;
  }

  private writeResult({ index, result }: HostFunction): void {
    const { convention, at, words } = this;
    const { registers } = this.guest;
    if (isFloating(result)) purifyWords(words, 0, result);
    const word = isFloating(result)
      ? at.vectors + 4 * convention.floatResults[0]
      : 2 * convention.integerResults[0];
    registers[word] = words[0];
    registers[word + 1] = isWide(result) ? words[1] : upperHalf(this.poison, index);
  }

  private argumentAt(type: Type, place: number): ObservedBits {
    const { guest, at, convention } = this;
    const { registers, stack, layout } = guest;
    if (place >= 0) return bitsAt(type, registers[place], registers[place + 1]);
    const callerStack = addressAt(registers, at.stackPointer) + convention.poppedByReturn;
    const offset = callerStack - layout.stack + 8 * (-1 - place);
    // A wrong stack pointer shows later, as a fault or at the return.
    if (!(offset >= 0 && offset <= stack.length - 8)) return bitsAt(type, 0, 0);
    const view = new DataView(stack.buffer, stack.byteOffset + offset, 8);
    return bitsAt(type, view.getInt32(0, true), view.getInt32(4, true));
  }
}

/** Fills all registers that a callee may destroy with other junk than at entry. */
export function clobber(architecture: Architecture, registers: Int32Array, poison: JunkRun): void {
  const { words, junk } = CLOBBERED[architecture];
  const values = junk[poison];
  for (let i = 0; i < words.length; i++) registers[words[i]] = values[i];
}

/** The words of registers that a callee may destroy, and the junk for them, by poison. */
interface ClobberedRegisters {
  readonly words: Int32Array;
  readonly junk: readonly [Int32Array, Int32Array];
}

const CLOBBERED: { readonly [A in Architecture]: ClobberedRegisters } = {
  x64: clobberedBy("x64"),
  arm64: clobberedBy("arm64"),
};

function clobberedBy(architecture: Architecture): ClobberedRegisters {
  const convention = CONVENTIONS[architecture];
  const at = REGISTERS[architecture];
  const words: number[] = [];
  const junkWords: number[] = [];
  for (let r = 0; r < at.generalCount; r++) {
    if (2 * r === at.stackPointer || convention.calleeSaved.includes(r)) continue;
    // The link register holds the address to which the host function returns.
    if (2 * r === LINK_REGISTER && convention.poppedByReturn === 0) continue;
    words.push(2 * r, 2 * r + 1);
    junkWords.push(1024 + 2 * r, 1025 + 2 * r);
  }
  for (let v = 0; v < at.vectorCount; v++) {
    const first = convention.calleeSavedVectors.includes(v) ? 2 : 0;
    for (let k = first; k < 4; k++) {
      words.push(at.vectors + 4 * v + k);
      junkWords.push(2048 + 4 * v + k);
    }
  }
  const [zero, one] = JUNK_WORDS.map((junk) => Int32Array.from(junkWords, (word) => junk[word]));
  return { words: Int32Array.from(words), junk: [zero, one] };
}

/** Returns the value in the low bits; the bits above a 32-bit value are ignored. */
export function bitsAt(type: Type, lo: number, hi: number): ObservedBits {
  return { type, lo, hi: isWide(type) ? hi : 0, anyNaN: false };
}
