// The rule patterns of the generator: they cover the rules of the compiler, and a rule's text reads as its pattern.

import test from "ava";
import { RULES } from "../reference/optimize/rules/rules.js";
import { RULE_PATTERNS } from "../src/generate/rule-patterns.js";
import { allRuleTexts, uncoveredRules } from "./rule-texts.js";

/** With more rules without patterns, campaigns no longer aim at the optimizer as it is. */
const UNCOVERED_MAX = 20;

test("few rules have no patterns", (t) => {
  const missing = uncoveredRules();
  if (missing.length > 0)
    t.log(`no patterns yet (node ci/refresh-patterns.mjs): ${missing.join(", ")}`);
  t.true(missing.length <= UNCOVERED_MAX, `node ci/refresh-patterns.mjs: ${missing.join(", ")}`);
  t.true(RULE_PATTERNS.length > 300);
});

test("a new rule is listed", (t) => {
  const trial = { name: "trial-rule" };
  t.deepEqual(uncoveredRules([RULES[0], trial]), ["trial-rule"]);
});

test("the text of a rule is the same each time, and has shapes", (t) => {
  const [first, again] = [allRuleTexts(), allRuleTexts()];
  t.deepEqual(first, again);
  t.deepEqual(
    first.filter(({ shapes }) => shapes.length === 0),
    [],
  );
});
