// Detectors of triggers in control flow, calls and snapshots, and of those in lowering that can be
// seen in the program.

import { CALLS_ADDRESS, Op, type Opcode } from "../../ir/opcodes.js";
import { isBits } from "../../ir/outcome.js";
import {
  accessSize,
  type BasicBlock,
  calledBy,
  extractsOf,
  furtherOf,
  type Procedure,
  reachedProcedures,
  Snapshot,
  type StackSlot,
  type Value,
} from "../../ir/procedure.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import {
  Double,
  Int32,
  Int64,
  isFloating,
  isInteger,
  isWide,
  sizeOf,
  type Type,
} from "../../ir/types.js";
import {
  besideConstant,
  constantInteger,
  covers,
  isComparison,
  isLoad,
  isOrderedComparison,
  isOutside,
  isStore,
  isUnsignedComparison,
  leastOf,
  meet,
  sum,
  sumInLoops,
  widthOf,
  writersOf,
} from "./ask.js";
import { type Detector, type Execution, integerOf, type View } from "./study.js";

const keysOf = ({ cases, a }: Value): bigint[] =>
  cases.lo.map((lo, k) => integerOf(a?.type ?? Int32, lo, cases.hi[k]));

function switches(isHit: (selector: bigint, keys: readonly bigint[]) => boolean): Detector {
  return (study) =>
    sum(study, (value, view) => {
      const { opcode, a } = value;
      if (opcode !== Op.Switch || a === null) return 0;
      const keys = keysOf(value);
      return view.times(value, (event) => {
        const selector = event.integer(a);
        return selector !== null && keys.length > 0 && isHit(selector, keys);
      });
    });
}

/** No key is the operand. */
export const switchDefault = switches((selector, keys) => !keys.includes(selector));

/** The operand is below all keys, of which none is 0. */
export const belowFirstCase = switches((selector, keys) =>
  keys.every((key) => selector < key && key !== 0n),
);

/** A join of three ways or more, one of which folds away, with a Phi of different inputs. */
export const foldedWay: Detector = (study) => {
  let total = 0;
  for (const view of study.views) {
    for (const { successors, last } of view.flow.order) {
      if (last.opcode !== Op.Branch || last.a === null || !folds(last.a, 4)) continue;
      for (const unused of successors) {
        if (unused.predecessors.length > 1 && unused.predecessors.length < 3) continue;
        if (isExecuted(view, unused) && unused.predecessors.length < 3) continue;
        for (const join of joinsBehind(view, unused)) {
          if (hasDistinctInputs(view, join)) total += view.times(join.last);
        }
      }
    }
  }
  return total;
};

const isExecuted = (view: View, { last }: BasicBlock): boolean => view.times(last) > 0;

/** Constants, comparisons of a value with itself, and what is computed of those. */
function folds(value: Value, depth: number): boolean {
  if (value.isConstant) return true;
  if (depth === 0 || value.rest !== null || value.a === null) return false;
  if (isComparison(value) && value.a === value.b && isInteger(value.a.type)) return true;
  if (!isComputedOfOperands(value)) return false;
  return [value.a, value.b, value.c].every(
    (operand) => operand === null || folds(operand, depth - 1),
  );
}
const isComputedOfOperands = ({ opcode, type }: Value): boolean =>
  opcode !== Op.Opaque && opcode !== Op.Load && opcode !== Op.Phi && isInteger(type);

/** Joins of three ways or more, one of which begins at the block. */
function joinsBehind(view: View, block: BasicBlock): BasicBlock[] {
  if (block.predecessors.length >= 3) return [block];
  return view.flow.order.filter(
    ({ predecessors }) =>
      predecessors.length >= 3 && predecessors.some((way) => view.dominates(block, way)),
  );
}

function hasDistinctInputs(view: View, { values }: BasicBlock): boolean {
  return values.some(
    (phi) => phi.opcode === Op.Phi && new Set(writersOf(view, phi).map(({ a }) => a?.id)).size >= 2,
  );
}

/**
 * Three branches on one condition, with joins before the second and the third; or two, where some
 * way to the second goes past the first, and was taken.
 */
