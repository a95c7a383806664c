// The text form, the verifier and run lines. Programs are written here as text; most tests are tables.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import test from "ava";
import fc from "fast-check";
import { SeedSource } from "../support/source.js";
import { cloneModule } from "./clone.js";
import { HOST_FUNCTIONS } from "./host-functions.js";
import { ParseError } from "./lexer.js";
import { isNaNBits, printLiteral, printName, readLiteral } from "./literals.js";
import { withTables } from "./opcode-table.js";
import {
  ALL_OPCODES,
  hasAttribute,
  isValueOperand,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
  typesAlso,
  typesOver,
} from "./opcodes.js";
import { type Bits, HEAP_BASE, type Outcome, type SlotBits } from "./outcome.js";
import { BOUNDS, parseModule, parseText, readModule } from "./parse.js";
import { opcodeNameOf, PATCHPOINTS, patchpointNamed } from "./patchpoints.js";
import { printModule } from "./print.js";
import { type Module, Procedure, SwitchCases, type Value } from "./procedure.js";
import {
  checkExpectation,
  printExpectation,
  printInput,
  printOutcome,
  runLines,
} from "./run-line.js";
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
} from "./types.js";
import { verify } from "./verify.js";
import { analyzeFlow, dominatesBlock, type Edges, findUnwrittenPhis } from "./verify-flow.js";

const EXAMPLE = `touchstone 1
heap 8192
exit 3 resumes g, h

proc f(Int32 @0, Int64 @1, Double @30) -> Int32
slot stack0 = anonymous 8
slot stack7 = locked 16
snapshot s4 = exit 3 block {
  Int32 @9 = Add(@0, @2)
  Void @10 = Store(@9, @1, offset = -4)
} frames [f@1: @9, dead, Const32(5) | g@0: @30, ConstDouble(nan:0x7ff4000000000001)]
snapshot s1 = exit 4 frames ["a b\\u{202e}\\"\\\\"@2: @2, contents(stack0), fields(16) {0: @2, 12: @2}, fields(3) {} | e@0: deadHeap(8191, 1) | g@0: ConstFloat(-0.0), ConstFloat(-inf)]
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

test("what is printed parses to the same module, and prints the same", (t) => {
  const { module } = parseText(EXAMPLE);
  t.is(printModule(module), EXAMPLE);
  t.deepEqual(verify(module), []);
  const copy = cloneModule(parseModule(EXAMPLE));
  t.is(printModule(copy), EXAMPLE);
  t.deepEqual(verify(copy), []);
  t.is(module.entry.snapshots[0], module.entry.blocks[0].values[2].snapshot);
  t.is(module.entry.valueIdEnd, 31);
});

// Whoever changes the printed form of what this file has makes a new version of the text.
const VERSION_1 = new URL("../../../corpus/golden/text/version-1.ir", import.meta.url);
const VERSION_1_HASH = "02a26b95b8c081168a0671ee68b12325106a8993301ec51bf893239c27a7e5e0";

test("text of version 1 is printed byte by byte as it always was", (t) => {
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

test("a large snapshot is printed in lines that are read back", (t) => {
  const slots = Array.from({ length: BOUNDS.snapshotSlots }, () => `Const64(${2n ** 63n - 1n})`);
  const text = program([], `snapshot s0 = exit 1 frames [f@0: ${slots[0]}]`);
  const { module } = parseText(text);
  const [frame] = module.entry.snapshots[0].frames;
  for (let i = 1; i < slots.length; i++) frame.slots.push(frame.slots[0]);
  const printed = printModule(module);
  t.is(parseModule(printed).entry.snapshots[0].frames[0].slots.length, BOUNDS.snapshotSlots);
  t.is(printModule(parseModule(printed)), printed);
});

/** A program with one value of the opcode, or several for the ways to choose T and U. */
function everyForm(opcode: Opcode): Module[] {
  const ts = typesOver(opcode).length > 0 ? typesOver(opcode) : [Void];
  const us = typesAlso(opcode).length > 0 ? typesAlso(opcode) : [Void];
  const kinds = PATCHPOINTS.filter((kind) => Op[opcodeNameOf(kind)] === opcode);
  const hosts = hasAttribute(opcode, "Callee") ? HOST_FUNCTIONS : [null];
  const callees = hasAttribute(opcode, "Kind") ? kinds : hosts;
  return ts.flatMap((type) =>
    us.flatMap((also) => callees.map((callee) => formOf(opcode, type, also, callee?.name ?? ""))),
  );
}

function formOf(opcode: Opcode, t: Type, u: Type, callee: string): Module {
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
    if (opcode === Op.CallIndirect && isValueOperand(arg)) return ["@8"];
    if (isValueOperand(arg)) return [`@${typeIn(arg)}`];
    if (arg === "Offset") return ["offset = -2147483648"];
    if (arg === "Slot") return ["stack0"];
    if (arg === "Phi") return ["^9"];
    if (arg === "Block") return ["#1"];
    if (arg === "Cases") return ["-5: #1", "2147483647: #1", "default: #1"];
    if (arg === "Callee" || arg === "Kind") return [callee];
    if (arg === "Register") return [t === Int64 ? "%a0" : "%f0"];
    if (arg === "Function") return ["f"];
    if (arg === "Rest" && kind !== null) {
      const operandOf = { slot: "@12", frame: "@13" };
      return kind.parameters.map(({ type, address }) =>
        address === null ? `@${type}` : operandOf[address],
      );
    }
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
  if (opcode === Op.CallIndirect) lines.push("Int64 @8 = FunctionAddress(f)");
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
  const returned = opcode === Op.Return ? t : isControl ? (kind?.result ?? Void) : Void;
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

/** A small program around some lines of its first block; the result is Void. */
function program(lines: readonly string[], head = ""): string {
  return [
    "touchstone 1",
    "proc f(Int32 @0, Int64 @1, Double @2) -> Void",
    ...(head === "" ? [] : [head]),
    "#0:",
    ...lines,
    "  Void @99 = Return()",
    "",
  ].join("\n");
}

const SNAPSHOT = "snapshot s0 = exit 1 frames [f@0: @0]";
const SLOT = "slot stack0 = locked 8";
const control = (blocks: string, head = ""): string =>
  `touchstone 1\nproc f(Int32 @0, Int64 @1) -> Int32\n${head}\n${blocks}\n`;
const resuming = (frames: string, parameters: string, result = "Int32"): string =>
  `touchstone 1\nexit 1 resumes g\nproc f(Int32 @0, Double @1) -> Int32
