// Detectors of triggers in the optimization of loads, stores and dead values.

import { EFFECTS, EXITS, isWholeLoad, Op, type Opcode } from "../../ir/opcodes.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { accessSize, isMemoryAccess, type Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isInteger, Void } from "../../ir/types.js";
import {
  addressIn,
  constantInteger,
  covers,
  isLoad,
  isOutside,
  isStore,
  meet,
  readsByCall,
  sum,
  sumInLoops,
} from "./ask.js";
import type { Detector, Execution, View } from "./study.js";

/** A store, what reads memory and is no load, and a store over it. */
export const overwrittenBehindReader: Detector = (study) =>
  sum(study, (later, view) => {
    const { block } = later;
    if (block === null || !isStore(later)) return 0;
    let hasReader = false;
    for (let i = view.placeOf(later) - 1; i >= 0; i--) {
      const value = block.values[i];
      if (readsByCall(value)) hasReader = true;
      else if (isStore(value) && hasReader && covers(later, value)) return view.times(later);
      else if (isMemoryAccess(value) && meet(value, later)) return 0;
    }
    return 0;
  });

const NARROW_LOADS: ReadonlySet<Opcode> = new Set([Op.Load8Z, Op.Load8S, Op.Load16Z, Op.Load16S]);

/** A narrow load from where a store begins, whose value has other bits than what is loaded. */
export const extendedStore: Detector = (study) =>
  sum(study, (load, view) => {
    if (!NARROW_LOADS.has(load.opcode)) return 0;
    return view.times(load, (event) => {
      const [store, storing] = onlyWriter(event, load);
      if (store === null || storing === null || store.a === null || !isInteger(store.a.type))
        return false;
      if (accessSize(store) < accessSize(load)) return false;
      if (addressIn(store, storing) !== addressIn(load, event)) return false;
      const stored = storing.integer(store.a);
      return stored !== null && BigInt.asIntN(32, stored) !== event.result(load.type);
    });
  });

/** A narrow load from within the upper half of what a store of 64 bits wrote. */
export const tailOfHighHalf: Detector = (study) =>
  sum(study, (load, view) => {
    if (!NARROW_LOADS.has(load.opcode)) return 0;
    return view.times(load, (event) => {
      const [store, storing] = onlyWriter(event, load);
      if (store === null || storing === null || accessSize(store) !== 8) return false;
      const [from, to] = [addressIn(store, storing), addressIn(load, event)];
      return event.matters && from !== null && to !== null && to - from > 4n;
    });
  });

/** The store that a load takes all its bytes from. */
function onlyWriter(event: Execution, load: Value): [Value | null, Execution | null] {
  const writers = [...event.dependences].filter((at) => {
    const value = event.valueAt(at);
    return value === null || value !== load.address;
  });
  const store = writers.length === 1 ? event.valueAt(writers[0]) : null;
  return store !== null && isStore(store) ? [store, event.of(store)] : [null, null];
}

/** A load of bytes that a store at another distance from the same base wrote. */
export const partlyOverlapping: Detector = (study) =>
  sum(study, (load, view) => {
    if (!isLoad(load) || isStore(load)) return 0;
    return view.times(load, (event) =>
      event.dependences.some((at) => {
        const store = event.valueAt(at);
        return store !== null && isStore(store) && store.lo !== load.lo && meet(store, load);
      }),
    );
  });

/**
 * A load of what the iteration before it stored, where a further store goes over the same bytes.
 */
export const readOverBackedge: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    if (!isLoad(load) || isStore(load)) return 0;
    return view.times(load, (event) =>
      event.dependences.some((at) => {
        const store = event.previous >= 0 && at > event.previous ? event.valueAt(at) : null;
        if (store === null || !isStore(store) || isOutside(loop, store)) return false;
        return view.values.some(
          (over) => over !== store && isStore(over) && over.block !== null && covers(over, store),
        );
      }),
    );
  });

/** A load of what a store wrote behind an earlier load of the same bytes by the same address. */
export const changedAfterLoad: Detector = (study) =>
  sum(study, (load, view) => {
    const { block } = load;
    if (block === null || !isWholeLoad(load.opcode)) return 0;
    let isChanged = false;
    for (let i = view.placeOf(load) - 1; i >= 0; i--) {
      const value = block.values[i];
      if (isStore(value)) isChanged = true;
      const isSame = isWholeLoad(value.opcode) && value.address === load.address;
      if (isSame && value.lo === load.lo && isChanged) return view.times(load);
    }
    return 0;
  });

/** An invariant load of 64 bits that is only stored: it may be in two registers. */
export const invariantInPieces: Detector = (study) =>
  sum(study, (load, view) => {
    if (load.opcode !== Op.LoadInvariant || load.type !== Int64) return 0;
    return view.users(load).every(isStore) ? view.times(load) : 0;
  });

