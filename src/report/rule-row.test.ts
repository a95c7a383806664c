// Tests that rows of rules are found, whether they have one line or several.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../support/project-root.js";
import { rowOfRule } from "./rule-row.js";

for (const rule of ["byteswap-of-byteswap", "equal-of-byteswaps"]) {
  test(`the row of ${rule} is found, whole, at its line`, (t) => {
    const row = rowOfRule(rule);
    if (row === null) return t.fail();
    const [file, line] = row.place.split(":");
    const text = readFileSync(join(projectRoot(), file), "utf8").split("\n")[Number(line) - 1];
    t.regex(text, new RegExp(`name: "${rule}"`));
    t.regex(row.text, /^\{.*\},\n$/s);
  });
}

test("an unknown rule has no row", (t) => {
  t.is(rowOfRule("no-such-rule"), null);
});
