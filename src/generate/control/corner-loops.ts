// Emits loops in forms in which code motion or range analysis may fail. Carried values are
// permuted, a store follows a load that could move, or a counter passes an end of its type. Code
// that must not run is next to code that may move. Each row of the table is one form with its
// weight; shape.ts draws from them.

import { HOST_FUNCTIONS } from "../../ir/host-functions.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import { type PatchpointKind, patchpointNamed } from "../../ir/patchpoints.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, sizeOf, type Type, Void } from "../../ir/types.js";
import { wordsOf } from "../../ir/words.js";
import { emitStep } from "../contents/contents.js";
import { aimAt, COMPARISONS, compare, neverTrue, pickParameter } from "../maker/conditions.js";
import { guardAgainst, pickSnapshot, snapshotOf } from "../maker/exits.js";
import { oneArm, reserved } from "../maker/joins.js";
import type { MakerRow, ProcedureMaker } from "../maker/maker.js";
import { pickAddress, placeIn } from "../maker/memory.js";
import { canCall, combine, emitCall, mixInto, observe } from "../maker/observe.js";
import { LIMITS } from "../maker/odds.js";
import { oneOf, repeat } from "../maker/rows.js";
import { hasRoomForSmallLoop, makeSmallLoop } from "../maker/small-loops.js";
import { drawInteger, drawType } from "../maker/swarm.js";
import { startByPath } from "./constants-by-path.js";
import { elementBefore } from "./element-loops.js";
import { forwardedConstants } from "./forwarded-constants.js";
import { alongLinks, byStep } from "./linked-loops.js";
import { loopOfParts } from "./loop-parts.js";

// biome-ignore format: a table
export const CORNER_LOOPS: readonly MakerRow[] = [
  { name: "rotation",                      weight: 3, make: rotation },
  { name: "loop that tests the old value", weight: 2, make: testsOldValue },
  { name: "store over a loaded location",    weight: 3, make: loadThenStore },
  { name: "load beside a call that writes",      weight: 3, make: loadBesideCall },
  { name: "guard that is not reached",     weight: 3, make: unreachedGuard },
  { name: "store at the latch",            weight: 2, make: storeAtLatch },
  { name: "carried value used only by a call",      weight: 2, make: carriedForCall },
  { name: "swapped arrays",     weight: 2, make: swappedArrays },
  { name: "counter at the end of its type",             weight: 3, make: counterAtEnd },
  { name: "load below two guards",         weight: 2, make: loadBelowGuards },
  { name: "exit by overflow or carry",    weight: 2, make: exitByOverflow },
  { name: "bound and step in memory",      weight: 3, make: boundInMemory },
  { name: "loop with several exits",       weight: 2, make: severalExits },
  { name: "calls with many live values",   weight: 3, make: callsWithManyLiveValues },
  { name: "element of the previous iteration",     weight: 5, make: elementBefore },
  { name: "Phis that forward constants",   weight: 2, make: forwardedConstants },
  { name: "address of the last iteration", weight: 2, make: addressOfLastIteration },
  { name: "loop of drawn parts",           weight: 16, make: loopOfParts },
  { name: "initial value by path",              weight: 4, make: startByPath },
  { name: "walk along links",              weight: 5, make: withHeap(alongLinks) },
  { name: "walk by a step",                weight: 3, make: withHeap(byStep) },
];

// Emits `a, b = b, a`, `a, b, c = b, c, f(a)` or `a, b = b, a + b`, with several types at once.
function rotation(maker: ProcedureMaker): void {
  const types = Array.from({ length: 1 + maker.below(2) }, () =>
    drawType(maker.source, maker.swarm),
  );
  const length = 2 + maker.below(3);
  const given = types.flatMap((type) => Array.from({ length }, () => maker.pick(type)));
  const kinds = types.map(() => maker.below(3));
  makeSmallLoop(maker, given, ({ carried }) => {
    const next = types.flatMap((_, t) => {
      const ring = carried.slice(t * length, (t + 1) * length);
      const [first, ...rest] = ring;
      const last = kinds[t] === 0 ? first : combine(maker, first, kinds[t] === 1 ? ring[1] : first);
      return maker.chance(50) || kinds[t] === 0 ? [...rest, last] : [last, ...ring.slice(0, -1)];
    });
    if (maker.chance(40)) emitStep(maker);
    return next;
  });
}