snapshot s0 = exit 1 frames [${frames}]
#0:\nVoid @2 = Check(@0) s0\nVoid @3 = Return(@0)
proc g(${parameters}) -> ${result}\n#0:\nVoid @99 = Oops()\n`;
const many = (type: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${type} @${i}`).join(", ");
const LONG_CALL = "  Int32 @3 = CCall(mix32, @0)";

// Each rule of verify.ts that text can break, broken once: the rule, the fault, the text.
// biome-ignore format: a table
const BROKEN: readonly (readonly [rule: number, fault: string, text: string])[] = [
  [4, "f: has 513 parameters, at most 512", `touchstone 1\nproc f(${many("Int32", 513)}) -> Void\n#0:\nVoid @999 = Return()`],
  [4, "f: @0: a parameter has type Void", "touchstone 1\nproc f(Void @0) -> Void\n#0:\nVoid @9 = Return()"],
  [5, "f: stack0 has 0 bytes, expected 1 or more", program([], "slot stack0 = locked 0")],
  [5, "f: the slots have 1048584 bytes, at most 1048576 together", program([], `slot stack1 = anonymous 1048576\n${SLOT}`)],
  [6, "f: #0: the frequency is 0, expected a positive number", program([]).replace("#0:", "#0 frequency 0:")],
  [6, "f: #0: the frequency is Infinity, expected a positive number", program([]).replace("#0:", "#0 frequency 1e999:")],
  [8, "f: #0: @3: the block does not end in a control value", control("#0:\nInt32 @3 = Const32(0)")],
  [8, "f: #1: the block does not end in a control value", control("#0:\nVoid @3 = Return(@0)\n#1:")],
  [8, "f: #0: @3: is a control value, but not the last of its block", control("#0:\nVoid @3 = Return(@0)\nVoid @4 = Oops()")],
  [8, "f: #0: @4: the block has 2 successors, expected 1", control("#0:\nVoid @3 = Jump(#1)\nVoid @4 = Jump(#1)\n#1:\nVoid @5 = Oops()")],
  [8, "f: #1: @4: #0 is the entry, to which nothing goes", control("#0:\nVoid @3 = Jump(#1)\n#1:\nVoid @4 = Jump(#0)")],
  [9, "f: #0: @3: operand 2 has type Int64, expected Int32", program(["  Int32 @3 = Add(@0, @1)"])],
  [9, "f: #0: @3: operand 1 has type Int64, expected Int32", program(["  Int32 @3 = SExt8(@1)"])],
  [9, "f: #0: @3: operand 1 has type Double, expected one of Int32, Int64", program(["  Int32 @3 = Select(@2, @0, @0)"])],
  [9, "f: #0: @3: T is Double, expected one of Int32, Int64", program(["  Double @3 = BitAnd(@2, @2)"])],
  [9, "f: #0: @3: T is Void, expected one of Int32, Int64, Float, Double", program(["  Void @3 = Load(@1)"])],
  [9, "f: #0: @3: has type Int64, expected Int32", program(["  Int64 @3 = Add(@0, @0)"])],
  [9, "f: #0: @3: has type Double, expected Int32", program(["  Double @3 = Load8Z(@1)"])],
  [9, "f: #0: @3: has type Float, expected Double", program(["  Float @3 = BitwiseCast(@1)"])],
  [9, "f: #0: @3: has type Int32, expected Void", program(["  Int32 @3 = Store(@0, @1)"])],
  [9, "f: #0: @4: operand 1 has type Void, expected Int32", program(["  Void @3 = Nop()", "  Int32 @4 = SExt8(@3)"])],
  [9, "f: #0: @3: operand 1 has type Double, expected one of Int32, Int64", control("#0:\nDouble @2 = ConstDouble(1.0)\nVoid @3 = Switch(@2, 5: #1, default: #1)\n#1:\nVoid @4 = Oops()")],
  [11, "f: #0: @3: case 3 has the key of an earlier one", control("#0:\nVoid @3 = Switch(@0, -1: #1, 1: #1, 0xffffffff: #1, default: #1)\n#1:\nVoid @4 = Oops()")],
  [12, "f: #0: @3: has 1 arguments, mix32 takes 2", program([LONG_CALL])],
  [12, "f: #0: @3: argument 2 has type Int64, expected Int32", program(["  Int32 @3 = CCall(mix32, @0, @1)"])],
  [12, "f: #0: @3: has type Void, mix32 gives Int32", program(["  Void @3 = CCall(mix32, @0, @0)"])],
  [13, "f: #0: @3: returns Int64, the procedure gives Int32", control("#0:\nVoid @3 = Return(@1)")],
  [13, "f: #0: @3: returns Void, the procedure gives Int32", control("#0:\nVoid @3 = Return()")],
  [14, "f: #0: @3: writes Int64 to a Phi of type Int32", program(["  Void @3 = Upsilon(@1, ^4)", "  Int32 @4 = Phi()"])],
  [14, "f: #0: @3: names no Phi of the procedure", program(["  Void @3 = Upsilon(@0, ^0)"])],
  [15, "f: #0: @3: @4 is used before its definition", program(["  Int32 @3 = SExt8(@4)", "  Int32 @4 = Const32(1)"])],
  [15, "f: #0: @3: @3 is used before its definition", program(["  Int32 @3 = SExt8(@3)"])],
  [15, "f: #3: @7: @5 does not dominate this use", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Jump(#3)\n#2:\nVoid @8 = Jump(#3)\n#3:\nVoid @7 = Return(@5)")],
  [15, "f: #0: @4: @5 does not dominate this use", control("#0:\nVoid @4 = Return(@5)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Oops()")],
  [15, "f: #1: @5: @6 is used before its definition", control("#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @5 = SExt8(@6)\nInt32 @6 = SExt8(@0)\nVoid @7 = Oops()")],
  [15, "f: #0: @4: @8 belongs to an exit block", program(["  Int32 @4 = SExt8(@8)"], "snapshot s0 = exit 1 block {\nInt32 @8 = Const32(1)\n} frames [f@0:]")],
  [16, "f: #0: @3: a path from the entry reaches the Phi before any Upsilon", program(["  Int32 @3 = Phi()"])],
  [16, "f: #0: @3: a path from the entry reaches the Phi before any Upsilon", program(["  Int32 @3 = Phi()", "  Void @4 = Upsilon(@3, ^3)"])],
  [16, "f: #3: @7: a path from the entry reaches the Phi before any Upsilon", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nVoid @5 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#2:\nVoid @8 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @9 = Return(@7)")],
  [12, "f: #0: @3: has 1 arguments, f takes 3", program(["  Void @3 = CCall(f, @0)"])],
  [12, "f: #0: @3: argument 1 has type Int64, expected Int32", program(["  Void @3 = CCall(f, @1, @1, @2)"])],
  [12, "f: #0: @3: has type Int32, f gives Void", program(["  Int32 @3 = CCall(f, @0, @1, @2)"])],
  [12, "f: #0: @4: has 0 arguments, f takes 3", program(["  Int64 @3 = FunctionAddress(f)", "  Void @4 = CallIndirect(@3)"])],
  [12, "f: #0: @3: calls an address that comes from no FunctionAddress", program(["  Void @3 = CallIndirect(@1, @0, @1, @2)"])],
  [17, "f: #0: @4: @3 is the address of a procedure; only CallIndirect may use it", program(["  Int64 @3 = FunctionAddress(f)", "  Int64 @4 = Add(@3, @1)"])],
  [17, "f: #0: @5: @4 is the address of a procedure; only CallIndirect may use it", program(["  Int64 @3 = FunctionAddress(f)", "  Int64 @4 = Select(@0, @3, @3)", "  Void @5 = Store(@4, @1)"])],
  [17, "f: s0: @3 is the address of a procedure, which a snapshot cannot use", program(["  Int64 @3 = FunctionAddress(f)"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [17, "f: #0: @4: @3 is the address of a slot; only an address operand may be", program(["  Int64 @3 = SlotBase(stack0)", "  Void @4 = Store(@3, @1)"], SLOT)],
  [17, "f: #0: @5: @4 is the address of a slot; only an address operand may be", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Add(@1, @3)", "  Int32 @5 = Trunc(@4)"], SLOT)],
  [17, "f: #0: @4: @3 and @3 are both addresses of slots", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Add(@3, @3)"], SLOT)],
  [17, "f: #0: @4: @3 is the address of a slot; only an address operand may be", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = CCall(ask, @3)"], SLOT)],
  [17, "f: #0: @5: @4 is the address of a slot; only an address operand may be", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Identity(@3)", "  Void @5 = Upsilon(@4, ^6)", "  Int64 @6 = Phi()"], SLOT)],
  [17, "f: s0: @3 is the address of a slot, which a snapshot cannot use", program(["  Int64 @3 = SlotBase(stack0)"], `${SLOT}\n${SNAPSHOT.replace("@0: @0", "@0: @3")}`)],
  [19, "f: s0: @9: may not stand in an exit block: it is no store and not total", program([], "snapshot s0 = exit 1 block {\nInt32 @9 = Load(@1)\n} frames [f@0:]")],
  [19, "f: s0: @9: may not stand in an exit block: it is no store and not total", program([], "snapshot s0 = exit 1 block {\nInt32 @9 = Mod(@0, @0)\n} frames [f@0:]")],
  [19, "f: s0: @9: may not stand in an exit block: it is no store and not total", program([], `${SLOT}\nsnapshot s0 = exit 1 block {\nInt64 @9 = SlotBase(stack0)\n} frames [f@0:]`)],
  [19, "f: s0: @9: may not stand in an exit block: it is no store and not total", program([], "snapshot s0 = exit 1 block {\nInt32 @9 = CCall(mix32, @0, @0)\n} frames [f@0:]")],
  [19, "f: s0: @9: comes after a store of its exit block", program([], "snapshot s0 = exit 1 block {\nVoid @8 = Store(@0, @1)\nInt32 @9 = Const32(1)\n} frames [f@0:]")],
  [20, "f: s0: @3 does not dominate every guard that uses the snapshot", program(["  Void @4 = Check(@0) s0", "  Int32 @3 = Const32(1)"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [20, "f: s0: @3 does not dominate every guard that uses the snapshot", program(["  Int32 @3 = CheckAdd(@0, @0) s0"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [20, "f: s0: @9: @3 does not dominate every guard that uses the snapshot", program(["  Void @4 = Check(@0) s0", "  Int32 @3 = Const32(1)"], "snapshot s0 = exit 1 block {\nInt32 @9 = SExt8(@3)\n} frames [f@0:]")],
  [20, "f: s0: @5 does not dominate every guard that uses the snapshot", control("#0:\nVoid @4 = Branch(@0, #1, #2)\n#1:\nInt32 @5 = Const32(1)\nVoid @6 = Check(@0) s0\nVoid @7 = Return(@0)\n#2:\nVoid @8 = Check(@0) s0\nVoid @9 = Return(@0)", SNAPSHOT.replace("@0: @0", "@0: @5"))],
  [20, "f: s0: @8: @9 is used before its definition", program([], "snapshot s0 = exit 1 block {\nInt32 @8 = SExt8(@9)\nInt32 @9 = Const32(1)\n} frames [f@0:]")],
  [20, "f: s1: @9 belongs to the exit block of another snapshot", program([], "snapshot s0 = exit 1 block {\nInt32 @9 = Const32(1)\n} frames [f@0:]\nsnapshot s1 = exit 2 frames [f@0: @9]")],
  [21, "f: s0: @3 of a slot has type Void", program(["  Void @3 = Nop()"], SNAPSHOT.replace("@0: @0", "@0: @3"))],
  [21, "f: s0: the contents of stack0, which is locked", program([], `${SLOT}\n${SNAPSHOT.replace("@0: @0", "@0: contents(stack0)")}`)],
  [21, "f: s0: shows contents of 1048578 bytes, at most 1048576 together", program([], `slot stack0 = anonymous 524289\n${SNAPSHOT.replace("@0: @0", "@0: contents(stack0) | g@0: contents(stack0)")}`)],
  [21, "f: s0: deadHeap(4095, 2) is no part of a heap of 4096 bytes", program([], SNAPSHOT.replace("@0: @0", "@0: deadHeap(4095, 2)"))],
  [21, "f: s0: fields end at 5, beyond their 4 bytes", program([], SNAPSHOT.replace("@0: @0", "@0: fields(4) {1: @0}"))],
  [21, "f: s0: the field at 3 does not begin behind byte 4", program([], SNAPSHOT.replace("@0: @0", "@0: fields(8) {0: @0, 3: @0}"))],
  [20, "f: s0: @4 does not dominate every guard that uses the snapshot", program(["  Void @3 = Check(@0) s0", "  Int32 @4 = Neg(@0)"], SNAPSHOT.replace("@0: @0", "@0: fields(8) {0: @4}"))],
  [21, "f: s0: deadHeap(0, 0) is no part of a heap of 4096 bytes", program([], SNAPSHOT.replace("@0: @0", "@0: deadHeap(0, 0)"))],
  [22, "f: s1: exit 1 has other frames than in snapshot s0", program([], `${SNAPSHOT}\nsnapshot s1 = exit 1 frames [f@1: @0]`)],
  [22, "f: s1: exit 1 has other frames than in snapshot s0", program([], `${SNAPSHOT}\nsnapshot s1 = exit 1 frames [f@0: @0, dead]`)],
  [23, "f: s0: g takes (Int32), frame 1 gives (Int32, Double)", resuming("f@0: @0, dead, @1", "Int32 @0")],
  [23, "f: s0: g takes (Double), frame 1 gives (Int32)", resuming("f@0: Const32(1)", "Double @0")],
  [23, "f: s0: exit 1 has 2 frames, but 1 continuations", resuming("f@0: @0 | h@0: @0", "Int32 @0")],
  [23, "f: s0: the last continuation gives Double, the procedure gives Int32", resuming("f@0: @0", "Int32 @0", "Double")],
  [24, "f: #0: @3: has 1 operands, addPair takes 2", program(["  Int32 @3 = Patchpoint(addPair, @0)"])],
  [24, "f: #0: @3: operand 2 has type Int64, expected Int32", program(["  Int32 @3 = Patchpoint(addPair, @0, @1)"])],
  [24, "f: #0: @3: has type Int64, addPair gives Int32", program(["  Int64 @3 = Patchpoint(addPair, @0, @0)"])],
  [24, "f: #0: @3: addPair is of Patchpoint, not of PatchpointCheck", program(["  Int32 @3 = PatchpointCheck(addPair, @0, @0) s0"], SNAPSHOT)],
  [24, "f: #0: @3: operand 2, @0, is no constant", program(["  Int32 @3 = Patchpoint(rotateByConstant, @0, @0)"])],
  [24, "f: #0: @3: returns Int32, the procedure gives Int64", control("#0:\nVoid @3 = PatchpointReturn(returnSum, @0, @0)").replace("-> Int32", "-> Int64")],
  [24, "f: #0: @3: names no parameter that is passed in a register", program(["  Int64 @3 = ArgumentReg(%a2)"])],
  [24, "f: #0: @3: names a parameter of type Int32, expected Int64", program(["  Int64 @3 = ArgumentReg(%a0)"])],
  [24, "f: #0: @50: names no parameter that is passed in a register", program(["  Int64 @50 = ArgumentReg(%a6)"]).replace("Double @2", many("Int64", 12).slice(20))],
  [17, "f: #0: @4: @3 is not the address of a locked slot", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Patchpoint(slotFetch, @3)"], "slot stack0 = anonymous 8")],
  [17, "f: #0: @4: @3 is not the address of a locked slot", program(["  Int64 @3 = FramePointer()", "  Int64 @4 = Patchpoint(slotFetch, @3)"])],
  [17, "f: #0: @4: @1 does not come from FramePointer", program(["  Int64 @4 = Patchpoint(frameDistance, @1)"])],
  [17, "f: #0: @4: @3 is the address of a slot, which is not wanted here", program(["  Int64 @3 = SlotBase(stack0)", "  Int64 @4 = Patchpoint(heapFetch, @3)"], SLOT)],
  [17, "f: #0: @4: @3 is an address in the frame; only a patchpoint may use it", program(["  Int64 @3 = FramePointer()", "  Int32 @4 = Load(@3)"])],
  [19, "f: s0: @9: may not stand in an exit block: it is no store and not total", program([], "snapshot s0 = exit 1 block {\nInt64 @9 = ArgumentReg(%a1)\n} frames [f@0:]")],
];

test("the verifier finds each thing that text can break", (t) => {
  for (const [rule, fault, text] of BROKEN) {
    const { module } = parseText(text);
    const faults = verify(module).map(describe);
    t.true(faults.includes(fault), `rule ${rule}: expected ${fault}, found ${faults.join("; ")}`);
    t.throws(() => parseModule(text), { instanceOf: ParseError });
  }
});

const describe = ({
  procedure,
  block,
  snapshot,
  value,
  message,
}: ReturnType<typeof verify>[0]): string =>
  [
    procedure === "" ? "" : `${procedure}: `,
    block === undefined ? "" : `#${block}: `,
    snapshot === undefined ? "" : `s${snapshot}: `,
    value === undefined ? "" : `@${value}: `,
    message,
  ].join("");

function toSwitch(module: Module, cases: SwitchCases | null): void {
  const { last } = module.entry.blocks[0];
  last.opcode = Op.Switch;
  [last.a] = module.entry.parameters;
  last.extra = cases;
}

interface Breakage {
  readonly rule: number;
  readonly fault: string;
  readonly break: (module: Module, value: Value) => void;
}

// What a phase may break and no text can say. `value` is `@3`, an Add of constants in the entry.
// biome-ignore format: a table
const DAMAGE: readonly Breakage[] = [
  { rule: 1, fault: "the module has no procedure", break: (module) => { module.procedures.length = 0; } },
  { rule: 1, fault: "f: another procedure has the same name", break: (module) => { module.procedures.push(new Procedure("f", Void)); } },
  { rule: 2, fault: "the heap has 4097 bytes, expected a multiple of 4096 up to 16 MB", break: (module) => { module.heapSize = 4097; } },
  { rule: 3, fault: "a continuation of exit 1 is not a procedure of the module", break: (module) => { module.continuations.set(1, [new Procedure("g", Void)]); } },
  { rule: 4, fault: "f: @1: is not parameter 1", break: (module) => { module.entry.parameters[1].lo = 0; } },
  { rule: 5, fault: "f: stack0 is declared twice", break: (module) => { module.entry.slots.push(module.entry.slots[0]); } },
  { rule: 6, fault: "f: has no block", break: (module) => { module.entry.blocks = []; } },
  { rule: 6, fault: "f: two have the id #0", break: (module) => { module.entry.newBlock(0); } },
  { rule: 6, fault: "f: the id #0 is not below 0", break: (module) => { module.entry.blockIdEnd = 0; } },
  { rule: 7, fault: "f: #0: @3: another value has the same id", break: (module, value) => { module.entry.blocks[0].values.unshift(value); } },
  { rule: 7, fault: "f: #0: @3: the id is not below 3", break: (module) => { module.entry.valueIdEnd = 3; } },
  { rule: 7, fault: "f: #0: @3: does not know the block it stands in", break: (_, value) => { value.block = null; } },
  { rule: 7, fault: "f: #0: @100: is a parameter, but stands in a block", break: (module) => { const value = module.entry.newValue(Op.Parameter, Int32); module.entry.blocks[0].values.unshift(value); } },
  { rule: 7, fault: "f: s0: @3: says that it stands in a block", break: (module, value) => { module.entry.blocks[0].values.shift(); module.entry.snapshots[0].values.push(value); } },
  { rule: 8, fault: "f: #0: @99: #0 is not a block of the procedure", break: (module) => { module.entry.blocks[0].successors.push(new Procedure("g", Void).newBlock()); } },
  { rule: 9, fault: "f: #0: @3: operand 2 is missing", break: (_, value) => { value.b = null; } },
  { rule: 9, fault: "f: #0: @3: has an operand 3, expected none", break: (_, value) => { value.c = value.a; } },
  { rule: 9, fault: "f: #0: @3: operand 1, @100, stands nowhere in the procedure", break: (module, value) => { value.a = module.entry.newConstant(Int32, 1, 0); } },
  { rule: 10, fault: "f: #0: @3: names what its row lacks", break: (module, value) => { value.extra = module.entry.snapshots[0]; } },
  { rule: 10, fault: "f: #0: @3: has operands of a call", break: (_, value) => { value.rest = []; } },
  { rule: 10, fault: "f: #0: @3: has bits that its row lacks", break: (_, value) => { value.hi = 1; } },
  { rule: 11, fault: "f: #0: @3: the high word of a 32-bit constant is -1, expected 0", break: (_, value) => value.becomesConstant(-1, -1) },
  { rule: 11, fault: "f: #0: @3: the words 4294967295 and 0 of a constant are not 32-bit integers", break: (_, value) => value.becomesConstant(0xffffffff, 0) },
  { rule: 11, fault: "f: #0: @4: offset 2147483648 is not a signed 32-bit integer", break: (module) => { module.entry.blocks[0].values[1].lo = 2 ** 31; } },
  { rule: 12, fault: "f: #0: @5: calls nothing that the registry of host functions has", break: (module) => { module.entry.blocks[0].values[2].extra = { ...HOST_FUNCTIONS[0] }; } },
  { rule: 14, fault: "f: #0: @6: names no snapshot of the procedure", break: (module) => { module.entry.snapshots.pop(); } },
  { rule: 8, fault: "f: #0: @99: the block has 0 successors, expected 2", break: (module) => toSwitch(module, new SwitchCases([5], [0])) },
  { rule: 11, fault: "f: #0: @99: the high word of a 32-bit constant is 1, expected 0", break: (module) => toSwitch(module, new SwitchCases([5], [1])) },
  { rule: 11, fault: "f: #0: @99: has 16385 cases, at most 16384 are allowed", break: (module) => { const keys = repeat(16_385, String).map(Number); toSwitch(module, new SwitchCases(keys, keys.map(() => 0))); } },
  { rule: 14, fault: "f: #0: @99: has no cases", break: (module) => toSwitch(module, null) },
  { rule: 14, fault: "f: #0: @7: names no slot of the procedure", break: (module) => { module.entry.slots.pop(); } },
  { rule: 18, fault: "f: s0: has no frame", break: (module) => { module.entry.snapshots[0].frames.pop(); } },
  { rule: 18, fault: "f: s1: the number of the exit is -1, expected 0 to 2^31 - 1", break: (module) => { module.entry.newSnapshot(-1); } },
  { rule: 18, fault: "f: s0: the point of a frame is 0.5, expected 0 to 2^31 - 1", break: (module) => { module.entry.snapshots[0].frames.push({ name: "f", point: 0.5, slots: [] }); } },
  { rule: 18, fault: "f: two have the id s0", break: (module) => { module.entry.newSnapshot(1, 0); } },
  { rule: 21, fault: "f: s0: the high word of a 32-bit constant is 1, expected 0", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "constant", type: Float, lo: 0, hi: 1 }); } },
  { rule: 21, fault: "f: s0: a constant of a slot has type Void", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "constant", type: Void, lo: 0, hi: 0 }); } },
  { rule: 21, fault: "f: s0: @100 of a slot stands nowhere in the procedure", break: (module) => { module.entry.snapshots[0].frames[0].slots.push({ kind: "value", value: module.entry.newValue(Op.Const32, Int32) }); } },
];

test("the verifier finds each thing that a phase can break", (t) => {
  const whole = program(
    [
      "Int32 @3 = Add(@0, @0)",
      "Int32 @4 = Load(@1)",
      "Int32 @5 = CCall(mix32, @0, @0)",
      "Void @6 = Check(@0) s0",
      "Int64 @7 = SlotBase(stack0)",
    ],
    `${SLOT}\n${SNAPSHOT}`,
  );
  for (const { rule, fault, break: damage } of DAMAGE) {
    const module = parseModule(whole);
    damage(module, module.entry.blocks[0].values[0]);
    const faults = verify(module).map(describe);
    t.true(faults.includes(fault), `rule ${rule}: expected ${fault}, found ${faults.join("; ")}`);
    t.notThrows(() => printModule(module));
  }
});

test("the verifier takes what the language allows", (t) => {
  const allowed = [
    // Uses in unreachable blocks, and a definition there.
    control(
      "#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @5 = SExt8(@6)\nVoid @8 = Oops()\n#2:\nInt32 @6 = Const32(1)\nVoid @7 = Jump(#1)",
    ),
    // A Phi written in the block above the branch, and again in one arm.
    control(
      "#0:\nVoid @3 = Upsilon(@0, ^7)\nVoid @4 = Branch(@0, #1, #3)\n#1:\nVoid @5 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @9 = Return(@7)",
    ),
    // A loop: the Phi writes itself.
    control(
      "#0:\nVoid @3 = Upsilon(@0, ^7)\nVoid @6 = Jump(#3)\n#3:\nInt32 @7 = Phi()\nVoid @5 = Upsilon(@7, ^7)\nVoid @9 = Branch(@7, #3, #4)\n#4:\nVoid @10 = Return(@7)",
    ),
    // Addresses of slots in all their forms.
    program(
      [
        "Int64 @3 = SlotBase(stack0)",
        "Int64 @4 = Add(@3, @1)",
        "Int64 @5 = Add(@1, @4)",
        "Int64 @6 = Identity(@5)",
        "Void @7 = Store(@1, @6, offset = 4)",
        "Int32 @8 = Load8S(@3)",
      ],
      SLOT,
    ),
    // A value of the block of one guard that dominates the other guard; an operand of the guard.
    control(
      "#0:\nInt32 @5 = Const32(1)\nVoid @6 = Check(@5) s0\nVoid @4 = Branch(@0, #1, #2)\n#1:\nVoid @7 = Return(@0)\n#2:\nVoid @8 = Check(@0) s0\nVoid @9 = Return(@0)",
      SNAPSHOT.replace("@0: @0", "@0: @5"),
    ),
    // A guard in an unreachable block asks nothing of its snapshot.
    control(
      "#0:\nVoid @4 = Return(@0)\n#1:\nInt32 @3 = CheckAdd(@0, @0) s0\nVoid @5 = Oops()",
      SNAPSHOT.replace("@0: @0", "@0: @3"),
    ),
    // A continuation is given neither contents nor what is dead.
    resuming("f@0: contents(stack0), @1, deadHeap(0, 4096)", "Double @0").replace(
      "\nsnapshot",
      "\nslot stack0 = anonymous 4\nsnapshot",
    ),
    // A continuation that gives Void passes nothing on; the next one gives the result.
    [
      resuming("f@0: @1, @0 | h@0: Const32(1)", "Double @0, Int32 @1", "Void"),
      "proc k(Int32 @0) -> Int32\n#0:\nVoid @1 = Return(@0)\n",
    ]
      .join("")
      .replace("resumes g", "resumes g, k"),
  ];
  for (const text of allowed) t.deepEqual(verify(parseText(text).module), [], text);
});

// Line, column, message, text. The message is whole.
// biome-ignore format: a table
const LOCATED: readonly (readonly [line: number, column: number, message: string, text: string])[] = [
  [1, 1, "expected 'touchstone', found the end of the file", ""],
  [1, 1, "expected 'touchstone', found 'hello'", "hello"],
  [1, 12, "expected version 1 of the text form, found '2'", "touchstone 2"],
  [2, 1, "expected 'proc', found 'frob'", "touchstone 1\nfrob"],
  [3, 1, "expected 'proc', found the end of the file", "touchstone 1\n; nothing\n"],
  [2, 6, "expected a multiple of 4096, found '5000'", "touchstone 1\nheap 5000"],
  [2, 6, "the number is larger than 16777216", "touchstone 1\nheap 16777217"],
  [3, 6, "exit 1 has continuations already", "touchstone 1\nexit 1 resumes f\nexit 1 resumes f"],
  [2, 16, "no procedure has the name 'g'", "touchstone 1\nexit 1 resumes g\nproc f() -> Void\n#0:\nVoid @0 = Return()"],
  [5, 6, "a procedure has the name 'f'", "touchstone 1\nproc f() -> Void\n#0:\nVoid @0 = Return()\nproc f() -> Void"],
  [2, 13, "expected a type, found 'Int'", "touchstone 1\nproc f() -> Int"],
  [2, 9, "expected '->', found '-'", "touchstone 1\nproc f()-"],
  [3, 1, "expected a slot, a snapshot or a block '#0:', found 'Void'", "touchstone 1\nproc f() -> Void\nVoid @0 = Return()"],
  [5, 3, "expected a type, found 'Frob'", program(["  Frob @3 = Add(@0, @0)"]).replace("\n#0", "\n\n#0")],
  [4, 8, "expected '@' and a number, found '3'", program(["  Void 3 = Nop()"])],
  [4, 9, "expected a number after '@', found 'x'", program(["  Void @x = Nop()"])],
  [4, 8, "the number is larger than 4194303", program(["  Void @4194304 = Nop()"])],
  [4, 8, "@1 is defined already, on line 2", program(["  Void @1 = Nop()"])],
  [4, 13, "expected an opcode, found 'Frob'", program(["  Void @3 = Frob()"])],
  [4, 14, "expected an opcode, found 'Parameter'", program(["  Int32 @3 = Parameter()"])],
  [4, 14, "expected an opcode, found 'toString'", program(["  Int32 @3 = toString()"])],
  [4, 20, "expected ',', found ')'", program(["  Int32 @3 = Add(@0)"])],
  [4, 24, "expected ')', found ','", program(["  Int32 @3 = Add(@0, @0, @0)"])],
  [4, 22, "@5 is not defined", program(["  Int32 @3 = Add(@0, @5)"])],
  [4, 18, "#7 is not defined", program(["  Void @3 = Jump(#7)"])],
  [4, 23, "expected a defined snapshot, found 's0'", program(["  Void @3 = Check(@0) s0"])],
  [4, 23, "expected a declared slot, found 'stack0'", program(["  Int64 @3 = SlotBase(stack0)"])],
  [4, 20, "no host function or procedure has the name 'exec'", program(["  Int32 @3 = CCall(exec, @0)"])],
  [4, 22, "'2147483648' does not fit Int32", program(["  Int32 @3 = Const32(2147483648)"])],
  [4, 22, "expected an integer, found '1.5'", program(["  Int32 @3 = Const32(1.5)"])],
  [4, 22, "'9223372036854775808' does not fit Int64", program(["  Int64 @3 = Const64(9223372036854775808)"])],
  [4, 25, "'0.1' is not exactly a Float; the nearest is 0.10000000149011612", program(["  Float @3 = ConstFloat(0.1)"])],
  [4, 25, "'1e39' is not exactly a Float; the nearest is inf", program(["  Float @3 = ConstFloat(1e39)"])],
  [4, 27, "'1e999' is beyond the largest Double; write inf", program(["  Double @3 = ConstDouble(1e999)"])],
  [4, 27, "'1e-999' is below the smallest Double; write 0.0", program(["  Double @3 = ConstDouble(1e-999)"])],
  [4, 27, "'nan:0x7ff0000000000000' is not a NaN of type Double", program(["  Double @3 = ConstDouble(nan:0x7ff0000000000000)"])],
  [4, 25, "'nan:0x17fc00000' is not a NaN of type Float", program(["  Float @3 = ConstFloat(nan:0x17fc00000)"])],
  [4, 27, "expected 'offset', found 'off'", program(["  Void @3 = Store(@0, @1, off = 1)"])],
  [4, 24, "expected a key or 'default', found ')'", program(["  Void @3 = Switch(@0, )"])],
  [4, 24, "'2147483648' does not fit Int32", program(["  Void @3 = Switch(@0, 2147483648: #0, default: #0)"])],
  [4, 24, "'9223372036854775808' does not fit Int64", program(["  Void @3 = Switch(@1, 9223372036854775808: #0, default: #0)"])],
  [4, 24, "expected an integer, found 'x'", program(["  Void @3 = Switch(@0, x: #0, default: #0)"])],
  [4, 28, "expected ',', found ')'", program(["  Void @3 = Switch(@0, 1:#0)"])],
  [4, 36, "'2147483648' does not fit Int32", program(["  Void @3 = Store(@0, @1, offset = 2147483648)"])],
  [4, 1, "#0 is defined twice", program(["#0:"])],
  [4, 19, "expected the end of the line, found '#'", program(["  Void @3 = Nop() #"])],
  [3, 30, "expected the name of a frame, found ']'", program([], "snapshot s0 = exit 1 frames []")],
  [3, 35, "expected a constant, found 'alive'", program([], "snapshot s0 = exit 1 frames [f@0: alive]")],
  [4, 16, "a block has no place in an exit block", program([], "snapshot s0 = exit 1 block {\nVoid @9 = Jump(#0)\n} frames [f@0:]")],
  [3, 30, "the name has no '\"' at its end", program([], 'snapshot s0 = exit 1 frames ["f')],
  [3, 32, 'expected \\\\, \\" or \\u{...}', program([], 'snapshot s0 = exit 1 frames ["f\\n"@0:]')],
  [4, 3, "f: #0: @3: operand 2 has type Int64, expected Int32 (and 1 more)", program(["  Int32 @3 = Add(@0, @1)", "  Int32 @4 = SExt8(@1)"])],
  [1, 1, "expected 'touchstone', found '\\u{202e}'", "\u202e"],
];

test("errors have a place, and say what was expected and what was found", (t) => {
  for (const [line, column, message, text] of LOCATED) {
    const error = t.throws(() => parseModule(text), { instanceOf: ParseError }, text);
    t.is(`${error.line}:${error.column}: ${error.message}`, `${line}:${column}: ${message}`, text);
  }
});

test("bytes that are no text have a place", (t) => {
  const invalid: readonly (readonly number[])[] = [
    [0xff],
    [0xc0, 0x80],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82],
    [0x80],
  ];
  const prefix = new TextEncoder().encode("touchstone 1\n; \u20ac ");
  for (const bytes of invalid) {
    const error = t.throws(() => readModule(Uint8Array.from([...prefix, ...bytes])), {
      instanceOf: ParseError,
    });
    const found = `0x${bytes[0].toString(16)}`;
    t.is(error.message, `expected UTF-8 text, found the byte ${found}`);
    t.is(`${error.line}:${error.column}`, "2:5");
  }
});

const repeat = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));

/** Phis that nothing writes, at the end of a chain of blocks. */
function unwrittenPhis(blockCount: number, phiCount: number): string {
  const jumps = repeat(blockCount, (i) => `#${i}:\nVoid @${i + 1} = Jump(#${i + 1})`);
  const phis = repeat(phiCount, (i) => `Int32 @${blockCount + i + 1} = Phi()`);
  const lines = [...jumps, `#${blockCount}:`, ...phis, "Void @0 = Return()"];
  return `touchstone 1\nproc f() -> Void\n${lines.join("\n")}`;
}

// Twice what is promised: tests share the machine.
const SECONDS_MAX = 4;

// The message, and a text just beyond the bound.
// biome-ignore format: a table
const BEYOND: readonly (readonly [message: string, text: () => string])[] = [
  ["the file has 67108865 bytes; at most 67108864 are read", () => " ".repeat((64 << 20) + 1)],
  ["the line is longer than 1048576 characters", () => program([`  ; ${"x".repeat(1 << 20)}`])],
  ["more than 1000000 values", () => program(repeat(1_000_000, (i) => `Void @${i + 100} = Nop()`))],
  ["more than 1000000 values", () => program(repeat(70_000, (i) => `Int32 @${i + 100} = CCall(f, ${repeat(15, (j) => `@${(15 * i + j) + 200_000}`).join(",")})`)).replaceAll("(f,", "(mix32,")],
  ["more than 100000 blocks", () => program(repeat(100_000, (i) => `Void @${i + 100} = Oops()\n#${i + 1}:`))],
  ["more than 16384 cases", () => program([`Void @3 = Switch(@0, ${repeat(16_385, (i) => `${i}: #0`).join()}, default: #0)`])],
  ["more than 1000000 cases in all switches together", () => program(repeat(62, (i) => `Void @${i + 100} = Switch(@0, ${repeat(16_384, (k) => `${k}: #1`).join()}, default: #1)`))],
  ["more than 65535 slots in a snapshot", () => program([], `snapshot s0 = exit 0 frames [f@0: ${repeat(65_536, () => "dead").join()}]`)],
  ["more than 1000000 frames and slots in all snapshots together", () => program([], repeat(500_001, (i) => `snapshot s${i} = exit 0 frames [f@0:dead]`).join("\n"))],
  ["more than 100000 continuations", () => `touchstone 1\nexit 1 resumes ${repeat(100_001, () => "f").join()}`],
  ["the number is larger than 1048576", () => program([], "slot stack0 = locked 1048577")],
  ["the number is larger than 4194303", () => program([], "snapshot s4194304 = exit 0 frames [f@0:]")],
  ["f: too many blocks and Phis to find out whether each Phi is written", () => unwrittenPhis(20_000, 150_000)],
  ["the number is larger than 302", () => `${program(["Void @4194000 = Nop()"])}proc g(Int32 @302, Int32 @303) -> Void`],
];

/** Seconds of processor time, which a loaded machine does not change. */
function secondsSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1e6;
}

test("what is beyond a bound is an error with a place, and found in time", (t) => {
  for (const [message, text] of BEYOND) {
    const input = text();
    const used = process.cpuUsage();
    const error = t.throws(() => parseModule(input), { instanceOf: ParseError });
    t.is(error.message, message);
    t.true(secondsSince(used) < SECONDS_MAX, message);
  }
});

/** Blocks in a chain, each of which may also go to the last: what naive dominators take quadratic time for. */
function ladder(blockCount: number, phiCount: number): string {
  const lines = ["touchstone 1", "proc f(Int32 @0) -> Int32", "#0:"];
  let id = 1 + phiCount;
  for (let p = 1; p <= phiCount; p++) lines.push(`Void @${id++} = Upsilon(@0, ^${p})`);
  for (let b = 0; b < blockCount; b++) {
    lines.push(`Void @${id++} = Branch(@0, #${b + 1}, #${blockCount})`, `#${b + 1}:`);
  }
  for (let p = 1; p <= phiCount; p++) lines.push(`Int32 @${p} = Phi()`);
  lines.push(`Void @${id++} = Return(@0)`);
  return lines.join("\n");
}

test("large programs of hard shapes are verified in time", (t) => {
  const shapes = [ladder(99_000, 1), ladder(2, 400_000), ladder(10_000, 10_000)];
  for (const text of shapes) {
    const used = process.cpuUsage();
    t.notThrows(() => parseModule(text));
    t.true(secondsSince(used) < SECONDS_MAX, `${secondsSince(used)} s`);
  }
});

/** Runs the parser on damaged input: a module or a ParseError, nothing else. */
function surviveInput(bytes: Uint8Array): void {
  try {
    const module = readModule(bytes);
    parseModule(printModule(module));
    runLines(new TextDecoder().decode(bytes), module);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    if (/[\n\p{C}]/u.test(error.message))
      throw new Error(`message is not one line: ${error.message}`);
  }
}

test("damaged texts and random bytes give a module or a ParseError", (t) => {
  const source = new SeedSource(20_260_101n, "ir.test");
  const runs = "; run: f(3, heap+8, -0.5) fill 7 = exit 3 [f@1: Const32(1)] then 3 heap[0] = 00\n";
  const whole = new TextEncoder().encode(EXAMPLE + runs);
  const tokens = EXAMPLE.split(/\b/);
  let accepted = 0;
  for (let round = 0; round < 6000; round++) {
    let bytes: Uint8Array = whole.slice();
    if (round % 8 === 0) {
      bytes = Uint8Array.from({ length: source.below(200) }, () => source.below(256));
    } else if (round % 2 === 0) {
      const words = tokens.slice();
      for (let k = source.below(3); k >= 0; k--) {
        words[source.below(words.length)] = tokens[source.below(tokens.length)];
      }
      bytes = new TextEncoder().encode(words.join("") + runs);
    } else {
      for (let k = source.below(4); k >= 0; k--)
        bytes[source.below(bytes.length)] = source.below(128);
      if (round % 7 === 0) bytes = bytes.subarray(0, source.below(bytes.length));
    }
    t.notThrows(() => surviveInput(bytes));
    try {
      readModule(bytes);
      accepted++;
    } catch {
      // counted by what remains
    }
  }
  // Some changes are harmless; if all were, nothing would be tested.
  t.true(accepted > 50 && accepted < 5000, `${accepted} of 6000 were programs`);
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
      const { module } = parseText(program([], "snapshot s0 = exit 0 frames [f@0:]"));
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

/** A graph of up to 8 blocks with up to 3 successors each, as edges. */
const graphs = fc
  .array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 })
  .map((successors): Edges => {
    const start = [0];
    for (const list of successors) start.push(start[start.length - 1] + list.length);
    return { start: Int32Array.from(start), target: Int32Array.from(successors.flat()) };
  });

/** The blocks that the entry reaches on paths which `passes` lets go on from a block. */
function reachedBlocks({ start, target }: Edges, passes: (block: number) => boolean): Set<number> {
  const reached = new Set([0]);
  for (const block of reached) {
    if (!passes(block)) continue;
    for (const successor of target.slice(start[block], start[block + 1])) reached.add(successor);
  }
  return reached;
}

test("dominance is what removing a block cuts off", (t) => {
  fc.assert(
    fc.property(graphs, (edges) => {
      const flow = analyzeFlow(edges);
      const reached = reachedBlocks(edges, () => true);
      t.deepEqual([...flow.order].sort(), [...reached].sort());
      for (const a of reached) {
        const without = reachedBlocks(edges, (block) => block !== a);
        for (const b of reached) t.is(dominatesBlock(flow, a, b), a === b || !without.has(b));
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});

test("a Phi is unwritten if a path avoids its Upsilons", (t) => {
  const phi = fc.record({
    block: fc.nat(7),
    position: fc.integer({ min: 1, max: 2 }),
    writers: fc.array(fc.record({ block: fc.nat(7), position: fc.constantFrom(0, 3) }), {
      maxLength: 4,
    }),
  });
  const phis = fc.array(phi, { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(graphs, phis, (edges, list) => {
      const flow = analyzeFlow(edges);
      const readers = list
        .map((reader, id) => ({ ...reader, id }))
        .filter(({ block }) => flow.first[block] >= 0);
      const expected = readers.filter(({ block, position, writers }) => {
        const reached = reachedBlocks(edges, (at) =>
          writers.every((writer) => writer.block !== at),
        );
        const above = writers.some(
          (writer) => writer.block === block && writer.position < position,
        );
        return reached.has(block) && !above;
      });
      t.deepEqual(
        findUnwrittenPhis(flow, readers)?.sort((x, y) => x - y),
        expected.map(({ id }) => id),
      );
    }),
    { seed: 6, numRuns: 300 },
  );
});

const bitsOf = (type: Type, lo: number, hi = 0, anyNaN = false): Bits => ({ type, lo, hi, anyNaN });
const heapImage = { bytes: Uint8Array.of(1, 255, 3, 4), anyNaN: [], masked: [] };
const returning = (result: Bits | null): Outcome => ({
  events: [],
  ending: { kind: "return", result, heap: heapImage },
});

const RUNS = `touchstone 1
exit 3 resumes g
proc f(Int32 @0, Int64 @1, Float @2, Double @3) -> Double
snapshot s0 = exit 3 frames [f@1: @0, dead]
#0:
  Void @4 = Check(@0) s0
  Void @5 = Return(@3)
proc g(Int32 @0) -> Double
#0:
  Void @1 = Oops()
`;

test("run lines: inputs and expectations print as they were read", (t) => {
  const calls = [
    "f(7, heap+16, -0.0, inf) fill 5 = 0.5",
    "f(-1, heap, nan:0x7fc00001, 0.1) = nan heap[1] = ff 03",
    "f(0, heap-8, 1.5, -inf) fill -1 = undefined",
    "f(0, 77, 1.5, 2.0) = exit 3 [f@1: Const32(9), dead | g@0:] then (nan)",
    "f(0, -77, 1.5, 2.0) = exit 3 heap[0] = 01 heap[2] = 03",
    "f(0, 0, 1.5, 2.0) = exit 3 then (exit 3 then (1.5))",
    "f(0, 0, 1.5, 2.0) = exit 3 [f@1: contents(01 -- ff), dead]",
    "f(0, 1311768467463790320, 1.5, 2.0)",
  ];
  const text = `${RUNS}${calls.map((call) => `  ; run: ${call} ; said\n`).join("\n")}; not a run: f()\n`;
  const module = parseModule(text);
  const lines = runLines(text, module);
  t.deepEqual(
    lines.map(({ input, expected }) => {
      const ending = expected === null ? "" : ` = ${printExpectation(expected)}`;
      return printInput(module, input) + ending;
    }),
    calls,
  );
  t.deepEqual(
    lines.map(({ line }) => line),
    [11, 13, 15, 17, 19, 21, 23, 25],
  );
  const { words: given } = lines[0].input;
  t.is((BigInt(given[3]) << 32n) | BigInt(given[2] >>> 0), HEAP_BASE + 16n);
  t.deepEqual([given[0], given[1], given[4], given[5]], [7, 0, -2147483648, 0]);
});

test("run lines: errors have a place", (t) => {
  const module = parseModule(RUNS);
  const wrong: readonly (readonly [string, string])[] = [
    ["g(1)", "1:8: expected the entry, f"],
    ["f(1, 2, 3.0)", "1:19: expected ',', found ')'"],
    ["f(1, heep, 3.0, 4.0)", "1:13: expected an integer, found 'heep'"],
    ["f(1, 2, 0.1, 4.0)", "1:16: '0.1' is not exactly a Float; the nearest is 0.10000000149011612"],
    [
      "f(1, 2, 3.0, 4.0) = void",
      "1:28: expected a decimal, inf, -inf or nan:0x and the bits, found 'void'",
    ],
    ["f(1, 2, 3.0, 4.0) = 1.0 then 2.0", "1:32: expected the end of the line, found 'then'"],
    [
      "f(1, 2, 3.0, 4.0) = exit 3 then 2.0 then 1.0",
      "1:44: expected the end of the line, found 'then'",
    ],
    ["f(1, 2, 3.0, 4.0) = 1.0 heap[4095] = 00 01", "1:48: the byte is beyond the heap"],
    [
      "f(1, 2, 3.0, 4.0) = 1.0 heap[0] = 1",
      "1:42: expected bytes of two digits, 0 to f, found '1'",
    ],
    ["f(1, 2, 3.0, 4.0) = exit 3 [f@1: @1]", "1:41: expected a constant, found '@'"],
    [
      "f(1, 2, 3.0, 4.0) = exit 3 [f@1: contents(0)]",
      "1:50: expected bytes of two digits, 0 to f, or --, found '0'",
    ],
  ];
  for (const [call, message] of wrong) {
    const error = t.throws(() => runLines(`; run: ${call}`, module), { instanceOf: ParseError });
    t.is(`${error.line}:${error.column}: ${error.message}`, message);
  }
});

test("run lines: what differs from an expectation is said", (t) => {
  const module = parseModule(RUNS);
  const quiet = bitsOf(Double, 0, 0x7ff80000);
  const exit = (resumed: readonly Outcome[], ...slots: SlotBits[]): Outcome => ({
    events: [{ name: "logInt", args: [bitsOf(Int32, 5)] }],
    ending: {
      kind: "exit",
      exit: 3,
      frames: [{ name: "f", point: 1, slots }],
      heap: heapImage,
      resumed,
    },
  });
  const half = returning(bitsOf(Double, 0, 0x3fe00000));
  const nine = exit([half], bitsOf(Int32, 9), null);
  const bytes = Uint8Array.of(1, 0, 0, 4);
  const shown = exit([], { bytes, anyNaN: [], masked: [1, 2] }, null);
  const cases: readonly (readonly [
    expected: string,
    outcome: Outcome,
    difference: string | null,
  ])[] = [
    ["0.5", half, null],
    ["-0.5", half, "expected -0.5, found 0.5"],
    ["nan", half, "expected nan, found 0.5"],
    ["nan", returning(quiet), null],
    ["nan", returning({ ...quiet, anyNaN: true }), null],
    ["nan:0x7ff8000000000000", returning(quiet), null],
    [
      "nan:0x7ff8000000000000",
      returning({ ...quiet, anyNaN: true }),
      "expected nan:0x7ff8000000000000, found nan",
    ],
    ["0.5 heap[1] = ff 03", half, null],
    ["0.5 heap[1] = ff 04", half, "expected heap[1] = ff 04, found ff 03"],
    ["exit 3", nine, null],
    [
      "exit 4",
      nine,
      "expected exit 4, found exit 3 [f@1: Const32(9), dead] then (0.5) after logInt(5)",
    ],
    ["exit 3 [f@1: Const32(9), dead] then 0.5", nine, null],
    [
      "exit 3 [f@1: Const32(8), dead]",
      nine,
      "expected exit 3 [f@1: Const32(8), dead], found exit 3 [f@1: Const32(9), dead] then (0.5) after logInt(5)",
    ],
    [
      "exit 3 [f@1: Const64(9), dead]",
      nine,
      "expected exit 3 [f@1: Const64(9), dead], found exit 3 [f@1: Const32(9), dead] then (0.5) after logInt(5)",
    ],
    [
      "exit 3 [f@1: Const32(9), Const32(0)]",
      nine,
      "expected exit 3 [f@1: Const32(9), Const32(0)], found exit 3 [f@1: Const32(9), dead] then (0.5) after logInt(5)",
    ],
    ["exit 3 [f@1: contents(01 -- -- 04), dead]", shown, null],
    [
      "exit 3 [f@1: contents(01 -- 03 04), dead]",
      shown,
      "expected exit 3 [f@1: contents(01 -- 03 04), dead], found exit 3 [f@1: contents(01 -- -- 04), dead] after logInt(5)",
    ],
    ["exit 3 then 0.25", nine, "continuation 1: expected 0.25, found 0.5"],
    ["exit 3 then 0.25", exit([], null), "continuation 1 was not called"],
    [
      "undefined",
      { events: [], ending: { kind: "undefined", rule: "Oops reached", value: 5 } },
      null,
    ],
    [
      "out-of-fuel",
      { events: [], ending: { kind: "undefined", rule: "Oops reached", value: 5 } },
      "expected out-of-fuel, found undefined: Oops reached at @5",
    ],
    [
      "0.5",
      {
        events: [],
        ending: { kind: "fault", fault: "read-unmapped", address: 16n, codeOffset: -2 },
      },
      "expected 0.5, found fault: read-unmapped 0x10, code + -0x2",
    ],
  ];
  for (const [expectation, outcome, difference] of cases) {
    const [{ expected }] = runLines(`; run: f(1, 2, 3.0, 4.0) = ${expectation}`, module);
    t.is(expected === null ? "no expectation" : checkExpectation(expected, outcome), difference);
  }
  t.is(printOutcome(returning(null)), "void");
});

test("the opcode table of docs/language.md is that of the rows", (t) => {
  const path = new URL("../../../docs/language.md", import.meta.url);
  const document = readFileSync(path, "utf8");
  const expected = withTables(document) ?? "a document with markers for the table";
  if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(path, expected);
  else t.is(document, expected);
  t.true(expected.includes("| `CheckMul` |"));
});

test("the programs of docs/language.md are programs", (t) => {
  const document = readFileSync(new URL("../../../docs/language.md", import.meta.url), "utf8");
  const [, example] = /```\n(touchstone 1[\s\S]*?)```/.exec(document) ?? [];
  const continuations = [
    "proc g(Int32 @0, Int32 @1) -> Int32",
    "proc h(Int32 @0, Int32 @1) -> Int32",
  ];
  const rest = continuations.map((head) => `${head}\n#0:\nVoid @9 = Return(@0)\n`).join("");
  t.notThrows(() => parseModule(example + rest));
});
