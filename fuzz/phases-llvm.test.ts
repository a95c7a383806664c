// `fuzz phases x.ll` with a command in the place of clang: it prints the dump of one pass, right or wrong.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import { quoted } from "../src/support/shell-word.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-phases-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const FIRST = "define i32 @f(i32 %x) {\n  %y = mul i32 %x, 2\n  ret i32 %y\n}\n";
const file = join(folder, "x.ll");
writeFileSync(file, FIRST);

/** Returns a command that prints the function after one pass. */
function compilerThatPrints(name: string, text: string): string {
  const log = join(folder, `${name}.log`);
  writeFileSync(log, `*** IR Dump After ShiftPass on f ***\n${text}`);
  const script = join(folder, `${name}.sh`);
  writeFileSync(script, `cat ${quoted(log)} >&2\n`);
  return `sh ${script}`;
}
const right = compilerThatPrints("right", FIRST.replace("mul i32 %x, 2", "shl i32 %x, 1"));
const wrong = compilerThatPrints("wrong", FIRST.replace("mul i32 %x, 2", "shl nsw i32 %x, 1"));

test.serial("a pass that is right is judged equal, status 0", async (t) => {
  const { status, out, error } = await runHere(["phases", file, "--compiler", right]);
  t.is(status, 0, error);
  t.regex(out, /^f +1 +0 +0 +\d\d +0 +-$/m);
});

test.serial("a pass that adds nsw is wrong: its name, the call and both texts", async (t) => {
  const out = join(folder, "out");
  const words = ["phases", file, "--compiler", wrong, "--out", out];
  const printed = await runHere(words);
  t.is(printed.status, 1, printed.error);
  t.regex(
    printed.out,
    /ShiftPass changes what the function does: the result: expected -?\d+, got poison; called with/,
  );
  t.regex(readFileSync(join(out, "0-after-ShiftPass.ll"), "utf8"), /shl nsw/);
  const { status, out: json } = await runHere([...words, "--json"]);
  t.is(status, 1);
  t.is(answerFault("touchstone.phases", json), null);
});

test.serial("a wrong file, a malformed text and a compiler that fails are status 2", async (t) => {
  const malformed = join(folder, "malformed.ll");
  writeFileSync(malformed, "define i32 @f(i32 %x) {\n  ret i32 %x, 2\n");
  const failing = "sh -c false";
  const unjudged = join(folder, "unjudged.ll");
  writeFileSync(unjudged, FIRST.replace("mul i32 %x, 2", "udiv i32 %x, 0"));
  for (const [words, pattern] of [
    [
      ["phases", join(folder, "right.log")],
      /expected a file \.c, \.ll or \.lua, a program, or a log/,
    ],
    [
      ["phases", "corpus/bench/lz.ir", "--compiler", "clang-19"],
      /--compiler clang-19: expected luajit, or the path of jsc or bun/,
    ],
    [["phases", malformed, "--compiler", right], /malformed\.ll:\d+: expected/],
    [["import", malformed], /^[^\n]*malformed\.ll:\d+: expected[^\n]+\n$/],
    [
      ["phases", unjudged, "--compiler", right],
      /no function was judged: f: no drawn call is defined: a division by zero or poison/,
    ],
    [["phases", file, "--compiler", failing], /x\.ll: sh -c false: /],
  ] as const) {
    const { status, error } = await runHere(words);
    t.is(status, 2, error);
    t.regex(error, pattern);
  }
});
