// Prepares a lowered procedure for the machine that interprets LIR: the location of each operand,
// the moves before each instruction, and the layout of the frame. It is a copy, because the arena
// that it comes from may be reused.
//
// Before allocation each virtual register has a cell of 64 bits in the frame. So exits find it like
// a spill slot, and the inputs of Phis move to the Phis' cells at the end of a block. After
// allocation operands have the allocator's locations, and its moves are executed.

import { ProcedureFrame } from "../../emit/frame.js";
import { Allocation, MOVE_STRIDE, NO_DERIVATION } from "../../regalloc/allocation.js";
import type { MoveList, MoveSequentializer } from "../../regalloc/parallel-moves.js";
import type { ExitRecord } from "../../snapshot/exit-record.js";
import type { recordExits } from "../../snapshot/record-exits.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { Location } from "../indices.js";
import {
  fixedOf,
  isRemat,
  isSlot,
  Lir,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  policyOf,
  roleOf,
  slotAt,
  VECTOR,
  vregOf,
} from "../lir.js";

/** The bytes of address space of an instruction, which has no encoding. */
export const CODE_UNIT = 4;
/** The size in bytes of a return address and a saved frame pointer. */
export const LINK_SIZE = 16;
export const NO_OFFSET = -1;
/** More than any offset from the frame pointer: stack arguments have the greatest. */
const FRAME_END = 1 << 13;
/** Returns the place of an offset from the frame pointer, and the offset of such a place. */
export const placeInFrame = (offset: number): number => offset - FRAME_END;
export const offsetInFrame = (place: number): number => place + FRAME_END;
/** The size of a virtual register's cell, in units of four bytes. */
const CELL_UNITS = 2;

/**
 * The stage of the LIR. lower: over virtual registers; allocate: over registers and spill slots,
 * the moves of a group all at once; moves: the same, with the single moves that are written for a
 * group.
 */
export type LirStage = "lower" | "allocate" | "moves";

export interface LirProcedure {
  /** Index in the module. */
  readonly index: number;
  readonly lir: Lir;
  readonly frame: ProcedureFrame;
  /**
   * By operand: the index of a register's word, or, if negative, a place in the frame
   * (placeInFrame).
   */
  readonly places: Int32Array;
  /** By operand: the index of the word of its fixed register; -1 if none. */
  readonly conventional: Int32Array;
  /** Whether operands are cells of 64 bits. */
  readonly hasCells: boolean;
  /** By instruction: its block. */
  readonly blockOf: Int32Array;
  /** Groups of moves before instruction i: from firstGroup[i] to firstGroup[i + 1]. */
  readonly firstGroup: Int32Array;
  /**
   * Moves of group g: from groupStart[g] to groupStart[g + 1], as places; a source of REMAT + i is
   * the result of instruction i.
   */
  readonly groupStart: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly type: Int32Array;
  /** As in Allocation: a move applies that instruction, or copies. */
  readonly derivation: Int32Array;
  /** Places that contain junk when instruction i reads, and after it has read. */
  readonly before: DestroyedLocations;
  readonly after: DestroyedLocations;
  /** By instruction: 1 if its definition renames the register of its use, with all bits. */
  readonly renames: Uint8Array;
  /** Words of the callee-saved registers that the frame preserves. */
  readonly saved: Int32Array;
  /** The number of its first exit among those of the program. */
  readonly exitStart: number;
  /** In bytes of address space, from the start of the program. */
  readonly codeStart: number;
  readonly codeSize: number;
  readonly wordOf: (location: number) => number;
  readonly isDefinition: (operand: number) => boolean;
  readonly isCall: (instruction: number) => boolean;
}

interface PreparationInput {
  readonly stage: LirStage;
  readonly plan: LoweringPlan;
  /** The word of a vector register is at `vectors + 4 * number`. */
  readonly vectors: number;
  readonly sequentialize: MoveSequentializer;
  readonly recordExits: typeof recordExits;
  readonly singles: MoveList;
}

/** The procedures of one image, the root first. */
export class LirProgram {
  readonly procedures: LirProcedure[] = [];
  readonly exits: ExitRecord[] = [];
  /** In bytes of address space. */
  codeSize = CODE_UNIT;
  frameSize = 0;

