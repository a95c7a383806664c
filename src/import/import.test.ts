// Scripts of our own, which an interpreter of others agrees with, through the oracle and compiled code;
// and through V8, as modules that were exported again. What is outside is refused with its place.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import wabt from "wabt";
import { conformScript } from "../compare/conform-script.js";
import { Judge } from "../compare/judge-program.js";
import { engineNamed } from "../engine/engines.js";
import { subjectNamed } from "../execute/subjects.js";
import { Op } from "../ir/opcodes.js";
import { assert } from "../support/assert.js";
import { projectRoot } from "../support/project-root.js";
import { ImportError } from "./import-error.js";
import { importWasm } from "./import-wasm.js";
import { openWasmReader } from "./read-wasm.js";
import { readScript } from "./script.js";
import { programsOf } from "./script-programs.js";

const FOLDER = join(projectRoot(), "corpus/import");
const SCRIPTS = readdirSync(FOLDER).filter((name) => name.endsWith(".wast"));
const FUEL = 1_000_000;
const reader = await openWasmReader();

const scriptNamed = (name: string) =>
  readScript(readFileSync(join(FOLDER, name), "utf8"), name, reader);

const subjects = ["ir-O2", "x64-O2", "arm64-O0"].flatMap((name) => {
  const subject = subjectNamed(name);
  assert(subject !== null, () => `${name} is no subject`);
  return subject.missing() === null ? [subject] : [];
});

for (const name of SCRIPTS) {
  test(`${name} does what it expects`, (t) => {
    const script = scriptNamed(name);
    const { passed, failures, outside } = conformScript(script, { subjects, fuelMax: FUEL });
    t.deepEqual(failures, []);
    t.deepEqual(outside, []);
    t.is(passed, script.cases.length + script.refused);
    t.true(passed >= 15);
  });

  test(`${name} does the same in V8 after an export`, async (t) => {
    const v8 = engineNamed("v8-turbofan");
    assert(v8 !== null, () => "v8-turbofan is no engine");
    const { programs } = programsOf(scriptNamed(name));
    const judge = new Judge({ subjects: [v8], fuelMax: FUEL });
    const judged = await judge.judgeAll(
      programs.map(({ imported: { module }, inputs }) => ({ module, inputs })),
    );
    judge.close();
    const verdicts = judged.flatMap(({ results: [{ judgements }] }) =>
      judgements.map(({ verdict }) => verdict.kind),
    );
    t.deepEqual(new Set(verdicts), new Set(["equal"]));
  });
}

const SPEC = (process.env["TOUCHSTONE_SUITES"] ?? "")
  .split(":")
  .map((path) => join(path, "wasm-spec"))
  .find((path) => existsSync(path));
/** Small and not numeric; all of them: ci/wasm-spec.mjs. */
const SOME = ["block", "br_if", "if", "loop", "bulk", "memory_init", "unreachable", "start"];

(SPEC === undefined ? test.skip : test)(
  "some of WebAssembly's own tests pass in the oracle",
  (t) => {
    for (const name of readdirSync(SPEC ?? "").filter((file) => SOME.includes(file.slice(0, -5)))) {
      const script = readScript(readFileSync(join(SPEC ?? "", name), "utf8"), name, reader);
      const { passed, failures, outside } = conformScript(script, { subjects: [], fuelMax: FUEL });
      t.deepEqual([failures, outside], [[], []], name);
      t.true(passed > 10, name);
    }
  },
);

test("a wrong expectation is seen", (t) => {
  const text = `(module (func (export "f") (result i32) (i32.const 3)))
    (assert_return (invoke "f") (i32.const 4))
    (assert_trap (invoke "f") "unreachable")
    (assert_malformed (module quote "(func)") "a module that is fine")`;
  const { passed, failures } = conformScript(readScript(text, "x.wast", reader), {
    subjects: [],
    fuelMax: FUEL,
  });
  t.is(passed, 0);
  t.deepEqual(
    failures.map(({ line }) => line),
    [4, 2, 3],
  );
});

