// Tests that every rule is proved, or excluded with a reason, and that broken rules are refuted by
// programs on which the oracle differs.

import test from "ava";
import {
  isInt32,
  isLeast,
  isNotLeast,
  isPowerOfTwo,
  log2,
} from "../../reference/optimize/rules/conditions.js";
import type { Rule } from "../../reference/optimize/rules/patterns.js";
import { NEGATIVE_ZERO, POSITIVE_ZERO } from "../../reference/optimize/rules/patterns.js";
import { RULES } from "../../reference/optimize/rules/rules.js";
import { trials } from "../support/trials.js";
import { counterexampleOf } from "./counterexample.js";
import { ProofsError, printProofs, readProofs } from "./proof-store.js";
import { COMMUTATIONS, canApply, instancesOf } from "./rule-proofs.js";
import { Solver } from "./solver.js";

/** The maximum number of excluded claims; a larger number is a regression. */
const EXCLUDED_MAX = 62;

test("every claim about a rule is proved, or excluded with its reason", (t) => {
  const instances = instancesOf([...RULES, ...COMMUTATIONS]);
  const proved = readProofs();
  const missing = instances.filter(({ hash, excluded }) => excluded === null && !proved.has(hash));
  t.deepEqual(
    missing.map(({ name }) => name),
    [],
    "not proved in their current form: run npx --no-install fuzz prove --update",
  );
  const excluded = instances.flatMap(({ name, excluded: because }) =>
    because === null ? [] : [`${name}: ${because}`],
  );
  t.log(`${instances.length} claims, ${excluded.length} excluded:\n${excluded.join("\n")}`);
  t.true(excluded.length <= EXCLUDED_MAX, `${excluded.length} are excluded`);
  t.true(excluded.length <= instances.length / 20);
});

test("each rule has a claim at some types", (t) => {
  const claimed = new Set(instancesOf(RULES).map(({ shape }) => shape.rule.name));
  t.deepEqual(
    RULES.map(({ name }) => name).filter((name) => !claimed.has(name)),
    [],
  );
});

/** Tests, or breaks, one in this many rules. */
const EVERY = trials(4, 1);

test("the conditions of each rule can hold", async (t) => {
  const solver = await Solver.open();
  const idle: string[] = [];
  for (const rule of RULES.filter((_, r) => r % EVERY === 0))
    if (!(await canApply(rule, solver))) idle.push(rule.name);
  const never: Rule = {
    name: "never",
    match: ["Sub", "x", "c"],
    give: "x",
    over: INTEGERS,
    where: [isLeast("c"), isNotLeast("c")],
  };
  t.false(await canApply(never, solver));
  solver.close();
  t.deepEqual(idle, []);
});

const SECONDS_MAX = 30;

const INTEGERS = ["Int32", "Int64"] as const;
const FLOATS = ["Float", "Double"] as const;

// Wrong replacements, wrong or missing conditions, integer rules applied to floats.
// biome-ignore format: a table
const BROKEN: readonly Rule[] = [
  { name: "broken-sub-self-of-floats", match: ["Sub", "x", "x"], give: POSITIVE_ZERO, over: FLOATS },
  { name: "broken-add-positive-zero", match: ["Add", "x", POSITIVE_ZERO], give: "x" },
  { name: "broken-sub-negative-zero", match: ["Sub", "x", NEGATIVE_ZERO], give: "x" },
  { name: "broken-sub-own-add", match: ["Sub", "x", ["Add", "x", "y"]], give: "y", over: INTEGERS },
  { name: "broken-abs-of-neg", match: ["Abs", ["Neg", "x"]], give: "x" },
  { name: "broken-mul-power-of-two", match: ["Mul", "x", "c"], give: ["Shl", "x", log2("c")], over: ["Int32"] },
  { name: "broken-div-power-of-two", match: ["Div", "x", "c"], give: ["SShr", "x", log2("c")], over: ["Int32"], where: [isPowerOfTwo("c")] },
  { name: "broken-mod-power-of-two", match: ["Mod", "x", 8], give: ["BitAnd", "x", 7] },
  { name: "broken-and-own-or", match: ["BitAnd", ["BitOr", "x", "y"], "x"], give: "y" },
  { name: "broken-or-of-nots", match: ["BitOr", ["BitXor", "x", -1], ["BitXor", "y", -1]], give: ["BitXor", ["BitOr", "x", "y"], -1] },
  { name: "broken-shift-of-shift", match: ["Shl", ["Shl", "x", "c"], "d"], give: ["Shl", "x", ["Add", "c", "d"]] },
  { name: "broken-shl-of-sshr", match: ["Shl", ["SShr", "x", "c"], "c"], give: "x" },
  { name: "broken-sext8-of-sext16", match: ["SExt16", ["SExt8", "x"]], give: ["SExt16", "x"] },
  { name: "broken-trunc-of-sshr", match: ["Trunc", ["SShr", "x", 32]], give: ["Trunc", "x"] },
  { name: "broken-not-of-order", match: ["Equal", ["LessThan", "x", "y"], 0], give: ["GreaterEqual", "x", "y"] },
  { name: "broken-less-than-least", match: ["LessEqual", "x", "c"], give: 0, over: INTEGERS, where: [isLeast("c")] },
  { name: "broken-equal-self-of-floats", match: ["Equal", "x", "x"], give: 1, over: FLOATS },
  { name: "broken-compare-of-zext", match: ["LessThan", ["ZExt32", "x"], ["ZExt32", "y"]], give: ["LessThan", "x", "y"] },
  { name: "broken-select-of-not-equal", match: ["Select", ["NotEqual", "x", 0], "y", "z"], give: ["Select", "x", "z", "y"] },
  { name: "broken-check-add-zero", match: ["CheckSub", 0, "x"], give: ["Neg", "x"] },
  { name: "broken-least-of-negs", match: ["FMin", ["Neg", "x"], ["Neg", "y"]], give: ["Neg", ["FMin", "x", "y"]] },
  { name: "broken-truncation-of-integer", match: ["TruncU32", ["IToD", "x"]], give: "x", where: [isInt32("x")] },
];

test("a broken rule is refuted by a program on which the oracle differs", async (t) => {
  const solver = await Solver.open();
  for (const rule of BROKEN.filter((_, b) => b % EVERY === 0)) {
    let seen = false;
    for (const { shape, question } of instancesOf([rule])) {
      if (question === null) continue;
      const found = await counterexampleOf(shape, question, solver, SECONDS_MAX);
      if (found !== null) seen = true;
    }
    t.true(seen, `${rule.name} is not refuted`);
  }
  solver.close();
});

test("proofs are read as they were written, and malformed files are refused", (t) => {
  const proofs = new Map([["0123456789abcdef01234567", "some-rule, reading 0"]]);
  const text = printProofs(proofs);
  t.true(text.endsWith("}\n"));
  t.deepEqual(JSON.parse(text).proved, Object.fromEntries(proofs));
  t.throws(() => readProofs("package.json"), { instanceOf: ProofsError });
  t.is(readProofs("no/such/file.json").size, 0);
});
