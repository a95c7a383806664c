// Which variants may match a value: entered by its opcode, the opcodes of its first two operands,
// and its type.
//
// To the variants of one root most opcodes of an operand are alike: those that the same variants
// allow are one class. So there is a list for two classes and a type, and of lists that are equal
// one is kept. What is left for the program of a variant to test lies deeper.

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

export class Candidates {
  /** All lists, each behind its length; the one at 0 is empty. */
  readonly lists: Int32Array;
  /** By opcode of a value: its row in the next two tables; -1 if no variant has that root. */
  private readonly rows: Int16Array;
  /** By row, and opcode of an operand: what its class adds to the number of a list. */
  private readonly first: Int32Array;
  private readonly second: Int32Array;
  /** By number of a list: where it stands in `lists`. */
  private readonly starts: Int32Array;

  constructor(variants: readonly Entrance[]) {
    const roots = [...new Set(variants.map(({ opcode }) => opcode))];
    this.rows = new Int16Array(OPCODE_COUNT).fill(-1);
    this.first = new Int32Array(roots.length * OPCODE_COUNT);
    this.second = new Int32Array(roots.length * OPCODE_COUNT);
    const lists = new Lists();
    roots.forEach((root, row) => {
      this.rows[root] = row;
      this.enter(variants, root, lists);
    });
    this.lists = Int32Array.from(lists.words);
    this.starts = Int32Array.from(lists.starts);
  }

  private enter(variants: readonly Entrance[], root: Opcode, lists: Lists): void {
    const own = [...variants.keys()].filter((v) => variants[v].opcode === root);
    const firsts = classesOf(own, (v) => variants[v].firstNeed);
    const seconds = classesOf(own, (v) => variants[v].secondNeed);
    const start = lists.starts.length;
    const row = this.rows[root] * OPCODE_COUNT;
    for (const opcode of ALL_OPCODES) {
      this.first[row + opcode] = start + firsts.of[opcode] * seconds.members.length * TYPE_COUNT;
      this.second[row + opcode] = seconds.of[opcode] * TYPE_COUNT;
    }
    for (const first of firsts.members) {
      for (const second of seconds.members) {
        const both = [...first].filter((v) => second.has(v));
        for (let type = 0; type < TYPE_COUNT; type++) {
          lists.add(both.filter((v) => ((variants[v].types >> type) & 1) !== 0));
        }
      }
    }
  }

  /** Where the list of a value starts in `lists`, with its length. */
  of({ opcode, type, a, b }: Value): number {
    const row = this.rows[opcode] * OPCODE_COUNT;
    if (row < 0) return 0;
    const known: Type = TYPE_IS_OF_FIRST[opcode] === 1 && a !== null ? a.type : type;
    const x = this.first[row + (a === null ? Op.Nop : a.opcode)];
    const y = this.second[row + (b === null ? Op.Nop : b.opcode)];
    return this.starts[x + y + known];
  }
}

/** Lists of numbers one behind the other; equal ones stand there once. */
class Lists {
  readonly words = [0];
  readonly starts: number[] = [];
  private readonly known = new Map([["", 0]]);

  add(list: readonly number[]): void {
    const key = list.join();
    const start = this.known.get(key) ?? this.words.length;
    if (start === this.words.length) this.words.push(list.length, ...list);
    this.known.set(key, start);
    this.starts.push(start);
  }
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
  const of = ALL_OPCODES.map((opcode) => {
    const met = needs.filter((need) => meets(opcode, need));
    const key = met.join();
    const index = indices.get(key) ?? members.length;
    if (index === members.length) {
      members.push(new Set(variants.filter((v) => met.includes(needOf(v)))));
    }
    indices.set(key, index);
    return index;
  });
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
