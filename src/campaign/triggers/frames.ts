// Detectors of triggers in where frames are made, on LIR with its allocation.

import { FramedBlocks } from "../../../reference/emit/framed-blocks.js";
import { blockOf, instructions, isUse, nameOf, operandsOf, successorsOf } from "./ask-lir.js";
import { copyAllocation, type Detector, type Lowered } from "./study.js";

/** Frames are placed once for all instructions of a procedure. */
function once(place: (lowered: Lowered, saved: readonly number[]) => FramedBlocks) {
  const known = new WeakMap<Lowered, FramedBlocks>();
  return (lowered: Lowered): FramedBlocks => {
    let framed = known.get(lowered);
    if (framed === undefined) {
      const { plan, allocation } = lowered;
      const isUsed = (register: number): boolean => allocation.usedRegisters[register] !== 0;
      framed = place(lowered, plan.target.calleeSaved.filter(isUsed));
      known.set(lowered, framed);
    }
    return framed;
  };
}

function placed(...given: Parameters<FramedBlocks["placeLate"]>): FramedBlocks {
  const framed = new FramedBlocks();
  framed.placeLate(...given);
  return framed;
}

const asItIs = once(({ lir, plan, allocation }, saved) =>
  placed(lir, plan.rows, allocation, saved),
);

const readsArgument = (name: string): boolean => name.startsWith("loadArgument");

const asIfArgumentsWereElsewhere = once(({ lir, plan, allocation }, saved) => {
  const rows = plan.rows.map((row) =>
    readsArgument(row.name) ? { ...row, needsFrame: false } : row,
  );
  return placed(lir, rows, allocation, saved);
});

/** An argument on the stack is read where nothing else needs a frame. */
export const argumentAlone: Detector = instructions(
  (lowered, i) =>
    readsArgument(nameOf(lowered, i)) &&
    !asIfArgumentsWereElsewhere(lowered).isFramedIn(blockOf(lowered.lir, i)),
);

const asIfKeptWereFree = once(({ lir, plan, allocation }, saved) => {
  const others = copyAllocation(allocation, (to) => !saved.includes(to));
  return placed(lir, plan.rows, others, saved);
});

/**
 * A register that is kept for the caller is taken by a move, where nothing else needs a frame. Counted once, whether or
 * not that code is executed: what the move stands in front of may come from no value.
 */
export const takenByMove: Detector = instructions((lowered, i) => {
  const { lir, gaps, plan } = lowered;
  const isTaken = gaps[i].some(({ to }) => plan.target.calleeSaved.includes(to));
  return isTaken && !asIfKeptWereFree(lowered).isFramedIn(blockOf(lir, i)) ? 1 : 0;
});

/** Behind a branch the frame is made, and then asked what the branch has compared. */
export const askedBehindFrame: Detector = instructions(
  (lowered, i) => {
    const { lir, plan } = lowered;
    const b = blockOf(lir, i);
    const comparison = comparisonOf(lowered, i);
    if (comparison === null || !asItIs(lowered).isMadeAtStartOf(b)) return false;
    for (let k = lir.blockStart[b]; k < i; k++) {
      if (!plan.rows[lir.opcode[k]].keepsFlags) return false;
    }
    for (let p = 0; p < lir.blockCount; p++) {
      if (!successorsOf(lir, p).includes(b)) continue;
      return comparisonOf(lowered, lir.blockStart[p + 1] - 1) === comparison;
    }
    return false;
  },
  ["x64"],
);

/** What an instruction compares, as text: `cmpl` of which places. */
function comparisonOf(lowered: Lowered, i: number): string | null {
  const { lir } = lowered;
  const compared = /^(branch|set|select\w+|check)\.(cmp\w+)$/.exec(nameOf(lowered, i));
  if (compared === null) return null;
  const uses = operandsOf(lir, i).filter((o) => isUse(lir.operand[o]));
  const places = uses.slice(compared[2].endsWith("Imm") ? -1 : -2).map((o) => lir.location[o]);
  return [compared[2], ...places, lir.immLo[i]].join(" ");
}
