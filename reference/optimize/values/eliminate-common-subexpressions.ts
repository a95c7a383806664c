// Replaces a value by an equal one that dominates it, and removes guards that an equal guard
// dominates.
//
// Assumes a valid program, in any form of Phi, and ignores unreachable blocks. Pure values,
// constants, calls of pure host functions and guards take part. Loads and Phis do not, because
// their result depends on the time of their execution. A guard that an equal one dominates cannot
// fail, and a checked operation then has the other's result.
//
// The walk goes down the dominator tree. The hash table contains the values of the dominating
// blocks; the walk removes a block's values when it leaves the block. Removal is last in, first out,
// so it never breaks a probe chain.

import { CALLS, COMMUTES, CONSTANT, EFFECTS, EXITS, Op, PARTIAL } from "../../../src/ir/opcodes.js";
import { type Procedure, StackSlot, type Value } from "../../../src/ir/procedure.js";
import { DominatorTree } from "../analysis/dominator-tree.js";
import type { OptimizeContext } from "../edit/context.js";
import { resolveOperands, sweep } from "../edit/sweep.js";

const NAME = "eliminate-common-subexpressions";

export function eliminateCommonSubexpressions(proc: Procedure, context: OptimizeContext): boolean {
  const available = new AvailableValues(proc, context);
  const marks: number[] = [];
  let changed = false;
  new DominatorTree(context.flow(proc), context).walk({
    enter({ values }) {
      marks.push(available.count);
      if (visitBlock(values, available, context)) changed = true;
      return true;
    },
    leave() {
      available.truncate(marks.pop() ?? 0);
    },
  });
  if (changed) sweep(proc);
  return changed;
}

function visitBlock(
  values: readonly Value[],
  available: AvailableValues,
  context: OptimizeContext,
): boolean {
  let changed = false;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    resolveOperands(value);
    if (!isCandidate(value)) continue;
    const known = available.findOrAdd(value);
    if (known === null) continue;
    if (!context.claim(NAME, value)) return changed;
    changed = true;
    if (value.opcode === Op.Check) value.becomesNop();
    else value.becomes(known);
  }
  return changed;
}

function isCandidate(value: Value): boolean {
  const effects = EFFECTS[value.opcode];
  if (effects === CALLS) return value.isPureCall;
  // Partial values may be merged: the dominating value has executed, so an equal value is defined,
  // too.
  if ((effects & ~(CONSTANT | EXITS | PARTIAL)) !== 0) return false;
  return value.opcode !== Op.Nop && value.opcode !== Op.Identity;
}

/**
 * The values that dominate the current position, in a hash table by operation: open addressing, at
 * most half full.
 */
class AvailableValues {
  count = 0;
  private readonly values: Value[] = [];
  /** By slot of the table: the index in `values` plus 1; 0 is free. */
  private readonly table: Int32Array;
  /** By index in `values`: its slot in the table. */
  private readonly slots: Int32Array;
  private readonly mask: number;

  constructor(proc: Procedure, context: OptimizeContext) {
    let size = 64;
    while (size < 2 * proc.valueIdEnd) size *= 2;
    this.mask = size - 1;
    this.table = context.table(size);
    this.slots = context.table(proc.valueIdEnd);
  }

  /**
   * Returns an equal available value. If there is none, makes `value` available and returns null.
   */
  findOrAdd(value: Value): Value | null {
    const { table, mask, values } = this;
    let slot = hash(value) & mask;
    for (; table[slot] !== 0; slot = (slot + 1) & mask) {
      const known = values[table[slot] - 1];
      if (isEqual(known, value)) return known;
    }
    values[this.count] = value;
    this.slots[this.count] = slot;
    table[slot] = ++this.count;
    return null;
  }

  /** Removes all values but the first `count`. */
  truncate(count: number): void {
    while (this.count > count) this.table[this.slots[--this.count]] = 0;
  }
}

// For commutative opcodes the hash does not depend on the order of the operands.
function hash(value: Value): number {
  const { a, b, c, rest, extra } = value;
  const first = a === null ? 0 : a.id;
  const second = b === null ? 0 : b.id;
  let h = Math.imul(value.opcode * 8 + value.type, 0x9e3779b1);
  h ^= COMMUTES[value.opcode] === 1 ? first + second : Math.imul(first, 31) + second * 17;
  h = value.hashImmediates(h);
  if (c !== null) h = Math.imul(h ^ c.id, 0x27d4eb2f);
  if (extra instanceof StackSlot) h ^= extra.id;
  if (rest !== null) for (let i = 0; i < rest.length; i++) h = Math.imul(h ^ rest[i].id, 31);
  h = Math.imul(h ^ (h >>> 15), 0x9e3779b1);
  return h ^ (h >>> 13);
}

function isEqual(known: Value, value: Value): boolean {
  if (known.opcode !== value.opcode || known.type !== value.type) return false;
  if (!known.hasImmediatesOf(value) || known.c !== value.c) return false;
  // Guards may differ in their snapshots, which do not affect the result.
  if ((EFFECTS[value.opcode] & EXITS) === 0 && known.extra !== value.extra) return false;
  if (known.a !== value.a || known.b !== value.b) {
    const isSwapped = known.a === value.b && known.b === value.a;
    if (!isSwapped || COMMUTES[value.opcode] === 0) return false;
  }
  return isEqualRest(known.rest, value.rest);
}

function isEqualRest(known: readonly Value[] | null, rest: readonly Value[] | null): boolean {
  if (known === null || rest === null) return known === rest;
  for (let i = 0; i < rest.length; i++) if (known[i] !== rest[i]) return false;
  return known.length === rest.length;
}
