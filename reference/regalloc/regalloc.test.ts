// Allocation is right if the checker finds nothing. The checker is right if it finds everything
// that a run can see: mutated allocations are judged by both.

import test from "ava";
import { Double, Float, Int32, Int64, isFloating, isWide, type Type } from "../../src/ir/types.js";
import { SeedSource, type Source } from "../../src/support/source.js";
import {
  isRemat,
  isSlot,
  isVector,
  Lir,
  Policy,
  packOperand,
  policyOf,
  REMAT,
  type RegisterSet,
  Role,
  SLOT,
  VECTOR,
  vregOf,
} from "../lir/lir.js";
import { Allocation, MOVE_STRIDE, MoveOrder } from "./allocation.js";
import { checkAllocation } from "./check.js";
import { allocateLinearScan } from "./linear-scan.js";
import { makePuzzle, PUZZLE_ROWS, type PuzzleSize, Row } from "./lir-puzzles.js";
import { runAllocated, runVirtual } from "./lir-simulator.js";
import { MoveList, sequentialize } from "./parallel-moves.js";

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);
const flags = (registers: readonly number[]): Uint8Array => {
  const array = new Uint8Array(64);
  for (const register of registers) array[register] = 1;
  return array;
};

/** As many registers as x64 has, its numbers and its convention. */
const FULL: RegisterSet = {
  general: [0, 1, 2, 6, 7, 8, 9, 10, 3, 12, 13, 14, 15],
  vector: numbers(VECTOR, VECTOR + 15),
  callerSaved: flags([0, 1, 2, 6, 7, 8, 9, 10, 11, ...numbers(VECTOR, VECTOR + 16)]),
  generalScratch: 11,
  vectorScratch: VECTOR + 15,
};
/** Five and four, some of each kept by calls. */
const SMALL: RegisterSet = {
  general: [0, 1, 2, 3, 12],
  vector: [32, 33, 34, 40],
  callerSaved: flags([0, 1, 2, 11, 32, 33, 34, 47]),
  generalScratch: 11,
  vectorScratch: VECTOR + 15,
};

const FUEL = 40;
const SEEDS = [1, 2, 3];

// --- parallel moves ---

const SCRATCH = { generalScratch: 11, vectorScratch: VECTOR + 15 };

/** A parallel move as arrays: from, to, type. */
type Moves = readonly (readonly [from: number, to: number, type: Type])[];

const wordsOf = (moves: Moves): Int32Array =>
  Int32Array.from(moves.flatMap(([from, to, type]) => [1, from, to, type]));

/**
 * Null, or what is wrong. Contents are the numbers of locations; wide ones in slots have a second
 * unit.
 */
function sequentializeWrongly(moves: Moves): string | null {
  const singles = new MoveList();
  sequentialize(wordsOf(moves), 0, moves.length, SCRATCH, singles);
  const before = (location: number) => location;
  const units = new Map<number, number>();
  const read = (location: number, type: Type): number => {
    const value = units.get(location) ?? before(location);
    if (!isSlot(location) || !isWide(type)) return value;
    const above = units.get(location + 1);
    return above === undefined || above === -value ? value : Number.NaN;
  };
  for (let s = 0; s < singles.count; s++) {
    const [from, to] = [singles.from[s], singles.to[s]];
    const type = singles.type[s] as Type; // the border: a word becomes typed
    if (from === to) return "a move to itself";
    if (!(from < SLOT) && isSlot(to)) return "a slot from a slot, or made in a slot";
    for (const side of [from, to]) {
      if (side < SLOT && isVector(side) !== isFloating(type)) return `${type} in ${side}`;
    }
    const value = read(from, type);
    if (isRemat(from)) {
      // The instruction may use both scratch registers on its way.
      units.set(SCRATCH.generalScratch, Number.NaN);
      units.set(SCRATCH.vectorScratch, Number.NaN);
    }
    units.set(to, value);
    if (isSlot(to) && isWide(type)) units.set(to + 1, -value);
  }
  for (const [from, to, type] of moves) {
    if (read(to, type) !== before(from)) return `${from} did not come to ${to}`;
  }
  return null;
}