// Emits one block whose branch tests the value before the update: while (i-- > 0).
function testsOldValue(maker: ProcedureMaker): void {
  const { proc } = maker;
  const type = drawInteger(maker.source, maker.swarm);
  const [counter, carried] = [
    proc.newValue(Op.Phi, type),
    proc.newValue(Op.Phi, drawType(maker.source, maker.swarm)),
  ];
  maker.upsilon(maker.integer(type, 1 + maker.below(4)), counter);
  maker.upsilon(maker.pick(carried.type), carried);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.jump(header);
  maker.block = header;
  maker.place(counter, false);
  maker.place(carried, isFloating(carried.type));
  const next = maker.append(Op.Sub, type, counter, maker.integer(type, 1));
  const given = combine(maker, carried, maker.chance(50) ? carried : counter);
  given.uses = 0;
  if (maker.chance(50)) {
    maker.upsilon(next, counter);
    maker.upsilon(given, carried);
    maker.branch(continueCondition(maker, counter), header, exit);
  } else {
    const flag = continueCondition(maker, counter);
    maker.upsilon(given, carried);
    maker.upsilon(next, counter);
    maker.branch(flag, header, exit);
  }
  maker.block = exit;
  if (maker.chance(50)) carried.uses = 0;
}

// Returns a test for not zero or for greater than zero.
function continueCondition(maker: ProcedureMaker, counter: Value): Value {
  if (maker.chance(40)) return counter;
  const opcode = maker.chance(60) ? Op.GreaterThan : Op.NotEqual;
  return maker.append(opcode, Int32, counter, maker.integer(counter.type, 0));
}

interface MemoryLocation {
  readonly address: Value;
  readonly offset: number;
  readonly type: Type;
  /** The start of eight bytes that contain the location. */
  readonly start: number;
}

/** Returns a location whose address is invariant in the next loop. */
function drawLocation(
  maker: ProcedureMaker,
  heapBase: Value,
  only: Type | null = null,
): MemoryLocation {
  const address = pickAddress(maker, heapBase);
  const type = only ?? drawType(maker.source, maker.swarm);
  const start = placeIn(maker, address, 8);
  const offset = sizeOf(type) === 4 && maker.chance(25) ? start + 4 : start;
  return { address: address.value, offset, type, start };
}

function load(maker: ProcedureMaker, { address, offset, type }: MemoryLocation): Value {
  const value = maker.emit(Op.Load, type, address);
  value.offset = offset;
  return value;
}

/** Stores to the location, to part of it, or with another width to it and adjacent bytes. */
function store(
  maker: ProcedureMaker,
  { address, offset, type, start }: MemoryLocation,
  value: Value,
): void {
  if (maker.chance(15)) {
    const other = drawType(maker.source, maker.swarm);
    const at = start + maker.below(8 - sizeOf(other) + 1);
    maker.append(Op.Store, Void, maker.closed(maker.pick(other)), address).offset = at;
  } else if (maker.chance(25)) {
    maker.append(Op.Store8, Void, maker.pick(Int32), address).offset =
      offset + maker.below(sizeOf(type));
  } else {
    maker.append(Op.Store, Void, maker.closed(value), address).offset = offset;
  }
}

/** Replaces a maker by a loop that rotates values if there is no heap. */
function withHeap(
  make: (maker: ProcedureMaker, heapBase: Value) => void,
): (maker: ProcedureMaker) => void {
  return (maker) => {
    if (maker.heapBase === null) rotation(maker);
    else make(maker, maker.heapBase);
  };
}

