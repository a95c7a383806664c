// Makes worlds of long loops: a loop with more iterations than compilers unroll at once, in which
// one operation uses the counter. The results of iterations are combined so that their order
// matters.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { chance } from "../../generate/maker/odds.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import { below, choice, product, sumOver } from "../counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "../leaves.js";
import { emitStep, type OperationStep, resultBits, STEPS } from "../steps.js";
import { kindOf, type WorldKind, type WorldSite } from "../world.js";

/**
 * The start of the counter, such that counting does not cross an end of the type: a shifted
 * operand, or a number.
 */
const STARTS: readonly (number | null)[] = [null, 0, 1, 3, -5, 0x7fffff00, -0x7fffff00];
const START_SHIFT = 8;
const STRIDES = [1, 2, 3, 4, 8, -1, -2, -3];
/** The number of iterations: low bits of an operand, or a number. */
const TIMES: readonly (number | null)[] = [null, null, 4, 5, 8, 13];
const TIMES_MASK = 15;

/**
 * The loop continues while this holds for counter and limit; none holds for all numbers with some
 * limit.
 */
const UPWARDS: readonly Opcode[] = [Op.LessThan, Op.LessEqual, Op.NotEqual, Op.Below];
const DOWNWARDS: readonly Opcode[] = [Op.GreaterThan, Op.GreaterEqual, Op.NotEqual, Op.Above];
/** Returns the comparison with exchanged operands. */
const exchanged = (opcode: Opcode): Opcode => {
  const at = UPWARDS.indexOf(opcode);
  return at < 0 ? UPWARDS[DOWNWARDS.indexOf(opcode)] : DOWNWARDS[at];
};

/** The values that an iteration can use. */
interface IterationValues {
  readonly counter: Value;
  /** The counter of the previous iteration. */
  readonly before: Value;
  readonly sum: Value;
}

/** Small constants: masks, factors, divisors and shift counts. */
const SMALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 31, 32, 255];
/** A function that returns the other operand of the operation, of the requested type. */
type OperandMaker = (site: WorldSite, type: Type, iteration: IterationValues) => Value;
const OTHERS: readonly OperandMaker[] = [
  ({ maker, source }, type) => maker.integer(type, SMALL[source.below(SMALL.length)]),
  (site, type) => emitLeaf(site, "few", type, DRAWN_CONSTANT),
  ({ operands }, type) => operands[type][1],
  ({ operands }, type, { before }) => (before.type === type ? before : operands[type][1]),
];

/** A function that combines the sum with the 64-bit result of the iteration. */
type Accumulator = (site: WorldSite, result: Value, iteration: IterationValues) => Value;
const ACCUMULATORS: readonly Accumulator[] = [
  ({ maker }, result, { sum }) => maker.append(Op.Add, Int64, sum, result),
  ({ maker }, result, { sum }) => {
    const moved = maker.append(Op.Mul, Int64, sum, maker.integer(Int64, 10));
    return maker.append(Op.Add, Int64, moved, result);
  },
  ({ maker }, result, { sum }) => {
    const moved = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 7));
    return maker.append(Op.BitXor, Int64, moved, result);
  },
  (_site, result) => result,
  throughMemory,
];

const SLOTS_MASK = 3;
/**
 * Stores the result at one of four places selected by the counter's low bits, and adds the contents
 * of the next place.
 */
function throughMemory(site: WorldSite, result: Value, { counter, sum }: IterationValues): Value {
  const { maker, heap, cell } = site;
  const wide = counter.type === Int64 ? counter : maker.append(Op.ZExt32, Int64, counter);
  const placeOf = (index: Value): Value => {
    const slot = maker.append(Op.BitAnd, Int64, index, maker.integer(Int64, SLOTS_MASK));
    const distance = maker.append(Op.Shl, Int64, slot, maker.integer(Int32, 3));
    return maker.append(Op.Add, Int64, heap, distance);
  };
  maker.append(Op.Store, Void, result, placeOf(wide)).offset = cell;
  const load = maker.append(
    Op.Load,
    Int64,
    placeOf(maker.append(Op.Add, Int64, wide, maker.integer(Int64, 1))),
  );
  load.offset = cell;
  return maker.append(Op.Add, Int64, sum, load);
}

interface IterationWorld {
  readonly type: Type;
  readonly step: OperationStep;
  readonly start: number | null;
  readonly by: number;
  readonly times: number | null;
  readonly comparison: number;
  readonly beside: OperandMaker;
  readonly gather: Accumulator;
}
const WORLDS = sumOver([Int32, Int64], (type) =>
  sumOver(STEPS[type], (step) =>
    product<IterationWorld>({
      type: choice([type]),
      step: choice([step]),
      start: choice(STARTS),
      by: choice(STRIDES),
      times: choice(TIMES),
      comparison: below(UPWARDS.length),
      beside: choice(step.instance.operands.length === 1 ? OTHERS.slice(0, 1) : OTHERS),
      gather: choice(ACCUMULATORS),
    }),
  ),
);

function make(world: IterationWorld, site: WorldSite): Value {
  const { type, step, start, by, times, comparison, beside, gather } = world;
  const { maker, operands, source } = site;
  const { proc } = maker;
  const from = startOf(site, type, start);
  const drawnTimes = [operands[type][1], TIMES_MASK] as const;
  const limit = stepsOn(maker, from, by, times, drawnTimes);
  const [counter, before] = [proc.newValue(Op.Phi, type), proc.newValue(Op.Phi, type)];
  const sum = proc.newValue(Op.Phi, Int64);
  const [header, body, exit] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  maker.upsilon(from, counter);
  maker.upsilon(operands[type][0], before);
  maker.upsilon(operands[Int64][2], sum);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, before, sum]) maker.place(phi, false);
  const opcode = (by > 0 ? UPWARDS : DOWNWARDS)[comparison];
  const continues = chance(source, 75)
    ? maker.append(opcode, Int32, counter, limit)
    : maker.append(exchanged(opcode), Int32, limit, counter);
  maker.branch(continues, body, exit);
  maker.block = body;
  const iteration = { counter, before, sum };
  const result = emitStep(site, step, counter, (other) => beside(site, other, iteration));
  const gathered = gather(site, resultBits(site, result), iteration);
  maker.upsilon(counter, before);
  maker.upsilon(gathered, sum);
  maker.upsilon(maker.append(Op.Add, type, counter, maker.integer(type, by)), counter);
  maker.jump(header);
  maker.block = exit;
  return maker.append(Op.BitXor, Int64, sum, resultBits(site, counter));
}

function startOf({ maker, operands }: WorldSite, type: Type, start: number | null): Value {
  if (start !== null) return maker.integer(type, start);
  return maker.append(Op.SShr, type, operands[type][0], maker.integer(Int32, START_SHIFT));
}

/** Returns a number plus this many steps; if null, as many steps as low bits of the operand. */
export function stepsOn(
  maker: ProcedureMaker,
  from: Value,
  by: number,
  times: number | null,
  [operand, mask]: readonly [Value, number],
): Value {
  const { type } = from;
  if (times !== null && from.isConstant) return maker.integer(type, from.constantLow + by * times);
  const count =
    times === null
      ? maker.append(Op.BitAnd, type, operand, maker.integer(type, mask))
      : maker.integer(type, times);
  const distance = maker.append(Op.Mul, type, count, maker.integer(type, by));
  return maker.append(Op.Add, type, from, distance);
}

export const TURNS: readonly WorldKind[] = [
  kindOf(
    "turns",
    "a loop of up to fifteen iterations, in each an operation on the counter",
    WORLDS,
    make,
    { perProgram: 4 },
  ),
];