/** Distinct targets, any sources; slots 0, 2, 4 … are wide, those from 40 on narrow. */
function randomMoves(source: Source): Moves {
  const moves: [number, number, Type][] = [];
  const taken = new Set<number>();
  const isMixed = source.below(2) === 0;
  const registerCount = 1 + source.below(5);
  const slotCount = source.below(5);
  for (let k = source.below(12); k > 0; k--) {
    const isWideMove = isMixed ? source.below(2) === 0 : true;
    const type = [Int32, Int64, Float, Double][2 * source.below(2) + (isWideMove ? 1 : 0)];
    const place = (): number => {
      const at = source.below(registerCount + slotCount);
      if (at < registerCount) return isFloating(type) ? VECTOR + at : at;
      return SLOT + (isWideMove ? 2 * (at - registerCount) : 40 + at - registerCount);
    };
    const isMadeAnew = source.below(6) === 0;
    const [from, to] = [isMadeAnew ? REMAT + source.below(4) : place(), place()];
    // One register as a 4-byte and an 8-byte source cannot hold both; an allocator never asks for
    // it.
    if (taken.has(to)) continue;
    taken.add(to);
    moves.push([from, to, type]);
  }
  return moves;
}

test("a parallel move becomes single moves that do the same", (t) => {
  const source = new SeedSource(1n, "parallel moves");
  for (let k = 0; k < 20_000; k++) {
    const moves = randomMoves(source);
    const wrong = sequentializeWrongly(moves);
    if (wrong !== null) t.fail(`${wrong}: ${JSON.stringify(moves)}`);
  }
  t.pass();
});

test("every mapping of up to four locations, registers and slots", (t) => {
  for (const places of [
    [0, 1, 2, 3],
    [0, 1, SLOT, SLOT + 2],
    numbers(0, 4).map((k) => SLOT + 2 * k),
  ]) {
    for (let code = 0; code < 5 ** 4; code++) {
      const moves: [number, number, Type][] = [];
      for (const [k, to] of places.entries()) {
        const from = Math.floor(code / 5 ** k) % 5;
        if (from < 4) moves.push([places[from], to, Int64]);
      }
      t.is(sequentializeWrongly(moves), null, JSON.stringify(moves));
    }
  }
});

test("a cycle through slots mixes banks; slots go through the scratch that is free", (t) => {
  const cycle: Moves = [
    [0, SLOT, Int64],
    [SLOT, SLOT + 2, Int64],
    [SLOT + 2, VECTOR, Double],
    [VECTOR, SLOT + 4, Double],
    [SLOT + 4, 0, Int64],
  ];
  t.is(sequentializeWrongly(cycle), null);
});

test("slots that overlap or a target written twice are refused; nothing is left behind", (t) => {
  const overlap: Moves = [
    [SLOT, 1, Int64],
    [2, SLOT + 1, Int32],
  ];
  const twice: Moves = [
    [1, 0, Int64],
    [2, 0, Int64],
  ];
  t.throws(() => sequentializeWrongly(overlap), { name: "InternalError" });
  t.throws(() => sequentializeWrongly(twice), { name: "InternalError" });
  t.is(sequentializeWrongly([overlap[1], [3, SLOT + 3, Int32]]), null);
});

// --- puzzles ---

const lir = new Lir();
const allocation = new Allocation();

/** Makes and allocates puzzle `seed`; returns its registers. */
function solve(seed: number, size: PuzzleSize): RegisterSet {
  const registers = seed % 2 === 0 ? FULL : SMALL;
  lir.reset();
  makePuzzle(new SeedSource(BigInt(seed), "puzzle"), registers, size, lir);
  allocateLinearScan(lir, PUZZLE_ROWS, registers, allocation);
  return registers;
}

const runsOf = (registers: RegisterSet, subject: Allocation): number[] =>
  SEEDS.map((seed) => runAllocated(lir, PUZZLE_ROWS, registers, subject, seed, FUEL));

test("puzzles: the checker accepts the allocation, and it computes the same", (t) => {
  let [instructions, moves, units] = [0, 0, 0];
  for (let seed = 0; seed < 3000; seed++) {
    const registers = solve(seed, { blocks: 1 + (seed % 14), instructions: 10 });
    const faults = checkAllocation(lir, PUZZLE_ROWS, registers, allocation);
    if (faults.length > 0) t.fail(`puzzle ${seed}: ${faults[0]}`);
    const expected = SEEDS.map((start) => runVirtual(lir, start, FUEL));
    t.deepEqual(runsOf(registers, allocation), expected, `puzzle ${seed}`);
    instructions += lir.instructionCount;
    moves += allocation.moveCount;
    units += allocation.spillUnits;
  }
  t.log(`${instructions} instructions, ${moves} moves, ${units} units of slots`);
});

