// Turns a parallel move into a sequence of single moves with the same effect.
//
// Input:  moves whose targets are distinct; slots are equal or disjoint. A move may read the lower
//         4 bytes of a slot of 8. No scratch register is a source or a target.
// Output: single moves, each with at most one slot; at the end every target holds the value that
//         its source held before.
//
// 1. A move is emitted when no other move still reads its target. When there is no such move, the
//    remaining moves form cycles.
// 2. A cycle is opened by saving one source in the scratch register of its bank; the move then
//    reads from there. Only one cycle is open at a time: it is completed before the next one is
//    opened.
// 3. A move from slot to slot goes through an unused scratch register: that of the other bank while
//    a cycle occupies the first. So both scratch registers must carry any 8 bytes to and from
//    slots.
// 4. Moves from a location to itself are dropped.
// 5. A move that rematerializes (a source from REMAT on) reads no location. It comes last, when
//    both scratch registers are free: the instruction may need both, and so may a store to a slot.
// 6. A move with a derivation reads its source like any other. Its target is a register, which may
//    be its source.

import { isFloating, isWide, otherBank, type Type } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { isRemat, isSlot, NOWHERE, type RegisterSet, SLOT, typeOfWord } from "../lir/lir.js";
import { MOVE_STRIDE, NO_DERIVATION, sourceType } from "./allocation.js";

/** A list of single moves, reused from one parallel move to the next. */
export class MoveList {
  from = new Int32Array(64);
  to = new Int32Array(64);
  /** The type that is moved: its width, and the bank whose instruction moves it. */
  type = new Int32Array(64);
  /** As in the moves of an allocation; a type is that of the target. */
  derivation = new Int32Array(64);
  count = 0;
  /** Finds the order of the moves. */
  readonly graph = new MoveGraph();

  add(from: number, to: number, type: Type, derivation = NO_DERIVATION): void {
    const at = this.count++;
    if (at === this.from.length) {
      this.from = widen(this.from);
      this.to = widen(this.to);
      this.type = widen(this.type);
      this.derivation = widen(this.derivation);
    }
    this.from[at] = from;
    this.to[at] = to;
    this.type[at] = type;
    this.derivation[at] = derivation;
  }
}

type ScratchRegisters = Pick<RegisterSet, "generalScratch" | "vectorScratch">;

/**
 * Fills `singles` with the moves [first, end) of `moves`, which are `MOVE_STRIDE` words each
 * (allocation.ts).
 */
export type MoveSequentializer = (
  moves: Int32Array,
  first: number,
  end: number,
  scratch: ScratchRegisters,
  singles: MoveList,
) => void;

export const sequentialize: MoveSequentializer = (moves, first, end, scratch, singles) => {
  const { graph } = singles;
  singles.count = 0;
  if (end === first + 1) {
    const at = first * MOVE_STRIDE;
    const from = moves[at + 1];
    const to = moves[at + 2];
    const derivation = moves[at + 4];
    if (from !== to || derivation !== NO_DERIVATION) {
      emit(from, to, typeOfWord(moves[at + 3]), derivation, scratch, NOWHERE, singles);
    }
    return;
  }
  graph.load(moves, first, end);
  graph.run(scratch, singles);
  graph.clear();
};

/** Adds one move; through a scratch register other than `busy` if both sides are slots. */
function emit(
  from: number,
  to: number,
  type: Type,
  derivation: number,
  scratch: ScratchRegisters,
  busy: number,
  singles: MoveList,
): void {
  if (!isSlot(to) || from < SLOT) {
    singles.add(from, to, type, derivation);
    return;
  }
  const own = scratchOf(type, scratch);
  const via = own === busy ? otherBank(type) : type;
  singles.add(from, scratchOf(via, scratch), via);
  singles.add(scratchOf(via, scratch), to, via);
}

const scratchOf = (type: Type, scratch: ScratchRegisters): number =>
  isFloating(type) ? scratch.vectorScratch : scratch.generalScratch;

class MoveGraph {
  // Per move.
  private from = new Int32Array(64);
  private to = new Int32Array(64);
  private type = new Int32Array(64);
  private derivation = new Int32Array(64);
  private count = 0;
  /** Moves whose target no other move reads. */
  private ready = new Int32Array(64);
  private readyCount = 0;

  // Per location; all NOWHERE or 0 between two runs.
  /** The pending move that writes there. */
  private writer = new Int32Array(128).fill(NOWHERE);
  /** How many pending moves read there. */
  private readers = new Int32Array(128);
  /**
   * How a slot's unit is used: 0 not at all, 4 or 8 where a slot of that size begins, HIGH in its
   * second half.
   */
  private unit = new Uint8Array(128);

