// Functions of LLVM IR, imported and run in the oracle: rules of poison and undefined behavior, memory, refinement, and
// malformed texts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { HEAP_BASE_HI, HEAP_BASE_LO, type Outcome } from "../../ir/outcome.js";
import { Float, isFloating } from "../../ir/types.js";
import { LlvmError } from "../../llvm/llvm-error.js";
import { parseLlvm } from "../../llvm/parse.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { askProgram } from "../../support/ask-program.js";
import { projectRoot } from "../../support/project-root.js";
import { importLlvm } from "./import-llvm.js";
import type { RefinementSide } from "./memory.js";
import { endingOf, refines } from "./refinement.js";
import { layoutFor, parameterTypes, subjectOf } from "./subject.js";

const FUEL = 1_000_000;

interface FunctionRun {
  readonly outcome: Outcome;
  /** The result, `poison`, or the rule by which the function exits. */
  readonly shown: string;
}

/** Runs @f; a bigint is an integer, or the number of an object for a pointer. */
function runFunction(
  text: string,
  values: readonly bigint[],
  side: RefinementSide = "before",
  first = text,
): FunctionRun {
  const llvm = parseLlvm(text);
  const subject = subjectOf(parseLlvm(first), "f");
  const { module } = importLlvm(llvm, subject, layoutFor(subject, 1), side);
  const words = new Int32Array(2 * parameterTypes(subject).length);
  words.set([HEAP_BASE_LO, HEAP_BASE_HI, 0, 0], 0);
  values.forEach((value, i) => {
    const isPointer = subject.parameters[i].object !== null;
    const low = Number(BigInt.asIntN(32, isPointer ? 0n : value));
    words.set([low, Number(BigInt.asIntN(32, isPointer ? value : value >> 32n))], 4 + 2 * i);
  });
  const outcome = new Oracle().run(decodeModule(module), { words, heapSeed: 0 }, FUEL);
  return { outcome, shown: shownOf(outcome) };
}

function shownOf(outcome: Outcome): string {
  const ending = endingOf(outcome);
  if (ending.kind !== "returned") return "rule" in ending ? ending.rule : ending.kind;
  const result = outcome.events.at(-1);
  if (result?.name !== "logMixed") return "void";
  const [{ lo, hi }, double, poison, float] = result.args;
  if (poison.lo !== 0) return "poison";
  if (double.hi !== 0 || float.lo !== 0) return `${double.hi}/${float.lo}`;
  return String((BigInt(hi) << 32n) | BigInt(lo >>> 0));
}

const binary = (instruction: string, type = "i32"): string =>
  `define ${type} @f(${type} %x, ${type} %y) {\n  %r = ${instruction} ${type} %x, %y\n  ret ${type} %r\n}\n`;

const MOST = 0x7fff_ffffn;
/** Each row: the instruction, its type, the operands, and the result. */
const BINARY: readonly (readonly [string, string, readonly bigint[], string])[] = [
  ["add", "i32", [MOST, 1n], "2147483648"],
  ["add nsw", "i32", [MOST, 1n], "poison"],
  ["add nuw", "i32", [MOST, 1n], "2147483648"],
  ["add nuw", "i8", [255n, 1n], "poison"],
  ["sub nuw", "i16", [1n, 2n], "poison"],
  ["mul nsw", "i17", [65_535n, 2n], "poison"],
  ["mul nuw", "i64", [1n << 33n, 1n << 31n], "poison"],
  ["shl", "i32", [1n, 32n], "poison"],
  ["shl nsw", "i8", [64n, 1n], "poison"],
  ["lshr exact", "i32", [3n, 1n], "poison"],
  ["ashr", "i8", [0x80n, 7n], "255"],
  ["sdiv", "i32", [7n, 0xffff_fffen], "4294967293"],
  ["sdiv", "i8", [0x80n, 0xffn], "a division that overflows"],
  ["udiv", "i32", [7n, 0n], "a division by zero or poison"],
  ["udiv exact", "i32", [7n, 2n], "poison"],
  ["srem", "i33", [0x1_ffff_fff9n, 4n], "8589934589"],
  ["or disjoint", "i32", [3n, 1n], "poison"],
  ["xor", "i1", [1n, 1n], "0"],
];

