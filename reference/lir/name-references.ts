// Adds safepoints as operands: every call gets a KEEPALIVE for each reference that lives across it.
// So any allocator records its location, and no later stage has a rule for references.
//
// References are the results of patchpoints of such a kind, and Phis all of whose inputs are
// references. The halves of a reference (halves.ts), and values selected or computed from it, are
// no references.
//
// Input:  LIR whose patchpoints have marked their results.
// Output: Phis marked; operands inserted after all others of a call, which is never a guard.

import { FIRST_VREG, type VirtualRegister } from "./indices.js";
import {
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  packOperand,
  roleOf,
  vregOf,
} from "./lir.js";

export function nameReferences(lir: Lir, rows: readonly LirFacts[]): void {
  if (lir.referenceCount === 0) return;
  markPhis(lir);
  if (!containsCall(lir, rows)) return;
  const numbers = new Int32Array(lir.vregCount);
  const vregs: VirtualRegister[] = [];
  for (let vreg = FIRST_VREG; vreg < lir.vregCount; vreg++) {
    if (lir.vregIsReference[vreg] === 1) numbers[vreg] = vregs.push(vreg) - 1;
    else numbers[vreg] = NONE;
  }
  const live = new LiveReferences(lir, numbers, vregs.length);
  insertUses(lir, rows, live, vregs);
}

const NONE = -1;

function containsCall(lir: Lir, rows: readonly LirFacts[]): boolean {
  for (let i = 0; i < lir.instructionCount; i++) if (rows[lir.opcode[i]].isCall) return true;
  return false;
}

/**
 * Marks Phis: assumes that all Phis of Int64 are references, and removes those with an input that
 * is none, until nothing changes. This includes Phis of loops.
 */
function markPhis(lir: Lir): void {
  const { phis, phiStart, phiInputs, phiInputStart, successors, successorStart } = lir;
  const isReference = lir.vregIsReference.slice(0, lir.vregCount);
  // A Phi's type is that of its inputs, so a Phi of another type has an input that is no reference.
  for (let k = 0; k < phiStart[lir.blockCount]; k++) isReference[phis[k]] = 1;
  for (let again = true; again; ) {
    again = false;
    for (let b = 0; b < lir.blockCount; b++) {
      const first = phiInputStart[b];
      for (let k = first; k < phiInputStart[b + 1]; k++) {
        const phi = phis[phiStart[successors[successorStart[b]]] + k - first];
        if (isReference[phi] === 0 || isReference[phiInputs[k]] === 1) continue;
        isReference[phi] = 0;
        again = true;
      }
    }
  }
  for (let k = 0; k < phiStart[lir.blockCount]; k++) {
    if (isReference[phis[k]] === 1) lir.markReference(phis[k]);
  }
}

/** The live references by block, as rows of bits, walked backward instruction by instruction. */
class LiveReferences {
  /** The references that are live at the current position. */
  readonly now: Uint32Array;
  private readonly lir: Lir;
  /** By virtual register: the number of a reference, or none. */
  private readonly numbers: Int32Array;
  private readonly words: number;
  private readonly liveIn: Uint32Array;

  constructor(lir: Lir, numbers: Int32Array, count: number) {
    this.lir = lir;
    this.numbers = numbers;
    this.words = (count + 31) >> 5;
    this.now = new Uint32Array(this.words);
    this.liveIn = new Uint32Array(this.words * lir.blockCount);
    for (let again = true; again; ) {
      again = false;
      for (let b = lir.blockCount - 1; b >= 0; b--) if (this.passBlock(b)) again = true;
    }
  }

