// Makes worlds of loops over arrays, which vectorizers compile. An iteration loads an element, applies one operation,
// and uses the result: stores it, sums it, keeps the last or the greatest one, or leaves the loop. The written array may
// overlap the array that is read, so that an iteration reads what an earlier or a later one writes.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { chance } from "../../generate/maker/odds.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type, Void } from "../../ir/types.js";
import { choice, product, sumOver } from "../counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "../leaves.js";
import type { MemoryAccess } from "../memory.js";
import { call, returnResults, startProcedure } from "../procedures.js";
import { emitStep, type OperationStep, resultBits, STEPS } from "../steps.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";

const WORD_BYTES = 8;
/** Bytes of the elements of one array, and of the room before and after them. */
const ARRAY_BYTES = 256;
const MARGIN_BYTES = 64;
const PITCH = ARRAY_BYTES + 2 * MARGIN_BYTES;
/** Two arrays that are read, and one that is written. */
const ARRAYS = 3;
const REGION_BYTES = ARRAYS * PITCH;

interface ArrayElement {
  readonly load: MemoryAccess;
  /** The store of an integer; other results are stored in full. */
  readonly store: Opcode;
  readonly bytes: number;
}
// biome-ignore format: a table
const ELEMENTS: readonly ArrayElement[] = [
  { load: { opcode: Op.Load8Z,  type: Int32 },  store: Op.Store8,  bytes: 1 },
  { load: { opcode: Op.Load8S,  type: Int32 },  store: Op.Store8,  bytes: 1 },
  { load: { opcode: Op.Load16Z, type: Int32 },  store: Op.Store16, bytes: 2 },
  { load: { opcode: Op.Load16S, type: Int32 },  store: Op.Store16, bytes: 2 },
  { load: { opcode: Op.Load,    type: Int32 },  store: Op.Store,   bytes: 4 },
  { load: { opcode: Op.Load,    type: Int64 },  store: Op.Store,   bytes: 8 },
  { load: { opcode: Op.Load,    type: Float },  store: Op.Store,   bytes: 4 },
  { load: { opcode: Op.Load,    type: Double }, store: Op.Store,   bytes: 8 },
];
const BYTES: readonly number[] = [0, 4, 8, 4, 8];

/** Elements between those of consecutive iterations; -1: from the last element to the first. */
const STRIDES = [1, 1, 2, 3, -1];
/** Elements from the one that is read to the one that is written; null: in another array. */
const DISTANCES: readonly (number | null)[] = [null, null, 0, 1, -1, 2, 3, -4, 8];
/** The number of iterations, of the most that the array has room for; null: low bits of an operand. */
const TIMES: readonly ((most: number) => number | null)[] = [
  () => null,
  (most) => most,
  (most) => most - 1,
  (most) => (most >> 1) + 1,
];
const TIMES_MAX = 64;
/** The type of the counter, and its extension to a distance. */
const COUNTERS: readonly (readonly [Type, Opcode | null])[] = [
  [Int32, Op.ZExt32],
  [Int32, Op.SExt32],
  [Int64, null],
];
/** The test of the loop: before an iteration, or after it. */
const TESTS = ["before", "after"] as const;
/** Whether all arrays are at distances from one address, or at addresses of their own. */
const ADDRESSES = ["one", "several"] as const;

/** The values that an iteration can use. */
interface IterationValues {
  /** The site in the procedure of the loop: its operands are the procedure's. */
  readonly site: WorldSite;
  readonly counter: Value;
  /** The loaded element. */
  readonly element: Value;
  /** The state that the previous iteration left. */
  readonly state: Value;
  /** Loads an element of the second array: that of this iteration, or the one with the number. */
  readonly loadOther: (number: Value | null) => Value;
  /** Stores a value as the element of this iteration, or as the one with the number. */
  readonly store: (value: Value, number: Value | null) => void;
  readonly exit: ReturnType<Procedure["newBlock"]>;
}

