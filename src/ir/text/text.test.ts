// Tests the text form: printed modules parse to the same module; the printed form of version 1 is unchanged; numbers
// and names read back to the same bits; the document contains the tables of the rows.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import test from "ava";
import fc from "fast-check";
import { cloneModule } from "../clone.js";
import { HOST_FUNCTIONS } from "../host-functions.js";
import {
  ALL_OPCODES,
  CALLS_ADDRESS,
  hasAttribute,
  isReturn,
  isValueOperand,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
  typesAlso,
  typesOver,
} from "../opcodes.js";
import { opcodeNameOf, PATCHPOINTS, patchpointNamed } from "../patchpoints.js";
import type { Module } from "../procedure.js";
import { programAround } from "../program-around.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  nameOfType,
  type Type,
  typeNamed,
  VALUE_TYPES,
  Void,
} from "../types.js";
import { verify } from "../verify/verify.js";
import { isNaNBits, printLiteral, printName, readLiteral } from "./literals.js";
import { withTables } from "./opcode-table.js";
import { BOUNDS, parseModule, parseText, readModule } from "./parse.js";
import { printModule } from "./print.js";

const EXAMPLE = `touchstone 1
heap 8192
exit 3 resumes g, h

proc f(Int32 @0, Int64 @1, Double @30) -> Int32
slot stack0 = anonymous 8
slot stack7 = locked 16
snapshot s4 = exit 3 block {
  Int32 @9 = Add(@0, @2)
  Void @10 = Store(@9, @1, offset = -4, class = 255)
  Void @29 = Store(@9, @1, class = 1)
} frames [f@1: @9, dead, Const32(5) | g@0: @30, ConstDouble(nan:0x7ff4000000000001)]
snapshot s1 = exit 4 frames ["a b\\u{202e}\\"\\\\"@2: @2, contents(stack0), fields(16) {0: @2, 12: @2}, fields(3) {} | e@0: deadHeap(8191, 1), deadBytes(@1, -4, 8192), deadBytes(@1, 0, 1) | g@0: ConstFloat(-0.0), ConstFloat(-inf)]
#0:
  Int32 @2 = Const32(0)
  Void @3 = Check(@2) s4
  Void @13 = Check(@0) s4
  Int32 @4 = CCall(mix32, @0, @2)
  Void @5 = Upsilon(@4, ^6)
  Void @7 = Branch(@0, #1, #5)
#5 frequency 0.25:
  Int32 @6 = Phi()
  Int64 @8 = SlotBase(stack7)
  Void @11 = Return(@6)
#8:
  Void @12 = Switch(@14, 5: #9, -1: #9, default: #8)
#1 frequency 1e-7:
  Int32 @14 = Const32(5)
  Void @16 = Jump(#8)
#9:
  Void @15 = Oops()

proc g(Int32 @0, Int32 @1) -> Double
#0:
  Double @2 = ConstDouble(0.1)
  Void @3 = Return(@2)

proc h(Double @0, Double @2, Double @3) -> Int32
#0:
  Int32 @5 = Const32(-2147483648)
  Void @4 = Return(@5)
`;

test("a printed module parses to the same module, and prints the same", (t) => {
  const { module } = parseText(EXAMPLE);
  t.is(printModule(module), EXAMPLE);
  t.deepEqual(verify(module), []);
  const copy = cloneModule(parseModule(EXAMPLE));
  t.is(printModule(copy), EXAMPLE);
  t.deepEqual(verify(copy), []);
  t.is(module.entry.snapshots[0], module.entry.blocks[0].values[2].snapshot);
  t.is(module.entry.valueIdEnd, 31);
});

// A change of the printed form of these programs requires a new version of the text form.
const VERSION_1 = new URL("../../../../corpus/golden/text/version-1.ir", import.meta.url);
const VERSION_1_HASH = "02a26b95b8c081168a0671ee68b12325106a8993301ec51bf893239c27a7e5e0";

