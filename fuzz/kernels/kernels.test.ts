// The kernels: their files are what the builder prints, and every subject computes what
// JavaScript does.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../../src/compare/judge-program.js";
import { emulatorTest, testedSubjects } from "../../src/execute/unicorn-available.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { checkExpectation, runLines } from "../../src/ir/text/run-line.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { assert } from "../../src/support/assert.js";
import { projectRoot } from "../../src/support/project-root.js";
import { trials } from "../../src/support/trials.js";
import { costsOfParts } from "./fit.js";
import { ARRAY_HEADER } from "./front-end.js";
import { IMPORTED_KERNELS } from "./imported.js";
import { heapOf, type Kernel } from "./kernel.js";
import { KERNELS, resultOf, textOf } from "./kernels.js";
import { MESSAGE } from "./sha256.js";

const FOLDER = join(projectRoot(), "corpus", "bench");
/** Less work than this is mostly what comes before and behind the loops. */
const WORK_MIN = 50_000;
const ALL = [...KERNELS, ...IMPORTED_KERNELS];
const withEmulator = emulatorTest(test);
/** One of so many subjects computes each kernel, in turn: a subject has half of the kernels, a kernel half of them. */
const EVERY = trials(2, 1);

test("corpus/bench holds every kernel and no other program", (t) => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ir"));
  t.deepEqual(files.sort(), ALL.map(({ name }) => `${name}.ir`).sort());
});

for (const [k, kernel] of ALL.entries()) {
  const path = join(FOLDER, `${kernel.name}.ir`);

  test(`${kernel.name}.ir is what the builder prints (TOUCHSTONE_UPDATE=1 rewrites it)`, (t) => {
    const text = textOf(kernel);
    if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(path, text);
    t.is(readFileSync(path, "utf8"), text);
  });

  withEmulator(`${kernel.name}: oracle and subjects give what JavaScript gives`, (t) => {
    const text = readFileSync(path, "utf8");
    const module = parseModule(text);
    const runs = runLines(text, module);
    t.is(runs.length, 1 + kernel.leaving.length);
    const judge = new Judge({
      subjects: testedSubjects().filter((_, s) => s % EVERY === k % EVERY),
      fuelMax: DEFAULT_FUEL,
    });
    const { expected, fuelUsed, results } = judge.judge(
      module,
      runs.map(({ input }) => input),
    );
    judge.close();
    runs.forEach((run, i) => {
      t.truthy(run.expected);
      if (run.expected !== null) t.is(checkExpectation(run.expected, expected[i]), null);
      t.is(expected[i].ending.kind, i === 0 ? "return" : "exit");
    });
    t.true(fuelUsed[0] >= WORK_MIN, `${fuelUsed[0]} values`);
    t.true(results.length > 5, `${results.length} subjects`);
    for (const { subject, judgements } of results) {
      t.is(judgements.length, runs.length);
      for (const { verdict } of judgements) t.is(verdict.kind, "equal", subject);
    }
  });
}

// JavaScript is the reference of all others, so it is tested itself.

const kernelNamed = (name: string): Kernel => {
  const kernel = KERNELS.find((row) => row.name === name);
  assert(kernel !== undefined, () => `no kernel ${name}`);
  return kernel;
};

test("SHA-256 is that of node:crypto, for every length of the last block", (t) => {
  const kernel = kernelNamed("sha256");
  for (let length = 0; length <= 130; length++) {
    const heap = heapOf(kernel);
    const message = new Uint8Array(heap.slice(MESSAGE, MESSAGE + length));
    kernel.javascript(heap, [length]);
    const digest = Buffer.from(new Uint32Array(heap, 0, 8).buffer, 0, 32).swap32();
    t.is(digest.toString("hex"), createHash("sha256").update(message).digest("hex"), `${length}`);
  }
});

test("quicksort sorts", (t) => {
  const kernel = kernelNamed("quicksort");
  for (const n of [0, 1, 2, 3, 10, 500]) {
    const heap = heapOf(kernel);
    const sorted = new Int32Array(heap.slice(ARRAY_HEADER, ARRAY_HEADER + 4 * n)).sort();
    const hash = kernel.javascript(heap, [n, n]);
    t.deepEqual(new Int32Array(heap, ARRAY_HEADER, n), sorted);
    t.is(
      hash,
      sorted.reduce((x, element) => (Math.imul(x, 31) + element) | 0, 0),
    );
  }
});

test("the sieve counts the numbers without a divisor", (t) => {
  const isPrime = (n: number) =>
    Array.from({ length: n - 2 }, (_, i) => n % (i + 2)).every(Boolean);
  let primes = 0;
  for (let n = 2; n < 300; n++) {
    t.is(resultOf(kernelNamed("sieve"), n), primes);
    if (isPrime(n)) primes++;
  }
});

test("the matrix product has the sum of its elements", (t) => {
  // The sum over i, j and k of (i + 1) / (k + 1) * (k - j).
  t.is(resultOf(kernelNamed("matrix"), 1), 0);
  t.is(resultOf(kernelNamed("matrix"), 2), 3 * -1 + (3 / 2) * 1);
});

test("the interpreter interprets", (t) => {
  const { args } = kernelNamed("interpreter");
  const [n, modulus] = args(1000);
  let sum = 1;
  for (let i = 0; i < n; i++) sum = (sum * 31 + i) % modulus;
  t.is(resultOf(kernelNamed("interpreter"), 1000), sum);
});

test("mandelbrot: the origin stays, a corner leaves at once", (t) => {
  const heap = heapOf(kernelNamed("mandelbrot"));
  kernelNamed("mandelbrot").javascript(heap, [4]);
  const image = new Uint8Array(heap, ARRAY_HEADER, 16);
  t.is(image[4 * 2 + 3], 50); // 0 + 0i
  t.is(image[0], 2); // -1.5 - i: |z| is 1.8 after one step, more than 2 after two
});

test("costs of parts: what the sum was made of; sizes that do not tell parts apart are refused", (t) => {
  const counts = [1, 2, 3].map((n) => [1, n, n * n]);
  const costs = counts.map(([one, n, square]) => 5 * one + 7 * n + 11 * square);
  t.deepEqual(costsOfParts(counts, costs).map(Math.round), [5, 7, 11]);
  t.throws(
    () =>
      costsOfParts(
        [
          [1, 2],
          [1, 2],
        ],
        [3, 3],
      ),
    { instanceOf: RangeError },
  );
});
