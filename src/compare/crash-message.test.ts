// Tests the message of a crash: its last line, and the name that two crashes of one bug share.

import test from "ava";
import { excerptOf, messageLineOf, messageOf, nameOfCrash } from "./crash-message.js";

const crash = (evidence: string) =>
  messageOf({ events: [], ending: { kind: "crash", evidence } }) ?? "";

test("the last line that is no frame of a stack is the message", (t) => {
  t.is(messageLineOf(crash("a note\nno builtin clz64\n\n")), "no builtin clz64");
  t.is(
    messageLineOf("TypeError: no ctz\n    at f (file:///x.mjs:3:4)\n    at g.js:7:1\n"),
    "TypeError: no ctz",
  );
  t.is(
    messageLineOf(
      "was ended by SIGABRT; it wrote: a note\nfatal: no register\n 6: onRead (x.js:1)\n",
    ),
    "was ended by SIGABRT; it wrote: fatal: no register",
  );
  t.is(messageLineOf("\n"), "");
  t.is(messageLineOf("x".repeat(5000)).length, 203);
  t.is(messageOf(null), null);
  t.is(messageOf({ events: [], ending: { kind: "runaway" } }), null);
});

// As V8, LLVM, GCC and JavaScriptCore write them.
const FRAMES = Array.from(
  { length: 60 },
  (_, n) => ` ${n}: 0xfae63c v8::internal::Builder::Visit(int) [node]`,
);
const V8 = [
  "",
  "#",
  "# Fatal error in , line 0",
  "# unreachable code",
  "#",
  "#FailureMessage Object: 0x7ffd",
];
const LLVM = [
  "clang: X86.cpp:12: void f(): Assertion `x > 0' failed.",
  "PLEASE submit a bug report",
  "Stack dump:",
];
const FAULTS: readonly (readonly [output: readonly string[], message: string])[] = [
  [[...V8, ...FRAMES], "# unreachable code"],
  [[...LLVM, ...FRAMES, "clang: error: failed with exit code 134"], LLVM[0]],
  [
    [
      ...["Stack dump:", "0.\tProgram arguments: clang-23 -O2 x.ll"],
      "2.\tRunning pass 'Function Pass Manager' on module 'x.ll'.",
      "3.\tRunning pass 'X86 Instruction Selection' on function '@p0_f1'",
      ...[" #0 0x00007f80 llvm::f(int) (/usr/bin/clang+0x5)", "", "********************"],
      ...["PLEASE ATTACH THE FOLLOWING FILES", "********************"],
    ],
    "Running pass 'X86 Instruction Selection'",
  ],
  [
    [
      ...["Error: failed to compile", "", "Caused by:", "    0: translation error"],
      ...["    1: bulk memory is not enabled", "", "Stack backtrace:", "   0: core::iter::next"],
    ],
    "bulk memory is not enabled",
  ],
  [
    ["wasm-opt:2", "x", "RuntimeError: unreachable", "    at a (a.wasm:1)", "", "Node.js v20.1.0"],
    "RuntimeError: unreachable",
  ],
  [["Error: `run` trapped", "", "Caused by:", "    out of bounds", ""], "out of bounds"],
  [
    [
      "ld: /tmp/a.o: in function `f':",
      "a.c:(.text+0x5): undefined reference to `g'",
      "collect2: ld returned 1",
    ],
    "a.c:(.text+0x5): undefined reference to `g'",
  ],
  [
    ["a.c:3:5: error: no member named 'x'", "    3 |  a.x", "      |    ^", "1 error generated."],
    "a.c:3:5: error: no member named 'x'",
  ],
  [
    ["a.c:3:1: internal compiler error: in fold, at x.cc:1", "Please submit a report."],
    "a.c:3:1: internal compiler error: in fold, at x.cc:1",
  ],
  [["ASSERTION FAILED: isInBounds()", "a.cpp(3) : f()"], "ASSERTION FAILED: isInBounds()"],
];

for (const [output, message] of FAULTS) {
  test(`the message is found before a stack trace: ${message}`, (t) => {
    t.is(
      messageLineOf(`was ended by SIGABRT; it wrote: ${excerptOf(output.join("\n"))}`),
      `was ended by SIGABRT; it wrote: ${message}`,
    );
  });
}

test("an excerpt keeps whole lines of the beginning and the end", (t) => {
  t.is(excerptOf(" a\nb \n"), "a\nb");
  const [first, dots, last] = excerptOf(["first", "x".repeat(3000), "last"].join("\n")).split("\n");
  t.deepEqual([first, dots, last], ["first", "...", "last"]);
});

test("crashes of one bug have the same name, crashes of two bugs have different names", (t) => {
  const nameOf = (evidence: string) =>
    nameOfCrash({ events: [], ending: { kind: "crash", evidence } });
  const first = nameOf("/tmp/a1/cc.py:12: KeyError: 'clz' at 0x7f12");
  t.is(first, "cc.py:N: KeyError: clz at N");
  t.is(nameOf("ended with status 1; it wrote: a note\n/x/cc.py:9: KeyError: 'clz' at 0x5"), first);
  t.is(nameOf("a note\n/home/u/t9/cc.py:9: KeyError: 'clz' at 0x55\n"), first);
  t.not(nameOf("/home/u/t9/cc.py:9: KeyError: 'ctz' at 0x55"), first);
  for (const any of ["was ended by SIGSEGV", "trap: unreachable", ""]) t.is(nameOf(any), null);
});
