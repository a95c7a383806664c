// Mutates correct allocations: the faults that allocators could make, one kind a row. The checker
// must reject each one that changes a run; judge-mutation.ts tests that.

import { Double, Float, Int32, Int64 } from "../../../src/ir/types.js";
import type { ChoiceSource } from "../../../src/support/source.js";
import type { IndexArray, Instruction, Location } from "../../lir/indices.js";
import {
  fixedOf,
  isRemat,
  isVector,
  type Lir,
  type LirFacts,
  locationOfWord,
  OperandPolicy,
  OperandRole,
  packOperand,
  policyOf,
  REMAT,
  type RegisterSet,
  roleOf,
  SLOT,
  vregOf,
} from "../../lir/lir.js";
import { namesReference } from "../../lir/name-references.js";
import {
  type Allocation,
  derivationBy,
  derivingInstruction,
  MOVE_STRIDE,
  NO_DERIVATION,
  sourceType,
} from "../allocation.js";
import type { AllocateFunction } from "../allocator.js";

export interface AllocatedProcedure {
  readonly lir: Lir;
  readonly rows: readonly LirFacts[];
  readonly registers: RegisterSet;
  readonly allocation: Allocation;
  readonly allocate: AllocateFunction;
}

/**
 * Changes the allocation; returns false if there is nothing to change. In `lir` only operands and
 * the fields that refer to them change: `operand`, `location`, `operandStart`, `operandCount`,
 * `guards`.
 */
type AllocationMutator = (subject: AllocatedProcedure, source: ChoiceSource) => boolean;

// biome-ignore format: a table
export const MUTATIONS = {
  "swap two registers of an instruction": swapOperands,
  "swap two registers from an instruction on": swapRegisters,
  "another location for an operand":      moveOperand,
  "wrong snapshot location":              moveKept,
  "wrong safepoint location":             moveReference,
  "two stack arguments swapped":          swapArguments,
  "reference missing at a safepoint":     dropReference,
  "wrong piece":                          swapKept,
  "drop a move":                          dropMove,
  "reorder moves":                        reorderMoves,
  "another target or source for a move":  redirectMove,
  "a move of another width":              resizeMove,
  "another instruction to rematerialize": remakeMove,
  "another instruction to derive by":     rederive,
  "another source of a derivation":       deriveFromElsewhere,
  "a derivation that only copies":        forgetDerivation,
  "wrong Phi edge move":                  corruptPhiMove,
  "overlap two slots":                    overlapSlots,
  "forget what calls destroy":            forgetCalls,
  "forget a clobber":                     forgetClobber,
} as const satisfies Record<string, AllocationMutator>;
export type MutationName = keyof typeof MUTATIONS;
export const MUTATION_NAMES = Object.keys(MUTATIONS) as MutationName[]; // keys of a literal

function swapOperands({ lir }: AllocatedProcedure, source: ChoiceSource): boolean {
  const o = source.below(lir.operandCount);
  const other = o + 1;
  if (other >= lir.operandCount || lir.location[o] === lir.location[other]) return false;
  [lir.location[o], lir.location[other]] = [lir.location[other], lir.location[o]];
  return true;
}

// Simulates one decision that is recorded wrongly for a part of the block.
function swapRegisters(
  { lir, registers, allocation }: AllocatedProcedure,
  source: ChoiceSource,
): boolean {
  const bank = source.below(2) === 0 ? registers.general : registers.vector;
  const [x, y] = [bank[source.below(bank.length)], bank[source.below(bank.length)]];
  if (x === y) return false;
  const from = source.below(lir.instructionCount);
  const to = Math.min(lir.instructionCount, from + 1 + source.below(6));
  const swapped = (location: number) =>
    locationOfWord(location === x ? y : location === y ? x : location);
  let changed = false;
  const swap = (locations: Int32Array | IndexArray<Location>, at: number): void => {
    const location = swapped(locations[at]);
    changed ||= location !== locations[at];
    locations[at] = location;
  };
  for (let o = lir.operandStart[from]; o < lir.operandStart[to]; o++) swap(lir.location, o);
  const { moves, moveCount } = allocation;
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    const gap = moves[w] >> 2;
    if (gap <= from || gap >= to) continue;
    swap(moves, w + 1);
    swap(moves, w + 2);
  }
  return changed;
}

