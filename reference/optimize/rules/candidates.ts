// Selects the variants that may match a value, by its opcode, the opcodes of its first two
// operands, and its type.
//
// The variants of one root distinguish few opcodes of an operand. Opcodes that the same variants
// allow form one class. So there is one list for each pair of classes and type, and equal lists are
// shared. The program of a variant then tests only the deeper parts of the pattern.
//
// There are thousands of lists, but a program uses a few hundred. So each list, and the classes of
// each root, are created at their first use.

import { ALL_OPCODES, OPCODE_COUNT, Op, type Opcode, specOf } from "../../../src/ir/opcodes.js";
import { CONSTANT_OPCODES, type Value } from "../../../src/ir/procedure.js";
import { Double, Float, Int32, Int64, TYPE_NAMES, type Type } from "../../../src/ir/types.js";

// The requirement on an operand that any opcode satisfies. Other requirements are an opcode, or the
// next constant.
export const ANYTHING = -1;
export const ANY_CONSTANT = -2;
export const INTEGER_CONSTANT = -3;
export const FLOAT_CONSTANT = -4;

/**
 * The part of a rule variant (one option of opcodes, one order of operands) that only the types and
 * opcodes of a value and its operands decide.
 */
export interface RuleVariantKey {
  readonly opcode: Opcode;
  readonly firstNeed: number;
  readonly secondNeed: number;
  /** A bit for each allowed type T. */
  readonly types: number;
}

/**
 * By opcode: 1 if T of its row is the type of the first operand; 0 if it is the type of the result.
 */
const TYPE_IS_OF_FIRST = Uint8Array.from(ALL_OPCODES, (opcode) =>
  specOf(opcode).args[0] === "T" ? 1 : 0,
);
const TYPE_COUNT = TYPE_NAMES.length;

const NO_ROOT = -1;
const NOT_ENTERED = -2;
const NOT_MADE = -1;

export class RuleCandidates {
  /** All lists, each preceded by its length; the list at 0 is empty. `of` may replace the array. */
  lists = new Int32Array(1 << 12);
  private listsEnd = 1;
  /** By opcode of a value: its row in the next two tables; NO_ROOT if no variant has that root. */
  private readonly rows = new Int16Array(OPCODE_COUNT);
  private readonly roots: RootCandidates[] = [];
  /** By row and opcode of an operand: the part of a list's number that its class contributes. */
  private readonly first: Int32Array;
  private readonly second: Int32Array;
  /** By number of a list: its position in `lists`, or NOT_MADE. */
  private starts = new Int32Array(1 << 12).fill(NOT_MADE);
  private listCount = 0;
  /** By the joined numbers of its variants: the position of a list. */
  private readonly known = new Map([["", 0]]);
  private readonly variants: readonly RuleVariantKey[];
  /** The numbers of the variants, by root. */
  private readonly byRoot = new Map<Opcode, number[]>();

  constructor(variants: readonly RuleVariantKey[]) {
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

  /** Returns the position of a value's list in `lists`. The list begins with its length. */
  of({ opcode, type, a, b }: Value): number {
    const row = this.rows[opcode];
    if (row === NO_ROOT) return 0;
    const at = (row === NOT_ENTERED ? this.addRoot(opcode) : row) * OPCODE_COUNT;
    const known: Type = TYPE_IS_OF_FIRST[opcode] === 1 && a !== null ? a.type : type;
    const x = this.first[at + (a === null ? Op.Nop : a.opcode)];
    const y = this.second[at + (b === null ? Op.Nop : b.opcode)];
    const start = this.starts[x + y + known];
    return start === NOT_MADE ? this.addListOf(this.rows[opcode], x + y + known) : start;
  }

  /** Computes the classes of a root at its first use, and returns its row. */
  private addRoot(opcode: Opcode): number {
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

  /** Creates the list with that number, and returns its position. */
  private addListOf(row: number, number: number): number {
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

/**
 * The lists of one root, in the order of the first operand's class, the second operand's class, and
 * the type.
 */
interface RootCandidates {
  /** The number of the first candidate list of this root. */
  readonly begin: number;
  readonly firsts: OpcodeClasses;
  readonly seconds: OpcodeClasses;
}

interface OpcodeClasses {
  /** By opcode of an operand: the index of its class. */
  readonly of: readonly number[];
  /** By class: the variants that allow its opcodes, in order. */
  readonly members: readonly ReadonlySet<number>[];
}

function classesOf(
  variants: readonly number[],
  needOf: (variant: number) => number,
): OpcodeClasses {
  const needs = [...new Set(variants.map(needOf))];
  const members: Set<number>[] = [];
  const indices = new Map<string, number>();
  const classOf = (opcode: Opcode): number => {
    const satisfied = needs.filter((need) => satisfies(opcode, need));
    const key = satisfied.join();
    const index = indices.get(key) ?? members.length;
    if (index === members.length) {
      members.push(new Set(variants.filter((v) => satisfied.includes(needOf(v)))));
    }
    indices.set(key, index);
    return index;
  };
  // No variant names most opcodes, so these opcodes form one class.
  const named = new Set([...needs.filter((need) => need >= 0), ...CONSTANT_OPCODES]);
  const plain = ALL_OPCODES.find((opcode) => !named.has(opcode));
  const classOfPlain = plain === undefined ? 0 : classOf(plain);
  const of = ALL_OPCODES.map((opcode) => (named.has(opcode) ? classOf(opcode) : classOfPlain));
  return { of, members };
}

const INTEGER_CONSTANTS = [CONSTANT_OPCODES[Int32], CONSTANT_OPCODES[Int64]];
const FLOAT_CONSTANTS = [CONSTANT_OPCODES[Float], CONSTANT_OPCODES[Double]];

function satisfies(opcode: Opcode, need: number): boolean {
  if (need === ANYTHING) return true;
  const isInteger = INTEGER_CONSTANTS.includes(opcode);
  const isFloat = FLOAT_CONSTANTS.includes(opcode);
  if (need === ANY_CONSTANT) return isInteger || isFloat;
  if (need === INTEGER_CONSTANT) return isInteger;
  return need === FLOAT_CONSTANT ? isFloat : opcode === need;
}
