// Holds the procedure under construction: appends values, and tracks the values that may be
// operands.
//
// Lists of live values grow along one path of the dominator tree. The code that opens an arm or a
// loop marks their lengths, and truncates them to the mark at its end. So every operand dominates
// its use.
//
// A float is *open* if it may be a NaN whose bits the language leaves open. Such bits may be moved
// as a whole, but need a PurifyNaN before any other use.

import { Op, type Opcode } from "../../ir/opcodes.js";
import {
  type BasicBlock,
  CONSTANT_OPCODES,
  type Module,
  type Procedure,
  type Snapshot,
  type StackSlot,
  SwitchCases,
  type Value,
} from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type, Void } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import type { ChoiceSource } from "../../support/source.js";
import { drawConstant, drawRelated } from "./constants.js";
import type { HeapLayout, HeapRange } from "./heap-layout.js";
import { chance, type DialValues } from "./odds.js";
import type { PatternRule } from "./patterns.js";
import type { Swarm } from "./swarm.js";

/**
 * A procedure whose body is not generated yet, with the position of the heap base among its
 * parameters (or -1).
 */
export interface PendingProcedure {
  readonly proc: Procedure;
  readonly heapBaseAt: number;
  readonly rank: number;
  /** The facts about the procedure as a callee; null for a continuation. */
  readonly callee: CallableProcedure | null;
}

/** A generated procedure that others may call, with the facts that calls need. */
export interface CallableProcedure {
  readonly proc: Procedure;
  readonly heapBaseAt: number;
  /** The position of the parameter that bounds its recursion; -1 if it does not call itself. */
  readonly counterAt: number;
  /** Whether its activations are indistinguishable: it has no exit, slot or patchpoint. */
  readonly isPlain: boolean;
  /** The position in the call order: a procedure calls only callees of higher rank, and itself. */
  readonly rank: number;
  /** The most executions of a call site for each run of the entry. */
  readonly iterations: number;
  /** The current number of call sites. */
  sites: number;
  /** Whether a CallCheck calls it. */
  isCheckedCall: boolean;
}

/**
 * A comparison of an entry parameter with a constant or another parameter: inputs should be near
 * that value.
 */
export interface ParameterAim {
  readonly parameter: number;
  readonly words: WordPair;
  /** An earlier parameter whose value is used instead; null for the words. */
  readonly like: number | null;
}

/** The values of `proc` with ids in the half-open range that the named maker created. */
export interface MakerSpan {
  readonly maker: string;
  readonly proc: Procedure;
  readonly from: number;
  readonly to: number;
}

export interface MakerRow {
  readonly name: string;
  /** The weight of the row, relative to the other rows of its table. */
  readonly weight: number;
  readonly make: (maker: ProcedureMaker) => void;
}

/** Rows of a table, drawn by their weights. */
export interface WeightedRows {
  readonly rows: readonly MakerRow[];
  /** Running sums of the weights, by row. */
  readonly sums: readonly number[];
}

/** State that all procedures of a module share. */
export interface ModuleContext {
  readonly source: ChoiceSource;
  readonly swarm: Swarm;
  readonly module: Module;
  readonly layout: HeapLayout;
  /** The classes of memory, drawn when an access may state one; null until then. */
  classes: readonly HeapRange[] | null;
  readonly aims: ParameterAim[];
  /** Operations whose constant operands may be any constant: no other code depends on the value. */
  readonly free: Value[];
  readonly pending: PendingProcedure[];
  readonly callees: CallableProcedure[];
  /** The values of each maker, in the order in which the makers ended. */
  readonly made: MakerSpan[];
  /** Rules whose patterns the program instantiates; empty if no optimizer is given. */
  readonly patterns: readonly PatternRule[];
  /** The idioms in use in this program. */
  readonly idioms: WeightedRows;
  nextExit: number;
  /** The number of exits with hundreds of slots that the entry procedure still gets. */
  crowds: number;
  /** The next cells of the heap for values that are stored only to be compared. */
  nextCell: number;
  nextOpenCell: number;
  /** Remaining bytes for objects; 0 in a program without objects. */
  objectBytes: number;
  /** Whether the host may keep addresses of the entry's slots. */
  keepsSlots: boolean;
}

/** An address: `value` is the heap base plus at least `low` and at most `high`, modulo 2^64. */
export interface HeapAddress {
  readonly value: Value;
  readonly low: number;
  readonly high: number;
}
export interface KnownAddress extends HeapAddress {
  /** Whether each access by the address states its class of memory, if known. */
  readonly isStated: boolean;
}
interface LoopCounter {
  readonly value: Value;
  readonly iterations: number;
}
/**
 * A block that an edge may enter: all its operands dominate every point where the target is listed.
 */