for (const [instruction, type, operands, result] of BINARY) {
  test(`${instruction} ${type} of ${operands.join(" and ")} is ${result}`, (t) => {
    t.is(runFunction(binary(instruction, type), operands).shown, result);
  });
}

test("a select does not look at the operand that it does not choose", (t) => {
  const text = `define i32 @f(i32 %x) {
  %p = add nsw i32 %x, 1
  %c = icmp eq i32 %x, 2147483647
  %r = select i1 %c, i32 5, i32 %p
  ret i32 %r
}`;
  t.is(runFunction(text, [MOST]).shown, "5");
  t.is(runFunction(text, [1n]).shown, "2");
});

test("a branch on poison is undefined", (t) => {
  const text = `define i32 @f(i32 %x) {
entry:
  %p = add nsw i32 %x, 1
  %c = icmp sgt i32 %p, %x
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}`;
  t.is(runFunction(text, [1n]).shown, "1");
  t.is(runFunction(text, [MOST]).shown, "a branch on poison");
});

test("memory keeps poison by byte, and an access outside of an object is undefined", (t) => {
  const text = `define i16 @f(i16 %x) {
  %p = alloca i32, align 4
  store i16 %x, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 1
  %low = load i8, ptr %q, align 1
  %wide = zext i8 %low to i16
  ret i16 %wide
}`;
  t.is(runFunction(text, [0x1234n]).shown, "18");
  const unwritten = text.replace("i64 1", "i64 2");
  t.is(runFunction(unwritten, [0x1234n]).shown, "poison");
  t.is(runFunction(unwritten, [0x1234n], "after").shown, "0");
  t.is(runFunction(text.replace("i64 1", "i64 4"), [1n]).shown, "an access outside of objects");
  t.is(
    runFunction(text.replace("%p, align 4\n  %q", "null\n  %q"), [1n]).shown,
    "an access outside of objects",
  );
});

test("freeze of poison is open before a pass, and zero after it", (t) => {
  const text = `define i32 @f(i32 %x) {
  %p = shl i32 %x, 40
  %r = freeze i32 %p
  ret i32 %r
}`;
  t.is(runFunction(text, [3n]).shown, "freeze of poison");
  t.is(runFunction(text, [3n], "after").shown, "0");
});

test("loops, switches, vectors, constants and intrinsics", (t) => {
  const text = `@table = private constant [3 x i32] [i32 5, i32 6, i32 7], align 4
define i32 @f(i32 %n) {
entry:
  switch i32 %n, label %loop [
    i32 9, label %early
  ]
early:
  ret i32 99
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = zext nneg i32 %i to i64
  %p = getelementptr inbounds [3 x i32], ptr @table, i64 0, i64 %at
  %x = load i32, ptr %p, align 4
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %i, 1
  %done = icmp uge i32 %next, %n
  br i1 %done, label %out, label %loop, !llvm.loop !1
out:
  %v = insertelement <2 x i32> <i32 1, i32 poison>, i32 %more, i64 1
  %r = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %v)
  %s = tail call i32 @llvm.smax.i32(i32 %r, i32 10)
  ret i32 %s
}
declare i32 @llvm.vector.reduce.add.v2i32(<2 x i32>)
declare i32 @llvm.smax.i32(i32, i32)
!1 = distinct !{!1}
`;
  t.is(runFunction(text, [3n]).shown, "19");
  t.is(runFunction(text, [1n]).shown, "10");
  t.is(runFunction(text, [9n]).shown, "99");
  t.is(runFunction(text, [4n]).shown, "an access outside of objects");
});

test("a call of another function, with its variables", (t) => {
  const text = `define i32 @f(i32 %n) {
  %c = icmp ult i32 %n, 2
  br i1 %c, label %one, label %more
one:
  ret i32 1
more:
  %v = alloca i32, align 4
  %m = sub i32 %n, 1
  %x = call i32 @f(i32 %m)
  store i32 %x, ptr %v, align 4
  %y = load i32, ptr %v, align 4
  %r = mul i32 %y, %n
  ret i32 %r
}`;
  t.is(runFunction(text, [6n]).shown, "720");
});

