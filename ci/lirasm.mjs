// Runs the tests of Nanojit's assembler, lirasm, in the oracle and by both back ends: each file `x.in` with the printed
// result `x.out` beside it. The tests are not part of the project.
//
//   node ci/lirasm.mjs FOLDER...              all tests directly in these folders
//   node ci/lirasm.mjs FOLDER... --from 2010  with this dialect; default: the one that the names tell
//   node ci/lirasm.mjs FOLDER... --lirasm EXE the real assembler also runs what `fuzz export --to lir` makes of them
//
// Status 1 if a result differs from that in `x.out`, or a subject from the oracle.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const load = (path) => import(join(ROOT, "build", path));
const { Judge } = await load("src/compare/judge-program.js");
const { subjectNamed } = await load("src/execute/subjects.js");
const { importLir } = await load("src/import/lir/import-lir.js");
const { lirInput } = await load("src/import/lir/inputs.js");
const { Float, Int32, Int64 } = await load("src/ir/types.js");
const { LirError } = await load("src/lir/lir-error.js");
const { parseLir } = await load("src/lir/parse.js");
const { DEFAULT_FUEL } = await load("src/oracle/fuel.js");
const { SeedSource } = await load("src/support/source.js");

const SUBJECTS = ["x64-O0", "x64-O1", "x64-O2", "arm64-O0", "arm64-O1", "arm64-O2"];
const LIRASM_MS = 10_000;

const { values, positionals } = readOptions({
  options: { from: { type: "string" }, lirasm: { type: "string" } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  console.error("lirasm.mjs: expected folders with tests: x.in, and x.out beside it");
  process.exit(2);
}

/** Returns what lirasm prints for an outcome. */
function printed({ events, ending }, dialect) {
  const lines = events.map(({ args }) => `${args[0].lo}`);
  if (ending.kind === "exit") return [...lines, `Exited block on line: ${ending.frames[0].point}`];
  if (ending.kind !== "return" || ending.result === null) return [...lines, ending.kind];
  const { type, lo, hi } = ending.result;
  return [...lines, `Output is: ${number(type, lo, hi, dialect)}`];
}

function number(type, lo, hi, dialect) {
  if (type === Int32) return `${lo}`;
  // Until 2011 the assembler prints the low half.
  if (type === Int64)
    return dialect === "2013" ? `${(BigInt(hi) << 32n) | BigInt(lo >>> 0)}` : `${lo}`;
  const view = new DataView(new ArrayBuffer(8));
  view.setInt32(0, type === Float ? lo : hi);
  view.setInt32(4, lo);
  return sixDigits(type === Float ? view.getFloat32(0) : view.getFloat64(0));
}

/** Prints a number as %g of C does, with an exponent of as few digits as possible. */
function sixDigits(x) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [digits, exponent] = x.toExponential(5).split("e");
  const power = Number(exponent);
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < 6) return short(x.toFixed(5 - power));
  return `${short(digits)}e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}

const plain = (text) =>
  text
    .trim()
    .replaceAll("\r", "")
    .replace(/e([+-])0*(\d)/g, "e$1$2")
    .split("\n")
    .join(" | ");

const judge = new Judge({ subjects: SUBJECTS.map(subjectNamed), fuelMax: DEFAULT_FUEL });
const counts = { tried: 0, taken: 0, results: 0, executions: 0, differ: 0, open: 0, exported: 0 };
const refused = new Map();

function differs(path, message) {
  counts.differ++;
  console.log(`${path}: ${message}`);
}

async function run(path, folder) {
  counts.tried++;
  let lir;
  let imported;
  try {
    lir = parseLir(readFileSync(path, "latin1"), values.from ?? null);
    imported = importLir(lir);
  } catch (error) {
    if (!(error instanceof LirError)) throw error;
    const why = error.refused === "" ? error.message : error.refused;
    refused.set(why, [...(refused.get(why) ?? []), `${path}:${error.line}`]);
    return;
  }
  counts.taken++;
  const { module } = imported;
  const inputs = [lirInput(imported, new SeedSource(1n))];
  const [{ expected, results }] = await judge.judgeAll([{ module, inputs }]);
  const found = plain(printed(expected[0], lir.dialect).join("\n"));
  const said = plain(readFileSync(path.replace(/\.in$/, ".out"), "latin1"));
  if (found === said) counts.results++;
  else differs(path, `expected '${said}', the oracle gives '${found}'`);
  for (const { judgements, subject } of results) {
    for (const { verdict } of judgements) {
      if (verdict.kind === "equal") counts.executions++;
      else if (verdict.kind === "unjudged") counts.open++;
      else differs(path, `${subject} differs from the oracle`);
    }
  }
  if (values.lirasm !== undefined) await runExported(path, folder, module, inputs, expected[0]);
}

async function runExported(path, folder, module, inputs, expected) {
  const { exportLir, lirLines } = await load("src/export/lir/export-lir.js");
  let exported;
  try {
    exported = exportLir(module, inputs[0]);
  } catch (error) {
    const why = `export: ${error.message}`;
    refused.set(why, [...(refused.get(why) ?? []), path]);
    return;
  }
  const file = join(folder, "x.in");
  writeFileSync(file, exported.text);
  const lines = lirLines(expected, exported.printsHeap);
  if (lines === null) return;
  for (const options of [[], ["--optimize"]]) {
    const process = spawnSync(values.lirasm, [...options, "--execute", file], {
      ...{ encoding: "latin1", timeout: LIRASM_MS },
    });
    const [found, said] = [plain(process.stdout), lines.join(" | ")];
    if (found === said) counts.exported++;
    else
      differs(
        path,
        `lirasm ${options.join("")} gives '${found || process.stderr}' for the exported text, expected '${said}'`,
      );
  }
}

const folder = mkdtempSync(join(tmpdir(), "touchstone-lirasm-"));
try {
  for (const at of positionals) {
    const files = readdirSync(at).filter(
      (name) => name.endsWith(".in") && existsSync(join(at, name.replace(/\.in$/, ".out"))),
    );
    for (const name of files.sort()) await run(join(at, name), folder);
  }
} finally {
  judge.close();
  rmSync(folder, { recursive: true });
}
for (const [why, paths] of [...refused].sort((x, y) => y[1].length - x[1].length))
  console.log(`refused, ${why}: ${paths.join(", ")}`);
const refusals = [...refused.values()].flat().length;
console.log(
  `${counts.tried} tried, ${counts.taken} taken, ${refusals} refused; results equal: ${counts.results}; ` +
    `executions equal: ${counts.executions}, open: ${counts.open}; different: ${counts.differ}` +
    (values.lirasm === undefined ? "" : `; exported texts equal: ${counts.exported}`),
);
process.exitCode = counts.differ === 0 ? 0 : 1;
