// Tests in front of a loop whether an index leaves its array in any iteration, and enters one of
// two versions of the loop (loop predication).
//
// Assumes a valid program in any form of Phi. The loop contains no loop, has one back edge, and is
// left at its header unless `k < n` or `k <= n`, signed, for a variable k to which each iteration
// adds a step. A guard exits if `index >= length`, unsigned; n, step and length come from outside,
// and the index is linear in k.
//
// 1. Behind the header k lies between its start and n - 1 (or n), if the step is not negative and
//    the last sum does not overflow. Where that is not certain it is tested.
// 2. The exact number that an index stands for, in 64 bits where nothing overflows (MAGNITUDE_MAX),
//    is linear in k. So if it is below the length, unsigned, for the first k and for the last, it
//    is so for all between, and then it equals the index.
// 3. If all that holds, a copy of the loop runs that lacks the guards; else the original. No guard
//    moves or is evaluated earlier: the values in front of the loop are total.
// 4. In the copy, an address whose index is the start of a row plus k has the row's address
//    outside; one whose index is a multiple of k becomes an induction variable.
//
// Small loops only; once in a run, and not again if the branch in front tests that length. One
// application is one loop.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import {
  analyzeLoops,
  isFromOutside,
  isInLoop,
  isTooLargeForCopies,
  type Loop,
  type Loops,
  mayBeCopied,
  preheaderOf,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import type { Duplicate } from "../edit/duplicate-blocks.js";
import { sweep } from "../edit/sweep.js";
import { newUpsilon, writtenIn } from "../edit/upsilons.js";
import { Exact, insertBeforeEnd, isLong, magnitudeOf } from "./exact-numbers.js";
import { makeVersions } from "./make-versions.js";

const NAME = "predicate-bounds-checks";

/** Guards that are tested together, at most. */
const GUARDS_MAX = 4;
/** The largest exact number: far enough from 2^63 to be computed in 64 bits. */
const MAGNITUDE_MAX = 1.5 * 2 ** 62;

export function predicateBoundsChecks(proc: Procedure, context: OptimizeContext): boolean {
  if (!hasBound(proc)) return false;
  if (isTooLargeForCopies(proc)) {
    context.reachLimit("procedure size");
    return false;
  }
  const done = new Set<BasicBlock>();
  for (;;) {
    const loops = analyzeLoops(proc, context.flow(proc));
    const plan = firstPlan(proc, loops, done);
    if (plan === null || !context.claim(NAME, plan.guards[0])) break;
    apply(proc, plan);
    context.blocksChanged();
    done.add(plan.loop.header);
  }
  if (done.size > 0) sweep(proc);
  return done.size > 0;
}

// Most procedures have none, and need no analysis.
function hasBound({ blocks }: Procedure): boolean {
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      if (values[i].opcode === Op.Check && boundOf(values[i].a) !== null) return true;
    }
  }
  return false;
}

/** The counter of a loop. */
interface Counter {
  readonly phi: Value;
  readonly start: Value;
  readonly step: Value;
  readonly limit: Value;
  /** The limit itself is still counted. */
  readonly isInclusive: boolean;
}

interface Plan {
  readonly loop: Loop;
  readonly preheader: BasicBlock;
  readonly counter: Counter;
  readonly guards: readonly Value[];
  /** True of constants, and of values from outside. */
  readonly isInvariant: (value: Value) => boolean;
}

function firstPlan(proc: Procedure, loops: Loops, done: Set<BasicBlock>): Plan | null {
  for (const loop of loops.all) {
    if (done.has(loop.header) || loop.latches.length !== 1) continue;
    if (!mayBeCopied(proc, loop)) continue;
    const preheader = preheaderOf(loops, loop);
    if (preheader === null || preheader.last.opcode !== Op.Jump) continue;
    const isInvariant = (value: Value): boolean =>
      value.isConstant || isFromOutside(value, loops, loop);
    const counter = counterOf(loops, loop, preheader, isInvariant);
    if (counter === null) continue;
    const guards = guardsOf(loop, preheader, counter.phi, isInvariant);
    if (guards.length > 0) return { loop, preheader, counter, guards, isInvariant };
  }
  return null;
}

/** Of `x OP y`: the same said of the two in the other order. */
const TURNED: { readonly [opcode: number]: Opcode } = {
  [Op.GreaterThan]: Op.LessThan,
  [Op.GreaterEqual]: Op.LessEqual,
};
/** What holds where `x OP y` does not. */
const NEGATED: { readonly [opcode: number]: Opcode } = {
  [Op.LessThan]: Op.GreaterEqual,
  [Op.LessEqual]: Op.GreaterThan,
  [Op.GreaterThan]: Op.LessEqual,
  [Op.GreaterEqual]: Op.LessThan,
};

