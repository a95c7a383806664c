// Worlds of facts: a question tells where an operand lies, and on each way from it a few operations look at the
// operand. What is known there is known up to the very number that was asked for, so operands lie at that number and
// beside it. Questions are enumerated; which operations look is drawn, evenly, and each shows in what the world gives.

import { COMPARISONS, FLOAT_COMPARISONS } from "../generate/maker/conditions.js";
import { chance } from "../generate/maker/odds.js";
import type { Instance } from "../generate/maker/swarm.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { join } from "./control.js";
import { emitLeaf } from "./leaves.js";
import { bitsOf, commutes, emitOperation, OPERATIONS } from "./operations.js";
import { CROWD, digitsOf, OPERANDS, product, rowOf, type Site, type WorldKind } from "./world.js";

/** An operation, and which of its operands is what there was before. */
interface Step {
  readonly instance: Instance;
  readonly at: number;
}

/** By type: what can be done to one value of it. */
const STEPS: readonly (readonly Step[])[] = [[], ...VALUE_TYPES.map(stepsOn)];

function stepsOn(type: Type): Step[] {
  return OPERATIONS.flatMap((instance) =>
    instance.operands.flatMap((operand, at) =>
      operand === type && !(at > 0 && commutes(instance)) ? [{ instance, at }] : [],
    ),
  );
}

const questionsOf = (type: Type): readonly Opcode[] =>
  isFloating(type) ? FLOAT_COMPARISONS : COMPARISONS;

/** What is asked about: an operand of the type, or what one operation makes of it. */
interface Subject {
  readonly type: Type;
  readonly step: Step | null;
}
const askedType = ({ type, step }: Subject): Type => step?.instance.result ?? type;

const OPERANDS_ALONE: readonly Subject[] = VALUE_TYPES.map((type) => ({ type, step: null }));
const IMAGES: readonly Subject[] = VALUE_TYPES.flatMap((type) =>
  STEPS[type].map((step) => ({ type, step })),
);

/** A question, and another one where the answer was yes; or none. */
const radicesOf = (subject: Subject): number[] => {
  const questions = questionsOf(askedType(subject)).length;
  return [questions, questions + 1];
};

function kindOf(name: string, says: string, subjects: readonly Subject[]): WorldKind {
  const counts = subjects.map((subject) => product(radicesOf(subject)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  const make = (index: number, site: Site): Value => {
    const [s, number] = rowOf(index, counts);
    const [first, second] = digitsOf(number, radicesOf(subjects[s]));
    return makeFact(site, subjects[s], first, second);
  };
  return {
    ...{ ...CROWD, each: 8, isAtBounds: true },
    ...{ name, says, count: () => count, named: () => count, make },
  };
}

function makeFact(site: Site, { type, step }: Subject, first: number, second: number): Value {
  const { maker, operands } = site;
  const known = operands[type][0];
  const asked = step === null ? known : emitStep(site, step, known, known);
  const questions = questionsOf(asked.type);
  const seen = (): Value => look(site, known, asked);
  /** @param yes what is done where the answer is yes; where it is no, the operand is looked at */
  const ask = (question: number, yes: () => Value): Value => {
    const flag = maker.append(questions[question], Int32, asked, drawBound(site, asked.type));
    const [ifYes, ifNo] = [maker.proc.newBlock(), maker.proc.newBlock()];
    maker.branch(flag, ifYes, ifNo);
    return join(site, Int64, [
      [ifYes, yes],
      [ifNo, seen],
    ]);
  };
  return ask(first, second === 0 ? seen : () => ask(second - 1, seen));
}

function drawBound({ maker, source, bounds }: Site, type: Type): Value {
  const list = bounds[type];
  return maker.constantOf(type, ...list[source.below(list.length)]);
}

const LOOKS = 6;
/** All bits of what several operations make of a value. */
export function look(site: Site, known: Value, asked: Value): Value {
  const { maker, source } = site;
  let sum: Value = maker.integer(Int64, 0);
  for (let count = 0; count < LOOKS; count++) {
    const from = chance(source, 75) ? known : asked;
    const steps = STEPS[from.type];
    const seen = emitStep(site, steps[source.below(steps.length)], from, asked);
    const turned = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 7));
    sum = maker.append(Op.BitXor, Int64, turned, shown(site, seen));
  }
  return sum;
}

function emitStep(site: Site, { instance, at }: Step, from: Value, asked: Value): Value {
  const given = instance.operands.map((type, i) =>
    i === at ? from : drawOther(site, type, asked),
  );
  return emitOperation(site.maker, instance, given);
}

/** Mostly a constant: a bound, or another one. */
function drawOther(site: Site, type: Type, asked: Value): Value {
  const { source } = site;
  if (chance(source, 30)) return drawBound(site, type);
  if (type === asked.type && chance(source, 10)) return asked;
  return emitLeaf(site, "few", type, chance(source, 80) ? DRAWN_CONSTANT : SECOND_OPERAND);
}
/** Codes of leaves. */
const SECOND_OPERAND = 1;
const DRAWN_CONSTANT = OPERANDS;

/** All bits of what was made of an operand. */
function shown({ maker, source }: Site, value: Value): Value {
  if (isFloating(value.type)) return bitsOf(maker, maker.closed(value), Op.ZExt32);
  const isSigned = value.type === Int32 && chance(source, 50);
  return bitsOf(maker, value, isSigned ? Op.SExt32 : Op.ZExt32);
}

export const FACTS: readonly WorldKind[] = [
  kindOf(
    "fact",
    "one or two comparisons of an operand with constants, and what operations see of it on each way",
    OPERANDS_ALONE,
  ),
  kindOf(
    "image",
    "likewise, where what is compared is what one operation made of the operand",
    IMAGES,
  ),
];
