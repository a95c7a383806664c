// Detectors of triggers in the optimization of loops: invariant code, bounds, counters, Phis.

import { writesAnyHeap } from "../../../reference/optimize/analysis/alias.js";
import { EFFECTS, EXITS, isWholeLoad, Op, type Opcode, PARTIAL } from "../../ir/opcodes.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { accessSize, type Value } from "../../ir/procedure.js";
import { Int32, isInteger } from "../../ir/types.js";
import {
  addressIn,
  comesFrom,
  constantInteger,
  isBefore,
  isComparison,
  isInvariant,
  isLoad,
  isOrderedComparison,
  isOutside,
  isStore,
  isUnsignedComparison,
  lastInteger,
  overflows,
  readsByCall,
  sum,
  sumInLoops,
  widthOf,
  writersOf,
} from "./ask.js";
import type { Detector, Execution, Loop, Run, Study, View } from "./study.js";

/** A load whose address does not change, of what an earlier iteration has written. */
export const loadOfLoopStore: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    if (!isLoad(load) || isStore(load) || !isInvariant(loop, load.address)) return 0;
    return view.times(load, (event) =>
      event.dependences.some((at) => {
        const writer = at > event.previous && event.previous >= 0 ? event.valueAt(at) : null;
        if (writer === null || isOutside(loop, writer)) return false;
        return isStore(writer) || readsByCall(writer);
      }),
    );
  });

/**
 * A load whose address does not change, where since the iteration before a call or an operation on
 * bytes wrote, of an inner loop alone.
 */
export const writtenByInnerLoop: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    if (!isLoad(load) || isStore(load) || !isInvariant(loop, load.address)) return 0;
    const inner = view.loops.filter((each) => each !== loop && loop.blocks.has(each.header));
    const isInner = (value: Value): boolean => inner.some((each) => !isOutside(each, value));
    const writers = [...loop.blocks].flatMap(({ values }) => values.filter(writesAnyHeap));
    if (isInner(load) || !writers.every(isInner)) return 0;
    return view.times(load, ({ run, previous, at }) => {
      if (previous < 0) return false;
      return writers.some(({ id }) =>
        run.eventsOf(view.index, id).some((event) => event > previous && event < at),
      );
    });
  });

/**
 * A load that goes through memory, of what a store has written over that of another store to the same
 * address, both since the iteration before.
 */
export const overwrittenBeforeLoad: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    const isHere = (store: Value): boolean => isStore(store) && !isOutside(loop, store);
    return timesOverwritten(view, load, loop, isHere, (at, { previous }) => {
      return previous >= 0 && at > previous;
    });
  });

/** Likewise in front of the loop, loaded by the first iteration. */
export const overwrittenBeforeLoop: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    const isBefore = (store: Value): boolean => isStore(store) && isOutside(loop, store);
    return timesOverwritten(view, load, loop, isBefore, (_, { previous }) => previous < 0);
  });

function timesOverwritten(
  view: View,
  load: Value,
  loop: Loop,
  isAsked: (store: Value) => boolean,
  isThen: (at: number, event: Execution) => boolean,
): number {
  if (!isWholeLoad(load.opcode) || isInvariant(loop, load.address)) return 0;
  const stores = view.values.filter((store) => store.opcode === Op.Store && isAsked(store));
  return view.times(load, (event) =>
    event.dependences.some((at) => {
      const over = isThen(at, event) ? event.valueAt(at) : null;
      if (over === null || !isAsked(over)) return false;
      return stores.some((store) => {
        const storing = store === over ? null : event.of(store);
        if (storing === null || storing.at > at || !isThen(storing.at, event)) return false;
        return addressIn(store, storing) === addressIn(load, event);
      });
    }),
  );
}

/**
 * What may leave or is undefined for its operands, in a part of the loop that no iteration reached.
 */
export const unreachedCheck: Detector = (study) =>
  sumInLoops(study, (value, loop, view) => {
    const { opcode, block, a, b } = value;
    if ((EFFECTS[opcode] & (EXITS | PARTIAL)) === 0 || block === null || a === null) return 0;
    if (loop.latches.every((latch) => view.dominates(block, latch))) return 0;
    if (!isInvariant(loop, a) || (b !== null && !isInvariant(loop, b))) return 0;
    return view.runsThrough(loop.header, (run) => {
      if (run.eventsOf(view.index, value.id).length > 0) return false;
      return wouldFail(view, run, value);
    });
  });