function counterOf(
  loops: Loops,
  loop: Loop,
  preheader: BasicBlock,
  isInvariant: Plan["isInvariant"],
): Counter | null {
  const { last, successors } = loop.header;
  const condition = last.a;
  if (last.opcode !== Op.Branch || condition === null || condition.block !== loop.header) {
    return null;
  }
  const stays = successors.map((to) => isInLoop(loops, loop, to));
  if (stays[0] === stays[1]) return null;
  let opcode: Opcode | undefined = stays[0] ? condition.opcode : NEGATED[condition.opcode];
  let { a: phi, b: limit } = condition;
  if (opcode !== undefined && TURNED[opcode] !== undefined) {
    opcode = TURNED[opcode];
    [phi, limit] = [limit, phi];
  }
  if (opcode !== Op.LessThan && opcode !== Op.LessEqual) return null;
  if (phi === null || limit === null || phi.type !== Int32 || phi.opcode !== Op.Phi) return null;
  if (phi.block !== loop.header || !isInvariant(limit)) return null;
  const inputs = inputsOf(phi, preheader, loop);
  if (inputs === null) return null;
  const [start, next] = inputs;
  if (next.opcode !== Op.Add || next.a === null || next.b === null) return null;
  const step = next.a === phi ? next.b : next.b === phi ? next.a : null;
  if (step === null || !isInvariant(step)) return null;
  if (step.isConstant && step.lo <= 0) return null;
  return { phi, start, step, limit, isInclusive: opcode === Op.LessEqual };
}

/**
 * The inputs of the Phi: from outside and from the loop. Other writes outside are overwritten in
 * front of the loop.
 */
function inputsOf(
  phi: Value,
  preheader: BasicBlock,
  { blocks, latches: [latch] }: Loop,
): [Value, Value] | null {
  const [start, next] = [writtenIn(preheader, phi), writtenIn(latch, phi)];
  const isElsewhere = blocks.some((block) => block !== latch && writtenIn(block, phi) !== null);
  return start === null || next === null || isElsewhere ? null : [start, next];
}

function guardsOf(
  loop: Loop,
  preheader: BasicBlock,
  k: Value,
  isInvariant: Plan["isInvariant"],
): Value[] {
  const found: Value[] = [];
  for (const block of loop.blocks) {
    if (block === loop.header) continue; // there k may be what the loop ends with
    for (const value of block.values) {
      const bound = value.opcode === Op.Check ? boundOf(value.a) : null;
      if (bound === null || found.length === GUARDS_MAX) continue;
      const { index, length } = bound;
      if (!isInvariant(length) || isInvariant(index) || isTested(length, preheader)) continue;
      if (magnitudeOf(index, k, isInvariant) <= MAGNITUDE_MAX) found.push(value);
    }
  }
  return found;
}

interface Bound {
  readonly index: Value;
  readonly length: Value;
}

function boundOf(condition: Value | null): Bound | null {
  if (condition === null) return null;
  const { opcode, a, b } = condition;
  if (a === null || b === null || a.type !== Int32) return null;
  if (opcode === Op.AboveEqual) return { index: a, length: b };
  return opcode === Op.BelowEqual ? { index: b, length: a } : null;
}

/** True if the branch in front compares something with that length. */
function isTested(length: Value, preheader: BasicBlock): boolean {
  const branch = preheader.predecessors[0];
  if (preheader.predecessors.length !== 1 || branch.last.opcode !== Op.Branch) return false;
  const work = [branch.last.a];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at === null) continue;
    if (at.opcode === Op.BitOr) work.push(at.a, at.b);
    else if (at.opcode === Op.AboveEqual && at.b?.opcode === Op.ZExt32 && at.b.a === length) {
      return true;
    }
  }
  return false;
}

function apply(proc: Procedure, plan: Plan): void {
  const { loop, preheader, counter, guards, isInvariant } = plan;
  const exact = new Exact(proc, preheader, counter.phi, isInvariant);
  const condition = conditionOf(plan, exact);
  const copy = makeVersions(proc, loop, preheader, condition);
  for (const guard of guards) copy.values.get(guard)?.becomesNop();
  rewriteAddresses(proc, plan, exact, copy);
}

