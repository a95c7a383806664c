// Lists edits of values: each is removed, or becomes a constant or another value.

import { CONSTANT, CONTROL, EFFECTS, ENTRY, Op } from "../ir/opcodes.js";
import {
  accessSize,
  type FrameSlot,
  isAtomic,
  isMemoryAccess,
  type Procedure,
  type Value,
} from "../ir/procedure.js";
import { replaceBy } from "../ir/tidy.js";
import { Double, Float, Int32, Void } from "../ir/types.js";
import type { WordPair } from "../ir/words.js";
import type { Candidate } from "./candidate.js";
import type { CandidateEdit } from "./schedule.js";

/** Lists one edit for each value for which `change` returns one. */
function perValue(
  { module }: Candidate,
  change: (value: Value, proc: Procedure) => CandidateEdit | null,
): CandidateEdit[] {
  const edits: CandidateEdit[] = [];
  for (const proc of module.procedures) {
    proc.forEachValue((value) => {
      const edit = change(value, proc);
      if (edit !== null) edits.push(edit);
    });
  }
  return edits;
}

/** Lists edits that remove stores, calls, guards and Upsilons. */
export const dropEffects = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    const hasResult = value.type !== Void;
    const isControl = (EFFECTS[value.opcode] & CONTROL) !== 0;
    return hasResult || isControl ? null : () => value.becomesNop();
  });

const ARITHMETIC = new Map([
  [Op.CheckAdd, Op.Add],
  [Op.CheckSub, Op.Sub],
  [Op.CheckMul, Op.Mul],
  [Op.CheckToInt32, Op.TruncS32],
  [Op.CheckToInt32Exact, Op.TruncS32],
]);

/** Lists edits that turn guarded calls into calls without a guard. */
export const dropDeoptCalls = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    const { opcode, host } = value;
    if (opcode === Op.CallCheck) {
      return () => {
        value.opcode = Op.CallIndirect;
        value.extra = null;
      };
    }
    if (opcode !== Op.CCallCheck) return null;
    return () => {
      value.opcode = Op.CCall;
      value.clearImmediates();
      value.extra = host;
    };
  });

/** Lists edits that turn guards with a result into their computation. */
export const dropOverflowGuards = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    const opcode = ARITHMETIC.get(value.opcode);
    if (opcode === undefined) return null;
    return () => {
      value.opcode = opcode;
      value.extra = null;
    };
  });

// Returns whether the value is an address of code or of a slot: no other value may replace it, or be replaced by it.
function isAddress(value: Value): boolean {
  let at: Value | null = value;
  while (at !== null && (at.opcode === Op.Identity || at.opcode === Op.Select)) {
    at = at.opcode === Op.Select ? at.b : at.a;
  }
  return at !== null && (EFFECTS[at.opcode] & CONSTANT) !== 0 && !at.isConstant;
}

/** Lists edits that turn values, including calls, into the zero of their type. */
export const valuesToZero = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    if (value.type === Void || value.isConstant || isAddress(value)) return null;
    return () => value.becomesConstant(0, 0);
  });

/** Lists edits that replace values by their operand of that index, if it has the same type. */
export const valuesToOperand =
  (index: number) =>
  (candidate: Candidate): CandidateEdit[] =>
    perValue(candidate, (value) => {
      const operand = (value.rest ?? [value.a, value.b, value.c])[index] ?? null;
      if (operand === null || operand.type !== value.type) return null;
      if ((EFFECTS[value.opcode] & CONTROL) !== 0 || value.type === Void) return null;
      return () => replaceBy(value, operand);
    });

/** Lists edits that replace Phis by one of the values that are written to them. */
export const phisToInput =
  (index: number) =>
  (candidate: Candidate): CandidateEdit[] =>
    perValue(candidate, (value, proc) => {
      if (value.opcode !== Op.Phi) return null;
      const inputs: Value[] = [];
      proc.forEachValue(({ opcode, extra, a }) => {
        if (opcode === Op.Upsilon && extra === value && a !== null) inputs.push(a);
      });
      const input = inputs[index];
      if (input === undefined || input === value) return null;
      return () => replaceBy(value, input);
    });

/** Lists edits that replace values by a parameter of their type. */
export const valuesToParameter = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value, { parameters }) => {
    const effects = EFFECTS[value.opcode];
    if (value.type === Void || isAddress(value) || (effects & ENTRY) !== 0) return null;
    const parameter = parameters.find(({ type }) => type === value.type);
    return parameter === undefined ? null : () => replaceBy(value, parameter);
  });

/** Lists edits that replace values by the nearest earlier value of their type in their block. */
export const valuesToNeighbour = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    const { block, type } = value;
    if (type === Void || block === null || isAddress(value)) return null;
    const before = block.values.slice(0, block.values.indexOf(value));
    const neighbour = before.reverse().find((other) => other.type === type && !isAddress(other));
    return neighbour === undefined ? null : () => replaceBy(value, neighbour);
  });

