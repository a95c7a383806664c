// Makes allocation difficult: fewer registers, instructions that destroy registers they do not use,
// values that must be in a register or in memory although they could be anywhere, another order of
// preference. It rewrites the LIR and the set of registers between lowering and allocation, so no
// allocator has a rule for it. The result is ordinary LIR: each instruction fits the remaining
// registers.
//
// 1. After each change every instruction has room (Room) in both banks. If the plan has fewer
//    registers than the widest instruction needs, that instruction's need decides.
// 2. Operands keep their order: definitions, uses, temps, KEEPALIVEs.
// 3. A terminator of a block with one successor gets no operands, nor does the entry.

import { Double, Int64, isFloating } from "../../src/ir/types.js";
import { type ChoiceSource, SeedSource } from "../../src/support/source.js";
import type { PhysicalRegister } from "../lir/indices.js";
import {
  fixedOf,
  type Lir,
  type LirFacts,
  OperandPolicy,
  OperandRole,
  packOperand,
  policyOf,
  type RegisterSet,
  roleOf,
  VECTOR,
  vregOf,
} from "../lir/lir.js";
import { bitOf, destroyedMask, maskOf, RegisterDemand } from "./room.js";

export interface PressureSettings {
  /**
   * How many registers of each bank may be allocated, unless an instruction needs more; null: all.
   */
  readonly registers: number | null;
  /** One instruction in this many destroys registers that it does not use; 0: none. */
  readonly ghosts: number;
  /** One in this many uses that accept any location must be in a register or in memory; 0: none. */
  readonly places: number;
  /** Whether the remaining registers and their order of preference are drawn. */
  readonly reorders: boolean;
  /** The seed of all draws. */
  readonly seed: bigint;
}

/** Returns a plan with only that many registers of each bank, and no other pressure. */
export const fewRegisters = (registers: number): PressureSettings => ({
  registers,
  ghosts: 0,
  places: 0,
  reorders: false,
  seed: 0n,
});

/**
 * Changes the LIR of one procedure, before allocation.
 *
 * @param rows facts by LIR opcode
 * @param name the procedure's name: each procedure has draws of its own
 * @returns the registers that may be used
 */
export function applyPressure(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  plan: PressureSettings,
  name: string,
): RegisterSet {
  const source = new SeedSource(plan.seed, `pressure ${name}`);
  const general = restrict(lir, rows, registers, 0, plan, source);
  const vector = restrict(lir, rows, registers, VECTOR, plan, source);
  const left: RegisterSet = { ...registers, general, vector };
  // First: addGhosts finds KEEPALIVEs by their policy, which restrictPolicies may change.
  if (plan.ghosts > 0) addGhosts(lir, rows, left, plan.ghosts, source);
  if (plan.places > 0) restrictPolicies(lir, rows, left, plan.places, source);
  return left;
}

/** Returns the remaining registers of one bank. */
function restrict(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  first: number,
  plan: PressureSettings,
  source: ChoiceSource,
): PhysicalRegister[] {
  const bank = [...(first === VECTOR ? registers.vector : registers.general)];
  for (let k = bank.length - 1; plan.reorders && k > 0; k--) {
    const other = source.below(k + 1);
    [bank[k], bank[other]] = [bank[other], bank[k]];
  }
  let count = Math.min(plan.registers ?? bank.length, bank.length);
  const destroyed = destroyedMask(registers.callerSaved, first);
  const room = new RegisterDemand();
  for (let i = 0; i < lir.instructionCount; i++) {
    const isCall = rows[lir.opcode[i]].isCall;
    for (; count < bank.length; count++) {
      room.open(maskOf(bank.slice(0, count)), isCall ? destroyed : 0);
      demandOperands(lir, i, first, room);
      if (room.fits()) break;
    }
  }
  return bank.slice(0, count);
}

/** Adds to `room` the demands of instruction `i` on the bank that starts at `first`. */
function demandOperands(lir: Lir, i: number, first: number, room: RegisterDemand): void {
  let reused = 0; // pending inputs of definitions that reuse one; they are the first uses
  for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
    const word = lir.operand[o];
    const role = roleOf(word);
    const policy = policyOf(word);
    const isReused = role <= OperandRole.Use && reused-- > 0;
    if (policy === OperandPolicy.MustReuseInput) reused++;
    const type = lir.typeOf(vregOf(word));
    if (isFloating(type) !== (first === VECTOR)) continue;
    if (policy === OperandPolicy.Fixed) {
      const bit = bitOf(fixedOf(word));
      if (role !== OperandRole.Definition) room.fixedInput |= bit;
      if (role !== OperandRole.UseAtStart || isReused) room.fixedOutput |= bit;
    } else if (policy === OperandPolicy.MustReuseInput) room.whole++;
    else if (policy === OperandPolicy.Copy && role === OperandRole.Temp)
      room.whole++; // the use is copied there
    else if (policy === OperandPolicy.Register && !isReused) {
      if (role === OperandRole.UseAtStart) room.input++;
      else if (role === OperandRole.Definition) room.output++;
      else room.whole++;
    }
  }
}

/** The rooms of both banks, opened for one instruction at a time. */
class RegisterDemands {
  readonly general = new RegisterDemand();
  readonly vector = new RegisterDemand();
  private readonly lir: Lir;
  private readonly rows: readonly LirFacts[];
  private readonly masks: readonly [general: number, vector: number];
  private readonly destroyed: readonly [general: number, vector: number];

  constructor(lir: Lir, rows: readonly LirFacts[], registers: RegisterSet) {
    this.lir = lir;
    this.rows = rows;
    this.masks = [maskOf(registers.general), maskOf(registers.vector)];
    const { callerSaved } = registers;
    this.destroyed = [destroyedMask(callerSaved, 0), destroyedMask(callerSaved, VECTOR)];
  }

