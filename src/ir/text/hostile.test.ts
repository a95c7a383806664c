// Tests malformed, huge and damaged input: each text is rejected with a position, within a time limit.
// fuzz/jsfuzz/replay.test.ts has more damaged input.

import { readFileSync } from "node:fs";
import test from "ava";
import { SeedSource } from "../../support/source.js";
import { trials } from "../../support/trials.js";
import { programAround } from "../program-around.js";
import { ParseError } from "./lexer.js";
import { parseModule, readModule } from "./parse.js";
import { printModule } from "./print.js";
import { runLines } from "./run-line.js";

// Line, column, complete message, text.
// biome-ignore format: a table
const LOCATED: readonly (readonly [line: number, column: number, message: string, text: string])[] = [
  [1, 1, "expected 'touchstone', found the end of the file", ""],
  [1, 1, "expected 'touchstone', found 'hello'", "hello"],
  [1, 12, "expected version 1 of the text form, found '2'", "touchstone 2"],
  [2, 1, "expected 'proc', found 'frob'", "touchstone 1\nfrob"],
  [3, 1, "expected 'proc', found the end of the file", "touchstone 1\n; nothing\n"],
  [2, 6, "expected a multiple of 4096, found '5000'", "touchstone 1\nheap 5000"],
  [2, 6, "the number is larger than 16777216", "touchstone 1\nheap 16777217"],
  [3, 6, "exit 1 already has continuations", "touchstone 1\nexit 1 resumes f\nexit 1 resumes f"],
  [2, 16, "no procedure has the name 'g'", "touchstone 1\nexit 1 resumes g\nproc f() -> Void\n#0:\nVoid @0 = Return()"],
  [5, 6, "a procedure has the name 'f'", "touchstone 1\nproc f() -> Void\n#0:\nVoid @0 = Return()\nproc f() -> Void"],
  [2, 13, "expected a type, found 'Int'", "touchstone 1\nproc f() -> Int"],
  [2, 9, "expected '->', found '-'", "touchstone 1\nproc f()-"],
  [3, 1, "expected a slot, a snapshot or a block '#0:', found 'Void'", "touchstone 1\nproc f() -> Void\nVoid @0 = Return()"],
  [5, 3, "expected a type, found 'Frob'", programAround(["  Frob @3 = Add(@0, @0)"]).replace("\n#0", "\n\n#0")],
  [4, 8, "expected '@' and a number, found '3'", programAround(["  Void 3 = Nop()"])],
  [4, 9, "expected a number after '@', found 'x'", programAround(["  Void @x = Nop()"])],
  [4, 8, "the number is larger than 4194303", programAround(["  Void @4194304 = Nop()"])],
  [4, 8, "@1 is already defined, on line 2", programAround(["  Void @1 = Nop()"])],
  [4, 13, "expected an opcode, found 'Frob'", programAround(["  Void @3 = Frob()"])],
  [4, 14, "expected an opcode, found 'Parameter'", programAround(["  Int32 @3 = Parameter()"])],
  [4, 14, "expected an opcode, found 'AShr'; did you mean SShr?", programAround(["  Int32 @3 = AShr(@0, @0)"])],
  [4, 14, "expected an opcode, found 'icmp'; did you mean Equal, NotEqual, LessThan, Above, ...?", programAround(["  Int32 @3 = icmp(@0, @0)"])],
  [4, 14, "expected an opcode, found 'bitand'; did you mean BitAnd?", programAround(["  Int32 @3 = bitand(@0, @0)"])],
  [4, 14, "expected an opcode, found 'Selct'; did you mean Select?", programAround(["  Int32 @3 = Selct(@0, @0)"])],
  [4, 14, "expected an opcode, found 'toString'", programAround(["  Int32 @3 = toString()"])],
  [4, 20, "expected ',', found ')'", programAround(["  Int32 @3 = Add(@0)"])],
  [4, 24, "expected ')', found ','; Add takes (T, T)", programAround(["  Int32 @3 = Add(@0, @0, @0)"])],
  [4, 22, "@5 is not defined", programAround(["  Int32 @3 = Add(@0, @5)"])],
  [4, 18, "#7 is not defined", programAround(["  Void @3 = Jump(#7)"])],
  [4, 23, "expected a defined snapshot, found 's0'", programAround(["  Void @3 = Check(@0) s0"])],
  [4, 23, "expected a declared slot, found 'stack0'", programAround(["  Int64 @3 = SlotBase(stack0)"])],
  [4, 20, "no host function or procedure has the name 'exec'", programAround(["  Int32 @3 = CCall(exec, @0)"])],
  [4, 22, "'2147483648' does not fit Int32", programAround(["  Int32 @3 = Const32(2147483648)"])],
  [4, 22, "expected an integer, found '1.5'", programAround(["  Int32 @3 = Const32(1.5)"])],
  [4, 22, "'9223372036854775808' does not fit Int64", programAround(["  Int64 @3 = Const64(9223372036854775808)"])],
  [4, 25, "'0.1' is not exactly a Float; the nearest is 0.10000000149011612", programAround(["  Float @3 = ConstFloat(0.1)"])],
  [4, 25, "'1e39' is not exactly a Float; the nearest is inf", programAround(["  Float @3 = ConstFloat(1e39)"])],
  [4, 27, "'1e999' is beyond the largest Double; write inf", programAround(["  Double @3 = ConstDouble(1e999)"])],
  [4, 27, "'1e-999' is below the smallest Double; write 0.0", programAround(["  Double @3 = ConstDouble(1e-999)"])],
  [4, 27, "'nan:0x7ff0000000000000' is not a NaN of type Double", programAround(["  Double @3 = ConstDouble(nan:0x7ff0000000000000)"])],
  [4, 25, "'nan:0x17fc00000' is not a NaN of type Float", programAround(["  Float @3 = ConstFloat(nan:0x17fc00000)"])],
  [4, 27, "expected 'offset', found 'off'", programAround(["  Void @3 = Store(@0, @1, off = 1)"])],
  [4, 24, "expected a key or 'default', found ')'", programAround(["  Void @3 = Switch(@0, )"])],
  [4, 24, "'2147483648' does not fit Int32", programAround(["  Void @3 = Switch(@0, 2147483648: #0, default: #0)"])],
  [4, 24, "'9223372036854775808' does not fit Int64", programAround(["  Void @3 = Switch(@1, 9223372036854775808: #0, default: #0)"])],
  [4, 24, "expected an integer, found 'x'", programAround(["  Void @3 = Switch(@0, x: #0, default: #0)"])],
  [4, 28, "expected ',', found ')'", programAround(["  Void @3 = Switch(@0, 1:#0)"])],
  [4, 36, "'2147483648' does not fit Int32", programAround(["  Void @3 = Store(@0, @1, offset = 2147483648)"])],
  [4, 1, "#0 is defined twice", programAround(["#0:"])],
  [4, 19, "expected the end of the line, found '#'", programAround(["  Void @3 = Nop() #"])],
  [3, 30, "expected the name of a frame, found ']'", programAround([], "snapshot s0 = exit 1 frames []")],
  [3, 35, "expected a constant, found 'alive'", programAround([], "snapshot s0 = exit 1 frames [f@0: alive]")],
  [4, 16, "an exit block cannot contain a reference to a block", programAround([], "snapshot s0 = exit 1 block {\nVoid @9 = Jump(#0)\n} frames [f@0:]")],
  [3, 30, "the name has no '\"' at its end", programAround([], 'snapshot s0 = exit 1 frames ["f')],
  [3, 32, 'expected \\\\, \\" or \\u{...}', programAround([], 'snapshot s0 = exit 1 frames ["f\\n"@0:]')],
  [4, 3, "f: #0: @3: operand 2 has type Int64, expected Int32 (and 1 more)", programAround(["  Int32 @3 = Add(@0, @1)", "  Int32 @4 = SExt8(@1)"])],
  [1, 1, "expected 'touchstone', found '\\u{202e}'", "\u202e"],
];