  /**
   * Adds a procedure.
   *
   * @param allocation allocation of the LIR; ignored before allocation
   */
  add(source: Lir, allocation: Allocation, preparation: PreparationInput, index: number): void {
    const { stage, plan, vectors } = preparation;
    const lir = copyLir(source);
    const hasCells = stage === "lower";
    if (hasCells) giveCells(lir);
    const frame = new ProcedureFrame();
    const placed = hasCells ? cellsOf(lir) : allocation;
    frame.layOut(plan.target.calleeSaved, lir, placed);
    const wordOf = (location: number): number =>
      location < VECTOR ? 2 * location : vectors + 4 * (location - VECTOR);
    const placeOf = (location: number): number =>
      isSlot(location)
        ? placeInFrame(frame.offsetOfSpill(location))
        : isRemat(location)
          ? location
          : wordOf(location);
    const conventional = Int32Array.from(lir.operand, (word) =>
      policyOf(word) === OperandPolicy.Fixed ? wordOf(fixedOf(word)) : -1,
    );
    const places = Int32Array.from(lir.location, placeOf);
    if (!hasCells) placeByPolicy(lir, places, conventional);
    const moves = hasCells
      ? phiMoves(lir, placeOf)
      : allocatedMoves(lir, allocation, preparation, placeOf);
    this.procedures.push({
      index,
      lir,
      frame,
      places,
      conventional,
      hasCells,
      blockOf: blocksOf(lir),
      ...moves,
      before: hasCells ? destroyNothing(lir) : destroyedBefore(lir, places),
      after: hasCells ? destroyNothing(lir) : destroyedAfter(lir, places),
      renames: redefinitions(lir),
      saved: Int32Array.from(frame.saved, wordOf),
      exitStart: this.exits.length,
      codeStart: this.codeSize,
      codeSize: CODE_UNIT * (lir.instructionCount + 1),
      wordOf,
      isDefinition: (operand) => roleOf(lir.operand[operand]) === OperandRole.Definition,
      isCall: (instruction) => plan.rows[lir.opcode[instruction]].isCall,
    });
    this.codeSize += CODE_UNIT * (lir.instructionCount + 1);
    this.frameSize = Math.max(this.frameSize, frame.size);
    // A cell is not the location that an operand of a patchpoint requires.
    for (const record of preparation.recordExits(index, lir, frame))
      this.exits.push(hasCells ? { ...record, patchpoint: 0 } : record);
  }
}

/** Returns a copy of the LIR, with locations. */
export function copyLir(source: Lir): Lir {
  const lir = new Lir();
  const { instructionCount, operandCount, blockCount, vregCount } = source;
  lir.opcode = source.opcode.slice(0, instructionCount);
  lir.operandStart = source.operandStart.slice(0, instructionCount + 1);
  lir.immLo = source.immLo.slice(0, instructionCount);
  lir.immHi = source.immHi.slice(0, instructionCount);
  lir.guard = source.guard.slice(0, instructionCount);
  lir.origin = source.origin.slice(0, instructionCount);
  lir.operand = source.operand.slice(0, operandCount);
  lir.location = source.location.slice(0, operandCount);
  lir.vregType = source.vregType.slice(0, vregCount);
  lir.vregValue = source.vregValue.slice(0, vregCount);
  lir.vregHalf = source.vregHalf.slice(0, vregCount);
  lir.vregArgumentUnit = source.vregArgumentUnit.slice(0, vregCount);
  // The cast holds because a column is a typed array.
  lir.vregRoot = source.vregRoot.slice(0, vregCount) as typeof source.vregRoot;
  lir.blockStart = source.blockStart.slice(0, blockCount + 1);
  lir.successorStart = source.successorStart.slice(0, blockCount + 1);
  lir.successors = source.successors.slice(0, lir.successorStart[blockCount]);
  lir.phiStart = source.phiStart.slice(0, blockCount + 1);
  lir.phis = source.phis.slice(0, lir.phiStart[blockCount]);
  lir.phiInputStart = source.phiInputStart.slice(0, blockCount + 1);
  lir.phiInputs = source.phiInputs.slice(0, lir.phiInputStart[blockCount]);
  lir.instructionCount = instructionCount;
  lir.operandCount = operandCount;
  lir.blockCount = blockCount;
  lir.vregCount = vregCount;
  lir.guards = source.guards;
  lir.switches = source.switches;
  lir.patchpoints = source.patchpoints;
  lir.outgoingSize = source.outgoingSize;
  lir.incomingUnits = source.incomingUnits;
  lir.slotPlaces = source.slotPlaces;
  return lir;
}

