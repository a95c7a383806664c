// Checks the import. Scripts of corpus/import run in the oracle and in compiled code, and as
// re-exported modules in V8. A second interpreter accepts the same scripts. Unsupported input is
// refused with its location.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import wabt from "wabt";
import { conformScript } from "../compare/conform-script.js";
import { Judge } from "../compare/judge-program.js";
import { engineNamed } from "../engine/engines.js";
import { subjectNamed } from "../execute/subjects.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../ir/outcome.js";
import { printOutcome } from "../ir/text/run-line.js";
import { SWITCH_CASES_MAX } from "../ir/verify/verify-rows.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { assert } from "../support/assert.js";
import { projectRoot } from "../support/project-root.js";
import { TextConverter } from "./convert-text.js";
import { ImportError } from "./import-error.js";
import { importWasm } from "./import-wasm.js";
import { readTextLeniently } from "./lenient-text.js";
import { localsOfLoops } from "./loop-locals.js";
import { openWasmReader } from "./read-wasm.js";
import { readScript } from "./script.js";
import { programsOf } from "./script-programs.js";
import type { WasmInstruction } from "./wasm-module.js";

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
  test(`${name} passes its assertions`, (t) => {
    const script = scriptNamed(name);
    const { passed, failures, outside } = conformScript(script, { subjects, fuelMax: FUEL });
    t.deepEqual(failures, []);
    t.deepEqual(outside, []);
    t.is(passed, script.cases.length + script.refused);
    t.true(passed >= 15);
  });

  test(`${name} behaves the same in V8 after an export`, async (t) => {
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
/** Small, non-numeric scripts. ci/wasm-spec.mjs runs all. */
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

test("a wrong expectation is detected", (t) => {
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
  ["(module (func (export \"f\") (nop x)))", /^x\.wat:1:33: unexpected/, /unexpected token x/],
  ["(module\n  (func (export \"f\") (result i32) (i64.const 0)))", /^x\.wat:2:/, /type mismatch/],
  ["(module (func (export \"f\")\n  (drop (v128.const i32x4 0 0 0 0))))", /^byte 0x/, /vectors are outside/],
  ["(module (func $g (param v128)) (func (export \"f\") (call $g (v128.const i32x4 0 0 0 0))))", /^byte 0x/, /vectors are outside/],
  ["(module (func (param i32)) (func (export \"f\") (call 2)) (func (drop (ref.func 0)))(elem declare func 0))", /^byte 0x/, /references are outside of the import: ref\.func/],
  ["(module (func (export \"f\") (param externref)))", /^byte 0x/, /references are outside/],
  ["(module (table 5000000 funcref) (func (export \"f\")))", /^the module: /, /cannot hold/],
  ["(module (table 1 externref) (func (export \"f\") (drop (table.size 0))))", /^byte 0x/, /tables of other references/],
  ["(module (import \"a\" \"b\" (func $b)) (func (export \"f\") (call $b)))", /^byte 0x/, /named b/],
  ["(module (import \"a\" \"logInt\" (func $b (param i64))) (func (export \"f\") (call $b (i64.const 0))))", /^byte 0x/, /other types/],
  ["(module (import \"a\" \"g\" (global i32)) (func (export \"f\") (drop (global.get 0))))", /^byte 0x/, /a\.g/],
  ["(module (table 1 funcref) (func (export \"f\") (table.set (i32.const 0) (ref.null func))))", /^byte 0x/, /references are outside of the import/],
  [`(module (func (export "f") (param${" i32".repeat(512)})))`, /^byte 0x[1-9a-f]/, /more than 511 parameters of one function/],
  ["(module (func (export \"g\")))", /^/, /no function is exported as f: exported are g/],
];

test("a procedure returns up to three results of a function, the heap passes the fourth", (t) => {
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

test("unsupported features are refused with their location", (t) => {
  for (const [text, where, what] of REFUSED) {
    const error = t.throws(
      () => importWasm(reader.readText(text, "x.wat"), "f", [], { imports: "refuse" }),
      {
        instanceOf: ImportError,
      },
    );
    t.regex(error.message, where, text);
    t.regex(error.message, what, text);
  }
});

test("truncated and changed binaries are refused or imported", async (t) => {
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

const nested = (open: string, count: number, inner: string, close: string): string =>
  `(module (func (export "f") (result i32) ${open.repeat(count)}${inner}${close.repeat(count)}))`;

test("deeply nested text is imported", (t) => {
  const texts = [
    nested("block ", 180, "", "end ").replace("))", " i32.const 1))"),
    nested("(i32.add (i32.const 1) ", 2000, "(i32.const 1)", ")"),
    nested("(block (result i32) (i32.eqz ", 2000, "(i32.const 1)", "))"),
    `(module (func (export "f") (result f64) (f64.const 0.${"1".repeat(55_000)})))`,
  ];
  for (const text of texts) t.notThrows(() => importWasm(reader.readText(text, "x.wat"), "f"));
});

/** The limit that `docs/import.md` documents. */
const DEPTH_MAX = 5000;

test("text that nests too deeply is refused with line and column", (t) => {
  const open = "block\n".repeat(DEPTH_MAX);
  const comments = '(; ( (; ( ;) ;) ;; (\n (data "(\\"(")';
  const text = `(module ${comments}\n(func ${open}${"end ".repeat(DEPTH_MAX)}))`;
  const error = t.throws(() => reader.readText(text, "x.wat", 10), { instanceOf: ImportError });
  t.is(error.message, `x.wat:${10 + DEPTH_MAX}:1: nests deeper than ${DEPTH_MAX}`);
});

test("a text that wabt does not convert in time is refused, and the next one is converted", (t) => {
  const hurried = new TextConverter({}, 0);
  const error = t.throws(() => hurried.convert("(module)", "x.wat", 3), {
    instanceOf: ImportError,
  });
  t.is(error.message, "x.wat:3: wabt exceeds its time limit on this text");
  t.notThrows(() => new TextConverter({}).convert("(module)", "x.wat", 1));
});

test("an identifier without a name is refused with its place", (t) => {
  const read = (): unknown => reader.readText("(module\n  (func $))", "x.wat");
  const error = t.throws(read, { instanceOf: ImportError });
  t.is(error.message, "x.wat:2:9: an identifier without a name");
});

test("64-bit memories and tables are refused by name", (t) => {
  for (const [field, kind] of [
    ["(memory i64 1)", "memories"],
    ['(memory i64 1) (data (i64.const 0) "a")', "memories"],
    ["(table i64 2 funcref)", "tables"],
    ['(import "a" "g" (global i32)) (import "a" "m" (memory i64 1))', "memories"],
  ]) {
    const error = t.throws(() => reader.readText(`(module ${field})`, "x.wat"), {
      instanceOf: ImportError,
    });
    t.regex(error.message, new RegExp(`^byte 0x[0-9a-f]+: 64-bit ${kind} are outside`));
  }
});

/** Returns a module with one function that takes nothing and returns an i32. */
const binaryOf = (code: readonly number[], custom: readonly number[] = []): Uint8Array =>
  Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(4, [1, 0x70, 0, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, ...sized([0, ...code, 0x0b])]),
    ...(custom.length === 0 ? [] : section(0, custom)),
  ]);
const integer = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...integer(value >>> 7)];
const sized = (bytes: readonly number[]): number[] => [...integer(bytes.length), ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];
const I32_CONST = 0x41;

test("a binary of 6,000 nested blocks is imported", (t) => {
  const blocks = Array.from({ length: 6000 }, () => [2, 0x40]).flat();
  const ends = Array.from({ length: 6000 }, () => 0x0b);
  const code = [...blocks, ...ends, I32_CONST, 7];
  t.notThrows(() => importWasm(reader.readBinary(binaryOf(code)), "f"));
});

test("the table of an indirect call may have a longer form", (t) => {
  const code = [I32_CONST, 0, 0x11, 0x80, 0, 0x80, 0x80, 0];
  const wasm = reader.readBinary(binaryOf(code));
  t.deepEqual(
    wasm.functions[0].body.map(({ name }) => name),
    ["i32.const", "call_indirect", "end"],
  );
  t.notThrows(() => importWasm(wasm, "f"));
});

test("a malformed name section is read up to the error", (t) => {
  const huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
  const sections = [
    [4, ...Buffer.from("name"), 1, ...huge, 2, 0, 1, 0x67, ...huge, 1, 0x68],
    [4, ...Buffer.from("name"), 2, 6, 1, 0, 1, 4, 1, 0x78],
    [7, ...Buffer.from("linking"), 2, 5, ...huge],
  ];
  for (const custom of sections) {
    const wasm = reader.readBinary(binaryOf([I32_CONST, 7], custom));
    t.is(wasm.functions[0].name, custom === sections[0] ? "$g" : "$f");
    t.notThrows(() => importWasm(wasm, "f"));
  }
});

test("names that would collide stay distinct", (t) => {
  const names = ["x.2", "x", "x", "x.2.4", "x.2.5"];
  const functions = names.map((name, i) => `(func (export "${name}-${i}"))`).join(" ");
  const entries = names.flatMap((name, i) => [i, ...sized([...Buffer.from(name)])]);
  const custom = [4, ...Buffer.from("name"), 1, ...sized([names.length, ...entries])];
  const calls = names.map((_, i) => `(call ${i})`).join(" ");
  const text = `(module ${functions} (func (export "$x.2") ${calls}))`;
  const plain = new TextConverter({}).convert(text, "x.wat", 1);
  const wasm = reader.readBinary(Uint8Array.from([...plain, ...section(0, custom)]));
  t.notThrows(() => importWasm(wasm, "$x.2"));
});

test("programs beyond the limits of the language are refused with their location", (t) => {
  const many = "(func) ".repeat(SWITCH_CASES_MAX + 1);
  const elements = Array.from({ length: SWITCH_CASES_MAX + 1 }, (_, i) => i).join(" ");
  for (const text of [
    `(module (func (export "f") (br_table ${"0 ".repeat(SWITCH_CASES_MAX + 2)}(i32.const 0))))`,
    `(module ${many} (table funcref (elem ${elements}))
      (func (export "f") (call_indirect (i32.const 0))))`,
  ]) {
    const error = t.throws(() => importWasm(reader.readText(text, "x.wat"), "f"), {
      instanceOf: ImportError,
    });
    t.regex(error.message, /^byte 0x[0-9a-f]+: more than 16384 cases of one branch are outside/);
  }
});

test("nested loops create only the necessary Phis", (t) => {
  const nested = (depth: number, inside: string) =>
    `(module (func (export "f") (param i32) (local i32) ${"loop ".repeat(depth)} ${inside} ${"end ".repeat(depth)}))`;
  const text = nested(1000, "local.get 0 local.set 1");
  const { module } = importWasm(reader.readText(text, "x.wat"), "f");
  const phis = module.procedures.flatMap((proc) =>
    proc.blocks.flatMap(({ values }) => values.filter(({ opcode }) => opcode === Op.Phi)),
  );
  t.is(phis.length, 1000);
});

test("each instruction is read once for all loops around it", (t) => {
  let reads = 0;
  const instruction = (name: string, index = 0): WasmInstruction => ({
    at: 7,
    table: 0,
    from: 0,
    labels: [],
    blockType: null,
    lo: 0,
    hi: 0,
    get name() {
      reads++;
      return name;
    },
    index,
  });
  const depth = 1000;
  const body = [
    ...Array.from({ length: depth }, () => instruction("loop")),
    instruction("local.set", 3),
    ...Array.from({ length: depth + 1 }, () => instruction("end")),
  ];
  const loops = localsOfLoops(body, 1e6);
  t.is(reads, body.length);
  t.deepEqual([...loops.values()], Array(depth).fill(new Set([3])));
  t.throws(() => localsOfLoops(body, depth - 1), { message: /^byte 0x7: more than 999 values/ });
});

test("branches that copy too many locals are refused with their location", (t) => {
  const locals = "i32 ".repeat(9000);
  const sets = Array.from(
    { length: 4000 },
    (_, i) => `local.get 0 local.set ${i + 1} local.get 0 br_if 0`,
  );
  const text = `(module (func (export "f") (param i32) (local ${locals}) ${sets.join(" ")}))`;
  const error = t.throws(() => importWasm(reader.readText(text, "x.wat"), "f"), {
    instanceOf: ImportError,
  });
  t.regex(
    error.message,
    /^byte 0x[0-9a-f]+: more than 32000000 locals and operands at the branches of one function are outside/,
  );
});

test("more data than a program can hold is refused at its segment, before it is translated", (t) => {
  const size = 8 << 20;
  // The digits are below 128, so each is one byte of a LEB128 number.
  const length = (n: number): number[] => [
    (n & 127) | 128,
    ((n >> 7) & 127) | 128,
    ((n >> 14) & 127) | 128,
    n >> 21,
  ];
  const head = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 4, 1, 0, 200, 1, 7, 5, 1, 1, 102,
    0, 0,
  ];
  const body = [10, 4, 1, 2, 0, 11];
  const segment = [1, 0, 65, 0, 11, ...length(size)];
  const binary = new Uint8Array(head.length + body.length + 5 + segment.length + size).fill(7);
  const before = [...head, ...body, 11, ...length(segment.length + size), ...segment];
  binary.set(before);
  const module = reader.readBinary(binary);
  const at = head.length + body.length + 5; // after the head of the section
  t.throws(() => importWasm(module, "f"), {
    instanceOf: ImportError,
    message: `byte 0x${at.toString(16)}: more than 2000000 values for the data of a module are outside of the import`,
  });
});

for (const [drops, names] of [
  ["i32.const", /^byte 0x23: an operand is missing/],
  ["block", /^byte 0x24: an end without a label/],
] as const) {
  test(`a body without its ${drops} is refused with its location`, (t) => {
    const text = '(module (func (export "f") (block) i32.const 1 drop))';
    const wasm = readTextLeniently(reader, text, "x.wat");
    const functions = wasm.functions.map((each) => ({
      ...each,
      body: each.body.filter(({ name }) => name !== drops),
    }));
    t.throws(() => importWasm({ ...wasm, functions }, "f"), {
      instanceOf: ImportError,
      message: names,
    });
  });
}

test("an imported global that is read is refused at the instruction", (t) => {
  const text = '(module (import "a" "g" (global i32)) (func (export "f") (drop (global.get 0))))';
  t.throws(() => importWasm(reader.readText(text, "x.wat"), "f", [], { imports: "refuse" }), {
    instanceOf: ImportError,
    message: /^byte 0x[1-9a-f][0-9a-f]*: the imported global a\.g has no known value/,
  });
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

const conformText = (text: string) =>
  conformScript(readScript(text, "x.wast", reader), { subjects: [], fuelMax: FUEL });

// biome-ignore format: a table
const MALFORMED: readonly (readonly [text: string, says: RegExp])[] = [
  ['(assert_return (invoke "f" (f64.const 1)) (i32.const 0))', /^x\.wast:2: f takes \(i32\), got \(f64\)$/],
  ['(assert_return (invoke "f" (i32.const 1) (i32.const 1)) (i32.const 0))', /^x\.wast:2: f takes \(i32\), got \(i32 i32\)$/],
  ['(assert_trap (invoke "f") "unreachable")', /^x\.wast:2: f takes \(i32\), got \(\)$/],
  ['(invoke "f")', /^x\.wast:2: f takes/],
  ['(assert_return)', /^x\.wast:2: expected \(invoke/],
  ['(assert_trap)', /^x\.wast:2: expected a message/],
  ['(assert_exhaustion)', /^x\.wast:2: expected \(invoke/],
  ['(assert_return (get))', /^x\.wast:2: expected the name of an export/],
  ['(invoke)', /^x\.wast:2: expected the name of an export/],
  ['(assert_return (get "f"))', /^x\.wast:2: the module of line 1 exports no global f$/],
  ['(assert_return (invoke "g"))', /^x\.wast:2: the module of line 1 exports no function g$/],
  ['(assert_return (invoke "f" 1) (i32.const 0))', /^x\.wast:2: expected a constant/],
  ['(assert_return (invoke "f" (i32.const 1)) 0)', /^x\.wast:2: expected a constant/],
  ['(assert_return (invoke "f" (i32.const)) (i32.const 0))', /^x\.wast:2: \(i32\.const\) is not a constant$/],
  ['(assert_invalid)', /^x\.wast:2: expected a module after assert_invalid$/],
  ['(register)', /^x\.wast:2: expected a name/],
  ['()', /^x\.wast:2: expected a command/],
  ['word', /^x\.wast:2: expected a command/],
];

test("a malformed assertion is refused with its line", (t) => {
  const module = '(module (func (export "f") (param i32) (result i32) (local.get 0)))';
  for (const [assertion, says] of MALFORMED) {
    const error = t.throws(() => readScript(`${module}\n${assertion}`, "x.wast", reader), {
      instanceOf: ImportError,
    });
    t.regex(error.message, says, assertion);
  }
});

test("cases with open bits or exceeded limits are unjudged", (t) => {
  const { passed, failures, unjudged, outside } = conformText(`(module (memory 1 2000)
      (func (export "bits") (param f32) (result i32)
        (i32.reinterpret_f32 (f32.add (local.get 0) (f32.const nan))))
      (func (export "sum") (param f32) (result i32)
        (i32.add (i32.const 0) (i32.reinterpret_f32 (f32.add (local.get 0) (f32.const nan)))))
      (func (export "nan") (param f32) (result f32) (f32.add (local.get 0) (f32.const nan)))
      (func $deep (export "deep") (param i32) (result i32)
        (if (result i32) (local.get 0)
          (then (call $deep (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 7))))
      (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))
    (assert_return (invoke "bits" (f32.const nan)) (i32.const 0x7fc00000))
    (assert_return (invoke "sum" (f32.const nan)) (i32.const 0x7fc00000))
    (assert_return (invoke "nan" (f32.const nan)) (f32.const nan:0x400000))
    (assert_return (invoke "nan" (f32.const nan)) (f32.const nan:canonical))
    (assert_return (invoke "nan" (f32.const nan)) (f32.const 1))
    (assert_return (invoke "deep" (i32.const 10)) (i32.const 7))
    (assert_return (invoke "deep" (i32.const 100)) (i32.const 7))
    (assert_return (invoke "grow" (i32.const 2000)) (i32.const -1))
    (assert_return (invoke "grow" (i32.const 1999)) (i32.const 1))`);
  t.deepEqual(outside, []);
  t.is(passed, 3);
  t.deepEqual(
    failures.map(({ line }) => line),
    [15],
  );
  t.deepEqual(
    unjudged.map(({ line, message }) => [line, message]),
    [
      [11, "the bits of an arithmetic NaN are shown"],
      [12, "the bits of an arithmetic NaN are read"],
      [13, "the bits of an arithmetic NaN are shown"],
      [17, "out of fuel, or more than 64 activations"],
      [19, "memory.grow to more pages than the heap holds"],
    ],
  );
});

test("a function outside of the import refuses only what reaches it", (t) => {
  const { passed, failures, unjudged, outside } = conformText(`(module
      (type $t (func (result i32)))
      (table 2 funcref) (elem (i32.const 0) $vector $plain)
      (func $vector (export "vector") (result i32)
        (i32x4.extract_lane 0 (v128.const i32x4 1 2 3 4)))
      (func $typed (export "typed") (param (ref null $t)) (result i32) (i32.const 5))
      (func $plain (export "plain") (result i32) (i32.const 6))
      (func (export "direct") (result i32) (call $vector))
      (func (export "through") (param i32) (result i32) (call_indirect (type $t) (local.get 0))))
    (assert_return (invoke "vector") (i32.const 1))
    (assert_return (invoke "plain") (i32.const 6))
    (assert_return (invoke "direct") (i32.const 1))
    (assert_return (invoke "through" (i32.const 1)) (i32.const 6))
    (assert_return (invoke "through" (i32.const 0)) (i32.const 1))
    (assert_trap (invoke "through" (i32.const 2)) "undefined element")`);
  t.deepEqual(failures, []);
  t.is(passed, 3);
  t.deepEqual(unjudged, [{ line: 14, message: "it reaches a part that is not imported" }]);
  t.deepEqual(
    outside.map(({ line }) => line),
    [10, 12],
  );
  for (const { message } of outside) t.regex(message, /vectors are outside of the import/);
});

test("several tables are imported, with copies between them", (t) => {
  const { passed, failures, outside } = conformText(`(module
      (type $t (func (result i32)))
      (table $a 3 funcref) (table $b 4 funcref)
      (elem (table $a) (i32.const 0) func $one $two)
      (elem (table $b) (i32.const 1) func $two)
      (elem $later func $three)
      (func $one (result i32) (i32.const 1))
      (func $two (result i32) (i32.const 2))
      (func $three (result i32) (i32.const 3))
      (func (export "a") (param i32) (result i32) (call_indirect $a (type $t) (local.get 0)))
      (func (export "b") (param i32) (result i32) (call_indirect $b (type $t) (local.get 0)))
      (func (export "sizes") (result i32 i32) (table.size $a) (table.size $b))
      (func (export "copy") (table.copy $b $a (i32.const 2) (i32.const 0) (i32.const 2)))
      (func (export "init") (table.init $b $later (i32.const 0) (i32.const 0) (i32.const 1)))
      (func (export "far") (table.copy $a $b (i32.const 0) (i32.const 0) (i32.const 4))))
    (assert_return (invoke "sizes") (i32.const 3) (i32.const 4))
    (assert_return (invoke "b" (i32.const 1)) (i32.const 2))
    (assert_trap (invoke "a" (i32.const 3)) "undefined element")
    (assert_trap (invoke "b" (i32.const 3)) "uninitialized element")
    (assert_return (invoke "copy"))
    (assert_return (invoke "b" (i32.const 2)) (i32.const 1))
    (assert_return (invoke "b" (i32.const 3)) (i32.const 2))
    (assert_return (invoke "init"))
    (assert_return (invoke "b" (i32.const 0)) (i32.const 3))
    (assert_return (invoke "a" (i32.const 0)) (i32.const 1))
    (assert_trap (invoke "far") "out of bounds table access")`);
  t.deepEqual([failures, outside, passed], [[], [], 11]);
});

test("modules of a script take functions without state from each other", (t) => {
  const { passed, failures, outside } = conformText(`(module $m (memory (export "mem") 1)
      (global (export "g") i32 (i32.mul (i32.const 6) (i32.const 7)))
      (func $inner (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
      (func (export "next") (param i32) (result i32) (call $inner (local.get 0)))
      (func (export "read") (result i32) (i32.load (i32.const 0))))
    (register "m" $m)
    (module (import "m" "g" (global $g i32)) (import "m" "next" (func $n (param i32) (result i32)))
      (func (export "f") (result i32) (call $n (global.get $g))))
    (assert_return (invoke "f") (i32.const 43))
    (assert_return (invoke $m "read") (i32.const 0))
    (module (memory (import "m" "mem") 1) (func (export "write") (i32.store (i32.const 0) (i32.const 1))))
    (invoke "write")
    (assert_return (invoke $m "read") (i32.const 1))`);
  t.deepEqual([failures, passed], [[], 2]);
  t.deepEqual(
    outside.map(({ line }) => line),
    [11, 12, 13],
  );
});

test("an unresolved import is an exit, or refused", (t) => {
  const text = `(module (import "env" "abort" (func $abort (param i64)))
    (import "env" "base" (global $base i32)) (global $mine (mut i32) (global.get $base))
    (func (export "f") (param i32) (result i32)
      (if (i32.eq (local.get 0) (i32.const 1)) (then (call $abort (i64.const 1))))
      (if (i32.eq (local.get 0) (i32.const 2)) (then (drop (global.get $mine))))
      (i32.const 3)))`;
  const wasm = reader.readText(text, "x.wat");
  const { module, notImported } = importWasm(wasm, "f");
  t.deepEqual(notImported, ["$abort: env.abort has no definition"]);
  const oracle = new Oracle();
  const endings = [0, 1, 2].map((argument) => {
    const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, argument, 0);
    return printOutcome(oracle.run(decodeModule(module), { words, heapSeed: 0 }, FUEL));
  });
  t.regex(endings[0], /^3\b|Const32\(3\)/);
  t.regex(endings[1], /^exit .*Const32\(9\)/);
  t.regex(endings[2], /^exit .*Const32\(9\)/);
  t.throws(() => importWasm(wasm, "f", [], { imports: "refuse" }), { message: /named abort/ });
});

test("a memory of more pages than the heap holds is imported; an access after them is an exit", (t) => {
  const text = `(module (memory 256) (data (i32.const 8) "\\07")
    (func (export "f") (param i32) (result i32) (i32.load8_u (local.get 0)))
    (func (export "size") (result i32) (memory.size)))`;
  const wasm = reader.readText(text, "x.wat");
  const run = (name: string, argument: number, pages: number | null) => {
    const { module, notImported } = importWasm(wasm, name, [], { pages });
    t.deepEqual(notImported, [`the memory after ${pages ?? 255} of 256 pages`]);
    const words = Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, argument, 0);
    const all = words.subarray(0, 2 * module.entry.parameters.length);
    return printOutcome(new Oracle().run(decodeModule(module), { words: all, heapSeed: 0 }, FUEL));
  };
  for (const pages of [null, 1]) {
    t.regex(run("size", 0, pages), /^256\b/);
    t.regex(run("f", 8, pages), /^7\b/);
    t.regex(run("f", 0x00ff_ffff, pages), /^exit .*Const32\(9\)/);
  }
});

test("old names of instructions are read", (t) => {
  const text = `(module (memory 1) (table 1 anyfunc) (global $g (mut i32) (i32.const 4))
    (func (export "f") (param i64 f32) (result i32) (local i32)
      (set_local 2 (i32.wrap/i64 (get_local 0))) ;; get_local
      (set_global $g (tee_local 2 (i32.add (get_local 2) (get_global $g))))
      (drop (grow_memory (current_memory)))
      (drop (i64.extend_u/i32 (i32.trunc_s/f32 (get_local 1))))
      (drop (f32.reinterpret/i32 (i32.trunc_s:sat/f32 (f32.convert_s/i32 (i32.const 1)))))
      (drop (f64.promote/f32 (get_local 1)))
      (get_local 2)))`;
  t.notThrows(() => importWasm(readTextLeniently(reader, text, "x.wat"), "f"));
  const wrong = text.replace("(get_local 2)))", "(get_local 9)))");
  t.throws(() => readTextLeniently(reader, wrong, "x.wat"), { message: /:9:/ });
});
