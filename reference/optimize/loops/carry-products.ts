// Carries a product of a loop's counter and a loop-invariant factor from one iteration to the next
// by a sum (strength reduction of induction variables):
//
//   i = Phi(i0, i + s)                q = Phi(i0 * n, q + s * n)
//   ... i * n ...              ->     ... q ...
//
// An Int32 sum of such a product and a loop-invariant addend is carried too, if the product has no
// other use. All arithmetic is modulo 2^32 or 2^64, so nothing overflows. The loop must have no
// inner loop and no call, because each carried product takes a register. Only products that every
// iteration computes are carried, at most `CARRIED_MAX` in a loop. A product by a constant is one
// cheap instruction, and stays. The phase runs on x64 only, where a product overwrites a copy of
// the counter; arm64 multiplies and adds in one instruction.
//
// Assumes edge form and keeps it. Each product, with its sum, is one application.

import { CALLS, EFFECTS, Op } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, isInteger } from "../../../src/ir/types.js";
import type { TargetName } from "../../target/target.js";
import {
  analyzeLoops,
  innerLoops,
  isInEachIteration,
  isInLoop,
  type Loop,
  type LoopForest,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { tailStart } from "../edit/edit-blocks.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon, writtenIn } from "../edit/upsilons.js";

const NAME = "carry-products";
const CARRIED_MAX = 2;

const COPIES_COUNTER: { readonly [T in TargetName]: boolean } = { x64: true, arm64: false };

/** A Phi of the header to which each back edge adds the same step. */
interface LoopCounter {
  readonly start: Value;
  readonly step: Value;
}

interface CounterProduct {
  readonly counter: LoopCounter;
  readonly factor: Value;
  /** The sum that uses the product, and its other operand. */
  readonly sum: { readonly value: Value; readonly addend: Value } | null;
}

export function carryProducts(proc: Procedure, context: OptimizeContext): boolean {
  const { target } = context;
  if (target === null || !COPIES_COUNTER[target]) return false;
  const products = productsOf(proc);
  if (products.length === 0) return false;
  const loops = analyzeLoops(proc, context.flow(proc));
  if (loops.all.length === 0) return false;
  proc.countUses();
  const before = context.applications;
  for (const { loop, preheader } of innerLoops(loops)) {
    if (callsAny(loop)) continue;
    if (!new ProductCarrier(proc, context, loops, loop, preheader).run(products)) break;
  }
  const changed = context.applications !== before;
  if (changed) sweep(proc);
  return changed;
}

/** Returns the integer products without constant factors. Few procedures have any. */
const productsOf = ({ blocks }: Procedure): Value[] =>
  blocks.flatMap(({ values }) => values.filter(isProduct));

const isProduct = ({ opcode, type, a, b }: Value): boolean =>
  opcode === Op.Mul && isInteger(type) && a?.isConstant === false && b?.isConstant === false;

const callsAny = ({ blocks }: Loop): boolean =>
  blocks.some(({ values }) => values.some(({ opcode }) => (EFFECTS[opcode] & CALLS) !== 0));

class ProductCarrier {
  private readonly proc: Procedure;
  private readonly context: OptimizeContext;
  private readonly loops: LoopForest;
  private readonly loop: Loop;
  private readonly preheader: BasicBlock;

  constructor(
    proc: Procedure,
    context: OptimizeContext,
    loops: LoopForest,
    loop: Loop,
    preheader: BasicBlock,
  ) {
    this.proc = proc;
    this.context = context;
    this.loops = loops;
    this.loop = loop;
    this.preheader = preheader;
  }

  /**
   * Replaces products of the loop by sums; returns false if the limit of applications is reached.
   */
  run(products: readonly Value[]): boolean {
    let carried = 0;
    for (const value of products) {
      const { block } = value;
      if (carried === CARRIED_MAX) break;
      if (block === null || !isInLoop(this.loops, this.loop, block)) continue;
      const product = isInEachIteration(this.loops, this.loop, block)
        ? this.productOf(value)
        : null;
      if (product === null) continue;
      if (!this.context.claim(NAME, value)) return false;
      this.carry(value, product);
      carried++;
    }
    return true;
  }

  private productOf(value: Value): CounterProduct | null {
    const { a, b } = value;
    if (a === null || b === null) return null;
    const factor = this.isInvariant(a) ? a : b;
    const counted = factor === a ? b : a;
    if (!this.isInvariant(factor)) return null;
    const counter = this.counterOf(counted);
    return counter === null ? null : { counter, factor, sum: this.sumOf(value) };
  }

  private counterOf(phi: Value): LoopCounter | null {
    const { loop, preheader } = this;
    if (phi.opcode !== Op.Phi || phi.block !== loop.header) return null;
    const start = writtenIn(preheader, phi);
    if (start === null) return null;
    let step: Value | null = null;
    for (const latch of loop.latches) {
      const next = writtenIn(latch, phi);
      if (next === null || next.opcode !== Op.Add || next.a === null || next.b === null)
        return null;
      const added = next.a === phi ? next.b : next.b === phi ? next.a : null;
      if (added === null || !this.isInvariant(added)) return null;
      if (step !== null && !isSame(step, added)) return null;
      step = added;
    }
    return step === null ? null : { start, step };
  }

  /** Returns the only sum that uses the product, if it is in the same block. */
  private sumOf(product: Value): CounterProduct["sum"] {
    if (product.uses !== 1 || product.type !== Int32) return null;
    const value = product.block?.values.find(({ a, b }) => a === product || b === product);
    if (value === undefined || value.opcode !== Op.Add) return null;
    const addend = value.a === product ? value.b : value.a;
    return addend !== null && this.isInvariant(addend) ? { value, addend } : null;
  }

  private isInvariant(value: Value): boolean {
    return (
      value.isConstant || value.block === null || !isInLoop(this.loops, this.loop, value.block)
    );
  }

  private carry(value: Value, { counter, factor, sum }: CounterProduct): void {
    const { header, latches } = this.loop;
    const { proc, preheader } = this;
    const start = this.times(counter.start, factor);
    const first = sum === null ? start : this.plus(preheader, start, this.copyOf(sum.addend));
    const step = this.times(counter.step, factor);
    const phi = proc.newValue(Op.Phi, value.type);
    phi.block = header;
    header.values.unshift(phi);
    this.write(preheader, phi, first);
    for (const latch of latches) this.write(latch, phi, this.plus(latch, phi, step));
    (sum?.value ?? value).becomes(phi);
    if (sum !== null) value.becomesNop();
  }

  /** Computes the product before the loop; folds factors 0 and 1. */
  private times(value: Value, factor: Value): Value {
    const isSmall =
      value.isConstant &&
      value.constantHigh === 0 &&
      (value.constantLow === 0 || value.constantLow === 1);
    if (isSmall) return value.constantLow === 1 ? factor : this.copyOf(value);
    const other = this.copyOf(value);
    const product = this.append(this.preheader, Op.Mul, factor);
    product.b = other;
    return product;
  }

  private plus(block: BasicBlock, x: Value, y: Value): Value {
    if (x.isConstant && x.constantLow === 0 && x.constantHigh === 0) return y;
    const sum = this.append(block, Op.Add, x);
    sum.b = y;
    return sum;
  }

  private write(block: BasicBlock, phi: Value, value: Value): void {
    block.values.splice(block.values.length - 1, 0, newUpsilon(this.proc, block, value, phi));
  }

  private append(block: BasicBlock, opcode: typeof Op.Add | typeof Op.Mul, a: Value): Value {
    const value = this.proc.newValue(opcode, a.type, a);
    this.insert(block, value);
    return value;
  }

  /** Returns the value, or a copy before the loop if it is a constant, which may be in the loop. */
  private copyOf(value: Value): Value {
    if (!value.isConstant) return value;
    const copy = this.proc.newConstant(value.type, value.constantLow, value.constantHigh);
    this.insert(this.preheader, copy);
    return copy;
  }

  private insert(block: BasicBlock, value: Value): void {
    value.block = block;
    block.values.splice(tailStart(block.values), 0, value);
  }
}

const isSame = (x: Value, y: Value): boolean =>
  x === y ||
  (x.isConstant &&
    x.opcode === y.opcode &&
    x.constantLow === y.constantLow &&
    x.constantHigh === y.constantHigh);
