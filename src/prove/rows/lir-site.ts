// Represents one LIR instruction for the solver: the contents of its operands, and its effects.
//
// A virtual register has 64 bits. If it contains a 32-bit integer, the upper half is a separate
// term: zero if the instruction clears it, otherwise arbitrary.

import { Int32, Int64, isInteger, type Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { assert } from "../../support/assert.js";
import { apply, bits, bitsOf, extract, type SmtQuery, type SmtTerm } from "../smt.js";
import {
  bitsOfFloat,
  type FloatValue,
  floatOf,
  floatOfBits,
  integer,
  type SymbolicValue,
  widthOf,
} from "../symbolic-value.js";
import type { SymbolicMemory } from "./symbolic-memory.js";
import { addressOfSlot } from "./symbolic-procedure.js";

/** The contents of a virtual register. */
export type SymbolicCell =
  | { readonly kind: "narrow"; readonly low: SmtTerm; readonly high: SmtTerm }
  | { readonly kind: "wide"; readonly bits: SmtTerm }
  | FloatValue;

const ZERO = bits(32, 0);

/** Returns the value of a type that a register contains. */
export function valueIn(cell: SymbolicCell, type: Type): SymbolicValue {
  if (!isInteger(type)) {
    assert(cell.kind === "float" && cell.type === type, () => "expected a float, got an integer");
    return cell;
  }
  return integer(type, type === Int32 ? lowOf(cell) : wideOf(cell));
}

/** Returns a register that contains a value, with this term above a 32-bit one. */
export function cellOf(value: SymbolicValue, high: SmtTerm): SymbolicCell {
  if (value.kind === "float") return value;
  if (value.type === Int64) return { kind: "wide", bits: value.bits };
  return { kind: "narrow", low: value.bits, high };
}

export function lowOf(cell: SymbolicCell): SmtTerm {
  assert(cell.kind !== "float", () => "expected an integer, got a float");
  return cell.kind === "narrow" ? cell.low : extract(31, 0, cell.bits);
}

function highOf(cell: SymbolicCell): SmtTerm {
  assert(cell.kind !== "float", () => "expected an integer, got a float");
  return cell.kind === "narrow" ? cell.high : extract(63, 32, cell.bits);
}

function wideOf(cell: SymbolicCell): SmtTerm {
  assert(cell.kind !== "float", () => "expected an integer, got a float");
  return cell.kind === "wide" ? cell.bits : apply("concat", cell.high, cell.low);
}

/** The symbolic state before an instruction: its immediate, the registers and the memory. */
interface SiteState {
  readonly query: SmtQuery;
  /** The low and high word of the immediate. */
  readonly lo: number;
  readonly hi: number;
  readonly cells: readonly (SymbolicCell | null)[];
  readonly memory: SymbolicMemory;
}

export class LirSite {
  readonly query: SmtQuery;
  readonly lo: number;
  readonly hi: number;
  private readonly cells: readonly (SymbolicCell | null)[];
  memory: SymbolicMemory;
  /** The contents of operand 0 afterwards; null if it is not defined. */
  defined: SymbolicCell | null = null;
  /** The condition under which the guard exits. */
  exits: SmtTerm = "false";
  /** Conditions under which the instruction faults. */
  readonly faults: SmtTerm[] = [];
  /**
   * Conditions for each of the block's successors except the last; null if the instruction does not
   * branch.
   */
  branches: readonly SmtTerm[] | null = null;

  constructor({ query, lo, hi, cells, memory }: SiteState) {
    this.query = query;
    this.lo = lo;
    this.hi = hi;
    this.cells = cells;
    this.memory = memory;
  }

  cell(k: number): SymbolicCell {
    const cell = this.cells[k] ?? null;
    assert(cell !== null, () => `operand ${k} is read before its definition`);
    return cell;
  }

  low(k: number): SmtTerm {
    return lowOf(this.cell(k));
  }

  high(k: number): SmtTerm {
    return highOf(this.cell(k));
  }

  wide(k: number): SmtTerm {
    return wideOf(this.cell(k));
  }

  value(type: Type, k: number): SymbolicValue {
    return valueIn(this.cell(k), type);
  }

  /** Returns the immediate as a value. */
  immediate(type: Type): SymbolicValue {
    return this.fromWords(type, this.lo, this.hi);
  }

  fromWords(type: Type, lo: number, hi: number): SymbolicValue {
    const word = bits(widthOf(type), wideBits(lo, hi));
    return isInteger(type) ? integer(type, word) : floatOfBits(this.query, type, word);
  }

  /** Defines operand 0; above 32 bits it is zero. */
  define(value: SymbolicValue): void {
    this.defined = cellOf(value, ZERO);
  }

  /** Defines operand 0; above 32 bits it is arbitrary. */
  defineOpen(value: SymbolicValue): void {
    this.defined = cellOf(value, this.anything());
  }

  defineWords(low: SmtTerm, high: SmtTerm): void {
    this.defined = { kind: "narrow", low, high };
  }

  defineCell(cell: SymbolicCell): void {
    this.defined = cell;
  }

  private anything(): SmtTerm {
    const { query } = this;
    return query.declare(`open${query.text.length}`, bitsOf(32));
  }

  slotAddress(id: number): SmtTerm {
    return addressOfSlot(this.query, id);
  }

  read(type: Type, address: SmtTerm): SymbolicValue {
    const word = this.memory.read(address, widthOf(type) / 8);
    return isInteger(type) ? integer(type, word) : floatOfBits(this.query, type, word);
  }

  /** Writes the low bytes of a value. */
  write(address: SmtTerm, value: SymbolicValue, count: number): void {
    const word = value.kind === "integer" ? value.bits : bitsOfFloat(this.query, floatOf(value));
    this.memory = this.memory.after(address, extract(8 * count - 1, 0, word), count);
  }
}
