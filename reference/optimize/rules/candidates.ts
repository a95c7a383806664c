// Which variants may match a value: entered by its opcode, the opcodes of its first two operands,
// and its type.
//
// To the variants of one root most opcodes of an operand are alike: those that the same variants
// allow are one class. So there is a list for two classes and a type, and of lists that are equal
// one is kept. What is left for the program of a variant to test lies deeper.
//
// There are thousands of lists, of which a program asks for a few hundred, so each is made when it is
// first asked for, and so are the classes of a root.

import { ALL_OPCODES, OPCODE_COUNT, Op, type Opcode, specOf } from "../../../src/ir/opcodes.js";
import { CONSTANT_OPCODES, type Value } from "../../../src/ir/procedure.js";
import { Double, Float, Int32, Int64, TYPE_NAMES, type Type } from "../../../src/ir/types.js";

// What a variant requires of an operand: an opcode, or one of these.
export const ANYTHING = -1;
export const ANY_CONSTANT = -2;
export const INTEGER_CONSTANT = -3;
export const FLOAT_CONSTANT = -4;

/** A variant, as far as it can be told from a value and the opcodes of its operands. */
export interface Entrance {
  readonly opcode: Opcode;
  readonly firstNeed: number;
  readonly secondNeed: number;
  /** A bit for each type that T may be. */
  readonly types: number;
}

/** By opcode: T of its row shows in the first operand; else in the result. */
const TYPE_IS_OF_FIRST = Uint8Array.from(ALL_OPCODES, (opcode) =>
  specOf(opcode).args[0] === "T" ? 1 : 0,
);
const TYPE_COUNT = TYPE_NAMES.length;

const NO_ROOT = -1;
const NOT_ENTERED = -2;
const NOT_MADE = -1;

export class Candidates {
  /** All lists, each behind its length; the one at 0 is empty. To be read after each `of`. */
  lists = new Int32Array(1 << 12);
  private listsEnd = 1;
  /** By opcode of a value: its row in the next two tables; NO_ROOT if no variant has that root. */
  private readonly rows = new Int16Array(OPCODE_COUNT);
  private readonly roots: Root[] = [];
  /** By row, and opcode of an operand: what its class adds to the number of a list. */
  private readonly first: Int32Array;
  private readonly second: Int32Array;
  /** By number of a list: where it stands in `lists`, or NOT_MADE. */
  private starts = new Int32Array(1 << 12).fill(NOT_MADE);
  private listCount = 0;
  /** By the numbers of its variants: where a list stands. */
  private readonly known = new Map([["", 0]]);
  private readonly variants: readonly Entrance[];
  /** Their numbers, by root. */
  private readonly byRoot = new Map<Opcode, number[]>();

  constructor(variants: readonly Entrance[]) {
    this.variants = variants;
    this.rows.fill(NO_ROOT);
    variants.forEach(({ opcode }, v) => {
      const own = this.byRoot.get(opcode);
      if (own !== undefined) own.push(v);
      else this.byRoot.set(opcode, [v]);
      this.rows[opcode] = NOT_ENTERED;
    });
    this.first = new Int32Array(this.byRoot.size * OPCODE_COUNT);
    this.second = new Int32Array(this.byRoot.size * OPCODE_COUNT);
  }

  /** Where the list of a value starts in `lists`, with its length. */
  of({ opcode, type, a, b }: Value): number {
    const row = this.rows[opcode];
    if (row === NO_ROOT) return 0;
    const at = (row === NOT_ENTERED ? this.enter(opcode) : row) * OPCODE_COUNT;
    const known: Type = TYPE_IS_OF_FIRST[opcode] === 1 && a !== null ? a.type : type;
    const x = this.first[at + (a === null ? Op.Nop : a.opcode)];
    const y = this.second[at + (b === null ? Op.Nop : b.opcode)];
    const start = this.starts[x + y + known];
    return start === NOT_MADE ? this.make(this.rows[opcode], x + y + known) : start;
  }