/** Not zero if the copy must not run. */
function conditionOf({ counter, guards }: Plan, exact: Exact): Value {
  const { phi, start, step, limit, isInclusive } = counter;
  const first = exact.extended(start);
  const end = exact.extended(limit);
  const last = isInclusive ? end : exact.make(Op.Add, Int64, end, exact.long(-1));
  const flags: Value[] = [];
  const ask = (opcode: Opcode, a: Value, b: Value): void => {
    flags.push(exact.make(opcode, Int32, a, b));
  };
  if (!step.isConstant) ask(Op.LessThan, exact.extended(step), exact.long(0));
  if (isInclusive || !step.isConstant || step.lo !== 1) {
    const behind = exact.make(Op.Add, Int64, last, exact.extended(step));
    ask(Op.GreaterThan, behind, exact.long(0x7fffffff));
  }
  for (const guard of guards) {
    const bound = boundOf(guard.a);
    if (bound === null) continue;
    const length = exact.unsigned(bound.length);
    // If it counts up from 0 or more there is nothing beyond the last.
    const isRising = bound.index === phi && isNatural(start);
    if (!isRising) ask(Op.AboveEqual, exact.of(bound.index, first), length);
    ask(Op.AboveEqual, exact.of(bound.index, last), length);
  }
  return flags.reduce((x, y) => exact.make(Op.BitOr, Int32, x, y));
}

const isNatural = ({ opcode, lo }: Value): boolean => opcode === Op.Const32 && lo >= 0;

/** Point 4 above. */
function rewriteAddresses(
  proc: Procedure,
  { loop, preheader, counter, guards }: Plan,
  exact: Exact,
  copies: Duplicate,
): void {
  const copyOf = (block: BasicBlock): BasicBlock => copies.blocks.get(block) ?? block;
  const copied = new Set(loop.blocks.map(copyOf));
  const [header, latch] = [copyOf(loop.header), copyOf(loop.latches[0])];
  const indices = guards.flatMap(({ a }) => boundOf(a)?.index ?? []);
  const start = exact.extended(counter.start);
  for (const block of copied) {
    if (block === header) continue;
    for (const address of block.values.slice()) {
      const parts = partsOf(address);
      if (parts === null || (parts.base.block !== null && copied.has(parts.base.block))) continue;
      const index = indices.find((one) => copies.values.get(one) === parts.index);
      if (index === undefined || index === counter.phi || isOfSlot(parts.base)) continue;
      const above = (from: Value): Value =>
        exact.make(Op.Add, Int64, parts.base, exact.shifted(from, parts.shift));
      const growth = exact.growth(index);
      if (isLong(growth, 1)) {
        const k = copies.values.get(counter.phi);
        if (k === undefined || !isNatural(counter.start)) continue;
        address.a = above(exact.of(index, exact.long(0)));
        address.b = scaled(proc, k, parts.shift, address);
      } else {
        const phi = proc.newValue(Op.Phi, Int64);
        phi.block = header;
        header.values.unshift(phi);
        const first = above(exact.of(index, start));
        insertBeforeEnd(preheader, newUpsilon(proc, preheader, first, phi));
        const step = exact.product(growth, exact.extended(counter.step));
        const next = proc.newValue(Op.Add, Int64);
        next.a = phi;
        next.b = exact.shifted(step, parts.shift);
        insertBeforeEnd(latch, next);
        insertBeforeEnd(latch, newUpsilon(proc, latch, next, phi));
        address.becomes(phi);
      }
    }
  }
}

interface Parts {
  readonly base: Value;
  readonly index: Value;
  readonly shift: number;
}

/** Of an address that is a base and an extended index, which may be shifted. */
function partsOf({ opcode, type, a, b }: Value): Parts | null {
  if (opcode !== Op.Add || type !== Int64 || a === null || b === null) return null;
  return partsWith(a, b) ?? partsWith(b, a);
}

function partsWith(base: Value, offset: Value): Parts | null {
  const { opcode, a, b } = offset;
  const isShifted = opcode === Op.Shl && b !== null && b.isConstant;
  const extension = isShifted ? a : offset;
  if (extension?.opcode !== Op.ZExt32 || extension.a === null) return null;
  return { base, index: extension.a, shift: isShifted ? b.lo & 63 : 0 };
}

/** No Phi may hold the address of a slot. */
function isOfSlot({ opcode, a, b }: Value): boolean {
  if (opcode === Op.SlotBase || opcode === Op.FramePointer) return true;
  if (opcode !== Op.Add && opcode !== Op.Identity && opcode !== Op.Opaque) return false;
  return (a !== null && isOfSlot(a)) || (b !== null && isOfSlot(b));
}

/** The index, extended and shifted in front of its user. */
function scaled(proc: Procedure, index: Value, shift: number, user: Value): Value {
  const { block } = user;
  const place = (value: Value): Value => {
    value.block = block;
    block?.values.splice(block.values.indexOf(user), 0, value);
    return value;
  };
  const wide = proc.newValue(Op.ZExt32, Int64);
  wide.a = index;
  place(wide);
  if (shift === 0) return wide;
  const value = proc.newValue(Op.Shl, Int64);
  value.a = wide;
  value.b = place(proc.newConstant(Int32, shift, 0));
  return place(value);
}
