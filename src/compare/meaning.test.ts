// Tests that the optimizer keeps the meaning of programs. A failing program is shrunk by its choices, and shown as
// text.

import test from "ava";
import fc from "fast-check";
import { subjectNamed } from "../execute/subjects.js";
import type { Program } from "../generate/generate-program.js";
import { printProgram, programs } from "../generate/program-arb.js";
import { RULE_PATTERNS } from "../generate/rule-patterns.js";
import { Op } from "../ir/opcodes.js";
import type { Module } from "../ir/procedure.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { coreSize } from "../reduce/candidate.js";
import { InternalError } from "../support/assert.js";
import type { ChosenValue } from "../support/choice-arb.js";
import { trials } from "../support/trials.js";
import { describeDifference } from "./describe-difference.js";
import { Judge } from "./judge-program.js";

const NAMES = ["ir-O1", "ir-O2", "ir-O2-chaos"];
const subjects = NAMES.flatMap((name) => subjectNamed(name) ?? []);

/** Returns the first difference between the oracle and a subject; null if there is none. */
function differenceIn(judge: Judge, { module, inputs }: Program, plant?: (module: Module) => void) {
  for (const { judgements } of judge.judge({ module, inputs, own: plant ? { plant } : {} })
    .results) {
    for (const { verdict } of judgements)
      if (verdict.kind === "different") return describeDifference(verdict.difference);
  }
  return null;
}

test("optimization preserves the meaning of programs", (t) => {
  t.is(subjects.length, NAMES.length);
  const judge = new Judge({ subjects, fuelMax: DEFAULT_FUEL });
  const property = fc.property(programs({}, RULE_PATTERNS), ({ made }) => {
    const difference = differenceIn(judge, made);
    if (difference !== null) throw new InternalError(difference);
  });
  t.notThrows(() => fc.assert(property, { seed: 1, numRuns: trials(20, 60) }));
  judge.close();
});

/**
 * The greatest number of smaller programs that are tried for each failure: most failures need a few hundred, a few need
 * a hundred times as many.
 */
const SHRINKING_MAX = trials(2000, 100_000);

test("planted: a product replaced by a sum shrinks to a few values", (t) => {
  const judge = new Judge({ subjects: subjects.slice(0, 1), fuelMax: DEFAULT_FUEL });
  const plant = ({ procedures }: Module): void => {
    for (const proc of procedures) {
      proc.forEachValue((value) => {
        if (value.opcode === Op.Mul) value.opcode = Op.Add;
      });
    }
  };
  const claim = ({ made }: ChosenValue<Program>): boolean =>
    differenceIn(judge, made, plant) === null;
  const arb = fc.limitShrink(programs({}, RULE_PATTERNS), SHRINKING_MAX);
  // If the product is part of an idiom that is one choice, the smallest program has 10 to 16 values.
  const count = trials(9, 13);
  const found = Array.from({ length: count }, (_, i) => i + 1).flatMap(
    (seed) => fc.check(fc.property(arb, claim), { seed }).counterexample ?? [],
  );
  judge.close();
  t.is(found.length, count, "a seed did not fail");
  const sizes = found.map(({ made }) => coreSize(made.module)).sort((x, y) => x - y);
  const texts = found.map(({ made }) => printProgram(made));
  t.true(sizes[count >> 1] <= 8, `${sizes.join(", ")} values: ${texts.join("\n")}`);
});
