// Tests the purpose of colouring on LIR that is small enough to check by eye: copies that
// disappear, memory where it costs least, and linear scan for graphs that are too large.

import test from "ava";
import { Int64 } from "../../../src/ir/types.js";
import { AllocationArenas } from "../../allocate.js";
import { blockAt, vregAt } from "../../lir/indices.js";
import {
  generalRegister,
  Lir,
  OperandPolicy,
  OperandRole,
  packOperand,
  type RegisterSet,
  SLOT,
  vectorRegister,
} from "../../lir/lir.js";
import { PARTS } from "../../parts.js";
import { Allocation, MOVE_STRIDE } from "../allocation.js";
import { EVENT, EVENTS } from "../events.js";
import { PuzzleJudge } from "../stress/judge-puzzle.js";
import { PUZZLE_ROWS, Row } from "../stress/lir-puzzles.js";

const lir = new Lir();
const allocation = new Allocation();
const arenas = new AllocationArenas(PARTS);

/** Three registers, all caller-saved. */
const THREE: RegisterSet = {
  general: [0, 1, 2].map(generalRegister),
  vector: [vectorRegister(0)],
  callerSaved: new Uint8Array(64).fill(1),
  generalScratch: generalRegister(11),
  vectorScratch: vectorRegister(15),
};

const define = (vreg: number) =>
  packOperand(vregAt(vreg), OperandRole.Definition, OperandPolicy.Register);
const use = (vreg: number) =>
  packOperand(vregAt(vreg), OperandRole.UseAtStart, OperandPolicy.Register);
const useIn = (vreg: number, register: number) =>
  packOperand(vregAt(vreg), OperandRole.UseAtStart, OperandPolicy.Fixed, register);

interface Edges {
  readonly phis?: readonly number[];
  readonly to: readonly number[];
  readonly inputs?: readonly number[];
}

type Code = readonly (readonly [opcode: number, ...operands: number[]])[];

function block({ phis = [], to, inputs = [] }: Edges, code: Code): void {
  lir.beginBlock();
  for (const vreg of phis) lir.addPhi(vregAt(vreg));
  for (const [opcode, ...operands] of code) {
    for (const word of operands) lir.addOperand(word);
    lir.endInstruction(opcode, 0, 0, -1);
  }
  for (const successor of to) lir.addSuccessor(blockAt(successor));
  for (const vreg of inputs) lir.addPhiInput(vregAt(vreg));
  lir.endBlock();
}

function newVregs(count: number): number[] {
  lir.reset();
  return Array.from({ length: count }, () => lir.newVreg(Int64));
}

/** Allocates; returns the faults that the checker finds. */
function allocate(registers: RegisterSet): string[] {
  const procedure = { lir, rows: PUZZLE_ROWS, registers, allocation };
  return arenas.allocate("colouring", procedure, { cleansUp: false, checks: true });
}

const countOf = (event: keyof typeof EVENT): number => allocation.events[EVENT[event]];

/** By move: the gap, from, to. */
const movesOf = (): number[][] =>
  Array.from({ length: allocation.moveCount }, (_, m) => {
    const [group, from, to] = allocation.moves.slice(m * MOVE_STRIDE);
    return [group >> 2, from, to];
  });

test("a Phi, its inputs, the definition that reuses it and a fixed register are one register", (t) => {
  const [first, second, phi, sum] = newVregs(4);
  const reuse = packOperand(vregAt(sum), OperandRole.Definition, OperandPolicy.MustReuseInput);
  block({ to: [1, 2] }, [[Row.entry], [Row.branch]]);
  block({ to: [3], inputs: [first] }, [[Row.op, define(first)], [Row.jump]]);
  block({ to: [3], inputs: [second] }, [[Row.op, define(second)], [Row.jump]]);
  block({ phis: [phi], to: [] }, [
    [Row.op, reuse, use(phi)],
    [Row.return, useIn(sum, 2)],
  ]);
  t.deepEqual(allocate(THREE), []);
  t.deepEqual(movesOf(), []);
  t.deepEqual([...lir.location.slice(0, lir.operandCount)], [2, 2, 2, 2, 2]);
});

test("a value that only passes through a loop is in memory there; a value that the loop uses is not", (t) => {
  const [passing, x, y, z] = newVregs(4);
  block({ to: [1] }, [
    [Row.entry, define(passing)],
    [Row.op, define(x)],
    [Row.op, define(y)],
    [Row.op, define(z)],
    [Row.jump],
  ]);
  block({ to: [2, 3] }, [[Row.branch, use(x)]]);
  block({ to: [1] }, [[Row.op, use(x), use(y), use(z)], [Row.jump]]);
  // So many uses that a spill seems expensive.
  const uses: Code = Array.from({ length: 40 }, () => [Row.op, use(passing)]);
  block({ to: [] }, [...uses, [Row.return]]);
  t.deepEqual(allocate(THREE), []);
  t.is(countOf("cut-around-loop"), 1);
  const stored = movesOf().filter(([, , to]) => to >= SLOT);
  const loaded = movesOf().filter(([, from]) => from >= SLOT);
  t.deepEqual([stored.length, loaded.length], [1, 1]);
  t.is(stored[0][0], 1, "right after its definition");
  t.true(loaded[0][0] >= lir.blockStart[3], "behind the loop");
});

test("a procedure with many values live at once is left to linear scan", (t) => {
  const vregs = newVregs(1000);
  const [live, last] = [100, vregs.length - 1];
  const middle: Code = vregs.slice(live).map((v, k) => [Row.op, define(v), use(vregs[k])]);
  block({ to: [] }, [
    [Row.entry],
    ...vregs.slice(0, live).map((v): Code[number] => [Row.op, define(v)]),
    ...middle,
    ...vregs.slice(last - live + 1).map((v): Code[number] => [Row.op, use(v)]),
    [Row.return],
  ]);
  t.deepEqual(allocate(THREE), []);
  t.is(countOf("too-large"), 1);
});

test("every other event of this allocator alone occurs in puzzles", (t) => {
  const judge = new PuzzleJudge(PARTS, "colouring", PARTS.plans.x64.target.registers);
  const counts = new Int32Array(EVENTS.length);
  for (let seed = 0; seed < 300; seed++) {
    judge.solve(seed);
    for (let e = 0; e < counts.length; e++) counts[e] += judge.allocation.events[e];
  }
  const never = EVENTS.filter(
    ({ by }, e) => by.length === 1 && by[0] === "colouring" && counts[e] === 0,
  ).map(({ name }) => name);
  t.deepEqual(never, ["too-large"]);
});
