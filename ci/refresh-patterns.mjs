#!/usr/bin/env node

// Writes the patterns of all rules of the reference compiler to corpus/patterns/rules.json. The version of the generator
// changes with that file, so run this on purpose: seeds name other programs afterwards.
//
//   node ci/refresh-patterns.mjs [--check]
//
// With --check it writes nothing, and lists the rules that the file does not cover. Status 0: done, or all rules are
// covered; 1: --check found rules that are not covered; 2: wrong usage.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allRuleTexts, printRuleTexts, uncoveredRules } from "../build/ci/rule-texts.js";
import { PATTERNS_FILE } from "../build/src/generate/rule-patterns.js";
import { readOptions } from "./options.mjs";

const { values } = readOptions({ options: { check: { type: "boolean", default: false } } });
if (values.check) {
  const missing = uncoveredRules();
  for (const name of missing) console.log(name);
  console.log(`${missing.length} rules are not covered by ${PATTERNS_FILE}`);
  process.exitCode = missing.length > 0 ? 1 : 0;
} else {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const texts = allRuleTexts();
  writeFileSync(join(root, PATTERNS_FILE), printRuleTexts(texts));
  console.log(`${PATTERNS_FILE}: ${texts.length} rules. Build, and commit the file.`);
}
