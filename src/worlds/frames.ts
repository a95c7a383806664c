// Makes worlds of frames: a procedure returns early, or tests a second condition and continues with
// code that needs a frame. If the frame is created late, its creation is between the two tests, or
// after the second one. It must preserve everything that is live there: flags, registers, stack
// arguments, and registers of the caller.
//
// Each procedure has a guard, which prevents inlining, and which exits with or without a frame.

import type { ProcedureMaker } from "../generate/maker/maker.js";
import { hostFunctionNamed } from "../ir/host-functions.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, type Type, VALUE_TYPES } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { addSnapshot, EXITING } from "./calls.js";
import { branchAndJoin } from "./control.js";
import { type CountedSet, choice, product, sumOver } from "./counted.js";
import { comparisonsOf } from "./facts.js";
import { call, returnResults, startProcedure } from "./procedures.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

/** Parameters that the tests do not use. */
interface FrameOperands {
  readonly z: Value;
  readonly w: Value;
  /** A further parameter; if it is on the stack, enough parameters precede it on any target. */
  readonly last: Value;
}
interface FrameStep {
  readonly compute: (maker: ProcedureMaker, value: Value, given: FrameOperands) => Value;
  /** True if the step uses an argument that is passed on the stack. */
  readonly onStack?: true;
}

function hostCall(maker: ProcedureMaker, x: Value, y: Value): Value {
  const host = hostFunctionNamed("stir");
  assert(host !== null, () => "no host function is named stir");
  const wide = maker.append(Op.SExt32, host.parameters[1], y);
  const value = maker.append(Op.CCall, host.result);
  value.extra = host;
  value.rest = [x, wide];
  return value;
}

/** Code that needs a frame, in increasing order of demands. */
const FRAME_STEPS: readonly FrameStep[] = [
  { compute: (_maker, value) => value },
  { compute: (maker, value, { last }) => maker.append(Op.Sub, Int32, value, last), onStack: true },
  { compute: (maker, value, { z }) => hostCall(maker, value, z) },
  { compute: (maker, value) => maker.append(Op.Sub, Int32, hostCall(maker, value, value), value) },
  {
    compute: (maker, value, { z, w }) => {
      const mixedTwice = hostCall(maker, hostCall(maker, value, z), w);
      const kept = maker.append(Op.BitXor, Int32, maker.append(Op.Add, Int32, value, z), w);
      return maker.append(Op.Sub, Int32, mixedTwice, kept);
    },
  },
  { compute: inLoop },
];

