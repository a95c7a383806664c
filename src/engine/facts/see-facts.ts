// Collects facts that hold in every execution of a program, by running it in the oracle. Examples:
// no sum has overflowed, no block was entered, an address was even. Exporters may state them
// (../../export/facts.ts).
// A value whose bits the language leaves open has no range. If the oracle does not judge an
// execution, also because of FUEL, the program has no facts.

import {
  CLAIMS,
  FACT_KINDS,
  type FactKind,
  type MemoryEffect,
  NOT_OBSERVED,
  type ObservedFacts,
  type StatedFacts,
  type TouchedBytes,
  type UnsignedRange,
  type ValueFactKind,
} from "../../export/facts.js";
import {
  ALL_OPCODES,
  CONSTANT,
  EFFECTS,
  nameOfOpcode,
  Op,
  type OpcodeName,
  READS_MEMORY,
  specOf,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import { type Input, isJudged } from "../../ir/outcome.js";
import type { Module, Procedure } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, type Type } from "../../ir/types.js";
import { heapOffset, slotOffset } from "../../oracle/fast/addresses.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import type { OracleMachine } from "../../oracle/fast/machine.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { A, B, C, CALL, DEST, END, NO_SLOT, X, Y } from "../../oracle/fast/program.js";
import { MemoryClasses } from "./memory-classes.js";
import { effectsOf, type RecordedActivations } from "./procedure-effects.js";

/** The fuel of one activation of an expanded program while facts are collected. */
const FUEL = 4_000_000;

/** Returns the facts that hold for these inputs only; the oracle judges all of them. */
export const statedFor = (
  inputs: readonly Input[],
  kinds: ReadonlySet<FactKind> = new Set(FACT_KINDS),
): StatedFacts => ({ kinds, observe: (expanded) => seeFacts(expanded, inputs) });

function seeFacts(expanded: Module, inputs: readonly Input[]): readonly ObservedFacts[] | null {
  const program = decodeModule(expanded);
  const oracle = new Oracle();
  const classes = new MemoryClasses(expanded.heapSize);
  const facts = expanded.procedures.map((proc) => new ProcedureFacts(proc, classes));
  const watcher = {
    isRecording: true,
    arrive(m: OracleMachine, pc: number): number {
      if (pc === 0) facts[m.procedure.index].enter(m);
      m.fuelUsed = 0;
      return pc;
    },
    executed(m: OracleMachine, pc: number, next: number): void {
      facts[m.procedure.index].execute(m, pc, next);
    },
  };
  for (const input of inputs) {
    if (!isJudged(oracle.runWatched(program, input, FUEL, watcher))) return null;
  }
  for (const [position, effect] of effectsOf(facts).entries())
    facts[position].memoryEffect = effect;
  return facts;
}

class ProcedureFacts implements ObservedFacts, RecordedActivations {
  readonly executed: Int32Array;
  readonly proc: Procedure;
  entered = 0;
  memoryEffect: MemoryEffect = "any";
  /** For each value id, the claims that were false, as bits. */
  private readonly broken: Uint16Array;
  /** The number of true conditions, by id of a Branch. */
  private readonly waysTaken: Int32Array;
  private readonly ranges: (MutableRange | null | undefined)[] = [];
  private readonly places: (AccessRange | undefined)[] = [];
  private readonly classes: MemoryClasses;

  constructor(proc: Procedure, classes: MemoryClasses) {
    this.proc = proc;
    this.classes = classes;
    this.executed = new Int32Array(proc.valueIdEnd).fill(NOT_OBSERVED);
    this.broken = new Uint16Array(proc.valueIdEnd);
    this.waysTaken = new Int32Array(proc.valueIdEnd);
    const look = (id: number, opcode: number): void => {
      if ((EFFECTS[opcode] & CONSTANT) === 0 && opcode !== Op.Nop) this.executed[id] = 0;
    };
    proc.forEachValue(({ id, opcode }) => look(id, opcode));
  }

