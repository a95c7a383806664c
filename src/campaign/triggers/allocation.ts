// Detectors of triggers in allocation, moves, frames and exits, on LIR with its allocation.

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
import { TARGET_NAMES } from "../../../reference/target/target.js";
import { Op } from "../../ir/opcodes.js";
import { Int32, Int64, isInteger, isWide } from "../../ir/types.js";
import { isComparison, sum } from "./ask.js";
import {
  blockOf,
  executions,
  exitsAt,
  instructions,
  isKept,
  isUse,
  nameOf,
  operandsOf,
  originOf,
  successorsOf,
} from "./ask-lir.js";
import type { Detector, Lowered, Move } from "./study.js";

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
 * A comparison and branch, a guard or a store, with two operands from slots; or moves that want a
 * scratch register for a ring and for a slot.
 */
export const twoReloads = instructions((lowered, i) => {
  const isHit =
    /^branch\.|^check\./.test(nameOf(lowered, i)) || originOf(lowered, i)?.opcode === Op.Store;
  return (isHit && reloaded(lowered, i) >= 2) || groups(lowered.gaps[i]).some(isCrowded);
});

/** Registers that are exchanged, and a move from slot to slot. */
const isCrowded = (moves: readonly Move[]): boolean =>
  moves.some(({ from, to }) => isSlot(from) && isSlot(to) && from !== to) &&
  moves.some(({ from }) => isRegister(from) && moves.some(({ to }) => to === from));

/**
 * Integers that change places in a ring, of which one goes from slot to slot after another has been
 * saved.
 */
export const slotsInRing = instructions(({ gaps }, i) =>
  groups(gaps[i]).some((moves) =>
    moves.some((move) => {
      const { from, to, type } = move;
      if (!isSlot(from) || !isSlot(to) || from === to || !isInteger(type)) return false;
      return ringOf(moves, move).some((other) => moves.indexOf(other) < moves.indexOf(move));
    }),
  ),
);

/** The moves of the cycle that one is in; none if it is in none. */
function ringOf(moves: readonly Move[], first: Move): readonly Move[] {
  const ring: Move[] = [];
  let at: Move | undefined = first;
  while (at !== undefined && !ring.includes(at)) {
    ring.push(at);
    const { from }: Move = at;
    at = moves.find(({ to }) => to === from);
  }
  return at === first ? ring : [];
}

const CONSUMES = /^branch\.|^check\.|^set\.|^select/;

/**
 * A constant rematerialized beside a comparison and its consumer, between instructions or in one.
 */
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

/** A Phi of a loop whose input on the back edge is another Phi of that loop. */
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

/** Two registers that are exchanged, with values of different widths. */
export const mixedSwap = instructions(({ gaps }, i) =>
  groups(gaps[i]).some((moves) =>
    moves.some(
      (x) =>
        isRegister(x.from) &&
        moves.some((y) => x.from === y.to && x.to === y.from && isWide(x.type) !== isWide(y.type)),
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
    const { lir, plan } = lowered;
    const { usedRegisters } = lowered.allocation;
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

/**
 * A guard that leaves, with a register that it writes or a reload, and a value that only it shows
 * still.
 */
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