// --- mutations ---

/** Changes the allocation of `lir`; false if there is nothing to change. */
type Mutate = (source: Source, registers: RegisterSet) => boolean;

const pickOperand = (source: Source): number => source.below(lir.operandCount);
const pickMove = (source: Source): number => source.below(allocation.moveCount) * MOVE_STRIDE;

function pickLocation(source: Source, registers: RegisterSet, like: number): number {
  if (allocation.spillUnits > 0 && source.below(3) === 0) {
    return SLOT + source.below(allocation.spillUnits);
  }
  const bank = isVector(like) ? registers.vector : registers.general;
  return bank[source.below(bank.length)];
}

function renameSlot(from: number, to: number): void {
  for (let o = 0; o < lir.operandCount; o++) if (lir.location[o] === from) lir.location[o] = to;
  for (let w = 0; w < allocation.moveCount * MOVE_STRIDE; w += MOVE_STRIDE) {
    for (const side of [w + 1, w + 2]) {
      if (allocation.moves[side] === from) allocation.moves[side] = to;
    }
  }
}

function sortMoves(): void {
  const { moves, moveCount } = allocation;
  const order = numbers(0, moveCount).map((m) => [
    ...moves.slice(m * MOVE_STRIDE, (m + 1) * MOVE_STRIDE),
  ]);
  order.sort((x, y) => x[0] - y[0]);
  moves.set(order.flat());
}

const MUTATIONS: { readonly [name: string]: Mutate } = {
  "swap two registers of an instruction": (source) => {
    const o = pickOperand(source);
    const other = o + 1;
    if (other >= lir.operandCount || lir.location[o] === lir.location[other]) return false;
    [lir.location[o], lir.location[other]] = [lir.location[other], lir.location[o]];
    return true;
  },
  "another location for an operand": (source, registers) => {
    const o = pickOperand(source);
    const before = lir.location[o];
    lir.location[o] = pickLocation(source, registers, before);
    return lir.location[o] !== before;
  },
  "wrong snapshot location": (source, registers) => {
    const kept = numbers(0, lir.operandCount).filter(
      (o) => policyOf(lir.operand[o]) === Policy.KeepAlive,
    );
    if (kept.length === 0) return false;
    const o = kept[source.below(kept.length)];
    const before = lir.location[o];
    lir.location[o] = pickLocation(source, registers, before);
    return lir.location[o] !== before;
  },
  "drop a move": (source) => {
    if (allocation.moveCount === 0) return false;
    const at = pickMove(source);
    allocation.moves.copyWithin(at, at + MOVE_STRIDE, allocation.moveCount * MOVE_STRIDE);
    allocation.moveCount--;
    return true;
  },
  "a parallel move one after the other": (source) => {
    if (allocation.moveCount === 0) return false;
    const at = pickMove(source);
    const group = allocation.moves[at];
    allocation.moves[at] = (group & ~3) | source.below(3);
    sortMoves();
    return true;
  },
  "another instruction to make a value anew": (source) => {
    const anew = numbers(0, allocation.moveCount).filter((m) =>
      isRemat(allocation.moves[m * MOVE_STRIDE + 1]),
    );
    if (anew.length === 0) return false;
    const at = anew[source.below(anew.length)] * MOVE_STRIDE + 1;
    const before = allocation.moves[at];
    allocation.moves[at] = REMAT + source.below(lir.instructionCount);
    return allocation.moves[at] !== before;
  },
  "another target or source for a move": (source, registers) => {
    if (allocation.moveCount === 0) return false;
    const side = pickMove(source) + 1 + source.below(2);
    const before = allocation.moves[side];
    allocation.moves[side] = pickLocation(source, registers, before);
    return allocation.moves[side] !== before;
  },
  "a move of another width": (source) => {
    if (allocation.moveCount === 0) return false;
    const at = pickMove(source) + 3;
    allocation.moves[at] = [0, Int64, Int32, Double, Float][allocation.moves[at]];
    return true;
  },
  "overlap two slots": (source) => {
    const units = allocation.spillUnits;
    if (units < 2) return false;
    const [from, to] = [SLOT + source.below(units), SLOT + source.below(units)];
    renameSlot(from, to);
    return from !== to;
  },
  "forget what calls destroy": (_source, registers) => {
    const rows = PUZZLE_ROWS.map((row) => ({ ...row, isCall: false }));
    allocateLinearScan(lir, rows, registers, allocation);
    return true;
  },
};

