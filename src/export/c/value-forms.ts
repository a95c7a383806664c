// Decides for the forms (../forms.ts) of a procedure in C: the type of each variable, and the
// values that are nested into the expression of their only user.

import {
  CONSTANT,
  EFFECTS,
  nameOfOpcode,
  Op,
  type OpcodeName,
  PARTIAL,
  READS_MEMORY,
} from "../../ir/opcodes.js";
import {
  forEachOperand,
  forEachSlotValue,
  type Procedure,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Int32, Int64, isWide } from "../../ir/types.js";
import { isBoolean, type ProcedureFacts } from "../facts.js";
import type { SourceForm } from "../forms.js";
import { C_TYPES } from "../main-program.js";
import { claimedRowOf, impossibleRowOf, rowOf } from "./opcode-rows.js";

export interface ValueForms {
  /** Returns the type of the variable of a value. */
  readonly typeOf: (value: Value) => string;
  readonly isNested: (value: Value) => boolean;
}

/** @param exits the snapshots that are written at exits */
export function valueForms(
  proc: Procedure,
  form: SourceForm,
  facts: ProcedureFacts | null,
  exits: readonly Snapshot[],
): ValueForms {
  const widths = form.has("narrow") ? new VariableWidths(proc, facts, exits) : null;
  const nested = form.has("nested") ? nestedIn(proc, facts, exits) : new Set<Value>();
  const isSigned = ({ opcode }: Value): boolean =>
    form.has("signed") || (form.has("signed-phis") && opcode === Op.Phi);
  const typeOf = (value: Value): string => {
    if (value.type !== Int32 && value.type !== Int64) return C_TYPES[value.type];
    const { bits, signed } = widths?.of(value) ?? { bits: widthOf(value), signed: null };
    return `${(signed ?? isSigned(value)) ? "" : "u"}int${bits}_t`;
  };
  return { typeOf, isNested: (value) => nested.has(value) };
}

const widthOf = ({ type }: Value): number => (isWide(type) ? 64 : 32);

/** A variable: `signed` is null if either sign represents the value. */
interface VariableWidth {
  readonly bits: number;
  readonly signed: boolean | null;
}

/** Values that fit a narrower variable exactly, by opcode. */
// biome-ignore format: a table
const FITS: Readonly<Partial<Record<OpcodeName, VariableWidth>>> = {
  Load8Z: { bits: 8, signed: false }, Load8S: { bits: 8, signed: true },
  Load16Z: { bits: 16, signed: false }, Load16S: { bits: 16, signed: true },
  SExt8: { bits: 8, signed: true }, SExt16: { bits: 16, signed: true },
  SExt8To64: { bits: 8, signed: true }, SExt16To64: { bits: 16, signed: true },
  SExt32: { bits: 32, signed: true }, ZExt32: { bits: 32, signed: false },
};

/** The operands, by opcode, whose low bits alone define the low bits of the result. */
const LOW_BITS: Readonly<Partial<Record<OpcodeName, readonly ("a" | "b" | "c")[]>>> = {
  ...{ Identity: ["a"], Add: ["a", "b"], Sub: ["a", "b"], Mul: ["a", "b"], Neg: ["a"] },
  ...{ BitAnd: ["a", "b"], BitOr: ["a", "b"], BitXor: ["a", "b"], Shl: ["a"] },
  ...{ Trunc: ["a"], Select: ["b", "c"], ZExt32: ["a"], SExt32: ["a"] },
};

/** The number of low bits of the first operand that an opcode uses. */
// biome-ignore format: a table
const USED: Readonly<Partial<Record<OpcodeName, number>>> = {
  Store8: 8, Store16: 16, SExt8: 8, SExt16: 16, SExt8To64: 8, SExt16To64: 16, Trunc: 32, FillBytes: 8,
};
const SHIFTS: ReadonlySet<OpcodeName> = new Set(["Shl", "SShr", "ZShr", "RotL", "RotR"]);
const COUNT_BITS = 8;

class VariableWidths {
  private readonly facts: ProcedureFacts | null;
  /** The number of low bits of each value that are used; absent: none so far. */
  private readonly used = new Map<Value, number>();
  private readonly work: Value[] = [];

  constructor(proc: Procedure, facts: ProcedureFacts | null, exits: readonly Snapshot[]) {
    this.facts = facts;
    for (const snapshot of exits) {
      forEachSlotValue(snapshot, (value) => this.need(value, 64));
      for (const value of snapshot.values) forEachOperand(value, (one) => this.need(one, 64));
    }
    proc.forEachValue((value) => {
      if (value.opcode === Op.Upsilon) return;
      if (facts !== null && isBounded(value)) this.need(value, 64);
      this.visit(value);
    });
    const upsilons: Value[] = [];
    proc.forEachValue((value) => {
      if (value.opcode === Op.Upsilon) upsilons.push(value);
    });
    do {
      for (let value = this.work.pop(); value !== undefined; value = this.work.pop()) {
        this.visit(value);
      }
      for (const { a, phi } of upsilons) if (a !== null) this.need(a, this.used.get(phi) ?? 0);
    } while (this.work.length > 0);
  }

  of(value: Value): VariableWidth {
    const full = widthOf(value);
    const fit = fitOf(value);
    if (fit !== null && fit.bits < full) return fit;
    const used = this.used.get(value) ?? full;
    const bits = [8, 16, 32].find((size) => used <= size && size < full) ?? full;
    return { bits, signed: null };
  }

