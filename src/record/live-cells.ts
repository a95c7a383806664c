// Which cells of an activation may still be read, at each instruction: what must be handed over where
// an interpreter goes on in the middle of a block.
//
// Constants are in their cells from the start of an activation, so they are never handed over.

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
  private readonly words: number;
  /** By instruction: a bit for each cell that is live before it. */
  private readonly before: Uint32Array;
  /** Of the instruction at hand. */
  private readonly live: Uint32Array;
  /** By instruction: where those stand that may follow, and the cells that it writes and reads. */
  private readonly successors: readonly (readonly number[])[];
  private readonly writes: readonly (readonly number[])[];
  private readonly reads: readonly (readonly number[])[];

  constructor(procedure: DecodedProcedure) {
    this.procedure = procedure;
    this.isConstant = new Uint8Array(procedure.cellTypes.length);
    for (const { cell } of procedure.skipped) if (cell !== NO_CELL) this.isConstant[cell] = 1;
    this.words = Math.ceil(procedure.cellTypes.length / WORD_BITS);
    this.before = new Uint32Array(this.words * procedure.ids.length);
    this.live = new Uint32Array(this.words);
    const places = Array.from(procedure.ids, (_, i) => i * STRIDE);
    this.successors = places.map((pc) => successorsOf(procedure, pc));
    const leafCells = new Map(procedure.exits.map((exit) => [exit.pc, exit.leafCells]));
    this.writes = places.map((pc) => writtenCells(procedure, pc));
    this.reads = places.map((pc, i) =>
      // What a call gives to its own exit is not there before it.
      readCells(procedure, pc, leafCells).filter(
        (cell) => this.isConstant[cell] === 0 && !this.writes[i].includes(cell),
      ),
    );
    this.solve();
  }

  /** The cells that are live before the instruction at `pc`, in ascending order. */
  at(pc: number): readonly number[] {
    const start = (pc / STRIDE) * this.words;
    const cells: number[] = [];
    for (let cell = 0; cell < this.procedure.cellTypes.length; cell++) {
      const word = this.before[start + Math.floor(cell / WORD_BITS)];
      if (((word >>> (cell % WORD_BITS)) & 1) !== 0) cells.push(cell);
    }
    return cells;
  }

  /** The cells that are live while the call at `pc` runs: all but its results. */
  acrossCall(pc: number): readonly number[] {
    const results = this.writes[pc / STRIDE];
    return this.at(pc + STRIDE).filter((cell) => !results.includes(cell));
  }

  private solve(): void {
    const { ids } = this.procedure;
    for (let isStable = false; !isStable; ) {
      isStable = true;
      for (let i = ids.length - 1; i >= 0; i--) if (this.update(i)) isStable = false;
    }
  }

  /** Computes the set of one instruction from those of its successors; true if it grew. */
  private update(i: number): boolean {
    const { before, live, words } = this;
    live.fill(0);
    for (const next of this.successors[i]) {
      const from = (next / STRIDE) * words;
      for (let w = 0; w < words; w++) live[w] |= before[from + w];
    }
    for (const cell of this.writes[i]) {
      live[Math.floor(cell / WORD_BITS)] &= ~(1 << (cell % WORD_BITS));
    }
    for (const cell of this.reads[i]) {
      live[Math.floor(cell / WORD_BITS)] |= 1 << (cell % WORD_BITS);
    }
    let grew = false;
    for (let w = 0; w < words; w++) {
      const merged = (before[i * words + w] | live[w]) >>> 0;
      if (merged !== before[i * words + w]) grew = true;
      before[i * words + w] = merged;
    }
    return grew;
  }
}

/** The exit block of a failing guard is none: what it reads, the guard reads. */
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
    case Op.ReturnAsking:
    case Op.PatchpointReturn:
    case Op.TailCall:
    case Op.Oops:
      return [];
    default:
      return [pc + STRIDE];
  }
}

type LeafCells = ReadonlyMap<number, readonly number[]>;

/** The cell of the result, and of a call those of its further results. */
function writtenCells({ code, opcodes, ids, calls }: DecodedProcedure, pc: number): number[] {
  const i = pc / STRIDE;
  const dest = code[pc + DEST];
  if (ids[i] === NO_VALUE || dest === NO_CELL) return [];
  const further = CALLING.includes(opcodes[i]) ? calls[code[pc + Y]].further : 0;
  return Array.from({ length: 1 + further }, (_, k) => dest + k);
}

/** The cells that the instruction reads; of a guard also those that its exit needs. */
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
  if (CALLING.includes(opcode)) {
    cells.push(...procedure.calls[code[pc + Y]].argCells);
  }
  if (NAMES_KIND[opcode] === 1) cells.push(...procedure.patchpoints[code[pc + Y]].argCells);
  if ((EFFECTS[opcode] & EXITS) !== 0) cells.push(...leafCellsAt(leafCells, code[pc + X], pc));
  return cells;
}

const CALLING: readonly number[] = [
  Op.CCall,
  Op.CallIndirect,
  Op.CCallCheck,
  Op.CallCheck,
  Op.TailCall,
];

/** @param exitPc where its exit is */
function leafCellsAt(leafCells: LeafCells, exitPc: number, guard: number): readonly number[] {
  const cells = leafCells.get(exitPc);
  assert(cells !== undefined, () => `the guard at ${guard} has no exit`);
  return cells;
}
