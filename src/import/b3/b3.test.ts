// Checks the import of B3 logs: the accepted syntax, the resulting programs, and the errors with
// their lines.

import test from "ava";
import { HEAP_BASE_HI, HEAP_BASE_LO, heapContents, type Input } from "../../ir/outcome.js";
import type { Module } from "../../ir/procedure.js";
import { Int32 } from "../../ir/types.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { ImportError } from "../import-error.js";
import { importB3 } from "./import-b3.js";
import { readB3Dump } from "./read-dump.js";
import { INITIAL_WRITES, INSTANCE_AT } from "./surroundings.js";

const logOf = (body: string, phase = "initial", next = "fixSSA"): string =>
  `a line of the program\nB3 after ${phase}, before ${next}:\nOpt Level: 2\n${body
    .trimEnd()
    .split("\n")
    .map((line) => `b3  ${line}\n`)
    .join("")}Air after lowerToAir:\n`;

const importOf = (log: string) => importB3(readB3Dump(log)[0])[0];

/**
 * Returns an input with the heap's address and the given register contents. It writes nothing to
 * the heap first.
 */
function inputOf({ entry, heapSize }: Module, ...registers: readonly number[]): Input {
  const words = new Int32Array(2 * entry.parameters.length);
  words.set([HEAP_BASE_LO, HEAP_BASE_HI, ...registers]);
  const first = entry.parameters.length - 2 * INITIAL_WRITES.length;
  for (const w of INITIAL_WRITES.keys()) {
    words.set([HEAP_BASE_LO + heapSize - 8, HEAP_BASE_HI], 2 * (first + 2 * w));
  }
  return { words, heapSeed: 3 };
}

/** Returns the log of a procedure with two arguments that returns b@9, which the lines define. */
const returning = (...lines: string[]): string =>
  logOf(`BB#0: ; frequency = 1.000000
    Int64 b@0 = ArgumentReg(%rdi)
    Int32 b@1 = Trunc(b@0)
    Double b@2 = ArgumentReg(%xmm0)
    Float b@3 = Trunc(b@2)
${lines.map((line) => `    ${line}`).join("\n")}
    Void b@99 = Patchpoint(b@9:Register(%rdi), generator = 0x7f01, resultConstraints = WarmAny, Terminal|ExitsSideways|Fence|Writes:Top|Reads:Top, Wasm: {opcode: End, location: 0x9} CallSiteIndex: 0)
`);

/**
 * Returns the events of the program for the arguments 7 and 2.5, one per line, followed by the kind
 * of ending unless the program returns.
 */
function recorded(log: string): readonly string[] {
  const { module, refusal } = importOf(log);
  if (module === null) return [refusal];
  const input = inputOf(module, 7, 0, 0x4020_0000, 0x4004_0000);
  const { events, ending } = new Oracle().run(decodeModule(module), input, 1000);
  const shown = events.map(({ name, args }) => `${name} ${args.map(({ lo }) => lo).join(" ")}`);
  return ending.kind === "return" ? shown : [...shown, ending.kind];
}

const RETURNED: readonly (readonly [says: string, lines: readonly string[], returned: string])[] = [
  ["an argument", ["Int32 b@9 = Identity(b@1)"], "logMixed 0 0 7 0"],
  [
    "a Float in a register of eight bytes",
    ["Float b@9 = Identity(b@3)"],
    `logMixed 0 0 0 ${0x4020_0000}`,
  ],
  [
    "a chilled division",
    ["Int32 b@4 = Const32(0)", "Int32 b@9 = Div<Chill>(b@1, $0(b@4))"],
    "logMixed 0 0 0 0",
  ],
  [
    "a logical operation of floating numbers",
    ["Float b@4 = ConstFloat(-0.0(2147483648))", "Float b@9 = BitOr(b@3, $-0.0(b@4))"],
    `logMixed 0 0 0 ${0xc020_0000 | 0}`,
  ],
  [
    "a variable",
    ["Void b@4 = Set(b@1, var0, WritesLocalState)", "Int32 b@9 = Get(var0, ReadsLocalState)"],
    "logMixed 0 0 7 0",
  ],
  [
    "a store and a load",
    [
      "Int64 b@4 = ZExt32(b@1)",
      "Int64 b@5 = WasmAddress(b@4, %r14, ReadsPinned)",
      "Void b@6 = Store<Traps>(b@1, b@5, offset = 16, ExitsSideways|ControlDependent|Writes:Top|Reads:Top)",
      "Int32 b@9 = Load<Traps>(b@5, offset = 16, ExitsSideways|ControlDependent|Reads:Top)",
    ],
    "logMixed 0 0 7 0",
  ],
];
for (const [says, lines, returned] of RETURNED) {
  test(`${says} is imported`, (t) => t.deepEqual(recorded(returning(...lines)), [returned]));
}

