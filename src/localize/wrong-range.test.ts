// A range that does not hold is laid to the operation whose function gave it.

import test from "ava";
import { optimize } from "../../reference/optimize.js";
import { PARTS } from "../../reference/parts.js";
import { DEFAULT_SETTINGS, optionsOf } from "../execute/unit.js";
import { nameOfOpcode, Op, type Opcode } from "../ir/opcodes.js";
import { parseModule } from "../ir/text/parse.js";
import { decodeModule } from "../oracle/decode.js";
import { Oracle } from "../oracle/oracle.js";
import { firstOutside, RANGE_PHASES, rangesIn } from "./wrong-range.js";

// x & 15, of which 3 is taken away; the difference is doubled where it is less than 12.
const PROGRAM = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(15)
  Int32 @2 = BitAnd(@0, @1)
  Int32 @3 = Const32(3)
  Int32 @4 = Sub(@2, @3)
  Int32 @5 = Const32(12)
  Int32 @6 = LessThan(@4, @5)
  Void @7 = Branch(@6, #1, #2)
#1:
  Int32 @8 = Add(@4, @4)
  Void @9 = Return(@8)
#2:
  Void @10 = Return(@4)
`;

/** What is laid to blame where the operation `id` computes otherwise than its range says. */
function blamed(id: number, opcode: Opcode, x: number, program = PROGRAM): string | null {
  const module = parseModule(program);
  let wrong: string | null = null;
  const rows = PARTS.phases.map((row) => ({
    ...row,
    run: (...[proc, context]: Parameters<typeof row.run>): boolean => {
      if (row.name !== RANGE_PHASES[0]) return false;
      const known = rangesIn(proc, context);
      const value = proc.blocks.flatMap(({ values }) => values).find((one) => one.id === id);
      if (value !== undefined) value.opcode = opcode;
      const input = { words: Int32Array.of(x, x >> 31), heapSeed: 0 };
      const { trace } = new Oracle().runTraced(decodeModule(module), input, 1000);
      wrong = firstOutside(trace, 0, known);
      return false;
    },
  }));
  const phases = ["reduce-strength", "canonicalize-phis", RANGE_PHASES[0]];
  const settings = { ...DEFAULT_SETTINGS, phases };
  optimize(module, { ...optionsOf(settings, PARTS), rows, level: "O1", target: null });
  return wrong;
}

test("the operation whose range does not hold is named, and what only uses it is not", (t) => {
  for (const x of [0, 7, 15, -1]) t.is(blamed(4, Op.Sub, x), null, `${x}`);
  t.is(blamed(4, Op.Mul, 15), "Sub"); // 45, beyond 12
  t.is(blamed(2, Op.BitOr, 100), "BitAnd");
  t.is(blamed(8, Op.Mul, 15), null, `${nameOfOpcode(Op.Mul)} of 12 is not reached`);
  t.is(blamed(8, Op.Mul, 14), "Add");
});

// The sum is 2^31 - 16 or more. The guarded one overflows for x = 15.
const GUARDED = `touchstone 1
proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  Int32 @1 = Const32(15)
  Int32 @2 = BitAnd(@0, @1)
  Int32 @3 = Const32(0x7ffffff0)
  Int32 @4 = Add(@2, @3)
  Int32 @5 = Const32(1)
  Int32 @6 = CheckAdd(@4, @5) s0
  Void @7 = Return(@6)
`;

test("a guard that fails gives nothing, so its range is not asked", (t) => {
  for (const x of [14, 15]) t.is(blamed(6, Op.CheckAdd, x, GUARDED), null, `${x}`);
  t.is(blamed(6, Op.CheckSub, 0, GUARDED), "CheckAdd");
});