// Emits a loop that loads from a location and later stores to it: directly, on one path, or in an
// inner loop.
function loadThenStore(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const place = drawLocation(maker, heapBase);
    const where = maker.below(4);
    makeSmallLoop(maker, [maker.pick(place.type)], ({ carried, counter }) => {
      const [sum] = carried;
      const loaded = load(maker, place);
      if (maker.chance(30)) emitStep(maker);
      const next = combine(maker, sum, loaded);
      if (where === 0) store(maker, place, next);
      else if (where === 1)
        oneArm(maker, maker.append(Op.Equal, Int32, counter, maker.integer(Int32, 2)), () =>
          store(maker, place, next),
        );
      else if (where === 2)
        oneArm(maker, compare(maker), () => store(maker, place, maker.pick(place.type)));
      else if (hasRoomForSmallLoop(maker)) storeInLoop(maker, place, next);
      return [next];
    });
  })(maker);
}

// Emits a loop whose iterations store to different addresses, followed by an access to the last
// address.
function addressOfLastIteration(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const type = drawType(maker.source, maker.swarm);
    let last: MemoryLocation | null = null;
    makeSmallLoop(maker, [maker.pick(type)], ({ carried: [x], counter }) => {
      const mask = maker.integer(Int32, maker.chance(70) ? 3 : 1);
      const bits = maker.append(Op.BitAnd, Int32, counter, mask);
      const wide = maker.append(Op.ZExt32, Int64, bits);
      const shift = maker.integer(Int32, maker.below(4));
      const distance = maker.append(Op.Shl, Int64, wide, shift);
      const address = maker.append(Op.Add, Int64, heapBase, distance);
      const offset = placeIn(
        maker,
        { value: address, low: 0, high: mask.constantLow << shift.constantLow },
        8,
      );
      last = { address, offset, type, start: offset };
      if (maker.chance(25)) emitStep(maker);
      store(maker, last, x);
      return [combine(maker, x, counter)];
    });
    if (last === null) return;
    if (maker.chance(70)) store(maker, last, maker.pick(type));
    else load(maker, last);
  })(maker);
}

// Emits for (x = start; x < bound; x += step). The start, bound and step are loaded from memory,
// before the loop or in each iteration. The iteration may overwrite them. The loop's own counter
// ends it in any case.
function boundInMemory(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const type = drawInteger(maker.source, maker.swarm);
    const place = (): MemoryLocation => drawLocation(maker, heapBase, type);
    const [bound, step] = [place(), place()];
    const start = maker.chance(50) ? load(maker, place()) : pickParameter(maker, type);
    // Initial values of the heap are usually too far apart for a second iteration.
    const end = maker.append(Op.Add, type, start, maker.integer(type, 1 + maker.below(5)));
    if (maker.chance(75)) store(maker, bound, end);
    if (maker.chance(75)) store(maker, step, maker.integer(type, 1 + maker.below(2)));
    const limits = (): readonly Value[] => [load(maker, bound), load(maker, step)];
    const fixed = maker.chance(40) ? limits() : null;
    makeSmallLoop(maker, [start], ({ carried: [x], leave }) => {
      const [last, by] = fixed ?? limits();
      leave(maker.append(oneOf(maker, EXIT_COMPARISONS), Int32, x, last));
      if (maker.chance(50)) emitStep(maker);
      if (maker.chance(50)) store(maker, oneOf(maker, [bound, step]), oneOf(maker, [x, last, by]));
      return [maker.append(Op.Add, type, x, by)];
    });
  })(maker);
}
const EXIT_COMPARISONS = [Op.GreaterEqual, Op.GreaterThan, Op.AboveEqual, Op.Equal];

function storeInLoop(maker: ProcedureMaker, place: MemoryLocation, value: Value): void {
  makeSmallLoop(
    maker,
    [value],
    ({ carried: [inner] }) => {
      store(maker, place, inner);
      return [combine(maker, inner, inner)];
    },
    { iterations: 2 },
  );
}