const cellOf = (lir: Lir, vreg: number): Location => slotAt(lir.incomingUnits + CELL_UNITS * vreg);

function giveCells(lir: Lir): void {
  for (let o = 0; o < lir.operandCount; o++) lir.location[o] = cellOf(lir, vregOf(lir.operand[o]));
}

function cellsOf(lir: Lir): Allocation {
  const allocation = new Allocation();
  allocation.spillUnits = lir.incomingUnits + CELL_UNITS * lir.vregCount;
  return allocation;
}

// Applies locations that the instruction requires, independently of the allocator: a fixed
// register; for a reused input, the definition's register.
function placeByPolicy(lir: Lir, places: Int32Array, conventional: Int32Array): void {
  for (let i = 0; i < lir.instructionCount; i++) {
    const [start, end] = [lir.operandStart[i], lir.operandStart[i + 1]];
    for (let o = start; o < end; o++) if (conventional[o] >= 0) places[o] = conventional[o];
    let use = start;
    for (let d = start; d < end; d++) {
      if (policyOf(lir.operand[d]) !== OperandPolicy.MustReuseInput) continue;
      while (use < end && roleOf(lir.operand[use]) > OperandRole.Use) use++;
      if (use < end) places[use++] = places[d];
    }
  }
}

function blocksOf(lir: Lir): Int32Array {
  const blockOf = new Int32Array(lir.instructionCount);
  for (let b = 0; b < lir.blockCount; b++)
    blockOf.fill(b, lir.blockStart[b], lir.blockStart[b + 1]);
  return blockOf;
}

type GapMoves = Pick<
  LirProcedure,
  "firstGroup" | "groupStart" | "from" | "to" | "type" | "derivation"
>;

/** Collects moves in the order of their gaps. */
class MoveWriter {
  private readonly firstGroup: number[] = [];
  private readonly groupStart: number[] = [0];
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly type: number[] = [];
  private readonly derivation: number[] = [];

  beginGap(): void {
    this.firstGroup.push(this.groupStart.length - 1);
  }

  add(from: number, to: number, type: number, derivation: number): void {
    this.from.push(from);
    this.to.push(to);
    this.type.push(type);
    this.derivation.push(derivation);
  }

  endGroup(): void {
    this.groupStart.push(this.from.length);
  }

  finish(): GapMoves {
    this.beginGap();
    return {
      firstGroup: Int32Array.from(this.firstGroup),
      groupStart: Int32Array.from(this.groupStart),
      from: Int32Array.from(this.from),
      to: Int32Array.from(this.to),
      type: Int32Array.from(this.type),
      derivation: Int32Array.from(this.derivation),
    };
  }
}

// The moves come before the jump, which has no operands.
function phiMoves(lir: Lir, placeOf: (location: number) => number): GapMoves {
  const writer = new MoveWriter();
  for (let b = 0; b < lir.blockCount; b++) {
    for (let i = lir.blockStart[b]; i < lir.blockStart[b + 1]; i++) {
      writer.beginGap();
      const first = lir.phiInputStart[b];
      const count = lir.phiInputStart[b + 1] - first;
      if (i !== lir.blockStart[b + 1] - 1 || count === 0) continue;
      const to = lir.successors[lir.successorStart[b]];
      for (let k = 0; k < count; k++) {
        const phi = lir.phis[lir.phiStart[to] + k];
        const input = lir.phiInputs[first + k];
        const type = lir.vregType[phi];
        writer.add(placeOf(cellOf(lir, input)), placeOf(cellOf(lir, phi)), type, NO_DERIVATION);
      }
      writer.endGroup();
    }
  }
  return writer.finish();
}