/** A load of what a store wrote, of which one alone states a class of memory. */
export const oneClassAlone: Detector = (study) =>
  sum(study, (load, view) => {
    if (!isLoad(load) || isStore(load)) return 0;
    return view.times(load, (event) =>
      event.dependences.some((at) => {
        const store = event.valueAt(at);
        if (store === null || !isStore(store)) return false;
        return (store.accessClass === 0) !== (load.accessClass === 0);
      }),
    );
  });

/** An access that states its class of memory. */
export const classStated: Detector = (study) =>
  sum(study, (access, view) =>
    isMemoryAccess(access) && access.accessClass !== 0 ? view.times(access) : 0,
  );

/** A volatile load of what an earlier access of its block by the same address stored or loaded. */
export const volatileAgain: Detector = (study) =>
  sum(study, (load, view) => {
    const { block } = load;
    if (block === null || load.opcode !== Op.LoadVolatile) return 0;
    const known = block.values.slice(0, view.placeOf(load)).some((value) => {
      const isWhole = value.opcode === Op.Store || isWholeLoad(value.opcode);
      return isWhole && value.address === load.address && value.lo === load.lo;
    });
    return known ? view.times(load) : 0;
  });

/** A volatile load of a Double, whose low half is not all of it. */
export const volatileDouble: Detector = (study) =>
  sum(study, (load, view) => {
    if (load.opcode !== Op.LoadVolatile || load.type !== Double) return 0;
    return view.times(load);
  });

/** A store whose bytes matter. */
export const storeMatters: Detector = (study) =>
  sum(study, (store, view) => (isStore(store) ? view.times(store, (event) => event.matters) : 0));

/** A guard that fails, whose value has no use. */
export const deadGuardLeaves: Detector = (study) =>
  sum(study, (guard, view) => {
    if ((EFFECTS[guard.opcode] & EXITS) === 0 || guard.type === Void) return 0;
    if (view.users(guard).length > 0 || view.isShown(guard)) return 0;
    return view.exits(guard);
  });

/**
 * A load with one user, and a store to what it reads between them; or with two that would take it.
 */
export const loadTakenTwice: Detector = (study) =>
  sum(study, (load, view) => {
    const { block } = load;
    if (load.opcode !== Op.Load || block === null) return 0;
    const users = view.users(load);
    const [user] = users;
    if (user === undefined || user.block !== block || users.length > 1) return 0;
    const taken = isAddressToo(view, user) ? [user, ...view.users(user)] : [user];
    const last = Math.max(...taken.map((each) => (each.block === block ? view.placeOf(each) : 0)));
    for (let i = view.placeOf(load) + 1; i < last; i++) {
      const value = block.values[i];
      if (isStore(value) && meet(value, load)) return view.times(load);
    }
    return 0;
  });

/** A sum that is both a value and an address. */
function isAddressToo(view: View, value: Value): boolean {
  const accesses = view
    .users(value)
    .filter((user) => isMemoryAccess(user) && user.address === value);
  return value.opcode === Op.Add && value.type === Int64 && accesses.length > 0;
}

const WIDER: ReadonlySet<Opcode> = new Set([
  Op.BitAnd,
  Op.BitOr,
  Op.BitXor,
  Op.PopCnt,
  Op.Clz,
  Op.Ctz,
  Op.Neg,
  Op.Abs,
  Op.CopySign,
  Op.SExt32,
  Op.ZExt32,
  Op.Sqrt,
  Op.FloatToDouble,
]);

/** A load of the last four bytes of the heap, for what could be written with a wider operand. */
export const loadOfLastBytes: Detector = (study) =>
  sum(study, (load, view) => {
    if (load.opcode !== Op.Load || (load.type !== Int32 && load.type !== Float)) return 0;
    if (!view.users(load).some(({ opcode }) => WIDER.has(opcode))) return 0;
    const last = HEAP_BASE + BigInt(study.module.heapSize) - 4n;
    return view.times(load, (event) => addressIn(load, event) === last);
  });

/** `base + (y << n)` with n that is a scale of the access only modulo its width. */
export const shiftBeyondScale: Detector = (study) =>
  sum(study, (access, view) => {
    if (!isMemoryAccess(access) || access.address.opcode !== Op.Add) return 0;
    const size = BigInt(accessSize(access));
    const scaled = [access.address.a, access.address.b].some((part) => {
      const count = part?.opcode === Op.Shl ? constantInteger(part.b) : null;
      if (count === null) return false;
      const shift = BigInt.asUintN(6, count);
      const masked = shift & (8n * size - 1n);
      return shift !== masked && (masked === 0n || 1n << masked === size);
    });
    return scaled ? view.times(access) : 0;
  });

