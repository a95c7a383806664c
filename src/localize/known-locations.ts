// Tracks which values the LIR has put into registers and spill slots, with their significant width. A location is a
// `place` of `LirProcedure.places`: the index of a register's word or, if negative, an offset from the frame pointer.
// A location is unknown if no instruction has defined it, or if one may have destroyed it.

import type { LirProcedure } from "../../reference/lir/interpret/lir-procedure.js";
import {
  isRemat,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  REMAT,
  roleOf,
  typeOfWord,
  vregOf,
} from "../../reference/lir/lir.js";
import { isWide, type Type } from "../ir/types.js";

/** The value that a register or frame location contains. */
export interface LocationContents {
  readonly type: Type;
  /** Id of the value of the program; -1 if it is none, or a half of one. */
  readonly value: number;
  /** True if bits above 32 are zero, which later code may rely on. */
  readonly isExtended: boolean;
}

export const NO_VALUE = -1;

export class KnownLocations {
  readonly held = new Map<number, LocationContents>();

  set(place: number, type: Type, value = NO_VALUE, isExtended = false): void {
    this.forget(place);
    if (place < 0 && isWide(type)) this.forget(place + 4);
    this.held.set(place, { type, value, isExtended });
  }

  /** Removes a location, and any location that overlaps it in the frame. */
  forget(place: number): void {
    this.held.delete(place);
    if (place >= 0) return;
    const below = this.held.get(place - 4);
    if (below !== undefined && isWide(below.type)) this.held.delete(place - 4);
  }

  /** Records the moves before instruction `i`. */
  move({ firstGroup, groupStart, from, to, type, lir }: LirProcedure, i: number): void {
    for (let g = firstGroup[i]; g < firstGroup[i + 1]; g++) {
      const read: (LocationContents | undefined)[] = [];
      for (let m = groupStart[g]; m < groupStart[g + 1]; m++) {
        read.push(isRemat(from[m]) ? definedBy(lir, from[m] - REMAT) : this.held.get(from[m]));
      }
      for (let m = groupStart[g]; m < groupStart[g + 1]; m++) {
        if (from[m] === to[m]) continue;
        const held = read[m - groupStart[g]];
        if (held === undefined) this.forget(to[m]);
        // A 32-bit move clears the upper bits of its target.
        else {
          const moved = typeOfWord(type[m]);
          this.set(to[m], narrower(held.type, moved), held.value, !isWide(moved));
        }
      }
    }
  }

  /**
   * Removes the locations that instruction `i` destroys: its temps and, for a call, the
   * caller-saved registers.
   */
  destroy({ lir, places }: LirProcedure, i: number, byCall: readonly number[]): void {
    for (const place of byCall) this.forget(place);
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) === OperandRole.Temp) this.forget(places[o]);
    }
  }

  /** Removes the definitions of instruction `i`, which exited before it wrote them. */
  forgetDefined({ lir, places }: LirProcedure, i: number): void {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (roleOf(lir.operand[o]) === OperandRole.Definition) this.forget(places[o]);
    }
  }

  /**
   * Records the definitions of instruction `i` that are read later; `isExtended` if its row clears the bits above 32.
   */
  define({ lir, places }: LirProcedure, isRead: Uint8Array, i: number, isExtended: boolean): void {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition || lir.location[o] === NOWHERE) continue;
      const vreg = vregOf(word);
      if (policyOf(word) === OperandPolicy.Redefined) continue; // unchanged
      this.forget(places[o]);
      if (isRead[vreg] === 0) continue;
      this.set(places[o], lir.typeOf(vreg), lir.vregValue[vreg], isExtended);
    }
  }
}

const narrower = (x: Type, y: Type): Type => (isWide(x) && !isWide(y) ? y : x);

function definedBy(lir: LirProcedure["lir"], i: number): LocationContents {
  const vreg = vregOf(lir.operand[lir.operandStart[i]]);
  return { type: lir.typeOf(vreg), value: lir.vregValue[vreg], isExtended: false };
}

/** Returns by virtual register 1 if an operand reads it, or another register with the same root. */
export function readRegisters({ lir }: LirProcedure): Uint8Array {
  const isRead = new Uint8Array(lir.vregCount);
  const read = (vreg: number): void => {
    isRead[vreg] = 1;
    isRead[lir.vregRoot[vreg]] = 1;
  };
  for (let o = 0; o < lir.operandCount; o++) {
    if (roleOf(lir.operand[o]) <= OperandRole.Use) read(vregOf(lir.operand[o]));
  }
  for (let p = 0; p < lir.phiInputs.length; p++) read(lir.phiInputs[p]);
  return isRead;
}
