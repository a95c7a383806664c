// A call of a small procedure becomes the procedure's code.
//
// Assumes a valid program in any form of Phi. A callee is inlined when
//
// - it is finished: it comes before the caller in the order of the optimizer, so it is as small as it
//   gets, and no two procedures inline each other without end; and it does not call itself, which one
//   copy more would not change;
// - it is small, and the caller has room left;
// - nothing in it tells its activation from the caller's (activation.ts).
//
// What is taken in is the callee as it was before its allocations were lowered: its objects are the caller's then.
//
// The block of the call ends in front of it; each return writes the Phis that the call and its Extracts become, and
// leads to the rest of the block. Where the caller is to be asked to leave, each return also says whether it asks,
// and a guard behind the call leaves if it does. One application is one call.

import { isReturn, Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  calledBy,
  extractsOf,
  type Procedure,
  returnedBy,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Void } from "../../../src/ir/types.js";
import { codeSizeOf, INLINED_MAX } from "../analysis/code-size.js";
import type { OptimizeContext } from "../edit/context.js";
import { copyValue, rewriteOperands } from "../edit/duplicate-blocks.js";
import { LIMITS } from "../edit/limits.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon } from "../edit/upsilons.js";
import { tellsActivation } from "./activation.js";
import { callsOf, newJump, splitBehind } from "./calls.js";

const NAME = "inline-calls";
/** Values that a caller takes in. */
const ROOM = 400;

export function inlineCalls(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  let room = ROOM;
  for (const call of callsOf(proc)) {
    const called = calledBy(call);
    if (called === null || called === proc || !context.isFinished(called)) continue;
    const callee = context.bodyOf(called);
    const size = sizeIfInlinable(callee, called);
    if (size > room) continue;
    if (proc.valueIdEnd > LIMITS["procedure size"]) {
      context.reachLimit("procedure size");
      break;
    }
    if (!context.claim(NAME, call)) break;
    room -= size;
    inline(proc, call, callee);
  }
  if (context.applications === before) return false;
  sweep(proc);
  return true;
}

/** The number of values that are code; infinite if the procedure is not to be inlined. */
function sizeIfInlinable(callee: Procedure, called: Procedure): number {
  const refuses = (value: Value): boolean => tellsActivation(value) || value.procedure === called;
  if (callee.blocks.some(({ values }) => values.some(refuses))) return Number.POSITIVE_INFINITY;
  const size = codeSizeOf(callee.blocks);
  return size > INLINED_MAX ? Number.POSITIVE_INFINITY : size;
}

function inline(proc: Procedure, call: Value, callee: Procedure): void {
  const { block, rest } = call;
  if (block === null) return;
  const behind = splitBehind(proc, block, call);
  const copyOf = new Map<Value, Value>();
  callee.parameters.forEach((parameter, i) => {
    if (rest !== null) copyOf.set(parameter, rest[i]);
  });
  const entry = copyBlocks(proc, callee, copyOf, block.frequency);
  block.values.push(newJump(proc, block));
  block.successors = [entry];
  const returns = leadBehind(proc, callee, copyOf, behind);
  // Before the call becomes another value.
  if (call.opcode === Op.CallCheck) guardBehind(proc, call, returns, behind);
  becomeResults(proc, call, returns);
}

/** The blocks of the callee in the caller, returns included; gives the first. */
function copyBlocks(
  proc: Procedure,
  callee: Procedure,
  copyOf: Map<Value, Value>,
  frequency: number,
): BasicBlock {
  const blockOf = new Map<BasicBlock, BasicBlock>();
  for (const original of callee.blocks) {
    const copy = proc.newBlock();
    copy.frequency = original.frequency * frequency;
    blockOf.set(original, copy);
    for (const value of original.values) {
      const twin = copyValue(proc, value);
      twin.block = copy;
      copy.values.push(twin);
      copyOf.set(value, twin);
    }
  }
  const seen = (value: Value): Value => copyOf.get(value) ?? value;
  for (const [original, copy] of blockOf) {
    copy.successors = original.successors.map((successor) => blockOf.get(successor) ?? successor);
    for (const twin of copy.values) {
      rewriteOperands(twin, seen);
      if (twin.opcode === Op.Upsilon) twin.extra = seen(twin.phi);
    }
  }
  return blockOf.get(callee.blocks[0]) ?? proc.blocks[0];
}

/** Where a copy of the callee ends. */
interface End {
  readonly block: BasicBlock;
  /** Empty for nothing. */
  readonly returned: readonly Value[];
  readonly asks: boolean;
}

/** Lets the copied returns lead behind the call. */
function leadBehind(
  proc: Procedure,
  callee: Procedure,
  copyOf: ReadonlyMap<Value, Value>,
  behind: BasicBlock,
): End[] {
  const ends: End[] = [];
  for (const { last } of callee.blocks) {
    const copy = isReturn(last.opcode) ? copyOf.get(last) : undefined;
    if (copy === undefined || copy.block === null) continue;
    const { block } = copy;
    ends.push({ block, returned: returnedBy(copy), asks: last.opcode === Op.ReturnAsking });
    block.values[block.values.length - 1] = newJump(proc, block);
    block.successors = [behind];
  }
  return ends;
}

/** Leaves by the snapshot of the call, behind it, where what was returned asks for that. */
function guardBehind(
  proc: Procedure,
  { snapshot }: Value,
  ends: readonly End[],
  behind: BasicBlock,
): void {
  if (!ends.some(({ asks }) => asks)) return;
  const asked = proc.newValue(Op.Phi, Int32);
  asked.block = behind;
  for (const { block, asks } of ends) {
    const answer = proc.newConstant(Int32, asks ? 1 : 0, 0);
    answer.block = block;
    block.values.splice(-1, 0, answer, newUpsilon(proc, block, answer, asked));
  }
  const guard = proc.newValue(Op.Check, Void);
  guard.a = asked;
  guard.extra = snapshot;
  guard.block = behind;
  behind.values.splice(behind.values.findIndex(isBehindResults), 0, asked, guard);
}

/** All but the call, which is first, and its further results. */
const isBehindResults = ({ opcode }: Value, at: number): boolean => at > 0 && opcode !== Op.Extract;

/** The call becomes what is returned, and so do its further results. */
function becomeResults(proc: Procedure, call: Value, ends: readonly End[]): void {
  if (call.type === Void) {
    call.becomesNop();
    return;
  }
  for (const result of [...extractsOf(call), call]) becomeResult(proc, call, result, ends);
}

function becomeResult(proc: Procedure, call: Value, result: Value, ends: readonly End[]): void {
  const number = result === call ? 0 : result.lo;
  if (ends.length === 1) {
    result.becomes(ends[0].returned[number]);
  } else if (ends.length === 0) {
    result.becomesConstant(0, 0); // the callee never returns
  } else {
    result.becomesPhi();
    for (const { block, returned } of ends) {
      block.values.splice(-1, 0, newUpsilon(proc, block, returned[number], result));
    }
  }
}
