// Changes the structure of a program and keeps its behavior: splits or duplicates blocks, computes
// values twice, keeps them in variables or stack slots, adds dead code.
//
// Each change applies wherever possible, so that a reduced program is changed in the same way.

import { copyValue } from "../ir/clone.js";
import { isTotal, Op } from "../ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  forEachSlotValue,
  gatherExtracts,
  type Procedure,
  type Value,
} from "../ir/procedure.js";
import { Int32, Int64, isInteger, sizeOf, Void } from "../ir/types.js";

interface ProcedureChange {
  readonly name: string;
  /**
   * Changes the procedure in place.
   * @param kept values that must not change: addresses, and values derived from them
   */
  readonly make: (proc: Procedure, kept: ReadonlySet<Value>) => void;
}

/** The structural changes, in the order of application. */
// biome-ignore format: a table
export const CHANGES: readonly ProcedureChange[] = [
  { name: "values computed twice",        make: computeTwice },
  { name: "values in stack slots",        make: keepInSlots },
  { name: "values in variables",          make: keepInVariables },
  { name: "blocks twice",                 make: copyBlocks },
  { name: "blocks in two parts",          make: splitBlocks },
  { name: "code that is never executed",  make: addDeadCode },
];

/** The maximum number of values for changes that add values. */
const VALUES_MAX = 4000;
/** The maximum number of values in a copied block. */
const COPIED_MAX = 60;
const COPIES_MAX = 8;

const isPure = ({ opcode, type, a }: Value): boolean =>
  type !== Void && a !== null && opcode !== Op.Phi && isTotal(opcode, a.type);

function computeTwice(proc: Procedure, kept: ReadonlySet<Value>): void {
  for (const block of proc.blocks) {
    const { values } = block;
    const twins = new Map<Value, Value>();
    let uses = 0;
    block.values = [];
    for (const value of values) {
      // Every second use reads the second computation of the value.
      mapOperands(value, (operand) =>
        uses++ % 2 === 0 ? operand : (twins.get(operand) ?? operand),
      );
      block.append(value);
      if (!isPure(value) || kept.has(value) || proc.valueIdEnd > VALUES_MAX) continue;
      twins.set(value, block.append(copyValue(proc, value, same)));
    }
  }
}

// Integers only: memory does not preserve an open NaN as a register does.
function keepInSlots(proc: Procedure, kept: ReadonlySet<Value>): void {
  for (const value of crossing(proc, kept)) {
    if (!isInteger(value.type) || proc.slots.length >= SLOTS_MAX) continue;
    const slot = proc.newSlot(sizeOf(value.type), true);
    const addressIn = (): Value => {
      const address = proc.newValue(Op.SlotBase, Int64);
      address.extra = slot;
      return address;
    };
    const [address, store] = [addressIn(), proc.newValue(Op.Store, Void)];
    [store.a, store.b] = [value, address];
    insertAfter(value, address, store);
    replaceInOtherBlocks(proc, value, () => {
      const load = proc.newValue(Op.Load, value.type);
      load.a = addressIn();
      return [load.a, load];
    });
  }
}
const SLOTS_MAX = 12;

/**
 * Writes each value that other blocks use to a variable for each of these blocks, which reads it at
 * its start.
 */
function keepInVariables(proc: Procedure, kept: ReadonlySet<Value>): void {
  for (const value of crossing(proc, kept)) keepInVariable(proc, value);
}

function keepInVariable(proc: Procedure, value: Value): void {
  replaceInOtherBlocks(proc, value, () => {
    const phi = proc.newValue(Op.Phi, value.type);
    const upsilon = proc.newValue(Op.Upsilon, Void);
    [upsilon.a, upsilon.extra] = [value, phi];
    insertAfter(value, upsilon);
    return [phi];
  });
}

/** Copies blocks with several predecessors: all predecessors but the first branch to a copy. */
function copyBlocks(proc: Procedure, kept: ReadonlySet<Value>): void {
  let copies = 0;
  for (const block of [...proc.blocks]) {
    if (copies >= COPIES_MAX || proc.valueIdEnd > VALUES_MAX) return;
    proc.computePredecessors();
    if (block.index === 0 || block.predecessors.length < 2) continue;
    if (block.values.length > COPIED_MAX || !canCopy(proc, block, kept)) continue;
    for (const value of [...block.values]) {
      if (isUsedElsewhere(proc, value)) keepInVariable(proc, value);
    }
    copyBlock(proc, block);
    copies++;
  }
}

/**
 * Returns whether no snapshot contains a value of the block, and no kept value of the block is used
 * elsewhere.
 */
function canCopy(proc: Procedure, block: BasicBlock, kept: ReadonlySet<Value>): boolean {
  const shown = shownByExits(proc);
  return block.values.every(
    (value) =>
      !shown.has(value) &&
      (!(kept.has(value) || value.isConstant) || !isUsedElsewhere(proc, value)),
  );
}