/** Two loads or two stores beside each other, at a distance that a pair cannot have as it is. */
export const neighbours: Detector = (study) =>
  sum(study, (second, view) => {
    const first = accessBefore(view, second);
    if (first === null || first.opcode !== second.opcode || first.address !== second.address)
      return 0;
    const size = accessSize(second);
    if (size < 4 || accessSize(first) !== size || Math.abs(first.lo - second.lo) !== size) return 0;
    const offset = Math.min(first.lo, second.lo);
    return offset < 0 || offset % size !== 0 ? view.times(second) : 0;
  });

/** Two stores of constants to bytes beside each other, and between them a load of bytes of the first. */
export const readBetweenNeighbours: Detector = (study) =>
  sum(study, (load, view) => {
    const neighbours = isLoad(load) ? neighboursAround(view, load) : null;
    return neighbours !== null && meet(neighbours[0], load) ? view.times(load) : 0;
  });

/** The same, and between them a guard that leaves. */
export const exitBetweenNeighbours: Detector = (study) =>
  sum(study, (guard, view) => {
    const isGuard = (EFFECTS[guard.opcode] & EXITS) !== 0;
    return isGuard && neighboursAround(view, guard) !== null ? view.exits(guard) : 0;
  });

/** The last store before a value and the first behind it, of constants to bytes beside each other; null if they are not. */
function neighboursAround(view: View, value: Value): readonly [Value, Value] | null {
  const { block } = value;
  if (block === null) return null;
  const at = view.placeOf(value);
  const first = block.values.slice(0, at).findLast(isStore);
  const second = block.values.slice(at).find(isStore);
  if (first === undefined || second === undefined) return null;
  if (constantInteger(first.a) === null || constantInteger(second.a) === null) return null;
  return first.address === second.address && areNeighbours(first, second) ? [first, second] : null;
}

/** Two stores of constants to bytes beside each other that are of two classes of memory. */
export const neighboursOfTwoClasses: Detector = (study) =>
  sum(study, (second, view) => {
    const { block } = second;
    if (block === null || !isStore(second) || constantInteger(second.a) === null) return 0;
    const first = block.values.slice(0, view.placeOf(second)).findLast(isStore);
    if (first === undefined || constantInteger(first.a) === null) return 0;
    if (first.accessClass === second.accessClass || first.address !== second.address) return 0;
    return areNeighbours(first, second) ? view.times(second) : 0;
  });

const areNeighbours = (one: Value, other: Value): boolean =>
  one.lo + accessSize(one) === other.lo || other.lo + accessSize(other) === one.lo;

function accessBefore(view: View, access: Value): Value | null {
  const { block } = access;
  if (block === null || (access.opcode !== Op.Load && access.opcode !== Op.Store)) return null;
  for (let i = view.placeOf(access) - 1; i >= 0; i--) {
    const value = block.values[i];
    if (isMemoryAccess(value)) return value;
    if (readsByCall(value) || value.opcode === Op.CCall) return null;
  }
  return null;
}

/** What an address is counted from, and by how much, where that is a constant. */
function partsOfAddress(address: Value | null): { root: Value | null; offset: number } {
  let offset = 0;
  let root = address;
  while (root?.opcode === Op.Add && root.b?.opcode === Op.Const64) {
    offset += root.b.lo;
    root = root.a;
  }
  return { root, offset };
}

/** By how many bytes a copy of a constant length moves what it copies; null where that is not known. */
function distanceOfCopy({ a, b, c }: Value): { distance: number; size: number } | null {
  const [to, from] = [partsOfAddress(a), partsOfAddress(b)];
  if (c?.opcode !== Op.Const64 || to.root !== from.root) return null;
  return { distance: to.offset - from.offset, size: c.lo };
}

/** A copy by so little that what it reads first is among what it writes: of a length that is written out. */
export const shortCopyOverlaps: Detector = (study) =>
  sum(study, (copy, view) => {
    if (copy.opcode !== Op.CopyBytes) return 0;
    const known = distanceOfCopy(copy);
    if (known === null || known.size > COPIED_MAX) return 0;
    return known.distance > 0 && known.distance < known.size ? view.times(copy) : 0;
  });
const COPIED_MAX = 32;

/** A copy that overwrites what a store of its block stored, and reads it first. */
export const copiedOverItself: Detector = (study) =>
  sum(study, (copy, view) => {
    const { block } = copy;
    if (block === null || copy.opcode !== Op.CopyBytes || copy.c?.opcode !== Op.Const64) return 0;
    const [to, from] = [partsOfAddress(copy.a), partsOfAddress(copy.b)];
    const size = copy.c.lo;
    const isStored = block.values.slice(0, view.placeOf(copy)).some((store) => {
      if (!isStore(store)) return false;
      const { root, offset } = partsOfAddress(store.address);
      const at = offset + store.lo;
      const end = at + accessSize(store);
      const isOver = root === to.root && at >= to.offset && end <= to.offset + size;
      return isOver && root === from.root && end > from.offset && at < from.offset + size;
    });
    return isStored ? view.times(copy) : 0;
  });