  load(moves: Int32Array, first: number, end: number): void {
    this.count = 0;
    for (let m = first; m < end; m++) {
      const from = moves[m * MOVE_STRIDE + 1];
      const to = moves[m * MOVE_STRIDE + 2];
      const derivation = moves[m * MOVE_STRIDE + 4];
      if (from === to && derivation === NO_DERIVATION) continue;
      const type = typeOfWord(moves[m * MOVE_STRIDE + 3]);
      this.reserve(isRemat(from) ? to : Math.max(from, to));
      const at = this.count++;
      this.from[at] = from;
      this.to[at] = to;
      this.type[at] = type;
      this.derivation[at] = derivation;
      this.claim(to, type);
      this.demand(this.writer[to] === NOWHERE, to);
      this.demand(derivation === NO_DERIVATION || !isSlot(to), to);
      this.writer[to] = at;
      if (isRemat(from)) continue;
      this.claim(from, sourceType(type, derivation));
      if (from !== to) this.readers[from]++;
    }
  }

  run(scratch: ScratchRegisters, singles: MoveList): void {
    const { from, to, readers, writer } = this;
    this.readyCount = 0;
    for (let m = 0; m < this.count; m++) {
      if (readers[to[m]] === 0) this.ready[this.readyCount++] = m;
    }
    this.drain(scratch, NOWHERE, singles);
    for (let m = 0; m < this.count; m++) {
      if (writer[to[m]] !== m || isRemat(from[m])) continue; // emitted, or emitted last
      const type = sourceType(this.type[m], this.derivation[m]);
      const saved = scratchOf(type, scratch);
      singles.add(from[m], saved, type);
      const source = from[m];
      from[m] = saved;
      this.readers[source]--;
      this.ready[this.readyCount++] = writer[source];
      this.drain(scratch, saved, singles);
    }
    for (let m = 0; m < this.count; m++) {
      if (isRemat(from[m])) this.emitMove(m, scratch, NOWHERE, singles);
    }
  }

  /** Emits all ready moves, and those that become ready by it. */
  private drain(scratch: ScratchRegisters, saved: number, singles: MoveList): void {
    const { from, to, ready, readers, writer } = this;
    while (this.readyCount > 0) {
      const m = ready[--this.readyCount];
      const source = from[m];
      if (isRemat(source)) continue;
      this.emitMove(m, scratch, saved, singles);
      writer[to[m]] = NOWHERE;
      if (source === saved || source === to[m]) continue;
      readers[source]--;
      if (readers[source] === 0 && writer[source] !== NOWHERE)
        ready[this.readyCount++] = writer[source];
    }
  }

  private emitMove(m: number, scratch: ScratchRegisters, busy: number, singles: MoveList): void {
    const { from, to, type, derivation } = this;
    emit(from[m], to[m], typeOfWord(type[m]), derivation[m], scratch, busy, singles);
  }

  clear(): void {
    for (let m = 0; m < this.count; m++) this.release(this.to[m]);
    for (let m = 0; m < this.count; m++) {
      if (!isRemat(this.from[m])) this.release(this.from[m]);
    }
  }

  private release(location: number): void {
    this.writer[location] = NOWHERE;
    this.readers[location] = 0;
    if (location < SLOT) return;
    this.unit[location] = 0;
    this.unit[location + 1] = 0;
  }

  /** Checks that slots with different starts do not overlap. */
  private claim(location: number, type: Type): void {
    if (!isSlot(location)) return;
    const size = isWide(type) ? 8 : 4;
    const known = this.unit[location];
    this.demand(known !== HIGH, location);
    if (size > known) this.unit[location] = size;
    if (size === 4) return;
    const above = this.unit[location + 1];
    this.demand(above === 0 || above === HIGH, location + 1);
    this.unit[location + 1] = HIGH;
  }

  /**
   * Asserts `claim`. It clears the graph before it throws, so that another program can use the
   * graph.
   */
  private demand(claim: boolean, location: number): void {
    if (!claim) this.clear();
    assert(
      claim,
      () =>
        `a parallel move writes location ${location} twice, derives a value there, or slots overlap`,
    );
  }

  private reserve(location: number): void {
    if (location + 1 >= this.writer.length) {
      const length = 2 * (location + 1);
      this.writer = grown(this.writer, length, NOWHERE);
      this.readers = grown(this.readers, length, 0);
      const units = new Uint8Array(length);
      units.set(this.unit);
      this.unit = units;
    }
    if (this.count === this.from.length) {
      this.from = widen(this.from);
      this.to = widen(this.to);
      this.type = widen(this.type);
      this.derivation = widen(this.derivation);
      this.ready = widen(this.ready);
    }
  }
}

/** The value of `unit` for the second half of a slot of 8 bytes. */
const HIGH = 1;

const widen = (array: Int32Array): Int32Array<ArrayBuffer> => grown(array, 2 * array.length, 0);

function grown(array: Int32Array, length: number, filler: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length).fill(filler, array.length);
  larger.set(array);
  return larger;
}
