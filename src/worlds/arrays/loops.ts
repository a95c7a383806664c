// Makes worlds of loops over arrays, which vectorizers compile. An iteration loads an element, applies one operation,
// and uses the result. The written array may overlap the array that is read, so that an iteration reads what an earlier
// or a later one writes.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import { choice, product } from "../counted.js";
import type { MemoryAccess } from "../memory.js";
import { returnResults } from "../procedures.js";
import { emitStep, resultBits } from "../steps.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";
import {
  ELEMENT_OPERATIONS,
  type ElementOperation,
  type ElementValues,
  otherLoad,
  PLAIN_USES,
  type ResultUse,
  searchFor,
  storeIf,
  storeOf,
} from "./elements.js";
import { ADDRESSES, ARRAY_BYTES, REGION_BYTES, runOnArrays, startOnArrays } from "./region.js";

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

/** Returns the use of each result in a loop that ends at `exit`. */
type LoopUse = (exit: BasicBlock) => ResultUse;
const USES: readonly LoopUse[] = [...PLAIN_USES.map((use) => () => use), () => storeIf, searchFor];

interface ArrayWorld {
  readonly operation: ElementOperation;
  readonly use: LoopUse;
  readonly stride: number;
  readonly distance: number | null;
  readonly times: (typeof TIMES)[number];
  readonly counted: (typeof COUNTERS)[number];
  readonly test: (typeof TESTS)[number];
  readonly addresses: (typeof ADDRESSES)[number];
}
const WORLDS = product<ArrayWorld>({
  operation: ELEMENT_OPERATIONS,
  use: choice(USES),
  stride: choice(STRIDES),
  distance: choice(DISTANCES),
  times: choice(TIMES),
  counted: choice(COUNTERS),
  test: choice(TESTS),
  addresses: choice(ADDRESSES),
});

const make = (world: ArrayWorld, site: WorldSite): Value =>
  runOnArrays(site, world.operation.element.load.type, loopProcedure(world, site));

/** Makes the procedure that runs the loop. */
function loopProcedure(world: ArrayWorld, site: WorldSite): Procedure {
  const { element, step, other } = world.operation;
  const { use, stride, distance, counted, test, addresses } = world;
  const [type, extend] = counted;
  const { result } = step.instance;
  const { maker, arrays, some, site: own } = startOnArrays(site, "array", addresses);
  const { proc } = maker;
  const [first, read, third] = arrays;
  const target = distance === null ? third : first;
  const written = storeOf(element, step);
  const most = Math.min(
    TIMES_MAX,
    Math.floor(ARRAY_BYTES / (Math.abs(stride) * Math.max(element.bytes, written.bytes))),
  );
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
  const loadAt = ({ opcode, type }: MemoryAccess, base: Value, number: Value): Value => {
    const value = maker.append(opcode, type, addressOf(base, number, element.bytes));
    maker.setOpen(value, false);
    return value;
  };
  const values: ElementValues = {
    ...{ site: own, counter, state },
    element: loadAt(element.load, first, position),
    loadOther: (number) => loadAt(otherLoad(element, own), read, numbered(number)),
    store: (value, number) => {
      const address = addressOf(target, numbered(number), written.bytes);
      const store = maker.append(written.opcode, Void, maker.closed(value), address);
      store.offset = (distance ?? 0) * written.bytes;
    },
  };
  const computed = emitStep(own, step, values.element, (wanted) => other(values, wanted));
  maker.upsilon(use(exit)(values, computed), state);
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

export const ARRAY_LOOPS: readonly WorldKind[] = [
  kindOf(
    "array",
    "a loop over arrays, which may overlap, with one operation on each element",
    WORLDS,
    make,
    { perProgram: 1, tuples: 8, cellBytes: REGION_BYTES },
  ),
];
