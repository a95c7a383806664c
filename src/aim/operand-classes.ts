// Divides the values of each type into classes. Boundaries have classes of their own. Inputs are
// moved to members of classes, and the distribution counts pairs of classes.

import { Float, isFloating, TYPE_NAMES, type Type, VALUE_TYPES } from "../ir/types.js";
import { bitsOfNumber, numberOf, type SignedBits, widthOf } from "./bits.js";

export interface OperandClass {
  readonly name: string;
  /** Some values of the class; for a boundary all, or the most important ones. */
  readonly members: readonly SignedBits[];
  /** Returns whether the class contains the bits; a value belongs to the first class that does. */
  readonly takes: (bits: SignedBits) => boolean;
}

const only = (name: string, member: SignedBits): OperandClass => ({
  name,
  members: [member],
  takes: (bits) => bits === member,
});

/** The ends of narrower integers, signed and unsigned, where extensions and truncations change. */
function narrowEnds(type: Type): readonly SignedBits[] {
  const ends = [7n, 8n, 15n, 16n, 31n, 32n].flatMap((bit) => {
    const end = 1n << bit;
    return [end - 1n, end, -end, -end - 1n];
  });
  const width = BigInt(widthOf(type));
  return ends.filter((bits) => bits < 1n << (width - 2n) && bits >= -1n << (width - 2n));
}

function integerClasses(type: Type): readonly OperandClass[] {
  const width = BigInt(widthOf(type));
  const least = -1n << (width - 1n);
  const ends = narrowEnds(type);
  const isEnd = new Set(ends);
  return [
    only("0", 0n),
    only("1", 1n),
    only("-1", -1n),
    only("least", least),
    only("greatest", ~least),
    only("width - 1", width - 1n),
    only("width", width),
    { name: "end of a narrower type", members: ends, takes: (bits) => isEnd.has(bits) },
    { name: "positive", members: [5n, 1n << (width - 2n)], takes: (bits) => bits > 0n },
    { name: "negative", members: [-5n, least + 5n], takes: () => true },
  ];
}

/** Magnitudes from which integers are not exact, or do not fit. */
const LIMITS = [24, 31, 32, 53, 63, 64].map((bit) => 2 ** bit);
const isLimit = new Set(LIMITS);
const TIES = [0.5, 1.5, 2.5, 4194303.5];
const isTie = (size: number): boolean => size - Math.floor(size) === 0.5;

function floatClasses(type: Type): readonly OperandClass[] {
  const infinity = bitsOfNumber(type, Number.POSITIVE_INFINITY);
  const leastNormal = bitsOfNumber(type, type === Float ? 2 ** -126 : 2 ** -1022);
  const signBit = -1n << BigInt(widthOf(type) - 1);
  const quiet = 1n << (type === Float ? 22n : 51n);
  const sizeOf = (bits: SignedBits): SignedBits => bits & ~signBit;
  const of = (numbers: readonly number[]): SignedBits[] =>
    numbers.map((x) => bitsOfNumber(type, x));
  const both = (sizes: readonly SignedBits[]): SignedBits[] => [
    ...sizes,
    ...sizes.map((bits) => bits | signBit),
  ];
  const numbers: readonly OperandClass[] = [
    {
      name: "tie",
      members: both(of(TIES)),
      takes: (bits) => isTie(Math.abs(numberOf(type, bits))),
    },
    {
      name: "limit",
      members: both(of(LIMITS)),
      takes: (bits) => isLimit.has(Math.abs(numberOf(type, bits))),
    },
    { name: "positive", members: of([3, 1e30]), takes: (bits) => bits > 0n },
    { name: "negative", members: of([-3, -1e30]), takes: () => true },
  ];
  return [
    only("0", 0n),
    only("-0", signBit),
    only("infinity", infinity),
    only("-infinity", infinity | signBit),
    {
      name: "quiet NaN",
      members: both([infinity | quiet, infinity | quiet | 1n]),
      takes: (bits) => sizeOf(bits) > infinity && (bits & quiet) !== 0n,
    },
    {
      name: "signalling NaN",
      members: both([infinity | 1n]),
      takes: (bits) => sizeOf(bits) > infinity,
    },
    {
      name: "subnormal",
      members: both([1n, leastNormal - 1n]),
      takes: (bits) => sizeOf(bits) < leastNormal,
    },
    ...numbers,
  ];
}

const BY_TYPE = TYPE_NAMES.map((_, t) => {
  const type = VALUE_TYPES[t - 1];
  if (t === 0) return [];
  return isFloating(type) ? floatClasses(type) : integerClasses(type);
});

/** The classes of a type; the last takes all remaining values. */
export const classesOf = (type: Type): readonly OperandClass[] => BY_TYPE[type];
