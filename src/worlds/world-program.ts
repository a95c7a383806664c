// Makes a program of many small worlds. A loop runs over 64 tuples of operands. For each tuple
// every world computes its result, and stores it in a cell of its own.
//
// The heap contains the table of operands, a memory cell for each world, and a row of results for
// each tuple. An input contains eight values of each type; the tuples combine them.

import type { Program } from "../generate/generate-program.js";
import { drawBoundary, drawSpecial, wordsOfNumber } from "../generate/maker/constants.js";
import { drawLayout } from "../generate/maker/heap-layout.js";
import { ProcedureMaker } from "../generate/maker/maker.js";
import { chance } from "../generate/maker/odds.js";
import { drawSwarm } from "../generate/maker/swarm.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import { Module, Procedure, type Value } from "../ir/procedure.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isFloating,
  type Type,
  VALUE_TYPES,
  Void,
} from "../ir/types.js";
import { type WordPair, wideBits, wideWords } from "../ir/words.js";
import { type ChoiceSource, SeedSource } from "../support/source.js";
import { drawNearConstant } from "./leaves.js";
import {
  TABLE_BYTES,
  TABLE_OFFSETS,
  TABLE_ROWS,
  TUPLES,
  type WorldKind,
  type WorldSite,
} from "./world.js";
import { type PositionedWorld, WORLDS, worldsOf } from "./worlds.js";

const RESULT_BYTES = 8;
const CELLS_AT = TABLE_BYTES;
const PAGE = 4096;

/** Returns the start of the result rows, and the bytes of each row. */
const resultsOf = ({ perProgram, cellBytes }: WorldKind): { at: number; row: number } => ({
  at: CELLS_AT + cellBytes * perProgram,
  row: RESULT_BYTES * perProgram,
});

/** Returns the program of a seed: all its worlds on all tuples. */
export function worldProgram(seed: bigint, profile: string): Program {
  const worlds = worldsOf(seed, profile);
  return programOf(seed, worlds, worlds[0].kind.tuples);
}

/** Returns one world of a seed's program, on all tuples. */
export const worldAlone = (seed: bigint, world: PositionedWorld): Program =>
  programOf(seed, [world], world.kind.tuples);

/** Returns one world on one tuple, without a loop. */
export function worldOnTuple(seed: bigint, world: PositionedWorld, tuple: number): Program {
  const { module } = programOf(seed, [world], 1);
  return { module, inputs: [drawOperands(seed, world.kind, tuple)], made: [] };
}

/**
 * Returns a program with these worlds.
 * @param tuples the number of tuples in one execution, starting at the one that its input names
 */
function programOf(seed: bigint, worlds: readonly PositionedWorld[], tuples: number): Program {
  const { kind } = worlds[0];
  const { at, row } = resultsOf(kind);
  const module = new Module();
  module.heapSize = Math.ceil((at + row * TUPLES) / PAGE) * PAGE;
  const entry = new Procedure("main", Void);
  module.procedures.push(entry);
  entry.newParameter(Int64);
  const first = entry.newParameter(Int32);
  for (let p = 0; p < TABLE_BYTES / 8; p++) entry.newParameter(Int64);
  const maker = makerOf(module);
  fillTable(maker);
  if (tuples === 1) makeWorlds(maker, seed, worlds, first);
  else makeLoop(maker, first, tuples, (i) => makeWorlds(maker, seed, worlds, i));
  maker.append(Op.Return, Void);
  const inputs = Array.from({ length: TUPLES / tuples }, (_, i) =>
    drawOperands(seed, kind, tuples * i),
  );
  return { module, inputs, made: [] };
}

// Worlds draw from their own sources, so the source of the Maker is the same in all programs.
const SOURCE = new SeedSource(0n, WORLDS);
const UNUSED = { source: SOURCE, swarm: drawSwarm(SOURCE, {}), layout: drawLayout(SOURCE) };

function makerOf(module: Module): ProcedureMaker {
  const context = {
    ...{ ...UNUSED, module },
    ...{ aims: [], free: [], pending: [], callees: [], made: [], patterns: [] },
    ...{ idioms: { rows: [], sums: [] }, nextExit: 0, crowds: 0, nextCell: 0, nextOpenCell: 0 },
    objectBytes: 0,
    keepsSlots: false,
    classes: null,
  };
  return new ProcedureMaker(context, module.entry, 0);
}

const heapOf = ({ proc }: ProcedureMaker): Value => proc.parameters[0];

function fillTable(maker: ProcedureMaker): void {
  const [heap, , ...values] = maker.proc.parameters;
  values.forEach((value, v) => {
    maker.append(Op.Store, Void, value, heap).offset = 8 * v;
  });
}

function makeLoop(
  maker: ProcedureMaker,
  first: Value,
  iterations: number,
  body: (index: Value) => void,
): void {
  const { proc } = maker;
  const end = maker.append(Op.Add, Int32, first, maker.integer(Int32, iterations));
  const index = proc.newValue(Op.Phi, Int32);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(first, index);
  maker.jump(header);
  maker.block = header;
  maker.place(index, false);
  body(index);
  const next = maker.append(Op.Add, Int32, index, maker.integer(Int32, 1));
  maker.upsilon(next, index);
  const continues = maker.append(Op.LessThan, Int32, next, end);
  maker.branch(continues, header, exit);
  maker.block = exit;
}