  open(i: number): void {
    const { lir, masks, destroyed } = this;
    const isCall = this.rows[lir.opcode[i]].isCall;
    this.general.open(masks[0], isCall ? destroyed[0] : 0);
    this.vector.open(masks[1], isCall ? destroyed[1] : 0);
    demandOperands(lir, i, 0, this.general);
    demandOperands(lir, i, VECTOR, this.vector);
  }
}

/** Changes some uses that accept any location: they must be in memory or in a register. */
function restrictPolicies(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  share: number,
  source: ChoiceSource,
): void {
  const rooms = new RegisterDemands(lir, rows, registers);
  for (let i = 0; i < lir.instructionCount; i++) {
    rooms.open(i);
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      const word = lir.operand[o];
      const policy = policyOf(word);
      if (policy !== OperandPolicy.Any && policy !== OperandPolicy.KeepAlive) continue;
      if (source.below(share) > 0) continue;
      const isInMemory = source.below(2) === 0;
      const role = roleOf(word);
      if (isInMemory) lir.operand[o] = packOperand(vregOf(word), role, OperandPolicy.Stack);
      else {
        const type = lir.typeOf(vregOf(word));
        const room = isFloating(type) ? rooms.vector : rooms.general;
        const half = role === OperandRole.UseAtStart ? "input" : "whole";
        room[half]++;
        if (room.fits()) lir.operand[o] = packOperand(vregOf(word), role, OperandPolicy.Register);
        else room[half]--;
      }
    }
  }
}

/**
 * How many registers an instruction destroys at most. One in FLOOD_ONE_IN of these instructions
 * destroys all that there is room for.
 */
const GHOSTS_MAX = 4;
const FLOOD_ONE_IN = 4;

/** Adds temps in fixed registers, which the instructions do not use. */
function addGhosts(
  lir: Lir,
  rows: readonly LirFacts[],
  registers: RegisterSet,
  share: number,
  source: ChoiceSource,
): void {
  const rooms = new RegisterDemands(lir, rows, registers);
  const words: number[] = [];
  /** By instruction: the start of its ghosts in `words`. */
  const start = new Int32Array(lir.instructionCount + 1);
  for (let b = 0; b < lir.blockCount; b++) {
    const end = lir.blockStart[b + 1];
    const isOneWay = lir.successorStart[b + 1] - lir.successorStart[b] === 1;
    for (let i = lir.blockStart[b]; i < end; i++) {
      start[i] = words.length;
      if (i === 0 || (isOneWay && i === end - 1) || source.below(share) > 0) continue;
      rooms.open(i);
      const isFlood = source.below(FLOOD_ONE_IN) === 0;
      const count = isFlood ? VECTOR : 1 + source.below(GHOSTS_MAX);
      const isGeneral = source.below(3) > 0;
      if (isGeneral || isFlood)
        drawGhosts(lir, registers.general, rooms.general, count, source, words);
      if (!isGeneral || isFlood)
        drawGhosts(lir, registers.vector, rooms.vector, count, source, words);
    }
  }
  start[lir.instructionCount] = words.length;
  if (words.length > 0) insertTemps(lir, start, words);
}

function drawGhosts(
  lir: Lir,
  bank: readonly PhysicalRegister[],
  room: RegisterDemand,
  count: number,
  source: ChoiceSource,
  words: number[],
): void {
  const from = source.below(bank.length);
  for (let k = 0; k < bank.length && k < count; k++) {
    const register = bank[(from + k) % bank.length];
    const bit = bitOf(register);
    if (((room.fixedInput | room.fixedOutput) & bit) !== 0) continue;
    room.fixedInput |= bit;
    room.fixedOutput |= bit;
    if (room.fits()) {
      const vreg = lir.newVreg(register < VECTOR ? Int64 : Double);
      words.push(packOperand(vreg, OperandRole.Temp, OperandPolicy.Fixed, register));
    } else {
      room.fixedInput &= ~bit;
      room.fixedOutput &= ~bit;
    }
  }
}

/**
 * Inserts words[start[i] .. start[i + 1]) into the operands of instruction i, before its
 * KEEPALIVEs.
 */
function insertTemps(lir: Lir, start: Int32Array, words: readonly number[]): void {
  const { instructionCount, operandCount } = lir;
  const old = lir.operand.slice(0, operandCount);
  const oldStart = lir.operandStart.slice(0, instructionCount + 1);
  for (let n = 0; n < words.length; n++) lir.addOperand(0); // makes room
  let at = 0;
  for (let i = 0; i < instructionCount; i++) {
    const end = oldStart[i + 1];
    let kept = oldStart[i];
    while (kept < end && policyOf(old[kept]) !== OperandPolicy.KeepAlive) kept++;
    lir.operandStart[i] = at;
    for (let o = oldStart[i]; o < kept; o++) lir.operand[at++] = old[o];
    for (let w = start[i]; w < start[i + 1]; w++) lir.operand[at++] = words[w];
    shiftGuard(lir, i, kept, at - kept, oldStart[i]);
    for (let o = kept; o < end; o++) lir.operand[at++] = old[o];
  }
  lir.operandStart[instructionCount] = at;
}

/**
 * Updates the guard of instruction i: its KEEPALIVEs, which were at `kept`, have moved by `shift`
 * operands, and those before moved with the first one, which was at `start`.
 */
function shiftGuard(lir: Lir, i: number, kept: number, shift: number, start: number): void {
  const g = lir.guard[i];
  if (g < 0) return;
  const guard = lir.guards[g];
  const before = lir.operandStart[i] - start;
  const operands = guard.operands.map((o) => (o < 0 ? o : o + (o < kept ? before : shift)));
  lir.guards[g] = { ...guard, operands };
}
