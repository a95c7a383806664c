// Compares the state of the LIR interpreter with that of the machine that runs the code of this LIR: registers, frame
// locations and written bytes. Each side has its own registers, stack and heap. The bits of a NaN are open, so the
// interpreter copies those of the machine.

import { offsetInFrame } from "../../reference/lir/interpret/lir-procedure.js";
import { VECTOR } from "../../reference/lir/lir.js";
import { locationName } from "../../reference/lir/text/text-form.js";
import { CONVENTIONS } from "../execute/machine/conventions.js";
import type { Cpu } from "../execute/machine/cpu.js";
import { addressAt, LAYOUT, REGISTERS, type RegisterLayout } from "../execute/machine/guest.js";
import type { LirCpu } from "../execute/machine/lir-cpu.js";
import { isNaNBits, printLiteral } from "../ir/text/literals.js";
import { Double, Float, Int32, Int64, isWide, type Type } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { type LocationContents, NO_VALUE } from "./known-locations.js";

/** A difference between the state of the machine and that of the LIR interpreter. */
export interface MachineDifference {
  /** value: the contents of a location; memory: bytes; control: where execution continues. */
  readonly kind: "value" | "memory" | "control";
  /** The location that differs; NO_PLACE for `memory` and `control`. */
  readonly place: number;
  /** Id of the wrong value; -1 if it is none of the program. */
  readonly value: number;
  /** A register, or an address; "" for control. */
  readonly location: string;
  readonly expected: string;
  readonly got: string;
}

export const NO_PLACE = Number.NaN;

/**
 * The size of the largest heap that is compared completely; in a larger one, only written bytes are
 * compared.
 */
const HEAP_COMPARED_MAX = 1 << 16;
const WITHOUT_PLACE = { kind: "value", place: NO_PLACE, value: NO_VALUE } as const;

export class MachinePair {
  private readonly lir: LirCpu;
  private readonly machine: Pick<Cpu, "registers" | "stack" | "heap">;
  private readonly at: RegisterLayout;
  private readonly lirStack: DataView;
  private readonly stack: DataView;
  /** The address of each procedure in the machine, by its address in the LIR interpreter. */
  private addresses: ReadonlyMap<number, number> = new Map();

  constructor(lir: LirCpu, machine: Pick<Cpu, "registers" | "stack" | "heap">) {
    this.lir = lir;
    this.machine = machine;
    this.at = REGISTERS[lir.architecture];
    this.lirStack = viewOf(lir.stack);
    this.stack = viewOf(machine.stack);
  }

  load(addresses: ReadonlyMap<number, number>): void {
    this.addresses = addresses;
  }

  /** Copies the machine's state to the interpreter. */
  copyState(): void {
    const { lir, machine } = this;
    this.copyAllButStack();
    lir.stack.set(machine.stack);
  }

  /**
   * Copies the machine's registers and heap to the interpreter, but not the stack, which contains
   * other return addresses.
   */
  copyAllButStack(): void {
    const { lir, machine } = this;
    lir.registers.set(machine.registers);
    lir.heap.set(machine.heap);
  }

  /** Returns the interpreter's return address of the callee that has just exited. */
  returnAddress(): number {
    const top = addressAt(this.machine.registers, this.at.stackPointer) - LAYOUT.stack;
    return Number(this.lirStack.getBigUint64(top - 8, true));
  }

  /**
   * Returns the first difference in known locations.
   * @param frame the frame pointer, as an index into the stack
   */
  differenceIn(
    held: ReadonlyMap<number, LocationContents>,
    frame: number,
  ): MachineDifference | null {
    for (const [place, contents] of held) {
      const ours = wordsAt(this.lir.registers, this.lirStack, place, frame);
      const theirs = wordsAt(this.machine.registers, this.stack, place, frame);
      if (this.isSame(place, contents, ours, theirs)) continue;
      if (bothNaN(contents.type, ours, theirs)) {
        this.copyToInterpreter(place, frame, contents.type, theirs);
        continue;
      }
      // If only the upper 32 bits differ, the message shows all 64 bits.
      const isAbove = !isWide(contents.type) && ours[0] === theirs[0];
      return wrongValue(
        contents,
        isAbove ? Int64 : contents.type,
        place,
        this.nameOf(place),
        ours,
        theirs,
      );
    }
    return null;
  }

  private isSame(
    place: number,
    { type, isExtended }: LocationContents,
    ours: WordPair,
    theirs: WordPair,
  ): boolean {
    if (isWide(type)) {
      if (ours[0] === theirs[0] && ours[1] === theirs[1]) return true;
      return this.addresses.get(numberOf(ours)) === numberOf(theirs);
    }
    if (ours[0] !== theirs[0]) return false;
    const isGeneral = place >= 0 && place < this.at.vectors;
    return !isExtended || type !== Int32 || !isGeneral || ours[1] !== 0 || theirs[1] === 0;
  }

  private copyToInterpreter(place: number, frame: number, type: Type, [lo, hi]: WordPair): void {
    const { registers } = this.lir;
    if (place >= 0) {
      registers[place] = lo;
      if (isWide(type)) registers[place + 1] = hi;
    } else {
      this.lirStack.setInt32(frame + offsetInFrame(place), lo, true);
      if (isWide(type)) this.lirStack.setInt32(frame + offsetInFrame(place) + 4, hi, true);
    }
  }