const FEW = 7;
/** Returns a number from 0 to FEW that depends on the element. */
function numberOf({ site, element }: IterationValues): Value {
  const { maker } = site;
  const bits = isFloating(element.type) ? resultBits(site, element) : element;
  const low = bits.type === Int64 ? maker.append(Op.Trunc, Int32, bits) : bits;
  return maker.append(Op.BitAnd, Int32, low, maker.integer(Int32, FEW));
}

/** The other operand of the operation, of the requested type. */
const BESIDES: readonly ((turn: IterationValues, type: Type) => Value)[] = [
  ({ site }, type) => emitLeaf(site, "few", type, DRAWN_CONSTANT),
  ({ site: { operands } }, type) => operands[type][0],
  (turn, type) => ofType(turn, type, turn.loadOther(null)),
  (turn, type) => ofType(turn, type, turn.loadOther(numberOf(turn))),
  (turn, type) => ofType(turn, type, turn.counter),
];
const ofType = ({ site }: IterationValues, type: Type, value: Value): Value =>
  value.type === type ? value : site.operands[type][0];

const ORDERS: readonly Opcode[] = [
  Op.LessThan,
  Op.GreaterThan,
  Op.LessEqual,
  Op.Equal,
  Op.NotEqual,
];
/** Compares the element with an operand or with the element of the second array. */
function isChosen(turn: IterationValues): Value {
  const { site, element } = turn;
  const { maker, source, operands } = site;
  const opcode = ORDERS[source.below(ORDERS.length)];
  const other = chance(source, 50) ? turn.loadOther(null) : operands[element.type][0];
  return maker.append(opcode, Int32, element, other);
}

/** Reductions of two values of a type, which vectorizers compute in another order if that is equal. */
const SUMS: readonly (readonly Opcode[])[] = [
  [],
  ...[Int32, Int64].map(() => [Op.Add, Op.Sub, Op.Mul, Op.BitAnd, Op.BitOr, Op.BitXor]),
  ...[Float, Double].map(() => [Op.Add, Op.Sub, Op.Mul]),
];
const EXTREMES: readonly Opcode[] = [Op.LessThan, Op.GreaterThan];
const UNSIGNED_EXTREMES: readonly Opcode[] = [Op.Below, Op.Above];

/** A use of the result; returns the new state, of the result's type. */
type ResultUse = (turn: IterationValues, result: Value) => Value;
const USES: readonly ResultUse[] = [
  stored,
  // A copy of an array, and a fill: the result is not used.
  (turn, { type }) => stored(turn, ofType(turn, type, turn.element)),
  (turn, { type }) => stored(turn, turn.site.operands[type][0]),
  (turn, result) => {
    const { maker } = turn.site;
    const [chosen, join] = [maker.proc.newBlock(), maker.proc.newBlock()];
    maker.branch(isChosen(turn), chosen, join);
    maker.block = chosen;
    turn.store(result, null);
    maker.jump(join);
    maker.block = join;
    return turn.state;
  },
  (turn, result) => {
    const { maker } = turn.site;
    const other = ofType(turn, result.type, turn.element);
    return stored(turn, maker.append(Op.Select, result.type, isChosen(turn), result, other));
  },
  (turn, result) => {
    turn.store(result, numberOf(turn));
    return turn.state;
  },
  summed,
  (turn, result) => {
    const { maker } = turn.site;
    const sum = summed(turn, result);
    return maker.append(Op.Select, result.type, isChosen(turn), sum, turn.state);
  },
  (turn, result) => {
    const { maker, source } = turn.site;
    const isUnsigned = !isFloating(result.type) && chance(source, 50);
    const orders = isUnsigned ? UNSIGNED_EXTREMES : EXTREMES;
    const isBetter = maker.append(orders[source.below(orders.length)], Int32, result, turn.state);
    return maker.append(Op.Select, result.type, isBetter, result, turn.state);
  },
  ({ site, state, ...turn }, result) =>
    site.maker.append(Op.Select, result.type, isChosen({ site, state, ...turn }), result, state),
  // The element of this iteration, and that of the previous one.
  (turn, result) => {
    turn.store(
      turn.site.maker.append(combinationOf(turn, result), result.type, result, turn.state),
      null,
    );
    return result;
  },
  (turn, result) => {
    const { maker } = turn.site;
    const next = maker.proc.newBlock();
    stored(turn, result);
    maker.branch(isChosen(turn), turn.exit, next);
    maker.block = next;
    return result;
  },
];