test("errors have a position, the expected token and the found token", (t) => {
  for (const [line, column, message, text] of LOCATED) {
    const error = t.throws(() => parseModule(text), { instanceOf: ParseError }, text);
    t.is(`${error.line}:${error.column}: ${error.message}`, `${line}:${column}: ${message}`, text);
  }
});

test("errors in bytes that are no text have a position", (t) => {
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

/** Returns Phis without Upsilons, at the end of a chain of blocks. */
function unwrittenPhis(blockCount: number, phiCount: number): string {
  const jumps = repeat(blockCount, (i) => `#${i}:\nVoid @${i + 1} = Jump(#${i + 1})`);
  const phis = repeat(phiCount, (i) => `Int32 @${blockCount + i + 1} = Phi()`);
  const lines = [...jumps, `#${blockCount}:`, ...phis, "Void @0 = Return()"];
  return `touchstone 1\nproc f() -> Void\n${lines.join("\n")}`;
}

// Twice the documented limit, because the machine is shared.
const SECONDS_MAX = 4;

// The message, and a text that exceeds the limit by one.
// biome-ignore format: a table
const BEYOND: readonly (readonly [message: string, text: () => string])[] = [
  ["the file has 67108865 bytes; at most 67108864 are read", () => " ".repeat((64 << 20) + 1)],
  ["the line is longer than 1048576 characters", () => programAround([`  ; ${"x".repeat(1 << 20)}`])],
  ["the line is longer than 1048576 characters", () => `; ${"x".repeat(1 << 20)}\ntouchstone 1`],
  ["the line is longer than 1048576 characters", () => `${programAround([])}; ${"x".repeat(1 << 20)}`],
  ["more than 1000000 values", () => programAround(repeat(1_000_000, (i) => `Void @${i + 100} = Nop()`))],
  ["more than 1000000 values", () => programAround(repeat(70_000, (i) => `Int32 @${i + 100} = CCall(f, ${repeat(15, (j) => `@${(15 * i + j) + 200_000}`).join(",")})`)).replaceAll("(f,", "(mix32,")],
  ["more than 100000 blocks", () => programAround(repeat(100_000, (i) => `Void @${i + 100} = Oops()\n#${i + 1}:`))],
  ["more than 16384 cases", () => programAround([`Void @3 = Switch(@0, ${repeat(16_385, (i) => `${i}: #0`).join()}, default: #0)`])],
  ["more than 1000000 cases in all switches together", () => programAround(repeat(62, (i) => `Void @${i + 100} = Switch(@0, ${repeat(16_384, (k) => `${k}: #1`).join()}, default: #1)`))],
  ["more than 65535 slots in a snapshot", () => programAround([], `snapshot s0 = exit 0 frames [f@0: ${repeat(65_536, () => "dead").join()}]`)],
  ["more than 1000000 frames and slots in all snapshots together", () => programAround([], repeat(16, (i) => `snapshot s${i} = exit 0 frames [f@0: ${repeat(65_535, () => "dead").join()}]`).join("\n"))],
  ["more than 100000 continuations", () => `touchstone 1\nexit 1 resumes ${repeat(100_001, () => "f").join()}`],
  ["the number is larger than 1048576", () => programAround([], "slot stack0 = locked 1048577")],
  ["the number is larger than 4194303", () => programAround([], "snapshot s4194304 = exit 0 frames [f@0:]")],
  ["f: too many blocks and Phis to determine whether each Phi is written", () => unwrittenPhis(20_000, 150_000)],
  ["the ids of all procedures together are too many", () => ["f", "g", "h"].map((name) => `proc ${name}() -> Void\n#0:\nVoid @4194303 = Return()`).join("\n").replace(/^/, "touchstone 1\n")],
  ["the number is larger than 302", () => `${programAround(["Void @4194000 = Nop()"])}proc g(Int32 @302, Int32 @303) -> Void`],
];

/** A limit and its value. */
const BEYOND_EVERY = trials(8, 1);

/** Returns processor time in seconds, which the load of the machine does not change. */
function secondsSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1e6;
}

test("a text beyond a limit is an error with a position, and is rejected in time", (t) => {
  for (const [message, text] of BEYOND.filter((_, b) => b % BEYOND_EVERY === 0)) {
    const input = text();
    const used = process.cpuUsage();
    const error = t.throws(() => parseModule(input), { instanceOf: ParseError });
    t.is(error.message, message);
    t.true(secondsSince(used) < SECONDS_MAX, message);
  }
});

/**
 * Returns a chain of blocks, each of which may also branch to the last: naive dominator algorithms take quadratic time.
 */
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
  const shapes = [ladder(99_000, 1), ladder(2, 200_000), ladder(10_000, 10_000)];
  for (const text of shapes) {
    const used = process.cpuUsage();
    t.notThrows(() => parseModule(text));
    t.true(secondsSince(used) < SECONDS_MAX, `${secondsSince(used)} s`);
  }
});

/** A program with every element of the text form. */
const WHOLE = readFileSync(new URL("../../../../corpus/golden/text/version-1.ir", import.meta.url));

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

function isProgram(bytes: Uint8Array): boolean {
  try {
    readModule(bytes);
    return true;
  } catch {
    return false;
  }
}

function damaged(source: SeedSource, round: number, whole: Uint8Array, tokens: string[]) {
  if (round % 8 === 0) {
    return Uint8Array.from({ length: source.below(200) }, () => source.below(256));
  }
  if (round % 2 === 0) {
    const words = tokens.slice();
    for (let k = source.below(3); k >= 0; k--) {
      words[source.below(words.length)] = tokens[source.below(tokens.length)];
    }
    return new TextEncoder().encode(words.join(""));
  }
  const bytes = whole.slice();
  for (let k = source.below(4); k >= 0; k--) {
    bytes[source.below(bytes.length)] = source.below(128);
  }
  return round % 7 === 0 ? bytes.subarray(0, source.below(bytes.length)) : bytes;
}

test("damaged texts and random bytes result in a module or a ParseError", (t) => {
  const source = new SeedSource(20_260_101n, "ir.test");
  const runs = "; run: f(3, heap+8, -0.5) fill 7 = exit 3 [f@1: Const32(1)] then 3 heap[0] = 00\n";
  const text = WHOLE.toString() + runs;
  const whole = new TextEncoder().encode(text);
  const tokens = text.split(/\b/);
  const rounds = trials(200, 20_000);
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    const bytes = damaged(source, round, whole, tokens);
    t.notThrows(() => surviveInput(bytes));
    if (isProgram(bytes)) accepted++;
  }
  // Some changes are harmless; if all were, the test would check nothing.
  t.true(
    accepted > rounds / 120 && accepted < 0.8 * rounds,
    `${accepted} of ${rounds} were programs`,
  );
});
