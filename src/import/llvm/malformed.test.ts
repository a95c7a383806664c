// Imports malformed texts: an error with its line, soon and with little memory.

import { readFileSync } from "node:fs";
import test from "ava";
import { LlvmError } from "../../llvm/llvm-error.js";
import { parseLlvm } from "../../llvm/parse.js";
import { SeedSource } from "../../support/source.js";
import { mutatedText } from "../mutated-text.js";
import { importLlvm } from "./import-llvm.js";
import { LLVM_WRITES, layoutFor, subjectOf } from "./subject.js";

/** Imports a function. Returns the error if the text is refused. */
function refusalOf(text: string, name: string): LlvmError | null {
  try {
    const llvm = parseLlvm(text);
    const subject = subjectOf(llvm, name, llvm, LLVM_WRITES);
    const line = llvm.functions.get(name)?.line ?? 1;
    importLlvm(llvm, subject, layoutFor(subject, line), "before");
    return null;
  } catch (error) {
    if (error instanceof LlvmError) return error;
    throw error;
  }
}

/** A file, and the function that is imported. */
const FILES: readonly (readonly [string, string])[] = [
  ["corpus/bench/c/crc.ll", "kernel"],
  ["corpus/bench/c/tree.ll", "kernel"],
  ["corpus/bench/c/orbits.ll", "kernel"],
  ["corpus/bench/c/table.ll", "lookup"],
  ["corpus/known/engines/llvm-nnan-select.ll", "chosen"],
];
const MUTATIONS = 100;
const SECONDS_MAX = 5;
const MEGABYTES_MAX = 1500;

const TOKEN = /%[\w.]+|@[\w.]+|[A-Za-z_]\w*|-?\d+|[^\s\w]/g;
/** Texts in the place of a token. */
const STRANGE = [
  ...["", "\n", '"', "{", "}", "(", ")", "<", "[", "]", ",", "!", "#0", "\u0001", "\u00e9"],
  ...["0", "-1", "99999999999", "1e999", "0xK123", "i0", "i128", "ptr", "void", "label %x"],
  ...["[4294967295 x i8]", "<1000000 x i32>", "[1048576 x [1048576 x i64]]", "align 3"],
  ...["undef", "poison", "zeroinitializer", "phi", "ret", "br", "@kernel", "%0"],
];

for (const [path, name] of FILES) {
  test(`${MUTATIONS} mutations of ${path}`, (t) => {
    const text = readFileSync(path, "utf8");
    const source = new SeedSource(1n, path);
    let refused = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const changed = mutatedText(text, TOKEN, STRANGE, source);
      const before = process.cpuUsage();
      const error = refusalOf(changed, name);
      const { user, system } = process.cpuUsage(before);
      t.true((user + system) / 1e6 < SECONDS_MAX, `mutation ${i} took ${(user + system) / 1e6} s`);
      if (error === null) continue;
      refused++;
      const { line, message } = error;
      const isPlace = line >= 1 && line <= changed.split("\n").length && !message.includes("\n");
      t.true(isPlace, `${line}: ${message}`);
    }
    t.true(refused > MUTATIONS / 5, `${refused} refused`);
    t.true(process.resourceUsage().maxRSS / 1024 < MEGABYTES_MAX);
  });
}

const repeated = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("");
const body = (lines: string): string => `define i32 @f(i32 %x) {\n${lines}\n  ret i32 0\n}\n`;
const doubled = (count: number): string =>
  repeated(count, (i) => `%t${i} = type { %t${i + 1}, %t${i + 1} }\n`);

/** Each row: a small text that means a large one, or nests deep, and the message. */
const LARGE: readonly (readonly [string, string, RegExp])[] = [
  [
    "an operand of 100,000 levels",
    body(`  %y = load i32, ptr ${"getelementptr (i8, ptr ".repeat(100_000)}`),
    /^2: operands that nest deeper than 100/,
  ],
  [
    "a type of 2^40 parts",
    `${doubled(40)}%t40 = type {}\n${body("  %p = alloca %t0\n  %y = load %t0, ptr %p")}`,
    /^44: a value of more than 1024 scalars/,
  ],
  [
    "a type of 5,000 levels",
    `${doubled(5000)}%t5000 = type i32\n${body("  %y = alloca %t0")}`,
    /^5003: the type %t0/,
  ],
  [
    "a global of 2^40 numbers",
    `${doubled(40)}%t40 = type i32\n@g = global %t0 zeroinitializer\n${body("  store i32 1, ptr @g")}`,
    /^43: 4398046511104 bytes of globals/,
  ],
  [
    "vectors of 2,000,000 lanes",
    body(repeated(1000, (i) => `  %y${i} = add <1000 x i32> zeroinitializer, splat (i32 ${i})\n`)),
    /^\d+: more than 2000000 values of one function/,
  ],
];

for (const [about, text, message] of LARGE) {
  test(`refused: ${about}`, (t) => {
    const error = refusalOf(text, "f");
    t.regex(`${error?.line}: ${error?.message}`, message);
  });
}
