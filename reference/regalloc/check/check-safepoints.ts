// Checks the safepoints of an allocation: every call must name each reference that lives across it.
// check.ts checks, as for any late use, that its location is right and that the call preserves it.
// This file only checks that the reference is named. It derives liveness from uses, one reference
// at a time, and shares nothing with the code that added the operands.

import { type Lir, type LirFacts, OperandRole, roleOf, vregOf } from "../../lir/lir.js";

/** Adds a fault for each reference that lives across a call which does not name it. */
export function checkSafepoints(lir: Lir, rows: readonly LirFacts[], faults: string[]): void {
  if (lir.referenceCount === 0) return;
  const calls: number[] = [];
  for (let i = 0; i < lir.instructionCount; i++) if (rows[lir.opcode[i]].isCall) calls.push(i);
  if (calls.length === 0) return;
  const checker = new SafepointChecker(lir, calls, faults);
  for (let vreg = 0; vreg < lir.vregCount; vreg++) {
    if (lir.vregIsReference[vreg] === 1) checker.check(vreg);
  }
}

const NONE = -1;

class SafepointChecker {
  private readonly lir: Lir;
  /** Instructions, ascending. */
  private readonly calls: readonly number[];
  private readonly faults: string[];
  private readonly blockOf: Int32Array;
  private readonly predecessors: number[][] = [];
  /** By block, for the current reference: 1 if it lives at the end of the block. */
  private readonly isLiveOut: Uint8Array;
  /** By block: the last instruction that reads it; or NONE. */
  private readonly lastUse: Int32Array;
  private readonly waiting: number[] = [];

  constructor(lir: Lir, calls: readonly number[], faults: string[]) {
    this.lir = lir;
    this.calls = calls;
    this.faults = faults;
    this.blockOf = new Int32Array(lir.instructionCount);
    this.isLiveOut = new Uint8Array(lir.blockCount);
    this.lastUse = new Int32Array(lir.blockCount);
    for (let b = 0; b < lir.blockCount; b++) this.predecessors.push([]);
    for (let b = 0; b < lir.blockCount; b++) {
      this.blockOf.fill(b, lir.blockStart[b], lir.blockStart[b + 1]);
      for (let e = lir.successorStart[b]; e < lir.successorStart[b + 1]; e++) {
        this.predecessors[lir.successors[e]].push(b);
      }
    }
  }

  check(vreg: number): void {
    const { lir, isLiveOut, lastUse, waiting, blockOf } = this;
    isLiveOut.fill(0);
    lastUse.fill(NONE);
    let [definingBlock, definedAt] = [NONE, NONE];
    for (let b = 0; b < lir.blockCount; b++) {
      for (let k = lir.phiStart[b]; k < lir.phiStart[b + 1]; k++) {
        if (lir.phis[k] === vreg) definingBlock = b;
      }
      // The input of a Phi is read after the last instruction.
      for (let k = lir.phiInputStart[b]; k < lir.phiInputStart[b + 1]; k++) {
        if (lir.phiInputs[k] === vreg) isLiveOut[b] = 1;
      }
      if (isLiveOut[b] === 1) waiting.push(b);
      for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
        for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
          if (vregOf(lir.operand[o]) !== vreg) continue;
          if (roleOf(lir.operand[o]) <= OperandRole.Use) lastUse[b] = i;
          else [definingBlock, definedAt] = [b, i];
        }
      }
      if (isLiveOut[b] === 0 && lastUse[b] !== NONE) waiting.push(b);
    }
    for (let b = waiting.pop(); b !== undefined; b = waiting.pop()) {
      if (b === definingBlock) continue;
      for (const before of this.predecessors[b]) {
        if (isLiveOut[before] === 1) continue;
        isLiveOut[before] = 1;
        waiting.push(before);
      }
    }
    for (const i of this.calls) {
      const b = blockOf[i];
      const isDefined = b !== definingBlock || definedAt < i;
      if (!isDefined || !(isLiveOut[b] === 1 || lastUse[b] > i)) continue;
      if (!this.isNamed(i, vreg)) {
        this.faults.push(
          `instruction ${i}: v${vreg}, a reference, lives across it, and is not named`,
        );
      }
    }
  }

  private isNamed(i: number, vreg: number): boolean {
    const { operand, operandStart } = this.lir;
    for (let o = operandStart[i]; o < operandStart[i + 1]; o++) {
      if (vregOf(operand[o]) === vreg && roleOf(operand[o]) === OperandRole.Use) return true;
    }
    return false;
  }
}