  holds(claim: ValueFactKind, id: number): boolean {
    return (this.broken[id] & (1 << CLAIM_BITS[claim])) === 0;
  }

  range(id: number): UnsignedRange | null {
    const range = this.ranges[id];
    if (range === undefined || range === null) return null;
    return { first: BigInt(range.min), span: BigInt(range.max) - BigInt(range.min) };
  }

  alignment(id: number): number {
    const bits = this.places[id]?.bits ?? 1;
    return (bits & 1) !== 0 ? 1 : (bits & 2) !== 0 ? 2 : (bits & 4) !== 0 ? 4 : 8;
  }

  touched(id: number): TouchedBytes | null {
    const place = this.places[id];
    return place === undefined || place.isSlot ? null : place;
  }

  memoryClass(id: number): number | null {
    const place = this.places[id];
    return place === undefined || place.isSlot ? null : this.classes.classOf(place.site);
  }

  taken(id: number): number {
    return this.waysTaken[id];
  }

  isInSlot(id: number): boolean {
    return this.places[id]?.isSlot === true;
  }

  enter(m: OracleMachine): void {
    this.entered++;
    this.proc.parameters.forEach(({ id, type }, cell) => {
      this.executed[id] = Math.max(1, this.executed[id]);
      this.note(id, m, cell, type);
    });
  }

  execute(m: OracleMachine, pc: number, next: number): void {
    const id = m.idAt(pc);
    if (id < 0) return; // the end of an exit block
    this.executed[id]++;
    const opcode = ALL_OPCODES[m.opcodeAt(pc)];
    const { code } = m;
    if (opcode === Op.Return && code[pc + A] >= 0)
      this.note(id, m, code[pc + A], m.typeOf(code[pc + A]));
    if (next === END || next === CALL) return;
    if (opcode === Op.Branch && isTrue(m, code[pc + A])) this.waysTaken[id]++;
    const effects = EFFECTS[opcode];
    if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0) this.access(m, pc, id, effects);
    const name = nameOfOpcode(opcode);
    if (CLAIMS[name] !== undefined) this.broken[id] |= brokenBy(m, pc, name);
    const dest = code[pc + DEST];
    if (dest >= 0 && opcode !== Op.Upsilon) this.note(id, m, dest, m.typeOf(dest));
  }

  private note(id: number, m: OracleMachine, cell: number, type: Type): void {
    if (this.ranges[id] === null || (type !== Int32 && type !== Int64)) return;
    if (m.flags[cell] !== 0) {
      this.ranges[id] = null; // its bits are open
      return;
    }
    const number = type === Int32 ? m.i32[cell << 1] : m.i64[cell];
    const range = this.ranges[id];
    if (range === undefined) this.ranges[id] = { min: number, max: number };
    else if (range !== null && number < range.min) range.min = number;
    else if (range !== null && number > range.max) range.max = number;
  }

  private access(m: OracleMachine, pc: number, id: number, effects: number): void {
    const { code } = m;
    const cell = code[pc + ((effects & WRITES_MEMORY) !== 0 ? B : A)];
    const slot = code[pc + Y];
    const isSlot = slot !== NO_SLOT;
    const at = isSlot
      ? slotOffset(m, cell, code[pc + X], slot) - m.procedure.slots[slot].start
      : heapOffset(m, cell, code[pc + X]);
    const stored = (effects & WRITES_MEMORY) !== 0 ? code[pc + A] : code[pc + DEST];
    const end = at + (specOf(ALL_OPCODES[m.opcodeAt(pc)]).bytes ?? sizeOf(m.typeOf(stored)));
    let place = this.places[id];
    if (place === undefined) {
      place = { from: at, end, bits: at, isSlot, site: this.classes.newSite() };
      this.places[id] = place;
    }
    place.from = Math.min(place.from, at);
    place.end = Math.max(place.end, end);
    place.bits |= at;
    if (!isSlot) this.classes.touch(place.site, at, end);
  }
}

