// Tests constants of every length of instruction sequence: the emitted sequence, and the value that
// the processor then has.

import test from "ava";
import { Compiler } from "../../reference/compile.js";
import type { TargetName } from "../../reference/target/target.js";
import { Judge } from "../compare/judge-program.js";
import type { Module } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";
import { ENVIRONMENT } from "./machine/environment.js";
import { PRINCIPAL_SUBJECTS } from "./subjects.js";
import { emulatorTest } from "./unicorn-available.js";
import { CompilationUnit } from "./unit.js";

type Type = "Int32" | "Int64";

/**
 * The constant, its type, and the instructions that make it: mnemonics on ARM64, the move on
 * x86-64.
 */
// biome-ignore format: a table
const ROWS: readonly (readonly [literal: string, type: Type, arm64: string, x64: string])[] = [
  // One instruction: movz, movn, or orr with a bitmask; on x86-64 zero-extended, sign-extended or
  // complete.
  ["0",                      "Int64", "movz",                "mov eax"],
  ["1",                      "Int64", "movz",                "mov eax"],
  ["0xffff",                 "Int64", "movz",                "mov eax"],
  ["0x10000",                "Int64", "movz",                "mov eax"],
  ["0x7fffffff",             "Int64", "movn",                "mov eax"],
  ["0x80000000",             "Int64", "movz",                "mov eax"],
  ["0xffffffff",             "Int64", "movn",                "mov eax"],
  ["0x100000000",            "Int64", "movz",                "movabs rax"],
  ["0x1000000000000",        "Int64", "movz",                "movabs rax"],
  ["-1",                     "Int64", "movn",                "mov rax"],
  ["-65536",                 "Int64", "movn",                "mov rax"],
  ["-65537",                 "Int64", "movn",                "mov rax"],
  ["0xffffffff80000001",            "Int64", "orr",                 "mov rax"],
  ["0xffffffff80000000",            "Int64", "orr",                 "mov rax"],
  ["0xffffffff7fffffff",            "Int64", "movn",                "movabs rax"],
  ["0x5555555555555555",     "Int64", "orr",                 "movabs rax"],
  ["0x00ff00ff00ff00ff",     "Int64", "orr",                 "movabs rax"],
  ["0x8000000000000001",     "Int64", "orr",                 "movabs rax"],
  ["0xfff0000000000fff",     "Int64", "orr",                 "movabs rax"],
  // Constants that need two instructions.
  ["0x12345678",             "Int64", "movz movk",           "mov eax"],
  ["0xfedcba98",             "Int64", "movz movk",           "mov eax"],
  ["0xffffffffedcba988",            "Int64", "movn movk",           "mov rax"],
  ["0x1234000056780000",     "Int64", "movz movk",           "movabs rax"],
  ["0x1234ffffffff5678",     "Int64", "movn movk",           "movabs rax"],
  // Constants that need three instructions.
  ["0x123456789abc",         "Int64", "movz movk movk",      "movabs rax"],
  ["0x123456789abc0000",     "Int64", "movz movk movk",      "movabs rax"],
  ["0xffff123456789abc",     "Int64", "movn movk movk",      "movabs rax"],
  ["0x1234ffff56789abc",     "Int64", "movn movk movk",      "movabs rax"],
  // Constants that need four instructions.
  ["0x123456789abcdef0",     "Int64", "movz movk movk movk", "movabs rax"],
  ["0xfedcba9876543210",     "Int64", "movz movk movk movk", "movabs rax"],
  // A 32-bit constant has two halves.
  ["0",                      "Int32", "movz",                "mov eax"],
  ["-1",                     "Int32", "movn",                "mov eax"],
  ["0x12340000",             "Int32", "movz",                "mov eax"],
  ["0xedcbffff",            "Int32", "movn",                "mov eax"],
  ["0x55555555",             "Int32", "orr",                 "mov eax"],
  ["0x12345678",             "Int32", "movz movk",           "mov eax"],
  ["0x80000001",             "Int32", "orr",                 "mov eax"],
];

const programOf = (literal: string, type: Type): Module =>
  parseModule(
    [
      "touchstone 1",
      `proc f() -> ${type}`,
      "#0:",
      `  ${type} @0 = Const${type.slice(3)}(${literal})`,
      "  Void @1 = Return(@0)",
    ].join("\n"),
  );

/**
 * Returns the instructions of a listing that make the constant, without their offsets. The level is
 * O0, because at O1 ARM64 loads a longer constant from the pool after the code.
 */
function constantIn(module: Module, target: TargetName): string[] {
  const way = { level: "O0", target, chaos: false } as const;
  const { listing } = new Compiler().generate(
    new CompilationUnit(module).optimized(way).module,
    target,
    {
      environment: ENVIRONMENT,
      level: "O0",
      checkAllocation: true,
      listing: true,
    },
  );
  const from = listing.findIndex((line) => line.includes("; @0"));
  const to = listing.findIndex((line) => line.includes("; @1"));
  return listing.slice(from + 1, to).map((line) => line.replace(/^[0-9a-f]+ {2}/, ""));
}

test("each constant takes the shortest sequence", (t) => {
  const rows = ROWS.map(([literal, type]) => {
    const module = programOf(literal, type);
    const mnemonics = constantIn(module, "arm64").map((text) => text.split(" ")[0]);
    const moves = constantIn(module, "x64").map((text) => text.split(",")[0]);
    return [literal, type, mnemonics.join(" "), moves.join(" ")];
  });
  t.deepEqual(rows, ROWS);
  const lengths = new Set(ROWS.map(([, , arm64]) => arm64.split(" ").length));
  t.deepEqual([...lengths].sort(), [1, 2, 3, 4]);
});

emulatorTest(test)("the processor has the value of each constant", (t) => {
  const judge = new Judge({
    subjects: PRINCIPAL_SUBJECTS.filter(({ target, native }) => target !== null && !native),
    fuelMax: 100,
  });
  for (const [literal, type] of ROWS) {
    const inputs = [{ words: new Int32Array(0), heapSeed: 0 }];
    for (const { subject, judgements } of judge.judge({ module: programOf(literal, type), inputs })
      .results) {
      t.is(judgements[0].verdict.kind, "equal", `${literal} of ${type} by ${subject}`);
    }
  }
  judge.close();
});