  private need(value: Value, bits: number): void {
    const before = this.used.get(value) ?? 0;
    const now = Math.min(bits, widthOf(value));
    if (now <= before) return;
    this.used.set(value, now);
    this.work.push(value);
  }

  private visit(value: Value): void {
    const name = nameOfOpcode(value.opcode);
    const low = this.states(value) ? [] : (LOW_BITS[name] ?? []);
    const wanted = this.used.get(value) ?? 0;
    const needOf = (place: "a" | "b" | "c"): number => {
      if (low.includes(place)) return Math.min(wanted, maskIn(value, place));
      const used = place === "a" ? USED[name] : undefined;
      if (used !== undefined) return used;
      return place === "b" && SHIFTS.has(name) && !this.states(value) ? COUNT_BITS : 64;
    };
    for (const place of ["a", "b", "c"] as const) {
      const operand = value[place];
      if (operand !== null) this.need(operand, needOf(place));
    }
    for (const operand of value.rest ?? []) this.need(operand, 64);
  }

  /** Returns whether a fact about the operands of a value is stated. */
  private states(value: Value): boolean {
    const { facts } = this;
    if (facts === null) return false;
    const type = value.a?.type ?? Int32;
    return [claimedRowOf(value.opcode, type), impossibleRowOf(value.opcode, type)].some(
      (row) => row !== null && facts.claims(row.claim, value),
    );
  }
}

/** Returns whether a range may be stated of the value, which is about all of its bits. */
const isBounded = (value: Value): boolean =>
  value.opcode === Op.Phi ||
  value.opcode === Op.CCall ||
  (EFFECTS[value.opcode] & READS_MEMORY) !== 0 ||
  isBoolean(value);

/** Returns the number of low bits of an operand that the constant of a BitAnd keeps. */
function maskIn({ opcode, a, b }: Value, place: "a" | "b" | "c"): number {
  if (opcode !== Op.BitAnd) return 64;
  const mask = place === "a" ? b : a;
  return mask?.isConstant === true ? bitLength(mask) : 64;
}

const bitLength = ({ type, constantLow: lo, constantHigh: hi }: Value): number =>
  isWide(type) && hi !== 0 ? 64 - Math.clz32(hi) : 32 - Math.clz32(lo);

function fitOf(value: Value): VariableWidth | null {
  if (isBoolean(value)) return { bits: 8, signed: false };
  const fit = FITS[nameOfOpcode(value.opcode)];
  if (fit !== undefined) return fit;
  if (value.opcode !== Op.BitAnd) return null;
  const bits = Math.min(maskIn(value, "a"), maskIn(value, "b"));
  const size = [8, 16, 32].find((one) => bits <= one);
  return size === undefined ? null : { bits: size, signed: false };
}

/** Longer expressions would only be slow to compile. */
const NESTED_MAX = 24;

/** Returns the values that are written in the place of their only use, in the same block. */
function nestedIn(
  proc: Procedure,
  facts: ProcedureFacts | null,
  exits: readonly Snapshot[],
): Set<Value> {
  const uses = new Map<Value, number>();
  const count = (value: Value): void => {
    uses.set(value, (uses.get(value) ?? 0) + 1);
  };
  for (const snapshot of exits) {
    forEachSlotValue(snapshot, count);
    for (const value of snapshot.values) forEachOperand(value, count);
  }
  proc.forEachValue((value) => forEachOperand(value, count));
  const nested = new Set<Value>();
  const sizes = new Map<Value, number>();
  for (const { values } of proc.blocks) {
    // The values that load, also by a nested load; until the next effect they may move.
    const loading = new Set<Value>();
    const movable = new Set<Value>();
    for (const value of values) {
      let size = 1;
      let loads = opcodeLoads(value) && facts === null;
      const { opcode } = value;
      forEachOperand(value, (operand) => {
        if (operand.block !== value.block || uses.get(operand) !== 1) return;
        if (loading.has(operand) ? !movable.has(operand) : !isNestable(operand, facts)) return;
        if (!readsOnce(value, operand)) return;
        const inner = sizes.get(operand) ?? 1;
        if (size + inner > NESTED_MAX) return;
        size += inner;
        loads ||= loading.has(operand);
        nested.add(operand);
      });
      sizes.set(value, size);
      if (!isPure(value) && opcode !== Op.Upsilon && !opcodeLoads(value)) movable.clear();
      else if (loads) {
        loading.add(value);
        movable.add(value);
      }
    }
  }
  return nested;
}

/** Returns whether the value may move to its use, although its operands may be undefined for it. */
const isPure = ({ opcode }: Value): boolean => (EFFECTS[opcode] & ~PARTIAL) === 0;

const opcodeLoads = ({ opcode }: Value): boolean => EFFECTS[opcode] === READS_MEMORY;

function isNestable(value: Value, facts: ProcedureFacts | null): boolean {
  const { opcode } = value;
  if (!isPure(value) || (EFFECTS[opcode] & CONSTANT) !== 0) return false;
  if (opcode === Op.Phi || opcode === Op.Upsilon || opcode === Op.Nop) return false;
  if (facts === null) return true;
  if (isBoolean(value)) return false;
  const never = impossibleRowOf(opcode, value.a?.type ?? Int32);
  return never === null || !facts.claims(never.claim, value);
}

/** Returns whether the text of `user` contains the operand once. */
function readsOnce(user: Value, operand: Value): boolean {
  const { opcode, a, b, c } = user;
  if (!isPure(user) || opcode === Op.Upsilon) return true;
  const at = [a, b, c].indexOf(operand);
  return rowOf(opcode, a?.type ?? Int32).split(`$${at}`).length === 2;
}
