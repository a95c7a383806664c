// Runs clang 19, if it is installed: known bugs are attributed to the pass or to the back end, and right code to neither.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { PassPrinter } from "../llvm/pass-dumps.js";
import { readPassTexts } from "../llvm/pass-texts.js";
import { askProgram } from "../support/ask-program.js";
import { type FunctionVerdicts, judgeFunction } from "./llvm-phases.js";
import { reducePass } from "./reduce-pass.js";

const CLANG = "clang-19";
const REDUCE_MS = 10_000;
const isThere = (name: string): boolean => askProgram(name, ["--version"]).status === 0;
const clangTest = isThere(CLANG) ? test : test.skip;
const folder = mkdtempSync(join(tmpdir(), "touchstone-machine-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

function judged(
  path: string,
  name: string,
  flags: readonly string[],
  printed: readonly string[] = [],
): FunctionVerdicts {
  const printer = new PassPrinter(path, [CLANG], flags);
  try {
    return judgeFunction(readPassTexts(printer.log(printed)), name);
  } finally {
    printer.close();
  }
}

clangTest("llvm-nnan-select is a bug of the back end", (t) => {
  const { wrong, call } = judged("corpus/known/engines/llvm-nnan-select.ll", "chosen", ["-O1"]);
  t.is(wrong?.name, "machine code");
  t.is(wrong?.difference, "the result: expected -0.0, got 0");
  t.is(call, "(0)");
});

clangTest("llvm-loop-load-elim is a bug of its pass", (t) => {
  const { wrong } = judged("corpus/known/engines/llvm-loop-load-elim.c", "f", ["-O2"]);
  t.is(wrong?.name, "LoopLoadEliminationPass");
});

const toolsTest = [CLANG, "opt-19", "llvm-reduce-19"].every(isThere) ? test.serial : test.skip;

toolsTest(
  "the wrong pass alone turns a reduced module wrong, and another pass does not",
  async (t) => {
    const { repeatable } = judged("corpus/known/engines/llvm-loop-load-elim.c", "f", ["-O2"]);
    if (repeatable === null) return t.fail("the module before the pass is gone");
    const reduced = await reducePass("LoopLoadEliminationPass", repeatable, "-19", REDUCE_MS);
    if (typeof reduced === "string") return t.fail(reduced);
    t.regex(reduced.difference, /^byte \d+ of @heap: expected /);
    t.true(reduced.text.length < repeatable.text.length);
    t.is(reduced.reducer, "llvm-reduce-19");
    t.deepEqual(reduced.command, ["opt-19", "-S", "-passes=loop-load-elim"]);
    t.is(
      await reducePass("GVNPass", repeatable, "-19", REDUCE_MS),
      "opt-19 -passes='gvn' alone is not wrong",
    );
  },
);

const GLOBAL = `@text = private constant [4 x i8] c"abc\\00", align 1
declare void @free(ptr)
define i32 @f(ptr %p, ptr %q, i32 %x) {
  store ptr @text, ptr %p, align 8
  call void @free(ptr %q)
  %r = mul i32 %x, 3
  ret i32 %r
}
`;

clangTest("code that is not run is reported", (t) => {
  const path = join(folder, "odd.ll");
  writeFileSync(path, "define i32 @f(i24 %x) {\n  %r = zext i24 %x to i32\n  ret i32 %r\n}\n");
  const { outside, wrong, refused } = judged(path, "f", ["-O0"]);
  const why = "its parameters or its result have other types";
  t.deepEqual(
    { outside, wrong, refused },
    {
      outside: [{ phase: "machine code", why }],
      wrong: null,
      refused: null,
    },
  );
});

clangTest("addresses of globals and freed arguments are not compared", (t) => {
  const path = join(folder, "x.ll");
  writeFileSync(path, GLOBAL);
  const passes = judged(path, "f", ["-O0"]);
  t.is(passes.wrong, null);
  t.true(passes.equal > 10, `${passes.equal} equal`);
});

clangTest(
  "a function of a module that is printed one by one is compared with its machine code",
  (t) => {
    const path = join(folder, "filtered.ll");
    writeFileSync(
      path,
      `@table = internal global [2 x i32] [i32 3, i32 5]
define i32 @f(i32 %x) {
  %at = and i32 %x, 1
  %p = getelementptr i32, ptr @table, i32 %at
  %r = load i32, ptr %p
  ret i32 %r
}
`,
    );
    t.deepEqual(judged(path, "f", ["-O1"], ["f"]).outside, []);
  },
);

clangTest("an access by the address of another object is no bug of the back end", (t) => {
  const path = join(folder, "outside.ll");
  writeFileSync(
    path,
    `@a = constant [4 x i8] c"near"
@b = constant [4096 x i8] c"${"abcdefghijklm".repeat(315)}n"
define i8 @f(i16 %x) {
  %masked = and i16 %x, 63
  %wide = zext i16 %masked to i64
  %at = mul i64 %wide, -64
  %p = getelementptr i8, ptr @a, i64 %at
  %r = load i8, ptr %p
  %s = load i8, ptr @b
  %t = add i8 %r, %s
  ret i8 %t
}
`,
  );
  const { wrong, outside } = judged(path, "f", ["-O0"]);
  t.deepEqual({ wrong, outside }, { wrong: null, outside: [] });
});
