// Detectors of triggers in the order of things: of stores and exits, of guards in loops, of operands,
// of the keys of a Switch.

import { EFFECTS, EXITS, isReturn, Op, type Opcode } from "../../ir/opcodes.js";
import {
  accessSize,
  type BasicBlock,
  calledBy,
  isMemoryAccess,
  type Value,
} from "../../ir/procedure.js";
import { Int64, isFloating } from "../../ir/types.js";
import {
  addressIn,
  constantInteger,
  covers,
  coversSome,
  isBefore,
  isComparison,
  isEquality,
  isInvariant,
  isLoad,
  isOutside,
  isStore,
  meet,
  sum,
  sumInLoops,
  writersOf,
} from "./ask.js";
import { type Detector, Execution, type Study } from "./study.js";

/** Two operations that differ in their third operand alone, one behind the other. */
export const thirdOperandAlone: Detector = (study) =>
  sum(study, (second, view) => {
    const { opcode, type, a, b, c } = second;
    if (c === null) return 0;
    const isAlike = (first: Value): boolean =>
      first.opcode === opcode && first.type === type && first.a === a && first.b === b;
    const isOther = (first: Value): boolean => first.c !== c && isBefore(view, first, second);
    return view.values.some((first) => isAlike(first) && isOther(first)) ? view.times(second) : 0;
  });

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

/** An exit that stores over some bytes of what was stored in front of its guard: over all of them that is dead. */
export const storedByExitToo: Detector = (study) =>
  sum(study, (guard, view) => {
    const { block } = guard;
    if ((EFFECTS[guard.opcode] & EXITS) === 0 || block === null) return 0;
    const shown = guard.snapshot.values.filter(isStore);
    const before = block.values.slice(0, view.placeOf(guard)).filter(isStore);
    const isTwice = before.some((store) => shown.some((later) => coversSome(later, store)));
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

const BOUNDED: ReadonlySet<Opcode> = new Set([Op.BitAnd, Op.Shl, Op.ZExt32]);

/** An access behind two indices that are bounded. */
export const twoBoundedIndices: Detector = (study) =>
  sum(study, (access, view) => {
    if (!isMemoryAccess(access)) return 0;
    const inner = belowBounded(access.address);
    return inner !== null && belowBounded(inner) !== null ? view.times(access) : 0;
  });

/**
 * An access behind an index that is a product, at least half of what a number of as many bits as its factors have can
 * be; and another one at what the index is added to.
 */
export const farByProduct: Detector = (study) =>
  sum(study, (access, view) => {
    if (!isMemoryAccess(access)) return 0;
    const { address } = access;
    const { opcode, a: base, b: index } = address;
    if (opcode !== Op.Add || base === null || index?.opcode !== Op.Mul) return 0;
    const bits = bitsOfConstant(index.b) + bitsOfConstant(index.a?.b ?? null);
    if (index.a?.opcode !== Op.BitAnd || bits > 40) return 0;
    const isBeside = view.values.some((other) => isMemoryAccess(other) && other.address === base);
    if (!isBeside) return 0;
    return view.times(access, (event) => {
      const distance = event.of(address)?.integer(index) ?? null;
      return distance !== null && distance >= 1n << BigInt(bits - 1);
    });
  });

/** 64 where it is no constant. */
function bitsOfConstant(value: Value | null): number {
  const constant = constantInteger(value);
  return constant === null || constant < 0n ? 64 : constant.toString(2).length;
}

/** What a bounded index is added to; null if none is. */
function belowBounded({ opcode, a, b }: Value): Value | null {
  if (opcode !== Op.Add || a === null || b === null) return null;
  if (BOUNDED.has(b.opcode)) return a;
  return BOUNDED.has(a.opcode) ? b : null;
}

/** A loop stores through one of its Phis, and again through what it is in the next iteration. */
export const storedInNextIteration: Detector = (study) =>
  sumInLoops(study, (store, loop, view) => {
    if (!isStore(store) || store.address.opcode !== Op.Phi) return 0;
    const { address, block } = store;
    if (address.block !== loop.header || block === loop.header) return 0;
    const isAgain = loop.header.values.some(
      (other) => isStore(other) && other.address === address && covers(other, store),
    );
    return isAgain ? view.times(store) : 0;
  });

/**
 * A loop stores through an address that it loads, which is another one in each iteration, and what
 * is behind the loop stores over the last one.
 */
export const storedBehindLoop: Detector = (study) =>
  sumInLoops(study, (store, loop, view) => {
    if (!isStore(store) || !isLoad(store.address) || isOutside(loop, store.address)) return 0;
    const isAgain = view.values.some(
      (later) => isStore(later) && isOutside(loop, later) && covers(later, store),
    );
    if (!isAgain) return 0;
    return view.times(store, (event) => {
      if (event.previous < 0) return false;
      const before = new Execution(view, event.run, event.previous, -1);
      return addressIn(store, before) !== addressIn(store, event);
    });
  });

/** A load of a loop from the upper bytes that a wider store of the loop writes. */
export const loadOfUpperBytes: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    if (!isLoad(load) || isStore(load)) return 0;
    const isUpper = (store: Value): boolean =>
      isStore(store) && meet(store, load) && load.lo >= store.lo + accessSize(load);
    return [...loop.blocks].some(({ values }) => values.some(isUpper)) ? view.times(load) : 0;
  });

