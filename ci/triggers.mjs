#!/usr/bin/env node

// Counts how often random programs meet the conditions under which known bugs show.
//
//   node ci/triggers.mjs [--seed S] [--count N] [NAME ...]
//
// Prints a table: programs and occurrences, for each 100,000 programs. Status 0: each that is thought to
// be easy, medium or hard occurred; 1: some did not; 2: wrong usage.

import { generatedOf, seedAt } from "../build/src/campaign/program/seeds.js";
import { countTriggers, TRIGGERS } from "../build/src/campaign/triggers/triggers.js";
import { readOptions } from "./options.mjs";

const SCALE = 100_000;

const { values: given, positionals } = readOptions({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "3000" },
  },
});
const unknown = positionals.find((name) => !TRIGGERS.some((row) => row.name === name));
if (unknown !== undefined) {
  console.error(`triggers: ${unknown}: no such trigger`);
  process.exit(2);
}
const rows = TRIGGERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const count = Number(given.count);
if (!/^\d+$/.test(given.seed)) {
  console.error(`triggers: --seed ${given.seed}: a number is wanted`);
  process.exit(2);
}
const seed = BigInt(given.seed);
if (!Number.isInteger(count) || count < 1) {
  console.error(`triggers: --count ${given.count}: a number of programs is wanted`);
  process.exit(2);
}

const programs = rows.map(() => 0);
const times = rows.map(() => 0);
for (let i = 0; i < count; i++) {
  const { module, inputs } = generatedOf(seedAt(seed, i));
  const counts = countTriggers(module, inputs, rows);
  counts.forEach((n, r) => {
    if (n > 0) programs[r]++;
    times[r] += n;
  });
}

const scaled = (n) => Math.round((n * SCALE) / count).toLocaleString("en");
console.log("| pattern | thought | dial or maker | programs | times |");
console.log("| --- | --- | --- | --- | --- |");
rows.forEach(({ name, level, by, detect }, r) => {
  const [some, all] = detect === null ? ["none", "none"] : [programs[r], times[r]].map(scaled);
  console.log(`| ${name} | ${level} | ${by} | ${some} | ${all} |`);
});
const missing = rows.filter(
  ({ level, detect }, r) => detect !== null && level !== "very hard" && programs[r] === 0,
);
if (missing.length > 0) console.log(`\nnever: ${missing.map(({ name }) => name).join(", ")}`);
process.exitCode = missing.length === 0 ? 0 : 1;