function makeWorlds(
  maker: ProcedureMaker,
  seed: bigint,
  worlds: readonly PositionedWorld[],
  index: Value,
): void {
  const rows = rowsOf(maker, index);
  const operands = [[], ...VALUE_TYPES.map((type) => rows.map((row) => operand(maker, type, row)))];
  const bounds = boundsFor(seed, worlds[0].kind);
  const { at, row } = resultsOf(worlds[0].kind);
  const rowOffset = maker.append(Op.Mul, Int32, index, maker.integer(Int32, row));
  const results = maker.append(
    Op.Add,
    Int64,
    heapOf(maker),
    maker.append(Op.ZExt32, Int64, rowOffset),
  );
  for (const { kind, index: number, position } of worlds) {
    const site: WorldSite = {
      ...{ maker, operands, rows, bounds, heap: heapOf(maker), number: position },
      source: new SeedSource(seed, `world ${position}`),
      cell: CELLS_AT + kind.cellBytes * position,
    };
    const value = kind.make(number, site);
    maker.append(Op.Store, Void, value, results).offset = at + RESULT_BYTES * position;
  }
}

/** Tuple i has value i % 8 first, i / 8 second, and a third that depends on both. */
function rowsOf(maker: ProcedureMaker, index: Value): Value[] {
  const step = 8;
  const eighth = step * (TABLE_ROWS - 1);
  const first = maker.append(
    Op.BitAnd,
    Int32,
    maker.append(Op.Shl, Int32, index, maker.integer(Int32, 3)),
    maker.integer(Int32, eighth),
  );
  const second = maker.append(Op.BitAnd, Int32, index, maker.integer(Int32, eighth));
  const both = maker.append(Op.Add, Int32, first, second);
  const third = maker.append(
    Op.BitAnd,
    Int32,
    maker.append(Op.Add, Int32, both, maker.integer(Int32, step)),
    maker.integer(Int32, eighth),
  );
  return [first, second, third].map((distance) =>
    maker.append(Op.Add, Int64, heapOf(maker), maker.append(Op.ZExt32, Int64, distance)),
  );
}

function operand(maker: ProcedureMaker, type: Type, row: Value): Value {
  const value = maker.append(Op.Load, type, row);
  value.offset = TABLE_OFFSETS[type];
  maker.setOpen(value, false);
  return value;
}

const boundsFor = (seed: bigint, { isAtBounds }: WorldKind): WordPair[][] =>
  isAtBounds ? boundsOf(seed) : [];

/**
 * Returns the input: the heap, the first tuple, then the operand table of eight Int64, eight Int32
 * each with a Float, eight Double.
 */
function drawOperands(seed: bigint, kind: WorldKind, first: number): Input {
  const source = new SeedSource(seed, "operands");
  const bounds = boundsFor(seed, kind);
  const draw = (type: Type, row: number): WordPair =>
    kind.isAtBounds && row >= 2 ? atBound(bounds[type], row - 2) : drawOperand(source, type, row);
  const words: number[] = [HEAP_BASE_LO, HEAP_BASE_HI, first, 0];
  for (let row = 0; row < TABLE_ROWS; row++) words.push(...draw(Int64, row));
  for (let row = 0; row < TABLE_ROWS; row++) words.push(draw(Int32, row)[0], draw(Float, row)[0]);
  for (let row = 0; row < TABLE_ROWS; row++) words.push(...draw(Double, row));
  return { words: Int32Array.from(words), heapSeed: 0 };
}

// Draws one of eight values of a type: two that operations most often treat wrongly, three near the
// constants of worlds, and other boundary values.
function drawOperand(source: ChoiceSource, type: Type, row: number): WordPair {
  if (row < 2) return drawSpecial(source, type);
  if (row < 5 || chance(source, 20)) return drawNearConstant(source, type);
  return drawBoundary(source, type);
}

// Draws bounds: numbers that the worlds of a program compare with; operands are at these numbers
// and next to them.

/** Returns the same numbers for each type. */
function boundsOf(seed: bigint): WordPair[][] {
  const source = new SeedSource(seed, "bounds");
  const numbers = Array.from({ length: BOUNDS }, () => drawNumber(source));
  return [[], ...VALUE_TYPES.map((type) => numbers.map((number) => wordsIn(type, number)))];
}
const BOUNDS = 2;

/** Draws mostly a power of two at a limit, or a neighbour, otherwise a small number. */
function drawNumber(source: ChoiceSource): bigint {
  if (chance(source, 30)) return BigInt(source.below(40) - 8);
  const end = 1n << BigInt(ENDS[source.below(ENDS.length)]);
  return (chance(source, 40) ? -end : end) + BigInt(chance(source, 40) ? source.below(3) - 1 : 0);
}
/** Exponents of the limits of integers, of masks, and of exact floats. */
const ENDS = [7, 8, 15, 16, 24, 31, 31, 32, 32, 53, 62, 63, 63, 64];

function wordsIn(type: Type, number: bigint): WordPair {
  if (isFloating(type)) return wordsOfNumber(type, Number(number));
  const [lo, hi] = wideWords(number);
  return [lo, type === Int64 ? hi : 0];
}

/** Returns each bound, its lower neighbour, and its upper neighbour. */
function atBound(bounds: readonly WordPair[], row: number): WordPair {
  const [lo, hi] = bounds[row % BOUNDS];
  return wideWords(wideBits(lo, hi) + BigInt(Math.floor(row / BOUNDS) - 1));
}