function isTrue(m: OracleMachine, cell: number): boolean {
  return m.typeOf(cell) === Int32 ? m.i32[cell << 1] !== 0 : m.i64[cell] !== 0n;
}

interface MutableRange {
  min: number | bigint;
  max: number | bigint;
}

interface AccessRange {
  from: number;
  end: number;
  /** The bitwise or of all addresses, from the start of heap or slot, which is a multiple of 8. */
  bits: number;
  isSlot: boolean;
  readonly site: number;
}

// biome-ignore format: a table
const CLAIM_BITS: { readonly [K in ValueFactKind]: number } = {
  nsw: 0, nuw: 1, exact: 2, disjoint: 3, nneg: 4, nnan: 5, ninf: 6, "in-range": 7, count: 8,
};
const bitIf = (claim: ValueFactKind, isBroken: boolean): number =>
  isBroken ? 1 << CLAIM_BITS[claim] : 0;

/** Returns the claims that this execution of an operation makes false, as bits. */
function brokenBy(m: OracleMachine, pc: number, name: OpcodeName): number {
  const a = m.code[pc + A];
  const type = m.typeOf(a);
  if (isFloating(type)) return CONVERSIONS[name]?.(numberIn(m, a)) ?? brokenByFloats(m, pc);
  return (type === Int32 ? NARROW : WIDE)[name]?.(m, pc) ?? 0;
}

function brokenByFloats(m: OracleMachine, pc: number): number {
  const cells = [m.code[pc + A], m.code[pc + B], m.code[pc + C], m.code[pc + DEST]];
  let broken = 0;
  for (const cell of cells) {
    if (cell < 0 || !isFloating(m.typeOf(cell))) continue;
    const x = numberIn(m, cell);
    if (Number.isNaN(x)) broken |= bitIf("nnan", true);
    else if (!Number.isFinite(x)) broken |= bitIf("ninf", true);
  }
  return broken;
}

const numberIn = (m: OracleMachine, cell: number): number =>
  sizeOf(m.typeOf(cell)) === 4 ? m.f32[cell << 1] : m.f64[cell];

/** Checks that the whole part of a float is an integer of the result's type. */
const beyond =
  (least: number, behind: number) =>
  (x: number): number => {
    const whole = Math.trunc(x);
    return bitIf("in-range", !(whole >= least && whole < behind));
  };
const CONVERSIONS: Partial<Record<OpcodeName, (x: number) => number>> = {
  TruncS32: beyond(-(2 ** 31), 2 ** 31),
  TruncU32: beyond(0, 2 ** 32),
  TruncS64: beyond(-(2 ** 63), 2 ** 63),
  TruncU64: beyond(0, 2 ** 64),
};

type FlagViolations = Partial<Record<OpcodeName, (m: OracleMachine, pc: number) => number>>;

/**
 * Checks 32-bit operations in doubles, which hold every sum exactly, and a product precisely enough
 * for the check.
 */
const narrow =
  (f: (x: number, y: number) => number) =>
  (m: OracleMachine, pc: number): number => {
    const [x, y] = [m.i32[m.code[pc + A] << 1], secondWord(m, pc)];
    const [signed, unsigned] = [f(x, y), f(x >>> 0, y >>> 0)];
    return (
      bitIf("nsw", signed < -(2 ** 31) || signed >= 2 ** 31) |
      bitIf("nuw", unsigned < 0 || unsigned >= 2 ** 32)
    );
  };
const wide =
  (f: (x: bigint, y: bigint) => bigint) =>
  (m: OracleMachine, pc: number): number => {
    const [a, b] = [m.code[pc + A], m.code[pc + B]];
    const [x, y] = [m.i64[a], b < 0 ? 0n : m.i64[b]];
    const signed = f(x, y);
    const unsigned = f(BigInt.asUintN(64, x), BigInt.asUintN(64, y));
    return (
      bitIf("nsw", BigInt.asIntN(64, signed) !== signed) |
      bitIf("nuw", BigInt.asUintN(64, unsigned) !== unsigned)
    );
  };

