// Defines a kind of world, and the site at which a world is made.

import type { Maker } from "../generate/maker/maker.js";
import type { Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import type { Words } from "../ir/words.js";
import type { Source } from "../support/source.js";

/** A row of the table of worlds. */
export interface WorldKind {
  readonly name: string;
  /** A description in one line. */
  readonly says: string;
  /** Worlds in one program: few enough to reach no limit of the optimizer together. */
  readonly each: number;
  /** The number of operand tuples in one execution. */
  readonly tuples: number;
  /** Whether operands are at the bounds of the program, and next to them. */
  readonly isAtBounds: boolean;
  /** Returns the number of worlds, each once up to symmetry. */
  readonly count: () => number;
  /**
   * Returns the number of worlds without symmetry: all operand names and both orders of commuting
   * operands.
   */
  readonly named: () => number;
  /** Appends world `index` of `count`, and returns its result. */
  readonly make: (index: number, site: Site) => Value;
}

/** Operand tuples on which each world is tried, in one execution or several. */
export const TUPLES = 64;
/** The settings of most kinds: many worlds share the fixed costs of a program. */
export const CROWD = { each: 64, tuples: TUPLES, isAtBounds: false } as const;

/** Operands of one type that a world may use. */
export const OPERANDS = 3;
/** Bytes of the heap cell that belongs to a world. */
export const CELL_BYTES = 48;

/** The environment of a world: the current procedure, its operands, and its heap cell. */
export interface Site {
  readonly maker: Maker;
  /** Draws the choices that an index leaves open; a later round over all worlds draws others. */
  readonly source: Source;
  /** Operands by type, in registers. */
  readonly operands: readonly (readonly Value[])[];
  /** By operand: the address of its row in the table. */
  readonly rows: readonly Value[];
  /**
   * By type: constants that worlds compare with, and at which operands are if the kind is at
   * bounds.
   */
  readonly bounds: readonly (readonly Words[])[];
  /** The base of the heap. */
  readonly heap: Value;
  /** The offset of the cell from the base. */
  readonly cell: number;
  /** Unique within a program. */
  readonly number: number;
}

/** By type: the offset of the operand table from a row's address. */
export const TABLE_OFFSETS: readonly number[] = [0, 64, 0, 68, 128];
/** Distinct values of each operand and type. */
export const TABLE_ROWS = 8;
/** Bytes of the table: eight rows of Int64, of Int32 beside Float, and of Double. */
export const TABLE_BYTES = 3 * 8 * TABLE_ROWS;

/** Loads an operand from the table again. */
export function loadOperand(site: Site, opcode: Opcode, type: Type, operand: number): Value {
  const load = site.maker.append(opcode, type, site.rows[operand]);
  load.offset = TABLE_OFFSETS[type];
  return load;
}

/**
 * Splits a number into digits, by the number of choices at each position; the last digit varies
 * fastest.
 */
export function digitsOf(index: number, radices: readonly number[]): number[] {
  const digits = radices.map(() => 0);
  let rest = index;
  for (let place = radices.length - 1; place >= 0; place--) {
    digits[place] = rest % radices[place];
    rest = Math.floor(rest / radices[place]);
  }
  return digits;
}

/** Finds the row of a number, if rows have these many worlds, and its number within the row. */
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

/** Makes a kind from rows, each with digits of its own. No two choices may be equal by symmetry. */
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

/** Makes a kind whose worlds are all choices of digits. No two choices may be equal by symmetry. */
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