const STIR = HOST_FUNCTIONS.find(({ name }) => name === "stir");
const EXCHANGE = patchpointNamed("heapExchange");
const ADD = patchpointNamed("addPair");

// Emits a call or a patchpoint that writes bytes whose load could otherwise be hoisted.
function loadBesideCall(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const offset = placeIn(maker, { value: heapBase, low: 0, high: 0 }, 8);
    const type = drawType(maker.source, maker.swarm);
    const place = { address: heapBase, offset, type, start: offset };
    const isFirst = maker.chance(50);
    const isWithin = maker.chance(35);
    makeSmallLoop(maker, [maker.pick(place.type)], ({ carried: [sum] }) => {
      const write = (): void => {
        if (isWithin && hasRoomForSmallLoop(maker)) writeInLoop(maker, heapBase, offset);
        else writeByCall(maker, heapBase, offset);
      };
      if (isFirst) write();
      const next = combine(maker, sum, load(maker, place));
      if (!isFirst) write();
      return [next];
    });
  })(maker);
}

// Writes in an inner loop, which is a write of the outer loop too: by a call, or by a fill of some
// bytes.
function writeInLoop(maker: ProcedureMaker, heapBase: Value, offset: number): void {
  const body = (): readonly Value[] => {
    if (maker.chance(50)) writeByCall(maker, heapBase, offset);
    else {
      const at = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, offset));
      const size = maker.integer(Int64, 1 + maker.below(8));
      maker.append(Op.FillBytes, Void, maker.pick(Int32), at, size);
    }
    return [];
  };
  makeSmallLoop(maker, [], body, { iterations: 2 });
}

function writeByCall(maker: ProcedureMaker, heapBase: Value, offset: number): void {
  if (STIR !== undefined && canCall(maker, STIR) && maker.chance(65)) {
    const at = maker.integer(Int32, offset + maker.below(4));
    emitCall(maker, STIR, [at, maker.pick(Int64)]);
    return;
  }
  if (EXCHANGE === null) return;
  const address = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, offset));
  emitPatchpoint(maker, EXCHANGE, [address, maker.pick(Int32)]);
}

function emitPatchpoint(maker: ProcedureMaker, kind: PatchpointKind, operands: Value[]): void {
  const value = maker.emit(Op.Patchpoint, kind.result);
  value.patchpointKind = kind.index;
  value.rest = operands;
  for (const operand of operands) operand.uses++;
}

// Emits if (never) guard: the condition of the guard is invariant, and would hold.
function unreachedGuard(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const x = pickParameter(maker, type);
  const [lo, hi] = [maker.below(9) - 4, 0];
  aimAt(maker, x, [lo, lo < 0 && type === Int64 ? -1 : hi]);
  const given = drawType(maker.source, maker.swarm);
  makeSmallLoop(maker, [maker.pick(given)], ({ carried: [sum] }) => {
    const flag = maker.chance(70) ? neverTrue(maker) : compare(maker);
    oneArm(maker, flag, () => emitPartial(maker, x, lo));
    return [combine(maker, sum, maker.pick(sum.type))];
  });
}