/** A guard in a loop on an index that falls as the counter rises. */
export const descendingIndex: Detector = (study) =>
  sumInLoops(study, (guard, loop, view) => {
    const { opcode, a } = guard;
    if (opcode !== Op.Check || a === null) return 0;
    if (a.opcode !== Op.AboveEqual && a.opcode !== Op.BelowEqual) return 0;
    const isFalling = (index: Value | null): boolean =>
      index?.opcode === Op.Sub &&
      (index.a === null || isOutside(loop, index.a)) &&
      index.b?.opcode === Op.Phi &&
      index.b.block === loop.header;
    return isFalling(a.a) || isFalling(a.b) ? view.times(guard) : 0;
  });

/** A copy of a computed length whose last bytes, less than a word, are where it writes first. */
export const overlapsLastBytes: Detector = (study) =>
  sum(study, (copy, view) => {
    const { opcode, a, b, c } = copy;
    if (opcode !== Op.CopyBytes || a === null || b === null || c === null || c.isConstant) return 0;
    return view.times(copy, (event) => {
      const [to, from, length] = [a, b, c].map((operand) => event.integer(operand) ?? 0n);
      const distance = BigInt.asUintN(64, to - from);
      return distance < length && distance >= length - (length & 7n);
    });
  });

/** A Switch of wide keys that are near each other in their lower words alone. */
export const nearInLowerWords: Detector = (study) =>
  sum(study, (value, view) => {
    if (value.opcode !== Op.Switch || value.a?.type !== Int64) return 0;
    const { lo, hi, count } = value.cases;
    if (count < 4 || hi.slice(0, count).every((high) => high === hi[0])) return 0;
    const low = [...lo.slice(0, count)];
    return Math.max(...low) - Math.min(...low) < 3 * count ? view.times(value) : 0;
  });

/** An operation on integers between two choices by one comparison. */
const betweenChoices = (study: Study, between: Opcode): number =>
  sum(study, (value, view) => {
    const { opcode, type, block } = value;
    if (opcode !== between || isFloating(type) || block === null) return 0;
    const place = view.placeOf(value);
    const asked = (values: readonly Value[]): (Value | null)[] =>
      values.filter(({ opcode: other }) => other === Op.Select).map(({ a }) => a);
    const before = asked(block.values.slice(0, place));
    const isAgain = asked(block.values.slice(place)).some(
      (condition) => condition !== null && isComparison(condition) && before.includes(condition),
    );
    return isAgain ? view.times(value) : 0;
  });
export const productBetweenChoices: Detector = (study) => betweenChoices(study, Op.Mul);
export const negationBetweenChoices: Detector = (study) => betweenChoices(study, Op.Neg);

/** A Switch on a Phi, which a constant enters that agrees with a key in its lower word alone. */
export const keyByLowWord: Detector = (study) =>
  sum(study, (value, view) => {
    const phi = value.a;
    if (value.opcode !== Op.Switch || phi?.opcode !== Op.Phi || phi.type !== Int64) return 0;
    const { lo, hi, count } = value.cases;
    const isAlike = (constant: Value | null): boolean => {
      if (constant?.isConstant !== true) return false;
      const k = lo.slice(0, count).indexOf(constant.lo);
      return k >= 0 && hi[k] !== constant.hi;
    };
    return writersOf(view, phi)
      .filter(({ a }) => isAlike(a))
      .reduce((total, writer) => total + view.times(writer), 0);
  });

/** An Int64 is compared with two constants of one low word. */
export const keysOfOneLowWord: Detector = (study) =>
  sum(study, (question, view) => {
    const { a, b } = question;
    if (!isEquality(question) || a?.type !== Int64 || b?.isConstant !== true) return 0;
    const isLikewise = (user: Value): boolean =>
      isEquality(user) && user.b?.isConstant === true && user.b.lo === b.lo && user.b.hi !== b.hi;
    return view.users(a).some(isLikewise) ? view.times(question) : 0;
  });

/** A load between a call of its own procedure and the return, of what was written within the call. */
export const loadBehindOwnCall: Detector = (study) =>
  sum(study, (load, view) => {
    const { block } = load;
    if (block === null || !isLoad(load) || isStore(load) || !endsByReturn(block)) return 0;
    const isOwnCall = (value: Value): boolean => calledBy(value) === view.proc;
    if (!block.values.slice(0, view.placeOf(load)).some(isOwnCall)) return 0;
    const calls = view.values.filter(isOwnCall);
    return view.times(load, ({ run, at, dependences }) => {
      const countSince = ({ id }: Value, start: number): number =>
        run.eventsOf(view.index, id).filter((event) => event > start && event < at).length;
      // Within the call more activations have ended since then than begun: the event of a call is at
      // its end.
      return dependences.some((writing) => {
        const ends = calls.reduce((total, call) => total + countSince(call, writing), 0);
        return ends > countSince(view.values[0], writing);
      });
    });
  });

/** With a return, or by a jump to a block that has nothing else. */
function endsByReturn({ last, successors: [next, ...more] }: BasicBlock): boolean {
  if (isReturn(last.opcode)) return true;
  if (next === undefined || more.length > 0 || !isReturn(next.last.opcode)) return false;
  return next.values.every((value) => value === next.last || value.opcode === Op.Phi);
}
