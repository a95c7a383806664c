// What a kind of world is, and what a world is made with.

import type { Maker } from "../generate/maker/maker.js";
import type { Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import type { Words } from "../ir/words.js";
import type { Source } from "../support/source.js";

/** A row of the table of worlds. */
export interface WorldKind {
  readonly name: string;
  /** One line for people. */
  readonly says: string;
  /** Worlds side by side in a program: so few that all together reach no limit of the optimizer. */
  readonly each: number;
  /** Of the tuples of operands, how many one execution goes over. */
  readonly tuples: number;
  /** True: operands lie at the bounds of the program, and beside them. */
  readonly isAtBounds: boolean;
  /** Worlds, each once up to symmetry. */
  readonly count: () => number;
  /** The same with all names of operands and both orders of commuting ones. */
  readonly named: () => number;
  /** Appends world `index` of `count`, and gives what it computes. */
  readonly make: (index: number, site: Site) => Value;
}

/** Tuples of operands that each world is tried on, by one execution or several. */
export const TUPLES = 64;
/** What most kinds have: a program's fixed costs are shared by many worlds. */
export const CROWD = { each: 64, tuples: TUPLES, isAtBounds: false } as const;

/** Operands of one type that a world may name. */
export const OPERANDS = 3;
/** Bytes of the cell of the heap that is a world's own. */
export const CELL_BYTES = 48;

/** Where a world stands: the procedure around it, its operands, and its cell of the heap. */
export interface Site {
  readonly maker: Maker;
  /** Draws what an index leaves open; a later round over all worlds draws otherwise. */
  readonly source: Source;
  /** Operands by type, in registers. */
  readonly operands: readonly (readonly Value[])[];
  /** By operand: the address of the row of the table that holds it. */
  readonly rows: readonly Value[];
  /** By type, constants that worlds compare with: where operands lie at bounds. */
  readonly bounds: readonly (readonly Words[])[];
  /** The base of the heap. */
  readonly heap: Value;
  /** What is added to the base to get the cell. */
  readonly cell: number;
  /** Distinct in a program. */
  readonly number: number;
}

/** Where the table of operands begins, by type: the distance from a row's address. */
export const TABLE_OFFSETS: readonly number[] = [0, 64, 0, 68, 128];
/** Distinct values of each operand and type. */
export const TABLE_ROWS = 8;
/** Bytes of the table: eight rows of Int64, of Int32 beside Float, and of Double. */
export const TABLE_BYTES = 3 * 8 * TABLE_ROWS;

/** An operand, read again from the table. */
export function loadOperand(site: Site, opcode: Opcode, type: Type, operand: number): Value {
  const load = site.maker.append(opcode, type, site.rows[operand]);
  load.lo = TABLE_OFFSETS[type];
  return load;
}

/** The digits of a number, by the number of choices at each place; the last place varies fastest. */
export function digitsOf(index: number, radices: readonly number[]): number[] {
  const digits = radices.map(() => 0);
  let rest = index;
  for (let place = radices.length - 1; place >= 0; place--) {
    digits[place] = rest % radices[place];
    rest = Math.floor(rest / radices[place]);
  }
  return digits;
}

/** Of rows with so many worlds each, which one a number is in, and its number there. */
export function rowOf(
  index: number,
  counts: readonly number[],
): readonly [row: number, index: number] {
  let [row, rest] = [0, index];
  while (rest >= counts[row]) rest -= counts[row++];
  return [row, rest];
}

export const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

type Size = Pick<WorldKind, "each" | "tuples" | "isAtBounds">;

/** A kind of rows, each with digits of its own; no choice of these is equal to another by symmetry. */
export function kindOfRows<Row>(
  name: string,
  says: string,
  rows: readonly Row[],
  radicesOf: (row: Row) => readonly number[],
  make: (row: Row, digits: readonly number[], site: Site) => Value,
  size: Size = CROWD,
): WorldKind {
  const counts = rows.map((row) => product(radicesOf(row)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  const makeOf = (index: number, site: Site): Value => {
    const [row, number] = rowOf(index, counts);
    return make(rows[row], digitsOf(number, radicesOf(rows[row])), site);
  };
  return { ...size, name, says, count: () => count, named: () => count, make: makeOf };
}

/** A kind whose worlds are all choices of digits, none equal to another by symmetry. */
export function worldKind(
  name: string,
  says: string,
  radices: readonly number[],
  make: WorldKind["make"],
  size: Size = CROWD,
): WorldKind {
  const count = product(radices);
  return { ...size, name, says, count: () => count, named: () => count, make };
}