/** Emits guards or a division, which exit or are undefined for some inputs. */
function emitPartial(maker: ProcedureMaker, x: Value, number: number): void {
  const { type } = x;
  const roll = maker.below(5);
  if (roll === 4) {
    // Two guards on single bits.
    for (const bit of [1 << maker.below(20), 1 << maker.below(20)]) {
      guardAgainst(maker, maker.append(Op.BitAnd, type, x, maker.integer(type, bit)));
    }
  } else if (roll === 0) {
    guardAgainst(maker, maker.append(Op.NotEqual, Int32, x, maker.integer(type, number)));
  } else if (roll === 1) {
    const snapshot = pickSnapshot(maker);
    const greatest =
      type === Int64 ? maker.constantOf(type, -1, 0x7fff_ffff) : maker.integer(type, -1 >>> 1);
    const or = maker.append(Op.BitOr, type, x, greatest);
    const sum = maker.emit(
      Op.CheckSub,
      type,
      maker.append(Op.BitXor, type, or, maker.integer(type, -1)),
      maker.integer(type, 1),
    );
    sum.extra = snapshot;
    observe(maker, sum);
  } else if (roll === 2) {
    const flag = maker.append(Op.Equal, Int32, x, maker.integer(type, 0));
    guardAgainst(maker, flag);
    observe(
      maker,
      maker.emit(maker.chance(50) ? Op.UDiv : Op.UMod, type, maker.pickValue(type), x),
    );
  } else {
    guardAgainst(maker, compare(maker));
  }
}

// Emits a loop whose header loads from a location, and whose body stores to it twice, the second
// time at its end.
function storeAtLatch(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const place = drawLocation(maker, heapBase);
    makeSmallLoop(maker, [maker.pick(place.type)], ({ carried: [sum], counter }) => {
      const next = combine(maker, sum, load(maker, place));
      store(maker, place, next);
      if (maker.chance(50)) oneArm(maker, compare(maker), () => observe(maker, counter));
      else emitStep(maker);
      store(maker, place, combine(maker, next, maker.pick(place.type)));
      return [next];
    });
    if (maker.chance(50)) store(maker, place, maker.pick(place.type));
  })(maker);
}

const EVENTS = HOST_FUNCTIONS.filter(
  (host) => host.class === "event" && host.parameters.length === 1,
);

// Emits a loop whose carried values are used only by a call, a patchpoint or an exit.
function carriedForCall(maker: ProcedureMaker): void {
  const events = EVENTS.filter((host) => canCall(maker, host));
  const host = oneOf(maker, events);
  const [type] = host.parameters;
  const isPatchpoint = type === Int32 && maker.chance(30);
  makeSmallLoop(
    maker,
    [maker.pick(type)],
    ({ carried: [x], counter }) => {
      const next = maker.append(
        oneOf(maker, [Op.Add, Op.Mul, Op.BitXor]),
        type,
        x,
        maker.chance(50) ? maker.constant(type) : maker.pickValue(type),
      );
      if (isPatchpoint && ADD !== null) emitPatchpoint(maker, ADD, [x, maker.pick(Int32)]);
      else if (maker.chance(35)) showByExit(maker, x, counter);
      else emitCall(maker, host, [x]);
      return [next];
    },
    { isShown: false },
  );
}

function showByExit(maker: ProcedureMaker, x: Value, counter: Value): void {
  const snapshot = snapshotOf(maker, [x]);
  const flag = maker.append(Op.Equal, Int32, counter, maker.integer(Int32, 1 + maker.below(3)));
  maker.append(Op.Check, Void, flag).extra = snapshot;
}

// Emits a loop that exchanges lengths and bases of arrays. An index in bounds of the first array
// may be out of bounds of the second.
function swappedArrays(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const index = pickParameter(maker, Int32);
    const lengths = [1 + maker.below(7), maker.below(4)];
    for (const length of lengths) aimAt(maker, index, [length + maker.below(2) - 1, 0]);
    const type = drawType(maker.source, maker.swarm);
    const offset = placeIn(maker, { value: heapBase, low: 0, high: 16 }, 8);
    const far = maker.append(Op.Add, Int64, heapBase, maker.integer(Int64, 8));
    const given = [
      ...lengths.map((length) => maker.integer(Int32, length)),
      heapBase,
      far,
      maker.pick(type),
    ];
    makeSmallLoop(maker, given, ({ carried: [a, b, p, q, sum] }) => {
      guardAgainst(maker, maker.append(Op.AboveEqual, Int32, index, a));
      const wide = maker.append(Op.ZExt32, Int64, index);
      const loaded = maker.append(Op.Load, type, maker.append(Op.Add, Int64, p, wide));
      loaded.offset = offset;
      const next = combine(maker, sum, loaded);
      return [b, maker.chance(80) ? a : b, q, p, next];
    });
  })(maker);
}

