// Turns a call of the procedure itself, whose result it returns, into a jump to its start.
//
// Assumes a valid program in any form of Phi. One operation on the result may remain, if it is the
// same at all such calls:
//
//   return f(n - 1) + n      becomes      sum = sum + n; continue with n - 1
//
// Every other return then adds the sum to its value. The operation is one of ASSOCIATIVE, on
// integers. The values between the call and the return are total and do not use the result, so they
// may execute first.
//
// The calls become TailCalls, which need no result, and the TailCalls become a loop.
//
// The phase skips procedures with values that depend on their activation (activation.ts). It also
// skips procedures that may set the deoptimization flag: a plain call ignores the flag, but a jump
// would pass it on. All such calls of a procedure are one application.

import { loopTailCalls } from "../../../src/ir/loop-tail-calls.js";
import { isTotal, Op, type Opcode } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  extractsOf,
  forEachOperand,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { isFloating, isWide, Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon, writes } from "../edit/upsilons.js";
import { dependsOnActivation } from "./activation.js";

const NAME = "loop-self-calls";

/** By associative and commutative opcode: its neutral operand. */
const ASSOCIATIVE: ReadonlyMap<Opcode, number> = new Map([
  [Op.Add, 0],
  [Op.Mul, 1],
  [Op.BitAnd, -1],
  [Op.BitOr, 0],
  [Op.BitXor, 0],
]);

/** A call in tail position. */
interface TailSelfCall {
  readonly call: Value;
  readonly block: BasicBlock;
  /** The operation on the result before it is returned; null for none. */
  readonly operation: Value | null;
}

export function loopSelfCalls(proc: Procedure, context: OptimizeContext): boolean {
  if (proc.blocks.some(({ values }) => values.some(dependsOnActivation))) return false;
  if (proc.blocks.some(({ last }) => last.opcode === Op.ReturnDeopt)) return false;
  const tails = withOneOperation(tailCallsOf(proc));
  if (tails.length === 0 || !context.claim(NAME, tails[0].call)) return false;
  const [header] = proc.blocks;
  const operation = tails.find((tail) => tail.operation !== null)?.operation ?? null;
  const sum = operation === null ? null : sumIn(proc, header, operation);
  for (const tail of tails) becomeTailCall(proc, tail, sum);
  loopTailCalls(proc);
  if (sum !== null && operation !== null) {
    const entry = proc.blocks[0];
    write(proc, entry, neutralIn(proc, entry, operation), sum);
    for (const tail of tails) write(proc, tail.block, tail.operation ?? sum, sum);
    addToReturns(proc, sum, operation.opcode);
  }
  sweep(proc);
  return true;
}

function tailCallsOf(proc: Procedure): TailSelfCall[] {
  const tails: TailSelfCall[] = [];
  for (const block of proc.blocks) {
    const tail = tailCallOf(proc, block);
    if (tail !== null) tails.push(tail);
  }
  return tails;
}

function tailCallOf(proc: Procedure, block: BasicBlock): TailSelfCall | null {
  const { values } = block;
  const at = values.findLastIndex(({ opcode }) => opcode === Op.CCall);
  const call = at < 0 ? null : values[at];
  if (call === null || call.procedure !== proc) return null;
  const returned = returnedBy(block);
  if (returned === undefined) return null;
  if (proc.further.length > 0)
    return returnsAll(proc, call, block) ? { call, block, operation: null } : null;
  const after = values.slice(at + 1, -1).filter(({ opcode }) => opcode !== Op.Upsilon);
  const operation = returned === call || returned === null ? null : returned;
  const others = after.filter((value) => value !== operation);
  if (!others.every((value) => isTotal(value.opcode, value.type) && !uses(value, call)))
    return null;
  if (call.type === Void || operation === null) return { call, block, operation: null };
  if (!after.includes(operation) || !isAccumulation(operation, call)) return null;
  return { call, block, operation };
}

/**
 * True if the block of a procedure with further results returns all results of the call, in order,
 * and does nothing else.
 */
