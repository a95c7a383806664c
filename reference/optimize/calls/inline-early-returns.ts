// Inlines the first test of a procedure that may return immediately. The call remains only on the
// path on which the procedure continues.
//
//   r = f(x)      becomes      r = x < 2 ? x : f(x)      where f begins with: if (x < 2) return x
//
// Assumes a valid program in any form of Phi. The callee is finished, or is the current procedure:
// in a tree of calls half of the calls are leaves, which return immediately. From its entry, jumps
// lead to one branch, and from there on one side to a return. On this path are only values that may
// be copied (isCopied): at most VALUES_MAX before the branch and as many after it. The remaining
// call executes the unchanged procedure, which tests again.
//
// inline-calls inlines small callees completely; this phase handles the callees that are large or
// call themselves. One application is one call.

import { EFFECTS, Op, PARTIAL, READS_MEMORY } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { copyValue, rewriteOperands } from "../edit/duplicate-blocks.js";
import { LIMITS } from "../edit/limits.js";
import { newUpsilon } from "../edit/upsilons.js";
import { dependsOnActivation } from "./activation.js";
import { callsOf, newJump, splitBeforeCall } from "./calls.js";

const NAME = "inline-early-returns";
/**
 * The maximum number of values before the branch, and from there to the return; constants do not
 * count.
 */
const VALUES_MAX = 4;
/** The maximum number of changed calls in one caller. */
const CALLS_MAX = 16;

export function inlineEarlyReturns(proc: Procedure, context: OptimizeContext): boolean {
  const before = context.applications;
  const known = new Map<Procedure, EarlyReturn | null>();
  let room = CALLS_MAX;
  for (const call of callsOf(proc)) {
    const called = call.opcode === Op.CCall ? call.procedure : null;
    if (called === null || room === 0) continue;
    if (!known.has(called)) known.set(called, earlyReturnOf(called, proc, context));
    const early = known.get(called) ?? null;
    if (early === null) continue;
    if (proc.valueIdEnd > LIMITS["procedure size"]) {
      context.reachLimit("procedure size");
      break;
    }
    if (!context.claim(NAME, call)) break;
    room--;
    insertTest(proc, call, early);
  }
  return context.applications !== before;
}

/** The path on which a procedure returns immediately. */
interface EarlyReturn {
  readonly parameters: readonly Value[];
  readonly toBranch: EarlyPath;
  readonly condition: Value;
  /** True if the procedure returns when the condition holds. */
  readonly ifTaken: boolean;
  readonly toReturn: EarlyPath;
  /** The returned value; null if the procedure returns nothing. */
  readonly returned: Value | null;
}

function earlyReturnOf(
  called: Procedure,
  caller: Procedure,
  context: OptimizeContext,
): EarlyReturn | null {
  if (called.further.length > 0) return null;
  if (called !== caller && !context.isFinished(called)) return null;
  const { blocks, parameters } = called === caller ? caller : context.inlineBodyOf(called);
  const toBranch = new EarlyPath(null);
  const end = toBranch.follow(blocks[0]);
  if (end === null || end.last.opcode !== Op.Branch || end.last.a === null) return null;
  const condition = toBranch.current(end.last.a);
  for (const [s, successor] of end.successors.entries()) {
    const toReturn = new EarlyPath(toBranch);
    const last = toReturn.follow(successor)?.last;
    if (last?.opcode !== Op.Return) continue;
    const returned = last.a === null ? null : toReturn.current(last.a);
    return { parameters, toBranch, condition, ifTaken: s === 0, toReturn, returned };
  }
  return null;
}

/**
 * A chain of blocks connected by jumps, evaluated from its first block: a Phi is the value that was
 * written to it last.
 */
class EarlyPath {
  /** The values to copy, in order. */
  readonly values: Value[] = [];
  /** By Phi: the value of its next read. */
  private readonly written: Map<Value, Value>;
  /** By Phi: its value when it was read. */
  private readonly read: Map<Value, Value>;

  /**
   * Starts a path.
   * @param before the path that precedes this one; null for none
   */
  constructor(before: EarlyPath | null) {
    this.written = new Map(before?.written);
    this.read = new Map(before?.read);
  }

  current(value: Value): Value {
    return this.read.get(value) ?? value;
  }

  /**
   * Follows the jumps and returns the first block that does not end in a jump. Returns null for a
   * cycle, a path that is too long, or a value that may not be copied.
   */
  follow(first: BasicBlock): BasicBlock | null {
    const passed = new Set<BasicBlock>();
    for (let block = first; !passed.has(block); [block] = block.successors) {
      passed.add(block);
      if (!block.values.every((value) => value === block.last || this.addValue(value))) return null;
      if (block.last.opcode !== Op.Jump) return block;
    }
    return null;
  }

  private addValue(value: Value): boolean {
    const { opcode, a } = value;
    if (opcode === Op.Phi) {
      const source = this.written.get(value);
      if (source === undefined) return false;
      this.read.set(value, source);
      return true;
    }
    if (opcode === Op.Upsilon) {
      if (a === null) return false;
      this.written.set(value.phi, this.current(a));
      return true;
    }
    if (opcode === Op.Nop) return true;
    if (!isCopied(value)) return false;
    this.values.push(value);
    return value.isConstant || this.values.filter((one) => !one.isConstant).length <= VALUES_MAX;
  }
}

/** True if the caller may compute the value: nothing happens between the call and these values. */
const isCopied = (value: Value): boolean =>
  value.isConstant ||
  ((EFFECTS[value.opcode] & ~(PARTIAL | READS_MEMORY)) === 0 && !dependsOnActivation(value));

function insertTest(proc: Procedure, call: Value, early: EarlyReturn): void {
  const { block, rest } = call;
  if (block === null) return;
  const { condition, ifTaken, toBranch, toReturn, returned } = early;
  const copyOf = new Map<Value, Value>();
  early.parameters.forEach((parameter, i) => {
    if (rest !== null) copyOf.set(parameter, rest[i]);
  });
  const after = splitBeforeCall(proc, block, call);
  const [fast, slow] = [proc.newBlock(), proc.newBlock()];
  for (const side of [fast, slow]) {
    side.frequency = block.frequency / 2;
    side.successors = [after];
  }
  copyTo(proc, block, toBranch, copyOf);
  const branch = proc.newValue(Op.Branch, Void);
  branch.a = copyOf.get(condition) ?? condition;
  block.append(branch);
  block.successors = ifTaken ? [fast, slow] : [slow, fast];
  copyTo(proc, fast, toReturn, copyOf);
  const called = copyValue(proc, call);
  slow.append(called);
  if (returned === null) call.becomesNop();
  else {
    call.becomesPhi();
    fast.values.push(newUpsilon(proc, fast, copyOf.get(returned) ?? returned, call));
    slow.values.push(newUpsilon(proc, slow, called, call));
  }
  for (const side of [fast, slow]) side.values.push(newJump(proc, side));
}

function copyTo(
  proc: Procedure,
  block: BasicBlock,
  path: EarlyPath,
  copyOf: Map<Value, Value>,
): void {
  const current = (value: Value): Value => {
    const source = path.current(value);
    return copyOf.get(source) ?? source;
  };
  for (const value of path.values) {
    const copy = copyValue(proc, value);
    rewriteOperands(copy, current);
    block.append(copy);
    copyOf.set(value, copy);
  }
}
