// Triggers of bugs behind the optimizer, on LIR with its allocation: what an instruction comes from says
// how often it was executed.

import { Layout } from "../../../reference/emit/layout.js";
import type { Level } from "../../../reference/levels.js";
import {
  fixedOf,
  isGeneral,
  isRemat,
  isSlot,
  isVector,
  type Lir,
  Policy,
  policyOf,
  Role,
  roleOf,
  VECTOR,
  vregOf,
} from "../../../reference/lir/lir.js";
import { MoveOrder } from "../../../reference/regalloc/allocation.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, isWide, type Type } from "../../ir/types.js";
import { isComparison, sum } from "./ask.js";
import type { Detector, Lowered, Move } from "./study.js";

/** Sums over the instructions of the procedures that are compiled, for each of the targets. */
const instructions =
  (
    count: (lowered: Lowered, i: number) => number | boolean,
    targets: readonly TargetName[] = TARGET_NAMES,
    level: Level = "O2",
  ): Detector =>
  (study) => {
    let total = 0;
    for (const target of targets) {
      for (const lowered of study.lowered(target, level)) {
        for (let i = 0; i < lowered.lir.instructionCount; i++) {
          const found = count(lowered, i);
          total += found === true ? executions(lowered, i) : Number(found);
        }
      }
    }
    return total;
  };

const nameOf = ({ plan, lir }: Lowered, i: number): string => plan.rows[lir.opcode[i]].name;

const originOf = ({ view, lir }: Lowered, i: number): Value | null =>
  lir.origin[i] < 0 ? null : (view.valueOf(lir.origin[i]) ?? null);

/** Executions of the value that an instruction comes from. */
function executions(lowered: Lowered, i: number): number {
  const origin = originOf(lowered, i);
  return origin === null ? 0 : lowered.view.times(origin);
}

function exitsAt(lowered: Lowered, i: number): number {
  const origin = originOf(lowered, i);
  return origin === null ? 0 : lowered.view.exits(origin);
}

/** Indices of the operands of an instruction. */
function operandsOf({ operandStart }: Lir, i: number): number[] {
  const operands: number[] = [];
  for (let o = operandStart[i]; o < operandStart[i + 1]; o++) operands.push(o);
  return operands;
}

const isUse = (word: number): boolean =>
  roleOf(word) <= Role.Use && policyOf(word) !== Policy.KeepAlive;
const isKept = (word: number): boolean =>
  roleOf(word) <= Role.Use && policyOf(word) === Policy.KeepAlive;

// --- encoders

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

function blockOf({ blockStart, blockCount }: Lir, i: number): number {
  let b = 0;
  while (b + 1 < blockCount && blockStart[b + 1] <= i) b++;
  return b;
}
const successorsOf = ({ successorStart, successors }: Lir, b: number): number[] => [
  ...successors.subarray(successorStart[b], successorStart[b + 1]),
];

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

// --- allocation

/** By block: the virtual registers that are alive at its end. */
function liveAtEnds(lir: Lir): ReadonlySet<number>[] {
  const { blockCount, blockStart, phiStart, phis, phiInputStart, phiInputs } = lir;
  const ends = Array.from({ length: blockCount }, () => new Set<number>());
  let changed = true;
  while (changed) {
    changed = false;
    for (let b = blockCount - 1; b >= 0; b--) {
      const live = new Set<number>();
      for (const to of successorsOf(lir, b)) {
        for (const vreg of liveAtStart(lir, ends, to)) live.add(vreg);
        for (let k = phiStart[to]; k < phiStart[to + 1]; k++) live.delete(phis[k]);
      }
      for (let k = phiInputStart[b]; k < phiInputStart[b + 1]; k++) live.add(phiInputs[k]);
      if (live.size !== ends[b].size) {
        ends[b] = live;
        changed = true;
      }
    }
  }
  return ends;

  function liveAtStart(from: Lir, known: readonly Set<number>[], b: number): Set<number> {
    const live = new Set(known[b]);
    for (let i = blockStart[b + 1] - 1; i >= blockStart[b]; i--) step(from, live, i);
    return live;
  }
}

/** From what is alive behind an instruction to what is before it. */
function step(lir: Lir, live: Set<number>, i: number): void {
  for (const o of operandsOf(lir, i))
    if (roleOf(lir.operand[o]) === Role.Definition) live.delete(vregOf(lir.operand[o]));
  for (const o of operandsOf(lir, i))
    if (roleOf(lir.operand[o]) <= Role.Use) live.add(vregOf(lir.operand[o]));
}