test("a call records its operands and shifts all memory locations", (t) => {
  const events = recorded(
    returning(
      "Int64 b@4 = FramePointer()",
      "Void b@5 = Store(b@1, b@4, ControlDependent|Writes:Top)",
      "Int64, Int32 b@6 = CCall($5(b@0), b@3, ExitsSideways|Writes:Top|Reads:Top)",
      "Int32 b@7 = Extract(b@6, <<1)",
      "Int32 b@8 = Load(b@4, ControlDependent|Reads:Top)",
      "Int32 b@9 = Equal(b@1, b@8)",
    ),
  );
  const [first, second] = ["logMixed 7 0 0 0", `logMixed 0 0 0 ${0x4020_0000}`];
  t.deepEqual([events[0], events[1], events.at(-1)], [first, second, "logMixed 0 0 0 0"]);
  t.is(events.filter((event) => event.startsWith("ask ")).length, 2);
});

test("a patchpoint without operands is a call, or an address if its register is reserved", (t) => {
  const effects = "ExitsSideways|ControlDependent|ReadsPinned|Fence|Writes:Top|Reads:Top";
  const called = `Int64 b@9 = Patchpoint(generator = 0x7f, resultConstraints = Register(%rdi), WritesPinned|${effects})`;
  t.deepEqual(
    recorded(returning(called)).map((event) => event.split(" ")[0]),
    ["ask", "logMixed"],
  );
  const kept = `Int64 b@9 = Patchpoint(generator = 0x7f, resultConstraints = Register(%rbx), ${effects})`;
  t.deepEqual(recorded(returning(kept)), [`logMixed ${HEAP_BASE_LO + INSTANCE_AT} 0 0 0`]);
});

test("a check has an exit, with its other operands", (t) => {
  const check =
    "Void b@4 = Check(b@1:WarmAny, b@0:ColdAny, generator = 0x7f, ExitsSideways|Reads:Top)";
  t.deepEqual(recorded(returning(check, "Int32 b@9 = Identity(b@1)")), ["exit"]);
});

test("a patchpoint with the generator of a check always exits", (t) => {
  const never = "Int32 b@8 = Const32(0)";
  const check = "Void b@4 = Check($0(b@8):WarmAny, b@0:ColdAny, generator = 0x7f, ExitsSideways)";
  const patchpoint =
    "Void b@5 = Patchpoint(b@0:ColdAny, generator = 0x7f, ExitsSideways|Reads:Top)";
  const returns = "Int32 b@9 = Identity(b@1)";
  const other = patchpoint.replace("0x7f", "0x8f");
  t.deepEqual(recorded(returning(never, check, other, returns)), ["logMixed 0 0 7 0"]);
  t.deepEqual(recorded(returning(never, check, patchpoint, returns)), ["exit"]);
});

test("a constant that was moved to memory is imported as a constant", (t) => {
  const text = (line: string): string => `BB#0: ; frequency = 1.000000
    Int64 b@1 = Const64(139976105416704)
${line}
    Void b@9 = Patchpoint(b@3:Register(%xmm0), generator = 0x7f, resultConstraints = WarmAny, Terminal|Fence)
`;
  const before = logOf(
    text("    Double b@3 = ConstDouble(2.5(4612811918334230528))"),
    "initial",
    "moveConstants",
  );
  const load =
    "    Double b@2 = Load($139976105416704(b@1), offset = 8, ControlDependent|Reads:Top)";
  const after = logOf(
    text(`${load}\n    Double b@3 = Identity(b@2)`),
    "moveConstants",
    "lowerToAir",
  );
  const [, { module, refusal }] = importB3(readB3Dump(before + after)[0]);
  if (module === null) return t.fail(refusal);
  const { events } = new Oracle().run(decodeModule(module), inputOf(module), 1000);
  t.is(events[0].args[1].hi, 0x4004_0000);
});