export interface BranchTarget {
  readonly block: BasicBlock;
  readonly phis: readonly Value[];
}
/** A Phi out of edge form: already written, and read where it is placed. */
interface PhiVariable {
  readonly phi: Value;
  isPlaced: boolean;
}
/** A heap cell that contains only whole values of one type, including open NaNs. */
interface OpenCell {
  readonly type: Type;
  readonly offset: number;
}

/**
 * Bytes of an object that contain a value of the type, whole or, for an Int32, truncated to their
 * number.
 */
export interface ObjectField {
  readonly offset: number;
  readonly size: number;
  readonly type: Type;
}
/** The address of an object, and its fields. */
export interface KnownObject {
  readonly value: Value;
  readonly fields: readonly ObjectField[];
}

/** The lengths of the generator's lists at one point, to which the end of a scope shortens them. */
export interface ScopeMark {
  readonly flags: number;
  readonly addresses: number;
  readonly counters: number;
  readonly targets: number;
  readonly snapshots: number;
  readonly variables: number;
  readonly openCells: number;
  readonly objects: number;
  readonly live: readonly number[];
  readonly constants: readonly number[];
}

/** The counter of a procedure that restarts where it would return. */
interface TailCounter {
  /** Its low bits are the remaining number of restarts. */
  readonly parameter: Value;
  readonly mask: number;
  /** Percentage of restarts that are calls whose result is returned, not tail calls. */
  readonly called: number;
}

/** The number of latest values that count as recent. */
const RECENT = 6;
const PENDING_DEPTH = 12;

// Opcodes whose results contain their operands' bits: open if an operand is open.
const CARRIES = flagged(Op.Identity, Op.Opaque, Op.Neg, Op.Abs, Op.CopySign, Op.Select);
// Opcodes whose floats are never open: the language or this generator specifies their bits.
const CLOSED = flagged(
  ...[Op.PurifyNaN, Op.BitwiseCast, Op.IToD, Op.IToF, Op.UToD, Op.UToF, Op.Load, Op.CCall],
  ...[Op.Patchpoint, Op.PatchpointCheck],
);

function flagged(...opcodes: readonly Opcode[]): Uint8Array {
  const flags = new Uint8Array(256);
  for (const opcode of opcodes) flags[opcode] = 1;
  return flags;
}

export class ProcedureMaker {
  readonly context: ModuleContext;
  readonly source: ChoiceSource;
  readonly swarm: Swarm;
  readonly dials: DialValues;
  readonly proc: Procedure;
  readonly heapBase: Value | null;
  block: BasicBlock;
  /** Values that vary between executions, by type. */
  readonly live: readonly Value[][] = [[], [], [], [], []];
  /** Constants by type. */
  readonly constants: readonly Value[][] = [[], [], [], [], []];
  /** Results of comparisons; they are also in `live`. */
  readonly flags: Value[] = [];
  readonly addresses: HeapAddress[] = [];
  /** Addresses whose range their operands do not determine: loaded ones, Phis, Selects. */
  readonly knownAddresses: KnownAddress[] = [];
  /** Slots of one section of code, which accesses elsewhere do not use. */
  readonly ownSlots = new Set<StackSlot>();
  readonly counters: LoopCounter[] = [];
  readonly targets: BranchTarget[] = [];
  readonly snapshots: Snapshot[] = [];
  readonly variables: PhiVariable[] = [];
  readonly openCells: OpenCell[] = [];
  readonly objects: KnownObject[] = [];
  /** By stack slot: a bit for each byte that is certainly written. */
  written: number[] = [];
  /** The most executions of the current block for each run of the procedure. */
  iterations = 1;
  /** The counter with which the procedure restarts where it would return; null if it does not. */
  tailCounter: TailCounter | null = null;
  /** The callee's rank; for a continuation, that of the procedure with the exit; otherwise 0. */
  rank = 0;
  /** False for a continuation, which only the oracle runs. */
  isCompiled = true;
  private readonly open: boolean[] = [];