export const threeTimesAsked: Detector = (study) =>
  sum(study, (condition, view) => {
    if (condition.isConstant) return 0;
    const branches = view.users(condition).filter(({ opcode }) => opcode === Op.Branch);
    if (branches.length === 2) {
      const [first, second] = branches.toSorted((x, y) => at(view, x) - at(view, y));
      if (first.block === null || second.block === null) return 0;
      if (view.dominates(first.block, second.block)) return 0;
      return view.times(second, ({ run }) => run.eventsOf(view.index, first.id).length === 0);
    }
    if (branches.length < 3) return 0;
    const [first] = branches.toSorted((x, y) => at(view, x) - at(view, y));
    const behind = branches.filter(
      ({ block }) =>
        block !== null &&
        first.block !== null &&
        block !== first.block &&
        view.dominates(first.block, block) &&
        !first.block.successors.some(
          (way) => way.predecessors.length === 1 && view.dominates(way, block),
        ),
    );
    return behind.length < 2 ? 0 : Math.min(...behind.map((branch) => view.times(branch)));
  });
const at = (view: View, { block }: Value): number => (block === null ? -1 : view.positionOf(block));

/** By operation: the second operand with which it does nothing. */
const IDLE: ReadonlyMap<Opcode, bigint> = new Map([
  [Op.BitXor, 0n],
  [Op.BitOr, 0n],
  [Op.Shl, 0n],
  [Op.SShr, 0n],
  [Op.ZShr, 0n],
  [Op.Add, 0n],
  [Op.Sub, 0n],
  [Op.BitAnd, -1n],
  [Op.Mul, 1n],
]);
const doesNothing = ({ opcode, b }: Value): boolean =>
  opcode === Op.Identity || (IDLE.has(opcode) && constantInteger(b) === IDLE.get(opcode));

/**
 * Widened with the sign: a load of 32 bits with the highest set, at once or behind what does
 * nothing.
 */
export const widenedLoad: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a } = value;
    if (opcode !== Op.SExt32 || a === null) return 0;
    let source = a;
    while (doesNothing(source) && source.a !== null) source = source.a;
    if (source.opcode !== Op.Load) return 0;
    return view.times(value, (event) => (event.integer(a) ?? 0n) < 0n);
  });

/** `(hi << (w - s)) | (lo >>> s)` where s is 0, or the width. */
export const extractOfNothing: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b } = value;
    if (opcode !== Op.BitOr && opcode !== Op.Add && opcode !== Op.BitXor) return 0;
    const [left, right] = a?.opcode === Op.Shl ? [a, b] : [b, a];
    if (left?.opcode !== Op.Shl || right?.opcode !== Op.ZShr) return 0;
    const [up, down] = [constantInteger(left.b), constantInteger(right.b)];
    const mask = BigInt(widthOf(value)) - 1n;
    if (up === null || down === null || (up & mask) !== 0n || (down & mask) !== 0n) return 0;
    return view.times(value);
  });

/**
 * An ordered comparison with a negation, of 0 if unsigned, of the least integer if signed; or with
 * 0, which is its own negation, if unsigned.
 */
export const comparedNegation: Detector = (study) =>
  sum(study, (value, view) => {
    const isUnsigned = isUnsignedComparison(value);
    if (!isUnsigned && !isOrderedComparison(value)) return 0;
    if (isUnsigned && constantInteger(value.b) === 0n) return view.times(value);
    const negation = [value.a, value.b].find((operand) => operand?.opcode === Op.Neg) ?? null;
    const x = negation?.a ?? null;
    if (negation === null || x === null || !isInteger(x.type)) return 0;
    const special = isUnsigned ? 0n : leastOf(x);
    return view.times(value, (event) => event.of(negation)?.integer(x) === special);
  });

/** A negation, or 0 as the first operand of a difference or comparison. */
export const zeroFirst: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, a, b } = value;
    if (a === null || !isInteger(a.type)) return 0;
    if (opcode === Op.Neg) return view.times(value);
    if (opcode !== Op.Sub && !isComparison(value)) return 0;
    return constantInteger(a) === 0n && b !== null ? view.times(value) : 0;
  });

/** A 32-bit operation of bits with a mask of bits in a row. */
export const narrowMask: Detector = (study) =>
  sum(study, (value, view) => {
    const { opcode, type } = value;
    const isOfBits = opcode === Op.BitAnd || opcode === Op.BitXor || opcode === Op.BitOr;
    if (type !== Int32 || !isOfBits) return 0;
    return besideConstant(value, ({ lo }) => isRow(lo)) === null ? 0 : view.times(value);
  });

/** Ones in a row, around the ends too: neither none nor all. */
function isRow(bits: number): boolean {
  const changes = bits ^ ((bits << 1) | (bits >>> 31));
  let count = 0;
  for (let k = 0; k < 32; k++) count += (changes >>> k) & 1;
  return count === 2;
}

const isCall = ({ opcode }: Value): boolean => opcode === Op.CCall || CALLS_ADDRESS[opcode] === 1;

