// Makes worlds of adjacent elements: the same operation on each, in straight code, which compilers turn into one
// operation on a vector. Some elements are read in another order, and some have another operation.

import { chance } from "../../generate/maker/odds.js";
import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Int32, Int64, Void } from "../../ir/types.js";
import { SeedSource } from "../../support/source.js";
import { choice, product } from "../counted.js";
import type { MemoryAccess } from "../memory.js";
import { returnResults } from "../procedures.js";
import { emitStep, resultBits, STEPS } from "../steps.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";
import {
  ELEMENT_OPERATIONS,
  type ElementOperation,
  type ElementValues,
  otherLoad,
  PLAIN_USES,
  type ResultUse,
  storeOf,
} from "./elements.js";
import { ADDRESSES, REGION_BYTES, runOnArrays, startOnArrays } from "./region.js";

const LANES = [2, 3, 4, 8];
/** Returns the element that a lane reads. */
type LaneOrder = (lane: number, lanes: number) => number;
const LANE_ORDERS: readonly LaneOrder[] = [
  (lane) => lane,
  (lane) => lane,
  (lane, lanes) => lanes - 1 - lane,
  (lane, lanes) => (lane + 1) % lanes,
  (lane) => lane ^ 1,
  (lane) => 2 * lane,
  () => 0,
];
/** Elements from the array that is read to the one that is written; null: another array. */
const DISTANCES: readonly (number | null)[] = [null, null, 0, 1, -2, 4];
/** Lanes with another operation: none, those with odd numbers, or the last one. */
const ODD_LANES: readonly ((lane: number, lanes: number) => boolean)[] = [
  () => false,
  () => false,
  (lane) => lane % 2 === 1,
  (lane, lanes) => lane === lanes - 1,
];
/** Percentage of worlds in which all lanes draw the same constants and comparisons. */
const ALIKE_OF_100 = 60;

interface LaneWorld {
  readonly operation: ElementOperation;
  readonly use: ResultUse;
  readonly lanes: number;
  readonly order: LaneOrder;
  readonly distance: number | null;
  readonly isOdd: (typeof ODD_LANES)[number];
  readonly addresses: (typeof ADDRESSES)[number];
}
const WORLDS = product<LaneWorld>({
  operation: ELEMENT_OPERATIONS,
  use: choice(PLAIN_USES),
  lanes: choice(LANES),
  order: choice(LANE_ORDERS),
  distance: choice(DISTANCES),
  isOdd: choice(ODD_LANES),
  addresses: choice(ADDRESSES),
});

const make = (world: LaneWorld, site: WorldSite): Value =>
  runOnArrays(site, world.operation.element.load.type, laneProcedure(world, site));

/** Makes the procedure with the code of all lanes. */
function laneProcedure(world: LaneWorld, site: WorldSite): Procedure {
  const { element, step, other } = world.operation;
  const { use, lanes, isOdd, addresses } = world;
  const { maker, site: own, arrays } = startOnArrays(site, "lanes", addresses);
  const { result } = step.instance;
  const oddSteps = STEPS[element.load.type].filter(({ instance }) => instance.result === result);
  const oddStep = oddSteps[site.source.below(oddSteps.length)];
  const isAlike = chance(site.source, ALIKE_OF_100);
  const seed = BigInt(site.source.below(2 ** 31));
  let state = own.operands[result][0];
  for (let lane = 0; lane < lanes; lane++) {
    const source = new SeedSource(isAlike ? seed : seed + BigInt(lane), "lane");
    const values = laneOf(world, { ...own, source }, arrays, { lane, state });
    const computed = emitStep(own, isOdd(lane, lanes) ? oddStep : step, values.element, (type) =>
      other(values, type),
    );
    state = use(values, computed);
  }
  returnResults(maker, resultBits(own, state));
  return maker.proc;
}

/** Loads the element of a lane, and returns the values that its operation can use. */
function laneOf(
  { operation: { element, step }, lanes, order, distance }: LaneWorld,
  site: WorldSite,
  [first, second, third]: readonly Value[],
  { lane, state }: { readonly lane: number; readonly state: Value },
): ElementValues {
  const { maker } = site;
  const written = storeOf(element, step);
  /** Returns an address, and the bytes that its access adds to it. */
  const placeOf = (
    base: Value,
    number: Value | null,
    at: number,
    bytes: number,
  ): [Value, number] => {
    if (number === null) return [base, at * bytes];
    const distance = maker.append(Op.Mul, Int32, number, maker.integer(Int32, bytes));
    return [maker.append(Op.Add, Int64, base, maker.append(Op.ZExt32, Int64, distance)), 0];
  };
  const loadAt = (
    { opcode, type }: MemoryAccess,
    base: Value,
    number: Value | null,
    at: number,
  ): Value => {
    const [address, offset] = placeOf(base, number, at, element.bytes);
    const value = maker.append(opcode, type, address);
    value.offset = offset;
    maker.setOpen(value, false);
    return value;
  };
  return {
    ...{ site, state, counter: maker.integer(Int32, lane) },
    element: loadAt(element.load, first, null, order(lane, lanes)),
    loadOther: (number) => loadAt(otherLoad(element, site), second, number, lane),
    store: (value, number) => {
      const target = distance === null ? third : first;
      const [address, offset] = placeOf(target, number, lane + (distance ?? 0), written.bytes);
      maker.append(written.opcode, Void, maker.closed(value), address).offset = offset;
    },
  };
}

export const LANE_GROUPS: readonly WorldKind[] = [
  kindOf(
    "lanes",
    "one operation on each of some adjacent elements, in straight code",
    WORLDS,
    make,
    {
      perProgram: 1,
      tuples: 8,
      cellBytes: REGION_BYTES,
    },
  ),
];
