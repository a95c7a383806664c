// Redirects an edge that decides the branch of its target to a copy of the target that jumps.
//
// Assumes a valid program, in any form of Phi. The condition is computed from:
//
// - Phis of the block, by the last Upsilon to each in the predecessor;
// - branches on the same condition above the predecessor, if only single edges lie between;
// - branches there on comparisons of the same two integers;
// - operations on those that fold.
//
// Copies are small (VALUES_MAX), and their guards keep their exit numbers, so any edge may be
// threaded. Loop headers are excluded: an edge past one would be a second entry of the loop, and
// later phases would not recognize the loop. It terminates because copies do not branch, and there
// are at most APPLICATIONS_MAX.

import { isTotal, OPERAND_COUNTS, Op } from "../../../src/ir/opcodes.js";
import { type BasicBlock, type Procedure, Value } from "../../../src/ir/procedure.js";
import { isInteger } from "../../../src/ir/types.js";
import { ANY_ORDER, casesOf, exchanged } from "../analysis/relations.js";
import type { OptimizeContext } from "../edit/context.js";
import { duplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";
import { jumpTo, loopHeaders } from "../edit/edit-blocks.js";
import { writes, writtenIn } from "../edit/upsilons.js";
import { type ConstantWords, foldValue } from "../rules/fold.js";

const NAME = "thread-jumps";
/** The maximum number of values of a block that is copied. */
const VALUES_MAX = 12;
/** The maximum number of copies in one run over a procedure. */
const APPLICATIONS_MAX = 16;
/** The maximum number of branches above the predecessor that are examined. */
const ABOVE_MAX = 8;
/** The maximum number of operations between a Phi and the condition. */
const DEPTH_MAX = 4;

export function threadJumps(proc: Procedure, context: OptimizeContext): boolean {
  const isHeader = loopHeaders(context.flow(proc), context);
  const count = proc.blocks.length;
  let applied = 0;
  // Visit only the original blocks: copies are appended after them, and none is removed.
  for (let b = 1; b < count; b++) {
    const block = proc.blocks[b];
    if (isHeader[b] === 1 || !isCandidate(block)) continue;
    // Iterate over a copy of the list, because each application removes one predecessor.
    const predecessors = block.predecessors.slice();
    for (let p = 0; p < predecessors.length; p++) {
      const taken = outcome(block, predecessors[p]);
      if (taken < 0) continue;
      if (applied++ === APPLICATIONS_MAX || !context.claim(NAME, block.last)) return applied > 1;
      thread(proc, block, predecessors[p], taken);
    }
  }
  return applied > 0;
}

function isCandidate({ last, values, predecessors }: BasicBlock): boolean {
  if (last.opcode !== Op.Branch && last.opcode !== Op.Switch) return false;
  return values.length <= VALUES_MAX && predecessors.length > 1;
}

function thread(proc: Procedure, block: BasicBlock, from: BasicBlock, taken: number): void {
  const duplicate = duplicateBlocks(proc, [block]);
  const copy = duplicate.blocks.get(block) ?? block;
  jumpTo(copy, copy.successors[taken]);
  copy.frequency = Math.min(block.frequency, from.frequency);
  from.successors = from.successors.map((to) => (to === block ? copy : to));
  repairUses(proc, [duplicate.values]);
}

/** Returns the successor that the block takes when it is entered from `from`; -1 if unknown. */
function outcome(block: BasicBlock, from: BasicBlock): number {
  const { last } = block;
  const words: ConstantWords = { lo: 0, hi: 0 };
  if (last.a === null) return -1;
  if (last.opcode === Op.Branch) {
    const truth = truthOnEdge(last.a, block, from, words);
    return truth < 0 ? -1 : 1 - truth;
  }
  if (!valueOnEdge(last.a, block, from, words, 0)) return -1;
  const { lo, hi, count } = last.cases;
  let k = 0;
  while (k < count && (lo[k] !== words.lo || hi[k] !== words.hi)) k++;
  return k;
}

/** Returns 1 if the condition is not 0, 0 if it is, -1 if unknown. */
function truthOnEdge(
  value: Value,
  block: BasicBlock,
  from: BasicBlock,
  words: ConstantWords,
): number {
  if (valueOnEdge(value, block, from, words, 0)) return (words.lo | words.hi) !== 0 ? 1 : 0;
  const written = onEdge(value, block, from);
  if (written !== null) return truthAbove(written, from);
  const { opcode, a, b } = value;
  const cases = casesOf(opcode);
  if (cases === 0 || a === null || b === null || !isInteger(a.type)) return -1;
  const [x, y] = [onEdge(a, block, from), onEdge(b, block, from)];
  if (x === null || y === null) return -1;
  const known = orderAbove(x, y, from);
  return (known & cases) === 0 ? 0 : (known & ~cases) === 0 ? 1 : -1;
}

/** Returns the value on that edge if it is computed before; null if its block computes it. */
function onEdge(value: Value, block: BasicBlock, from: BasicBlock): Value | null {
  const isOwnPhi = value.opcode === Op.Phi && value.block === block;
  const written = isOwnPhi ? writtenOnEdge(value, block, from) : value;
  return written !== null && !written.isConstant && written.block === block ? null : written;
}

/**
 * Computes the constant of a value when its block is entered from `from`; returns false if unknown.
 */
function valueOnEdge(
  value: Value,
  block: BasicBlock,
  from: BasicBlock,
  out: ConstantWords,
  depth: number,
): boolean {
  if (value.isConstant) {
    out.lo = value.constantLow;
    out.hi = value.constantHigh;
    return true;
  }
  if (value.block !== block) {
    out.lo = 0;
    out.hi = 0;
    return truthAbove(value, from) === 0;
  }
  if (value.opcode === Op.Phi) {
    const written = writtenOnEdge(value, block, from);
    if (written === null) return false;
    if (!written.isConstant && written.block === block) return false; // the value of the previous iteration
    return valueOnEdge(written, block, from, out, depth);
  }
  return depth < DEPTH_MAX && foldOnEdge(value, block, from, out, depth);
}

function foldOnEdge(
  value: Value,
  block: BasicBlock,
  from: BasicBlock,
  out: ConstantWords,
  depth: number,
): boolean {
  const { opcode, type, a, b } = value;
  const count = OPERAND_COUNTS[opcode];
  if (count === 0 || count > 2 || a === null || !isTotal(opcode, type)) return false;
  const x = constantOnEdge(a, block, from, depth);
  if (x === null) return false;
  const y = b === null ? null : constantOnEdge(b, block, from, depth);
  if (b !== null && y === null) return false;
  const folded = new Value(0, opcode, type);
  folded.a = x;
  folded.b = y;
  return foldValue(folded, out);
}

/** Returns a constant that is in no block; null if unknown. */
function constantOnEdge(
  value: Value,
  block: BasicBlock,
  from: BasicBlock,
  depth: number,
): Value | null {
  const words: ConstantWords = { lo: 0, hi: 0 };
  if (!valueOnEdge(value, block, from, words, depth + 1)) return null;
  const constant = new Value(0, Op.Const32, value.type);
  constant.constantLow = words.lo;
  constant.constantHigh = words.hi;
  return constant;
}

/**
 * Returns the value that the predecessor wrote last to a Phi of the block. Returns null if it
 * writes none, or if the block itself writes the Phi first.
 */
function writtenOnEdge(phi: Value, block: BasicBlock, from: BasicBlock): Value | null {
  for (let i = 0; block.values[i] !== phi; i++) if (writes(block.values[i], phi)) return null;
  return writtenIn(from, phi);
}

/**
 * Returns the truth of a value according to the branches above the end of `from`: 1, 0, or -1 if
 * unknown.
 */
function truthAbove(value: Value, from: BasicBlock): number {
  let truth = -1;
  visitAbove(from, (condition, isTrue, at) => {
    // Above its definition, the value belongs to an earlier iteration.
    if (value.block === at) return false;
    if (condition === value) truth = isTrue ? 1 : 0;
    return truth < 0;
  });
  return truth;
}

/** Returns the possible orders of two integers according to the branches above the end of `from`. */
function orderAbove(x: Value, y: Value, from: BasicBlock): number {
  let known = ANY_ORDER;
  visitAbove(from, (condition, isTrue, at) => {
    if (isDefinedIn(x, at) || isDefinedIn(y, at)) return false;
    const cases = condition === null ? 0 : casesBetween(condition, x, y);
    if (cases !== 0) known &= isTrue ? cases : ~cases;
    return true;
  });
  return known;
}

const isDefinedIn = (value: Value, block: BasicBlock): boolean =>
  value.block === block && !value.isConstant;

/** Returns the orders of x and y in which a comparison of them gives 1; 0 for any other value. */
function casesBetween({ opcode, a, b }: Value, x: Value, y: Value): number {
  if (a === null || b === null) return 0;
  if (isSame(a, x) && isSame(b, y)) return casesOf(opcode);
  return isSame(a, y) && isSame(b, x) ? exchanged(casesOf(opcode)) : 0;
}

const isSame = (x: Value, y: Value): boolean =>
  x === y || (x.isConstant && x.opcode === y.opcode && x.hasImmediatesOf(y));

/**
 * Follows single edges upward from `from`. Calls `visit` with the block that each edge enters, and
 * with the condition of its branch and whether that is true there; null if the edge is no branch's.
 * Stops if it returns false.
 */
function visitAbove(
  from: BasicBlock,
  visit: (condition: Value | null, isTrue: boolean, at: BasicBlock) => boolean,
): void {
  let at = from;
  for (let count = 0; count < ABOVE_MAX && at.predecessors.length === 1; count++) {
    const [above] = at.predecessors;
    const { last, successors } = above;
    const isBranch = last.opcode === Op.Branch && successors[0] !== successors[1];
    if (!visit(isBranch ? last.a : null, successors[0] === at, at)) return;
    at = above;
  }
}