interface Tally {
  tried: number;
  changed: number;
  rejected: number;
}

/**
 * Mutates the allocation of the puzzle at hand, judges, and restores; a text if a change was
 * accepted.
 */
function judge(name: string, source: Source, registers: RegisterSet, tally: Tally): string | null {
  const locations = lir.location.slice(0, lir.operandCount);
  const { moveCount, spillUnits } = allocation;
  const moves = allocation.moves.slice(0, moveCount * MOVE_STRIDE);
  const expected = SEEDS.map((seed) => runVirtual(lir, seed, FUEL));
  let missed: string | null = null;
  if (MUTATIONS[name](source, registers)) {
    tally.tried++;
    const isRejected = checkAllocation(lir, PUZZLE_ROWS, registers, allocation).length > 0;
    const isChanged = runsOf(registers, allocation).some((trace, k) => trace !== expected[k]);
    if (isRejected) tally.rejected++;
    if (isChanged) tally.changed++;
    if (isChanged && !isRejected) missed = `${name}: accepted, but it computes something else`;
  }
  lir.location.set(locations);
  allocation.moves.set(moves);
  allocation.moveCount = moveCount;
  allocation.spillUnits = spillUnits;
  return missed;
}

// A loop that is entered by two edges: what they agree on is the Phi alone, in register 1.
test("a Phi's value of the round before is not its value", (t) => {
  lir.reset();
  const [start, first, second, phi, next] = numbers(0, 5).map(() => lir.newVreg(Int64));
  const define = (vreg: number) => packOperand(vreg, Role.Definition, Policy.Register);
  const use = (vreg: number) => packOperand(vreg, Role.UseAtStart, Policy.Register);
  const block = (phis: number[], code: [number, number[]][], to: number[], inputs: number[]) => {
    lir.beginBlock();
    for (const vreg of phis) lir.addPhi(vreg);
    for (const [opcode, operands] of code) {
      for (const word of operands) lir.addOperand(word);
      lir.endInstruction(opcode, 0, 0, -1);
    }
    for (const successor of to) lir.addSuccessor(successor);
    for (const vreg of inputs) lir.addPhiInput(vreg);
    lir.endBlock();
  };
  const { op, jump, branch } = Row;
  block(
    [],
    [
      [Row.entry, [define(start)]],
      [branch, [use(start)]],
    ],
    [1, 2],
    [],
  );
  block(
    [],
    [
      [op, [define(first)]],
      [jump, []],
    ],
    [3],
    [first],
  );
  block(
    [],
    [
      [op, [define(second)]],
      [jump, []],
    ],
    [3],
    [second],
  );
  block([phi], [[branch, [use(phi)]]], [4, 5], []);
  block(
    [],
    [
      [op, [define(next), use(phi)]],
      [jump, []],
    ],
    [3],
    [next],
  );
  block([], [[Row.return, []]], [], []);
  const registerOf = [0, 1, 1, 1, 2];
  for (let o = 0; o < lir.operandCount; o++) lir.location[o] = registerOf[vregOf(lir.operand[o])];
  allocation.reset();
  allocation.usedRegisters.fill(1);
  const backEdge = lir.blockStart[5] - 1;
  allocation.addMove(backEdge, MoveOrder.Resolve, 2, 1, Int64);
  t.deepEqual(checkAllocation(lir, PUZZLE_ROWS, FULL, allocation), []);
  allocation.moveCount = 0;
  t.is(checkAllocation(lir, PUZZLE_ROWS, FULL, allocation).length, 2); // the uses of the Phi
});

test("mutations: the checker rejects every one that changes what is computed", (t) => {
  const source = new SeedSource(2n, "mutations");
  const tallies = new Map(Object.keys(MUTATIONS).map((name) => [name, newTally()]));
  for (let seed = 0; seed < 2000; seed++) {
    const registers = solve(seed, { blocks: 1 + (seed % 8), instructions: 8 });
    for (const [name, tally] of tallies) {
      const missed = judge(name, source, registers, tally);
      if (missed !== null) t.fail(`puzzle ${seed}: ${missed}`);
    }
  }
  for (const [name, { tried, changed, rejected }] of tallies) {
    t.log(`${name}: ${tried}, ${changed} changed a run, ${rejected - changed} rejected besides`);
    t.true(changed > 100, `${name} hardly ever changes anything`);
  }
});

const newTally = (): Tally => ({ tried: 0, changed: 0, rejected: 0 });
