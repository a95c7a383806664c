// Emits control flow. Its structures are regions of straight-line code, branches that join,
// switches, chains of comparisons, loops with one or two entries, and edges that are never taken.
//
// Every program ends: each loop has its own counter, which counts up or down to a small bound
// independently of the body. An edge that is never taken may lead anywhere that dominance allows.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, type Type, Void } from "../../ir/types.js";
import { emitStep } from "../contents/contents.js";
import { MOVED_LOOP } from "../contents/moved-values.js";
import { emitTailCall } from "../maker/calls.js";
import { condition } from "../maker/conditions.js";
import { emitDeoptReturn } from "../maker/deopt-calls.js";
import { emitVisitGuard } from "../maker/exits.js";
import { endScope, enter, newPhis, placeVariables, reserved } from "../maker/joins.js";
import type { BranchTarget, MakerRow, ProcedureMaker, ScopeMark } from "../maker/maker.js";
import { writtenInLoop, writtenOnBoth } from "../maker/memory.js";
import { mixInto, observePending, unusedSince } from "../maker/observe.js";
import { type DialName, LIMITS } from "../maker/odds.js";
import { emitPatchpointReturn } from "../maker/patchpoints.js";
import { appendReturn } from "../maker/results.js";
import { run, runOne, weightedRows } from "../maker/rows.js";
import { drawManyIterations, hasRoomForSmallLoop } from "../maker/small-loops.js";
import { drawInteger } from "../maker/swarm.js";
import { drawSwitched } from "../maker/switches.js";
import { makeArrayLoop } from "./array-loops.js";
import { BOXES } from "./boxes.js";
import { drawKey, endLink } from "./chain-links.js";
import { makeChoice } from "./choices.js";
import { comparisonAsNumber } from "./comparisons.js";
import { CORNER_JOINS } from "./corner-joins.js";
import { CORNER_LOOPS } from "./corner-loops.js";
import { makeDecoy } from "./decoys.js";
import { FACT_JOINS } from "./fact-joins.js";
import { makeQuietLoop } from "./quiet-loops.js";

/** A structure needs at least this many values. */
const STRUCTURE_SIZE_MIN = 12;

/** Appends about `size` values, including structures nested up to `depth`. */
export function makeRegion(maker: ProcedureMaker, size: number, depth: number): void {
  const { proc, dials, source } = maker;
  const end = proc.valueIdEnd + size;
  source.begin("region");
  while (proc.valueIdEnd < end && source.has("part")) {
    source.begin("part");
    const room = end - proc.valueIdEnd;
    const mayNest = depth > 0 && room >= STRUCTURE_SIZE_MIN && proc.blocks.length < LIMITS.blocks;
    if (mayNest && maker.chance(dials.structure)) makeStructure(maker, room, depth - 1);
    else makeSteps(maker, end);
    source.end();
  }
  source.end();
}

function makeSteps(maker: ProcedureMaker, end: number): void {
  const { proc, source } = maker;
  for (let left = maker.below(5); left >= 0; left--) {
    if (proc.valueIdEnd >= end || !source.has("step")) return;
    emitStep(maker);
  }
}

interface ControlShape {
  readonly name: string;
  readonly dial: DialName;
  readonly isLoop?: true;
  readonly make: (maker: ProcedureMaker, room: number, depth: number) => void;
}

// biome-ignore format: a table
export const STRUCTURES: readonly ControlShape[] = [
  { name: "loop",             dial: "loop",        isLoop: true, make: makeLoop },
  { name: "irreducible loop", dial: "irreducible", isLoop: true, make: makeIrreducible },
  { name: "corner loop",      dial: "cornerLoop",  isLoop: true, make: makeCornerLoop },
  { name: "diamond",          dial: "diamond",     make: makeDiamond },
  { name: "chain",            dial: "chain",       make: makeChain },
  { name: "switch",           dial: "switches",    make: makeSwitch },
  { name: "decoy",            dial: "decoy",       make: makeDecoy },
  { name: "choice",           dial: "choice",      make: makeChoiceAndTest },
  { name: "corner join",      dial: "cornerJoin",  make: (maker) => runOne(maker, JOIN_CHOICES) },
  { name: "joined facts",  dial: "facts",       make: (maker) => runOne(maker, FACT_CHOICES) },
  { name: "boxes",            dial: "boxes",       make: makeBoxes },
  { name: "comparison as a number", dial: "comparisons", make: comparisonAsNumber },
];