function copyBlock(proc: Procedure, block: BasicBlock): void {
  const [first, ...others] = block.predecessors;
  const copy = proc.newBlock();
  copy.frequency = block.frequency;
  copy.successors = [...block.successors];
  const twins = new Map<Value, Value>();
  const twinOf = (value: Value): Value => twins.get(value) ?? value;
  for (const value of block.values) {
    const isWrite = value.opcode === Op.Upsilon;
    const twin = copyValue(proc, value, twinOf);
    if (isWrite) twin.extra = value.extra; // also if it writes a Phi of this block
    twins.set(value, copy.append(twin));
  }
  for (const { values } of [block, copy, ...proc.blocks.filter((b) => b !== block && b !== copy)]) {
    for (let i = values.length - 1; i >= 0; i--) {
      if (values[i].opcode !== Op.Upsilon || !twins.has(values[i].phi)) continue;
      const twin = copyValue(proc, values[i], same);
      twin.extra = twinOf(values[i].phi);
      twin.block = values[i].block;
      values.splice(i + 1, 0, twin);
    }
  }
  let isFirst = true;
  for (const from of new Set([first, ...others])) {
    from.successors = from.successors.map((to) => {
      if (to !== block) return to;
      const stays = isFirst;
      isFirst = false;
      return stays ? block : copy;
    });
  }
}

function splitBlocks(proc: Procedure): void {
  for (const block of [...proc.blocks])
    splitAt(proc, block, (indexAfterPhis(block) + block.values.length) >> 1);
}

/** Moves the following values to a new block, and returns it. */
function splitAt(proc: Procedure, block: BasicBlock, middle: number): BasicBlock {
  gatherExtracts(block);
  let at = middle;
  while (block.values[at].opcode === Op.Extract) at++;
  const rest = proc.newBlock();
  rest.frequency = block.frequency;
  rest.successors = block.successors;
  for (const value of block.values.splice(at)) rest.append(value);
  block.append(proc.newValue(Op.Jump, Void));
  block.successors = [rest];
  return rest;
}

/**
 * Adds before each block's end a branch that is never taken, to a copy of the block's arithmetic.
 */
function addDeadCode(proc: Procedure, kept: ReadonlySet<Value>): void {
  for (const block of [...proc.blocks]) {
    if (proc.valueIdEnd > VALUES_MAX) return;
    const at = block.values.length - 1;
    const rest = splitAt(proc, block, at);
    const dead = proc.newBlock();
    for (const value of block.values.slice(0, at)) {
      if (isPure(value) && !kept.has(value)) dead.append(copyValue(proc, value, same));
    }
    dead.append(proc.newValue(Op.Jump, Void));
    dead.successors = [rest];
    block.values.pop();
    const number = block.append(proc.newConstant(Int32, at, 0));
    const never = block.append(proc.newValue(Op.LessThan, Int32));
    [never.a, never.b] = [number, number];
    block.append(proc.newValue(Op.Branch, Void)).a = never;
    block.successors = [dead, rest];
  }
}

const same = (value: Value): Value => value;

const indexAfterPhis = ({ values }: BasicBlock): number =>
  values.findLastIndex(({ opcode }) => opcode === Op.Phi) + 1;

/** Inserts after the value's definition, and after the Phis of its block. */
function insertAfter(value: Value, ...made: readonly Value[]): void {
  const { block } = value;
  if (block === null) return;
  const at = Math.max(indexAfterPhis(block), block.values.indexOf(value) + 1);
  for (const one of made) one.block = block;
  block.values.splice(at, 0, ...made);
}

/** Returns the values that other blocks use, except those that must not change. */
function crossing(proc: Procedure, kept: ReadonlySet<Value>): Value[] {
  const users = new Map<Value, BasicBlock | null>();
  for (const block of proc.blocks) {
    for (const user of block.values) {
      forEachOperand(user, (operand) => {
        if (operand.block !== block) users.set(operand, block);
      });
    }
  }
  return proc.blocks.flatMap(({ values }) =>
    values.filter((value) => users.has(value) && !kept.has(value) && !value.isConstant),
  );
}

function isUsedElsewhere(proc: Procedure, value: Value): boolean {
  return proc.blocks.some(
    (block) => block !== value.block && block.values.some((user) => uses(user, value)),
  );
}

function uses(user: Value, value: Value): boolean {
  let found = false;
  forEachOperand(user, (operand) => {
    found ||= operand === value;
  });
  return found;
}

/**
 * Replaces the value in each other block that uses it.
 * @param make makes the values for a block, the last of which is the replacement; a single Phi is
 * placed at the start
 */
function replaceInOtherBlocks(proc: Procedure, value: Value, make: () => Value[]): void {
  for (const block of proc.blocks) {
    const first = block.values.findIndex((user) => uses(user, value));
    if (block === value.block || first < 0) continue;
    const made = make();
    const last = made[made.length - 1];
    for (const user of block.values) {
      mapOperands(user, (operand) => (operand === value ? last : operand));
    }
    for (const one of made) one.block = block;
    block.values.splice(last.opcode === Op.Phi ? 0 : first, 0, ...made);
  }
}

function mapOperands(value: Value, map: (operand: Value) => Value): void {
  if (value.a !== null) value.a = map(value.a);
  if (value.b !== null) value.b = map(value.b);
  if (value.c !== null) value.c = map(value.c);
  if (value.rest !== null) value.rest = value.rest.map(map);
}

function shownByExits(proc: Procedure): ReadonlySet<Value> {
  const shown = new Set<Value>();
  for (const snapshot of proc.snapshots) {
    forEachSlotValue(snapshot, (value) => shown.add(value));
    for (const value of snapshot.values) forEachOperand(value, (operand) => shown.add(operand));
  }
  return shown;
}
