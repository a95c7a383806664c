// Replaces a call of a small procedure by the procedure's code.
//
// Assumes a valid program in any form of Phi. A callee is inlined under these conditions:
//
// - It is finished: it comes before the caller in the optimizer's order. So it has its smallest
//   size, and procedures do not inline each other endlessly. It does not call itself, because one
//   more copy would not help.
// - It is small, and the caller has not reached its limit.
// - No value in it depends on its activation (activation.ts).
//
// The phase inlines the callee's code from before its allocations were lowered, so its objects
// become the caller's objects.
//
// The block of the call ends before it. Each return writes the Phis that replace the call and its
// Extracts, and jumps to the rest of the block. For a CallCheck of a callee that may set the
// deoptimization flag, each return also writes the flag, and a guard after the call tests it. One
// application is one call.

import { isReturn, Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  directCallee,
  extractsOf,
  type Procedure,
  returnedValues,
  type Value,
} from "../../../src/ir/procedure.js";
import { Int32, Void } from "../../../src/ir/types.js";
import { codeSizeOf, INLINED_MAX } from "../analysis/code-size.js";
import type { OptimizeContext } from "../edit/context.js";
import { copyValue, rewriteOperands } from "../edit/duplicate-blocks.js";
import { LIMITS } from "../edit/limits.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon } from "../edit/upsilons.js";
import { dependsOnActivation } from "./activation.js";
import { callsOf, newJump, splitBeforeCall } from "./calls.js";

const NAME = "inline-calls";
/** The maximum number of values that are inlined into one caller. */
const INLINED_TOTAL_MAX = 400;

export function inlineCalls(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  let room = INLINED_TOTAL_MAX;
  for (const call of callsOf(proc)) {
    const called = directCallee(call);
    if (called === null || called === proc || !context.isFinished(called)) continue;
    const callee = context.inlineBodyOf(called);
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

/** Returns the code size of the callee; Infinity if the procedure must not be inlined. */
function sizeIfInlinable(callee: Procedure, called: Procedure): number {
  const isExcluded = (value: Value): boolean =>
    dependsOnActivation(value) || value.procedure === called;
  if (callee.blocks.some(({ values }) => values.some(isExcluded))) return Number.POSITIVE_INFINITY;
  const size = codeSizeOf(callee.blocks);
  return size > INLINED_MAX ? Number.POSITIVE_INFINITY : size;
}

function inline(proc: Procedure, call: Value, callee: Procedure): void {
  const { block, rest } = call;
  if (block === null) return;
  const after = splitBeforeCall(proc, block, call);
  const copyOf = new Map<Value, Value>();
  callee.parameters.forEach((parameter, i) => {
    if (rest !== null) copyOf.set(parameter, rest[i]);
  });
  const entry = copyBlocks(proc, callee, copyOf, block.frequency);
  block.values.push(newJump(proc, block));
  block.successors = [entry];
  const returns = redirectReturns(proc, callee, copyOf, after);
  // Insert the flag guard first, while the call still exists.
  if (call.opcode === Op.CallCheck) insertFlagGuard(proc, call, returns, after);
  becomeResults(proc, call, returns);
}

/** Copies the blocks of the callee into the caller, returns included; returns the entry. */
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
      copy.append(twin);
      copyOf.set(value, twin);
    }
  }
  const mapped = (value: Value): Value => copyOf.get(value) ?? value;
  for (const [original, copy] of blockOf) {
    copy.successors = original.successors.map((successor) => blockOf.get(successor) ?? successor);
    for (const twin of copy.values) {
      rewriteOperands(twin, mapped);
      if (twin.opcode === Op.Upsilon) twin.extra = mapped(twin.phi);
    }
  }
  return blockOf.get(callee.blocks[0]) ?? proc.blocks[0];
}

/** The end of a copied block that returns. */
interface InlinedReturn {
  readonly block: BasicBlock;
  /** The returned values; empty if the procedure returns nothing. */
  readonly returned: readonly Value[];
  readonly setsFlag: boolean;
}

/** Redirects the copied returns to the block after the call. */
function redirectReturns(
  proc: Procedure,
  callee: Procedure,
  copyOf: ReadonlyMap<Value, Value>,
  after: BasicBlock,
): InlinedReturn[] {
  const ends: InlinedReturn[] = [];
  for (const { last } of callee.blocks) {
    const copy = isReturn(last.opcode) ? copyOf.get(last) : undefined;
    if (copy === undefined || copy.block === null) continue;
    const { block } = copy;
    ends.push({ block, returned: returnedValues(copy), setsFlag: last.opcode === Op.ReturnDeopt });
    block.values[block.values.length - 1] = newJump(proc, block);
    block.successors = [after];
  }
  return ends;
}

/**
 * Exits by the call's snapshot, after the call, if the executed return set the deoptimization flag.
 */
function insertFlagGuard(
  proc: Procedure,
  { snapshot }: Value,
  ends: readonly InlinedReturn[],
  after: BasicBlock,
): void {
  if (!ends.some(({ setsFlag }) => setsFlag)) return;
  const flag = proc.newValue(Op.Phi, Int32);
  flag.block = after;
  for (const { block, setsFlag } of ends) {
    const constant = proc.newConstant(Int32, setsFlag ? 1 : 0, 0);
    constant.block = block;
    block.values.splice(-1, 0, constant, newUpsilon(proc, block, constant, flag));
  }
  const guard = proc.newValue(Op.Check, Void, flag);
  guard.extra = snapshot;
  guard.block = after;
  after.values.splice(after.values.findIndex(isAfterResults), 0, flag, guard);
}

/** True for the first value after the call, which is at position 0, and its Extracts. */
const isAfterResults = ({ opcode }: Value, at: number): boolean => at > 0 && opcode !== Op.Extract;

/** Replaces the call and its Extracts by the returned values. */
function becomeResults(proc: Procedure, call: Value, ends: readonly InlinedReturn[]): void {
  if (call.type === Void) {
    call.becomesNop();
    return;
  }
  for (const result of [...extractsOf(call), call]) becomeResult(proc, call, result, ends);
}

function becomeResult(
  proc: Procedure,
  call: Value,
  result: Value,
  ends: readonly InlinedReturn[],
): void {
  const number = result === call ? 0 : result.resultIndex;
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