  /**
   * Returns the first difference in memory.
   * @param written addresses and sizes that the interpreter has written
   * @param isWhole compare the whole heap, however large it is
   */
  differenceOfBytes(written: readonly WordPair[], isWhole: boolean): MachineDifference | null {
    const { lir, machine } = this;
    const { heap } = machine;
    for (const [address, size] of written) {
      const inHeap = address - LAYOUT.heap;
      const isInHeap = inHeap >= 0 && inHeap <= heap.length - size;
      const at = isInHeap ? inHeap : address - LAYOUT.stack;
      const [ours, theirs] = isInHeap ? [lir.heap, heap] : [lir.stack, machine.stack];
      if (isSameBytes(ours, theirs, at, size)) continue;
      return wrongBytes(isInHeap ? "heap" : "stack", ours, theirs, at, size);
    }
    const isCompared = isWhole || written.length > 0 || heap.length <= HEAP_COMPARED_MAX;
    if (!isCompared || Buffer.compare(lir.heap, heap) === 0) return null;
    const at = lir.heap.findIndex((byte, i) => byte !== heap[i]);
    return wrongBytes("heap", lir.heap, heap, at, Math.min(8, heap.length - at));
  }

  /** Returns the difference in the number of the exit that the stubs have saved. */
  differenceOfExit(index: number): MachineDifference | null {
    const { saveArea } = CONVENTIONS[this.lir.architecture];
    const area = this.areaOfExit();
    if (area === null)
      return { ...WITHOUT_PLACE, location: "sp", expected: "in the stack", got: "not" };
    const got = this.stack.getUint32(area + saveArea.index, true);
    if (got === index) return null;
    const [location, expected] = ["number of the exit", String(index)];
    return { ...WITHOUT_PLACE, location, expected, got: String(got) };
  }

  /** Returns the first difference in the registers that the stubs have saved. */
  differenceInSaved(held: ReadonlyMap<number, LocationContents>): MachineDifference | null {
    const { lir, at, stack } = this;
    const { saveArea } = CONVENTIONS[lir.architecture];
    const area = this.areaOfExit() ?? 0;
    for (const [place, contents] of held) {
      if (place < 0 || place === at.stackPointer) continue;
      const saved =
        place < at.vectors
          ? area + saveArea.general + 4 * place
          : area + saveArea.vector + 2 * (place - at.vectors);
      const ours: WordPair = [lir.registers[place], lir.registers[place + 1]];
      const theirs: WordPair = [stack.getInt32(saved, true), stack.getInt32(saved + 4, true)];
      if (this.isSame(place, { ...contents, isExtended: false }, ours, theirs)) continue;
      return wrongValue(
        contents,
        contents.type,
        place,
        `saved ${this.nameOf(place)}`,
        ours,
        theirs,
      );
    }
    return null;
  }

  private areaOfExit(): number | null {
    const { size } = CONVENTIONS[this.lir.architecture].saveArea;
    const area = addressAt(this.machine.registers, this.at.stackPointer) - LAYOUT.stack;
    return area >= 0 && area + size <= this.stack.byteLength ? area : null;
  }

  private nameOf(place: number): string {
    if (place < 0) {
      const offset = offsetInFrame(place);
      return `[frame ${offset < 0 ? "-" : "+"} ${Math.abs(offset)}]`;
    }
    const { vectors, stackPointer } = this.at;
    if (place === stackPointer) return "sp";
    const number = place < vectors ? place >> 1 : VECTOR + ((place - vectors) >> 2);
    return locationName(this.lir.architecture, number);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);

const numberOf = ([lo, hi]: WordPair): number => (hi >>> 0) * 2 ** 32 + (lo >>> 0);

function wordsAt(registers: Int32Array, stack: DataView, place: number, frame: number): WordPair {
  if (place >= 0) return [registers[place], registers[place + 1]];
  return [
    stack.getInt32(frame + offsetInFrame(place), true),
    stack.getInt32(frame + offsetInFrame(place) + 4, true),
  ];
}

const bothNaN = (type: Type, ours: WordPair, theirs: WordPair): boolean =>
  isNaNBits(type, ...ours) && isNaNBits(type, ...theirs);

function wrongValue(
  { value }: LocationContents,
  type: Type,
  place: number,
  location: string,
  [lo, hi]: WordPair,
  [gotLo, gotHi]: WordPair,
): MachineDifference {
  const text = (low: number, high: number): string =>
    printLiteral(type, low, isWide(type) ? high : 0);
  return { kind: "value", place, value, location, expected: text(lo, hi), got: text(gotLo, gotHi) };
}

/** Compares written bytes; a NaN may have other bits. */
function isSameBytes(ours: Uint8Array, theirs: Uint8Array, at: number, size: number): boolean {
  const expected = ours.subarray(at, at + size);
  const got = theirs.subarray(at, at + size);
  if (Buffer.compare(expected, got) === 0) return true;
  if (size !== 4 && size !== 8) return false;
  if (!bothNaN(size === 4 ? Float : Double, wordsOf(expected), wordsOf(got))) return false;
  expected.set(got);
  return true;
}

function wordsOf(bytes: Uint8Array): WordPair {
  const words = new Int32Array(2);
  new Uint8Array(words.buffer).set(bytes);
  return [words[0], words[1]];
}

function wrongBytes(
  where: string,
  ours: Uint8Array,
  theirs: Uint8Array,
  at: number,
  size: number,
): MachineDifference {
  const text = (bytes: Uint8Array): string =>
    Array.from(bytes.subarray(at, at + size), (byte) => byte.toString(16).padStart(2, "0")).join(
      " ",
    );
  const [expected, got] = [text(ours), text(theirs)];
  return { ...WITHOUT_PLACE, kind: "memory", location: `${where} + ${at}`, expected, got };
}
