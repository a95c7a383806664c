// Measures Touchstone itself: what it finds, what it generates, how fast it is and how it grows.
//
//   node ci/measure.mjs                  lists the measurements
//   node ci/measure.mjs NAME [OPTION...] runs one
//
// Status 0, or 1 if a measurement has a bound and misses it.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readOptions } from "./options.mjs";
import { folderUnlikeBuild } from "./stale.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const load = (path) => import(pathToFileURL(join(ROOT, "build", path)).href);
const text = (initial) => ({ type: "string", ...(initial && { default: initial }) });
/** Copies the results to the pages of figures (pages/README.md). */
const WRITE = { type: "boolean", default: false };
const PROGRAMS = { seed: text("1"), count: text("200") };

/** Modules of ci/measure that export `run(args)`, with their options. */
// biome-ignore format: a table
const MODULES = {
  score: {
    module: () => load("ci/measure/score/score.js"),
    says: "the number of programs that find each planted bug, or with --mutate N each of N mutants",
    words: "folders",
    options: {
      mutate: text(), "mutant-seed": text("1"), profile: text("usual"), seeds: text("1"), count: text("20000"),
      workers: text(), state: text("reports/score.jsonl"), "no-causes": { type: "boolean", default: false }, write: WRITE,
    },
  },
  distribution: { module: () => load("ci/measure/distribution/print-distribution.js"), says: "the generated programs, by figures with floors", options: { ...PROGRAMS, count: text("2000") } },
  bench: { module: () => load("ci/measure/bench/bench.js"), says: "throughput by stage and phase, and executed instructions by level", options: { ...PROGRAMS, write: WRITE } },
  kernels: { module: () => load("ci/measure/kernels/bench-kernels.js"), says: "code quality on kernels, beside other compilers; --disable PHASES", options: { disable: text(), write: WRITE } },
  growth: { module: () => load("ci/measure/growth/growth.js"), says: "the growth of each phase and stage, on programs of ten shapes", options: {} },
  deoptimizations: {
    module: () => load("ci/measure/deoptimizations.js"),
    says: "the executions of each compiler of JavaScript that leave compiled code",
    options: { ...PROGRAMS, subjects: text("v8-js-turbofan,jsc-js-ftl,sm-js-ion"), profile: text("usual") },
  },
  allocators: { module: () => load("ci/measure/growth/allocators.js"), says: "the growth of each allocator, and one very large procedure", options: {} },
};

/** Scripts, which read their options themselves. */
// biome-ignore format: a table
const SCRIPTS = {
  puzzles: { script: "allocations/puzzles.mjs", says: "100,000 puzzles of allocation for each allocator and target" },
  checker: { script: "allocations/mutate-allocations.mjs", says: "20,000 mutated allocations, which the checker must reject" },
  unreached: { script: "unreached.mjs", says: "the lines of the compiler that no program of a profile executes" },
  evolving: { script: "evolving.mjs", says: "the coverage of usual and evolved programs, by count and by time" },
  campaign: { script: "campaign.mjs", says: "the cost of a store, the gain of a second worker, a soak: `store`, `fleet`, `soak`" },
};

const NAMES = [...Object.keys(MODULES), ...Object.keys(SCRIPTS)];

function list() {
  for (const [name, { says, options = {} }] of Object.entries({ ...MODULES, ...SCRIPTS })) {
    console.log(`${name.padEnd(16)}${says}`);
    const known = Object.entries(options).map(([option, row]) =>
      row.type === "boolean" ? `--${option}` : `--${option} ${row.default ?? "..."}`,
    );
    if (known.length > 0) console.log(`${"".padEnd(16)}${known.join(" ")}`);
  }
}

/** Builds sources that have changed, as `fuzz` does. */
function buildIfStale() {
  if (process.env.TOUCHSTONE_NO_BUILD !== undefined || folderUnlikeBuild(ROOT) === null) return;
  const stdio = ["ignore", process.stderr, process.stderr];
  const { status } = spawnSync(process.execPath, [join(ROOT, "ci", "build.mjs")], { stdio });
  if (status !== 0) process.exit(3);
}

async function runModule({ module, options, words }, args) {
  const { values, positionals } = readOptions({
    args,
    options,
    allowPositionals: words !== undefined,
  });
  const { UserError } = await load("fuzz/support/output.js");
  const { run } = await module();
  try {
    return await run({ ...values, ...(words && { [words]: positionals }) });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`measure: ${error.message}`);
    return error.status;
  }
}

function runScript({ script }, args) {
  const path = join(ROOT, "ci", "measure", script);
  return spawnSync(process.execPath, [path, ...args], { stdio: "inherit" }).status ?? 1;
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  list();
} else if (NAMES.includes(name)) {
  buildIfStale();
  process.exitCode =
    name in MODULES ? await runModule(MODULES[name], args) : runScript(SCRIPTS[name], args);
} else {
  console.error(`measure: ${name}: expected one of ${NAMES.join(", ")}`);
  process.exitCode = 2;
}
