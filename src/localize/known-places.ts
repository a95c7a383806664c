// What a machine is known to hold, place by place, as the LIR says that it was put there: values in
// registers and spill slots, with the width that counts. A place is the word of a register or, below
// zero, an offset from the frame pointer, as in `LirProcedure.places`. What no instruction has defined,
// or an instruction may have destroyed, is not known.

import type { LirProcedure } from "../../reference/lir/interpret/lir-procedure.js";
import {
  isRemat,
  NOWHERE,
  Policy,
  policyOf,
  REMAT,
  Role,
  roleOf,
  typeOfWord,
  vregOf,
} from "../../reference/lir/lir.js";
import { isWide, type Type } from "../ir/types.js";

/** What a place holds. */
export interface Held {
  readonly type: Type;
  /** Id of the value of the program; -1 if it is none, or a half of one. */
  readonly value: number;
  /** Above 32 bits there are zeroes: later code may rely on that. */
  readonly isExtended: boolean;
}

export const NO_VALUE = -1;

export class KnownPlaces {
  readonly held: Map<number, Held>;

  constructor(held: ReadonlyMap<number, Held> = new Map()) {
    this.held = new Map(held);
  }

  set(place: number, type: Type, value = NO_VALUE, isExtended = false): void {
    this.forget(place);
    if (place < 0 && isWide(type)) this.forget(place + 4);
    this.held.set(place, { type, value, isExtended });
  }

  /** Also what overlaps it in the frame. */
  forget(place: number): void {
    this.held.delete(place);
    if (place >= 0) return;
    const below = this.held.get(place - 4);
    if (below !== undefined && isWide(below.type)) this.held.delete(place - 4);
  }

  /** The moves before instruction `i` are made. */
  move({ firstGroup, groupStart, from, to, type, lir }: LirProcedure, i: number): void {
    for (let g = firstGroup[i]; g < firstGroup[i + 1]; g++) {
      const read: (Held | undefined)[] = [];
      for (let m = groupStart[g]; m < groupStart[g + 1]; m++) {
        read.push(isRemat(from[m]) ? definedBy(lir, from[m] - REMAT) : this.held.get(from[m]));
      }
      for (let m = groupStart[g]; m < groupStart[g + 1]; m++) {
        if (from[m] === to[m]) continue;
        const held = read[m - groupStart[g]];
        if (held === undefined) this.forget(to[m]);
        // A move of 32 bits leaves zeroes above them.
        else {
          const moved = typeOfWord(type[m]);
          this.set(to[m], narrower(held.type, moved), held.value, !isWide(moved));
        }
      }
    }
  }

  /** Instruction `i` has read, and has destroyed what it may: its temps, at a call more. */
  destroy({ lir, places }: LirProcedure, i: number, byCall: readonly number[]): void {
    for (const place of byCall) this.forget(place);
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) === Role.Temp) this.forget(places[o]);
    }
  }

  /** Instruction `i` has left by an exit before it wrote its definitions. */
  forgetDefined({ lir, places }: LirProcedure, i: number): void {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) === Role.Definition) this.forget(places[o]);
    }
  }

  /** Instruction `i` has defined what is read later; `isExtended` if its row leaves zeroes above 32 bits. */
  define({ lir, places }: LirProcedure, isRead: Uint8Array, i: number, isExtended: boolean): void {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== Role.Definition || lir.location[o] === NOWHERE) continue;
      const vreg = vregOf(word);
      if (policyOf(word) === Policy.Redefined) continue; // as it was
      this.forget(places[o]);
      if (isRead[vreg] === 0) continue;
      this.set(places[o], lir.typeOf(vreg), lir.vregValue[vreg], isExtended);
    }
  }
}

const narrower = (x: Type, y: Type): Type => (isWide(x) && !isWide(y) ? y : x);

function definedBy(lir: LirProcedure["lir"], i: number): Held {
  const vreg = vregOf(lir.operand[lir.operandStart[i]]);
  return { type: lir.typeOf(vreg), value: lir.vregValue[vreg], isExtended: false };
}

/** By virtual register: 1 if it is read, under its own name or another. */
export function readRegisters({ lir }: LirProcedure): Uint8Array {
  const isRead = new Uint8Array(lir.vregCount);
  const read = (vreg: number): void => {
    isRead[vreg] = 1;
    isRead[lir.vregRoot[vreg]] = 1;
  };
  for (let o = 0; o < lir.operandCount; o++) {
    if (roleOf(lir.operand[o]) <= Role.Use) read(vregOf(lir.operand[o]));
  }
  for (let p = 0; p < lir.phiInputs.length; p++) read(lir.phiInputs[p]);
  return isRead;
}