test("phases are separated, and phases without changes are marked", (t) => {
  const text = "BB#0: ; frequency = 1.000000\n    Void b@1 = Oops(Terminal)\n";
  const [first, second, ...others] = readB3Dump(
    logOf(text) + logOf(text, "fixSSA", "B3::lowerMacros") + logOf(text),
  );
  t.deepEqual(others, []);
  t.deepEqual(
    first.phases.map(({ name, next, line }) => ({ name, next, line })),
    [
      { name: "initial", next: "fixSSA", line: 2 },
      { name: "fixSSA", next: "lowerMacros", line: 8 },
    ],
  );
  t.deepEqual(
    importB3(first).map(({ isSame }) => isSame),
    [false, true],
  );
  t.is(second.phases.length, 1);
});

/** Valid text that the import does not support, with the expected reason and its line. */
const OUTSIDE: readonly (readonly [lines: readonly string[], lack: RegExp])[] = [
  [["Int32 b@9 = constructor(b@1)"], /^line 9: Int32 constructor cannot be imported$/],
  [["Int32 b@9 = hasOwnProperty(b@1)"], /hasOwnProperty cannot/],
  [["V128 b@9 = Const128(0)"], /^line 9: V128 Const128 cannot be imported$/],
  [["Int32 b@9 = Load<Fence>(b@0, ControlDependent|Reads:Top)"], /Load<Fence> cannot/],
  [["Int32 b@9 = AtomicXchgAdd(b@1, b@0, Writes:Top)"], /AtomicXchgAdd cannot/],
  [["Int32 b@9 = Add(b@1, b@77)"], /^line 9: Add uses b@77, which is not defined before$/],
  [["Int32 b@9 = Add(b@0, b@1)"], /expected/],
  [
    ["Void b@4 = Upsilon(b@1, ^8, WritesLocalState)", "Int32 b@9 = Identity(b@1)"],
    /Upsilon cannot/,
  ],
];
for (const [lines, lack] of OUTSIDE) {
  test(`${lines[0]} is unsupported`, (t) => {
    const { module, refusal: reason } = importOf(returning(...lines));
    t.is(module, null);
    t.regex(reason, lack);
  });
}

test("malformed text is an error with its line", (t) => {
  const refuses = (body: string, message: RegExp): void => {
    const error = t.throws(() => importOf(logOf(body)), { instanceOf: ImportError });
    t.regex(error?.message ?? "", message);
  };
  refuses("    Int32 b@1 = Const32(0)\n", /^line 4: expected BB#0$/);
  refuses(
    "BB#0: ; frequency = 1.000000\n    Int32 @1 := 7\n",
    /^line 5: 'Int32 @1 := 7' is not a value$/,
  );
  refuses(
    "BB#0: ; frequency = 1.000000\n  Successors: BB1\n",
    /^line 5: 'BB1' is not a successor$/,
  );
  refuses(
    "BB#0: ; frequency = 1.000000\n    Int64 b@1 = Const64(7)\n    Int64 b@2 = Load(b@1, offset = 5x)\n",
    /^line 6: 'offset = 5x' is not an offset$/,
  );
  refuses("Variables:\n", /^line 2: expected a block, found none$/);
});

test("the initial writes of an input precede the procedure", (t) => {
  const { module } = importOf(
    returning("Int64 b@4 = WasmAddress(b@0, %r14, ReadsPinned)", "Int32 b@9 = Load<Traps>(b@4)"),
  );
  if (module === null) return t.fail();
  const input = inputOf(module, 7, 0);
  const at = 2 * (module.entry.parameters.length - 2);
  // Addresses are not shifted only at the start: the first word of this heap contains the initial
  // shift.
  const heap = new Uint8Array(8);
  heapContents(heap, input.heapSeed);
  t.is(INITIAL_WRITES.at(-1), Int32);
  const moved = new DataView(heap.buffer).getUint32(0, true) & 0xff8;
  input.words.set([HEAP_BASE_LO + 7 + moved, HEAP_BASE_HI, 1234], at);
  const { events } = new Oracle().run(decodeModule(module), input, 1000);
  t.is(events[0].args[2].lo, 1234);
});