test("the printed form of version 1 is unchanged, byte by byte", (t) => {
  const text = readFileSync(VERSION_1, "utf8");
  t.is(createHash("sha256").update(text).digest("hex"), VERSION_1_HASH);
  t.is(printModule(readModule(readFileSync(VERSION_1))), text);
  t.is(printModule(cloneModule(parseModule(text))), text);
  // biome-ignore format: a table
  const constructs = [
    /^heap /m, /^exit \d+ resumes \w+, \w+$/m, /^proc "/m, /-> Void$/m, /= anonymous /, /= locked /, / block \{$/m, /^\} frames \[/m,
    / \| /, /\bdead\b/, /contents\(/, /deadHeap\(/, /Const32\(/, /\\u\{/, /,\n/, / frequency 0\./, / frequency 1e-/, /offset = -/, /nan:0x7f/, /nan:0x7ff/,
    /-inf/, /-0\.0/, /Switch\(@\d+, default: /, /Switch\(@\d+, -?\d+: /, /\^\d/, /Return\(\)/, /\) s0$/m, /CCall\(\w+, @/, /FunctionAddress\(\w+\)/,
  ];
  for (const construct of constructs) t.regex(text, construct);
});

test("blanks, comments and line ends do not matter", (t) => {
  const loose = EXAMPLE.replace(/\n/g, " ; a comment (\r\n\n")
    .replace(/, /g, " ,\t")
    .replace(" | e@0:", "\n| e @ 0 :\n")
    .replace("5: #9 ,\t-1: #9", "5 : #9 , 0xffffffff: #9")
    .replace("offset = -4", "offset=-4");
  t.is(printModule(parseModule(loose)), EXAMPLE);
  t.is(printModule(readModule(new TextEncoder().encode(`\ufeff${EXAMPLE}`))), EXAMPLE);
});

/** Prints a procedure of 400,000 values, 17 MB of text, in a heap of 100 MB. */
const PRINTS_MUCH = `
  import { Procedure } from ${JSON.stringify(new URL("../procedure.js", import.meta.url).href)};
  import { Int64 } from ${JSON.stringify(new URL("../types.js", import.meta.url).href)};
  import { printProcedure } from ${JSON.stringify(new URL("./print.js", import.meta.url).href)};
  const proc = new Procedure("f", Int64);
  const block = proc.newBlock();
  for (let i = 0; i < 400_000; i++) block.values.push(proc.newConstant(Int64, i * 7919, i));
  console.log(printProcedure(proc).split("\\n").length);
`;

test("the text of a large procedure takes memory in proportion", (t) => {
  const args = ["--max-old-space-size=100", "--input-type=module", "-e", PRINTS_MUCH];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  t.is(status, 0);
  t.is(stdout, "400003\n");
});

test("a large snapshot is printed in lines that are read back", (t) => {
  const slots = Array.from({ length: BOUNDS.snapshotSlots }, () => `Const64(${2n ** 63n - 1n})`);
  const text = programAround([], `snapshot s0 = exit 1 frames [f@0: ${slots[0]}]`);
  const { module } = parseText(text);
  const [frame] = module.entry.snapshots[0].frames;
  for (let i = 1; i < slots.length; i++) frame.slots.push(frame.slots[0]);
  const printed = printModule(module);
  t.is(parseModule(printed).entry.snapshots[0].frames[0].slots.length, BOUNDS.snapshotSlots);
  t.is(printModule(parseModule(printed)), printed);
});

/** Returns a program with one value of the opcode, or with several for the choices of T and U. */
function everyForm(opcode: Opcode): Module[] {
  const ts = typesOver(opcode).length > 0 ? typesOver(opcode) : [Void];
  const us = typesAlso(opcode).length > 0 ? typesAlso(opcode) : [Void];
  const kinds = PATCHPOINTS.filter((kind) => Op[opcodeNameOf(kind)] === opcode);
  const isTail = opcode === Op.TailCall; // a call of the procedure itself
  const deoptHosts = hasAttribute(opcode, "DeoptHost")
    ? HOST_FUNCTIONS.filter(({ asks }) => asks)
    : [null];
  const hosts = hasAttribute(opcode, "Callee") && !isTail ? HOST_FUNCTIONS : deoptHosts;
  const callees = hasAttribute(opcode, "Kind") ? kinds : hosts;
  return ts.flatMap((type) =>
    us.flatMap((also) => callees.map((callee) => formOf(opcode, type, also, callee?.name ?? ""))),
  );
}

/** Returns a further result, of each type, of a call whose first result has that type. */
function extractOf(t: Type): Module {
  const further = t === Double ? Int64 : Double;
  const give = (type: Type, id: number): string =>
    `${nameOfType(type)} @${id} = ${type === Int64 ? "Const64" : `Const${type === Int32 ? "32" : nameOfType(type)}`}(7)`;
  return parseModule(`touchstone 1
proc f() -> ${nameOfType(further)}
#0:
  ${nameOfType(t)} @0 = CCall(g)
  ${nameOfType(further)} @1 = Extract(@0, 2)
  Void @2 = Return(@1)
proc g() -> ${nameOfType(t)}, Int32, ${nameOfType(further)}
#0:
  ${give(t, 0)}
  ${give(Int32, 1)}
  ${give(further, 2)}
  Void @3 = Return(@0, @1, @2)
`);
}

function formOf(opcode: Opcode, t: Type, u: Type, callee: string): Module {
  if (opcode === Op.Extract) return extractOf(t);
  const spec = specOf(opcode);
  const typeIn = (name: string): Type => {
    if (name === "T") return t;
    if (name === "U") return u;
    return typeNamed(name) ?? Void;
  };
  const constants = [
    "Const32(7)",
    "Const64(-7)",
    "ConstFloat(1.5)",
    "ConstDouble(nan:0xfff8000000000000)",
  ];
  const lines = ["#0:"];
  for (const type of VALUE_TYPES)
    lines.push(`${nameOfType(type)} @${type} = ${constants[type - 1]}`);
  const host = HOST_FUNCTIONS.find(({ name }) => name === callee);
  const kind = patchpointNamed(callee);
  lines.push("Int64 @12 = SlotBase(stack0)", "Int64 @13 = FramePointer()");
  const args = spec.args.flatMap((arg) => {
    if (CALLS_ADDRESS[opcode] === 1 && isValueOperand(arg)) return ["@8"];
    if (isValueOperand(arg)) return [`@${typeIn(arg)}`];
    if (arg === "Offset") return ["offset = -2147483648"];
    if (arg === "Slot") return ["stack0"];
    if (arg === "Phi") return ["^9"];
    if (arg === "Block") return ["#1"];
    if (arg === "Cases") return ["-5: #1", "2147483647: #1", "default: #1"];
    if (opcode === Op.TailCall && arg === "Callee") return ["f"];
    if (arg === "Callee" || arg === "Kind" || arg === "DeoptHost") return [callee];
    if (arg === "Register") return [t === Int64 ? "%a0" : "%f0"];
    if (arg === "Order") return ["stores"];
    if (arg === "Function") return ["f"];
    if (arg === "Rest" && kind !== null) {
      const operandOf = { slot: "@12", frame: "@13" };
      return kind.parameters.map(({ type, address }) =>
        address === null ? `@${type}` : operandOf[address],
      );
    }
    if (arg === "Rest" && host?.kept === "takes") return ["@1", "@12"];
    if (arg === "Rest") return (host?.parameters ?? []).map((type) => `@${type}`);
    return [];
  });
  if (hasAttribute(opcode, "Const")) args.push("9");
  const bits: readonly Type[] = [Void, Float, Double, Int32, Int64];
  const result =
    spec.result === "Bits"
      ? bits[t]
      : spec.result === "Callee"
        ? (host?.result ?? Void)
        : spec.result === "Kind"
          ? (kind?.result ?? Void)
          : typeIn(spec.result);
  const type = nameOfType(result);
  if (opcode === Op.Phi) lines.push(`Void @8 = Upsilon(@${t}, ^7)`);
  if (CALLS_ADDRESS[opcode] === 1) lines.push("Int64 @8 = FunctionAddress(f)");
  const snapshot = hasAttribute(opcode, "Snapshot") ? " s0" : "";
  const isControl = spec.effect === "control";
  const isParameter = opcode === Op.Parameter;
  const parameter = isParameter || opcode === Op.ArgumentReg ? `${nameOfType(t)} @0` : "";
  if (!isControl && !isParameter) {
    lines.push(`${type} @7 = ${nameOfOpcode(opcode)}(${args.join(", ")})${snapshot}`);
  }
  if (opcode === Op.Upsilon) lines.push(`${nameOfType(t)} @9 = Phi()`);
  if (isControl) lines.push(`Void @7 = ${nameOfOpcode(opcode)}(${args.join(", ")})`);
  else lines.push("Void @10 = Jump(#1)");
  const returned = isReturn(opcode) ? t : isControl ? (kind?.result ?? Void) : Void;
  const end = returned === Void ? "Void @11 = Return()" : `Void @11 = Return(@${returned})`;
  lines.push("#1:", end);
  const proc = [
    `proc f(${parameter}) -> ${nameOfType(returned)}`,
    "slot stack0 = locked 8",
    "snapshot s0 = exit 1 frames [f@0: @1]",
  ];
  return parseModule(["touchstone 1", ...proc, ...lines].join("\n"));
}

test("every row of the table, with every type, is a program and prints exactly", (t) => {
  for (const opcode of ALL_OPCODES) {
    const forms = everyForm(opcode);
    t.true(forms.length > 0, nameOfOpcode(opcode));
    for (const module of forms) {
      const text = printModule(module);
      t.true(opcode === Op.Parameter || text.includes(` = ${nameOfOpcode(opcode)}(`), text);
      t.is(printModule(parseModule(text)), text);
    }
  }
});

const words = fc.tuple(fc.integer(), fc.integer());
const special = fc.constantFrom<readonly [number, number]>(
  [0, 0],
  [0, -2147483648],
  [-2147483648, 0],
  [0x7f800000, 0],
  [0x7f800001, 0],
  [-8388608, 0],
  [1, 0],
  [0, 0x7ff00000],
  [1, 0x7ff00000],
  [-1, -1],
  [-1, 0x7fefffff],
  [0, 0x00100000],
  [-1, 0x000fffff],
  [0, 0x43e00000],
);

test("literals read back to the same bits", (t) => {
  fc.assert(
    fc.property(fc.oneof(words, special), fc.constantFrom(...VALUE_TYPES), ([lo, hi], type) => {
      const high = type === Int64 || type === Double ? hi : 0;
      t.deepEqual(readLiteral(type, printLiteral(type, lo, high)), [lo, high]);
    }),
    { seed: 1, numRuns: 5000 },
  );
});

test("doubles and integers are read as JavaScript reads them", (t) => {
  const view = new DataView(new ArrayBuffer(8));
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
      view.setFloat64(0, x);
      const bits = [view.getInt32(4), view.getInt32(0)];
      t.deepEqual(readLiteral(Double, Object.is(x, -0) ? "-0" : String(x)), bits);
      if (x !== 0) t.deepEqual(readLiteral(Double, x.toExponential()), bits);
    }),
    { seed: 2, numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 65n), 2n ** 65n), (x) => {
      const read = readLiteral(Int64, String(x));
      if (x !== BigInt.asIntN(64, x)) t.is(typeof read, "string");
      else
        t.is(typeof read === "string" ? null : (BigInt(read[1]) << 32n) | BigInt(read[0] >>> 0), x);
    }),
    { seed: 3, numRuns: 1000 },
  );
  t.deepEqual(readLiteral(Int32, "0xffffffff"), [-1, 0]);
  t.deepEqual(readLiteral(Int64, "0xffffffffffffffff"), [-1, -1]);
  t.is(typeof readLiteral(Int32, "0x100000000"), "string");
  t.is(typeof readLiteral(Int64, "0x10000000000000000"), "string");
  t.is(typeof readLiteral(Float, "0.1"), "string");
  t.false(isNaNBits(Float, 0x7f800000, 0));
  t.true(isNaNBits(Float, -1, 0));
  t.false(isNaNBits(Double, 0, -0x100000));
  t.true(isNaNBits(Double, 1, -0x100000));
});

test("names of any characters read back", (t) => {
  const char = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const name = fc.string({ unit: char });
  fc.assert(
    fc.property(name, (text) => {
      const { module } = parseText(programAround([], "snapshot s0 = exit 0 frames [f@0:]"));
      const [snapshot] = module.entry.snapshots;
      snapshot.frames[0] = { name: text, point: 0, slots: [] };
      const printed = printModule(module);
      t.regex(printed, /^[\n -~]*$/);
      t.is(parseModule(printed).entry.snapshots[0].frames[0].name, text);
    }),
    { seed: 4, numRuns: 300 },
  );
  t.is(printName("a.b$1"), "a.b$1");
  t.is(printName("1"), '"1"');
});

test("the opcode table of docs/language.md is that of the rows", (t) => {
  const path = new URL("../../../../docs/language.md", import.meta.url);
  const document = readFileSync(path, "utf8");
  const expected = withTables(document) ?? "a document with markers for the table";
  if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(path, expected);
  else t.is(document, expected);
  t.true(expected.includes("| `CheckMul` |"));
});

test("the programs of docs/language.md are programs", (t) => {
  const document = readFileSync(new URL("../../../../docs/language.md", import.meta.url), "utf8");
  const [, example] = /```\n(touchstone 1[\s\S]*?)```/.exec(document) ?? [];
  const continuations = [
    "proc g(Int32 @0, Int32 @1) -> Int32",
    "proc h(Int32 @0, Int32 @1) -> Int32",
  ];
  const rest = continuations.map((head) => `${head}\n#0:\nVoid @9 = Return(@0)\n`).join("");
  t.notThrows(() => parseModule(example + rest));
});
