// Tests that no generated code reads an undefined flag, and that such code is reported.

import test from "ava";
import { Compiler } from "../../reference/compile.js";
import { LEVELS } from "../../reference/levels.js";
import { programOf } from "../campaign/program/seeds.js";
import { ENVIRONMENT } from "../execute/machine/environment.js";
import { CompilationUnit } from "../execute/unit.js";
import { trials } from "../support/trials.js";
import { undefinedFlagIn } from "./undefined-flags.js";

const listed = (...lines: readonly string[]): string[] =>
  lines.map((line, i) =>
    line.endsWith(":") ? line : `${(4 * i).toString(16).padStart(4, "0")}  ${line}`,
  );

const ASKS: readonly (readonly [lines: readonly string[], says: string | null])[] = [
  [
    ["cmp edi, esi", "imul ecx, edx", "cmovge ecx, esi"],
    "cmovge ecx, esi at 0008 reads the sign flag, which imul ecx, edx at 0004 leaves undefined",
  ],
  [["imul ecx, edx", "jo .L3"], null],
  [
    ["imul ecx, edx", "mov eax, ecx", "je .L3"],
    "je .L3 at 0008 reads the zero flag, which imul ecx, edx at 0000 leaves undefined",
  ],
  [["imul ecx, edx", "test ecx, ecx", "je .L3"], null],
  [["imul ecx, edx", ".L4:", "je .L3"], null],
  [["shl eax, 3", "js .L3"], null],
  [
    ["shl eax, 3", "jl .L3"],
    "jl .L3 at 0004 reads the overflow flag, which shl eax, 3 at 0000 leaves undefined",
  ],
  [["cmp eax, ecx", "lea eax, [rax + 4]", "setl al"], null],
  [
    ["div ecx", "adc eax, 0"],
    "adc eax, 0 at 0004 reads the carry flag, which div ecx at 0000 leaves undefined",
  ],
  [
    ["test eax, eax", "call rax", "jne .L3"],
    "jne .L3 at 0008 reads the zero flag, which call rax at 0004 leaves undefined",
  ],
  [["lock cmpxchg dword ptr [rcx], edx", "sete al"], null],
  [["bsr eax, ecx", "cmove eax, edx"], null],
];

for (const [lines, says] of ASKS) {
  test(`${lines.join("; ")}: ${says === null ? "all is defined" : "one flag is undefined"}`, (t) => {
    t.is(undefinedFlagIn(listed(...lines)), says);
  });
}

test("code of random programs reads no undefined flag", (t) => {
  const compiler = new Compiler();
  let asked = 0;
  for (let seed = 1n; seed <= trials(20, 2000); seed++) {
    const { module } = programOf(seed);
    const unit = new CompilationUnit(module);
    for (const level of LEVELS) {
      const optimized = unit.optimized({ level, target: "x64", chaos: false }).module;
      const options = { environment: ENVIRONMENT, level, checkAllocation: false, listing: true };
      const { listing } = compiler.generate(optimized, "x64", options);
      t.is(undefinedFlagIn(listing), null, `seed ${seed} at ${level}`);
      asked += listing.filter((line) => / (cmov|set|j[^m])[a-z]* /.test(line)).length;
    }
  }
  t.true(asked > 300, `${asked}`);
});
