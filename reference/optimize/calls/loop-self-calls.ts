// A procedure that calls itself and returns what the call gives goes back to its beginning instead.
//
// Assumes a valid program in any form of Phi. Of the result one operation may be left to do, the same at
// all such calls:
//
//   return f(n - 1) + n      becomes      sum = sum + n; go on with n - 1
//
// and every other return adds the sum to what it gives. The operation is one of ASSOCIATIVE, on integers;
// what stands between the call and the return is total, and does not need the result, so it may come
// first.
//
// A TailCall of the language says the same without a result; edge form has none (canonicalize-phis).
//
// Not where an activation can be told from the next one: by a stack slot, whose bytes are unwritten at
// each call; by a guard, whose exit in a callee goes on in the caller; by a patchpoint or a register of an
// argument. All such calls of a procedure are one application.

import { EFFECTS, EXITS, isTotal, NAMES_KIND, Op, type Opcode } from "../../../src/ir/opcodes.js";
import {
  BasicBlock,
  forEachOperand,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { isFloating, isWide, Void } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { newUpsilon, rewriteOperands } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";

const NAME = "loop-self-calls";

/** By opcode that is associative and commutes: what does not change the other operand. */
const ASSOCIATIVE: ReadonlyMap<Opcode, number> = new Map([
  [Op.Add, 0],
  [Op.Mul, 1],
  [Op.BitAnd, -1],
  [Op.BitOr, 0],
  [Op.BitXor, 0],
]);

/** A call in tail position. */
interface SelfCall {
  readonly call: Value;
  readonly block: BasicBlock;
  /** What is done with the result before it is returned; null for nothing. */
  readonly operation: Value | null;
}

export function loopSelfCalls(proc: Procedure, context: OptimizeContext): boolean {
  if (namesActivation(proc)) return false;
  const tails = agreeing(tailCallsOf(proc));
  if (tails.length === 0 || !context.claim(NAME, tails[0].call)) return false;
  new Loop(proc, tails).build();
  sweep(proc);
  return true;
}

function namesActivation({ blocks }: Procedure): boolean {
  return blocks.some(({ values }) =>
    values.some(
      ({ opcode }) =>
        NAMES_KIND[opcode] === 1 ||
        opcode === Op.SlotBase ||
        opcode === Op.TailCall ||
        opcode === Op.ArgumentReg ||
        opcode === Op.FramePointer ||
        (EFFECTS[opcode] & EXITS) !== 0,
    ),
  );
}

function tailCallsOf(proc: Procedure): SelfCall[] {
  const tails: SelfCall[] = [];
  for (const block of proc.blocks) {
    const tail = tailCallOf(proc, block);
    if (tail !== null) tails.push(tail);
  }
  return tails;
}

function tailCallOf(proc: Procedure, block: BasicBlock): SelfCall | null {
  const { values } = block;
  const at = values.findLastIndex(({ opcode }) => opcode === Op.CCall);
  const call = at < 0 ? null : values[at];
  if (call === null || call.procedure !== proc) return null;
  const returned = returnedBy(block);
  if (returned === undefined) return null;
  const behind = values.slice(at + 1, -1).filter(({ opcode }) => opcode !== Op.Upsilon);
  const operation = returned === call || returned === null ? null : returned;
  const others = behind.filter((value) => value !== operation);
  if (!others.every((value) => isTotal(value.opcode, value.type) && !uses(value, call)))
    return null;
  if (call.type === Void || operation === null) return { call, block, operation: null };
  if (!behind.includes(operation) || !isAccumulation(operation, call)) return null;
  return { call, block, operation };
}

/** What the block returns, itself or by a join that only returns; undefined if it does not. */
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

/** True if the operation is one that may be done before the call, with the other operand. */
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

/** Those that do the same operation as the first that does one, and those that do none. */
function agreeing(tails: readonly SelfCall[]): SelfCall[] {
  const opcode = tails.find(({ operation }) => operation !== null)?.operation?.opcode;
  return tails.filter(({ operation }) => operation === null || operation.opcode === opcode);
}

class Loop {
  private readonly proc: Procedure;
  private readonly tails: readonly SelfCall[];
  private readonly entry: BasicBlock;
  private readonly header: BasicBlock;
  /** By parameter that changes: what it is in each iteration. */
  private readonly variables = new Map<Value, Value>();
  /** What is left to do with what is returned; null for nothing. */
  private readonly operation: Value | null;

  constructor(proc: Procedure, tails: readonly SelfCall[]) {
    this.proc = proc;
    this.tails = tails;
    [this.header] = proc.blocks;
    this.entry = new BasicBlock(proc.blockIdEnd++);
    this.entry.frequency = this.header.frequency;
    this.operation = tails.find(({ operation }) => operation !== null)?.operation ?? null;
  }

  build(): void {
    const { proc, header, entry } = this;
    proc.parameters.forEach((parameter, i) => {
      const isChanged = this.tails.some(({ call }) => call.rest?.[i] !== parameter);
      if (isChanged) this.variables.set(parameter, proc.newValue(Op.Phi, parameter.type));
    });
    const sum = this.operation === null ? null : proc.newValue(Op.Phi, this.operation.type);
    const seen = (value: Value): Value => this.variables.get(value) ?? value;
    proc.forEachValue((value) => rewriteOperands(value, seen));
    for (const tail of this.tails) this.goBack(tail, sum);
    if (sum !== null) this.addToReturns(sum);
    const phis = [...this.variables.values(), ...(sum === null ? [] : [sum])];
    for (const phi of phis) phi.block = header;
    header.values.unshift(...phis);
    for (const [parameter, phi] of this.variables) this.write(entry, parameter, phi);
    if (sum !== null) this.write(entry, this.neutral(sum), sum);
    this.jump(entry);
    proc.blocks.unshift(entry);
  }

  /** The constant that changes nothing, at the head of the entry. */
  private neutral({ type }: Value): Value {
    const number = ASSOCIATIVE.get(this.operation?.opcode ?? Op.Nop) ?? 0;
    const constant = this.proc.newConstant(type, number, number < 0 && isWide(type) ? -1 : 0);
    constant.block = this.entry;
    this.entry.values.unshift(constant);
    return constant;
  }

  private goBack({ call, block, operation }: SelfCall, sum: Value | null): void {
    // The Upsilon, if there is one, is to the Phi of the join that returns.
    block.values = block.values.slice(0, -1).filter((value) => !this.isToJoin(value, block));
    const args = call.rest ?? [];
    if (sum !== null && operation !== null) {
      if (operation.a === call) operation.a = sum;
      else operation.b = sum;
    }
    this.proc.parameters.forEach((parameter, i) => {
      const phi = this.variables.get(parameter);
      if (phi !== undefined) this.write(block, args[i], phi);
    });
    if (sum !== null) this.write(block, operation ?? sum, sum);
    call.becomesNop();
    this.jump(block);
  }

  private isToJoin({ opcode, extra }: Value, { successors }: BasicBlock): boolean {
    return opcode === Op.Upsilon && successors.length > 0 && successors[0].values[0] === extra;
  }

  private write(block: BasicBlock, value: Value, phi: Value): void {
    block.values.push(newUpsilon(this.proc, block, value, phi));
  }

  private jump(block: BasicBlock): void {
    const jump = this.proc.newValue(Op.Jump, Void);
    jump.block = block;
    block.values.push(jump);
    block.successors = [this.header];
  }

  private addToReturns(sum: Value): void {
    const { proc, operation } = this;
    for (const block of proc.blocks) {
      const { last } = block;
      if (last.opcode !== Op.Return || operation === null) continue;
      const total = proc.newValue(operation.opcode, operation.type);
      total.block = block;
      total.a = sum;
      total.b = last.a;
      block.values.splice(block.values.length - 1, 0, total);
      last.a = total;
    }
  }
}
