// `node ci/measure.mjs puzzles [--count N] [--allocator A] [--target T] [--seed S]`: allocates N puzzles of LIR
// (default 100,000) for each allocator and target, from seed S on, checks them, and runs them before and after.
// Status 1 if one is wrong; the script prints the smallest wrong puzzle that it finds.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../options.mjs";

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const load = (path) => import(join(ROOT, "build", "reference", path));
const { ALLOCATOR_NAMES } = await load("regalloc/allocator-names.js");
const { PuzzleJudge } = await load("regalloc/stress/judge-puzzle.js");
const { PUZZLE_ROWS } = await load("regalloc/stress/lir-puzzles.js");
const { printLir } = await load("lir/text/print.js");
const { PARTS } = await load("parts.js");

const { values } = readOptions({
  options: {
    count: { type: "string", default: "100000" },
    allocator: { type: "string" },
    target: { type: "string" },
    seed: { type: "string", default: "0" },
  },
});
const [count, first] = [Number(values.count), Number(values.seed)];
const chosen = (names, name) => names.filter((known) => name === undefined || known === name);
const allocators = chosen(ALLOCATOR_NAMES, values.allocator);
const targets = chosen(Object.keys(PARTS.plans), values.target);
const isNumber = Number.isSafeInteger(count) && Number.isSafeInteger(first);
if (allocators.length === 0 || targets.length === 0 || !isNumber) {
  console.error(`expected one of ${ALLOCATOR_NAMES.join(", ")}; x64 or arm64; whole numbers`);
  process.exit(2);
}

/** Tries small puzzles, then larger ones, until one is wrong too. */
const SMALLER = [1, 2, 3, 4, 6].flatMap((blocks) =>
  [1, 2, 3, 5, 8].map((instructions) => ({ blocks, instructions })),
);
const TRIES = 5000;

function printSmallest(judge, target, fallback) {
  let smallest = { ...fallback, instructions: Number.POSITIVE_INFINITY };
  for (const size of SMALLER) {
    for (let seed = 0; seed < TRIES; seed++) {
      const fault = judge.judge(seed, size);
      const { instructionCount } = judge.lir;
      if (fault !== null && instructionCount < smallest.instructions) {
        smallest = { seed, size, fault, instructions: instructionCount };
      }
    }
    if (smallest.size !== undefined) break;
  }
  const fault = judge.judge(smallest.seed, smallest.size);
  console.log(`puzzle ${smallest.seed} ${JSON.stringify(smallest.size ?? "as it is")}: ${fault}`);
  const plan = { rows: PUZZLE_ROWS, target: { name: target } };
  console.log(printLir(judge.lir, plan, "puzzle", null));
  console.log(printLir(judge.lir, plan, "puzzle", judge.allocation));
}

let wrongOnes = 0;
console.log("allocator        target    puzzles  instructions     moves   spilled  wrong  CPU s");
for (const allocator of allocators) {
  for (const target of targets) {
    const judge = new PuzzleJudge(PARTS, allocator, PARTS.plans[target].target.registers);
    const startedAt = process.cpuUsage();
    let wrong = 0;
    let one = null;
    for (let seed = first; seed < first + count; seed++) {
      const fault = judge.judge(seed);
      if (fault === null) continue;
      wrong++;
      one ??= { seed, fault };
    }
    const { user, system } = process.cpuUsage(startedAt);
    const seconds = ((user + system) / 1e6).toFixed(0);
    const counts = [judge.puzzles, judge.instructions, judge.moves, judge.spilled, wrong, seconds];
    const cells = counts.map((n, k) => String(n).padStart([11, 14, 10, 10, 7, 7][k]));
    console.log(allocator.padEnd(17) + target.padEnd(7) + cells.join(""));
    if (one !== null) printSmallest(judge, target, one);
    wrongOnes += wrong;
  }
}
process.exit(wrongOnes === 0 ? 0 : 1);