/** A tail call of a procedure that has a value for which this holds. */
const tailCallBeside = (holds: (value: Value) => boolean): Detector => {
  return (study) =>
    sum(study, (call, view) => {
      if (call.opcode !== Op.TailCall || !view.values.some(holds)) return 0;
      return view.times(call);
    });
};

/** A tail call, and an exit that shows a parameter. */
export const parameterShownAfterTailCall = tailCallBeside(
  ({ extra }) =>
    extra instanceof Snapshot &&
    extra.frames.some(({ slots }) =>
      slots.some((slot) => slot.kind === "value" && slot.value.opcode === Op.Parameter),
    ),
);

/** A tail call, and a parameter that is named by its register. */
export const namedParameterAfterTailCall = tailCallBeside(
  ({ opcode }) => opcode === Op.ArgumentReg,
);

/** A call that may ask its caller to leave. */
export const askingCall: Detector = (study) =>
  sum(study, (call, view) => (call.opcode === Op.CCallCheck ? view.times(call) : 0));

/** The same, and its result has no use. */
export const unusedAskingCall: Detector = (study) =>
  sum(study, (call, view) => {
    if (call.opcode !== Op.CCallCheck || view.users(call).length > 0) return 0;
    return view.isShown(call) ? 0 : view.times(call);
  });

/** A procedure that may ask its caller to leave, and calls itself without listening. */
export const askingSelfCall: Detector = (study) =>
  sum(study, (call, view) => {
    if (call.opcode !== Op.CCall || call.procedure !== view.proc) return 0;
    return asks(view.proc) ? view.times(call) : 0;
  });

/** A call that listens to what may also be a procedure that never asks. */
export const unaskingCallee: Detector = (study) =>
  sum(study, (call, view) => {
    if (call.opcode !== Op.CallCheck) return 0;
    return reachedProcedures(call).every(asks) ? 0 : view.times(call);
  });

/** A further result of the type of one before it, of a call that names its procedure. */
export const resultsOfOneType: Detector = (study) =>
  sum(study, (extract, view) => {
    if (extract.opcode !== Op.Extract || extract.a === null || calledBy(extract.a) === null)
      return 0;
    const earlier = [extract.a.type, ...furtherOf(extract.a)].slice(0, extract.lo);
    return earlier.includes(extract.type) ? view.times(extract) : 0;
  });

/** A further result that is taken, where one before it, of the same bank, is not. */
export const laterFurtherResult: Detector = (study) =>
  sum(study, (extract, view) => {
    if (extract.opcode !== Op.Extract || extract.lo === 1 || extract.a === null) return 0;
    const isFirstTaken = extractsOf(extract.a).some(({ lo }) => lo === 1);
    const [first] = furtherOf(extract.a);
    const isSameBank = isFloating(first) === isFloating(extract.type);
    return isFirstTaken || !isSameBank ? 0 : view.times(extract);
  });

const asks = ({ blocks }: Procedure): boolean =>
  blocks.some(({ last }) => last.opcode === Op.ReturnAsking);

const showsOwnResult = (call: Value): boolean =>
  call.opcode === Op.CCallCheck && snapshotLeaves(call.snapshot).includes(call);

/** An exit behind such a call that shows what the call has given, which is an Int32. */
export const ownResultShown: Detector = (study) =>
  sum(study, (call, view) => (call.type === Int32 && showsOwnResult(call) ? view.exits(call) : 0));

/** The same, of either type, where the call was executed before. */
export const ownResultOfLoop: Detector = (study) =>
  sum(study, (call, view) =>
    showsOwnResult(call) ? view.exits(call, ({ previous }) => previous >= 0) : 0,
  );

/** An argument of 32 bits that is the lower half of more. */
export const narrowArgument: Detector = (study) =>
  sum(study, (call, view) => {
    if (!isCall(call)) return 0;
    const cut = (call.rest ?? []).filter(({ opcode }) => opcode === Op.Trunc);
    return view.times(call, (event) =>
      cut.some((argument) => {
        const wide = argument.a;
        const bits = wide === null ? null : (event.of(argument)?.integer(wide) ?? null);
        return bits !== null && BigInt.asUintN(64, bits) > 0xffff_ffffn;
      }),
    );
  });

/** A narrow argument on the stack, and another behind it. */
export const stackArguments: Detector = (study) =>
  sum(study, (call, view) => {
    if (!isCall(call)) return 0;
    const sizes: number[] = [];
    let [integers, floats] = [0, 0];
    for (const { type } of call.rest ?? []) {
      const isOnStack = isFloating(type) ? ++floats > 8 : ++integers > 6;
      if (isOnStack) sizes.push(sizeOf(type));
    }
    return sizes.slice(0, -1).includes(4) ? view.times(call) : 0;
  });