/** A call over which something is alive. */
export const aliveOverCall: Detector = (study) => {
  let total = 0;
  for (const target of TARGET_NAMES) {
    for (const lowered of study.lowered(target)) {
      const { lir, plan } = lowered;
      if (!lir.opcode.some((opcode) => plan.rows[opcode].isCall)) continue;
      const ends = liveAtEnds(lir);
      for (let b = 0; b < lir.blockCount; b++) {
        const live = new Set(ends[b]);
        for (let i = lir.blockStart[b + 1] - 1; i >= lir.blockStart[b]; i--) {
          const own = operandsOf(lir, i).filter((o) => roleOf(lir.operand[o]) === Role.Definition);
          const isOver = live.size > own.length;
          if (plan.rows[lir.opcode[i]].isCall && isOver) total += executions(lowered, i);
          step(lir, live, i);
        }
      }
    }
  }
  return total;
};

/** A value for a named register, which an instruction on the way wants itself. */
export const hintIsTaken = instructions((lowered, i) => {
  const { lir, plan } = lowered;
  const start = lir.blockStart[blockOf(lir, i)];
  for (const o of operandsOf(lir, i)) {
    const word = lir.operand[o];
    if (roleOf(word) > Role.Use || policyOf(word) !== Policy.Fixed) continue;
    const [vreg, register] = [vregOf(word), fixedOf(word)];
    let isTaken = false;
    for (let before = i - 1; before >= start; before--) {
      const operands = operandsOf(lir, before).map((each) => lir.operand[each]);
      const isDefinition = operands.some(
        (each) => roleOf(each) === Role.Definition && vregOf(each) === vreg,
      );
      const isCalled =
        plan.rows[lir.opcode[before]].isCall && plan.target.registers.callerSaved[register] === 1;
      const takes = operands.some(
        (each) =>
          policyOf(each) === Policy.Fixed &&
          fixedOf(each) === register &&
          (roleOf(each) === Role.Temp ||
            (roleOf(each) === Role.Definition && vregOf(each) !== vreg)),
      );
      isTaken ||= takes || (isCalled && !isDefinition);
      if (isDefinition) {
        if (isTaken) return true;
        break;
      }
    }
  }
  return false;
});

const isFromSlot = (move: Move): boolean => isSlot(move.from) && !isSlot(move.to);

/** Operands that were in slots: loaded right before the instruction, or read there. */
function reloaded({ lir, gaps }: Lowered, i: number): number {
  return operandsOf(lir, i).filter(
    (o) =>
      isUse(lir.operand[o]) &&
      (isSlot(lir.location[o]) ||
        gaps[i].some((move) => isFromSlot(move) && move.to === lir.location[o])),
  ).length;
}

/**
 * A comparison and branch, a guard or a store, with two operands from slots; or moves that want a scratch
 * register for a ring and for a slot.
 */
export const twoReloads = instructions((lowered, i) => {
  const isHit =
    /^branch\.|^check\./.test(nameOf(lowered, i)) || originOf(lowered, i)?.opcode === Op.Store;
  return (isHit && reloaded(lowered, i) >= 2) || groups(lowered.gaps[i]).some(isCrowded);
});

/** Registers that change places, and a slot that goes to a slot. */
const isCrowded = (moves: readonly Move[]): boolean =>
  moves.some(({ from, to }) => isSlot(from) && isSlot(to) && from !== to) &&
  moves.some(({ from }) => isRegister(from) && moves.some(({ to }) => to === from));

const CONSUMES = /^branch\.|^check\.|^set\.|^select/;

/** A constant made anew beside a comparison and what consumes it, between instructions or in one. */
export const remadeConstant = instructions((lowered, i) => {
  const { lir, gaps } = lowered;
  if (/^sat/.test(nameOf(lowered, i))) return true;
  if (!gaps[i].some(({ from }) => isRemat(from))) return false;
  if (CONSUMES.test(nameOf(lowered, i))) return true;
  const b = blockOf(lir, i);
  if (i !== lir.blockStart[b + 1] - 1) return false;
  for (let p = 0; p < lir.blockCount; p++) {
    const isBranch = CONSUMES.test(nameOf(lowered, lir.blockStart[p + 1] - 1));
    if (isBranch && successorsOf(lir, p).includes(b)) return true;
  }
  return false;
});

