// Judges logs of LLVM passes that are written here: right passes, and wrong ones, which must be named.

import test from "ava";
import { splitDumps } from "../llvm/pass-dumps.js";
import { readPassTexts } from "../llvm/pass-texts.js";
import { type FunctionVerdicts, judgeFunction } from "./llvm-phases.js";

/** Judges @f with a text before the passes, and one after each of the named ones. */
function judged(first: string, passes: Readonly<Record<string, string>>): FunctionVerdicts {
  const log = Object.entries(passes)
    .map(([name, text]) => `*** IR Dump After ${name} on f ***\n; ModuleID = 'x'\n${text}`)
    .join("\n");
  return judgeFunction(readPassTexts({ first, dumps: splitDumps(log), final: null }), "f");
}

const ORDER = `define i32 @f(i32 %x, ptr %p) {
  store i32 %x, ptr %p, align 4
  %y = add nsw i32 %x, 1
  %c = icmp sgt i32 %y, %x
  %r = zext i1 %c to i32
  ret i32 %r
}
`;

test("a pass may use that overflow is poison", (t) => {
  const right = ORDER.replace(/ {2}%y = [\s\S]*ret i32 %r/, "  ret i32 1");
  const { wrong, judged: count, equal, refused } = judged(ORDER, { FirstPass: right });
  t.deepEqual({ wrong, count, refused }, { wrong: null, count: 1, refused: null });
  t.true(equal > 10, `${equal} equal`);
});

/** A loop over a list, with a search. */
const LIST = `define i32 @f(ptr %p, i32 %key) {
entry:
  br label %head
head:
  %at = phi ptr [ %p, %entry ], [ %next, %other ]
  %end = icmp eq ptr %at, null
  br i1 %end, label %none, label %look
look:
  %k = load i32, ptr %at, align 8
  %same = icmp eq i32 %k, %key
  br i1 %same, label %found, label %other
other:
  %link = getelementptr inbounds i8, ptr %at, i64 8
  %next = load ptr, ptr %link, align 8
  br label %head
found:
  %place = getelementptr inbounds i8, ptr %at, i64 4
  %value = load i32, ptr %place, align 4
  %big = icmp sgt i32 %value, 1000000
  %kept = select i1 %big, i32 1000000, i32 %value
  ret i32 %kept
none:
  ret i32 -1
}
`;

/** Each row: the text before, what a pass replaces, and by what. */
const WRONG: readonly (readonly [string, string, string])[] = [
  [ORDER, "sgt", "slt"],
  [ORDER, "store i32 %x", "store i32 0"],
  [ORDER, "  store i32 %x, ptr %p, align 4\n", ""],
  [ORDER, "ret i32 %r", "ret i32 poison"],
  [ORDER, "ret i32 %r", "br label %l\nl:\n  br label %l"],
  [LIST, "ptr %at, i64 4", "ptr %at, i64 0"],
  [LIST, "ret i32 -1", "ret i32 0"],
  [LIST, "icmp eq i32 %k", "icmp ne i32 %k"],
  [LIST, "%big, i32 1000000, i32 %value", "%big, i32 %value, i32 1000000"],
];

for (const [text, found, instead] of WRONG) {
  test(`a pass that writes '${instead.trim()}' for '${found.trim()}' is named`, (t) => {
    t.true(text.includes(found));
    const same = text.replace("entry:", "begin:").replaceAll("%entry", "%begin");
    const { wrong, call } = judged(text, {
      FirstPass: same,
      SecondPass: same.replace(found, instead),
    });
    t.is(wrong?.name, "SecondPass");
    t.regex(call, /^\(/);
  });
}

test("the list is read by linked objects", (t) => {
  const { equal, open, refused } = judged(LIST, { Renaming: LIST.replaceAll("%kept", "%result") });
  t.is(refused, null);
  t.true(equal > 10 && open === 0, `${equal} equal, ${open} open`);
});

test("a function without a defined call is refused, and not counted as equal", (t) => {
  const first = "define i32 @f(i32 %x) {\n  %y = udiv i32 %x, 0\n  ret i32 %y\n}\n";
  const { refused } = judged(first, {});
  t.is(refused, "no drawn call is defined: a division by zero or poison, line 2");
});

test("a text that is malformed is outside, and the next one is compared with the one before", (t) => {
  const wrong = ORDER.replace("sgt", "slt");
  const verdicts = judged(ORDER, { Broken: ORDER.replace("sgt", "="), Wrong: wrong });
  t.is(verdicts.outside[0]?.phase, "Broken");
  t.is(verdicts.wrong?.name, "Wrong");
});
