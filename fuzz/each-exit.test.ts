// Tests `--each-exit` of `fuzz exec` and `fuzz corpus run`: their output about the guards of a
// file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { emulatorTest } from "../src/execute/unicorn-available.js";
import { type CommandOutput, runHere } from "./support/run-here.js";

const withEmulator = emulatorTest(test.serial);
const folder = mkdtempSync(join(tmpdir(), "touchstone-each-exit-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const fuzz = (...args: readonly string[]): Promise<CommandOutput> => runHere(args);

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const TWO_GUARDS = `touchstone 1
proc main(Int32 @0, Int32 @1) -> Int32
snapshot s0 = exit 3 frames [main@1: @0]
snapshot s1 = exit 4 frames [main@2: @1]
#0:
  Int32 @2 = CheckSub(@0, @1) s0
  Void @3 = Branch(@1, #1, #2)
#1:
  Void @4 = Check(@0) s1
  Void @5 = Jump(#2)
#2:
  Void @6 = Return(@2)
; run: main(7, 0) = 7
`;

test.serial("exec prints for each guard whether it is reached, and makes it fail", async (t) => {
  const file = fileOf("two-guards.ir", TWO_GUARDS);
  const said = await fuzz("exec", file, "--each-exit", "--subjects", "ir-O2");
  t.is(said.status, 0, said.error);
  t.regex(said.out, /^; main @2 CheckSub, exit 3: fails in main\(7, 0, 17\)$/m);
  t.regex(said.out, /^; main @4 Check, exit 4: is not reached$/m);
  t.regex(said.out, /^; 1 of 2 guards are reached$/m);
  t.regex(said.out, /^; run: main\(7, 0, 17\)\n; {3}oracle +exit 3 \[main@1: Const32\(7\)\]\n/m);
  const again = await fuzz("exec", fileOf("printed.ir", said.out), "--subjects", "ir-O2");
  t.is(again.status, 0, again.error);
  t.is(again.out.match(/^; run: /gm)?.length, 2, "the output is a program with run lines");
});

withEmulator("a subject that does not take an exit correctly is found", async (t) => {
  const file = fileOf("found.ir", TWO_GUARDS);
  const canary = ["--canary", "exit-number", "--subjects", "x64-O1"];
  t.is((await fuzz("exec", file, ...canary)).status, 0, "no guard fails without rewriting");
  t.is((await fuzz("exec", file, ...canary, "--each-exit")).status, 1);
});

test.serial("corpus run counts the guards, and names the input of a failure", async (t) => {
  const file = fileOf("counted.ir", TWO_GUARDS);
  const said = await fuzz("corpus", "run", file, "--each-exit", "--subjects", "ir-O1", "--json");
  t.is(said.status, 0, said.error);
  t.deepEqual(JSON.parse(said.out).exits, { guards: 2, taken: 1 });
});

test.serial("a program with too many guards is refused", async (t) => {
  const guards = Array.from({ length: 1001 }, (_, i) => `  Void @${i + 1} = Check(@0) s0\n`);
  const text = `touchstone 1
proc main(Int32 @0) -> Void
snapshot s0 = exit 0 frames [main@0: @0]
#0:
${guards.join("")}  Void @1002 = Return()
; run: main(0)
`;
  const said = await fuzz("exec", fileOf("many.ir", text), "--each-exit", "--subjects", "ir-O1");
  t.is(said.status, 2, said.out);
  t.regex(said.error, /1001 guards, 1 blocks; expected at most 1000 guards and 5000 blocks/);
});
