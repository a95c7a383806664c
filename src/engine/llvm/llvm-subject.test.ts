// Runs clang 19, if it is installed: a wrong pass is named by the text that it prints, and right passes are equal. The
// control changes the text of one pass.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../support/project-root.js";
import { quoted } from "../../support/shell-word.js";
import { engineTest, type JudgedProgram, judged, programFrom } from "../engine-test.js";
import { C_SOURCES, LLVM_SOURCES } from "../sources.js";
import { causingPassOf, judgePasses } from "./llvm-subject.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-llvm-subject-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const CLANG = { sources: LLVM_SOURCES, command: ["clang-19"], flags: ["-w", "-O2"] };
const known = (name: string): JudgedProgram =>
  programFrom(readFileSync(join(projectRoot(), "corpus/known/engines", name), "utf8"));
const right = programFrom(
  readFileSync(join(projectRoot(), "corpus/regress/counter-of-floats-stays.ir"), "utf8"),
);

const ROW = "llvm-passes";

engineTest(test.serial, ROW, "the wrong pass of a known bug is the difference", async (t, row) => {
  const { different } = await judged(row, [known("llvm-loop-load-elim.ir")]);
  t.is(different.length, 1);
  t.regex(different[0], /LLVM's pass LoopLoadEliminationPass changes what the program does/);
  t.deepEqual((await judged(row, [right])).different, []);
});

engineTest(test.serial, ROW, "the pass is named for C, and the back end for LLVM IR", async (t) => {
  const flags = ["-w", "-std=c11", "-O2"];
  const loads = known("llvm-loop-load-elim.ir");
  t.is(causingPassOf({ ...CLANG, sources: C_SOURCES, flags }, loads), "LoopLoadEliminationPass");
  t.is(causingPassOf(CLANG, known("llvm-nnan-select.ir")), "machine code");
});

/** Returns a command that changes the text that clang prints after a pass, if it contains `found`. */
function changing(pass: string, found: string, instead: string): string[] {
  const script = join(folder, `${pass}.sh`);
  const edit = `/IR Dump After /{on=0} /IR Dump After ${pass} /{on=1} on{sub(/${found}/, "${instead}")} {print}`;
  writeFileSync(
    script,
    `log=$(mktemp); clang-19 "$@" 2> "$log"; status=$?; awk ${quoted(edit)} "$log" >&2; rm "$log"; exit $status\n`,
  );
  return ["sh", script];
}

engineTest(
  test.serial,
  ROW,
  "a planted change of a text is found, and its pass named",
  async (t) => {
    const { wrong, isComplete, equal } = judgePasses(CLANG, right);
    t.is(wrong, null);
    t.true(isComplete && equal > 10, `${equal} equal`);
    for (const [pass, found, instead] of [
      ["EarlyCSEPass", "store float %v15", "store float 1.0"],
      ["IPSCCPPass", "store i32 4, ", "store i32 5, "],
    ] as const) {
      const command = changing(pass, found, instead);
      t.is(judgePasses({ ...CLANG, command }, right).wrong, pass);
    }
  },
);
