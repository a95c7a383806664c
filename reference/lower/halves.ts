// Selects the values of 64 bits that are carried in two registers of 32 (IonMonkey's NUNBOX) rather
// than one (its PUNBOX): those that are only moved. The low half is in the first register, the high
// half in the next. Only opcodes of the table below define and use such a value. Snapshots may
// contain it too: an exit can name two locations as well as one.
//
// A Phi or a Select and its inputs are one web: all of it is in halves, or nothing. Union-find
// joins the values of a web in almost linear time. Constants belong to no web: each use emits the
// halves that it needs.

import {
  isWholeLoad,
  OPCODE_COUNT,
  Op,
  type OpcodeName,
  opcodeNamed,
} from "../../src/ir/opcodes.js";
import { argumentOf, type BasicBlock, type Procedure, type Value } from "../../src/ir/procedure.js";
import { Int64 } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { zeroedBytes, zeroedWords } from "../../src/support/program-arrays.js";
import { representativeOf } from "../../src/support/sets-of-numbers.js";

/** The distance in bytes from the low half of a value in memory to the high half. */
export const HALF_SIZE = 4;

interface Carrier {
  /** True if the result may be carried as two halves. */
  readonly gives?: true;
  /** The operands that may be carried as two halves. */
  readonly takes?: readonly ("a" | "b" | "c" | "rest")[];
  /**
   * True if these operands and the result are in one web, and so are split together; for an
   * Upsilon, its operand and its Phi.
   */
  readonly joins?: true;
}

// biome-ignore format: a table
const CARRIERS: { readonly [O in OpcodeName]?: Carrier } = {
  Parameter:    { gives: true },
  Identity:     { gives: true, takes: ["a"], joins: true },
  Opaque:       { gives: true, takes: ["a"], joins: true },
  Phi:          { gives: true },
  Upsilon:      { takes: ["a"], joins: true },
  Select:       { gives: true, takes: ["b", "c"], joins: true },
  Load:         { gives: true },
  LoadInvariant: { gives: true },
  Store:        { takes: ["a"] },
  CCall:        { gives: true, takes: ["rest"] },
  CallIndirect: { gives: true, takes: ["rest"] },
  CallCheck:    { gives: true, takes: ["rest"] },
  Extract:      { gives: true, takes: ["a"] },
  Return:       { takes: ["a", "b", "c"] },
  ReturnDeopt: { takes: ["a", "b", "c"] },
  Stitch:       { gives: true },
  Trunc:        { takes: ["a"] },
  TruncHigh:    { takes: ["a"] },
};

/** By opcode: the facts of its row above, a bit each. */
const TAKES = { a: 1, b: 2, c: 4, rest: 8 } as const;
const GIVES = 16;
const JOINS = 32;
const BITS = new Uint8Array(OPCODE_COUNT);
for (const [name, carrier] of Object.entries(CARRIERS)) {
  const opcode = opcodeNamed(name);
  assert(opcode !== null, () => `no opcode is named ${name}`);
  for (const operand of carrier.takes ?? []) BITS[opcode] |= TAKES[operand];
  BITS[opcode] |= (carrier.gives ? GIVES : 0) | (carrier.joins ? JOINS : 0);
}

/** Returns by value id: 1 if the value is carried as two halves. */
export function valuesInHalves(proc: Procedure, order: readonly BasicBlock[]): Uint8Array {
  return new CarrierWebs(proc).find(order);
}

class CarrierWebs {
  private readonly proc: Procedure;
  /**
   * By value id: another value of its web, nearer to the representative, which points to itself.
   */
  private readonly toward: Int32Array;
  /**
   * By value id: 1 if some opcode does more than move the value, which prevents the splitting of
   * its whole web.
   */
  private readonly spoilt: Uint8Array;
  /** By value id: 1 if it is of 64 bits, and no constant. */
  private readonly isWide: Uint8Array;

  constructor(proc: Procedure) {
    const { valueIdEnd } = proc;
    this.proc = proc;
    this.toward = zeroedWords(valueIdEnd);
    for (let id = 0; id < valueIdEnd; id++) this.toward[id] = id;
    this.spoilt = zeroedBytes(valueIdEnd);
    this.isWide = zeroedBytes(valueIdEnd);
  }

  find(order: readonly BasicBlock[]): Uint8Array {
    const { parameters } = this.proc;
    for (let p = 0; p < parameters.length; p++) this.define(parameters[p]);
    for (let b = 0; b < order.length; b++) {
      const { values } = order[b];
      for (let i = 0; i < values.length; i++) this.visit(values[i]);
    }
    const { isWide, spoilt } = this;
    const inHalves = zeroedBytes(isWide.length);
    for (let id = 0; id < isWide.length; id++) {
      inHalves[id] = isWide[id] === 1 && spoilt[this.headOf(id)] === 0 ? 1 : 0;
    }
    return inHalves;
  }

  private visit(value: Value): void {
    const { opcode, a, b, c, rest } = value;
    this.define(value);
    this.use(value, a, TAKES.a);
    this.use(value, b, TAKES.b);
    this.use(value, c, TAKES.c);
    if (rest !== null) for (let i = 0; i < rest.length; i++) this.use(value, rest[i], TAKES.rest);
    // An ArgumentReg has the register of the parameter, which is not split.
    if (opcode === Op.ArgumentReg)
      this.spoil(argumentOf(this.proc, value.type, value.argumentIndex));
    if (isWholeLoad(opcode) && isFar(value)) this.spoil(value);
    else if (opcode === Op.Store && isFar(value)) this.spoil(a);
  }

  private define(value: Value): void {
    if (value.type !== Int64 || value.isConstant) return;
    this.isWide[value.id] = 1;
    if ((BITS[value.opcode] & GIVES) === 0) this.spoil(value);
  }

  private use(user: Value, operand: Value | null, takes: number): void {
    if (operand === null || operand.type !== Int64 || operand.isConstant) return;
    const bits = BITS[user.opcode];
    if ((bits & takes) === 0) this.spoil(operand);
    else if ((bits & JOINS) !== 0) this.join(operand, user.opcode === Op.Upsilon ? user.phi : user);
  }

  private spoil(value: Value | null): void {
    if (value !== null) this.spoilt[this.headOf(value.id)] = 1;
  }

  private join(one: Value, other: Value): void {
    const head = this.headOf(one.id);
    const joined = this.headOf(other.id);
    this.toward[joined] = head;
    this.spoilt[head] |= this.spoilt[joined];
  }

  /** Returns the representative of the web. */
  private headOf(id: number): number {
    return representativeOf(this.toward, id);
  }
}

/** Returns whether the offset of the high half would be too large. */
const isFar = (access: Value): boolean => access.offset > OFFSET_MAX - HALF_SIZE;
/** The largest offset of an access. */
const OFFSET_MAX = 0x7fff_ffff;
