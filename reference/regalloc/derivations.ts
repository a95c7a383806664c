// Chooses the values that an instruction with an operand rematerializes: an extension, a sum with a
// constant, an address. Such a value needs no slot, because moves compute it from its base.
//
// 1. The base must be live wherever a move may derive the value, so its ranges contain those of the
//    value. No interval becomes longer.
// 2. The base is in a register or in its slot: it is neither a constant nor derived itself.
// 3. An exit or a call shows a value where it is (KEEPALIVE), so a value with such a use keeps its
//    slot. So does the input of a Phi: the edge may write it to memory, and a derivation writes a
//    register.

import {
  FIRST_BLOCK,
  FIRST_VREG,
  type Index,
  type IndexArray,
  type Instruction,
  type VirtualRegister,
} from "../lir/indices.js";
import type { Lir } from "../lir/lir.js";
import { NONE } from "./arenas.js";
import { inputOf, instructionAt, isOutput, type Position } from "./positions.js";

type LiveRange = Index<"LiveRange">;
type Use = Index<"Use">;
type Wish = Index<"Wish">;

/** The columns of live intervals (live-intervals.ts) that derivations read and write. */
interface IntervalColumns {
  readonly remat: IndexArray<Instruction, VirtualRegister>;
  readonly base: IndexArray<VirtualRegister, VirtualRegister>;
  readonly firstRange: IndexArray<LiveRange, VirtualRegister>;
  readonly rangeStart: IndexArray<Position, LiveRange>;
  readonly rangeEnd: IndexArray<Position, LiveRange>;
  readonly rangeNext: IndexArray<LiveRange, LiveRange>;
  readonly firstUse: IndexArray<Use, VirtualRegister>;
  readonly usePosition: IndexArray<Position, Use>;
  readonly useEnd: IndexArray<Position, Use>;
  readonly useNext: IndexArray<Use, Use>;
  readonly firstWish: IndexArray<Wish, VirtualRegister>;
  readonly wishPosition: IndexArray<Position, Wish>;
  readonly wishNext: IndexArray<Wish, Wish>;
  readonly wishEnd: IndexArray<Position, Wish>;
  newUse(position: Position, end: Position, next: Use): Use;
}

/** Removes, before intervals are built, the values that rules 2 and 3 exclude. */
export function excludeBases(lir: Lir, { remat, base }: IntervalColumns): void {
  for (let b = FIRST_BLOCK; b < lir.blockCount; b++) {
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
      const input = lir.phiInputs[k];
      if (base[input] !== NONE) remat[input] = NONE;
    }
  }
  for (let v = FIRST_VREG; v < lir.vregCount; v++) {
    if (base[v] === NONE) continue;
    const isConstant = remat[base[v]] !== NONE && base[base[v]] === NONE;
    if (isConstant) remat[v] = NONE;
    if (remat[v] === NONE) base[v] = NONE;
  }
}

/** Removes the values whose base is not live long enough, and the bases that are derived. */
export function confirmBases(lir: Lir, live: IntervalColumns): void {
  const { remat, base } = live;
  for (let v = lir.lastVreg; v >= 0; v--) {
    if (base[v] === NONE) continue;
    const derived = contains(live, base[v], v) ? base[v] : v;
    if (base[derived] === NONE) continue;
    base[derived] = NONE;
    remat[derived] = NONE;
  }
  for (let v = FIRST_VREG; v < lir.vregCount; v++) if (base[v] !== NONE) demandWishes(live, v);
}

/** Returns whether the base is live at each position from which a move may derive the value. */
function contains(live: IntervalColumns, base: VirtualRegister, value: VirtualRegister): boolean {
  const { firstRange, rangeStart, rangeEnd, rangeNext } = live;
  let outer = firstRange[base];
  for (let range = firstRange[value]; range !== NONE; range = rangeNext[range]) {
    const end = lastMove(rangeEnd[range]);
    while (outer !== NONE && rangeEnd[outer] < end) outer = rangeNext[outer];
    if (outer === NONE || rangeStart[outer] > rangeStart[range]) return false;
  }
  return true;
}

/** Returns the position of the last move that reads a value whose range ends at `end`. */
const lastMove = (end: Position): Position => (isOutput(end) ? inputOf(instructionAt(end)) : end);

/** Turns the uses that could read the slot into demands for a register. */
function demandWishes(live: IntervalColumns, value: VirtualRegister): void {
  const { firstUse, firstWish, wishNext, wishEnd, wishPosition } = live;
  let lastUse: Use = NONE;
  let lastWish: Wish = NONE;
  let next = firstUse[value];
  for (let wish = firstWish[value]; wish !== NONE; wish = wishNext[wish]) {
    if (wishEnd[wish] === NONE) {
      lastWish = wish;
      continue;
    }
    if (lastWish === NONE) firstWish[value] = wishNext[wish];
    else wishNext[lastWish] = wishNext[wish];
    while (next !== NONE && live.usePosition[next] < wishPosition[wish]) {
      lastUse = next;
      next = live.useNext[next];
    }
    if (next !== NONE && live.usePosition[next] === wishPosition[wish]) {
      if (wishEnd[wish] > live.useEnd[next]) live.useEnd[next] = wishEnd[wish];
      continue;
    }
    const use = live.newUse(wishPosition[wish], wishEnd[wish], next);
    if (lastUse === NONE) firstUse[value] = use;
    else live.useNext[lastUse] = use;
    lastUse = use;
  }
}
