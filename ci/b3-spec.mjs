// Runs scripts of the WebAssembly specification in JavaScriptCore, and judges every phase of B3 on every procedure that
// it compiles: the text after each phase against the text before, in the oracle. The values of `assert_return` are
// compared with the text before the first phase, for functions that access no memory and call nothing.
//
//   node ci/b3-spec.mjs                 the folder wasm-spec in $TOUCHSTONE_SUITES; `ci/wasm-spec.mjs --origin` has its source
//   node ci/b3-spec.mjs FILE.wast ...   these scripts
//
// It needs `jsc` and wabt's `wast2json` (Debian: libjavascriptcoregtk-4.0-bin, wabt), and is skipped without them.
// Status 1 if a phase is wrong, or a value differs.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const load = (path) => import(join(ROOT, "build", path));
const { printTable } = await load("fuzz/support/output.js");
const { b3Command } = await load("src/engine/wasm-rows.js");
const { parseGraph } = await load("src/import/b3/graph.js");
const { importB3 } = await load("src/import/b3/import-b3.js");
const { readB3Dump } = await load("src/import/b3/read-dump.js");
const { surroundingsOf } = await load("src/import/b3/surroundings.js");
const { ImportError } = await load("src/import/import-error.js");
const { openWasmReader } = await load("src/import/read-wasm.js");
const { HEAP_BASE_HI, HEAP_BASE_LO } = await load("src/ir/outcome.js");
const { decodeModule } = await load("src/oracle/fast/decode.js");
const { Oracle } = await load("src/oracle/fast/oracle.js");
const { judgeB3 } = await load("src/phases/b3-phases.js");

const ENGINE_MS = 120_000;
const FUEL = 100_000;
/** Calls of each function: in the third, code of the best compiler runs. */
const ROUNDS = 3;
/** The registers of arguments on x86-64, in order. */
const INTEGERS = ["%rdi", "%rsi", "%rdx", "%rcx", "%r8", "%r9"];
const FLOATS = Array.from({ length: 8 }, (_, i) => `%xmm${i}`);
const MARK = "@@ module ";
/** The most commands of a script that wast2json cannot read. */
const TRIES_MAX = 100;
/** A parenthesis, a string or a comment. */
const TOKEN = /;;[^\n]*|\(;[\s\S]*?;\)|"(?:[^"\\]|\\.)*"|[()]/g;

const { positionals } = readOptions({ options: {}, allowPositionals: true });
const reader = await openWasmReader();

/** Returns the scripts; none, with the reason printed, if something is missing. */
function scripts() {
  if (positionals.length > 0) return positionals;
  const suites = (process.env.TOUCHSTONE_SUITES ?? "").split(":").filter((path) => path !== "");
  const folder = suites.map((path) => join(path, "wasm-spec")).find(existsSync);
  if (folder === undefined) return skipped("nothing in $TOUCHSTONE_SUITES has a folder wasm-spec");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".wast"))
    .map((name) => join(folder, name));
}

function skipped(why) {
  console.log(`b3-spec: skipped: ${why}`);
  return [];
}

const command = b3Command();
const hasWabt = spawnSync("wast2json", ["--version"]).status === 0;

/** The script that the shell of JavaScriptCore runs: it creates each instance, and calls its functions. */
function driver(modules) {
  return `const print_ = () => {};
const spectest = { print: print_, print_i32: print_, print_i64: print_, print_f32: print_, print_f64: print_,
  print_i32_f32: print_, print_f64_f64: print_, global_i32: 666, global_i64: 666n, global_f32: 666.6, global_f64: 666.6,
  table: new WebAssembly.Table({ initial: 10, maximum: 20, element: "anyfunc" }),
  memory: new WebAssembly.Memory({ initial: 1, maximum: 2 }) };
const registered = { spectest };
const named = {};
let last = {};
const view = new DataView(new ArrayBuffer(8));
function value({ type, value }) {
  if (type === "i32") return Number(value) | 0;
  if (type === "i64") return BigInt.asIntN(64, BigInt(value));
  if (type !== "f32" && type !== "f64") return null;
  if (value.startsWith("nan")) return NaN;
  view.setBigUint64(0, BigInt(value));
  if (type === "f64") return view.getFloat64(0);
  return view.getFloat32(4);
}
for (const { bytes, number, name, as, calls } of ${JSON.stringify(modules)}) {
  printErr(${JSON.stringify(MARK)} + number);
  try {
    if (bytes !== null) {
      const module = new WebAssembly.Module(Uint8Array.from(bytes));
      last = new WebAssembly.Instance(module, registered).exports;
      if (name !== null) named[name] = last;
    }
    if (as !== null) registered[as] = last;
  } catch (error) { last = {}; printErr("@@ failed " + String(error).replace(/\\n/g, " ")); }
  for (const { field, args } of calls)
    for (let i = 0; i < ${ROUNDS}; i++) try { last[field](...args.map(value)); } catch {}
}
`;
}