/** A Phi of a loop that the turn's end gives another Phi of that loop. */
export const phiOfPhi = instructions((lowered, i) => {
  const { lir } = lowered;
  const b = blockOf(lir, i);
  if (i !== lir.blockStart[b + 1] - 1 || lir.phiInputStart[b] === lir.phiInputStart[b + 1])
    return false;
  const [header] = successorsOf(lir, b);
  if (header > b) return false;
  const phis = lir.phis.subarray(lir.phiStart[header], lir.phiStart[header + 1]);
  return phis.some((phi, k) => {
    const input = lir.phiInputs[lir.phiInputStart[b] + k];
    return input !== phi && phis.includes(input);
  });
});

// --- moves

/** Groups of moves in a gap that happen at once. */
function groups(moves: readonly Move[]): (readonly Move[])[] {
  return [0, 1, 2].map((order) => moves.filter((move) => move.order === order));
}

const isRegister = (location: number): boolean => isGeneral(location) || isVector(location);

/** A call before which a register gets what another has, which gets something itself. */
export const permutedArguments = instructions(({ plan, lir, gaps }, i) => {
  if (!plan.rows[lir.opcode[i]].isCall) return false;
  const moves = gaps[i].filter(
    ({ order, from, to }) => order === MoveOrder.BeforeUse && isRegister(from) && isRegister(to),
  );
  return moves.some(({ from }) => moves.some(({ to }) => to === from));
});

/** A call before which a constant is made in a register that another argument is moved from. */
export const madeInArgument = instructions(({ plan, lir, gaps }, i) => {
  if (!plan.rows[lir.opcode[i]].isCall) return false;
  return groups(gaps[i]).some((moves) =>
    moves.some(({ from, to }) => isRemat(from) && moves.some((other) => other.from === to)),
  );
});

/** Two registers that change places, with values of different widths. */
export const mixedSwap = instructions(({ gaps }, i) =>
  groups(gaps[i]).some((moves) =>
    moves.some(
      (x) =>
        isRegister(x.from) &&
        moves.some(
          (y) =>
            x.from === y.to && x.to === y.from && isWide(x.type as Type) !== isWide(y.type as Type),
        ),
    ),
  ),
);

/** A branch on floats that is asked the other way round, with moves on both ways. */
export const movesOnBothEdges = instructions((lowered, i) => {
  const { lir } = lowered;
  if (!/^branch\.(ucomis|fcmp)/.test(nameOf(lowered, i))) return false;
  const condition = originOf(lowered, i)?.a ?? null;
  const isInverted = condition?.opcode === Op.NotEqual || condition?.opcode === Op.EqualOrUnordered;
  if (condition === null || !isComparison(condition) || !isInverted) return false;
  return successorsOf(lir, blockOf(lir, i)).every(
    (to) => lir.phiInputStart[to + 1] > lir.phiInputStart[to],
  );
});

// --- frames

/** A procedure that calls and keeps numbers in d8 to d15. */
export const keptVectors: Detector = (study) => {
  let total = 0;
  for (const lowered of study.lowered("arm64")) {
    const { usedRegisters, lir, plan } = lowered;
    const isUsed = usedRegisters.subarray(VECTOR + 8, VECTOR + 16).includes(1);
    if (!isUsed || !lir.opcode.some((opcode) => plan.rows[opcode].isCall)) continue;
    total += lowered.view.times(lowered.view.proc.blocks[0].last);
  }
  return total;
};

/** A value of 32 bits with the highest set, from a slot, that is widened without an instruction. */
export const reloadedAndWidened: Detector = (study) => {
  if (sum(study, ({ opcode }) => (opcode === Op.ZExt32 ? 1 : 0)) === 0) return 0;
  return LEVELS.reduce((total, level) => total + widenedForNothing(level)(study), 0);
};

const LEVELS: readonly Level[] = ["O1", "O2"];

const widenedForNothing = (level: Level): Detector =>
  instructions(
    (lowered, i) => {
      const { lir, plan } = lowered;
      const isFree = lir.opcode[i] === plan.zeroExtended || lir.opcode[i] === plan.zeroExtendedName;
      const origin = originOf(lowered, i);
      const x = origin?.a ?? null;
      if (!isFree || origin === null || x === null || !isSpilled(lowered, i)) return 0;
      return lowered.view.times(origin, (event) => (event.integer(x) ?? 0n) < 0n);
    },
    TARGET_NAMES,
    level,
  );

/** The first use of the instruction is, before it in its block, in a slot or moved from one. */
function isSpilled({ lir, gaps }: Lowered, i: number): boolean {
  const use = operandsOf(lir, i).find((o) => isUse(lir.operand[o]));
  if (use === undefined) return false;
  const location = lir.location[use];
  if (isSlot(location)) return true;
  const start = lir.blockStart[blockOf(lir, i)];
  for (let at = i; at >= start; at--) {
    if (gaps[at].some((move) => move.to === location))
      return gaps[at].some((move) => move.to === location && isFromSlot(move));
    if (
      at < i &&
      operandsOf(lir, at).some(
        (o) => roleOf(lir.operand[o]) === Role.Definition && lir.location[o] === location,
      )
    )
      return false;
  }
  return false;
}

