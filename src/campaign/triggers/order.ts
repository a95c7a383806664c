// Detectors of triggers in the order of things: of stores and exits, of guards in loops, of operands,
// of the keys of a Switch.

import { EFFECTS, EXITS, Op } from "../../ir/opcodes.js";
import { isMemoryAccess, type Value } from "../../ir/procedure.js";
import {
  constantInteger,
  covers,
  isComparison,
  isInvariant,
  isOutside,
  isStore,
  sum,
  sumInLoops,
  writersOf,
} from "./ask.js";
import type { Detector } from "./study.js";

/** A loop's Phi begins with one constant or another. */
export const twoStarts: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    if (phi.opcode !== Op.Phi || phi.block !== loop.header) return 0;
    const starts = writersOf(view, phi)
      .filter((writer) => isOutside(loop, writer))
      .map(({ a }) => constantInteger(a));
    return starts.every((start) => start !== null) && new Set(starts).size > 1 ? 1 : 0;
  });

/** An access behind an index that was cut by a mask and scaled. */
export const scaledMaskedIndex: Detector = (study) =>
  sum(study, (access, view) => {
    if (!isMemoryAccess(access)) return 0;
    const { opcode, a, b } = access.address;
    if (opcode !== Op.Add) return 0;
    const isScaled = [a, b].some((part) => part?.opcode === Op.Shl && part.a?.opcode === Op.BitAnd);
    return isScaled ? view.times(access) : 0;
  });

/** An exit that stores over what was stored in front of its guard. */
export const storedByExitToo: Detector = (study) =>
  sum(study, (guard, view) => {
    const { block } = guard;
    if ((EFFECTS[guard.opcode] & EXITS) === 0 || block === null) return 0;
    const shown = guard.snapshot.values.filter(isStore);
    const before = block.values.slice(0, view.placeOf(guard)).filter(isStore);
    const isTwice = before.some((store) => shown.some((later) => covers(later, store)));
    return isTwice ? view.exits(guard) : 0;
  });

/** A guard in a loop that leaves, behind another one; both ask for what does not change. */
export const secondInvariantGuard: Detector = (study) =>
  sumInLoops(study, (guard, loop, view) => {
    const { block } = guard;
    if (!isInvariantGuard(guard) || block === null) return 0;
    const others = block.values.slice(0, view.placeOf(guard)).filter(isInvariantGuard);
    return others.length > 0 ? view.exits(guard) : 0;

    function isInvariantGuard({ opcode, a }: Value): boolean {
      return opcode === Op.Check && a !== null && isInvariant(loop, a);
    }
  });

/** A counter and what it will be are compared with the same. */
export const comparedBeforeAndAfter: Detector = (study) =>
  sumInLoops(study, (later, loop, view) => {
    const { a, b, block, opcode } = later;
    if (!isComparison(later) || a === null || b === null || block === null) return 0;
    const isBefore = (value: Value): boolean =>
      value.opcode === opcode &&
      value.a === a &&
      value.b?.opcode === Op.Phi &&
      !isOutside(loop, value) &&
      writersOf(view, value.b).some((writer) => writer.a === b);
    return block.values.some(isBefore) ? view.times(later) : 0;
  });

/** A guard on the overflow of a difference, beside the difference of the other order. */
export const turnedDifference: Detector = (study) =>
  sum(study, (flag, view) => {
    const { opcode, a, b, block } = flag;
    if (opcode !== Op.SubOverflows || a === b || block === null) return 0;
    if (!view.users(flag).some((user) => user.opcode === Op.Check)) return 0;
    const isTurned = (value: Value): boolean =>
      value.opcode === Op.Sub && value.a === b && value.b === a;
    return block.values.some(isTurned) ? view.times(flag) : 0;
  });

/** A Switch with some keys takes the one in the middle. */
export const middleKey: Detector = (study) =>
  sum(study, (value, view) => {
    if (value.opcode !== Op.Switch || value.a === null) return 0;
    const { a, cases } = value;
    if (cases.count < 4) return 0;
    const keys = [...cases.lo.slice(0, cases.count)].sort((x, y) => x - y);
    const middle = BigInt(keys[cases.count >> 1]);
    return view.times(value, (event) => BigInt.asIntN(32, event.integer(a) ?? 0n) === middle);
  });
