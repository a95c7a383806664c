// Detectors of triggers in the encoders of both targets, on LIR with its allocation.

import { Layout } from "../../../reference/emit/layout.js";
import { isGeneral, isRemat } from "../../../reference/lir/lir.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import {
  executions,
  instructions,
  isUse,
  nameOf,
  operandsOf,
  originOf,
  successorsOf,
} from "./ask-lir.js";
import type { Detector, Lowered } from "./study.js";

/** A constant in one of the registers that need a further bit. */
export const highRegister = instructions(
  (lowered, i) => {
    const { lir, gaps } = lowered;
    const isHigh = (location: number): boolean => isGeneral(location) && location >= 8;
    if (gaps[i].some(({ from, to }) => isRemat(from) && isHigh(to))) return true;
    return /^const[lq]$/.test(nameOf(lowered, i)) && isHigh(lir.location[lir.operandStart[i]]);
  },
  ["x64"],
);

/** A byte in rsi or rdi, without another register that needs the prefix. */
export const byteRegister = instructions(
  (lowered, i) => {
    const { lir } = lowered;
    const name = nameOf(lowered, i);
    const isByte = /^set\.|^movb|^movsb|^movzb/.test(name);
    if (!isByte) return false;
    const first = lir.location[lir.operandStart[i]];
    return isGeneral(first) && first >= 4 && first <= 7;
  },
  ["x64"],
);

const isAccess = (value: Value | null): boolean =>
  value?.opcode === Op.Load || value?.opcode === Op.Store;

/** An access at no distance whose base is r13. */
export const baseR13 = instructions(
  (lowered, i) => {
    const { lir } = lowered;
    const origin = originOf(lowered, i);
    if (!isAccess(origin) || lir.immLo[i] !== 0) return false;
    const uses = operandsOf(lir, i).filter((o) => isUse(lir.operand[o]));
    const base = origin?.opcode === Op.Store ? uses[1] : uses[0];
    return base !== undefined && lir.location[base] === 13;
  },
  ["x64"],
);

/** A comparison and branch to a block that is written before it. */
export const backwardBranch: Detector = (study) => {
  let total = 0;
  for (const lowered of study.lowered("arm64")) {
    const { lir } = lowered;
    const target = writtenFor(lowered);
    layout.compute(lir, target);
    const order = [...layout.order.subarray(0, layout.count)];
    for (let k = 0; k < order.length; k++) {
      const i = lir.blockStart[order[k] + 1] - 1;
      if (!/^branch\./.test(nameOf(lowered, i))) continue;
      const [taken, other] = successorsOf(lir, order[k]).map((to) => target[to]);
      const goesTo = taken === order[k + 1] ? other : taken;
      if (order.indexOf(goesTo) <= k) total += executions(lowered, i);
    }
  }
  return total;
};
const layout = new Layout();

/** By block: itself, or, if it does nothing but jump, where it leads. */
function writtenFor({ lir, plan, gaps }: Lowered): Int32Array {
  const { blockCount, blockStart, opcode } = lir;
  const target = Int32Array.from({ length: blockCount }, (_, b) => b);
  for (let b = 0; b < blockCount; b++) {
    const i = blockStart[b];
    const onlyJumps = blockStart[b + 1] === i + 1 && plan.rows[opcode[i]].isTerminator;
    const [to, ...more] = successorsOf(lir, b);
    const isMoved = gaps[i].some((move) => move.from !== move.to);
    if (onlyJumps && to !== undefined && more.length === 0 && !isMoved) target[b] = to;
  }
  for (let b = 0; b < blockCount; b++) {
    let end = target[b];
    for (let steps = 0; target[end] !== end && steps < blockCount; steps++) end = target[end];
    target[b] = target[end] === end ? end : b;
  }
  return target;
}

/** A constant with halfwords of zeroes, of ones and of neither. */
export const mixedHalfwords = instructions(
  (lowered, i) => {
    if (!nameOf(lowered, i).startsWith("constq")) return false;
    const { immLo, immHi } = lowered.lir;
    const halves = [immLo[i] & 0xffff, immLo[i] >>> 16, immHi[i] & 0xffff, immHi[i] >>> 16];
    return (
      halves.includes(0) &&
      halves.includes(0xffff) &&
      halves.some((half) => half !== 0 && half !== 0xffff)
    );
  },
  ["arm64"],
);

/** An image with a branch that took its long form. */
export const farBranch: Detector = (study) =>
  Math.max(0, ...study.lowered("arm64").map(({ longBranches = 0 }) => longBranches));
