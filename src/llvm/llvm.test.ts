// The interpreter of LLVM IR, and the judge of passes: rules of poison and undefined behavior, and passes changed by hand.

import test from "ava";
import { type LlvmInput, LlvmInterpreter, type RefinementSide } from "./interpret.js";
import { judgePasses } from "./judge-passes.js";
import { LlvmError } from "./llvm-error.js";
import type { LlvmOutcome } from "./outcome.js";
import { parseLlvm } from "./parse.js";
import { splitDumps } from "./pass-dumps.js";
import { POISON } from "./values.js";

function run(
  text: string,
  values: readonly (bigint | number)[],
  mode: RefinementSide = "before",
): LlvmOutcome {
  const inputs = values.map((value): LlvmInput => ({ kind: "value", value }));
  return new LlvmInterpreter(parseLlvm(text), mode, new Map()).run("f", { inputs, objects: [] });
}

const BINARY = (instruction: string) =>
  `define i32 @f(i32 %x, i32 %y) {\n  %r = ${instruction} i32 %x, %y\n  ret i32 %r\n}\n`;

test("an operation wraps, and a flag that excludes this makes poison", (t) => {
  const most = 0x7fff_ffffn;
  t.is(run(BINARY("add"), [most, 1n]).value, 0x8000_0000n);
  t.is(run(BINARY("add nsw"), [most, 1n]).value, POISON);
  t.is(run(BINARY("add nuw"), [most, 1n]).value, 0x8000_0000n);
  t.is(run(BINARY("shl"), [1n, 32n]).value, POISON);
  t.is(run(BINARY("sdiv"), [7n, 0xffff_fffen]).value, 0xffff_fffdn);
  t.is(run(BINARY("udiv"), [7n, 0n]).ending, "undefined");
});

test("a branch on poison is undefined; a select of the other operand is not", (t) => {
  const select = `define i32 @f(i32 %x) {
  %p = add nsw i32 %x, 1
  %c = icmp eq i32 %x, 2147483647
  %r = select i1 %c, i32 5, i32 %p
  ret i32 %r
}`;
  t.is(run(select, [0x7fff_ffffn]).value, 5n);
  const branch = `define i32 @f(i32 %x) {
entry:
  %p = add nsw i32 %x, 1
  %c = icmp sgt i32 %p, %x
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}`;
  t.is(run(branch, [1n]).value, 1n);
  t.is(run(branch, [0x7fff_ffffn]).ending, "undefined");
});

test("memory keeps poison by byte, and an access outside of objects is undefined", (t) => {
  const text = `define i16 @f(i16 %x) {
  %p = alloca i32, align 4
  store i16 %x, ptr %p, align 4
  %q = getelementptr inbounds i8, ptr %p, i64 1
  %low = load i8, ptr %q, align 1
  %wide = zext i8 %low to i16
  ret i16 %wide
}`;
  t.is(run(text, [0x1234n]).value, 0x12n);
  t.is(run(text.replace("i64 1", "i64 2"), [0x1234n]).value, POISON);
  t.is(run(text.replace("i64 1", "i64 2"), [0x1234n], "after").value, 0n);
  t.is(run(text.replace("inbounds i8", "i8").replace("i64 1", "i64 4"), [1n]).ending, "undefined");
});

test("loops, switches, vectors and intrinsics", (t) => {
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
  t.is(run(text, [3n]).value, 19n);
  t.is(run(text, [1n]).value, 10n);
  t.is(run(text, [9n]).value, 99n);
  t.is(run(text, [4n]).ending, "undefined");
});

test("a function that uses something unsupported is refused with its line, and others are not", (t) => {
  const text = `define void @f(ptr %p) {
  fence seq_cst
  ret void
}
define i32 @g() {
  ret i32 3
}
`;
  const [f, g] = judgePasses({ first: text, dumps: [] });
  t.deepEqual([f.name, g.name], ["g", "f"]);
  t.is(g.refused, "line 2: fence: outside of the supported part of LLVM IR");
  t.is(f.refused, null);
});

test("malformed text is an error with its line, and ends", (t) => {
  const texts = [
    "define i32 @f() {\n  ret i32",
    "define i32 @f() {\n  %x = add i32 1 2\n  ret i32 %x\n}",
    "define i32 @f(\n",
    "@g = internal global",
    "define i32 @f() {\n  ret i32 \u0001\n}",
  ];
  for (const text of texts) t.throws(() => parseLlvm(text), { instanceOf: LlvmError }, text);
});

const FIRST = `define i32 @f(i32 %x, ptr %p) {
  store i32 %x, ptr %p, align 4
  %y = add nsw i32 %x, 1
  %c = icmp sgt i32 %y, %x
  %r = zext i1 %c to i32
  ret i32 %r
}
`;
const log = (text: string) => `*** IR Dump After FirstPass on f ***\n${text}`;
const judged = (text: string) => {
  const [result] = judgePasses({ first: FIRST, dumps: splitDumps(log(text)) });
  return result;
};

test("a pass may use that overflow is poison", (t) => {
  const right = FIRST.replace(/ {2}%y = [\s\S]*ret i32 %r/, "  ret i32 1");
  const { wrong, equal, passes } = judged(right);
  t.is(wrong, null);
  t.is(passes, 1);
  t.true(equal >= 30);
});

test("a wrong pass is named, with the call that shows it", (t) => {
  const wrongs = [
    FIRST.replace("sgt", "slt"),
    FIRST.replace("store i32 %x", "store i32 0"),
    FIRST.replace(/ {2}store.*\n/, ""),
    FIRST.replace("ret i32 %r", "ret i32 poison"),
    FIRST.replace("ret i32 %r", "br label %l\nl:\n  br label %l"),
  ];
  for (const text of wrongs) t.is(judged(text).wrong?.pass, "FirstPass", text);
});

test("a function without a defined call is refused, and not counted as equal", (t) => {
  const first = "define i32 @f(i32 %x) {\n  %y = udiv i32 %x, 0\n  ret i32 %y\n}\n";
  const [{ refused }] = judgePasses({ first, dumps: [] });
  t.is(refused, "no drawn call is defined: a division by zero");
});
