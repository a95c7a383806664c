// Tests run lines: the calls, the expectations and the errors.

import test from "ava";
import { HEAP_BASE, type ObservedBits, type Outcome, type SlotBits } from "../outcome.js";
import { Double, Int32, type Type } from "../types.js";
import { ParseError } from "./lexer.js";
import { parseModule } from "./parse.js";
import {
  checkExpectation,
  printExpectation,
  printInput,
  printOutcome,
  runLines,
} from "./run-line.js";

const bitsOf = (type: Type, lo: number, hi = 0, anyNaN = false): ObservedBits => ({
  type,
  lo,
  hi,
  anyNaN,
});
const heapImage = { bytes: Uint8Array.of(1, 255, 3, 4), anyNaN: [], masked: [] };
const returning = (result: ObservedBits | null): Outcome => ({
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
  const text = `${RUNS}${calls.map((call) => `  ; run: ${call} ; note\n`).join("\n")}; not a run: f()\n`;
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

test("run lines: errors have a position", (t) => {
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
/** Cases: an expectation, an outcome, and the difference between them. */
const DIFFERENCES: readonly (readonly [
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

test("run lines: the difference from an expectation is reported", (t) => {
  const module = parseModule(RUNS);
  for (const [expectation, outcome, difference] of DIFFERENCES) {
    const [{ expected }] = runLines(`; run: f(1, 2, 3.0, 4.0) = ${expectation}`, module);
    t.is(expected === null ? "no expectation" : checkExpectation(expected, outcome), difference);
  }
  t.is(printOutcome(returning(null)), "void");
});