function allocatedMoves(
  lir: Lir,
  { moves, moveCount }: Allocation,
  { stage, plan, sequentialize, singles }: PreparationInput,
  placeOf: (location: number) => number,
): GapMoves {
  const writer = new MoveWriter();
  let m = 0;
  for (let i = 0; i < lir.instructionCount; i++) {
    writer.beginGap();
    while (m < moveCount && moves[m * MOVE_STRIDE] >> 2 === i) {
      const first = m;
      while (m < moveCount && moves[m * MOVE_STRIDE] === moves[first * MOVE_STRIDE]) m++;
      if (stage === "moves") {
        sequentialize(moves, first, m, plan.target.registers, singles);
        for (let k = 0; k < singles.count; k++) {
          if (singles.from[k] === NOWHERE) continue;
          const [from, to] = [placeOf(singles.from[k]), placeOf(singles.to[k])];
          writer.add(from, to, singles.type[k], singles.derivation[k]);
          writer.endGroup();
        }
      } else {
        for (let k = first * MOVE_STRIDE; k < m * MOVE_STRIDE; k += MOVE_STRIDE) {
          if (moves[k + 1] === NOWHERE) continue;
          const [from, to] = [placeOf(moves[k + 1]), placeOf(moves[k + 2])];
          writer.add(from, to, moves[k + 3], moves[k + 4]);
        }
        writer.endGroup();
      }
    }
  }
  return writer.finish();
}

/** Lists places for each instruction i: from start[i] to start[i + 1]. */
export interface DestroyedLocations {
  readonly start: Int32Array;
  readonly places: Int32Array;
}

const destroyNothing = (lir: Lir): DestroyedLocations => ({
  start: new Int32Array(lir.instructionCount + 1),
  places: new Int32Array(0),
});

function destroyedWhere(
  lir: Lir,
  places: Int32Array,
  isSpoiled: (operand: number, start: number, end: number) => boolean,
): DestroyedLocations {
  const first = new Int32Array(lir.instructionCount + 1);
  const spoiled: number[] = [];
  for (let i = 0; i < lir.instructionCount; i++) {
    const [start, end] = [lir.operandStart[i], lir.operandStart[i + 1]];
    for (let o = start; o < end; o++) if (isSpoiled(o, start, end)) spoiled.push(places[o]);
    first[i + 1] = spoiled.length;
  }
  return { start: first, places: Int32Array.from(spoiled) };
}

// A temp may be written before anything is read, and so may a definition before a late use.
const destroyedBefore = (lir: Lir, places: Int32Array): DestroyedLocations =>
  destroyedWhere(lir, places, (o, start, end) => {
    const role = roleOf(lir.operand[o]);
    if (role === OperandRole.Temp) return !isCopied(lir, o, start);
    if (role !== OperandRole.Definition) return false;
    for (let u = start; u < end; u++) {
      const isLate =
        roleOf(lir.operand[u]) === OperandRole.Use &&
        policyOf(lir.operand[u]) !== OperandPolicy.KeepAlive;
      if (isLate && places[u] === places[o]) return true;
    }
    return false;
  });

const destroyedAfter = (lir: Lir, places: Int32Array): DestroyedLocations =>
  destroyedWhere(
    lir,
    places,
    (o, start) => roleOf(lir.operand[o]) === OperandRole.Temp && isCopied(lir, o, start),
  );

/**
 * Returns whether a use is copied to the temp: it has policy Copy, or the fixed register of a use
 * at start.
 */
function isCopied(lir: Lir, temp: number, start: number): boolean {
  const word = lir.operand[temp];
  if (policyOf(word) !== OperandPolicy.Fixed) return policyOf(word) === OperandPolicy.Copy;
  for (let u = start; u < temp; u++) {
    const use = lir.operand[u];
    const isNamed = roleOf(use) === OperandRole.UseAtStart && policyOf(use) === OperandPolicy.Fixed;
    if (isNamed && fixedOf(use) === fixedOf(word)) return true;
  }
  return false;
}

const redefinitions = (lir: Lir): Uint8Array =>
  Uint8Array.from(lir.opcode, (_, i) =>
    lir.operandStart[i] < lir.operandStart[i + 1] &&
    policyOf(lir.operand[lir.operandStart[i]]) === OperandPolicy.Redefined
      ? 1
      : 0,
  );
