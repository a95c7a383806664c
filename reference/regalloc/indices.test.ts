// Shows mix-ups of the integers of register allocation that do not compile: tsc reports an expectation without an error.

import test from "ava";
import { Int32 } from "../../src/ir/types.js";
import {
  FIRST_BLOCK,
  FIRST_INSTRUCTION,
  type Location,
  type PhysicalRegister,
  type VirtualRegister,
} from "../lir/indices.js";
import { generalRegister, Lir } from "../lir/lir.js";
import { LiveIntervals, type LiveRange, type Use } from "./live-intervals.js";
import { homeOf } from "./one-pass/holdings.js";
import { WALK_START } from "./one-pass/walk-order.js";
import { firstPieceOf, type IntervalPiece, IntervalPieces } from "./pieces.js";
import { inputOf, type Position } from "./positions.js";

const vreg: VirtualRegister = new Lir().newVreg(Int32);
const register: PhysicalRegister = generalRegister(3);
const piece: IntervalPiece = firstPieceOf(vreg);
const position: Position = inputOf(FIRST_INSTRUCTION);
const live = new LiveIntervals();

test("an index of one kind is not an index of another kind", (t) => {
  const use: Use = live.firstUse[vreg];
  const range: LiveRange = live.firstRange[vreg];
  // @ts-expect-error: a position is no piece
  const pieceOfPosition: IntervalPiece = position;
  // @ts-expect-error: a piece is no virtual register
  const vregOfPiece: VirtualRegister = piece;
  // @ts-expect-error: a virtual register is no piece, even if it has the number of its first one
  const pieceOfVreg: IntervalPiece = vreg;
  // @ts-expect-error: a block is no position
  const positionOfBlock: Position = FIRST_BLOCK;
  // @ts-expect-error: an instruction is no position
  const positionOfInstruction: Position = FIRST_INSTRUCTION;
  // @ts-expect-error: a use is no piece
  const pieceOfUse: IntervalPiece = use;
  // @ts-expect-error: a use is no range
  const rangeOfUse: LiveRange = use;
  // @ts-expect-error: a range is no position
  const positionOfRange: Position = range;
  // @ts-expect-error: a physical register is no virtual one
  const vregOfRegister: VirtualRegister = register;
  // @ts-expect-error: a position of the one-pass walk is no position in the layout
  const positionOfWalk: Position = WALK_START;
  // @ts-expect-error: a slot without an address is no location
  const locationOfHome: Location = homeOf(vreg);
  // @ts-expect-error: a number is of no kind
  const positionOfNumber: Position = position + 1;
  t.is<number, number>(pieceOfPosition, 2);
  t.is<number, number>(positionOfNumber, 3);
  t.deepEqual<number[], number[]>([vregOfPiece, pieceOfVreg, positionOfBlock], [0, 0, 0]);
  t.deepEqual<number[], number[]>([positionOfInstruction, positionOfWalk], [0, 0]);
  t.deepEqual<number[], number[]>([pieceOfUse, rangeOfUse, positionOfRange], [0, 0, 0]);
  t.is<number, number>(vregOfRegister, 3);
  t.true(Number(locationOfHome) > 0);
});

test("a column has indices and elements of one kind each", (t) => {
  const pieces = new IntervalPieces(live);
  // @ts-expect-error: a virtual register is no index of a column by piece
  const start = pieces.start[vreg];
  // @ts-expect-error: a number is no index of a column by piece
  const end = pieces.end[0];
  // @ts-expect-error: the position of a use is found by the use
  const usePosition = live.usePosition[position];
  // @ts-expect-error: the elements are positions
  pieces.start[piece] = 5;
  // @ts-expect-error: a use is no element of a column of pieces
  pieces.next[piece] = live.firstUse[vreg];
  // @ts-expect-error: a column by piece is no column by virtual register
  const byVreg: typeof live.lastEnd = pieces.end;
  t.deepEqual([start, end, usePosition], [0, 0, 0]);
  t.is<number, number>(pieces.start[piece], 5);
  t.is<number, number>(byVreg[vreg], 0);
});