/** Splits a script into its forms at this depth, with the text between them. */
function formsAt(depth, text) {
  const forms = [];
  let [open, from] = [0, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "(" && ++open === depth) {
      forms.push(text.slice(from, index));
      from = index;
    }
    if (token !== ")" || open-- !== depth) continue;
    forms.push(text.slice(from, index + 1));
    from = index + 1;
  }
  return [...forms, text.slice(from)];
}

/** Returns the position of the form that holds a line; null if there is none. */
function formAt(forms, line) {
  let last = 1;
  for (const [at, form] of forms.entries()) {
    last += form.split("\n").length - 1;
    if (last >= line && form.startsWith("(")) return at;
    if (last > line) return null;
  }
  return null;
}

const isModule = (form) => form.startsWith("(module");
const blank = (form) => form.replace(/[^\n]+/g, "");

/** Removes what wast2json cannot read: a part of a module, or a module with the assertions after it. */
function without(line, text) {
  const parts = formsAt(2, text);
  const commands = formsAt(1, text);
  const part = formAt(parts, line);
  const at = formAt(commands, line);
  if (at === null) return null;
  if (isModule(commands[at]) && part !== null) return parts.with(part, blank(parts[part])).join("");
  let end = at + 1;
  if (isModule(commands[at])) while (end < commands.length && !isModule(commands[end])) end++;
  return commands.map((form, i) => (i < at || i >= end ? form : blank(form))).join("");
}

/** Returns the commands of a script as wast2json writes them, without those that it cannot read. */
function converted(path, folder) {
  const json = join(folder, "script.json");
  const file = join(folder, "script.wast");
  let text = readFileSync(path, "utf8");
  for (let tries = 0; text !== null && tries < TRIES_MAX; tries++) {
    writeFileSync(file, text);
    const made = spawnSync("wast2json", ["--enable-all", file, "-o", json], { encoding: "utf8" });
    if (made.status === 0) return JSON.parse(readFileSync(json, "utf8")).commands;
    const [, line, why] = /^[^:\n]*:(\d+):\d+: error: (.*)/.exec(made.stderr) ?? [];
    if (line === undefined) break;
    count(reasons, `wast2json: ${why.slice(0, 60)}`);
    text = without(Number(line), text);
  }
  count(reasons, `${basename(path)}: wast2json cannot read it`);
  return [];
}

/** Returns the modules of a script in order, each with the calls of its exports. */
function modulesOf(path, folder) {
  const modules = [];
  for (const each of converted(path, folder)) {
    const { type, filename, action, expected, line } = each;
    if (type === "module") {
      const bytes = readFileSync(join(folder, filename));
      modules.push({ number: modules.length, bytes, name: each.name ?? null, as: null, calls: [] });
    } else if (type === "register") {
      const at = modules.findLast(({ name }) => each.name === undefined || name === each.name);
      if (at !== undefined) at.as = each.as;
    } else if (action?.type === "invoke" && type !== "assert_exhaustion") {
      const { module, field, args } = action;
      const at = modules.findLast(({ name }) => module === undefined || name === module);
      at?.calls.push({ field, args, expected: type === "assert_return" ? expected : null, line });
    }
  }
  return modules;
}

function logOf(modules, folder) {
  const script = join(folder, "script.js");
  const log = join(folder, "log");
  const called = modules.map(({ bytes, calls, ...about }) => {
    const once = new Map(calls.map((call) => [JSON.stringify([call.field, call.args]), call]));
    return { ...about, bytes: [...bytes], calls: [...once.values()] };
  });
  writeFileSync(script, driver(called));
  const stderr = openSync(log, "w");
  const words = [...command.args.slice(0, -2), script];
  const ended = spawnSync(command.path, words, {
    ...{ stdio: ["ignore", "ignore", stderr], timeout: ENGINE_MS },
  });
  closeSync(stderr);
  const died =
    ended.signal !== null ? ended.signal : ended.status === 0 ? null : `status ${ended.status}`;
  return { log: readFileSync(log, "latin1"), died };
}