  constructor(context: ModuleContext, proc: Procedure, heapBaseAt: number) {
    this.context = context;
    this.source = context.source;
    this.swarm = context.swarm;
    this.dials = context.swarm.dials;
    this.proc = proc;
    this.block = proc.newBlock();
    this.heapBase = heapBaseAt < 0 ? null : proc.parameters[heapBaseAt];
    for (let i = 0; i < proc.parameters.length; i++) {
      const parameter = proc.parameters[i];
      if (i !== heapBaseAt) this.live[parameter.type].push(parameter);
      // Inputs have specified bits; a continuation takes slots of an exit, which may be open NaNs.
      if (proc !== context.module.entry && isFloating(parameter.type))
        this.open[parameter.id] = true;
    }
  }

  chance(percent: number): boolean {
    return chance(this.source, percent);
  }

  below(count: number): number {
    return this.source.below(count);
  }

  mark(): ScopeMark {
    return {
      flags: this.flags.length,
      addresses: this.addresses.length,
      counters: this.counters.length,
      targets: this.targets.length,
      snapshots: this.snapshots.length,
      variables: this.variables.length,
      openCells: this.openCells.length,
      objects: this.objects.length,
      live: this.live.map(({ length }) => length),
      constants: this.constants.map(({ length }) => length),
    };
  }

  /** Removes all list entries since the mark, which do not dominate the following code. */
  release(mark: ScopeMark): void {
    this.flags.length = mark.flags;
    this.addresses.length = mark.addresses;
    this.counters.length = mark.counters;
    this.targets.length = mark.targets;
    this.snapshots.length = mark.snapshots;
    this.variables.length = mark.variables;
    this.openCells.length = mark.openCells;
    this.objects.length = mark.objects;
    for (let type = 1; type < 5; type++) {
      this.live[type].length = mark.live[type];
      this.constants[type].length = mark.constants[type];
    }
  }

  /** Appends a value that is not a candidate operand. */
  append(
    opcode: Opcode,
    type: Type,
    a: Value | null = null,
    b: Value | null = null,
    c: Value | null = null,
  ): Value {
    const value = this.proc.newValue(opcode, type, a, b, c);
    if (a !== null) a.uses++;
    if (b !== null) b.uses++;
    if (c !== null) c.uses++;
    this.block.append(value);
    if (isFloating(type)) this.open[value.id] = this.opens(value);
    return value;
  }

  /** Appends a value that is a candidate operand from now on. */
  emit(
    opcode: Opcode,
    type: Type,
    a: Value | null = null,
    b: Value | null = null,
    c: Value | null = null,
  ): Value {
    const value = this.append(opcode, type, a, b, c);
    if (type !== Void) this.live[type].push(value);
    return value;
  }

  /** Like `emit`; an operand whose bits the operation uses is closed first. */
  emitClosing(
    opcode: Opcode,
    type: Type,
    a: Value | null,
    b: Value | null,
    c: Value | null,
  ): Value {
    const first = opcode === Op.BitwiseCast && a !== null ? this.closed(a) : a;
    const second = opcode === Op.CopySign && b !== null ? this.closed(b) : b;
    return this.emit(opcode, type, first, second, c);
  }

  /** Appends an existing value, usually a Phi, to the current block as a candidate operand. */
  place(value: Value, isOpen: boolean): void {
    this.block.append(value);
    if (value.type !== Void) this.live[value.type].push(value);
    this.open[value.id] = isOpen;
  }

  upsilon(value: Value, phi: Value): void {
    this.append(Op.Upsilon, Void, value).extra = phi;
  }

  jump(target: BasicBlock): void {
    this.append(Op.Jump, Void);
    this.block.successors.push(target);
  }

  branch(condition: Value, taken: BasicBlock, other: BasicBlock): void {
    this.append(Op.Branch, Void, condition);
    this.block.successors.push(taken, other);
  }

  /**
   * Ends the block with a Switch.
   * @param targets one for each key, then the default's
   */
  switch(operand: Value, keys: readonly WordPair[], targets: readonly BasicBlock[]): void {
    this.append(Op.Switch, Void, operand).extra = new SwitchCases(
      keys.map(([lo]) => lo),
      keys.map(([, hi]) => hi),
    );
    this.block.successors.push(...targets);
  }

  isOpen(value: Value): boolean {
    return this.open[value.id] === true;
  }

  setOpen(value: Value, isOpen: boolean): void {
    this.open[value.id] = isOpen;
  }

  private opens(value: Value): boolean {
    if (CLOSED[value.opcode] === 1 || value.isConstant) return false;
    if (CARRIES[value.opcode] === 0) return true;
    const { a, b, c } = value;
    return (
      (a !== null && this.isOpen(a)) ||
      (b !== null && this.isOpen(b)) ||
      (c !== null && this.isOpen(c))
    );
  }

