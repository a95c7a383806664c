// Makes worlds of widths: three consecutive operations that mask, shift or extend an integer, with
// constants near the ends of narrower types. They determine the facts that a compiler can
// derive about the upper bits.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import { type CountedSet, choice, map, sumOver } from "./counted.js";
import { resultBits } from "./steps.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** One operation, and its result type. */
interface ChainLink {
  readonly opcode: Opcode;
  readonly to: Type;
  /** The other operand, a constant; null if the operation has none. */
  readonly by: { readonly type: Type; readonly words: WordPair } | null;
}

const unary = (to: Type, ...opcodes: readonly Opcode[]): ChainLink[] =>
  opcodes.map((opcode) => ({ opcode, to, by: null }));
const shifts = (to: Type, counts: readonly number[]): ChainLink[] =>
  [Op.Shl, Op.SShr, Op.ZShr].flatMap((opcode) =>
    counts.map((count): ChainLink => ({ opcode, to, by: { type: Int32, words: [count, 0] } })),
  );
const masks = (to: Type, all: readonly WordPair[]): ChainLink[] =>
  all.map((words) => ({ opcode: Op.BitAnd, to, by: { type: to, words } }));

const NARROW_MASKS: readonly WordPair[] = [
  [0x7f, 0],
  [0xff, 0],
  [0xffff, 0],
  [0x7fffffff, 0],
];
const WIDE_MASKS: readonly WordPair[] = [...NARROW_MASKS, [-1, 0], [-1, 1]];

/** The operations that extend, truncate or shift, by type of the value. */
const LINKS: { readonly [type: number]: readonly ChainLink[] } = {
  [Int32]: [
    ...unary(Int64, Op.ZExt32, Op.SExt32, Op.SExt8To64, Op.SExt16To64),
    ...unary(Int32, Op.SExt8, Op.SExt16),
    ...shifts(Int32, [1, 7, 8, 16, 24, 31]),
    ...masks(Int32, NARROW_MASKS),
  ],
  [Int64]: [
    ...unary(Int32, Op.Trunc, Op.TruncHigh),
    ...shifts(Int64, [1, 8, 16, 30, 31, 32, 33, 48, 63]),
    ...masks(Int64, WIDE_MASKS),
  ],
};
const LENGTH = 3;

/** Returns the set of all sequences of this many operations on a value of the type. */
function linksOn(type: Type, length: number): CountedSet<readonly ChainLink[]> {
  if (length === 0) return choice([[]]);
  return sumOver(LINKS[type], (link) =>
    map(linksOn(link.to, length - 1), (rest) => [link, ...rest]),
  );
}

const WORLDS = sumOver([Int32, Int64], (type) =>
  map(linksOn(type, LENGTH), (links) => ({ type, links })),
);

function append({ maker }: WorldSite, value: Value, { opcode, to, by }: ChainLink): Value {
  if (by === null) return maker.append(opcode, to, value);
  return maker.append(opcode, to, value, maker.constantOf(by.type, ...by.words));
}

export const WIDTHS: readonly WorldKind[] = [
  kindOf(
    "widths",
    "three consecutive operations that mask, shift or extend an integer",
    WORLDS,
    ({ type, links }, site) =>
      resultBits(
        site,
        links.reduce((value, link) => append(site, value, link), site.operands[type][0]),
      ),
  ),
];