/** Returns the procedures of a log: the module, the index of the function, and the text of all phases. */
function procedures(log) {
  const found = [];
  let module = -1;
  let lines = null;
  for (const line of log.split("\n")) {
    if (line.startsWith(MARK)) module = Number(line.slice(MARK.length));
    if (line.startsWith("B3 after initial")) lines = [];
    lines?.push(line);
    const done = /^Generated OMG code for WebAssembly OMG .*wasm-function\[(\d+)\]/.exec(line);
    if (done === null || lines === null) continue;
    found.push({ module, index: Number(done[1]), text: lines.join("\n") });
    lines = null;
  }
  return found;
}

const counts = new Map();
const add = (row, what, by = 1) => {
  row[what] = (row[what] ?? 0) + by;
};
const reasons = new Map();
const values = new Map();
const differences = [];

function judgeProcedure(row, file, { module, index, text }, modules) {
  add(row, "procedures");
  const [compilation] = readB3Dump(text);
  try {
    const { judged, unchanged, equal, open, outside, wrong } = judgeB3(compilation);
    add(row, "boundaries", compilation.phases.length);
    add(row, "judged", judged);
    add(row, "unchanged", unchanged);
    add(row, "equal", equal);
    add(row, "open", open);
    add(row, "outside", outside.length);
    for (const { why } of outside)
      count(reasons, why.replace(/^line \d+: /, "").replace(/\bb@\d+/g, "b@N"));
    if (wrong !== null) {
      add(row, "wrong");
      differences.push(`${file}, function ${index}: ${wrong.name}: ${wrong.difference}`);
    }
    compareValues(row, file, compilation, modules[module], index);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    add(row, "malformed");
    differences.push(`${file}, function ${index}: ${error.message}`);
  }
}

const count = (of, what, by = 1) => of.set(what, (of.get(what) ?? 0) + by);

/** Compares the values of assertions about a function with the program of the first text. */
function compareValues(row, file, compilation, module, index) {
  const graphs = compilation.phases.map(parseGraph);
  const why = outsideOfValues(graphs[0]);
  const [{ module: program }] = importB3(compilation);
  const calls = callsOf(module, index);
  if (why !== null || program === null) {
    count(values, why ?? "the first text cannot be imported", calls.length);
    return;
  }
  const decoded = decodeModule(program);
  const registers = [...surroundingsOf(graphs).registers.keys()];
  for (const call of calls) {
    const [expected] = call.expected;
    if (call.expected.length !== 1 || expected.type.length !== 3) {
      count(values, "no result, or several, or a reference");
      continue;
    }
    const outcome = new Oracle().run(decoded, inputOf(program, registers, call.args), FUEL);
    if (outcome.ending.kind === "nan-bits" || outcome.ending.kind === "out-of-fuel") {
      count(values, `the oracle ends by ${outcome.ending.kind}`);
      continue;
    }
    const found =
      outcome.ending.kind === "return" ? resultOf(outcome, expected.type) : outcome.ending.kind;
    add(row, "values");
    if (isExpected(found, expected)) continue;
    add(row, "differing");
    differences.push(
      `${file}:${call.line}: ${call.field} gives ${found}, expected ${expected.value}`,
    );
  }
}

/** Returns why a procedure depends on more than its arguments; null if it does not. */
function outsideOfValues({ blocks }) {
  for (const { opcode, children, attributes, types } of blocks.flatMap((block) => block.values)) {
    if (/^(?:Load|Store|Atomic|Memory|WasmAddress|WasmBounds)/.test(opcode))
      return "it accesses memory";
    if (opcode === "CCall") return "it calls";
    if (opcode !== "Patchpoint") continue;
    const isReserved =
      children.length === 0 &&
      attributes.some((text) => text.startsWith("resultConstraints = Register"));
    const isStackCheck =
      children.length === 2 &&
      types[0] === "Void" &&
      !attributes.some((text) => text.startsWith("Terminal"));
    if (!isReserved && !isStackCheck && !attributes.some((text) => text.startsWith("Terminal")))
      return "it calls";
  }
  return null;
}

