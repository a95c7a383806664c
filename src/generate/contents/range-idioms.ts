// Emits ranges of numbers that follow from a guard, a mask or a conversion, and operations that are
// defined only because of them.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64 } from "../../ir/types.js";
import { aimAt, COMPARISONS, drawComparison, pickParameter } from "../maker/conditions.js";
import { guardAgainst, pickSnapshot } from "../maker/exits.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";

// Emits a guard that establishes an order of x and c, and a comparison of x or its extension with c
// or a neighbour. The result is known, nearly known, or open.
export function guardedRange(maker: ProcedureMaker): void {
  const x = pickParameter(maker, Int32);
  const bound = maker.chance(60) ? maker.below(48) - 16 : 0x7fffffff - maker.below(3);
  aimAt(maker, x, [bound, 0]);
  const flag = maker.append(pickOrder(maker), Int32, x, maker.integer(Int32, bound));
  guardAgainst(maker, flag);
  const isWide = maker.swarm.hasType[Int64] && maker.chance(40);
  const type = isWide ? Int64 : Int32;
  const extended = isWide
    ? maker.append(maker.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, x)
    : maker.chance(30)
      ? maker.append(Op.Neg, Int32, x)
      : x;
  const near = maker.integer(type, bound + maker.below(3) - 1);
  observe(maker, maker.emit(pickOrder(maker), Int32, extended, near));
  if (maker.chance(40))
    observe(maker, maker.emit(Op.GreaterEqual, Int32, x, maker.integer(Int32, 0)));
}

const pickOrder = (maker: ProcedureMaker) => COMPARISONS[maker.below(COMPARISONS.length)];

// Emits a division that is defined only after its guard.
export function guardedDivision(maker: ProcedureMaker): void {
  const x = maker.pickValue(Int32);
  const y = pickParameter(maker, Int32);
  aimAt(maker, y, [0, 0]);
  guardAgainst(maker, maker.append(Op.Equal, Int32, y, maker.integer(Int32, 0)));
  const from = maker.chance(50) ? pickParameter(maker, Int32) : x;
  observe(maker, maker.emit(maker.chance(50) ? Op.UDiv : Op.UMod, Int32, from, y));
}

// Emits computations on Doubles that are integers; the result of several steps may be out of range,
// or -0.
export function integersAsDoubles(maker: ProcedureMaker): void {
  if (!maker.swarm.hasType[Double]) {
    guardedRange(maker);
    return;
  }
  let sum = integerAsDouble(maker);
  for (let steps = maker.chance(50) ? maker.below(3) : 0; steps >= 0; steps--) {
    const opcode = [Op.Add, Op.Sub, Op.Mul, Op.Mul, Op.Neg][maker.below(5)];
    sum =
      opcode === Op.Neg
        ? maker.append(opcode, Double, sum)
        : maker.append(opcode, Double, sum, integerAsDouble(maker));
  }
  const isWide = maker.swarm.hasType[Int64] && maker.chance(30);
  const roll = maker.below(6);
  if (roll === 0) {
    const other = integerAsDouble(maker);
    observe(maker, maker.emit(drawComparison(maker, Double), Int32, sum, other));
  } else if (isWide) observe(maker, maker.emit(Op.TruncS64, Int64, sum));
  else if (roll < 3 || maker.dials.guards === 0) {
    observe(maker, maker.emit(maker.chance(60) ? Op.TruncS32 : Op.ToInt32, Int32, sum));
  } else {
    const snapshot = pickSnapshot(maker);
    const opcode = maker.chance(50) ? Op.CheckToInt32 : Op.CheckToInt32Exact;
    maker.emit(opcode, Int32, sum).extra = snapshot;
  }
}

// Returns an integer of few bits, with one sign or both, or any integer. An aimed input sets it at
// times to 0.
function integerAsDouble(maker: ProcedureMaker): Value {
  const roll = maker.below(10);
  if (roll < 3) {
    const x = pickParameter(maker, Int32);
    aimAt(maker, x, [maker.below(3) - 1, 0]);
    return maker.append(Op.IToD, Double, x);
  }
  let x = maker.pickValue(Int32);
  if (roll < 8) {
    const most = 2 ** (1 + maker.below(30)) - 1;
    x = maker.append(Op.BitAnd, Int32, x, maker.integer(Int32, most));
    if (maker.chance(40)) {
      x = maker.append(Op.Sub, Int32, x, maker.integer(Int32, 1 << maker.below(31)));
    }
  }
  return maker.append(Op.IToD, Double, x);
}

// Emits a fraction whose expression implies bounds, converted to an integer. A compiler that
// converts it without a range check must prove that it fits and is not a NaN.
export function boundedFractions(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  const type = hasType[Double] ? Double : Float;
  if (!hasType[type]) {
    guardedRange(maker);
    return;
  }
  const leaf = (): Value => {
    const mask = maker.integer(Int32, 2 ** (1 + maker.below(31)) - 1);
    const x = maker.pickValue(Int32);
    const masked = maker.chance(65) ? maker.append(Op.BitAnd, Int32, x, mask) : x;
    const isSigned = maker.chance(60);
    if (type === Double) return maker.append(isSigned ? Op.IToD : Op.UToD, Double, masked);
    return maker.append(isSigned ? Op.IToF : Op.UToF, Float, masked);
  };
  const fraction = maker.closed(maker.constant(type));
  const first = leaf();
  const isScaled = maker.chance(50);
  const opcode = [Op.Mul, Op.Div, Op.Div, Op.Sub][maker.below(4)];
  let x = maker.append(opcode, type, first, isScaled ? fraction : leaf());
  if (maker.chance(30)) x = maker.append([Op.Sqrt, Op.Abs, Op.Neg][maker.below(3)], type, x);
  const isWide = hasType[Int64] && maker.chance(40);
  const wide = maker.chance(50) ? Op.TruncS64 : Op.TruncU64;
  const narrow = maker.chance(50) ? Op.TruncS32 : Op.TruncU32;
  observe(maker, maker.emit(isWide ? wide : narrow, isWide ? Int64 : Int32, x));
}

// Emits Doubles that are representable as Floats, one of them by a selection; at times one is not
// representable.
export function floatsAsDoubles(maker: ProcedureMaker): void {
  const { hasType } = maker.swarm;
  if (!hasType[Double] || !hasType[Float]) {
    guardedDivision(maker);
    return;
  }
  const wide = (): Value => maker.append(Op.FloatToDouble, Double, maker.pickValue(Float));
  const x = wide();
  const other = maker.chance(75) ? wide() : maker.pickValue(Double);
  const chosen = maker.append(Op.Select, Double, maker.pickValue(Int32), x, other);
  const opcodes = [Op.Add, Op.Sub, Op.Mul, Op.Div];
  let result = maker.append(opcodes[maker.below(4)], Double, chosen, wide());
  if (maker.chance(30)) result = maker.append(opcodes[maker.below(4)], Double, result, wide());
  maker.emit(Op.DoubleToFloat, Float, result);
}
