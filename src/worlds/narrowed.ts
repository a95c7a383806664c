// Makes worlds of narrowing: narrow operands are widened, one or two operations compute in the wide
// type, and the narrow part of the result is used or tested. Compilers compute in the narrow type
// if that is valid, which depends on each opcode, extension and constant.

import { drawBoundary } from "../generate/maker/constants.js";
import { chance } from "../generate/maker/odds.js";
import type { OpcodeInstance } from "../generate/maker/swarm.js";
import { Op, type Opcode, specOf } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../ir/types.js";
import { type CountedSet, choice, map, product, sumOver } from "./counted.js";
import { comparisonsOf } from "./facts.js";
import { commutes, emitOperation, OPERATIONS } from "./operations.js";
import { kindOf, loadOperand, type WorldKind, type WorldSite } from "./world.js";

/** A function that returns a narrow operand of the world as a wide value. */
type OperandWidener = (site: WorldSite, operand: number) => Value;
type ResultNarrower = (site: WorldSite, value: Value) => Value;

/** A wide type, and a narrow one that computes like its low part. */
interface WidthFamily {
  readonly wide: Type;
  /** The bits of the narrow type. */
  readonly bits: number;
  readonly widen: readonly OperandWidener[];
  readonly narrow: readonly ResultNarrower[];
}

const convert =
  (opcode: Opcode, from: Type, to: Type): OperandWidener =>
  ({ maker, operands }, operand) =>
    maker.append(opcode, to, operands[from][operand]);
const loaded =
  (opcode: Opcode): OperandWidener =>
  (site, operand) =>
    loadOperand(site, opcode, Int32, operand);
const masked =
  (type: Type, mask: number): ResultNarrower =>
  ({ maker }, value) =>
    maker.append(Op.BitAnd, type, value, maker.integer(type, mask));
const maskedOperand =
  (type: Type, mask: number): OperandWidener =>
  (site, operand) =>
    masked(type, mask)(site, site.operands[type][operand]);
const converted =
  (opcode: Opcode, to: Type): ResultNarrower =>
  ({ maker }, value) =>
    maker.append(opcode, to, value);
/** Narrows a value by a shift to the left and back. */
const shifted =
  (back: typeof Op.SShr | typeof Op.ZShr, count: number): ResultNarrower =>
  ({ maker }, value) => {
    const left = maker.append(Op.Shl, value.type, value, maker.integer(Int32, count));
    return maker.append(back, value.type, left, maker.integer(Int32, count));
  };
/** Narrows a value by a store to the world's cell and a narrow load. */
const stored =
  (store: Opcode, load: Opcode): ResultNarrower =>
  ({ maker, heap, cell }, value) => {
    maker.append(store, Void, value, heap).offset = cell;
    const read = maker.append(load, Int32, heap);
    read.offset = cell;
    return read;
  };
const compared: ResultNarrower = (site, value) => {
  const { maker, source } = site;
  const opcodes = comparisonsOf(value.type);
  const beside = chance(source, 50) ? drawn(site, value.type) : site.operands[value.type][2];
  return maker.append(opcodes[source.below(opcodes.length)], Int32, value, beside);
};

const FAMILIES: readonly WidthFamily[] = [
  {
    wide: Int64,
    bits: 32,
    widen: [
      convert(Op.SExt32, Int32, Int64),
      convert(Op.ZExt32, Int32, Int64),
      maskedOperand(Int64, 0xffff_ffff),
    ],
    narrow: [
      converted(Op.Trunc, Int32),
      masked(Int64, 0xffff_ffff),
      shifted(Op.SShr, 32),
      shifted(Op.ZShr, 32),
      compared,
    ],
  },
  {
    wide: Int32,
    bits: 8,
    widen: [
      convert(Op.SExt8, Int32, Int32),
      maskedOperand(Int32, 0xff),
      loaded(Op.Load8Z),
      loaded(Op.Load8S),
    ],
    narrow: [
      converted(Op.SExt8, Int32),
      masked(Int32, 0xff),
      shifted(Op.SShr, 24),
      stored(Op.Store8, Op.Load8Z),
      compared,
    ],
  },
  {
    wide: Int32,
    bits: 16,
    widen: [
      convert(Op.SExt16, Int32, Int32),
      maskedOperand(Int32, 0xffff),
      loaded(Op.Load16Z),
      loaded(Op.Load16S),
    ],
    narrow: [
      converted(Op.SExt16, Int32),
      masked(Int32, 0xffff),
      shifted(Op.ZShr, 16),
      stored(Op.Store16, Op.Load16S),
      compared,
    ],
  },
  {
    wide: Double,
    bits: 32,
    widen: [convert(Op.FloatToDouble, Float, Double)],
    narrow: [converted(Op.DoubleToFloat, Float), compared],
  },
  {
    wide: Double,
    bits: 32,
    widen: [convert(Op.IToD, Int32, Double), convert(Op.UToD, Int32, Double)],
    narrow: [
      converted(Op.TruncS32, Int32),
      converted(Op.ToInt32, Int32),
      converted(Op.TruncS64, Int64),
      compared,
    ],
  },
];

