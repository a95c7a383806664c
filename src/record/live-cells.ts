// Computes the cells of an activation that may still be read, at each instruction. An interpreter
// that continues in the middle of a block needs exactly these cells.
//
// Constants are in their cells from the start of an activation, so they are never passed.

import { EFFECTS, EXITS, NAMES_KIND, OPERAND_COUNTS, Op } from "../ir/opcodes.js";
import {
  A,
  DEST,
  type DecodedProcedure,
  NO_CELL,
  NO_VALUE,
  STRIDE,
  X,
  Y,
} from "../oracle/fast/program.js";
import { assert } from "../support/assert.js";

const WORD_BITS = 32;

export class LiveCells {
  private readonly procedure: DecodedProcedure;
  private readonly isConstant: Uint8Array;
  private readonly wordsPerSet: number;
  /** By instruction: a bit for each cell that is live before it. */
  private readonly before: Uint32Array;
  /** The live cells at the instruction that is being updated, as bits. */
  private readonly live: Uint32Array;
  /** By instruction: its successors, and the cells that it writes and reads. */
  private readonly successors: readonly (readonly number[])[];
  private readonly writes: readonly (readonly number[])[];
  private readonly reads: readonly (readonly number[])[];

  constructor(procedure: DecodedProcedure) {
    this.procedure = procedure;
    this.isConstant = new Uint8Array(procedure.cellTypes.length);
    for (const { cell } of procedure.skipped) if (cell !== NO_CELL) this.isConstant[cell] = 1;
    this.wordsPerSet = Math.ceil(procedure.cellTypes.length / WORD_BITS);
    this.before = new Uint32Array(this.wordsPerSet * procedure.ids.length);
    this.live = new Uint32Array(this.wordsPerSet);
    const addresses = Array.from(procedure.ids, (_, i) => i * STRIDE);
    this.successors = addresses.map((pc) => successorsOf(procedure, pc));
    const leafCells = new Map(procedure.exits.map((exit) => [exit.pc, exit.leafCells]));
    this.writes = addresses.map((pc) => writtenCells(procedure, pc));
    this.reads = addresses.map((pc, i) =>
      // The results of a call do not exist yet at the call's own exit.
      readCells(procedure, pc, leafCells).filter(
        (cell) => this.isConstant[cell] === 0 && !this.writes[i].includes(cell),
      ),
    );
    this.solve();
  }

  /** Returns the cells that are live before the instruction at `pc`, in ascending order. */
  liveAt(pc: number): readonly number[] {
    const start = (pc / STRIDE) * this.wordsPerSet;
    const cells: number[] = [];
    for (let cell = 0; cell < this.procedure.cellTypes.length; cell++) {
      const word = this.before[start + Math.floor(cell / WORD_BITS)];
      if (((word >>> (cell % WORD_BITS)) & 1) !== 0) cells.push(cell);
    }
    return cells;
  }

  /** Returns the cells that are live while the call at `pc` runs: all but its results. */
  liveAcrossCall(pc: number): readonly number[] {
    const results = this.writes[pc / STRIDE];
    return this.liveAt(pc + STRIDE).filter((cell) => !results.includes(cell));
  }

  private solve(): void {
    const { ids } = this.procedure;
    for (let isStable = false; !isStable; ) {
      isStable = true;
      for (let i = ids.length - 1; i >= 0; i--) if (this.update(i)) isStable = false;
    }
  }

  /** Recomputes the set of one instruction from its successors; returns true if it grew. */
  private update(i: number): boolean {
    const { before, live, wordsPerSet } = this;
    live.fill(0);
    for (const next of this.successors[i]) {
      const from = (next / STRIDE) * wordsPerSet;
      for (let w = 0; w < wordsPerSet; w++) live[w] |= before[from + w];
    }
    for (const cell of this.writes[i]) {
      live[Math.floor(cell / WORD_BITS)] &= ~(1 << (cell % WORD_BITS));
    }
    for (const cell of this.reads[i]) {
      live[Math.floor(cell / WORD_BITS)] |= 1 << (cell % WORD_BITS);
    }
    let grew = false;
    for (let w = 0; w < wordsPerSet; w++) {
      const merged = (before[i * wordsPerSet + w] | live[w]) >>> 0;
      if (merged !== before[i * wordsPerSet + w]) grew = true;
      before[i * wordsPerSet + w] = merged;
    }
    return grew;
  }
}

/**
 * Returns the successors. The exit block of a guard is not one, because the guard itself counts as
 * reading its cells.
 */
function successorsOf({ code, opcodes, ids, switches }: DecodedProcedure, pc: number): number[] {
  const i = pc / STRIDE;
  if (ids[i] === NO_VALUE) return [];
  switch (opcodes[i]) {
    case Op.Jump:
      return [code[pc + X]];
    case Op.Branch:
      return [code[pc + X], code[pc + Y]];
    case Op.Switch:
      return [...switches[code[pc + Y]].targets];
    case Op.Return:
    case Op.ReturnDeopt:
    case Op.PatchpointReturn:
    case Op.TailCall:
    case Op.Oops:
      return [];
    default:
      return [pc + STRIDE];
  }
}

type LeafCells = ReadonlyMap<number, readonly number[]>;

/** Returns the cell of the result, and for a call those of its further results. */
function writtenCells({ code, opcodes, ids, calls }: DecodedProcedure, pc: number): number[] {
  const i = pc / STRIDE;
  const dest = code[pc + DEST];
  if (ids[i] === NO_VALUE || dest === NO_CELL) return [];
  const further = CALL_OPCODES.includes(opcodes[i]) ? calls[code[pc + Y]].further : 0;
  return Array.from({ length: 1 + further }, (_, k) => dest + k);
}

/** Returns the cells that the instruction reads; for a guard, also those that its exit needs. */
function readCells(procedure: DecodedProcedure, pc: number, leafCells: LeafCells): number[] {
  const { code, opcodes, ids } = procedure;
  const i = pc / STRIDE;
  if (ids[i] === NO_VALUE) return [];
  const opcode = opcodes[i];
  const cells: number[] = [];
  if (opcode === Op.Phi || opcode === Op.ArgumentReg) cells.push(code[pc + A]);
  for (let o = 0; o < OPERAND_COUNTS[opcode]; o++) {
    if (code[pc + A + o] !== NO_CELL) cells.push(code[pc + A + o]);
  }
  if (CALL_OPCODES.includes(opcode)) {
    cells.push(...procedure.calls[code[pc + Y]].argCells);
  }
  if (NAMES_KIND[opcode] === 1) cells.push(...procedure.patchpoints[code[pc + Y]].argCells);
  if ((EFFECTS[opcode] & EXITS) !== 0) cells.push(...leafCellsAt(leafCells, code[pc + X], pc));
  return cells;
}

const CALL_OPCODES: readonly number[] = [
  Op.CCall,
  Op.CallIndirect,
  Op.CCallCheck,
  Op.CallCheck,
  Op.TailCall,
];

/**
 * Returns the cells that the exit block of a guard needs.
 * @param exitPc the address of its exit
 */
function leafCellsAt(leafCells: LeafCells, exitPc: number, guard: number): readonly number[] {
  const cells = leafCells.get(exitPc);
  assert(cells !== undefined, () => `the guard at instruction ${guard} has no exit`);
  return cells;
}