/** The names of all makers of control flow, and of the rows of their tables. */
export const SHAPES: readonly string[] = [
  ...STRUCTURES.map(({ name }) => name),
  ...[...CORNER_LOOPS, MOVED_LOOP, ...CORNER_JOINS, ...FACT_JOINS, ...BOXES].map(
    ({ name }) => name,
  ),
];

function makeStructure(maker: ProcedureMaker, room: number, depth: number): void {
  const { dials } = maker;
  const mayLoop = 2 * maker.iterations <= LIMITS.iterations;
  const weights = STRUCTURES.map(({ dial, isLoop }) =>
    isLoop === true && !mayLoop ? 0 : dials[dial],
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return;
  let roll = maker.below(total);
  const at = weights.findIndex((weight) => {
    roll -= weight;
    return roll < 0;
  });
  const { name, make } = STRUCTURES[at];
  run(maker, { name, weight: 1, make: () => make(maker, room, depth) });
}

function makeCornerLoop(maker: ProcedureMaker): void {
  if (hasRoomForSmallLoop(maker)) runOne(maker, LOOP_CHOICES);
}
const LOOP_ROWS: readonly MakerRow[] = [...CORNER_LOOPS, MOVED_LOOP];
const LOOP_CHOICES = weightedRows(LOOP_ROWS);

const JOIN_CHOICES = weightedRows(CORNER_JOINS);
const FACT_CHOICES = weightedRows(FACT_JOINS);

/** Emits boxes if the program may have an Int64. */
function makeBoxes(maker: ProcedureMaker): void {
  if (maker.swarm.hasType[Int64]) runOne(maker, BOX_CHOICES);
}
const BOX_CHOICES = weightedRows(BOXES);

function makeChoiceAndTest(maker: ProcedureMaker, room: number, depth: number): void {
  const flag = makeChoice(maker);
  if (flag !== null) makeDiamond(maker, room, depth, flag);
}

// Emits one arm of a branch that joins again; returns false if it returns instead.
function makeArm(
  maker: ProcedureMaker,
  block: BasicBlock,
  join: BranchTarget,
  size: number,
  depth: number,
  mayLeave: boolean,
): boolean {
  const mark = maker.mark();
  maker.block = block;
  maker.source.begin("arm");
  if (size > 0) makeRegion(maker, size, depth);
  const leaves = mayLeave && maker.chance(maker.dials.leave);
  if (leaves) {
    endScope(maker, mark);
    emitReturn(maker, null);
  } else {
    // The Phis take values of the arm first; other unused values are shown.
    const given = join.phis.map((phi) => reserved(maker.pick(phi.type)));
    endScope(maker, mark);
    join.phis.forEach((phi, i) => {
      if (maker.chance(8)) maker.upsilon(maker.pick(phi.type), phi); // overwritten by the next
      maker.upsilon(given[i], phi);
    });
    maker.jump(join.block);
  }
  maker.source.end();
  maker.release(mark);
  return !leaves;
}

function makeDiamond(
  maker: ProcedureMaker,
  room: number,
  depth: number,
  flag = condition(maker, drawInteger(maker.source, maker.swarm)),
): void {
  const { proc } = maker;
  const phis = newPhis(maker, maker.below(4));
  const isHalf = maker.chance(50);
  const then = proc.newBlock();
  const other = isHalf ? null : proc.newBlock();
  const join: BranchTarget = { block: proc.newBlock(), phis };
  const before = maker.written;
  if (other === null) {
    // The Phis are written before the branch, and again in the arm.
    for (const phi of phis) maker.upsilon(maker.pick(phi.type), phi);
  }
  const [taken, missed] = [then, other ?? join.block];
  if (maker.chance(50)) maker.branch(flag, taken, missed);
  else maker.branch(flag, missed, taken);
  maker.targets.push({ block: then, phis: [] }, join);
  if (other !== null) maker.targets.push({ block: other, phis: [] });
  const share = 3 + maker.below(Math.max(1, room >> 1));
  maker.written = before.slice();
  const joins = makeArm(maker, then, join, share, depth, true);
  const afterThen = joins ? maker.written : null;
  maker.written = before.slice();
  if (other !== null) makeArm(maker, other, join, maker.chance(20) ? 0 : share, depth, false);
  maker.written = afterThen === null ? maker.written : writtenOnBoth(afterThen, maker.written);
  enter(maker, join.block, phis);
}

// Emits a switch as comparisons and branches; an arm may fall through into the next. At times
// values precede a later comparison, which must not run on earlier paths.
function makeChain(maker: ProcedureMaker, room: number, depth: number): void {
  const { proc } = maker;
  const count = 2 + maker.below(4);
  const key = drawKey(maker);
  const phis = newPhis(maker, maker.below(3));
  const join: BranchTarget = { block: proc.newBlock(), phis };
  maker.targets.push(join);
  const arms: BasicBlock[] = [];
  const entered: BranchTarget[] = [];
  let isEnterable = true;
  const scope = maker.mark();
  const before = maker.written;
  maker.written = before.slice();
  for (let i = 0; i < count; i++) {
    const arm = proc.newBlock();
    const next = proc.newBlock();
    arms.push(arm);
    if (endLink(maker, key, i, arm, next)) isEnterable = false;
    maker.block = next;
    // An edge to a link from elsewhere bypasses the previous links.
    if (isEnterable && maker.chance(15)) entered.push({ block: next, phis: [] });
    if (!maker.chance(8)) continue;
    emitStep(maker);
    isEnterable = false;
  }
  endScope(maker, scope);
  const size = Math.max(2, Math.floor(room / (count + 2)));
  makeArm(maker, maker.block, join, maker.below(size), 0, false);
  maker.release(scope);
  maker.targets.push(...entered);
  makeArms(maker, arms, join, size, depth, before);
  enter(maker, join.block, phis);
}

// Emits several arms of one join, each entered with the state `before`; the values of the join's
// path stay live after it.
function makeArms(
  maker: ProcedureMaker,
  arms: readonly BasicBlock[],
  join: BranchTarget,
  size: number,
  depth: number,
  before: readonly number[],
): void {
  const count = arms.length;
  let after = maker.written;
  let writtenBefore: number[] | null = null;
  for (let i = 0; i < count; i++) {
    maker.written = writtenBefore === null ? before.slice() : writtenOnBoth(before, writtenBefore);
    const fallsThrough = i + 1 < count && maker.chance(12);
    const target = fallsThrough ? { block: arms[i + 1], phis: [] } : join;
    const joins = makeArm(maker, arms[i], target, 1 + maker.below(size), depth - 1, true);
    writtenBefore = fallsThrough && joins ? maker.written : null;
    if (joins && !fallsThrough) after = writtenOnBoth(after, maker.written);
  }
  maker.written = after;
}

// Emits a Switch. Several keys may lead to one arm, and some directly to the join, as the default
// may.
function makeSwitch(maker: ProcedureMaker, room: number, depth: number): void {
  const { proc } = maker;
  const { operand, keys } = drawSwitched(maker);
  const phis = newPhis(maker, maker.below(3));
  const join: BranchTarget = { block: proc.newBlock(), phis };
  maker.targets.push(join);
  const isDirect = maker.chance(30);
  if (isDirect) for (const phi of phis) maker.upsilon(maker.pick(phi.type), phi);
  const otherwise = isDirect ? join.block : proc.newBlock();
  const arms: BasicBlock[] = [];
  const armsMax = Math.min(keys.length, 1 + maker.below(5));
  for (let i = 0; i < armsMax; i++) arms.push(proc.newBlock());
  const targets = keys.map((_, k) => {
    if (k < arms.length) return arms[k];
    return maker.chance(15) ? otherwise : arms[maker.below(arms.length)];
  });
  maker.switch(operand, keys, [...targets, otherwise]);
  const size = Math.max(2, Math.floor(room / (arms.length + 2)));
  const before = maker.written;
  maker.written = before.slice();
  if (!isDirect) makeArm(maker, otherwise, join, maker.below(size), 0, false);
  makeArms(maker, arms, join, size, depth, before);
  enter(maker, join.block, phis);
}

interface GeneratedLoop {
  readonly header: BasicBlock;
  readonly counter: Value;
  readonly bound: Value;
  readonly isDown: boolean;
  readonly step: number;
  readonly iterations: number;
  readonly carried: readonly Value[];
}

function makeLoop(maker: ProcedureMaker, room: number, depth: number): void {
  if (maker.chance(maker.dials.quietLoop)) {
    makeQuietLoop(maker);
    return;
  }
  const { heapBase, iterations, dials } = maker;
  if (heapBase !== null && 8 * iterations <= LIMITS.iterations && maker.chance(dials.arrayLoop)) {
    makeArrayLoop(maker, heapBase);
    return;
  }
  const isTopTested = maker.chance(50);
  // A loop with many iterations is short, so that compilers unroll it.
  const isLong = 2 * iterations <= LIMITS.iterations && maker.chance(dials.longLoop);
  const most = isLong ? drawManyIterations(maker) : dials.iterations;
  const loop = startLoop(maker, isTopTested, most);
  const size = isLong ? 1 + maker.below(8) : 4 + maker.below(Math.min(room, 40));
  const mark = maker.mark();
  maker.counters.push({ value: loop.counter, iterations: loop.iterations });
  maker.iterations *= loop.iterations;
  if (isLong && maker.chance(40)) useLowBits(maker, loop);
  if (isTopTested) makeTopTested(maker, loop, mark, size, isLong ? 0 : depth);
  else makeBottomTested(maker, loop, mark, size, isLong ? 0 : depth);
  maker.iterations /= loop.iterations;
}

// Writes the initial values of the loop, and continues in its header.
function startLoop(maker: ProcedureMaker, isTopTested: boolean, wanted: number): GeneratedLoop {
  const { proc, dials } = maker;
  const type = drawInteger(maker.source, maker.swarm);
  const most = Math.max(2, Math.min(wanted, Math.floor(LIMITS.iterations / maker.iterations)));
  const [length, iterations] = drawBound(maker, type, most, isTopTested);
  const isDown = maker.chance(50);
  const first = !isDown && maker.chance(25) ? 1 + maker.below(FIRST_MAX) : 0;
  const bound = first === 0 ? length : boundFrom(maker, length, first);
  const counter = proc.newValue(Op.Phi, type);
  const carried = newPhis(maker, 1 + maker.below(dials.carried));
  for (const phi of carried) maker.upsilon(maker.pick(phi.type), phi);
  maker.upsilon(isDown ? bound : maker.integer(type, first), counter);
  const header = proc.newBlock();
  maker.targets.push({ block: header, phis: [counter, ...carried] });
  maker.jump(header);
  maker.written = writtenInLoop(maker);
  enter(maker, header, maker.chance(70) ? [counter, ...carried] : [...carried, counter]);
  const step = maker.chance(15) ? 2 : 1;
  return { header, counter, bound, isDown, step, iterations, carried };
}

/** Uses the low bits of the counter, as a loop that acts every second or fourth iteration does. */
function useLowBits(maker: ProcedureMaker, { counter }: GeneratedLoop): void {
  const { type } = counter;
  maker.emit(Op.BitAnd, type, counter, maker.integer(type, 1 + maker.below(15)));
}

/** The greatest initial value of a counter that goes up. */
const FIRST_MAX = 9;

/** Returns the bound for as many iterations from another start. */
function boundFrom(maker: ProcedureMaker, length: Value, first: number): Value {
  const { type, isConstant } = length;
  if (isConstant) return maker.integer(type, length.constantLow + first);
  return maker.emit(Op.Add, type, length, maker.integer(type, first));
}

// Returns the bound: at least 1, at most `most`; 0 is possible for a loop that tests first.
function drawBound(
  maker: ProcedureMaker,
  type: Type,
  most: number,
  mayBeZero: boolean,
): [Value, number] {
  if (maker.chance(50)) {
    const iterations = maker.chance(75) ? most - maker.below(most >> 1) : 1 + maker.below(most);
    return [maker.integer(type, iterations), iterations];
  }
  const mask = most > 15 ? 15 : most > 7 ? 7 : most > 3 ? 3 : 1;
  const low = maker.emit(Op.BitAnd, type, maker.pickValue(type), maker.integer(type, mask));
  if (mayBeZero && maker.chance(35)) return [low, mask];
  return [maker.emit(Op.Add, type, low, maker.integer(type, 1)), mask + 1];
}

/**
 * Returns a condition that holds while the loop continues; with steps of one it may compare for
 * inequality.
 */
function continueCondition(maker: ProcedureMaker, loop: GeneratedLoop, counter: Value): Value {
  const { type } = counter;
  const isExact = loop.step === 1 && maker.chance(40);
  const limit = loop.isDown ? maker.integer(type, 0) : loop.bound;
  const opcodes = loop.isDown ? DOWN : UP;
  const opcode = isExact ? Op.NotEqual : opcodes[maker.below(opcodes.length)];
  if (isExact && loop.isDown && maker.chance(40)) return counter;
  const isSwapped = maker.chance(20);
  if (!isSwapped) return maker.append(opcode, Int32, counter, limit);
  return maker.append(SWAPPED[opcode] ?? opcode, Int32, limit, counter);
}
const DOWN: readonly Opcode[] = [Op.GreaterThan];
const UP: readonly Opcode[] = [Op.LessThan, Op.LessThan, Op.Below];
const SWAPPED: { readonly [opcode: number]: Opcode | undefined } = {
  [Op.GreaterThan]: Op.LessThan,
  [Op.LessThan]: Op.GreaterThan,
  [Op.Below]: Op.Above,
};

function branchOn(maker: ProcedureMaker, flag: Value, on: BasicBlock, out: BasicBlock): void {
  if (flag.type === Int32 && maker.chance(25)) {
    const done = maker.append(Op.Equal, Int32, flag, maker.integer(Int32, 0));
    maker.branch(done, out, on);
  } else {
    maker.branch(flag, on, out);
  }
}

function nextCounter(maker: ProcedureMaker, loop: GeneratedLoop): Value {
  const { counter, step, isDown } = loop;
  const { type } = counter;
  const { snapshots } = maker;
  if (snapshots.length > 0 && maker.chance(20)) {
    // The addition never overflows, and a compiler may prove that.
    const opcode = isDown ? Op.CheckSub : Op.CheckAdd;
    const next = maker.append(opcode, type, counter, maker.integer(type, step));
    next.extra = snapshots[maker.below(snapshots.length)];
    return next;
  }
  if (isDown && maker.chance(60))
    return maker.append(Op.Sub, type, counter, maker.integer(type, step));
  return maker.append(Op.Add, type, counter, maker.integer(type, isDown ? -step : step));
}

// Writes the values of the next iteration; unused results are folded into them.
function writeNextValues(
  maker: ProcedureMaker,
  loop: GeneratedLoop,
  mark: ScopeMark,
  isTopTested: boolean,
): void {
  const { carried } = loop;
  placeVariables(maker, mark.variables);
  const next = carried.map((phi) => reserved(nextCarried(maker, phi)));
  const sum = carried.findIndex((phi) => phi.type === Int32 || phi.type === Int64);
  const folded = observePending(maker, mark, sum < 0 ? null : next[sum]);
  if (sum >= 0 && folded !== null) next[sum] = folded;
  if (carried.length > 1 && carried[0].type === carried[1].type && maker.chance(25)) {
    [next[0], next[1]] = [carried[1], carried[0]]; // a swap: parallel moves
    if (unusedSince(maker, mark).length > 0) observePending(maker, mark, null);
  }
  carried.forEach((phi, i) => maker.upsilon(next[i], phi));
  // The results of the last iteration are used after the loop.
  for (const value of isTopTested ? carried : next) value.uses = 0;
}

function nextCarried(maker: ProcedureMaker, phi: Value): Value {
  const value = maker.pick(phi.type);
  const roll = maker.below(10);
  if (roll < 2) return value;
  if (!isFloating(phi.type)) return mixInto(maker, phi, value);
  if (roll < 8) return maker.emit(Op.Add, phi.type, phi, value);
  return maker.emit(Op.Select, phi.type, condition(maker, Int32), phi, value);
}

function makeTopTested(
  maker: ProcedureMaker,
  loop: GeneratedLoop,
  mark: ScopeMark,
  size: number,
  depth: number,
): void {
  const { proc } = maker;
  const body = proc.newBlock();
  const exit = proc.newBlock();
  const leaves = maker.chance(maker.dials.leaveLoop);
  const phis = leaves ? newPhis(maker, 1 + maker.below(2)) : [];
  for (const phi of phis) maker.upsilon(maker.pick(phi.type), phi);
  branchOn(maker, continueCondition(maker, loop, loop.counter), body, exit);
  const inBody = maker.mark();
  maker.targets.push({ block: exit, phis });
  const atHeader = maker.written;
  maker.written = atHeader.slice();
  maker.block = body;
  if (maker.chance(maker.dials.visit)) emitVisitGuard(maker);
  if (leaves) {
    makeRegion(maker, size >> 1, depth);
    leaveLoop(maker, exit, phis);
    makeRegion(maker, size >> 1, depth);
  } else {
    makeRegion(maker, size, depth);
  }
  const next = nextCounter(maker, loop);
  writeNextValues(maker, loop, inBody, true);
  maker.upsilon(next, loop.counter);
  maker.jump(loop.header);
  maker.release(mark);
  maker.written = atHeader;
  enter(maker, exit, phis);
}

// Emits the second exit of a loop.
function leaveLoop(maker: ProcedureMaker, exit: BasicBlock, phis: readonly Value[]): void {
  const leaving = maker.proc.newBlock();
  const next = maker.proc.newBlock();
  const flag = condition(maker, Int32);
  maker.branch(flag, leaving, next);
  const mark = maker.mark();
  const written = maker.written.slice();
  maker.block = leaving;
  if (maker.chance(50)) makeRegion(maker, 4, 0);
  const given = phis.map((phi) => reserved(maker.pick(phi.type)));
  endScope(maker, mark);
  phis.forEach((phi, i) => maker.upsilon(given[i], phi));
  maker.jump(exit);
  maker.release(mark);
  maker.written = written;
  maker.block = next;
}

function makeBottomTested(
  maker: ProcedureMaker,
  loop: GeneratedLoop,
  mark: ScopeMark,
  size: number,
  depth: number,
): void {
  makeRegion(maker, size, depth);
  if (maker.chance(maker.dials.visit)) emitVisitGuard(maker);
  const next = nextCounter(maker, loop);
  writeNextValues(maker, loop, mark, false);
  maker.upsilon(next, loop.counter);
  const exit = maker.proc.newBlock();
  branchOn(maker, continueCondition(maker, loop, next), loop.header, exit);
  // The body's last values stay live; its counters are no longer valid.
  maker.counters.length = mark.counters;
  maker.block = exit;
}

// Emits two blocks that jump to each other, both entered from outside. The counter decreases on
// every cycle.
function makeIrreducible(maker: ProcedureMaker, room: number): void {
  const { proc } = maker;
  const type = drawInteger(maker.source, maker.swarm);
  const most = Math.max(
    2,
    Math.min(maker.dials.iterations, Math.floor(LIMITS.iterations / maker.iterations)),
  );
  const [bound, iterations] = drawBound(maker, type, most, false);
  const first = proc.newBlock();
  const second = proc.newBlock();
  const exit = proc.newBlock();
  const left = [proc.newValue(Op.Phi, type), ...newPhis(maker, 1)];
  const right = [proc.newValue(Op.Phi, type), ...newPhis(maker, 1)];
  for (const phis of [left, right]) {
    maker.upsilon(bound, phis[0]);
    maker.upsilon(maker.pick(phis[1].type), phis[1]);
  }
  maker.branch(condition(maker, Int32), first, second);
  maker.targets.push({ block: first, phis: left }, { block: second, phis: right });
  const atEntry = writtenInLoop(maker);
  maker.written = atEntry.slice();
  maker.iterations *= iterations;
  const size = 2 + maker.below(Math.min(12, room));
  const mark = maker.mark();
  makeHalf(maker, first, left, right, size, mark);
  maker.jump(second);
  maker.release(mark);
  maker.written = atEntry;
  const next = makeHalf(maker, second, right, left, size, mark);
  maker.branch(maker.append(Op.GreaterThan, Int32, next, maker.integer(type, 0)), first, exit);
  maker.iterations /= iterations;
  maker.block = exit; // dominated by the second half, whose values stay live
}

function makeHalf(
  maker: ProcedureMaker,
  block: BasicBlock,
  phis: readonly Value[],
  others: readonly Value[],
  size: number,
  mark: ScopeMark,
): Value {
  enter(maker, block, phis);
  makeRegion(maker, size, 0);
  const [counter] = phis;
  const next = maker.append(Op.Sub, counter.type, counter, maker.integer(counter.type, 1));
  const given = reserved(maker.pick(others[1].type));
  endScope(maker, mark);
  maker.upsilon(next, others[0]);
  maker.upsilon(given, others[1]);
  return next;
}

/**
 * Ends the procedure here: with `sum`, or with a value of its type; float results are unchanged.
 */
export function emitReturn(maker: ProcedureMaker, sum: Value | null): void {
  const { result } = maker.proc;
  if (maker.chance(75)) emitTailCall(maker);
  if (result === Void) {
    emitDeoptReturn(maker, null);
    maker.append(Op.Return, Void);
    return;
  }
  const value = sum !== null && sum.type === result ? sum : maker.pick(result);
  emitDeoptReturn(maker, value);
  const hasFurther = maker.proc.further.length > 0;
  if (!hasFurther && maker.chance(maker.dials.terminal) && emitPatchpointReturn(maker, value))
    return;
  appendReturn(maker, Op.Return, value);
}
