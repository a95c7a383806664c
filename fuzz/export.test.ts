// Tests the facts that `fuzz export --facts` states, text for Nanojit's assembler, and errors.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-export-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const SUM =
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Int32 @1 = Add(@0, @0)\n  Void @2 = Return(@1)\n";
const [file, bare, root, out] = ["sum.ir", "bare.ir", "root.ir", "out"].map((name) =>
  join(folder, name),
);
writeFileSync(file, `${SUM}; run: f(3)\n; run: f(-4)\n`);
writeFileSync(bare, SUM);
writeFileSync(
  root,
  "touchstone 1\nproc f(Double @0) -> Double\n#0:\n  Double @1 = Sqrt(@0)\n  Void @2 = Return(@1)\n; run: f(4.0)\n",
);

test.serial("an exported text for Nanojit's assembler is imported again", async (t) => {
  const text = join(folder, "x.lir");
  t.is((await runHere(["export", file, "--to", "lir", "--out", text])).status, 0);
  t.is((await runHere(["import", text, "--out", out])).status, 0);
  // The program prints 1, since it returned, and then its result.
  t.regex(readFileSync(out, "utf8"), /^; run: main\(.*\) = 6$/m);
});

test.serial("it states the named kinds of facts, for the run lines of the file", async (t) => {
  for (const [to, facts, has, hasNot] of [
    ["llvm", "all", /add nsw i32 .*/, /nuw i32/],
    ["llvm", "range", /i32 range\(i32 -4, 4\) %v0/, /\bnsw\b/],
    ["c", "nsw", /\(uint32_t\)\(\(int32_t\)\(v0\) \+ \(int32_t\)\(v0\)\)/, /unreachable/],
  ] as const) {
    const words = ["export", file, "--to", to, "--facts", facts, "--out", out];
    t.is((await runHere(words)).status, 0);
    const text = readFileSync(out, "utf8");
    t.regex(text, has);
    t.notRegex(text, hasNot);
  }
});

for (const [words, says] of [
  [
    [file, "--to", "lua", "--facts", "all"],
    /the format lua cannot express this: expected --to c or llvm/,
  ],
  [
    [file, "--to", "c", "--facts", "nsv"],
    /--facts nsv: expected all, or some of nsw, .*did you mean nsw/,
  ],
  [[bare, "--to", "lir"], /--to lir: expected a run line/],
  [[root, "--to", "lir"], /--to lir: Nanojit cannot express Sqrt of Double/],
  [
    [bare, "--to", "c", "--facts", "all"],
    /expected a line '; run: f\(\.\.\.\)' that the oracle judges/,
  ],
] as const) {
  test.serial(
    `${words.slice(1).join(" ")} with ${words[0] === bare ? "no" : "a"} run line is refused`,
    async (t) => {
      const { status, error } = await runHere(["export", ...words]);
      t.is(status, 2);
      t.regex(error, says);
    },
  );
}