function stored(turn: IterationValues, result: Value): Value {
  turn.store(result, null);
  return turn.state;
}

function summed(turn: IterationValues, result: Value): Value {
  const { maker } = turn.site;
  return maker.append(combinationOf(turn, result), result.type, turn.state, result);
}

const combinationOf = ({ site: { source } }: IterationValues, { type }: Value): Opcode =>
  SUMS[type][source.below(SUMS[type].length)];

interface ArrayWorld {
  readonly element: ArrayElement;
  readonly step: OperationStep;
  readonly beside: (typeof BESIDES)[number];
  readonly use: ResultUse;
  readonly stride: number;
  readonly distance: number | null;
  readonly times: (typeof TIMES)[number];
  readonly counted: (typeof COUNTERS)[number];
  readonly test: (typeof TESTS)[number];
  readonly addresses: (typeof ADDRESSES)[number];
}
const WORLDS = sumOver(ELEMENTS, (element) =>
  sumOver(STEPS[element.load.type], (step) =>
    product<ArrayWorld>({
      element: choice([element]),
      step: choice([step]),
      beside: choice(step.instance.operands.length === 1 ? BESIDES.slice(0, 1) : BESIDES),
      use: choice(USES),
      stride: choice(STRIDES),
      distance: choice(DISTANCES),
      times: choice(TIMES),
      counted: choice(COUNTERS),
      test: choice(TESTS),
      addresses: choice(ADDRESSES),
    }),
  ),
);

function make(world: ArrayWorld, site: WorldSite): Value {
  const { maker, operands } = site;
  const loop = loopProcedure(world, site);
  const region = maker.append(Op.Add, Int64, site.heap, maker.integer(Int64, site.cell));
  const [filled, summed] = [fillProcedure(world, site), checksumProcedure(site)];
  const given = [Int32, Int64, Float, Double].map((type) => operands[type][0]);
  const arrays = Array.from({ length: ARRAYS }, (_, a) =>
    maker.append(Op.Add, Int64, region, maker.integer(Int64, a * PITCH + MARGIN_BYTES)),
  );
  call(maker, filled, [region, ...given]);
  const result = call(maker, loop, [...arrays, operands[Int32][1], ...given]);
  const left = call(maker, summed, [region]);
  return maker.append(Op.BitXor, Int64, result, left);
}

/** Returns the type of the stored elements, their store and their bytes. */
function storeOf({ element, step }: ArrayWorld): { opcode: Opcode; bytes: number } {
  const { result } = step.instance;
  const isNarrow = result === Int32 && element.load.type === Int32;
  return isNarrow
    ? { opcode: element.store, bytes: element.bytes }
    : { opcode: Op.Store, bytes: BYTES[result] };
}

