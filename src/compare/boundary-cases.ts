// The boundary tables: every opcode at every type over boundary values, from the rows of the opcode
// table. A case is the operands of one execution, and the offset where the row has one.

import {
  ALL_OPCODES,
  type EffectName,
  hasAttribute,
  isTotal,
  isValueOperand,
  nameOfOpcode,
  type Opcode,
  type OpcodeName,
  type Operand,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../ir/opcodes.js";
import { HEAP_BASE } from "../ir/outcome.js";
import { Int64, nameOfType, otherBank, type Type, typeNamed, Void } from "../ir/types.js";
import { type Words, wideWords } from "../ir/words.js";
import { BOUNDARY_OFFSETS, boundaryOf } from "./boundary-values.js";

/** An opcode at its types. */
export interface BoundaryRow {
  /** `Add Int32`, `Select Float Int64`. */
  readonly name: string;
  readonly opcode: Opcode;
  readonly result: Type;
  /**
   * The types of the operands. Behind those of a row that reads memory come the eight bytes that
   * are there, and their address.
   */
  readonly operands: readonly Type[];
  /** Defined for all operands, without effect: any number of them may stand in one program. */
  readonly isTotal: boolean;
  /** The operand is written in the instruction: the row makes a constant. */
  readonly isLiteral: boolean;
  readonly cases: readonly BoundaryCase[];
}

export interface BoundaryCase {
  readonly words: readonly Words[];
  readonly offset: number;
}

export const HEAP_SIZE = 8192;
/** Accesses are below it; above, a program keeps results. */
export const RESULTS_AT = 4096;
/** Operations of one program. Accesses of that many successive cases do not overlap. */
export const BATCH_MAX = 64;

/** What a boundary table knows how to fill. */
const FILLED: ReadonlySet<Operand> = new Set(["Const", "Offset", "Snapshot"]);

const isCovered = (opcode: Opcode): boolean => {
  const { args, effect } = specOf(opcode);
  if (effect === "control" || effect === "call" || args.length === 0) return false;
  return args.every((arg) => isValueOperand(arg) || FILLED.has(arg));
};

/** The opcodes without a table, by effect: other tests and the generator run them. */
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

/** The rows of all opcodes that have a table, in the order of the opcode table. */
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
  const typeOf = (arg: Operand): Type => {
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

// All values; all pairs; of three operands all pairs of the first two, the third in rotation.
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

// Every offset with all data. The place in the heap follows from the number of the case.
function accesses(effect: EffectName, own: readonly Type[]): BoundaryCase[] {
  const data = boundaryOf(reads(effect) ? Int64 : own[0]);
  return BOUNDARY_OFFSETS.flatMap((offset, o) =>
    data.map((bits, d): BoundaryCase => {
      const place = placeOf(o * data.length + d);
      const address = wideWords(place - BigInt(offset));
      return reads(effect)
        ? { words: [address, bits, wideWords(place)], offset }
        : { words: [bits, address], offset };
    }),
  );
}

// All operands, each with some data and at one offset, in rotation. The place is that of the eight bytes, so every
// size may be there. Of two operands the first is at times what is there.
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

/** Of every alignment; eight bytes there touch no others among BATCH_MAX cases in a row. */
function placeOf(index: number): bigint {
  const at = 16 * (index % BATCH_MAX) + (index % 9);
  return HEAP_BASE + BigInt(RESULTS_AT - 16 * BATCH_MAX + at);
}