function wouldFail(view: View, run: Run, value: Value): boolean {
  const { opcode, type, a, b } = value;
  const [x, y] = [lastInteger(view, run, a), lastInteger(view, run, b)];
  if (opcode === Op.Check) return x !== null && x !== 0n;
  if (x === null || y === null || !isInteger(type)) return false;
  if ((EFFECTS[opcode] & PARTIAL) !== 0) return y === 0n;
  const exact =
    opcode === Op.CheckAdd
      ? x + y
      : opcode === Op.CheckSub
        ? x - y
        : opcode === Op.CheckMul
          ? x * y
          : 0n;
  return BigInt.asIntN(widthOf(value), exact) !== exact;
}

/** A guard that leaves, before a load that does not change and is outside of the heap then. */
export const guardedInvariantLoad: Detector = (study) =>
  sumInLoops(study, (load, loop, view) => {
    const { block } = load;
    if (!isLoad(load) || block === null || !isInvariant(loop, load.address)) return 0;
    let total = 0;
    for (const guard of guardsBefore(view, loop, load)) {
      total += view.exits(guard, ({ run }) => {
        const base = lastInteger(view, run, load.address);
        if (base === null) return false;
        const at = BigInt.asUintN(64, base + BigInt(load.lo)) - HEAP_BASE;
        return at < 0n || at + BigInt(accessSize(load)) > BigInt(study.module.heapSize);
      });
    }
    return total;
  });

function guardsBefore(view: View, { blocks }: Loop, load: Value): Value[] {
  const guards: Value[] = [];
  for (const block of blocks) {
    for (const value of block.values) {
      if (value.opcode !== Op.Check || load.block === null) continue;
      const isBefore =
        block === load.block
          ? view.placeOf(value) < view.placeOf(load)
          : view.dominates(block, load.block);
      if (isBefore) guards.push(value);
    }
  }
  return guards;
}

/** A Phi of a loop that beside its own update only arguments use, in iterations after the first. */
export const phiThroughCall: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    if (phi.opcode !== Op.Phi || phi.block !== loop.header || view.isShown(phi)) return 0;
    const calls = callsFedBy(view, phi);
    if (calls === null || calls.length === 0) return 0;
    return calls.reduce(
      (total, call) => total + view.times(call, (event) => event.previous >= 0),
      0,
    );
  });

/** The calls that a Phi feeds; null if something else uses it, but for what updates it. */
function callsFedBy(view: View, phi: Value): Value[] | null {
  const calls: Value[] = [];
  const seen = new Set([phi]);
  for (const value of seen) {
    for (const user of view.users(value)) {
      if (user.rest?.includes(value)) {
        if (value === phi) calls.push(user);
        else return null;
      } else if (user.opcode === Op.Upsilon) {
        if (user.extra !== phi) return null;
      } else if (EFFECTS[user.opcode] === 0 && !view.isShown(user)) seen.add(user);
      else return null;
    }
  }
  return calls;
}

/**
 * Checks of two constants against one length, of which the second is negative and leaves; or a
 * check that passes, and a later signed question about its index, which is negative.
 */
export const constantsAgainstLength: Detector = (study) =>
  sum(study, (check, view) => {
    if (check.opcode === Op.Check) {
      const found = checkedConstant(check);
      if (found === null || found.index >= 0n) return 0;
      const isSecond = view.values.some((other) => {
        const first = checkedConstant(other);
        if (first === null || first.index < 0n || first.length !== found.length) return false;
        return isBefore(view, other, check);
      });
      return isSecond ? view.exits(check) : 0;
    }
    const { a: x } = check;
    if (!isOrderedComparison(check) || x === null || !isInteger(x.type)) return 0;
    const isBounded = view
      .users(x)
      .some(
        (bound) =>
          isUnsignedComparison(bound) &&
          view
            .users(bound)
            .some((guard) => guard.opcode === Op.Check && isBefore(view, guard, check)),
      );
    return isBounded ? view.times(check, (event) => (event.integer(x) ?? 0n) < 0n) : 0;
  });

/** Of a Check that a constant is below a length. */
function checkedConstant({ opcode, a }: Value): { index: bigint; length: Value } | null {
  if (opcode !== Op.Check || a === null || a.a === null || a.b === null) return null;
  const sides =
    a.opcode === Op.AboveEqual ? [a.a, a.b] : a.opcode === Op.BelowEqual ? [a.b, a.a] : null;
  if (sides === null) return null;
  const index = constantInteger(sides[0]);
  return index === null ? null : { index, length: sides[1] };
}