/** Compares two texts of @f on one call. */
function compare(before: string, after: string, values: readonly bigint[]): string {
  const subject = subjectOf(parseLlvm(before), "f");
  const layout = layoutFor(subject, 1);
  const [expected, got] = [
    runFunction(before, values, "before"),
    runFunction(after, values, "after", before),
  ];
  return refines(subject, layout, expected.outcome, got.outcome).kind;
}

test("a later text may replace poison by a value, and not a value by poison", (t) => {
  const flagged = binary("add nsw");
  const plain = binary("add");
  t.is(compare(flagged, plain, [MOST, 1n]), "equal");
  t.is(compare(plain, flagged, [MOST, 1n]), "different");
  t.is(compare(plain, plain, [MOST, 1n]), "equal");
  t.is(compare(plain, binary("sub"), [MOST, 1n]), "different");
});

const STORE = `define void @f(ptr %p, i32 %x) {
  store i32 %x, ptr %p, align 4
  ret void
}`;

test("the bytes of objects are compared, except those that are poison", (t) => {
  t.is(compare(STORE, STORE.replace("i32 %x, ptr", "i32 7, ptr"), [0n, 7n]), "equal");
  t.is(compare(STORE, STORE.replace("i32 %x, ptr", "i32 8, ptr"), [0n, 7n]), "different");
  t.is(compare(STORE, STORE.replace(/ {2}store.*\n/, ""), [0n, 7n]), "different");
  t.is(compare(STORE.replace("i32 %x, ptr", "i32 poison, ptr"), STORE, [0n, 7n]), "equal");
});

test("undefined behavior before a pass allows everything", (t) => {
  const text = binary("udiv");
  t.is(compare(text, binary("add"), [1n, 0n]), "open");
  t.is(compare(binary("add"), text, [1n, 0n]), "different");
});

const CALLS = `declare void @g(i32)
define void @f(ptr %p, i32 %x) {
  store i32 1, ptr %p, align 4
  call void @g(i32 %x)
  store i32 2, ptr %p, align 4
  ret void
}`;

test("a call of another module shows its operands and the memory", (t) => {
  t.is(compare(CALLS, CALLS, [0n, 7n]), "equal");
  t.is(
    compare(CALLS, CALLS.replace("(i32 %x)\n  store", "(i32 8)\n  store"), [0n, 7n]),
    "different",
  );
  t.is(compare(CALLS, CALLS.replace(/ {2}store i32 1.*\n/, ""), [0n, 7n]), "different");
  const hidden = CALLS.replace("ptr %p, i32", "ptr noalias %p, i32");
  t.is(compare(hidden, hidden.replace(/ {2}store i32 1.*\n/, ""), [0n, 7n]), "equal");
});

/** Each row: a text that is refused, its line, and the message. */
const REFUSED: readonly (readonly [string, number, RegExp])[] = [
  ["define i32 @f() {\n  ret i32", 2, /expected an operand/],
  ["define i32 @f() {\n  %x = add i32 1 2\n  ret i32 %x\n}", 2, /expected ','/],
  ["define void @f(ptr %p) {\n  fence seq_cst\n  ret void\n}", 2, /fence/],
  ["define i128 @f(i128 %x) {\n  ret i128 %x\n}", 1, /i128/],
  ["define i32 @f(i32 %x) {\n  ret i64 %x\n}", 2, /another type/],
  ["define i32 @f(i32 %x) {\n  br label %nowhere\n}", 2, /expected a block/],
  ["define i32 @f(i32 %x) {\n  %r = add i32 %x, %y\n  ret i32 %r\n}", 2, /found %y/],
  ["define i32 @f(i32 %x) {\n  %r = add i64 %x, 1\n  ret i32 %x\n}", 2, /%x has another/],
];

for (const [text, line, message] of REFUSED) {
  test(`a text is refused in line ${line}: ${message.source}`, (t) => {
    const error = t.throws(() => runFunction(text, []), { instanceOf: LlvmError });
    t.is(error?.line, line);
    t.regex(error?.message ?? "", message);
  });
}

for (const second of ["i32", "i32 %0"]) {
  test(`the parameters i32 %x, ${second} are followed by the block %1`, (t) => {
    const text = `define i32 @f(i32 %x, ${second}) {
  br label %more
more:
  %y = phi i32 [ %x, %1 ]
  %z = add i32 %y, %0
  ret i32 %z
}`;
    t.is(runFunction(text, [5n, 7n]).shown, "12");
  });
}

