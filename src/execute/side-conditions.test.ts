// Tests that the side conditions of rewrite rules are needed and that the golden files cover them.
// A rule without its condition changes the program of a golden file to which it must not apply. If
// a condition has another purpose and its absence does not show, the file has a line `; harmless:`.

import { readFileSync } from "node:fs";
import test from "ava";
import type { Rule } from "../../reference/optimize/rules/patterns.js";
import { RULES } from "../../reference/optimize/rules/rules.js";
import { optimize } from "../../reference/optimize.js";
import { parseModule } from "../ir/text/parse.js";
import { checkExpectation, runLines } from "../ir/text/run-line.js";
import { verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { InternalError } from "../support/assert.js";

const FUEL_MAX = 1000;
const oracle = new Oracle();

for (const rule of RULES.filter(({ where }) => where)) {
  test(`${rule.name} without its condition`, (t) => {
    const text = readFileSync(`corpus/golden/reduce-strength/${rule.name}-stays.ir`, "utf8");
    t.is(showsWithoutCondition(rule, text), !/^; harmless: /m.test(text));
  });
}

/**
 * Returns true if one application without the condition changes the program's result or makes it
 * invalid.
 */
function showsWithoutCondition(rule: Rule, text: string): boolean {
  const module = parseModule(text);
  const rules = [{ ...rule, where: [] }];
  try {
    optimize(module, { level: "O1", rules, applicationsMax: 1, phases: ["reduce-strength"] });
  } catch (error) {
    if (error instanceof InternalError) return true; // a value of another type
    throw error;
  }
  if (verify(module).length > 0) return true;
  return runLines(text, module).some(({ input, expected }) => {
    if (expected === null) return false;
    return checkExpectation(expected, oracle.run(decodeModule(module), input, FUEL_MAX)) !== null;
  });
}
