// Makes worlds of choices: one comparison decides twice, with an operation in between. If flags or
// predicates are kept from the first decision to the second, the operation may have changed them.

import { COMPARISONS, FLOAT_COMPARISONS } from "../generate/maker/conditions.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { decide } from "./control.js";
import { type CountedValue, choice, product } from "./counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "./leaves.js";
import { emitStep, resultBits, STEPS } from "./steps.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

interface ConditionChoice {
  readonly opcode: Opcode;
  readonly type: Type;
}
const QUESTIONS: readonly ConditionChoice[] = VALUE_TYPES.flatMap((type) =>
  (isFloating(type) ? FLOAT_COMPARISONS : COMPARISONS).map((opcode) => ({ opcode, type })),
);
/** The right operand of the comparison: another operand, or a constant that the round draws. */
const COMPARED: readonly ((site: WorldSite, type: Type) => Value)[] = [
  ({ operands }, type) => operands[type][1],
  (site, type) => emitLeaf(site, "few", type, DRAWN_CONSTANT),
];

/**
 * A function that makes a second decision by the same comparison, and returns `ifYes` or `ifNo`.
 */
type SecondDecision = (site: WorldSite, flag: Value, ifYes: Value, ifNo: Value) => Value;
const DECISIONS: readonly SecondDecision[] = [
  ({ maker }, flag, ifYes, ifNo) => maker.append(Op.Select, ifYes.type, flag, ifYes, ifNo),
  ({ maker }, flag, ifYes, ifNo) => maker.append(Op.Select, ifYes.type, flag, ifNo, ifYes),
  (site, flag, ifYes, ifNo) =>
    decide(
      site,
      ifYes.type,
      flag,
      () => ifYes,
      () => ifNo,
    ),
];
const WORLDS = product({
  question: choice(QUESTIONS),
  compared: choice(COMPARED),
  step: choice(STEPS.flat()),
  decision: choice(DECISIONS),
});
type ChoiceWorld = CountedValue<typeof WORLDS>;

function make({ question, compared, step, decision }: ChoiceWorld, site: WorldSite): Value {
  const { maker, operands } = site;
  const { opcode, type } = question;
  const chosen = step.instance.operands[step.at];
  const beside = compared(site, type);
  const flag = maker.append(opcode, Int32, operands[type][0], beside);
  const first = maker.append(Op.Select, chosen, flag, operands[chosen][2], operands[chosen][0]);
  const given = emitStep(site, step, first, (other) => operands[other][1]);
  const second = decision(site, flag, resultBits(site, given), operands[Int64][2]);
  const turned = maker.append(Op.RotL, Int64, second, maker.integer(Int32, 7));
  return maker.append(Op.BitXor, Int64, turned, resultBits(site, first));
}

export const CHOICES: readonly WorldKind[] = [
  kindOf("choice", "two choices by one comparison, with an operation in between", WORLDS, make),
];