/** Makes the procedure that runs the loop: three addresses, a number, and an operand of each type. */
function loopProcedure(world: ArrayWorld, site: WorldSite): Procedure {
  const { element, step, beside, use, stride, distance, counted, test, addresses } = world;
  const [type, extend] = counted;
  const { load } = element;
  const { result } = step.instance;
  const types = [Int64, Int64, Int64, Int32, Int32, Int64, Float, Double];
  const maker = startProcedure(site, "array", [Int64], types);
  const { proc } = maker;
  const [first, second, third, some, ...given] = proc.parameters;
  const own: WorldSite = { ...site, maker, operands: [[], ...given.map((value) => [value])] };
  const other = (address: Value, number: number): Value =>
    addresses === "several"
      ? address
      : maker.append(Op.Add, Int64, first, maker.integer(Int64, number * PITCH));
  const written = storeOf(world);
  const most = Math.min(
    TIMES_MAX,
    Math.floor(ARRAY_BYTES / (Math.abs(stride) * Math.max(element.bytes, written.bytes))),
  );
  const [read, target] = [other(second, 1), distance === null ? other(third, 2) : first];
  const count = countOf(world, maker, some, most);
  const counter = proc.newValue(Op.Phi, type);
  const state = proc.newValue(Op.Phi, result);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(maker.integer(type, 0), counter);
  maker.upsilon(own.operands[result][0], state);
  maker.jump(header);
  maker.block = header;
  maker.place(counter, false);
  maker.place(state, true);
  const goesOn = (value: Value): Value => maker.append(Op.LessThan, Int32, value, count);
  if (test === "before") {
    const body = proc.newBlock();
    maker.branch(goesOn(counter), body, exit);
    maker.block = body;
  }
  const position = positionOf(maker, counter, count, stride);
  const addressOf = (base: Value, number: Value, bytes: number): Value => {
    const scaled = maker.append(Op.Mul, number.type, number, maker.integer(number.type, bytes));
    const wide =
      extend === null || scaled.type === Int64 ? scaled : maker.append(extend, Int64, scaled);
    return maker.append(Op.Add, Int64, base, wide);
  };
  const numbered = (number: Value | null): Value => {
    if (number === null) return position;
    return type === Int64 ? maker.append(Op.ZExt32, Int64, number) : number;
  };
  const loadAt = (base: Value, number: Value): Value => {
    const value = maker.append(load.opcode, load.type, addressOf(base, number, element.bytes));
    maker.setOpen(value, false);
    return value;
  };
  const turn: IterationValues = {
    ...{ site: own, counter, state, exit },
    element: loadAt(first, position),
    loadOther: (number) => loadAt(read, numbered(number)),
    store: (value, number) => {
      const address = addressOf(target, numbered(number), written.bytes);
      const store = maker.append(written.opcode, Void, maker.closed(value), address);
      store.offset = (distance ?? 0) * written.bytes;
    },
  };
  const computed = emitStep(own, step, turn.element, (wanted) => beside(turn, wanted));
  maker.upsilon(use(turn, computed), state);
  const next = maker.append(Op.Add, type, counter, maker.integer(type, 1));
  maker.upsilon(next, counter);
  if (test === "before") maker.jump(header);
  else maker.branch(goesOn(next), header, exit);
  maker.block = exit;
  const left = resultBits(own, state);
  returnResults(maker, maker.append(Op.BitXor, Int64, left, resultBits(own, counter)));
  return proc;
}

/** Returns the position of the iteration's element in its array. */
function positionOf(maker: ProcedureMaker, counter: Value, count: Value, stride: number): Value {
  const { type } = counter;
  if (stride > 0) {
    return stride === 1
      ? counter
      : maker.append(Op.Mul, type, counter, maker.integer(type, stride));
  }
  const last = maker.append(Op.Sub, type, count, maker.integer(type, 1));
  return maker.append(Op.Sub, type, last, counter);
}

/** Returns the number of iterations, at most `most`; a loop that is tested after an iteration has one or more. */
function countOf(
  { times, counted: [type], test }: ArrayWorld,
  maker: ProcedureMaker,
  some: Value,
  most: number,
): Value {
  const fixed = times(most);
  if (fixed !== null) return maker.integer(type, fixed);
  const mask = 2 ** Math.floor(Math.log2(most)) - 1;
  const low = maker.append(Op.BitAnd, Int32, some, maker.integer(Int32, mask));
  const wide = type === Int64 ? maker.append(Op.ZExt32, Int64, low) : low;
  return test === "before" ? wide : maker.append(Op.Add, type, wide, maker.integer(type, 1));
}