// Functions whose results LLVM's own tests state: corpus/import/llvm-values.ndjson. The import computes the same, and so
// does LLVM's lli, if it is installed.

interface ExpectedRow {
  /** The test of LLVM that states the result, below llvm/test/Transforms. */
  readonly from: string;
  readonly type: string;
  readonly globals?: string;
  readonly body: readonly string[];
  /** A signed integer, a number, or `poison`. */
  readonly expect: string;
}

const ROWS = readFileSync(join(projectRoot(), "corpus/import/llvm-values.ndjson"), "utf8")
  .trim()
  .split("\n")
  .map((line): ExpectedRow => JSON.parse(line));

const definition = ({ type, body }: ExpectedRow, name: string): string =>
  `define ${type} @${name}() {\n${body.map((line) => `${line}\n`).join("")}}\n`;

/** Returns the result as a row writes it. */
function resultOf(row: ExpectedRow): string {
  const { outcome, shown } = runFunction(`${row.globals ?? ""}\n${definition(row, "f")}`, []);
  if (!row.type.startsWith("i") && shown !== "poison") {
    const number = outcome.events
      .at(-1)
      ?.args.find(({ type, lo, hi }) => isFloating(type) && (lo | hi) !== 0);
    if (number === undefined) return "0";
    const view = new DataView(new ArrayBuffer(8));
    view.setInt32(0, number.hi);
    view.setInt32(4, number.lo);
    const x = number.type === Float ? view.getFloat32(4) : view.getFloat64(0);
    return Object.is(x, -0) ? "-0" : String(x);
  }
  return /^\d+$/.test(shown)
    ? String(BigInt.asIntN(Number(row.type.slice(1)), BigInt(shown)))
    : shown;
}

test("functions have the results that LLVM's tests state", (t) => {
  t.true(ROWS.length >= 120, `${ROWS.length} rows`);
  for (const row of ROWS) t.is(resultOf(row), row.expect, `${row.from}: ${row.body.join("; ")}`);
});

const LLI = "lli-19";
const lliTest = askProgram(LLI, ["--version"]).status === 0 ? test : test.skip;

/** Prints a result as an integer of 64 bits. */
function printed(row: ExpectedRow, i: number): string {
  const { type } = row;
  const call = `  %x${i} = call ${type} @f${i}()\n`;
  const bits = type === "float" ? "i32" : type === "double" ? "i64" : type;
  const cast = bits === type ? "" : `  %b${i} = bitcast ${type} %x${i} to ${bits}\n`;
  const from = bits === type ? `%x${i}` : `%b${i}`;
  const wide =
    bits === "i64" ? `  %w${i} = add i64 ${from}, 0\n` : `  %w${i} = sext ${bits} ${from} to i64\n`;
  return `${call}${cast}${wide}  call i32 (ptr, ...) @printf(ptr @line, i64 %w${i})\n`;
}

/** Returns the result as a row writes it, of an integer that lli prints. */
function shownBits({ type }: ExpectedRow, line: string): string {
  const view = new DataView(new ArrayBuffer(8));
  if (type !== "float" && type !== "double") return line;
  view.setBigInt64(0, BigInt(line));
  const x = type === "float" ? view.getFloat32(4) : view.getFloat64(0);
  return Object.is(x, -0) ? "-0" : String(x);
}

lliTest("lli computes the same", (t) => {
  const rows = ROWS.filter(({ expect }) => expect !== "poison");
  const functions = rows.map((row, i) => {
    const text = `${row.globals ?? ""}\n${definition(row, `f${i}`)}`;
    return text.replace(/@g\b/g, `@g${i}`);
  });
  const main = `@line = private constant [5 x i8] c"%ld\\0A\\00"\ndeclare i32 @printf(ptr, ...)
define i32 @main() {\n${rows.map(printed).join("")}  ret i32 0\n}\n`;
  const ended = askProgram(LLI, ["-"], { input: functions.join("") + main });
  t.is(ended.status, 0, ended.stderr);
  const lines = ended.stdout.trim().split("\n");
  t.is(lines.length, rows.length);
  rows.forEach((row, i) => {
    t.is(shownBits(row, lines[i]), row.expect, `${row.from}: ${row.body.join("; ")}`);
  });
});
