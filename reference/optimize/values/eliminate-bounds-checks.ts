// Removes guards that cannot fail, and folds values that ranges and dominating comparisons decide.
//
// Assumes edge form and no unreachable blocks, and keeps both. With the range of each integer at
// each position (range-analysis.ts), it changes:
//
// 1. A Check whose condition is zero is removed.
// 2. CheckAdd, CheckSub and CheckMul that cannot overflow become Add, Sub and Mul.
// 3. An integer without effects that has only one possible value becomes that constant.
// 4. A Branch or Switch whose operand has one possible value, or cannot be zero, gets a constant
//    operand. reduce-strength then makes it a jump. A Select whose condition is known becomes its
//    operand.
// 5. SExt32 of a value that is not negative becomes ZExt32, which is often free. The alias
//    analysis then can infer that the sum with a base lies above the base.
//
// A guard that always fails stays: reduce-strength ends its block.

import { EFFECTS, Op, type Opcode, PARTIAL } from "../../../src/ir/opcodes.js";
import type { Procedure, Value } from "../../../src/ir/procedure.js";
import { Int64, isInteger } from "../../../src/ir/types.js";
import { RangeAnalysis } from "../analysis/range-analysis.js";
import { mayExit } from "../analysis/ranges.js";
import type { OptimizeContext } from "../edit/context.js";
import { dropGuard, UNCHECKED } from "../edit/drop-guard.js";
import { sweep } from "../edit/sweep.js";

const NAME = "eliminate-bounds-checks";

export function eliminateBoundsChecks(proc: Procedure, context: OptimizeContext): boolean {
  const ranges = new RangeAnalysis(proc, context);
  const decided: DecidedControl[] = [];
  let hasBudget = true;
  let changed = false;
  const claim = (value: Value): boolean => {
    hasBudget = hasBudget && context.claim(NAME, value);
    changed = changed || hasBudget;
    return hasBudget;
  };
  ranges.walk((value) => {
    if (hasBudget) visit(value, ranges, decided, claim);
  });
  for (let d = 0; d < decided.length; d++) decide(proc, decided[d]);
  if (changed) sweep(proc);
  return changed;
}

/** A control value whose operand is known at its position. */
interface DecidedControl {
  readonly control: Value;
  readonly known: number;
}

function visit(
  value: Value,
  ranges: RangeAnalysis,
  decided: DecidedControl[],
  claim: (value: Value) => boolean,
): void {
  const { opcode, a, b, c } = value;
  const { min, max } = ranges;
  if (opcode === Op.Check) {
    if (a !== null && min[a.id] === 0 && max[a.id] === 0 && claim(value)) dropGuard(value);
  } else if (UNCHECKED[opcode] !== undefined) {
    if (!mayExit(value, ranges.transferFor(value)) && claim(value)) dropGuard(value);
  } else if (opcode === Op.Branch || opcode === Op.Switch) {
    if (a === null || a.isConstant) return;
    const known = knownOperand(opcode, min[a.id], max[a.id]);
    if (known !== null && claim(value)) decided.push({ control: value, known });
  } else if (isInteger(value.type) && isFoldable(opcode) && min[value.id] === max[value.id]) {
    if (claim(value)) value.becomesConstant(...wordsOf(value, min[value.id]));
  } else if (opcode === Op.SExt32) {
    if (a !== null && min[a.id] >= 0 && claim(value)) value.opcode = Op.ZExt32;
  } else if (opcode === Op.Select && a !== null && b !== null && c !== null) {
    if (min[a.id] > 0 || max[a.id] < 0) {
      if (claim(value)) value.becomes(b);
    } else if (min[a.id] === 0 && max[a.id] === 0 && claim(value)) value.becomes(c);
  }
}

// Returns whether the value may become a constant if its range is one number. Partial operations
// may: they are defined for all operands that reach them.
function isFoldable(opcode: Opcode): boolean {
  if ((EFFECTS[opcode] & ~PARTIAL) !== 0) return false;
  return opcode !== Op.Identity && opcode !== Op.Opaque && opcode !== Op.Nop;
}

function knownOperand(opcode: Opcode, min: number, max: number): number | null {
  if (min === max) return min;
  return opcode === Op.Branch && (min > 0 || max < 0) ? 1 : null;
}

/** Returns the low and high word of an exact bound. */
function wordsOf({ type }: Value, exact: number): [number, number] {
  return [exact | 0, type === Int64 ? Math.floor(exact / 2 ** 32) : 0];
}

function decide(proc: Procedure, { control, known }: DecidedControl): void {
  const { a, block } = control;
  if (a === null || block === null) return;
  const constant = proc.newConstant(a.type, ...wordsOf(a, known));
  constant.block = block;
  block.values.splice(block.values.length - 1, 0, constant);
  control.a = constant;
}