/** A bounds check against a length that changes, which fails in a later iteration. */
export const changedLength: Detector = (study) =>
  sumInLoops(study, (check, loop, view) => {
    const { opcode, a: condition } = check;
    if (opcode !== Op.Check || condition === null || !isUnsignedComparison(condition)) return 0;
    const { a, b } = condition;
    const isFirst = condition.opcode === Op.AboveEqual || condition.opcode === Op.Above;
    const [index, length] = isFirst ? [a, b] : [b, a];
    if (index === null || length === null || isOutside(loop, length)) return 0;
    const changes = loop.header.values.some(
      (phi) => phi.opcode === Op.Phi && phi !== index && comesFrom(length, phi, 3),
    );
    return changes ? view.exits(check, (event) => event.previous >= 0) : 0;
  });

const STEPS: ReadonlySet<Opcode> = new Set([Op.Add, Op.Sub]);

/** What a counter of integers becomes in the loop, by constant steps; none of what is no counter. */
function stepsOf(view: View, loop: Loop, phi: Value): Value[] {
  if (phi.opcode !== Op.Phi || phi.block !== loop.header || !isInteger(phi.type)) return [];
  return writersOf(view, phi)
    .filter((writer) => !isOutside(loop, writer))
    .map(({ a }) => a)
    .filter((next) => next !== null)
    .filter(({ opcode, a, b }) => STEPS.has(opcode) && a === phi && b?.isConstant === true);
}

/** Tests of loops that count by a constant, where counter, limit and step are such. */
function testsOfCounters(
  study: Study,
  areSuch: (counter: bigint, limit: bigint, step: bigint) => boolean,
): number {
  return sumInLoops(study, (test, loop, view) => {
    const { opcode, a: phi, b: limit, block } = test;
    if (opcode !== Op.LessThan || phi === null || limit === null || block !== loop.header) return 0;
    const [next] = stepsOf(view, loop, phi);
    const step = next?.opcode === Op.Add ? constantInteger(next.b) : null;
    if (step === null || step <= 0n) return 0;
    return view.times(test, (event) => {
      const [at, end] = [event.integer(phi), event.integer(limit)];
      return at !== null && end !== null && areSuch(at, end, step);
    });
  });
}

/** Three iterations are left, and no more. */
export const threeIterationsLeft: Detector = (study) =>
  testsOfCounters(study, (at, end, step) => at + 2n * step < end && at + 3n * step >= end);

/** No iteration is left, and three steps below the limit there is no integer. */
export const limitNearLeast: Detector = (study) =>
  testsOfCounters(study, (at, end, step) => at >= end && end - 3n * step < -(2n ** 31n));

/** A counter is asked, in its fifth iteration or later, for bits up to the lowest that four steps change. */
export const lowBitAboveFourSteps: Detector = (study) =>
  sumInLoops(study, (masked, loop, view) => {
    const { opcode, a: phi, b } = masked;
    if (opcode !== Op.BitAnd || phi === null || phi.block !== loop.header) return 0;
    const [next] = stepsOf(view, loop, phi);
    const step = next?.opcode === Op.Add ? constantInteger(next.b) : null;
    const mask = constantInteger(b);
    if (step === null || step <= 0n || mask === null) return 0;
    const bit = 4n * (step & -step);
    if ((mask & bit) === 0n || (mask & ~(2n * bit - 1n)) !== 0n) return 0;
    return Math.max(0, view.times(masked) - 4);
  });

/** A loop goes on by what is computed from a counter, is no step of it, and is compared with a constant. */
export const asksWhatIsDerived: Detector = (study) =>
  sumInLoops(study, (test, loop, view) => {
    const { a: derived, b: bound } = test;
    const phi = derived?.a ?? null;
    if (!isComparison(test) || phi === null || constantInteger(bound) === null) return 0;
    const steps = stepsOf(view, loop, phi);
    if (steps.length === 0 || steps.some((step) => step === derived)) return 0;
    const decides = view.users(test).some(({ opcode }) => opcode === Op.Branch);
    return decides ? view.times(test) : 0;
  });

/** A counter that wraps and goes on, with a question about it in the loop. */
export const counterWraps: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    let total = 0;
    for (const next of stepsOf(view, loop, phi)) {
      const isAsked = [phi, next].some((value) =>
        view.users(value).some((user) => isComparison(user) && !isOutside(loop, user)),
      );
      if (!isAsked) continue;
      total += view.times(next, (event) => {
        if (!overflows(next, event)) return false;
        const iterations = event.run.eventsOf(view.index, phi.id);
        return iterations.length > 0 && iterations[iterations.length - 1] > event.at;
      });
    }
    return total;
  });

