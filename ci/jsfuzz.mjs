// `node ci/jsfuzz.mjs TARGET [--seconds N] [--keep]`: lets jsfuzz mutate inputs of one target of
// fuzz/jsfuzz for N seconds (default 60). `--replay FILE...` only runs those inputs.
//
// Exploration, not a test: jsfuzz has randomness of its own, so no run repeats. Its findings repeat:
// a crash is a file in reports/jsfuzz, and with `--keep` inputs with new coverage go to corpus/jsfuzz, which the tests
// replay.
//
// Four properties of jsfuzz 1.0.15 determine this script. It counts statements, at the cost of a
// walk over all counters after each execution: so the target is loaded past its hook, with counters of its own. It has
// no time limit, and stops cleanly only by SIGINT to both of its processes: `timeout` sends it. It ends with 0 if its
// worker died quietly: so 0 is an error. Its versifier, which learns the structure of texts, makes inputs of 140 MB
// after 40 programs: so it is off.
//
// The last line gives the coverage; the status is 0, or 1 after a crash or without any coverage.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { buildSync } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = join(ROOT, "fuzz", "jsfuzz");
const CORPUS = join(ROOT, "corpus");
const TARGETS = ["parser", "byte-generator", "exit-table"];
const SECONDS = { usual: 60, least: 10 }; // its first line of figures comes after 3 s
const KEPT = { files: 60, bytes: 4096 };
const STATUS = { crashed: 1, outOfTime: 124 };
const HEX_SHOWN = 400;
const WORDS_SHOWN = 40;

