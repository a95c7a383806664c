// Makes worlds of facts: a comparison determines a range of an operand, and on each path after it a
// few operations use the operand. The range ends exactly at the compared number, so operands are at
// that number and next to it. Comparisons are enumerated; the operations are drawn evenly, and each
// affects the world's result.

import { COMPARISONS, FLOAT_COMPARISONS } from "../generate/maker/conditions.js";
import { chance } from "../generate/maker/odds.js";
import { Op, type Opcode } from "../ir/opcodes.js";
import type { Value } from "../ir/procedure.js";
import { Int32, Int64, isFloating, type Type, VALUE_TYPES } from "../ir/types.js";
import { branchAndJoin } from "./control.js";
import { choice, product, sumOver } from "./counted.js";
import { DRAWN_CONSTANT, emitLeaf } from "./leaves.js";
import { emitStep, type OperationStep, resultBits, STEPS } from "./steps.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

export const comparisonsOf = (type: Type): readonly Opcode[] =>
  isFloating(type) ? FLOAT_COMPARISONS : COMPARISONS;

/** The compared value: an operand of the type, or the result of one operation on it. */
interface ComparedValue {
  readonly type: Type;
  readonly step: OperationStep | null;
}

const OPERANDS_ALONE: readonly ComparedValue[] = VALUE_TYPES.map((type) => ({ type, step: null }));
const OPERATION_RESULTS: readonly ComparedValue[] = VALUE_TYPES.flatMap((type) =>
  STEPS[type].map((step) => ({ type, step })),
);

interface FactWorld {
  readonly subject: ComparedValue;
  readonly first: Opcode;
  /** A second comparison if the first is true, or none. */
  readonly second: Opcode | null;
}

function factKind(
  name: string,
  description: string,
  subjects: readonly ComparedValue[],
): WorldKind {
  const worlds = sumOver(subjects, (subject) => {
    const comparisons = comparisonsOf(subject.step?.instance.result ?? subject.type);
    return product<FactWorld>({
      subject: choice([subject]),
      first: choice(comparisons),
      second: choice([null, ...comparisons]),
    });
  });
  return kindOf(name, description, worlds, makeFact, { perProgram: 8, isAtBounds: true });
}

function makeFact({ subject, first, second }: FactWorld, site: WorldSite): Value {
  const { type, step } = subject;
  const { maker, operands } = site;
  const operand = operands[type][0];
  const compared = step === null ? operand : emitUse(site, step, operand, operand);
  const uses = (): Value => combinedUses(site, operand, compared);
  /**
   * Compares, and returns a value that depends on the result.
   * @param yes computes the value if the comparison is true; otherwise the operand is used
   */
  const branchOn = (comparison: Opcode, ifTrue: () => Value): Value => {
    const flag = maker.append(comparison, Int32, compared, drawBound(site, compared.type));
    return branchAndJoin(site, Int64, flag, ifTrue, uses);
  };
  return branchOn(first, second === null ? uses : () => branchOn(second, uses));
}

function drawBound({ maker, source, bounds }: WorldSite, type: Type): Value {
  const list = bounds[type];
  return maker.constantOf(type, ...list[source.below(list.length)]);
}

const USES = 6;
/** Combines all bits of the results of several operations on a value. */
export function combinedUses(site: WorldSite, operand: Value, compared: Value): Value {
  const { maker, source } = site;
  let sum: Value = maker.integer(Int64, 0);
  for (let count = 0; count < USES; count++) {
    const from = chance(source, 75) ? operand : compared;
    const steps = STEPS[from.type];
    const result = emitUse(site, steps[source.below(steps.length)], from, compared);
    const rotated = maker.append(Op.RotL, Int64, sum, maker.integer(Int32, 7));
    sum = maker.append(Op.BitXor, Int64, rotated, resultBits(site, result));
  }
  return sum;
}

const emitUse = (site: WorldSite, step: OperationStep, from: Value, compared: Value): Value =>
  emitStep(site, step, from, (type) => drawOther(site, type, compared));

/** Draws mostly a constant: a bound, or another one. */
function drawOther(site: WorldSite, type: Type, compared: Value): Value {
  const { source } = site;
  if (chance(source, 30)) return drawBound(site, type);
  if (type === compared.type && chance(source, 10)) return compared;
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
  factKind(
    "image",
    "the same, comparing the result of an operation on the operand",
    OPERATION_RESULTS,
  ),
];
