// Makes worlds of facts: a comparison determines a range of an operand, and on each path after it a
// few operations use the operand. The range ends exactly at the compared number, so operands are at
// that number and next to it. Comparisons are enumerated; the operations are drawn evenly, and each
// affects the world's result.

import { COMPARISONS, FLOAT_COMPARISONS } from "../generate/maker/conditions.js";
import { chance } from "../generate/maker/odds.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { decide } from "./control.js";
import { choice, product, sumOver } from "./counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "./leaves.js";
import { emitStep, type OperationStep, resultBits, STEPS } from "./steps.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

const questionsOf = (type: Type): readonly Opcode[] =>
  isFloating(type) ? FLOAT_COMPARISONS : COMPARISONS;

/** The compared value: an operand of the type, or the result of one operation on it. */
interface ComparedValue {
  readonly type: Type;
  readonly step: OperationStep | null;
}

const OPERANDS_ALONE: readonly ComparedValue[] = VALUE_TYPES.map((type) => ({ type, step: null }));
const IMAGES: readonly ComparedValue[] = VALUE_TYPES.flatMap((type) =>
  STEPS[type].map((step) => ({ type, step })),
);

interface FactWorld {
  readonly subject: ComparedValue;
  readonly first: Opcode;
  /** A second comparison if the first is true, or none. */
  readonly second: Opcode | null;
}

function factKind(name: string, says: string, subjects: readonly ComparedValue[]): WorldKind {
  const worlds = sumOver(subjects, (subject) => {
    const questions = questionsOf(subject.step?.instance.result ?? subject.type);
    return product<FactWorld>({
      subject: choice([subject]),
      first: choice(questions),
      second: choice([null, ...questions]),
    });
  });
  return kindOf(name, says, worlds, makeFact, { each: 8, isAtBounds: true });
}

function makeFact({ subject, first, second }: FactWorld, site: WorldSite): Value {
  const { type, step } = subject;
  const { maker, operands } = site;
  const known = operands[type][0];
  const asked = step === null ? known : emitLook(site, step, known, known);
  const seen = (): Value => look(site, known, asked);
  /**
   * Compares, and returns a value that depends on the result.
   * @param yes computes the value if the comparison is true; otherwise the operand is used
   */
  const ask = (question: Opcode, yes: () => Value): Value => {
    const flag = maker.append(question, Int32, asked, drawBound(site, asked.type));
    return decide(site, Int64, flag, yes, seen);
  };
  return ask(first, second === null ? seen : () => ask(second, seen));
}

function drawBound({ maker, source, bounds }: WorldSite, type: Type): Value {
  const list = bounds[type];
  return maker.constantOf(type, ...list[source.below(list.length)]);
}

const LOOKS = 6;
/** Combines all bits of the results of several operations on a value. */
export function look(site: WorldSite, known: Value, asked: Value): Value {
  const { maker, source } = site;
  let sum: Value = maker.integer(Int64, 0);
  for (let count = 0; count < LOOKS; count++) {
    const from = chance(source, 75) ? known : asked;
    const steps = STEPS[from.type];
    const seen = emitLook(site, steps[source.below(steps.length)], from, asked);
    const turned = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 7));
    sum = maker.append(Op.BitXor, Int64, turned, resultBits(site, seen));
  }
  return sum;
}

const emitLook = (site: WorldSite, step: OperationStep, from: Value, asked: Value): Value =>
  emitStep(site, step, from, (type) => drawOther(site, type, asked));

/** Draws mostly a constant: a bound, or another one. */
function drawOther(site: WorldSite, type: Type, asked: Value): Value {
  const { source } = site;
  if (chance(source, 30)) return drawBound(site, type);
  if (type === asked.type && chance(source, 10)) return asked;
  return emitLeaf(site, "few", type, chance(source, 80) ? DRAWN_CONSTANT : SECOND_OPERAND);
}
/** The code of the leaf that is the second operand (arrangements.ts). */
const SECOND_OPERAND = 1;

export const FACTS: readonly WorldKind[] = [
  factKind(
    "fact",
    "one or two comparisons of an operand with constants, and operations on it on each path",
    OPERANDS_ALONE,
  ),
  factKind("image", "the same, comparing the result of an operation on the operand", IMAGES),
];