/** Returns the low word of the second operand; 0 if there is none. */
const secondWord = (m: OracleMachine, pc: number): number =>
  m.code[pc + B] < 0 ? 0 : m.i32[m.code[pc + B] << 1];

/** Returns the count of a shift, and the broken claim if the count is not less than the width. */
const counted = (m: OracleMachine, pc: number, width: number): readonly [number, number] => {
  const count = secondWord(m, pc);
  return [count & (width - 1), bitIf("count", count >>> 0 >= width)];
};
const lost32 = (m: OracleMachine, pc: number): number => {
  const [n, broken] = counted(m, pc, 32);
  const x = m.i32[m.code[pc + A] << 1] >>> 0;
  return broken | bitIf("exact", x % 2 ** n !== 0);
};
const lost64 = (m: OracleMachine, pc: number): number => {
  const [n, broken] = counted(m, pc, 64);
  return broken | bitIf("exact", BigInt.asUintN(n, m.i64[m.code[pc + A]]) !== 0n);
};
const isNegative = (m: OracleMachine, pc: number): number => {
  const cell = m.code[pc + A];
  const word = m.typeOf(cell) === Int32 ? cell << 1 : (cell << 1) + 1;
  return bitIf("nneg", m.i32[word] < 0);
};
const overlap = (m: OracleMachine, pc: number): number => {
  const [a, b] = [m.code[pc + A] << 1, m.code[pc + B] << 1];
  return bitIf("disjoint", (m.i32[a] & m.i32[b]) !== 0 || (m.i32[a + 1] & m.i32[b + 1]) !== 0);
};

const NARROW: FlagViolations = {
  Add: narrow((x, y) => x + y),
  Sub: narrow((x, y) => x - y),
  Mul: narrow((x, y) => x * y),
  Neg: narrow((x) => -x),
  Shl: (m, pc) => {
    const [n, broken] = counted(m, pc, 32);
    return broken | narrow((x) => x * 2 ** n)(m, pc);
  },
  SShr: lost32,
  ZShr: lost32,
  Div: (m, pc) => bitIf("exact", m.i32[m.code[pc + A] << 1] % secondWord(m, pc) !== 0),
  UDiv: (m, pc) =>
    bitIf("exact", (m.i32[m.code[pc + A] << 1] >>> 0) % (secondWord(m, pc) >>> 0) !== 0),
  BitOr: overlap,
  ZExt32: isNegative,
  UToD: isNegative,
  UToF: isNegative,
};

const WIDE: FlagViolations = {
  Add: wide((x, y) => x + y),
  Sub: wide((x, y) => x - y),
  Mul: wide((x, y) => x * y),
  Neg: wide((x) => -x),
  Shl: (m, pc) => {
    const [n, broken] = counted(m, pc, 64);
    const x = m.i64[m.code[pc + A]];
    const [signed, unsigned] = [x << BigInt(n), BigInt.asUintN(64, x) << BigInt(n)];
    return (
      broken |
      bitIf("nsw", BigInt.asIntN(64, signed) !== signed) |
      bitIf("nuw", BigInt.asUintN(64, unsigned) !== unsigned)
    );
  },
  SShr: lost64,
  ZShr: lost64,
  Div: (m, pc) => bitIf("exact", m.i64[m.code[pc + A]] % m.i64[m.code[pc + B]] !== 0n),
  UDiv: (m, pc) => {
    const [x, y] = [m.code[pc + A], m.code[pc + B]].map((cell) => BigInt.asUintN(64, m.i64[cell]));
    return bitIf("exact", x % y !== 0n);
  },
  BitOr: overlap,
  UToD: isNegative,
  UToF: isNegative,
  Trunc: (m, pc) => {
    const cell = m.code[pc + A] << 1;
    const [lo, hi] = [m.i32[cell], m.i32[cell + 1]];
    return bitIf("nsw", hi !== lo >> 31) | bitIf("nuw", hi !== 0);
  },
};
