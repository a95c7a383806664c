// `node ci/measure.mjs checker [--count N] [--seed S]`: mutates N right allocations (default 20,000),
// half of them of random programs, half of puzzles. The checker must reject each mutation that changes
// a run of 64 inputs. Prints the counts by kind; status 1 if the checker has missed one.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "../../options.mjs";

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const load = (path) => import(join(ROOT, "build", path));
const { ALLOCATOR_NAMES } = await load("reference/regalloc/allocator-names.js");
const { MutationJudge } = await load("reference/regalloc/stress/judge-mutation.js");
const { PuzzleJudge } = await load("reference/regalloc/stress/judge-puzzle.js");
const { MUTATION_NAMES } = await load("reference/regalloc/stress/mutate-allocation.js");
const { PARTS } = await load("reference/parts.js");
const { INPUTS, MutatedPrograms } = await load("src/campaign/canary/mutated-allocations.js");

const { values } = readOptions({
  options: {
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
  },
});
const [count, first] = [Number(values.count), Number(values.seed)];
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first)) {
  console.error("expected whole numbers");
  process.exit(2);
}

const misses = [];
const triedBy = ({ counts }) => MUTATION_NAMES.reduce((sum, name) => sum + counts[name].tried, 0);

const programs = new MutatedPrograms();
let seed = BigInt(first);
for (; triedBy(programs.judge) < count / 2; seed++) misses.push(...programs.try(seed));
programs.close();

const puzzles = new MutationJudge(INPUTS);
const judges = ALLOCATOR_NAMES.flatMap((allocator) =>
  Object.values(PARTS.plans).map(
    ({ target }) => new PuzzleJudge(PARTS, allocator, target.registers),
  ),
);
for (let puzzle = first; triedBy(puzzles) < count / 2; puzzle++) {
  const subject = judges[puzzle % judges.length].solve(puzzle);
  const wrong = puzzles.begin(subject);
  if (wrong !== null) misses.push(`puzzle ${puzzle}: ${wrong}`);
  for (const name of MUTATION_NAMES) {
    const missed = puzzles.judge(subject, name);
    if (missed !== null) misses.push(`puzzle ${puzzle}: ${missed}`);
  }
}

const percent = (part, whole) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);
const line = (name, { tried, changed, rejected }) => {
  const harmless = tried - changed;
  const besides = percent(rejected - changed, harmless);
  const cells = [tried, changed, rejected, harmless, besides];
  return name.padEnd(44) + cells.map((cell) => String(cell).padStart(10)).join("");
};
const head = ["tried", "seen", "rejected", "unseen", "rejected"];
const sum = (judge) =>
  MUTATION_NAMES.reduce(
    (whole, name) => {
      const { tried, changed, rejected } = judge.counts[name];
      return {
        tried: whole.tried + tried,
        changed: whole.changed + changed,
        rejected: whole.rejected + rejected,
      };
    },
    { tried: 0, changed: 0, rejected: 0 },
  );
for (const [name, judge] of [
  ["programs", programs.judge],
  ["puzzles", puzzles],
]) {
  console.log(name.padEnd(44) + head.map((cell) => cell.padStart(10)).join(""));
  for (const kind of MUTATION_NAMES) console.log(line(kind, judge.counts[kind]));
  console.log(line("all", sum(judge)));
  console.log("");
}
console.log(line("programs, emitted and emulated", programs.emulated));
console.log(`${seed - BigInt(first)} programs; seen and not rejected: ${misses.length}`);
for (const missed of misses.slice(0, 20)) console.log(missed);
process.exit(misses.length === 0 ? 0 : 1);
