// Makes the boundary tables: every opcode at every type over boundary values, from the rows of the opcode table. A case
// is the operands of one execution, and the offset if the row has one.

import {
  ALL_OPCODES,
  type EffectName,
  hasAttribute,
  isTotal,
  isValueOperand,
  nameOfOpcode,
  type Opcode,
  type OpcodeName,
  type OperandSpec,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../ir/opcodes.js";
import { HEAP_BASE } from "../ir/outcome.js";
import { Int64, nameOfType, otherBank, type Type, typeNamed, Void } from "../ir/types.js";
import { type WordPair, wideWords } from "../ir/words.js";
import { BOUNDARY_OFFSETS, boundaryOf } from "./boundary-values.js";

/** A row of the boundary table: one opcode with the types of its operands. */
export interface BoundaryRow {
  /** The name in messages: `Add Int32`, `Select Float Int64`. */
  readonly name: string;
  readonly opcode: Opcode;
  readonly result: Type;
  /** The types of the operands. For a row that reads memory, the eight bytes read and their address follow. */
  readonly operands: readonly Type[];
  /**
   * True if the operation is defined for all operands and has no effect, so that one program may
   * contain many.
   */
  readonly isTotal: boolean;
  /** True if the opcode makes a constant: its operand is part of the instruction. */
  readonly isLiteral: boolean;
  readonly cases: readonly BoundaryCase[];
}

export interface BoundaryCase {
  readonly words: readonly WordPair[];
  readonly offset: number;
}

export const HEAP_SIZE = 8192;
/** The offset at which a program stores its results; accesses are below it. */
export const RESULTS_AT = 4096;
/** The greatest number of operations of one program. Accesses of that many successive cases do not overlap. */
export const BATCH_MAX = 64;

/** The attributes for which a boundary table provides operands. */
const PROVIDED: ReadonlySet<OperandSpec> = new Set(["Const", "Offset", "Snapshot"]);

const isCovered = (opcode: Opcode): boolean => {
  const { args, effect } = specOf(opcode);
  if (effect === "control" || effect === "call" || args.length === 0) return false;
  return args.every((arg) => isValueOperand(arg) || PROVIDED.has(arg));
};

/** Returns the opcodes without a table, by effect: other tests and the generator cover them. */
export function uncoveredOpcodes(): Map<EffectName, OpcodeName[]> {
  const found = new Map<EffectName, OpcodeName[]>();
  for (const opcode of ALL_OPCODES.filter((each) => !isCovered(each))) {
    const { effect } = specOf(opcode);
    const names = found.get(effect) ?? [];
    found.set(effect, names);
    names.push(nameOfOpcode(opcode));
  }
  return found;
}

/** Returns the rows of all opcodes that have a table, in the order of the opcode table. */
export function boundaryRows(): BoundaryRow[] {
  return ALL_OPCODES.filter(isCovered).flatMap((opcode) =>
    orVoid(typesOver(opcode)).flatMap((t) =>
      orVoid(typesAlso(opcode)).map((u) => rowOf(opcode, t, u)),
    ),
  );
}

const orVoid = (types: readonly Type[]): readonly Type[] => (types.length > 0 ? types : [Void]);

function rowOf(opcode: Opcode, t: Type, u: Type): BoundaryRow {
  const { args, result, effect } = specOf(opcode);
  const typeOf = (arg: OperandSpec): Type => {
    if (arg === "T") return t;
    if (arg === "U") return u;
    return isValueOperand(arg) ? typeOfName(arg) : Void;
  };
  const gives = resultOf(result, t);
  const isLiteral = hasAttribute(opcode, "Const");
  const own = isLiteral ? [gives] : args.filter(isValueOperand).map(typeOf);
  const operands = reads(effect) || effect === "atomic" ? [...own, Int64, Int64] : own;
  const isAccess = hasAttribute(opcode, "Offset");
  return {
    name: [nameOfOpcode(opcode), ...[t, u].filter((type) => type !== Void).map(nameOfType)].join(
      " ",
    ),
    opcode,
    result: gives,
    operands,
    isTotal: isLiteral || isTotal(opcode, t),
    isLiteral,
    cases:
      effect === "atomic" ? exchanges(own) : isAccess ? accesses(effect, own) : products(operands),
  };
}

const reads = (effect: EffectName): boolean => effect === "read" || effect === "volatile";

function resultOf(result: ReturnType<typeof specOf>["result"], t: Type): Type {
  if (result === "T") return t;
  if (result === "Bits") return otherBank(t);
  return typeNamed(result) ?? Void;
}

// Returns all values for one operand, and all pairs for two. For three operands, it returns all pairs of the first two,
// with the third in rotation.
function products(operands: readonly Type[]): BoundaryCase[] {
  const lists = operands.map(boundaryOf);
  const [first, second = [null], third] = lists;
  const found: BoundaryCase[] = [];
  first.forEach((x, i) => {
    second.forEach((y, j) => {
      const words = y === null ? [x] : [x, y];
      if (third !== undefined) words.push(third[(i + j) % third.length]);
      found.push({ words, offset: 0 });
    });
  });
  return found;
}

// Returns every offset with all data. The number of the case determines the address in the heap.
function accesses(effect: EffectName, own: readonly Type[]): BoundaryCase[] {
  const data = boundaryOf(reads(effect) ? Int64 : own[0]);
  return BOUNDARY_OFFSETS.flatMap((offset, o) =>
    data.map((bits, d): BoundaryCase => {
      const place = addressOf(o * data.length + d);
      const address = wideWords(place - BigInt(offset));
      return reads(effect)
        ? { words: [address, bits, wideWords(place)], offset }
        : { words: [bits, address], offset };
    }),
  );
}

// Returns cases of atomic operations: all operands, each with some data and at one offset, in rotation. The address is
// a multiple of eight, so every size is aligned. With two operands, the first equals the data in some cases.
function exchanges(own: readonly Type[]): BoundaryCase[] {
  const data = boundaryOf(Int64);
  const given = boundaryOf(own[0]);
  return Array.from({ length: DATA_COUNT }, (_, d) => d).flatMap((d) =>
    given.map((x, g): BoundaryCase => {
      const index = d * given.length + g;
      const bits = data[(7 * index) % data.length];
      const offset = BOUNDARY_OFFSETS[index % BOUNDARY_OFFSETS.length];
      const place = HEAP_BASE + BigInt(RESULTS_AT - 16 * BATCH_MAX + 16 * (index % BATCH_MAX));
      const isExpected = own.length === 3 && g % 2 === 0;
      const first = isExpected ? ([bits[0], own[0] === Int64 ? bits[1] : 0] as const) : x;
      const operands = own.length === 3 ? [first, given[(d + g) % given.length]] : [x];
      return {
        words: [...operands, wideWords(place - BigInt(offset)), bits, wideWords(place)],
        offset,
      };
    }),
  );
}

const DATA_COUNT = 4;

/** Returns an address of any alignment; its eight bytes overlap no others of BATCH_MAX successive cases. */
function addressOf(index: number): bigint {
  const at = 16 * (index % BATCH_MAX) + (index % 9);
  return HEAP_BASE + BigInt(RESULTS_AT - 16 * BATCH_MAX + at);
}