function moveOperand(subject: AllocatedProcedure, source: ChoiceSource): boolean {
  return relocate(subject, source.below(subject.lir.operandCount), source);
}

function moveKept(subject: AllocatedProcedure, source: ChoiceSource): boolean {
  const kept = keptOperands(subject.lir);
  return kept.length > 0 && relocate(subject, kept[source.below(kept.length)], source);
}

function moveReference(subject: AllocatedProcedure, source: ChoiceSource): boolean {
  const told = referenceOperands(subject);
  return told.length > 0 && relocate(subject, told[source.below(told.length)], source);
}

/** Simulates an allocator that takes the caller's slots of two stack arguments for each other. */
function swapArguments({ lir, allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const slots: number[] = [];
  for (let o = 0; o < lir.operandStart[1]; o++) {
    const unit = lir.vregArgumentUnit[vregOf(lir.operand[o])];
    if (unit >= 0) slots.push(SLOT + unit);
  }
  if (slots.length < 2) return false;
  const [x, y] = [slots[source.below(slots.length)], slots[source.below(slots.length)]];
  if (x === y) return false;
  swapLocations(lir.location, 0, lir.operandCount, 1, x, y);
  const { moves, moveCount } = allocation;
  for (const side of [1, 2]) swapLocations(moves, side, moveCount * MOVE_STRIDE, MOVE_STRIDE, x, y);
  return true;
}

function swapLocations(
  locations: Int32Array | IndexArray<Location>,
  from: number,
  end: number,
  step: number,
  x: number,
  y: number,
): void {
  for (let at = from; at < end; at += step) {
    if (locations[at] === x) locations[at] = locationOfWord(y);
    else if (locations[at] === y) locations[at] = locationOfWord(x);
  }
}

/** Simulates a reference that does not live across the call. */
function dropReference(subject: AllocatedProcedure, source: ChoiceSource): boolean {
  const told = referenceOperands(subject);
  if (told.length === 0) return false;
  const { lir } = subject;
  const o = told[source.below(told.length)];
  lir.operand.copyWithin(o, o + 1, lir.operandCount);
  lir.location.copyWithin(o, o + 1, lir.operandCount);
  lir.operandCount--;
  for (let i = 0; i <= lir.instructionCount; i++)
    if (lir.operandStart[i] > o) lir.operandStart[i]--;
  lir.guards = lir.guards.map((guard) => {
    const operands = guard.operands.map((kept) => (kept > o ? kept - 1 : kept));
    return { ...guard, operands };
  });
  return true;
}

/** Swaps the two halves of a value; if there is none, swaps two values of one snapshot. */
function swapKept({ lir }: AllocatedProcedure, source: ChoiceSource): boolean {
  const kept = keptOperands(lir);
  const neighbours = kept.filter((o, k) => kept[k + 1] === o + 1);
  const halves = neighbours.filter((o) => {
    const low = vregOf(lir.operand[o]);
    const isNext = vregOf(lir.operand[o + 1]) === low + 1;
    return isNext && lir.vregType[low] === Int32 && lir.vregType[low + 1] === Int32;
  });
  const pairs = halves.length > 0 ? halves : neighbours;
  if (pairs.length === 0) return false;
  const o = pairs[source.below(pairs.length)];
  if (lir.location[o] === lir.location[o + 1]) return false;
  [lir.location[o], lir.location[o + 1]] = [lir.location[o + 1], lir.location[o]];
  return true;
}

function dropMove({ allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  if (allocation.moveCount === 0) return false;
  const at = pickMove(allocation, source);
  allocation.moves.copyWithin(at, at + MOVE_STRIDE, allocation.moveCount * MOVE_STRIDE);
  allocation.moveCount--;
  return true;
}

/** Puts a move into another group of its gap, so that it comes before or after others. */
function reorderMoves({ allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const { moves, moveCount } = allocation;
  const company: number[] = [];
  for (let w = 0; w < (moveCount - 1) * MOVE_STRIDE; w += MOVE_STRIDE) {
    if (moves[w] >> 2 === moves[w + MOVE_STRIDE] >> 2) company.push(w, w + MOVE_STRIDE);
  }
  if (company.length === 0) return false;
  const at = company[source.below(company.length)];
  const order = ((moves[at] & 3) + 1 + source.below(2)) % 3;
  moves[at] = (moves[at] & ~3) | order;
  sortMoves(allocation);
  return true;
}

function redirectMove(
  { allocation, registers }: AllocatedProcedure,
  source: ChoiceSource,
): boolean {
  if (allocation.moveCount === 0) return false;
  const side = pickMove(allocation, source) + 1 + source.below(2);
  return redirect(allocation, registers, side, source);
}

function resizeMove({ allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  if (allocation.moveCount === 0) return false;
  const at = pickMove(allocation, source) + 3;
  allocation.moves[at] = [0, Int64, Int32, Double, Float][allocation.moves[at]];
  return true;
}

/** Rematerializes a value by another instruction than the one that defines it. */
function remakeMove({ lir, rows, allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const { moves, moveCount } = allocation;
  const remats: number[] = [];
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    if (isRemat(moves[w + 1])) remats.push(w + 1);
  }
  if (remats.length === 0) return false;
  const at = remats[source.below(remats.length)];
  const before = moves[at];
  let i = source.below(lir.instructionCount);
  // Usually an instruction that can be rematerialized, too.
  for (let k = 0; k < lir.instructionCount && source.below(8) > 0; k++) {
    if (rows[lir.opcode[i]].rematerializable && REMAT + i !== before) break;
    i = (i + 1) % lir.instructionCount;
  }
  moves[at] = REMAT + i;
  return moves[at] !== before;
}

/** Derives a value by another instruction than the one that defines it. */
function rederive({ lir, rows, allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const { moves } = allocation;
  const at = pickDerivation(allocation, source) + 4;
  if (at < 4) return false;
  const before = moves[at];
  const own = derivingInstruction(before);
  let i = source.below(lir.instructionCount);
  // Usually an instruction that can be derived, too.
  for (let k = 0; k < lir.instructionCount && source.below(8) > 0; k++) {
    if (rows[lir.opcode[i]].derivable && i !== own) break;
    i = (i + 1) % lir.instructionCount;
  }
  // The cast holds because the number is below the number of instructions.
  moves[at] = derivationBy(i as Instruction, sourceType(0, before));
  return i !== own;
}

function deriveFromElsewhere(
  { allocation, registers }: AllocatedProcedure,
  source: ChoiceSource,
): boolean {
  const at = pickDerivation(allocation, source);
  return at >= 0 && redirect(allocation, registers, at + 1, source);
}

function forgetDerivation({ allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const at = pickDerivation(allocation, source);
  if (at < 0) return false;
  allocation.moves[at + 4] = NO_DERIVATION;
  return true;
}

/** Drops a move before the jump to a block with Phis, or changes its source or target. */
function corruptPhiMove(
  { lir, allocation, registers }: AllocatedProcedure,
  source: ChoiceSource,
): boolean {
  const { moves, moveCount } = allocation;
  const isEdge = new Uint8Array(lir.instructionCount + 1);
  for (let b = 0; b < lir.blockCount; b++) {
    if (lir.phiInputStart[b + 1] > lir.phiInputStart[b]) isEdge[lir.blockStart[b + 1] - 1] = 1;
  }
  const edges: number[] = [];
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    if (isEdge[moves[w] >> 2] === 1) edges.push(w);
  }
  if (edges.length === 0) return false;
  const at = edges[source.below(edges.length)];
  if (source.below(3) > 0) return redirect(allocation, registers, at + 1 + source.below(2), source);
  moves.copyWithin(at, at + MOVE_STRIDE, moveCount * MOVE_STRIDE);
  allocation.moveCount--;
  return true;
}

function overlapSlots({ lir, allocation }: AllocatedProcedure, source: ChoiceSource): boolean {
  const units = allocation.spillUnits;
  if (units < 2) return false;
  const [from, to] = [SLOT + source.below(units), SLOT + source.below(units)];
  if (from === to) return false;
  let isUsed = false;
  for (let o = 0; o < lir.operandCount; o++) {
    if (lir.location[o] !== from) continue;
    lir.location[o] = locationOfWord(to);
    isUsed = true;
  }
  const { moves, moveCount } = allocation;
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    for (const side of [w + 1, w + 2]) {
      if (moves[side] !== from) continue;
      moves[side] = to;
      isUsed = true;
    }
  }
  return isUsed;
}

function forgetCalls({ lir, rows, registers, allocation, allocate }: AllocatedProcedure): boolean {
  const forgetful = rows.map((row) => ({ ...row, isCall: false }));
  allocate(lir, forgetful, registers, allocation);
  for (let i = 0; i < lir.instructionCount; i++) if (rows[lir.opcode[i]].isCall) return true;
  return false;
}

/** Removes a temp in a fixed register, so that a value may be kept there. */
function forgetClobber(subject: AllocatedProcedure, source: ChoiceSource): boolean {
  const { lir, rows, registers, allocation, allocate } = subject;
  const temps: number[] = [];
  for (let o = 0; o < lir.operandCount; o++) {
    const word = lir.operand[o];
    if (roleOf(word) === OperandRole.Temp && policyOf(word) === OperandPolicy.Fixed) temps.push(o);
  }
  if (temps.length === 0) return false;
  const o = temps[source.below(temps.length)];
  const word = lir.operand[o];
  // No value lives in a scratch register.
  const scratch = isVector(fixedOf(word)) ? registers.vectorScratch : registers.generalScratch;
  lir.operand[o] = packOperand(vregOf(word), OperandRole.Temp, OperandPolicy.Fixed, scratch);
  allocate(lir, rows, registers, allocation);
  lir.operand[o] = word;
  lir.location[o] = fixedOf(word);
  return true;
}

// --- parts ---

function keptOperands(lir: Lir): number[] {
  const kept: number[] = [];
  for (let o = 0; o < lir.operandCount; o++) {
    if (policyOf(lir.operand[o]) === OperandPolicy.KeepAlive) kept.push(o);
  }
  // Exits show late operands of patchpoints, too.
  for (const { operands } of lir.guards) {
    for (const o of operands) {
      if (o >= 0 && policyOf(lir.operand[o]) !== OperandPolicy.KeepAlive) kept.push(o);
    }
  }
  return kept;
}

/** Returns the operands that name references to calls. */
function referenceOperands({ lir, rows }: AllocatedProcedure): number[] {
  const told: number[] = [];
  for (let i = 0; i < lir.instructionCount; i++) {
    if (!rows[lir.opcode[i]].isCall) continue;
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (namesReference(lir, o)) told.push(o);
    }
  }
  return told;
}

/** Returns the first word of a move with a derivation, or a negative number. */
function pickDerivation({ moves, moveCount }: Allocation, source: ChoiceSource): number {
  const derived: number[] = [];
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    if (moves[w + 4] !== NO_DERIVATION) derived.push(w);
  }
  return derived.length === 0 ? -MOVE_STRIDE : derived[source.below(derived.length)];
}

const pickMove = ({ moveCount }: Allocation, source: ChoiceSource): number =>
  source.below(moveCount) * MOVE_STRIDE;

function relocate(
  { lir, registers, allocation }: AllocatedProcedure,
  o: number,
  source: ChoiceSource,
): boolean {
  const before = lir.location[o];
  lir.location[o] = locationOfWord(pickLocation(registers, allocation, source, before));
  return lir.location[o] !== before;
}

function redirect(
  allocation: Allocation,
  registers: RegisterSet,
  side: number,
  source: ChoiceSource,
): boolean {
  const before = allocation.moves[side];
  allocation.moves[side] = pickLocation(registers, allocation, source, before);
  return allocation.moves[side] !== before;
}

function pickLocation(
  { general, vector }: RegisterSet,
  { spillUnits }: Allocation,
  source: ChoiceSource,
  like: number,
): number {
  if (spillUnits > 0 && source.below(3) === 0) return SLOT + source.below(spillUnits);
  const bank = isVector(like) ? vector : general;
  return bank[source.below(bank.length)];
}

function sortMoves({ moves, moveCount }: Allocation): void {
  const rows: number[][] = [];
  for (let w = 0; w < moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    rows.push([...moves.subarray(w, w + MOVE_STRIDE)]);
  }
  rows.sort((x, y) => x[0] - y[0]);
  moves.set(rows.flat());
}
