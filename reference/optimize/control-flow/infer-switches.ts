// Turns a chain of branches that compare one integer with constants into one Switch.
//
// Assumes a valid program, in any form of Phi. It finds most without critical edges, and after
// reduce-strength, which makes comparisons canonical. A link is a branch on Equal(x, c), on
// NotEqual(x, c), or on x itself, which compares it with 0; or a Switch on x. Each later link has
// the previous link as its only predecessor, and contains only total values, which may be computed
// before the first. If a key occurs twice, the first in the chain counts. A chain with fewer than
// CASES_MIN keys stays.
//
// It terminates because each application removes a branch.

import { analyzeControlFlow } from "../../../src/ir/control-flow.js";
import { CONSTANT, EFFECTS, isTotal, Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  type Procedure,
  SwitchCases,
  type Value,
} from "../../../src/ir/procedure.js";
import { isInteger } from "../../../src/ir/types.js";
import type { OptimizeContext } from "../edit/context.js";
import { removeUnreachableBlocks, sweep } from "../edit/sweep.js";

const NAME = "infer-switches";
const CASES_MIN = 3;
/** The maximum number of cases of a Switch that is built; fewer than the language permits. */
const CASES_MAX = 1000;
/** The maximum number of values in the later links, which are computed for every key. */
const VALUES_MAX = 32;

export function inferSwitches(proc: Procedure, context: OptimizeContext): boolean {
  const { order } = context.flow(proc);
  const isAbsorbed = new Uint8Array(proc.blocks.length);
  let changed = false;
  // Visit blocks in order, so that the first link of a chain is found before the others.
  for (let i = 0; i < order.length; i++) {
    const block = order[i];
    const value = isAbsorbed[block.index] === 0 ? comparedBy(block) : null;
    const chain = value === null ? null : chainFrom(block, value);
    if (value === null || chain === null) continue;
    if (!context.claim(NAME, block.last)) break;
    makeSwitch(block, value, chain);
    for (const { index } of chain.links) isAbsorbed[index] = 1;
    changed = true;
  }
  if (!changed) return false;
  // A key that repeats loses its edge, so its target may have become unreachable.
  removeUnreachableBlocks(proc, analyzeControlFlow(proc));
  sweep(proc);
  return true;
}

/**
 * Returns the integer that the block's control value compares with constants; null if there is
 * none.
 */
function comparedBy({ last }: BasicBlock): Value | null {
  const { opcode, a } = last;
  if (a === null || (opcode !== Op.Branch && opcode !== Op.Switch)) return null;
  if (opcode === Op.Switch || !isEquality(a)) return a;
  return a.a;
}

function isEquality({ opcode, b }: Value): boolean {
  if ((opcode !== Op.Equal && opcode !== Op.NotEqual) || b === null) return false;
  return b.isConstant && isInteger(b.type);
}

interface ComparisonChain {
  readonly lo: number[];
  readonly hi: number[];
  readonly targets: BasicBlock[];
  /** The links after the first, in order. */
  readonly links: BasicBlock[];
  otherwise: BasicBlock;
}

function chainFrom(first: BasicBlock, value: Value): ComparisonChain | null {
  const chain: ComparisonChain = { lo: [], hi: [], targets: [], links: [], otherwise: first };
  let size = 0;
  let branches = 0;
  if (!addLink(chain, first, value)) return null;
  for (let at = first; ; ) {
    if (at.last.opcode === Op.Branch) branches++;
    at = chain.otherwise;
    size += at.values.length;
    // If a chain returns to itself, it is a loop.
    if (at === first || at.predecessors.length !== 1 || chain.links.includes(at)) break;
    if (size > VALUES_MAX || !isTotalBlock(at) || !addLink(chain, at, value)) break;
    chain.links.push(at);
  }
  if (branches === 0 || chain.links.length === 0 || chain.lo.length < CASES_MIN) return null;
  return chain;
}

function isTotalBlock({ values }: BasicBlock): boolean {
  for (let i = 0; i < values.length - 1; i++) {
    const { opcode, type } = values[i];
    const isConstant = (EFFECTS[opcode] & CONSTANT) !== 0;
    if (!isConstant && !isTotal(opcode, type)) return false;
  }
  return true;
}

/** Returns false if the block's control value does not compare `value`. */
function addLink(chain: ComparisonChain, { last, successors }: BasicBlock, value: Value): boolean {
  const { opcode, a } = last;
  if (opcode === Op.Switch && a === value) {
    const { lo, hi, count } = last.cases;
    if (chain.lo.length + count > CASES_MAX) return false;
    for (let k = 0; k < count; k++) addCase(chain, lo[k], hi[k], successors[k]);
    chain.otherwise = successors[count];
    return true;
  }
  if (opcode !== Op.Branch || a === null) return false;
  if (a === value) {
    addCase(chain, 0, 0, successors[1]);
    chain.otherwise = successors[0];
    return true;
  }
  if (!isEquality(a) || a.a !== value || a.b === null) return false;
  const isEqual = a.opcode === Op.Equal;
  addCase(chain, a.b.constantLow, a.b.constantHigh, successors[isEqual ? 0 : 1]);
  chain.otherwise = successors[isEqual ? 1 : 0];
  return true;
}

function addCase(
  { lo, hi, targets }: ComparisonChain,
  low: number,
  high: number,
  target: BasicBlock,
): void {
  for (let k = 0; k < lo.length; k++) if (lo[k] === low && hi[k] === high) return;
  lo.push(low);
  hi.push(high);
  targets.push(target);
}

function makeSwitch(block: BasicBlock, value: Value, chain: ComparisonChain): void {
  const { last } = block;
  block.values.pop();
  for (const link of chain.links) {
    for (let i = 0; i < link.values.length - 1; i++) {
      link.values[i].block = block;
      block.values.push(link.values[i]);
    }
    // Keep only the control value of the unreachable link, until the block is removed.
    link.values = [link.last];
  }
  block.values.push(last);
  last.opcode = Op.Switch;
  last.a = value;
  last.extra = new SwitchCases(chain.lo, chain.hi);
  block.successors = [...chain.targets, chain.otherwise];
}
