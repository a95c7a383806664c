// Tests allocators and the allocation checker. An allocation is correct if the checker finds no
// fault. The checker is correct if it rejects every mutated allocation that changes a run.

import test from "ava";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  isWide,
  type Type,
} from "../../../src/ir/types.js";
import { type ChoiceSource, SeedSource } from "../../../src/support/source.js";
import { trials } from "../../../src/support/trials.js";
import { blockAt, FIRST_INSTRUCTION, vregAt } from "../../lir/indices.js";
import {
  generalRegister,
  isRemat,
  isSlot,
  isVector,
  Lir,
  OperandPolicy,
  OperandRole,
  packOperand,
  REMAT,
  type RegisterSet,
  SLOT,
  typeOfWord,
  VECTOR,
  vectorRegister,
  vregOf,
} from "../../lir/lir.js";
import { PARTS } from "../../parts.js";
import { Allocation, derivationBy, MoveOrder, NO_DERIVATION } from "../allocation.js";
import { ALLOCATOR_NAMES } from "../allocator-names.js";
import { AllocationChecker } from "../check/check.js";
import { MoveList, sequentialize } from "../parallel-moves.js";
import { MutationJudge } from "./judge-mutation.js";
import { PuzzleJudge } from "./judge-puzzle.js";
import { PUZZLE_ROWS, Row } from "./lir-puzzles.js";
import { MUTATION_NAMES, type MutationName } from "./mutate-allocation.js";

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);
const flags = (registers: readonly number[]): Uint8Array => {
  const array = new Uint8Array(64);
  for (const register of registers) array[register] = 1;
  return array;
};

const SCRATCH = { generalScratch: generalRegister(11), vectorScratch: vectorRegister(15) };

/** As many registers as x64 has, with its numbers and its convention. */
const FULL: RegisterSet = {
  general: [0, 1, 2, 6, 7, 8, 9, 10, 3, 12, 13, 14, 15].map(generalRegister),
  vector: numbers(0, 15).map(vectorRegister),
  callerSaved: flags([0, 1, 2, 6, 7, 8, 9, 10, 11, ...numbers(VECTOR, VECTOR + 16)]),
  ...SCRATCH,
};
// --- parallel moves ---

/** A parallel move as arrays: from, to, type, derivation. */
type Moves = readonly (readonly [from: number, to: number, type: Type, derivation?: number])[];

const wordsOf = (moves: Moves): Int32Array =>
  Int32Array.from(
    moves.flatMap(([from, to, type, derivation]) => [
      ...[1, from, to, type],
      derivation ?? NO_DERIVATION,
    ]),
  );

/** The content that a derivation makes of another one. */
const DERIVED = 1000;

/**
 * Returns null, or the fault. Contents are the numbers of locations; wide values in slots have a
 * second unit.
 */
function sequentializeFault(moves: Moves): string | null {
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
    const type = typeOfWord(singles.type[s]);
    const isDerived = singles.derivation[s] !== NO_DERIVATION;
    if (from === to && !isDerived) return "a move to itself";
    if (isSlot(to) && isDerived) return "a value is derived in a slot";
    if (!(from < SLOT) && isSlot(to))
      return "a move from slot to slot, or rematerialized into a slot";
    for (const side of [from, to]) {
      if (side < SLOT && isVector(side) !== isFloating(type)) return `${type} in ${side}`;
    }
    const value = read(from, type);
    if (isRemat(from)) {
      // The instruction may use both scratch registers.
      units.set(SCRATCH.generalScratch, Number.NaN);
      units.set(SCRATCH.vectorScratch, Number.NaN);
    }
    units.set(to, isDerived ? DERIVED + value : value);
    if (isSlot(to) && isWide(type)) units.set(to + 1, -value);
  }
  for (const [from, to, type, derivation] of moves) {
    const expected = derivation === undefined ? before(from) : DERIVED + before(from);
    if (read(to, type) !== expected) return `the value of ${from} is not in ${to}`;
  }
  return null;
}

/**
 * Returns moves with distinct targets, any sources; slots 0, 2, 4 … are wide, those from 40 on
 * narrow.
 */
function randomMoves(source: ChoiceSource): Moves {
  const moves: [number, number, Type, number?][] = [];
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
    // One register as a 4-byte and an 8-byte source cannot hold both; allocators never make such
    // moves.
    if (taken.has(to)) continue;
    taken.add(to);
    const canDerive = !isMadeAnew && !isSlot(to) && source.below(4) === 0;
    if (canDerive) moves.push([from, to, type, derivationBy(FIRST_INSTRUCTION, type)]);
    else moves.push([from, to, type]);
  }
  return moves;
}

