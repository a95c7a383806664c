// Tests the aims of a diff of the compiler, and that programs aim at them.

import test from "ava";
import { programOf } from "../../src/campaign/program/seeds.js";
import { aimsOf, towardProfile } from "../../src/campaign/program/toward.js";
import { Op } from "../../src/ir/opcodes.js";
import { noCommit } from "../support/checkout.js";
import { aimsOfDiff } from "./aims-of-diff.js";
import { aimsSince } from "./since.js";

const RULES = "reference/optimize/rules/integer-rules.ts";
const TABLE = `
  { name: "sub-self", match: ["Sub", "x", "x"], give: 0 },
  // (x + c) - (y + d)
  {
    name: "sub-of-adds",
    match: ["Sub", ["Add", "x", "c"], ["Add", "y", "d"]],
    over: INTEGERS,
  },
  { name: "byteswap-of-byteswap", match: [], give: "x" },
  { name: "no-such-rule" },
`;

const diffOf = (file: string, ...lines: string[]): string =>
  [`diff --git a/${file} b/${file}`, `--- a/${file}`, `+++ b/${file}`, ...lines].join("\n");

test("a changed row gives its rule; changed code gives its opcodes and its folder", (t) => {
  const aims = (...diffs: string[]) => aimsOfDiff(diffs.join("\n"), () => TABLE);
  t.deepEqual(aims(diffOf(RULES, "@@ -7 +7 @@", "-    over: A,", "+    over: INTEGERS,")), [
    "sub-of-adds",
  ]);
  t.deepEqual(aims(diffOf(RULES, "@@ -4,0 +4,5 @@", "+ {", "+ name: ...")), ["sub-of-adds"]);
  t.deepEqual(aims(diffOf(RULES, "@@ -9,2 +9,2 @@", "+  x")), ["byteswap-of-byteswap"]);
  t.deepEqual(
    aims(
      diffOf("reference/x64/rows.ts", "@@ -1 +1 @@", "-  Clz: 1,", "+  Clz: addOne(RotL),"),
      diffOf("reference/optimize/memory/sink-stores.ts", "@@ -1,3 +0,0 @@", "-Added"),
      diffOf("reference/optimize/memory/sink-stores.test.ts", "@@ -1,3 +0,0 @@", "-Mul"),
      diffOf("reference/README.md", "@@ -1 +1 @@", "+Sub"),
    ),
    ["RotL", "Clz", "memory"],
  );
});

test("programs that aim at an opcode or a rule contain it more often", (t) => {
  const shareOf = (profile: string): number => {
    let [all, own] = [0, 0];
    for (let seed = 1n; seed <= 160n; seed++) {
      programOf(seed, profile).module.entry.forEachValue(({ opcode }) => {
        all++;
        if (opcode === Op.ByteSwap) own++;
      });
    }
    return own / all;
  };
  const usual = shareOf("usual");
  t.true(shareOf(towardProfile(["ByteSwap"])) > 3 * usual);
  t.true(shareOf(towardProfile(["byteswap-of-byteswap"])) > 3 * usual);
  t.is(aimsOf("toward:RotL+nothing"), null);
  t.deepEqual(aimsOf("toward:RotL+memory"), ["RotL", "memory"]);
});

test("a commit that does not exist is a usage error", (t) => {
  for (const commit of ["no-such-commit", "--output=x", ""]) {
    t.throws(() => aimsSince(commit), { message: /^--since .*: no such commit in / });
  }
  t.throws(() => noCommit("--since", "HEAD", "/nowhere"), {
    message: /^--since: expected a checkout of Touchstone; \/nowhere is an installed package$/,
  });
});