/** Makes calls in four iterations, with values that are computed before the loop. */
function inLoop(maker: ProcedureMaker, value: Value, { z, w }: FrameOperands): Value {
  const { proc } = maker;
  const [counter, sum] = [proc.newValue(Op.Phi, Int32), proc.newValue(Op.Phi, Int32)];
  const [body, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(maker.integer(Int32, 4), counter);
  maker.upsilon(value, sum);
  maker.jump(body);
  maker.block = body;
  for (const phi of [counter, sum]) maker.place(phi, false);
  const next = [Op.Add, Op.BitXor, Op.Mul].reduce(
    (at, opcode) => maker.append(opcode, Int32, at, w),
    hostCall(maker, sum, z),
  );
  const left = maker.append(Op.Sub, Int32, counter, maker.integer(Int32, 1));
  maker.upsilon(left, counter);
  maker.upsilon(next, sum);
  maker.branch(left, body, exit);
  maker.block = exit;
  return next;
}

const EARLY_STEPS: readonly FrameStep[] = [
  { compute: (_maker, value) => value },
  { compute: (maker, value, { w }) => maker.append(Op.Sub, Int32, value, w) },
  { compute: (maker) => maker.integer(Int32, 7) },
  {
    compute: (maker, value, { last }) => maker.append(Op.BitXor, Int32, value, last),
    onStack: true,
  },
  { compute: (maker, value, { w }) => hostCall(maker, value, w) },
];

/** A function that uses the second test: in a Select, in a branch, or as a number. */
type SecondTest = (site: WorldSite, flag: Value, given: FrameOperands) => Value;
const SECOND_TESTS: readonly SecondTest[] = [
  ({ maker }, flag, { z, w }) => maker.append(Op.Select, Int32, flag, z, w),
  (site, flag, { z, w }) =>
    branchAndJoin(
      site,
      Int32,
      flag,
      () => z,
      () => site.maker.append(Op.Mul, Int32, w, w),
    ),
  ({ maker }, flag, { z }) => maker.append(Op.Add, Int32, flag, z),
];

/** The positions of the guard, relative to the tests. */
const GUARD_POSITIONS = [
  "on the early path",
  "before the second test",
  "after the second test",
  "last",
] as const;

const worldsOf = (type: Type): CountedSet<FrameWorld> =>
  product<FrameWorld>({
    type: choice([type]),
    isSwapped: choice([false, true]),
    first: choice(comparisonsOf(type)),
    second: choice(comparisonsOf(type)),
    secondTest: choice(SECOND_TESTS),
    need: choice(FRAME_STEPS),
    early: choice(EARLY_STEPS),
    guarded: choice(GUARD_POSITIONS),
  });
interface FrameWorld {
  readonly type: Type;
  readonly isSwapped: boolean;
  readonly first: Opcode;
  readonly second: Opcode;
  readonly secondTest: SecondTest;
  readonly need: FrameStep;
  readonly early: FrameStep;
  readonly guarded: (typeof GUARD_POSITIONS)[number];
}

/** After this many 32-bit arguments, the next one is on the stack, on any target. */
const REGISTER_ARGUMENTS = 8;

function make(world: FrameWorld, site: WorldSite): Value {
  const { type, isSwapped, first, second, secondTest, need, early, guarded } = world;
  const { operands } = site;
  const isOnStack = need.onStack === true || early.onStack === true;
  const args: readonly [Type, number][] = [
    [type, 0],
    [type, 1],
    ...Array.from({ length: isOnStack ? REGISTER_ARGUMENTS : 2 }, (_, k): [Type, number] => [
      Int32,
      k % 2,
    ]),
    [Int32, 2],
  ];
  const types = args.map(([of]) => of);
  const maker = startProcedure(site, "early", [Int32], types);
  const [x, y, z, w] = maker.proc.parameters;
  const given = { z, w, last: maker.proc.parameters[types.length - 1] };
  const guard = (value: Value): Value => {
    const sum = maker.append(Op.CheckAdd, Int32, value, w);
    addSnapshot(site, maker, sum, [z, value], "before");
    return sum;
  };
  const guardIn = (place: (typeof GUARD_POSITIONS)[number], value: Value): Value =>
    guarded === place ? guard(value) : value;
  const compare = (opcode: Opcode): Value => maker.append(opcode, Int32, x, y);
  const [earlyBlock, lateBlock] = [maker.proc.newBlock(), maker.proc.newBlock()];
  const targets = isSwapped ? [lateBlock, earlyBlock] : [earlyBlock, lateBlock];
  maker.branch(compare(first), targets[0], targets[1]);
  maker.block = earlyBlock;
  returnResults(maker, guardIn("on the early path", early.compute(maker, z, given)));
  maker.block = lateBlock;
  const before = { ...given, z: guardIn("before the second test", z) };
  const tested = secondTest({ ...site, maker }, compare(second), before);
  const value = need.compute(maker, guardIn("after the second test", tested), given);
  returnResults(maker, guardIn("last", value));
  return call(
    site.maker,
    maker.proc,
    args.map(([of, k]) => operands[of][k]),
  );
}

export const FRAMES: readonly WorldKind[] = [
  kindOf(
    "frame",
    "a procedure that returns early, or makes a second test and needs a frame",
    sumOver(VALUE_TYPES, worldsOf),
    make,
    { ...EXITING, isAtBounds: true },
  ),
];