// biome-ignore format: a table
const REFUSED: readonly (readonly [text: string, where: RegExp, what: RegExp])[] = [
  ["(module (func (export \"f\") (nop x)))", /^x\.wat:1:/, /unexpected token x/],
  ["(module\n  (func (export \"f\") (result i32) (i64.const 0)))", /^x\.wat:2:/, /type mismatch/],
  ["(module (func (export \"f\")\n  (drop (v128.const i32x4 0 0 0 0))))", /^x\.wat:2:/, /v128/],
  ["(module (func (export \"f\") (param externref)))", /^byte 0x/, /references are outside/],
  ["(module (memory 1000) (func (export \"f\") (drop (memory.size))))", /^byte 0x/, /cannot hold/],
  ["(module (table 1 funcref) (table 1 funcref) (func (export \"f\")))", /^byte 0x/, /several tables/],
  ["(module (import \"a\" \"b\" (func $b)) (func (export \"f\") (call $b)))", /^byte 0x/, /named b/],
  ["(module (import \"a\" \"logInt\" (func $b (param i64))) (func (export \"f\") (call $b (i64.const 0))))", /^byte 0x/, /other types/],
  ["(module (import \"a\" \"g\" (global i32)) (func (export \"f\") (drop (global.get 0))))", /^byte 0x/, /a\.g/],
  ["(module (table 1 funcref) (func (export \"f\") (table.set (i32.const 0) (ref.null func))))", /^byte 0x/, /ref\.null is outside/],
  ["(module (func (export \"g\")))", /^/, /no function is exported as f: exported are g/],
];

test("up to three results of a function are those of its procedure, the fourth goes through the heap", (t) => {
  for (const [count, further, stores] of [
    [1, 0, 0],
    [2, 1, 0],
    [3, 2, 0],
    [4, 2, 1],
  ]) {
    const given = Array.from({ length: count }, (_, i) => `(i32.const ${i})`).join(" ");
    const text = `(module (func $g (result${" i32".repeat(count)}) ${given})
      (func (export "f") (result i32) (call $g) ${"(i32.add) ".repeat(count - 1)}))`;
    const { module } = importWasm(reader.readText(text, "x.wat"), "f");
    const g = module.procedureNamed("$g");
    assert(g !== null, () => "no $g");
    t.is(g.further.length, further);
    const opcodes = g.blocks.flatMap(({ values }) => values.map(({ opcode }) => opcode));
    t.is(opcodes.filter((opcode) => opcode === Op.Store).length, stores);
  }
});

test("what is outside is refused, with its place", (t) => {
  for (const [text, where, what] of REFUSED) {
    const error = t.throws(() => importWasm(reader.readText(text, "x.wat"), "f"), {
      instanceOf: ImportError,
    });
    t.regex(error.message, where, text);
    t.regex(error.message, what, text);
  }
});

test("cut and changed binaries are refused or make programs", async (t) => {
  const text = `(module (memory 1) (table 2 funcref) (global $g (mut i64) (i64.const 5))
    (func $f (export "f") (param i32) (result i32) (local f64)
      (block (loop (br_if 1 (local.get 0)) (br_table 0 1 (local.get 0))))
      (i64.store (local.get 0) (global.get $g))
      (call_indirect (param i32) (result i32) (local.get 0) (i32.const 1)))
    (elem (i32.const 1) $f) (data (i32.const 9) "abc"))`;
  const binary = (await wabt()).parseWat("x", text).toBinary({}).buffer;
  const counts = { made: 0, refused: 0 };
  for (let at = 0; at < binary.length; at++) {
    for (const mask of [1, 0x80, 0xff]) {
      const changed = binary.slice();
      changed[at] ^= mask;
      for (const bytes of [changed, binary.slice(0, at)]) {
        try {
          importWasm(reader.readBinary(bytes), "f");
          counts.made++;
        } catch (error) {
          if (!(error instanceof ImportError)) throw error;
          counts.refused++;
        }
      }
    }
  }
  t.true(counts.made > 10 && counts.refused > 100, JSON.stringify(counts));
});

test("a binary that is part of a larger buffer is read alone", (t) => {
  const script = `(module binary "\\00asm" "\\01\\00\\00\\00" "\\01\\05\\01\\60\\00\\01\\7f"
    "\\03\\02\\01\\00" "\\07\\05\\01\\01f\\00\\00" "\\0a\\06\\01\\04\\00\\41\\07\\0b")
    (assert_return (invoke "f") (i32.const 7))`;
  const { passed, failures, outside } = conformScript(readScript(script, "x.wast", reader), {
    subjects: [],
    fuelMax: FUEL,
  });
  t.deepEqual([passed, failures, outside], [1, [], []]);
});

test("a script whose lists do not end is refused with its line", (t) => {
  for (const text of ["(module", '(module)\n(invoke "f', ")", "(; a", "(".repeat(5000)]) {
    t.throws(() => readScript(text, "x.wast", reader), { instanceOf: ImportError }, text);
  }
});