// The file that jsfuzz loads. The bundle bypasses its hook on `require`, which would instrument it; the
// counters replace those of this file.
const LOADER = `
const { readFileSync } = require("node:fs");
const vm = require("node:vm");
const module_ = { exports: {} };
const code = readFileSync(__dirname + "/bundle.cjs", "utf8");
const load = vm.runInThisContext("(function (module, exports, require) {" + code + "\\n})");
load(module_, module_.exports, require);
const { FeatureCollector, target } = module_.exports;
const features = new FeatureCollector();
exports.fuzz = (bytes) => {
  target.run(bytes, features);
};
global.__coverage__ = { features: { s: {}, f: {}, b: { known: features.counters } } };
`;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function bundle(target, folder) {
  const outfile = join(folder, "bundle.cjs");
  const result = buildSync({
    stdin: {
      contents: [
        `export { target } from "./${target}.js";`,
        'export { FeatureCollector, weightOf } from "./features.js";',
      ].join("\n"),
      resolveDir: SOURCES,
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    // Data of the project are found from here; CommonJS has no `import.meta`.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(SOURCES, "bundle.js")).href) },
    outfile,
    logLevel: "error",
  });
  // esbuild only warns of syntax that CommonJS lacks.
  if (result.warnings.length > 0) throw new Error(result.warnings.map((w) => w.text).join("\n"));
  return outfile;
}

function load(file) {
  const module = { exports: {} };
  const code = `(function (module, exports, require) {${readFileSync(file, "utf8")}\n})`;
  const require = createRequire(import.meta.url);
  vm.runInThisContext(code, { filename: file })(module, module.exports, require);
  return module.exports;
}

function filesBelow(folder, ending = "") {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Collects the first inputs: those kept before, the target's own, and the programs for the parser. */
function firstInputs(name, target) {
  const files = filesBelow(join(CORPUS, "jsfuzz", name));
  if (name === "parser") files.push(...filesBelow(CORPUS, ".ir"));
  const inputs = [...files.map((file) => readFileSync(file)), ...target.seeds()];
  return inputs.filter((bytes) => bytes.length <= KEPT.bytes);
}

function explore(folder, seconds) {
  const jsfuzz = join(ROOT, "node_modules", "jsfuzz", "build", "src", "index.js");
  const command = ["-k", "5", "-s", "INT", `${seconds}`, process.execPath, jsfuzz];
  const result = spawnSync("timeout", [...command, "loader.js", "inputs", "--no-versifier"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (result.error !== undefined) throw result.error;
  const pulses = [...result.stdout.matchAll(/^#(\d+) .*\bcov: (\d+) corp: (\d+)/gm)];
  const last = pulses.at(-1) ?? ["", "0", "0", "0"];
  // The exception of the target; the other stream lists every file that the hook cannot instrument.
  const words = result.stdout.split("\n").filter((line) => !line.startsWith("#"));
  return { status: result.status, executions: +last[1], coverage: +last[2], words };
}

/** Moves crashes to the reports, and prints how to repeat each. */
function reportCrashes(name, folder) {
  const crashes = readdirSync(folder).filter((file) => file.startsWith("crash-"));
  const reports = join(ROOT, "reports", "jsfuzz");
  if (crashes.length > 0) mkdirSync(reports, { recursive: true });
  for (const crash of crashes) {
    const file = join(reports, `${name}-${crash}`);
    copyFileSync(join(folder, crash), file);
    const hex = readFileSync(file).toString("hex");
    console.log(`crash: ${hex.slice(0, HEX_SHOWN)}${hex.length > HEX_SHOWN ? "..." : ""}`);
    console.log(`again: node ci/jsfuzz.mjs ${name} --replay ${file}`);
  }
  return crashes.length;
}

const withFeatures = ({ target, FeatureCollector }, inputs) =>
  inputs.map((bytes) => {
    const features = new FeatureCollector();
    target.run(bytes, features);
    return { bytes, name: sha256(bytes), features: [...features.known] };
  });

/**
 * Returns few inputs that reach what all inputs reach, within the bound: each is the one that adds most
 * to those before it; of two such the shorter.
 */
function choose({ weightOf }, inputs) {
  const reached = new Set();
  const chosen = [];
  const gain = ({ features }) =>
    features.reduce((sum, id) => sum + (reached.has(id) ? 0 : weightOf(id)), 0);
  let rest = inputs.toSorted(
    (x, y) => x.bytes.length - y.bytes.length || (x.name < y.name ? -1 : 1),
  );
  while (chosen.length < KEPT.files) {
    rest = rest.map((input) => ({ ...input, gain: gain(input) })).filter((input) => input.gain > 0);
    if (rest.length === 0) break;
    const best = rest.reduce((x, y) => (y.gain > x.gain ? y : x));
    chosen.push(best);
    for (const feature of best.features) reached.add(feature);
  }
  return { chosen, reached: reached.size };
}

function keep(name, chosen) {
  const folder = join(CORPUS, "jsfuzz", name);
  mkdirSync(folder, { recursive: true });
  const names = new Set(chosen.map((input) => input.name));
  for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(join(folder, file));
  for (const input of chosen) writeFileSync(join(folder, input.name), input.bytes);
}

function fuzz(name, seconds, keeps, folder) {
  const code = load(bundle(name, folder));
  writeFileSync(join(folder, "loader.js"), LOADER);
  const inputs = join(folder, "inputs");
  mkdirSync(inputs);
  const first = firstInputs(name, code.target);
  for (const bytes of first) writeFileSync(join(inputs, sha256(bytes)), bytes);
  const { status, executions, coverage, words } = explore(folder, seconds);
  const crashCount = reportCrashes(name, folder);
  const isSound = status === STATUS.outOfTime && coverage > 0;
  if (crashCount > 0 || !isSound) console.log(words.slice(-WORDS_SHOWN).join("\n"));
  if (!isSound && status !== STATUS.crashed) console.log(`jsfuzz ended with status ${status}`);
  if (crashCount > 0 || !isSound) return 1;
  const found = filesBelow(inputs).map((file) => readFileSync(file));
  const small = found.filter((bytes) => bytes.length <= KEPT.bytes);
  const { chosen, reached } = choose(code, withFeatures(code, small));
  if (keeps) keep(name, chosen);
  const before = new Set(withFeatures(code, first).flatMap(({ features }) => features)).size;
  console.log(
    `jsfuzz ${name}: ${executions} executions in ${seconds} s, ${coverage} features ` +
      `(${before} at the beginning), ${reached} of them in ${chosen.length} inputs` +
      `${keeps ? ", kept in" : "; with --keep they replace those of"} corpus/jsfuzz/${name}`,
  );
  return 0;
}

function replay(name, files, folder) {
  const { target, FeatureCollector } = load(bundle(name, folder));
  for (const file of files) {
    target.run(readFileSync(file), new FeatureCollector());
    console.log(`${file}: the target accepts this input`);
  }
  return 0;
}

function usage(message) {
  console.error(
    `${message}\nusage: node ci/jsfuzz.mjs ${TARGETS.join("|")} [--seconds N] [--keep]`,
  );
  console.error(`       node ci/jsfuzz.mjs TARGET --replay FILE...`);
  return 2;
}

function main([name, ...options]) {
  if (!TARGETS.includes(name)) return usage(`no such target: ${name}`);
  let seconds = SECONDS.usual;
  let keeps = false;
  const isReplay = options[0] === "--replay";
  for (let i = 0; i < options.length && !isReplay; i++) {
    if (options[i] === "--keep") keeps = true;
    else if (options[i] === "--seconds") seconds = Number(options[++i]);
    else return usage(`no such option: ${options[i]}`);
  }
  if (!Number.isInteger(seconds) || seconds < SECONDS.least) {
    return usage(`--seconds: expected a whole number, at least ${SECONDS.least}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "touchstone-jsfuzz-"));
  try {
    return isReplay ? replay(name, options.slice(1), folder) : fuzz(name, seconds, keeps, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.exitCode = main(process.argv.slice(2));