/** A counter that goes on by 1 up to a limit, which is the greatest integer, past guards on an index. */
export const countsPastLimit: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    const steps = stepsOf(view, loop, phi).filter(
      ({ opcode, type, b }) => opcode === Op.Add && type === Int32 && constantInteger(b) === 1n,
    );
    if (steps.length === 0) return 0;
    const isLimited = view.users(phi).some(({ opcode, a, b }) => {
      const [limit, asks] =
        a === phi ? [b, [Op.LessEqual, Op.GreaterThan]] : [a, [Op.GreaterEqual, Op.LessThan]];
      return asks.some((one) => one === opcode) && limit !== null && isInvariant(loop, limit);
    });
    const isIndexGuard = ({ opcode, a }: Value): boolean =>
      opcode === Op.Check && a !== null && isUnsignedComparison(a) && comesFrom(a, phi, 3);
    if (!isLimited || ![...loop.blocks].some(({ values }) => values.some(isIndexGuard))) return 0;
    return steps.reduce(
      (total, next) => total + view.times(next, (event) => overflows(next, event)),
      0,
    );
  });

/**
 * One block that is its own loop and asks for its Phi as it was, after what it becomes is known.
 */
export const asksWhatWas: Detector = (study) =>
  sumInLoops(study, (phi, loop, view) => {
    const { header, blocks } = loop;
    if (phi.opcode !== Op.Phi || phi.block !== header || blocks.size !== 1) return 0;
    const { opcode, a: condition } = header.last;
    if (opcode !== Op.Branch || condition === null) return 0;
    const next = header.values.find(
      (value) => value.opcode === Op.Upsilon && value.extra === phi,
    )?.a;
    if (next === undefined || next === null || next === phi) return 0;
    const asks =
      condition === phi ||
      (isComparison(condition) && (condition.a === phi || condition.b === phi));
    return asks ? view.times(header.last, (event) => event.previous >= 0) : 0;
  });

/** A sum of what does not change and a product of a Phi of the header by what does not. */
export const sumOfCountedProduct: Detector = (study) =>
  sumInLoops(study, (value, loop, view) => {
    const { opcode, type, a, b } = value;
    if (opcode !== Op.Add || type !== Int32 || a === null || b === null) return 0;
    const [product, added] = isOutside(loop, b) ? [a, b] : [b, a];
    if (!isOutside(loop, added)) return 0;
    const counted = countedProduct(loop, product);
    return counted !== null && !counted.factor.isConstant ? view.times(value) : 0;
  });

/** Of a product of a Phi of the header by what is there before the loop; else null. */
function countedProduct(
  loop: Loop,
  { opcode, a, b }: Value,
): { counter: Value; factor: Value } | null {
  if (opcode !== Op.Mul || a === null || b === null) return null;
  const [counter, factor] = isOutside(loop, b) ? [a, b] : [b, a];
  const isCounter = counter.opcode === Op.Phi && counter.block === loop.header;
  return isCounter && isOutside(loop, factor) ? { counter, factor } : null;
}

/** A product of a counter that ways back increase by different steps. */
export const stepsOfLatches: Detector = (study) =>
  sumInLoops(study, (product, loop, view) => {
    const counter = isInteger(product.type) ? countedProduct(loop, product)?.counter : undefined;
    if (counter === undefined) return 0;
    const steps = new Set<Value | bigint>();
    for (const writer of writersOf(view, counter)) {
      if (isOutside(loop, writer)) continue;
      const step = addedTo(counter, writer.a);
      if (step === null || !isInvariant(loop, step)) return 0;
      steps.add(constantInteger(step) ?? step);
    }
    return steps.size > 1 ? view.times(product, (event) => event.previous >= 0) : 0;
  });

function addedTo(counter: Value, next: Value | null): Value | null {
  if (next?.opcode !== Op.Add) return null;
  if (next.a === counter) return next.b;
  return next.b === counter ? next.a : null;
}

/** An index that each iteration computes from a Phi of the header wraps around, and is extended for an address. */
export const extendedIndexWraps: Detector = (study) =>
  sumInLoops(study, (extended, loop, view) => {
    const { opcode, a: index } = extended;
    if (opcode !== Op.SExt32 || index === null || index.a === null || index.b === null) return 0;
    if (index.opcode !== Op.Add && index.opcode !== Op.Mul) return 0;
    if (!view.users(extended).some((user) => user.opcode === Op.Add || user.opcode === Op.Shl))
      return 0;
    const [x, y] = [index.a, index.b];
    const counter = isOutside(loop, y) ? x : y;
    if (counter.opcode !== Op.Phi || counter.block !== loop.header) return 0;
    return view.times(index, (event) => {
      if (index.opcode === Op.Add) return overflows(index, event);
      const [left, right] = [event.integer(x), event.integer(y)];
      return left !== null && right !== null && BigInt.asIntN(32, left * right) !== left * right;
    });
  });