function returnsAll({ further }: Procedure, call: Value, { values, last }: BasicBlock): boolean {
  const given = [last.a, last.b, last.c].slice(0, 1 + further.length);
  const isGiven = given.every((value, i) =>
    i === 0
      ? value === call
      : value?.opcode === Op.Extract && value.a === call && value.resultIndex === i,
  );
  const after = values.slice(values.indexOf(call) + 1, -1);
  return isGiven && after.every(({ opcode, a }) => opcode === Op.Extract && a === call);
}

/**
 * Returns the value that the block returns, directly or through a join that only returns; undefined
 * if it does not return.
 */
function returnedBy({ last, values, successors }: BasicBlock): Value | null | undefined {
  if (last.opcode === Op.Return) return last.a;
  if (last.opcode !== Op.Jump) return undefined;
  const [join] = successors;
  const [phi] = join.values;
  const upsilons = values.filter(({ opcode }) => opcode === Op.Upsilon);
  if (join.last.opcode !== Op.Return) return undefined;
  if (join.values.length === 1 && upsilons.length === 0) {
    return join.last.a === null ? null : undefined;
  }
  const isPlain = join.values.length === 2 && phi.opcode === Op.Phi && join.last.a === phi;
  if (!isPlain || upsilons.length !== 1 || upsilons[0].extra !== phi) return undefined;
  return upsilons[0].a;
}

/** True if the operation may be done before the call, with its other operand. */
function isAccumulation({ opcode, type, a, b }: Value, call: Value): boolean {
  return ASSOCIATIVE.has(opcode) && !isFloating(type) && (a === call) !== (b === call);
}

function uses(value: Value, used: Value): boolean {
  let does = false;
  forEachOperand(value, (operand) => {
    if (operand === used) does = true;
  });
  return does;
}

/**
 * Returns the calls with the same operation as the first that has one, and the calls without
 * operation.
 */
function withOneOperation(tails: readonly TailSelfCall[]): TailSelfCall[] {
  const opcode = tails.find(({ operation }) => operation !== null)?.operation?.opcode;
  return tails.filter(({ operation }) => operation === null || operation.opcode === opcode);
}

/** Creates the Phi that accumulates the remaining operations. */
function sumIn(proc: Procedure, header: BasicBlock, { type }: Value): Value {
  const sum = proc.newValue(Op.Phi, type);
  sum.block = header;
  header.values.unshift(sum);
  return sum;
}

function becomeTailCall(
  proc: Procedure,
  { call, block, operation }: TailSelfCall,
  sum: Value | null,
): void {
  if (operation !== null && operation.a === call) operation.a = sum;
  else if (operation !== null) operation.b = sum;
  // If the block jumps to the block that returns, an Upsilon passes the result to its Phi.
  const join = block.successors.length > 0 ? block.successors[0].values[0] : null;
  block.values = block.values.slice(0, -1).filter((value) => join === null || !writes(value, join));
  const tailCall = proc.newValue(Op.TailCall, Void);
  tailCall.rest = call.rest;
  block.append(tailCall);
  block.successors = [];
  for (const extract of extractsOf(call)) extract.becomesNop();
  call.becomesNop();
}

/** Creates the neutral constant at the head of the entry. */
function neutralIn(proc: Procedure, entry: BasicBlock, { opcode, type }: Value): Value {
  const number = ASSOCIATIVE.get(opcode) ?? 0;
  const constant = proc.newConstant(type, number, number < 0 && isWide(type) ? -1 : 0);
  constant.block = entry;
  entry.values.unshift(constant);
  return constant;
}

/** Makes the block write the Phi before it jumps. */
function write(proc: Procedure, block: BasicBlock, value: Value, phi: Value): void {
  block.values.splice(block.values.length - 1, 0, newUpsilon(proc, block, value, phi));
}

function addToReturns(proc: Procedure, sum: Value, opcode: Opcode): void {
  for (const block of proc.blocks) {
    const { last } = block;
    if (last.opcode !== Op.Return) continue;
    const total = proc.newValue(opcode, sum.type);
    total.block = block;
    total.a = sum;
    total.b = last.a;
    block.values.splice(block.values.length - 1, 0, total);
    last.a = total;
  }
}