/** Initial counters and steps that pass an end of 32 or 64 bits, or end next to it. */
const ENDS: readonly (readonly [start: bigint, step: bigint])[] = [
  [-0x8000_0000n + 2n, -1n],
  [-0x8000_0000n + 4n, -3n],
  [0x7fff_ffffn - 2n, 1n],
  [0x7fff_ffffn - 3n, 2n],
  [0x7fff_fffen, 1n],
  [-2n, 1n],
  [2n, -1n],
  [3n, -2n],
];

// Emits for (i = MIN + 2; i >= MIN; i--): comparisons of i depend on its wrapping, also after an
// extension.
function counterAtEnd(maker: ProcedureMaker): void {
  const isWide = maker.swarm.hasType[Int64] && maker.chance(30);
  const type = isWide ? Int64 : Int32;
  const [first, step] = oneOf(maker, ENDS);
  const isEnd = first > 3n || first < -3n;
  const start =
    isWide && isEnd ? (first < 0n ? first - END_DISTANCE : first + END_DISTANCE) : first;
  const limit = start + step * BigInt(maker.below(5));
  const opcode = oneOf(maker, step < 0n ? DOWN : UP);
  const sum = isWide || maker.swarm.hasType[Int64] ? Int64 : Int32;
  makeSmallLoop(
    maker,
    [integerOf(maker, type, start), maker.pick(sum)],
    ({ carried: [i, all], leave }) => {
      const continues = maker.append(opcode, Int32, i, integerOf(maker, type, limit));
      if (maker.chance(60))
        leave(maker.append(Op.Equal, Int32, continues, maker.integer(Int32, 0)));
      else observe(maker, continues);
      const extended =
        sum === type ? i : maker.append(maker.chance(50) ? Op.SExt32 : Op.ZExt32, sum, i);
      const next = maker.append(Op.Add, type, i, integerOf(maker, type, step));
      if (maker.chance(50)) observe(maker, maker.append(oneOf(maker, COMPARISONS), Int32, next, i));
      return [next, combine(maker, all, extended)];
    },
    { iterations: Math.max(2, Math.min(6, Math.floor(LIMITS.iterations / maker.iterations))) },
  );
}
/** The distance from an end of 32 bits to that of 64. */
const END_DISTANCE = 0x7fff_ffff_ffff_ffffn - 0x7fff_ffffn;
const DOWN: readonly Opcode[] = [
  Op.GreaterEqual,
  Op.GreaterThan,
  Op.Above,
  Op.AboveEqual,
  Op.NotEqual,
];
const UP: readonly Opcode[] = [Op.LessEqual, Op.LessThan, Op.Below, Op.BelowEqual, Op.NotEqual];

const integerOf = (maker: ProcedureMaker, type: Type, number: bigint): Value =>
  maker.constantOf(type, ...wordsOf(type, number));

// Emits checks of one index against several bounds, and a load that is safe only after the
// narrowest check. The load must not be hoisted above that check.
function loadBelowGuards(maker: ProcedureMaker): void {
  withHeap((_, heapBase) => {
    const index = pickParameter(maker, Int32);
    const bounds = [8, 1 + maker.below(8), 1 + maker.below(7)];
    const outOfBounds = oneOf(maker, [bounds[1], 9, 0x10_0000, -1, -0x8000_0000]);
    aimAt(maker, index, [outOfBounds, 0]);
    aimAt(maker, index, [maker.below(bounds[1]), 0]);
    const type = drawType(maker.source, maker.swarm);
    const offset = placeIn(maker, { value: heapBase, low: 0, high: 8 }, 8);
    const extension = maker.chance(70) ? Op.ZExt32 : Op.SExt32;
    makeSmallLoop(maker, [maker.pick(type)], ({ carried: [sum] }) => {
      const first = maker.chance(50) ? 0 : 1;
      for (const bound of [
        bounds[first],
        bounds[1 - first],
        ...(maker.chance(40) ? [bounds[2]] : []),
      ]) {
        guardAgainst(maker, maker.append(Op.AboveEqual, Int32, index, maker.integer(Int32, bound)));
      }
      const wide = maker.append(extension, Int64, index);
      const loaded = maker.append(Op.Load, type, maker.append(Op.Add, Int64, heapBase, wide));
      loaded.offset = offset;
      return [combine(maker, sum, loaded)];
    });
  })(maker);
}