/** Lists edits that replace constants by an equal one of the entry block. */
export const mergeConstants = ({ module }: Candidate): CandidateEdit[] => {
  const edits: CandidateEdit[] = [];
  for (const { blocks } of module.procedures) {
    const known: Value[] = [];
    for (const block of blocks) {
      for (const value of block.values) {
        if (!value.isConstant) continue;
        const { opcode, constantLow: lo, constantHigh: hi } = value;
        const same = known.find(
          (c) => c.opcode === opcode && c.constantLow === lo && c.constantHigh === hi,
        );
        if (same !== undefined) edits.push(() => replaceBy(value, same));
        else if (block === blocks[0]) known.push(value);
      }
    }
  }
  return edits;
};

/** A function that returns simpler words of that type; null if there are none. */
type WordSimplifier = (value: { type: Value["type"]; lo: number; hi: number }) => WordPair | null;

const ONE: readonly WordPair[] = [
  [0, 0],
  [1, 0],
  [1, 0],
  [0x3f80_0000, 0],
  [0, 0x3ff0_0000],
];

export const toZero: WordSimplifier = ({ lo, hi }) => (lo === 0 && hi === 0 ? null : [0, 0]);

export const toOne: WordSimplifier = ({ type, lo, hi }) => {
  const [oneLo, oneHi] = ONE[type];
  const isSimple = hi === 0 && (lo === 0 || lo === oneLo);
  return isSimple || (lo === oneLo && hi === oneHi) ? null : [oneLo, oneHi];
};

/** Halves integers; clears half of the mantissa of floats, down to a power of two. */
export const toHalf: WordSimplifier = ({ type, lo, hi }) => {
  if (type === Double) {
    if (lo !== 0) return [0, hi];
    return (hi & 0xf_ffff) === 0 ? null : [0, hi & ~0x3ff];
  }
  if (type === Float) return (lo & 0xffff) === 0 ? null : [lo & ~0xffff, 0];
  if (type === Int32) return lo === lo >> 1 ? null : [lo >> 1, 0];
  return lo === -1 && hi === -1 ? null : [(lo >>> 1) | (hi << 31), hi >> 1];
};

const constantOf = ({
  type,
  constantLow: lo,
  constantHigh: hi,
}: Value): Parameters<WordSimplifier>[0] => ({
  type,
  lo,
  hi,
});

/** Lists edits that simplify constants of the program. */
export const constants =
  (simplify: WordSimplifier) =>
  (candidate: Candidate): CandidateEdit[] =>
    perValue(candidate, (value) => {
      const words = value.isConstant ? simplify(constantOf(value)) : null;
      return words === null ? null : () => value.becomesConstant(words[0], words[1]);
    });

/** Lists edits that remove the class of memory of accesses. */
export const dropClasses = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    const isAccess = isMemoryAccess(value) || isAtomic(value);
    if (!isAccess || value.memoryClass === 0) return null;
    return () => {
      value.memoryClass = 0;
    };
  });

/** Lists edits that turn atomic operations into loads, or into stores if nothing uses their results. */
export const atomicsToAccesses = (candidate: Candidate): CandidateEdit[] => {
  for (const proc of candidate.module.procedures) proc.countUses();
  return perValue(candidate, (value) => {
    if (!isAtomic(value) || value.a === null) return null;
    const { address, a, b, c } = value;
    const isUsed = value.uses > 0;
    const at = [1, 2].indexOf(accessSize(value));
    return () => {
      value.c = null;
      if (isUsed) {
        value.opcode = [Op.Load8Z, Op.Load16Z][at] ?? Op.Load;
        value.a = address;
        value.b = null;
      } else {
        value.opcode = [Op.Store8, Op.Store16][at] ?? Op.Store;
        value.a = c === null ? a : b;
        value.b = address;
        value.type = Void;
      }
    };
  });
};

/** Lists edits that set byte offsets of accesses to 0. */
export const dropOffsets = (candidate: Candidate): CandidateEdit[] =>
  perValue(candidate, (value) => {
    if (!(isMemoryAccess(value) || isAtomic(value)) || value.offset === 0) return null;
    return () => {
      value.offset = 0;
    };
  });

/**
 * Lists edits that turn values of frames into the zero of their type, remove fields one by one, and make contents, dead
 * heap and dead bytes dead slots.
 */
export const simplifySlots = ({ module }: Candidate): CandidateEdit[] => {
  const edits: CandidateEdit[] = [];
  for (const { snapshots } of module.procedures) {
    for (const { frames } of snapshots) {
      for (const { slots } of frames) {
        slots.forEach((slot, s) => {
          const simpler = simplerSlot(slot);
          if (simpler === null) return;
          edits.push(() => {
            slots[s] = simpler;
          });
        });
      }
    }
  }
  return edits;
};

function simplerSlot(slot: FrameSlot): FrameSlot | null {
  if (slot.kind === "value") return { kind: "constant", type: slot.value.type, lo: 0, hi: 0 };
  if (slot.kind === "fields" && slot.fields.length > 0) {
    return { kind: "fields", size: slot.size, fields: slot.fields.slice(1) };
  }
  return slot.kind === "constant" || slot.kind === "dead" ? null : { kind: "dead" };
}