  /** Returns the value, or its PurifyNaN if its bits are open. */
  closed(value: Value): Value {
    return this.isOpen(value) ? this.emit(Op.PurifyNaN, value.type, value) : value;
  }

  constantOf(type: Type, lo: number, hi: number): Value {
    const value = this.append(CONSTANT_OPCODES[type], type);
    value.constantLow = lo;
    value.constantHigh = hi;
    this.constants[type].push(value);
    return value;
  }

  /** Marks an operation whose constant operand, if it has one, may be any constant. */
  markFree(value: Value): Value {
    if (value.a?.isConstant || value.b?.isConstant) this.context.free.push(value);
    return value;
  }

  integer(type: Type, number: number): Value {
    return this.constantOf(
      type,
      number | 0,
      type === Int64 ? Math.floor(number / 0x1_0000_0000) : 0,
    );
  }

  /** Returns a constant, new or used before. */
  constant(type: Type): Value {
    const known = this.constants[type];
    if (known.length > 0 && this.chance(30)) {
      const one = known[this.below(known.length)];
      if (!this.chance(this.dials.relation)) return one;
      const [lo, hi] = drawRelated(this.source, type, [one.constantLow, one.constantHigh]);
      return this.constantOf(type, lo, hi);
    }
    const [lo, hi] = drawConstant(this.source, type, this.dials.tame);
    return this.constantOf(type, lo, hi);
  }

  /** Returns an operand: a value, or at times a constant. */
  pick(type: Type): Value {
    return this.chance(this.dials.constant) ? this.constant(type) : this.pickValue(type);
  }

  /** Returns a live value that is not a constant; converted from another type if there is none. */
  pickValue(type: Type): Value {
    const list = this.live[type];
    const { length } = list;
    if (length === 0) return this.derive(type);
    if (this.chance(this.dials.pending)) {
      const stop = Math.max(0, length - PENDING_DEPTH);
      for (let i = length - 1; i >= stop; i--) if (list[i].uses === 0) return list[i];
    }
    const back = this.below(2 * Math.min(length, RECENT));
    return back < Math.min(length, RECENT) ? list[length - 1 - back] : list[this.below(length)];
  }

  /**
   * Returns an operand like `pick`, but preferably not `other`, the other operand of the same
   * instruction.
   */
  pickBeside(type: Type, other: Value): Value {
    other.uses++;
    let value = this.pick(type);
    if (value === other) value = this.pick(type);
    other.uses--;
    return value;
  }

  private derive(type: Type): Value {
    const { live } = this;
    switch (type) {
      case Int64:
        if (live[Int32].length > 0) {
          return this.emit(this.chance(50) ? Op.SExt32 : Op.ZExt32, Int64, this.pickValue(Int32));
        }
        if (live[Double].length > 0) {
          return this.emit(Op.BitwiseCast, Int64, this.closed(this.pickValue(Double)));
        }
        return this.emit(Op.SExt32, Int64, this.pickValue(Int32));
      case Float:
        if (live[Double].length > 0)
          return this.emit(Op.DoubleToFloat, Float, this.pickValue(Double));
        if (this.chance(50)) return this.emit(Op.BitwiseCast, Float, this.pickValue(Int32));
        return this.emit(
          Op.DoubleToFloat,
          Float,
          this.emit(Op.IToD, Double, this.pickValue(Int32)),
        );
      case Double:
        if (live[Float].length > 0)
          return this.emit(Op.FloatToDouble, Double, this.pickValue(Float));
        return this.emit(Op.IToD, Double, this.pickValue(Int32));
      default:
        return this.deriveInt32();
    }
  }

  private deriveInt32(): Value {
    const { live } = this;
    if (live[Int64].length > 0) return this.emit(Op.Trunc, Int32, this.pickValue(Int64));
    if (live[Float].length > 0) {
      return this.emit(Op.BitwiseCast, Int32, this.closed(this.pickValue(Float)));
    }
    if (live[Double].length > 0) {
      const bits = this.emit(Op.BitwiseCast, Int64, this.closed(this.pickValue(Double)));
      return this.emit(Op.Trunc, Int32, bits);
    }
    // A procedure without a usable parameter: the only value is the heap base, or a constant.
    if (this.heapBase !== null) return this.emit(Op.Trunc, Int32, this.heapBase);
    const { constantLow: lo } = this.constant(Int32);
    return this.emit(Op.Identity, Int32, this.constantOf(Int32, lo, 0));
  }
}