/** A frame of more than 4 KiB, before the optimizer or behind it. */
export const bigFrame: Detector = (study) => {
  let total = 0;
  for (const { view, spillUnits, lir } of study.lowered("arm64")) {
    const source = study.views.find(({ index }) => index === view.index) ?? view;
    const slots = source.proc.slots.reduce((sizes, { size }) => sizes + size, 0);
    if (4 * spillUnits + slots + lir.outgoingSize > 4096)
      total += view.runsThrough(view.proc.blocks[0], () => true);
  }
  return total;
};

/** A value that has a narrower name, is in a slot, and has bits above. */
export const narrowName = instructions((lowered, i) => {
  const { lir } = lowered;
  const definition = lir.operandStart[i];
  if (definition === lir.operandStart[i + 1]) return 0;
  if (policyOf(lir.operand[definition]) !== Policy.Redefined) return 0;
  const origin = originOf(lowered, i);
  const wide = origin?.a ?? null;
  if (origin === null || wide === null || wide.type !== Int64 || origin.type !== Int32) return 0;
  if (!isEverSpilled(lowered, lir.vregRoot[vregOf(lir.operand[definition])])) return 0;
  return lowered.view.times(origin, (event) => {
    const bits = event.integer(wide);
    return bits !== null && BigInt.asUintN(64, bits) > 0xffff_ffffn;
  });
});

/** Some use of what has that root is in a slot, or loaded from one for it. */
function isEverSpilled({ lir, gaps }: Lowered, root: number): boolean {
  for (let i = 0; i < lir.instructionCount; i++) {
    for (let o = lir.operandStart[i]; o < lir.operandStart[i + 1]; o++) {
      if (lir.vregRoot[vregOf(lir.operand[o])] !== root) continue;
      const location = lir.location[o];
      if (isSlot(location)) return true;
      if (gaps[i].some((move) => isFromSlot(move) && move.to === location)) return true;
    }
  }
  return false;
}

// --- exits

/** A guard that leaves, with a register that it writes or a reload, and a value that only it shows still. */
export const shownOnlyHere = instructions((lowered, i) => {
  const { lir, gaps } = lowered;
  const operands = operandsOf(lir, i);
  const needs =
    operands.some((o) => roleOf(lir.operand[o]) >= Role.Definition) || gaps[i].some(isFromSlot);
  if (!needs || lir.guard[i] < 0) return 0;
  const isLast = operands.some((o) => {
    if (!isKept(lir.operand[o])) return false;
    const vreg = vregOf(lir.operand[o]);
    for (let later = lir.operandStart[i + 1]; later < lir.operandCount; later++)
      if (vregOf(lir.operand[later]) === vreg) return false;
    return true;
  });
  return isLast ? exitsAt(lowered, i) : 0;
});

/** A guard that leaves and shows a value of 32 bits in a slot with a neighbour. */
export const narrowInSlot = instructions((lowered, i) => {
  const { lir, spillUnits } = lowered;
  if (lir.guard[i] < 0 || spillUnits < 2) return 0;
  const isHit = operandsOf(lir, i).some(
    (o) =>
      isKept(lir.operand[o]) &&
      isSlot(lir.location[o]) &&
      lir.vregType[vregOf(lir.operand[o])] === Int32,
  );
  return isHit ? exitsAt(lowered, i) : 0;
});

/** Two guards one after the other that show a value in different places, and one of them leaves. */
export const movedBetweenGuards = instructions((lowered, i) => {
  const { lir } = lowered;
  if (lir.guard[i] < 0) return 0;
  const end = lir.blockStart[blockOf(lir, i) + 1];
  let next = i + 1;
  while (next < end && lir.guard[next] < 0) next++;
  if (next === end) return 0;
  const isMoved = operandsOf(lir, i).some(
    (x) =>
      isKept(lir.operand[x]) &&
      operandsOf(lir, next).some(
        (y) =>
          isKept(lir.operand[y]) &&
          vregOf(lir.operand[x]) === vregOf(lir.operand[y]) &&
          lir.location[x] !== lir.location[y],
      ),
  );
  return isMoved ? exitsAt(lowered, i) + exitsAt(lowered, next) : 0;
});