const CONVERTS: ReadonlySet<Opcode> = new Set([
  Op.IToD,
  Op.IToF,
  Op.UToD,
  Op.UToF,
  Op.TruncS32,
  Op.TruncU32,
  Op.TruncS64,
  Op.TruncU64,
]);

/** An argument that takes more than a move to make, behind one that is in its register by then. */
export const madeArgument: Detector = (study) =>
  sum(study, (call, view) => {
    if (!isCall(call)) return 0;
    const list = call.rest ?? [];
    const isMade = (argument: Value): boolean => {
      if (argument.isConstant)
        return argument.type === Int64 ? argument.hi !== argument.lo >> 31 : isFloat(argument);
      return (
        CONVERTS.has(argument.opcode) &&
        argument.block === call.block &&
        view.users(argument).length === 1
      );
    };
    return list.some(
      (argument, i) => i > 0 && isMade(argument) && list.slice(0, i).some((x) => !x.isConstant),
    )
      ? view.times(call)
      : 0;
  });
const isFloat = ({ type, lo, hi }: Value): boolean => isFloating(type) && (lo !== 0 || hi !== 0);

/** Guards that leave by a snapshot that passes the test. */
const exitsBy =
  (
    isHit: (snapshot: Snapshot, view: View) => boolean,
    test?: (event: Execution) => boolean,
  ): Detector =>
  (study) =>
    sum(study, (guard, view) => {
      const { extra } = guard;
      return extra instanceof Snapshot && isHit(extra, view) ? view.exits(guard, test) : 0;
    });

const isWideConstant = (type: Type, lo: number, hi: number): boolean =>
  type === Double ? lo !== 0 || hi !== 0 : type === Int64 && hi !== 0 && hi !== lo >> 31;

interface Bits {
  readonly type: Type;
  readonly lo: number;
  readonly hi: number;
}

/** The constants that the frames show. */
function constantsShown({ frames }: Snapshot): Bits[] {
  return frames
    .flatMap(({ slots }) => slots)
    .flatMap((slot): Bits[] => {
      if (slot.kind === "constant") return [slot];
      return slot.kind === "value" && slot.value.isConstant ? [slot.value] : [];
    });
}

/** An exit that shows a constant of 64 bits of which 32 are not enough. */
export const wideConstantShown = exitsBy((snapshot) =>
  constantsShown(snapshot).some(({ type, lo, hi }) => isWideConstant(type, lo, hi)),
);

/** An exit that shows a constant, where the first one shown with its low word has another high one. */
export const lowWordOfAnother: Detector = (study) => {
  const highOf = ({ type, hi }: Bits): number => (isWide(type) ? hi : 0);
  const first = new Map<number, number>();
  for (const constant of study.views.flatMap(({ proc }) => proc.snapshots.flatMap(constantsShown)))
    if (!first.has(constant.lo)) first.set(constant.lo, highOf(constant));
  const isOther = (snapshot: Snapshot): boolean =>
    constantsShown(snapshot).some((constant) => first.get(constant.lo) !== highOf(constant));
  return exitsBy(isOther)(study);
};

/** An exit that shows bytes of a store of which it names others, counted from one address, as dead. */
export const partlyDead = exitsBy(({ frames }, view) =>
  frames.some(({ slots }) =>
    slots.some((slot) => {
      if (slot.kind !== "deadBytes") return false;
      return view.users(slot.address).some((store) => {
        if (!isStore(store) || store.address !== slot.address || store.lo < slot.offset)
          return false;
        const end = slot.offset + slot.size;
        return store.lo < end && store.lo + accessSize(store) > end;
      });
    }),
  ),
);

/** An exit that shows the address that dead bytes are counted from. */
export const deadAddressShown = exitsBy(({ frames }) => {
  const slots = frames.flatMap((frame) => frame.slots);
  const shown = slots.flatMap((slot) => (slot.kind === "value" ? [slot.value] : []));
  return slots.some((slot) => slot.kind === "deadBytes" && shown.includes(slot.address));
});

/**
 * An exit of the entry that shows a slot that only stores use, of which some bytes are not written.
 */