// Emits a loop that continues until the next sum overflows, signed or unsigned.
function exitByOverflow(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const start = maker.chance(50)
    ? maker.integer(type, -1 - maker.below(8))
    : nearGreatest(maker, type);
  const step = maker.integer(type, 1 + maker.below(3));
  const overflowTests = [Op.AddOverflows, Op.AddCarries];
  const own = overflowTests[maker.below(2)];
  makeSmallLoop(maker, [start, maker.pick(Int32)], ({ carried: [i, count], leave }) => {
    const flag = maker.append(own, Int32, i, step);
    if (maker.chance(40)) observe(maker, maker.append(oneOf(maker, overflowTests), Int32, i, step));
    leave(flag);
    const next = maker.append(Op.Add, type, i, step);
    if (maker.chance(30)) observe(maker, maker.append(oneOf(maker, overflowTests), Int32, i, step));
    return [next, maker.append(Op.Add, Int32, count, maker.integer(Int32, 1))];
  });
}

const nearGreatest = (maker: ProcedureMaker, type: Type): Value => {
  const near = maker.below(6);
  return type === Int64
    ? maker.constantOf(type, -1 - near, 0x7fff_ffff)
    : maker.integer(type, 0x7fff_ffff - near);
};

// Emits up to three exits besides the end, each with its own condition.
function severalExits(maker: ProcedureMaker): void {
  const given = Array.from({ length: 1 + maker.below(3) }, () =>
    maker.pick(drawType(maker.source, maker.swarm)),
  );
  makeSmallLoop(maker, given, ({ carried, counter, leave }) => {
    for (let exits = 1 + maker.below(3); exits > 0; exits--) {
      const isLate = maker.chance(40);
      leave(
        isLate
          ? maker.append(Op.Equal, Int32, counter, maker.integer(Int32, exits))
          : compare(maker),
      );
      if (maker.chance(60)) emitStep(maker);
    }
    return carried.map((phi) => combine(maker, phi, maker.pick(phi.type)));
  });
}

const CALLED = HOST_FUNCTIONS.filter((host) => host.class === "pure" || host.class === "event");

// Emits dozens of values of both banks that are defined before a loop with calls and used after it.
function callsWithManyLiveValues(maker: ProcedureMaker): void {
  const values: Value[] = [];
  repeat(maker, 6 + maker.below(20), () => {
    const type = drawType(maker.source, maker.swarm);
    const opcode = oneOf(maker, [Op.Add, Op.Sub, Op.Mul]);
    const x = pickParameter(maker, type);
    values.push(reserved(maker.append(opcode, type, x, maker.pickBeside(type, x))));
  });
  const sum = drawInteger(maker.source, maker.swarm);
  makeSmallLoop(
    maker,
    [maker.pick(sum)],
    ({ carried: [x] }) => {
      const hosts = CALLED.filter((host) => canCall(maker, host));
      const host = oneOf(maker, hosts);
      emitCall(
        maker,
        host,
        host.parameters.map((type) => maker.pick(type)),
      );
      return [combine(maker, x, maker.pick(sum))];
    },
    { iterations: 2 },
  );
  let shown = maker.pickValue(sum);
  for (const value of values) {
    if (isFloating(value.type) && maker.chance(50)) observe(maker, value);
    else shown = mixInto(maker, shown, value);
  }
}
