// Defines a kind of world, and the site at which a world is made.

import type { ProcedureMaker } from "../generate/maker/maker.js";
import type { Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import type { Type } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import type { ChoiceSource } from "../support/source.js";
import type { CountedSet } from "./counted.js";

/** A row of the table of worlds. */
export interface WorldKind {
  readonly name: string;
  /** A description in one line. */
  readonly description: string;
  /** Worlds in one program: few enough to reach no limit of the optimizer together. */
  readonly perProgram: number;
  /** The number of operand tuples in one execution. */
  readonly tuples: number;
  /** Bytes of the heap cell that belongs to a world. */
  readonly cellBytes: number;
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
  readonly make: (index: number, site: WorldSite) => Value;
}

/** Operand tuples on which each world is tried, in one execution or several. */
export const TUPLES = 64;
/** Bytes of the heap cell of most kinds. */
export const CELL_BYTES = 48;
/** The settings of most kinds: many worlds share the fixed costs of a program. */
const CROWD = { perProgram: 64, tuples: TUPLES, cellBytes: CELL_BYTES, isAtBounds: false } as const;

/** Operands of one type that a world may use. */
export const OPERANDS = 3;

/** The environment of a world: the current procedure, its operands, and its heap cell. */
export interface WorldSite {
  readonly maker: ProcedureMaker;
  /** Draws the choices that an index leaves open; a later round over all worlds draws others. */
  readonly source: ChoiceSource;
  /** The operands of the world, by type, as values. */
  readonly operands: readonly (readonly Value[])[];
  /** By operand: the address of its row in the table. */
  readonly rows: readonly Value[];
  /**
   * Constants that worlds compare with, by type. If the kind is at bounds, operands are equal or
   * next to them.
   */
  readonly bounds: readonly (readonly WordPair[])[];
  readonly heap: Value;
  /** The offset of the cell from the base. */
  readonly cell: number;
  /** The number of the world, unique within a program. */
  readonly number: number;
}

/** By type: the offset of the operand table from a row's address. */
export const TABLE_OFFSETS: readonly number[] = [0, 64, 0, 68, 128];
/** Distinct values of each operand and type. */
export const TABLE_ROWS = 8;
/** Bytes of the table: eight rows of Int64, of Int32 beside Float, and of Double. */
export const TABLE_BYTES = 3 * 8 * TABLE_ROWS;

/** Loads an operand from the table again. */
export function loadOperand(site: WorldSite, opcode: Opcode, type: Type, operand: number): Value {
  const load = site.maker.append(opcode, type, site.rows[operand]);
  load.offset = TABLE_OFFSETS[type];
  return load;
}

/** Makes a kind from the numbered set of its worlds. */
export function kindOf<World>(
  name: string,
  description: string,
  worlds: CountedSet<World>,
  make: (world: World, site: WorldSite) => Value,
  size: Partial<Pick<WorldKind, "perProgram" | "tuples" | "cellBytes" | "isAtBounds">> = {},
): WorldKind {
  return {
    ...CROWD,
    ...size,
    name,
    description,
    count: () => worlds.count,
    named: () => worlds.named,
    make: (index, site) => make(worlds.at(index), site),
  };
}