export const unwrittenField = exitsBy(
  ({ frames }, view) =>
    frames.some(({ slots }) =>
      slots.some(
        (slot) =>
          slot.kind === "contents" &&
          view.values.every(
            (base) =>
              base.opcode !== Op.SlotBase ||
              base.slot !== slot.slot ||
              view.users(base).every(isStore),
          ),
      ),
    ),
  ({ run }) => {
    const { ending } = run.outcome;
    if (ending.kind !== "exit") return false;
    return ending.frames.some(({ slots }) =>
      slots.some((slot) => slot !== null && !isBits(slot) && slot.masked.length > 0),
    );
  },
);

const WIDENS: ReadonlySet<Opcode> = new Set([
  Op.IToD,
  Op.IToF,
  Op.UToD,
  Op.UToF,
  Op.SExt32,
  Op.ZExt32,
]);

/** An exit that shows a slot with a converted integer, which has other uses. */
export const convertedAndUsed = exitsBy(({ frames }, view) =>
  frames.some(({ slots }) =>
    slots.some(
      (slot) =>
        slot.kind === "contents" &&
        view.values.some((store) => {
          const { a } = store;
          if (!isStore(store) || a === null || !WIDENS.has(a.opcode)) return false;
          if (store.address.opcode !== Op.SlotBase || store.address.slot !== slot.slot)
            return false;
          return view.users(a).length > 1 || view.isShown(a);
        }),
    ),
  ),
);

/**
 * A store that some load reads before a guard that leaves, and that another goes over behind the
 * guard: a compiler that moves it into the exit takes it from the load.
 */
export const storeReadBeforeExit: Detector = (study) =>
  sum(study, (later, view) => {
    const { block } = later;
    if (block === null || !isStore(later)) return 0;
    let guard: Value | null = null;
    let load: Value | null = null;
    for (let i = view.placeOf(later) - 1; i >= 0; i--) {
      const value = block.values[i];
      if (value.extra instanceof Snapshot) guard = value;
      else if (isStore(value) && covers(later, value)) {
        const isHit = guard !== null && load !== null && meet(load, value);
        return isHit && guard !== null ? view.times(guard) : 0;
      } else if (isLoad(value) && guard !== null && meet(value, later)) load = value;
    }
    return 0;
  });

/** An exit with a frame, not the innermost, that shows the contents of a slot, beside another slot. */
export const outerContentsShown: Detector = (study) =>
  sum(study, (guard, view) => {
    const { extra } = guard;
    if (!(extra instanceof Snapshot) || view.proc.slots.length < 2) return 0;
    const outer = extra.frames.slice(1).flatMap(({ slots }) => slots);
    return outer.some(({ kind }) => kind === "contents") ? view.exits(guard) : 0;
  });

/** A load of a slot that only stores in front of the loop write, where the loop writes another slot. */
export const slotReadAroundLoop: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    if (!isLoad(load)) return 0;
    const slot = slotOf(load);
    if (slot === null) return 0;
    const stored = view.values.filter(isStore).filter((store) => !isOutside(loop, store));
    const slots = stored.map(slotOf).filter((other) => other !== null);
    return slots.length === 0 || slots.includes(slot) ? 0 : view.times(load);
  });

const slotOf = ({ address }: Value): StackSlot | null =>
  address.opcode === Op.SlotBase ? address.slot : null;

/** An exit in a later iteration that shows a slot which is stored to before the loop and in it. */
export const slotOfLoopShown: Detector = (study) =>
  sumInLoops(study, (guard, loop, view) => {
    const { extra } = guard;
    if (!(extra instanceof Snapshot)) return 0;
    const isHit = extra.frames.some(({ slots }) =>
      slots.some((slot) => {
        if (slot.kind !== "contents") return false;
        const stores = view.values.filter(
          (value) =>
            isStore(value) &&
            value.address.opcode === Op.SlotBase &&
            value.address.slot === slot.slot,
        );
        return (
          stores.some((store) => isOutside(loop, store)) &&
          stores.some((store) => !isOutside(loop, store))
        );
      }),
    );
    return isHit ? view.exits(guard, (event) => event.previous >= 0) : 0;
  });

/**
 * Procedures whose snapshots together have more entries than 16 bits count, or constants than 8 do.
 */
export const manyEntries: Detector = (study) => {
  let total = 0;
  for (const { proc } of study.views) {
    let entries = 0;
    const constants = new Set<string>();
    for (const { frames } of proc.snapshots) {
      for (const { slots } of frames) {
        entries += slots.length;
        for (const slot of slots) {
          if (slot.kind === "constant") constants.add(`${slot.type}:${slot.lo}:${slot.hi}`);
        }
      }
    }
    if (entries > 0xffff || constants.size > 0xff) total++;
  }
  return total;
};
