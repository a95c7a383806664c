// Adds the offset of an access to the base, before the loop, if the access can encode an index or
// an offset, but not both:
//
//   Load(Add(p, i), offset = 8)    ->    q = Add(p, 8), before the loop;  Load(Add(q, i))
//
// Assumes a valid program, in any form of Phi, and keeps that form: it only inserts values before
// loops that have a preheader. Addresses are modulo 2^64, so nothing overflows. All uses of the sum
// must be accesses at one offset, because otherwise the sum is computed anyway. Each sum is one
// application.

import { Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  isMemoryAccess,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int64, Void } from "../../../src/ir/types.js";
import type { TargetName } from "../../target/target.js";
import {
  analyzeLoops,
  isInLoop,
  type Loop,
  type LoopForest,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { tailStart } from "../edit/edit-blocks.js";
import { takesIndex } from "./machine-facts.js";

const NAME = "move-offsets-to-bases";

export function moveOffsetsToBases(proc: Procedure, context: OptimizeContext): boolean {
  const { target } = context;
  if (target === null) return false;
  const loops = analyzeLoops(proc, context.flow(proc));
  if (loops.all.length === 0) return false;
  const candidates = findCandidates(loops, target);
  if (candidates.size === 0) return false;
  proc.countUses();
  const before = context.applications;
  const bases: Value[] = [];
  for (const [sum, accesses] of candidates) {
    const { offset: lo } = accesses[0];
    if (accesses.length !== sum.uses || accesses.some((access) => access.offset !== lo)) continue;
    const location = baseLocationOf(loops, sum);
    if (location === null) continue;
    if (!context.claim(NAME, sum)) break;
    const moved = baseAt(proc, location.preheader, location.base, lo, bases);
    if (sum.a === location.base) sum.a = moved;
    else sum.b = moved;
    for (const access of accesses) access.offset = 0;
  }
  return context.applications !== before;
}

/** Finds sums in loops, with the accesses that could take them as an index without an offset. */
function findCandidates({ flow, innermost }: LoopForest, target: TargetName): Map<Value, Value[]> {
  const found = new Map<Value, Value[]>();
  for (const block of flow.order) {
    if (innermost[block.id] === 0) continue;
    for (const access of block.values) {
      if (!isMemoryAccess(access) || access.offset === 0) continue;
      const { address, opcode, offset: lo } = access;
      if (address.opcode !== Op.Add || address.block === null) continue;
      const type = access.type === Void ? (access.a?.type ?? Void) : access.type;
      if (!takesIndex(target, opcode, type, 0) || takesIndex(target, opcode, type, lo)) continue;
      const known = found.get(address);
      if (known === undefined) found.set(address, [access]);
      else known.push(access);
    }
  }
  return found;
}

interface BaseLocation {
  readonly base: Value;
  readonly preheader: BasicBlock;
}

/**
 * Returns the operand from outside, and the preheader of the outermost loop outside which it is
 * defined.
 */
function baseLocationOf(loops: LoopForest, { a, b, block }: Value): BaseLocation | null {
  if (a === null || b === null || block === null) return null;
  const known = loops.innermost[block.id];
  if (known === 0) return null;
  let loop: Loop | null = loops.all[known - 1];
  const isOutside = (value: Value, around: Loop): boolean =>
    value.block === null || !isInLoop(loops, around, value.block);
  const base = isOutside(a, loop) ? a : b;
  const index = base === a ? b : a;
  // If both come from outside, the whole sum has left the loop already, or must stay.
  if (!isOutside(base, loop) || isOutside(index, loop) || base.opcode === Op.SlotBase) return null;
  let preheader: BasicBlock | null = null;
  while (loop !== null && isOutside(base, loop)) {
    const around = preheaderOf(loops, loop);
    if (around === null) break;
    preheader = around;
    loop = loop.parent;
  }
  return preheader === null ? null : { base, preheader };
}

/** Returns `base + offset` at the end of the block, shared by all sums there. */
function baseAt(
  proc: Procedure,
  block: BasicBlock,
  base: Value,
  offset: number,
  bases: Value[],
): Value {
  const known = bases.find(
    (value) => value.block === block && value.a === base && value.b?.constantLow === offset,
  );
  if (known !== undefined) return known;
  const distance = proc.newConstant(Int64, offset, offset >> 31);
  const moved = proc.newValue(Op.Add, Int64, base, distance);
  distance.block = block;
  moved.block = block;
  bases.push(moved);
  block.values.splice(tailStart(block.values), 0, distance, moved);
  return moved;
}