/** Returns the assertions about a function. */
function callsOf({ bytes, calls }, index) {
  let names;
  try {
    const { exports } = reader.readBinary(bytes);
    names = exportNames(exports, index);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return [];
  }
  return calls.filter(({ field, expected }) => expected !== null && names.has(field));
}

const exportNames = (exports, index) =>
  new Set(
    exports
      .filter((each) => each.kind === "function" && each.index === index)
      .map(({ name }) => name),
  );

function inputOf({ entry, heapSize }, registers, args) {
  const words = new Int32Array(2 * entry.parameters.length);
  words.set([HEAP_BASE_LO, HEAP_BASE_HI]);
  for (let p = 1 + registers.length; p < entry.parameters.length; p += 2)
    words.set([HEAP_BASE_LO + heapSize - 8, HEAP_BASE_HI], 2 * p);
  let [integers, floats] = [0, 0];
  for (const { type, value } of args) {
    const register = type.startsWith("i") ? INTEGERS[integers++] : FLOATS[floats++];
    const at = registers.indexOf(register);
    const bits = value.startsWith("nan")
      ? type === "f32"
        ? 0x7fc0_0000n
        : 0x7ff8n << 48n
      : BigInt(value);
    if (at >= 0)
      words.set(
        [Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n))],
        2 * (at + 1),
      );
  }
  return { words, heapSeed: 0 };
}

/** The argument of `logMixed` that holds a result, by type. */
const SHOWN_AT = { i64: 0, f64: 1, i32: 2, f32: 3 };

function resultOf({ events }, type) {
  const { args } = events[events.length - 1] ?? { args: [] };
  const bits = args[SHOWN_AT[type]];
  if (bits === undefined) return null;
  const wide = (BigInt(bits.hi) << 32n) | BigInt(bits.lo >>> 0);
  return type.endsWith("32") ? BigInt.asUintN(32, BigInt(bits.lo)) : BigInt.asUintN(64, wide);
}

const isNaNOf = (type, bits) =>
  type === "f32"
    ? (bits & 0x7fff_ffffn) > 0x7f80_0000n
    : (bits & ((1n << 63n) - 1n)) > 0x7ff0n << 48n;

/** Recorded NaNs have no payload. */
function isExpected(found, { type, value }) {
  if (typeof found !== "bigint") return false;
  const wanted = value.startsWith("nan")
    ? null
    : BigInt.asUintN(type.endsWith("32") ? 32 : 64, BigInt(value));
  if (type.startsWith("f") && (wanted === null || isNaNOf(type, wanted)))
    return isNaNOf(type, found);
  return found === wanted;
}

const COLUMNS = [
  "procedures",
  "boundaries",
  "judged",
  "unchanged",
  "outside",
  "equal",
  "open",
  "wrong",
  "values",
  "differing",
];

function run(path) {
  const file = basename(path);
  const row = {};
  counts.set(file, row);
  const folder = mkdtempSync(join(tmpdir(), "touchstone-b3-spec-"));
  try {
    const modules = modulesOf(path, folder);
    const { log, died } = logOf(modules, folder);
    if (died !== null) differences.push(`${file}: jsc ended by ${died}`);
    for (const [, why] of log.matchAll(/^@@ failed (.*)$/gm))
      count(reasons, `jsc refuses a module: ${why.slice(0, 100)}`);
    const seen = new Set();
    for (const procedure of procedures(log)) {
      const key = `${procedure.module} ${procedure.index}`;
      if (!seen.has(key)) judgeProcedure(row, file, procedure, modules);
      seen.add(key);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const paths = scripts();
if ("missing" in command) skipped(command.missing);
else if (!hasWabt) skipped("there is no wast2json: apt-get install wabt");
else if (paths.length > 0) {
  for (const path of paths) run(path);
  const rows = [...counts].map(([file, row]) => [
    file,
    ...COLUMNS.map((column) => row[column] ?? 0),
  ]);
  const total = COLUMNS.map((_, c) => rows.reduce((sum, row) => sum + row[c + 1], 0));
  printTable([["file", ...COLUMNS], ...rows, [`${rows.length} files`, ...total]]);
  for (const [why, times] of [...reasons].sort((x, y) => y[1] - x[1]))
    console.log(`not judged, ${times}: ${why}`);
  for (const [why, times] of [...values].sort((x, y) => y[1] - x[1]))
    console.log(`values not compared, ${times}: ${why}`);
  for (const difference of differences) console.log(difference);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