  /** Gives the row of a root that is met for the first time. */
  private enter(opcode: Opcode): number {
    const { variants, roots } = this;
    const own = this.byRoot.get(opcode) ?? [];
    const firsts = classesOf(own, (v) => variants[v].firstNeed);
    const seconds = classesOf(own, (v) => variants[v].secondNeed);
    const row = roots.length;
    const begin = this.listCount;
    roots.push({ begin, firsts, seconds });
    for (const operand of ALL_OPCODES) {
      const at = row * OPCODE_COUNT + operand;
      this.first[at] = begin + firsts.of[operand] * seconds.members.length * TYPE_COUNT;
      this.second[at] = seconds.of[operand] * TYPE_COUNT;
    }
    this.listCount += firsts.members.length * seconds.members.length * TYPE_COUNT;
    if (this.listCount > this.starts.length) {
      const longer = new Int32Array(2 * this.listCount).fill(NOT_MADE, begin);
      longer.set(this.starts.subarray(0, begin));
      this.starts = longer;
    }
    this.rows[opcode] = row;
    return row;
  }

  /** The list of that number. */
  private make(row: number, number: number): number {
    const { begin, firsts, seconds } = this.roots[row];
    const place = number - begin;
    const type = place % TYPE_COUNT;
    const pair = (place - type) / TYPE_COUNT;
    const second = seconds.members[pair % seconds.members.length];
    const first = firsts.members[Math.floor(pair / seconds.members.length)];
    const list = [...first].filter(
      (v) => second.has(v) && ((this.variants[v].types >> type) & 1) !== 0,
    );
    const key = list.join();
    const start = this.known.get(key) ?? this.add(list);
    this.known.set(key, start);
    this.starts[number] = start;
    return start;
  }

  private add(list: readonly number[]): number {
    const start = this.listsEnd;
    this.listsEnd = start + 1 + list.length;
    if (this.listsEnd > this.lists.length) {
      const longer = new Int32Array(2 * this.listsEnd);
      longer.set(this.lists);
      this.lists = longer;
    }
    this.lists[start] = list.length;
    this.lists.set(list, start + 1);
    return start;
  }
}

/** The lists of one root: for each class of a first operand, of a second one, and type, in that order. */
interface Root {
  /** Number of the first of them. */
  readonly begin: number;
  readonly firsts: Classes;
  readonly seconds: Classes;
}

interface Classes {
  /** By opcode of an operand: the index of its class. */
  readonly of: readonly number[];
  /** By class: the variants that allow its opcodes, in their order. */
  readonly members: readonly ReadonlySet<number>[];
}

function classesOf(variants: readonly number[], needOf: (variant: number) => number): Classes {
  const needs = [...new Set(variants.map(needOf))];
  const members: Set<number>[] = [];
  const indices = new Map<string, number>();
  const classOf = (opcode: Opcode): number => {
    const met = needs.filter((need) => meets(opcode, need));
    const key = met.join();
    const index = indices.get(key) ?? members.length;
    if (index === members.length) {
      members.push(new Set(variants.filter((v) => met.includes(needOf(v)))));
    }
    indices.set(key, index);
    return index;
  };
  // Nobody asks for most opcodes by name: these are one class.
  const named = new Set([...needs.filter((need) => need >= 0), ...CONSTANT_OPCODES]);
  const plain = ALL_OPCODES.find((opcode) => !named.has(opcode));
  const classOfPlain = plain === undefined ? 0 : classOf(plain);
  const of = ALL_OPCODES.map((opcode) => (named.has(opcode) ? classOf(opcode) : classOfPlain));
  return { of, members };
}

const INTEGER_CONSTANTS = [CONSTANT_OPCODES[Int32], CONSTANT_OPCODES[Int64]];
const FLOAT_CONSTANTS = [CONSTANT_OPCODES[Float], CONSTANT_OPCODES[Double]];

function meets(opcode: Opcode, need: number): boolean {
  if (need === ANYTHING) return true;
  const isInteger = INTEGER_CONSTANTS.includes(opcode);
  const isFloat = FLOAT_CONSTANTS.includes(opcode);
  if (need === ANY_CONSTANT) return isInteger || isFloat;
  if (need === INTEGER_CONSTANT) return isInteger;
  return need === FLOAT_CONSTANT ? isFloat : opcode === need;
}