/**
 * Makes a loop over the words of a region.
 * @param body returns the new state of an iteration
 */
function overWords(
  maker: ProcedureMaker,
  bytes: number,
  start: Value,
  body: (address: Value, counter: Value, state: Value) => Value,
): Value {
  const { proc } = maker;
  const [counter, state] = [proc.newValue(Op.Phi, Int32), proc.newValue(Op.Phi, start.type)];
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(maker.integer(Int32, 0), counter);
  maker.upsilon(start, state);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, state]) maker.place(phi, false);
  const distance = maker.append(Op.Mul, Int32, counter, maker.integer(Int32, bytes));
  const wide = maker.append(Op.ZExt32, Int64, distance);
  const address = maker.append(Op.Add, Int64, proc.parameters[0], wide);
  maker.upsilon(body(address, counter, state), state);
  const next = maker.append(Op.Add, Int32, counter, maker.integer(Int32, 1));
  maker.upsilon(next, counter);
  const limit = maker.integer(Int32, REGION_BYTES / bytes);
  maker.branch(maker.append(Op.LessThan, Int32, next, limit), header, exit);
  maker.block = exit;
  return state;
}

/** Each eighth element of a filled array of floats is an operand, such as a NaN, an infinity or -0. */
const SPECIAL_MASK = 7;
const STEP = 37;
const NUMBERS_MASK = 1023;

/** Makes the procedure that fills the arrays from operands: the region, and an operand of each type. */
function fillProcedure({ element }: ArrayWorld, site: WorldSite): Procedure {
  const { type } = element.load;
  const maker = startProcedure(site, "fill", [Int64], [Int64, Int32, Int64, Float, Double]);
  const [, narrow, wide, ...floats] = maker.proc.parameters;
  if (!isFloating(type)) {
    const filled = overWords(maker, WORD_BYTES, wide, (address, counter, state) => {
      maker.append(Op.Store, Void, state, address);
      const turned = maker.append(Op.RotL, Int64, wide, counter);
      const added = maker.append(Op.SExt32, Int64, counter);
      return maker.append(Op.Add, Int64, turned, added);
    });
    returnResults(maker, filled);
    return maker.proc;
  }
  const special = floats[type === Float ? 0 : 1];
  const filled = overWords(maker, BYTES[type], special, (address, counter, state) => {
    maker.append(Op.Store, Void, state, address);
    const moved = maker.append(Op.Mul, Int32, counter, maker.integer(Int32, STEP));
    const mixed = maker.append(Op.BitXor, Int32, moved, narrow);
    const small = maker.append(Op.BitAnd, Int32, mixed, maker.integer(Int32, NUMBERS_MASK));
    const number = maker.append(type === Float ? Op.IToF : Op.IToD, type, small);
    const low = maker.append(Op.BitAnd, Int32, counter, maker.integer(Int32, SPECIAL_MASK));
    return maker.append(Op.Select, type, low, number, special);
  });
  returnResults(maker, resultBits({ ...site, maker }, filled));
  return maker.proc;
}

/** Makes the procedure that combines the words of the region so that their order matters. */
function checksumProcedure(site: WorldSite): Procedure {
  const maker = startProcedure(site, "checksum", [Int64], [Int64]);
  const start = maker.integer(Int64, 0);
  const sum = overWords(maker, WORD_BYTES, start, (address, _counter, state) => {
    const turned = maker.append(Op.RotL, Int64, state, maker.integer(Int32, 5));
    return maker.append(Op.Add, Int64, turned, maker.append(Op.Load, Int64, address));
  });
  returnResults(maker, sum);
  return maker.proc;
}

export const ARRAY_LOOPS: readonly WorldKind[] = [
  kindOf(
    "array",
    "a loop over arrays, which may overlap, with one operation on each element",
    WORLDS,
    make,
    { each: 1, tuples: 8, cellBytes: REGION_BYTES },
  ),
];