test("a parallel move becomes single moves with the same effect", (t) => {
  const source = new SeedSource(1n, "parallel moves");
  for (let k = 0; k < trials(4_000, 100_000); k++) {
    const moves = randomMoves(source);
    const wrong = sequentializeFault(moves);
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
      t.is(sequentializeFault(moves), null, JSON.stringify(moves));
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
  t.is(sequentializeFault(cycle), null);
});

test("overlapping slots and targets written twice are rejected, and the graph is cleared", (t) => {
  const overlap: Moves = [
    [SLOT, 1, Int64],
    [2, SLOT + 1, Int32],
  ];
  const twice: Moves = [
    [1, 0, Int64],
    [2, 0, Int64],
  ];
  t.throws(() => sequentializeFault(overlap), { name: "InternalError" });
  t.throws(() => sequentializeFault(twice), { name: "InternalError" });
  t.is(sequentializeFault([overlap[1], [3, SLOT + 3, Int32]]), null);
});

// --- puzzles ---

for (const allocator of ALLOCATOR_NAMES) {
  test(`puzzles: ${allocator} passes the checker, and the results are equal`, (t) => {
    const judge = new PuzzleJudge(PARTS, allocator, FULL);
    const faults: string[] = [];
    for (let seed = 0; seed < trials(250, 20_000); seed++) {
      const fault = judge.judge(seed);
      if (fault !== null) faults.push(`puzzle ${seed}: ${fault}`);
    }
    t.deepEqual(faults, []);
    const { instructions, moves, cleaned, spilled } = judge;
    t.log(`${instructions} instructions, ${moves} moves, ${cleaned} left, ${spilled} with spills`);
    t.true(cleaned < moves);
  });
}

// --- mutations ---

const lir = new Lir();
const allocation = new Allocation();

// A loop that is entered by two edges, after which only the Phi is in the same register: register
// 1.
test("a Phi's value of the previous iteration is not its value", (t) => {
  lir.reset();
  const [start, first, second, phi, next] = numbers(0, 5).map(() => lir.newVreg(Int64));
  const define = (vreg: number) =>
    packOperand(vregAt(vreg), OperandRole.Definition, OperandPolicy.Register);
  const use = (vreg: number) =>
    packOperand(vregAt(vreg), OperandRole.UseAtStart, OperandPolicy.Register);
  const block = (phis: number[], code: [number, number[]][], to: number[], inputs: number[]) => {
    lir.beginBlock();
    for (const vreg of phis) lir.addPhi(vregAt(vreg));
    for (const [opcode, operands] of code) {
      for (const word of operands) lir.addOperand(word);
      lir.endInstruction(opcode, 0, 0, -1);
    }
    for (const successor of to) lir.addSuccessor(blockAt(successor));
    for (const vreg of inputs) lir.addPhiInput(vregAt(vreg));
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
  const registerOf = [0, 1, 1, 1, 2].map(generalRegister);
  for (let o = 0; o < lir.operandCount; o++) lir.location[o] = registerOf[vregOf(lir.operand[o])];
  allocation.reset();
  allocation.usedRegisters.fill(1);
  const backEdge = lir.terminatorOf(4);
  allocation.addMove(backEdge, MoveOrder.Resolve, registerOf[4], registerOf[1], Int64);
  t.deepEqual(new AllocationChecker().check(lir, PUZZLE_ROWS, FULL, allocation), []);
  allocation.moveCount = 0;
  t.is(new AllocationChecker().check(lir, PUZZLE_ROWS, FULL, allocation).length, 2); // the uses of the Phi
});

test("mutations: the checker rejects every one that changes a result", (t) => {
  const puzzles = new PuzzleJudge(PARTS, "linear-scan", FULL);
  const judge = new MutationJudge(3);
  const ordinary = trials(500, 5_000);
  let names: readonly MutationName[] = MUTATION_NAMES;
  for (let seed = 0; seed < 4 * ordinary && names.length > 0; seed++) {
    // Few puzzles contain moves that derive a value.
    if (seed >= ordinary) names = names.filter((name) => judge.counts[name].changed <= 15);
    const subject = puzzles.solve(seed, { blocks: 1 + (seed % 8), instructions: 8 });
    t.is(judge.begin(subject), null);
    for (const name of names) {
      const missed = judge.judge(subject, name);
      if (missed !== null) t.fail(`puzzle ${seed}: ${missed}`);
    }
  }
  for (const name of MUTATION_NAMES) {
    const { tried, changed, rejected } = judge.counts[name];
    t.log(`${name}: ${tried}, ${changed} changed a run, ${rejected - changed} rejected besides`);
    t.true(changed > 15, `${name} changes a run too rarely`);
  }
});

test("a checker without one of its rules fails the test", (t) => {
  const puzzles = new PuzzleJudge(PARTS, "linear-scan", FULL);
  const blind = new MutationJudge(3, (...subject) =>
    new AllocationChecker().check(...subject).filter((fault) => !fault.includes("late use")),
  );
  let misses = 0;
  for (let seed = 0; seed < 200; seed++) {
    const subject = puzzles.solve(seed);
    t.is(blind.begin(subject), null);
    if (blind.judge(subject, "wrong snapshot location") !== null) misses++;
  }
  t.true(misses > 20, `${misses} misses`);
});
