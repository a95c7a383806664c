// Appends values to a procedure.

import type { HostFunction } from "../ir/host-functions.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import {
  type BasicBlock,
  type FrameSlot,
  Procedure,
  SwitchCases,
  type Value,
} from "../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../ir/types.js";
import { SWITCH_CASES_MAX } from "../ir/verify/verify-rows.js";
import { tooMany } from "./import-error.js";
import type { ValueEmitter } from "./operations.js";
import { numberOfTrap, type TrapKind } from "./traps.js";

/**
 * The most values of a procedure. A few bytes of a binary may produce many values: the Phis of
 * nested loops.
 */
export const VALUES_MAX = 2_000_000;
const BLOCKS_MAX = 500_000;

export interface ExitNumbers {
  next: number;
}

/** The location of a trap in the binary, and the values that its frame shows. */
interface TrapLocation {
  readonly at: number;
  readonly shown: readonly Value[];
}

export class ProcedureEmitter implements ValueEmitter {
  readonly proc: Procedure;
  block: BasicBlock;
  protected readonly exits: ExitNumbers;
  private place: TrapLocation = { at: 0, shown: [] };

  /**
   * @param results the types of the results, at most FURTHER_MAX after the first
   * @param exits the next number of an exit, for all procedures of a program
   */
  constructor(name: string, [first = Void, ...further]: readonly Type[], exits: ExitNumbers) {
    this.proc = new Procedure(name, first, further);
    this.block = this.proc.newBlock();
    this.exits = exits;
  }

  /** The byte of the instruction that is translated. */
  get at(): number {
    return this.place.at;
  }

  /** Sets the location of the traps that follow. */
  setPlace(at: number, shown: readonly Value[]): void {
    this.place = { at, shown };
  }

  emit = (opcode: Opcode, type: Type, ...[a, b, c]: Value[]): Value =>
    this.append(this.proc.newValue(opcode, type, a, b, c));

  constant = (type: Type, lo: number, hi = 0): Value =>
    this.append(this.proc.newConstant(type, lo, hi));

  int = (value: number): Value => this.constant(Int32, value | 0);
  long = (value: number): Value => this.constant(Int64, value | 0, Math.floor(value / 2 ** 32) | 0);

  trapIf = (condition: Value, trap: TrapKind): void => {
    const snapshot = this.proc.newSnapshot(this.exits.next++);
    const kind: FrameSlot = { kind: "constant", type: Int32, lo: numberOfTrap(trap), hi: 0 };
    const shown = this.place.shown.map((value): FrameSlot => ({ kind: "value", value }));
    const point = this.place.at;
    snapshot.frames.push({ name: this.proc.name, point, slots: [kind, ...shown] });
    this.emit(Op.Check, Void, condition).extra = snapshot;
  };

  /** Writes an unconditional trap and ends the block. */
  trap(trap: TrapKind): void {
    this.trapIf(this.int(1), trap);
    this.emit(Op.Oops, Void);
  }

  load(opcode: Opcode, type: Type, address: Value, offset: number): Value {
    const value = this.emit(opcode, type, address);
    value.offset = offset;
    return value;
  }

  store(opcode: Opcode, stored: Value, address: Value, offset: number): void {
    this.emit(opcode, Void, stored, address).offset = offset;
  }

  call(callee: Procedure | HostFunction, args: readonly Value[]): Value {
    const value = this.emit(Op.CCall, callee.result);
    value.rest = args.slice();
    value.extra = callee;
    return value;
  }

  phi = (type: Type): Value => this.emit(Op.Phi, type);

  upsilon(value: Value, phi: Value): void {
    this.emit(Op.Upsilon, Void, value).extra = phi;
  }

  jump(to: BasicBlock): void {
    this.emit(Op.Jump, Void);
    this.block.successors.push(to);
  }

  branch(condition: Value, then: BasicBlock, otherwise: BasicBlock): void {
    this.emit(Op.Branch, Void, condition);
    this.block.successors.push(then, otherwise);
  }

  /** Writes a Switch that goes to `targets[k]` for `keys[k]`. */
  switch(
    on: Value,
    keys: readonly number[],
    targets: readonly BasicBlock[],
    otherwise: BasicBlock,
  ): void {
    this.refuseMoreThan(SWITCH_CASES_MAX, keys.length, "cases of one branch");
    const high = keys.map(() => 0);
    this.emit(Op.Switch, Void, on).extra = new SwitchCases(keys, high);
    this.block.successors.push(...targets, otherwise);
  }

  /**
   * Returns the results of a call of the procedure in this block. The first result is the call
   * itself.
   */
  results(called: Value, { result, further }: Procedure): Value[] {
    if (result === Void) return [];
    const extracted = further.map((type, i) => {
      const value = this.emit(Op.Extract, type, called);
      value.resultIndex = i + 1;
      return value;
    });
    return [called, ...extracted];
  }

  /** @param values as many values as the procedure has results */
  return(...values: readonly Value[]): void {
    this.emit(Op.Return, Void, ...values);
  }

  /**
   * Refuses early a number of values that would exceed the limit.
   * @throws ImportError with the location `at`
   */
  expectValues(count: number, at: number): void {
    if (this.proc.valueIdEnd + count > VALUES_MAX) {
      throw tooMany(at, VALUES_MAX, "values for the data of a module");
    }
  }

  /** @throws the error of `tooMany` */
  private refuseMoreThan(limit: number, count: number, counted: string): void {
    if (count > limit) throw this.tooMany(limit, counted);
  }

  /** Returns the error for a function that is too large, with the location of the instruction. */
  protected tooMany(limit: number, counted: string): Error {
    return tooMany(this.place.at, limit, counted);
  }

  /** Creates a block and makes it current. */
  startBlock(): BasicBlock {
    this.refuseMoreThan(BLOCKS_MAX, this.proc.blockIdEnd, "blocks of one function");
    this.block = this.proc.newBlock();
    return this.block;
  }

  private append(value: Value): Value {
    this.refuseMoreThan(VALUES_MAX, this.proc.valueIdEnd, "values of one function");
    return this.block.append(value);
  }
}