/** Draws a shift count: the narrow width, a neighbour, or any. */
function drawShiftCount({ maker, source }: WorldSite, { bits }: WidthFamily): Value {
  const number = chance(source, 60) ? bits - 1 + source.below(3) : source.below(64);
  return maker.integer(Int32, number);
}

const drawn = ({ maker, source }: WorldSite, type: Type): Value =>
  maker.constantOf(type, ...drawBoundary(source, type));

/** A function that makes the second operand of an operation; empty if it has none. */
type SecondOperand = (site: WorldSite, operand: number) => Value[];

/** Returns whether the second operand is a shift count, with a type other than the first. */
const isShift = ({ opcode, operands }: OpcodeInstance): boolean =>
  operands.length === 2 && specOf(opcode).args[1] !== "T";

/** A narrow operand, the wide operand of the world, or a constant that the round draws. */
const leavesOf = ({ wide, widen }: WidthFamily): readonly OperandWidener[] => [
  ...widen,
  (site, operand) => site.operands[wide][operand],
  (site) => drawn(site, wide),
];

function secondsOf(family: WidthFamily, instance: OpcodeInstance): CountedSet<SecondOperand> {
  if (instance.operands.length === 1) return choice([() => []]);
  const leaves: readonly OperandWidener[] = isShift(instance)
    ? [(site) => drawShiftCount(site, family), (site, operand) => site.operands[Int32][operand]]
    : leavesOf(family);
  return map(choice(leaves), (leaf) => (site, operand) => [leaf(site, operand)]);
}

interface NarrowedWorld {
  readonly inner: OpcodeInstance;
  /** The operation on the result of `inner`; null if there is none. */
  readonly outer: OpcodeInstance | null;
  readonly first: OperandWidener;
  readonly second: SecondOperand;
  readonly other: SecondOperand;
  /** Whether the result of `inner` is the second operand of `outer`. */
  readonly isSwapped: boolean;
  readonly narrow: ResultNarrower;
}

function narrowedBy(
  family: WidthFamily,
  inner: OpcodeInstance,
  outer: OpcodeInstance | null,
): CountedSet<NarrowedWorld> {
  const hasSides = outer?.operands.length === 2 && !isShift(outer) && !commutes(outer);
  return product<NarrowedWorld>({
    inner: choice([inner]),
    outer: choice([outer]),
    first: choice(family.widen),
    second: secondsOf(family, inner),
    other: outer === null ? choice<SecondOperand>([() => []]) : secondsOf(family, outer),
    isSwapped: choice(hasSides ? [false, true] : [false]),
    narrow: choice(family.narrow),
  });
}

const WORLDS = sumOver(FAMILIES, (family) => {
  const { wide } = family;
  const within = OPERATIONS.filter(
    ({ operands, result }) => result === wide && operands[0] === wide && operands.length <= 2,
  );
  return sumOver(within, (inner) =>
    sumOver([null, ...within], (outer) => narrowedBy(family, inner, outer)),
  );
});

function make(world: NarrowedWorld, site: WorldSite): Value {
  const { inner, outer, first, second, other, isSwapped, narrow } = world;
  let value = emitOperation(site.maker, inner, [first(site, 0), ...second(site, 1)]);
  if (outer !== null) {
    const both = [value, ...other(site, 2)];
    value = emitOperation(site.maker, outer, isSwapped ? both.reverse() : both);
  }
  return narrow(site, value);
}

export const NARROWED: readonly WorldKind[] = [
  kindOf(
    "narrowed",
    "narrow operands widened, one or two operations, and the narrow part of the result",
    WORLDS,
    make,
  ),
];
