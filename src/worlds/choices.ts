// Makes worlds of choices: two decisions use one comparison, with an operation in between. If a
// compiler keeps flags or predicates for the second decision, the operation may have changed them.

import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, type Type, VALUE_TYPES } from "../ir/types.js";
import { branchAndJoin } from "./control.js";
import { type CountedValue, choice, product } from "./counted.js";
import { comparisonsOf } from "./facts.js";
import { DRAWN_CONSTANT, emitLeaf } from "./leaves.js";
import { emitStep, resultBits, STEPS } from "./steps.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

interface ConditionChoice {
  readonly opcode: Opcode;
  readonly type: Type;
}
const CONDITIONS: readonly ConditionChoice[] = VALUE_TYPES.flatMap((type) =>
  comparisonsOf(type).map((opcode) => ({ opcode, type })),
);
/** The right operand of the comparison: another operand, or a constant that the round draws. */
const COMPARED: readonly ((site: WorldSite, type: Type) => Value)[] = [
  ({ operands }, type) => operands[type][1],
  (site, type) => emitLeaf(site, "few", type, DRAWN_CONSTANT),
];

/**
 * A function that makes a second decision by the same comparison, and returns `ifTrue` or `ifFalse`.
 */
type SecondDecision = (site: WorldSite, flag: Value, ifTrue: Value, ifFalse: Value) => Value;
const DECISIONS: readonly SecondDecision[] = [
  ({ maker }, flag, ifTrue, ifFalse) => maker.append(Op.Select, ifTrue.type, flag, ifTrue, ifFalse),
  ({ maker }, flag, ifTrue, ifFalse) => maker.append(Op.Select, ifTrue.type, flag, ifFalse, ifTrue),
  (site, flag, ifTrue, ifFalse) =>
    branchAndJoin(
      site,
      ifTrue.type,
      flag,
      () => ifTrue,
      () => ifFalse,
    ),
];
const WORLDS = product({
  condition: choice(CONDITIONS),
  compared: choice(COMPARED),
  step: choice(STEPS.flat()),
  decision: choice(DECISIONS),
});
type ChoiceWorld = CountedValue<typeof WORLDS>;

function make({ condition, compared, step, decision }: ChoiceWorld, site: WorldSite): Value {
  const { maker, operands } = site;
  const { opcode, type } = condition;
  const chosen = step.instance.operands[step.at];
  const beside = compared(site, type);
  const flag = maker.append(opcode, Int32, operands[type][0], beside);
  const first = maker.append(Op.Select, chosen, flag, operands[chosen][2], operands[chosen][0]);
  const given = emitStep(site, step, first, (other) => operands[other][1]);
  const second = decision(site, flag, resultBits(site, given), operands[Int64][2]);
  const rotated = maker.append(Op.RotL, Int64, second, maker.integer(Int32, 7));
  return maker.append(Op.BitXor, Int64, rotated, resultBits(site, first));
}

export const CHOICES: readonly WorldKind[] = [
  kindOf("choice", "two choices by one comparison, with an operation in between", WORLDS, make),
];
