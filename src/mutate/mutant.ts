// Represents a program under mutation, and a position in it for new values.

import { drawConstant } from "../generate/maker/constants.js";
import { analyzeControlFlow, type ControlFlow, UNREACHABLE } from "../ir/control-flow.js";
import { CONTROL, EFFECTS, Op, type Opcode } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { BasicBlock, Module, Procedure, Snapshot, Value } from "../ir/procedure.js";
import { isFloating, type Type, Void } from "../ir/types.js";
import type { ChoiceSource } from "../support/source.js";

export interface MutationInput {
  /** The program that is mutated, in place. */
  readonly module: Module;
  readonly source: ChoiceSource;
  /** Returns another program, which is never changed; made on first use. */
  readonly donor: () => DonorProgram;
}

/** A whole program: a module and its inputs. */
export interface DonorProgram {
  readonly module: Module;
  readonly inputs: readonly Input[];
}

export const isControl = ({ opcode }: Value): boolean => (EFFECTS[opcode] & CONTROL) !== 0;

/** Returns one of the items, with equal odds; undefined if there are none. */
export const pickOne = <T>(source: ChoiceSource, items: readonly T[]): T | undefined =>
  items.length === 0 ? undefined : items[source.below(items.length)];

/**
 * Returns addresses of slots, of the frame and of procedures, by id. They must not replace other
 * values, nor be replaced.
 */
export function addressesOf(proc: Procedure): Uint8Array {
  const isAddress = new Uint8Array(proc.valueIdEnd);
  // Blocks are in any order, so a definition may follow its uses.
  for (let changed = true; changed; ) {
    changed = false;
    for (const { values } of proc.blocks) {
      for (const value of values) {
        if (isAddress[value.id] === 1 || !derivesAddress(value, isAddress)) continue;
        isAddress[value.id] = 1;
        changed = true;
      }
    }
  }
  return isAddress;
}

function derivesAddress({ opcode, a, b, c }: Value, isAddress: Uint8Array): boolean {
  if (ADDRESSES.includes(opcode)) return true;
  if (!PASSES_ADDRESS.includes(opcode)) return false;
  return [a, b, c].some((operand) => operand !== null && isAddress[operand.id] === 1);
}
const ADDRESSES: readonly Opcode[] = [Op.SlotBase, Op.FunctionAddress, Op.FramePointer];
const PASSES_ADDRESS: readonly Opcode[] = [Op.Identity, Op.Opaque, Op.Add, Op.Select];

export interface ReachableBlock {
  readonly proc: Procedure;
  readonly block: BasicBlock;
  readonly flow: ControlFlow;
}

/** Draws a reachable block: a procedure with equal odds, then a block of it. */
export function pickBlock({ module, source }: MutationInput): ReachableBlock {
  const proc = module.procedures[source.below(module.procedures.length)];
  const flow = analyzeControlFlow(proc);
  return { proc, flow, block: flow.order[source.below(flow.order.length)] };
}

/** A position in a block, where new values are inserted in order. */
export class InsertionPoint {
  readonly proc: Procedure;
  readonly block: BasicBlock;
  /** The index in the block at which the next value is inserted. */
  at: number;
  readonly flow: ControlFlow;

  constructor({ proc, block, flow }: ReachableBlock, at: number) {
    this.proc = proc;
    this.block = block;
    this.flow = flow;
    this.at = at;
  }

  place(value: Value): Value {
    value.block = this.block;
    this.block.values.splice(this.at++, 0, value);
    return value;
  }

  emit(opcode: Opcode, type: Type, ...operands: readonly Value[]): Value {
    const [a, b, c] = operands;
    return this.place(this.proc.newValue(opcode, type, a, b, c));
  }

  constant(type: Type, lo: number, hi: number): Value {
    return this.place(this.proc.newConstant(type, lo, hi));
  }

  drawnConstant(source: ChoiceSource, type: Type): Value {
    const [lo, hi] = drawConstant(source, type, TAME);
    return this.constant(type, lo, hi);
  }

  /**
   * Returns the values of the type (null: of any type) that dominate the position, including
   * constants, except addresses.
   */
  available(type: Type | null): Value[] {
    const { proc, block, flow } = this;
    const isAddress = addressesOf(proc);
    const isWanted = (value: Value): boolean =>
      (type === null ? value.type !== Void : value.type === type) && isAddress[value.id] === 0;
    const found = proc.parameters.filter(isWanted);
    let position = flow.position[block.index];
    if (position === UNREACHABLE) return found;
    found.push(...block.values.slice(0, this.at).filter(isWanted));
    while (position > 0) {
      position = flow.dominator[position];
      found.push(...flow.order[position].values.filter(isWanted));
    }
    return found;
  }

  /** Returns a value of the type: mostly a live one, otherwise a new constant. */
  pick(source: ChoiceSource, type: Type): Value {
    const found = source.below(5) === 4 ? undefined : pickOne(source, this.available(type));
    return found ?? this.drawnConstant(source, type);
  }

  /** Returns the value, or its PurifyNaN if its bits may be open. */
  closed(value: Value): Value {
    if (!isFloating(value.type) || CLOSED.includes(value.opcode)) return value;
    return this.emit(Op.PurifyNaN, value.type, value);
  }
}
/** Percentage of ordinary numbers among new floats. */
const TAME = 40;
const CLOSED: readonly Opcode[] = [Op.PurifyNaN, Op.BitwiseCast, Op.ConstFloat, Op.ConstDouble];

/** Returns the highest exit number plus one. */
export function exitEnd({ procedures, continuations }: Module): number {
  let end = 0;
  for (const exit of continuations.keys()) end = Math.max(end, exit + 1);
  for (const { snapshots } of procedures) {
    for (const { exit } of snapshots) end = Math.max(end, exit + 1);
  }
  return end;
}

/** Returns a name that no procedure of the module has. */
export function freshName(module: Module, stem: string): string {
  let number = module.procedures.length;
  while (module.procedureNamed(`${stem}${number}`) !== null) number++;
  return `${stem}${number}`;
}

/**
 * Returns a snapshot with an exit of its own: one frame, with some of the values that dominate the
 * position.
 */
export function newSnapshotAt(spot: InsertionPoint, { module, source }: MutationInput): Snapshot {
  const known = spot.available(null);
  const snapshot = spot.proc.newSnapshot(exitEnd(module));
  const slots: Snapshot["frames"][number]["slots"] = [];
  for (let s = source.below(SLOTS + 1); s > 0; s--) {
    const value = pickOne(source, known);
    slots.push(value === undefined ? { kind: "dead" } : { kind: "value", value });
  }
  snapshot.frames.push({ name: spot.proc.name, point: source.below(100), slots });
  return snapshot;
}
const SLOTS = 5;