  /** Moves to the end of block b. */
  enter(b: number): void {
    const { lir, now, liveIn, words } = this;
    now.fill(0);
    for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
      const row = lir.successors[e] * words;
      for (let w = 0; w < words; w++) now[w] |= liveIn[row + w];
    }
    for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++)
      this.use(lir.phiInputs[k]);
  }

  /**
   * Moves to the position before the definitions of instruction i: its definitions are not live
   * there.
   */
  define(i: number): void {
    const { operand, operandStart } = this.lir;
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      if (roleOf(operand[o]) === OperandRole.Definition) this.kill(vregOf(operand[o]));
    }
  }

  /** Moves to the position before instruction i. */
  read(i: number): void {
    const { operand, operandStart } = this.lir;
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      if (roleOf(operand[o]) <= OperandRole.Use) this.use(vregOf(operand[o]));
    }
  }

  private passBlock(b: number): boolean {
    const { lir, now, liveIn, words } = this;
    this.enter(b);
    for (let i = lir.blockStart[b + 1] - 1; i >= lir.blockStart[b]; i--) {
      this.define(i);
      this.read(i);
    }
    for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) this.kill(lir.phis[k]);
    let changed = false;
    for (let w = 0; w < words; w++) {
      if (liveIn[b * words + w] === now[w]) continue;
      liveIn[b * words + w] = now[w];
      changed = true;
    }
    return changed;
  }

  private use(vreg: number): void {
    const n = this.numbers[vreg];
    if (n !== NONE) this.now[n >> 5] |= 1 << n;
  }

  private kill(vreg: number): void {
    const n = this.numbers[vreg];
    if (n !== NONE) this.now[n >> 5] &= ~(1 << n);
  }
}

/** Inserts the uses, from the last instruction backward, so that each operand is moved once. */
function insertUses(
  lir: Lir,
  rows: readonly LirFacts[],
  live: LiveReferences,
  vregs: readonly VirtualRegister[],
): void {
  const added = addedUses(lir, rows, live, vregs);
  if (added.words.length === 0) return;
  const oldCount = lir.operandCount;
  for (let n = 0; n < added.words.length; n++) lir.addOperand(0); // makes room
  const { operand, operandStart } = lir;
  let at = lir.operandCount;
  let end = oldCount;
  let n = 0;
  for (let i = lir.instructionCount - 1; at > end; i--) {
    operandStart[i + 1] = at;
    for (; n < added.words.length && added.instructions[n] === i; n++) {
      operand[--at] = added.words[n];
    }
    const start = operandStart[i];
    shiftGuard(lir, i, at - end);
    at -= end - start;
    operand.copyWithin(at, start, end);
    end = start;
  }
}

interface AddedUses {
  /**
   * From the last instruction to the first; for one instruction, by descending virtual register.
   */
  readonly words: number[];
  readonly instructions: number[];
}

function addedUses(
  lir: Lir,
  rows: readonly LirFacts[],
  live: LiveReferences,
  vregs: readonly VirtualRegister[],
): AddedUses {
  const words: number[] = [];
  const instructions: number[] = [];
  for (let b = lir.blockCount - 1; b >= 0; b--) {
    live.enter(b);
    for (let i = lir.blockStart[b + 1] - 1; i >= lir.blockStart[b]; i--) {
      live.define(i);
      for (let n = vregs.length - 1; n >= 0 && rows[lir.opcode[i]].isCall; n--) {
        if (((live.now[n >> 5] >>> (n & 31)) & 1) === 0) continue;
        words.push(packOperand(vregs[n], OperandRole.Use, OperandPolicy.KeepAlive));
        instructions.push(i);
      }
      live.read(i);
    }
  }
  return { words, instructions };
}

/** Updates the guard of instruction i: its KEEPALIVEs have moved by `shift` operands. */
function shiftGuard(lir: Lir, i: number, shift: number): void {
  const g = lir.guard[i];
  if (g < 0) return;
  const guard = lir.guards[g];
  const operands = guard.operands.map((o) => (o < 0 ? o : o + shift));
  lir.guards[g] = { ...guard, operands };
}

/** Returns whether the instruction is a call across which references live. */
export function isSafepoint(lir: Lir, rows: readonly LirFacts[], i: number): boolean {
  if (lir.referenceCount === 0 || !rows[lir.opcode[i]].isCall) return false;
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    if (namesReference(lir, o)) return true;
  }
  return false;
}

/** Returns whether an operand of a call names the location of a reference. */
export const namesReference = (lir: Lir, o: number): boolean =>
  roleOf(lir.operand[o]) === OperandRole.Use && lir.vregIsReference[vregOf(lir.operand[o])] === 1;
