// Tests that the report of a wrong user command has the module as binary and text, and the right
// answer.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { commandSubject, readHello } from "../../engine/command-subject.js";
import { parseModule } from "../../ir/text/parse.js";
import { runLines } from "../../ir/text/run-line.js";
import { quoted } from "../../support/shell-word.js";
import { USUAL } from "../program/seeds.js";
import { fileDifference } from "./file-remote.js";

const PROGRAM = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(3)
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
; run: f(8)
`;

test("the report of a command has program.wasm, its text and the expected answer", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-file-remote-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "wrong.mjs");
  writeFileSync(script, "console.log(99);\n");
  const command = { line: `node ${quoted(script)} {wasm} {export}`, seconds: 60, memory: 400 };
  const says = await readHello(command);
  if (typeof says === "string") return t.fail(says);
  const module = parseModule(PROGRAM);
  const inputs = runLines(PROGRAM, module).map(({ input }) => input);
  const found = {
    ...({ kind: "difference", seed: null, parents: "", subject: "command" } as const),
    ...({ aspect: "result", input: 0, detail: "" } as const),
  };
  const filing = { canary: null, profile: USUAL, reports: folder, reported: {} };
  const subject = commandSubject({ ...command, says });
  const filed = await fileDifference({ module, inputs }, found, subject, null, filing);
  if (filed.kind !== "report") return t.fail();
  const read = (name: string): string => readFileSync(join(filed.entry.path, name), "utf8");
  t.regex(read("program.wasm"), /^\0asm/);
  t.regex(read("program.wat"), /^\(module[\s\S]*\(export "main"/);
  const [, expected] = /^; run: \S+ = (.*)$/m.exec(read("program.ir")) ?? [];
  t.is(Number(read("expected.txt")), Number(expected));
  const { status, stdout } = spawnSync("sh", [join(filed.entry.path, "reproduce.sh")]);
  t.is(status, 1);
  t.regex(String(stdout), /^< 0x[\da-f]{8}$[^<]*^> 0x00000063$/m);
  t.regex(read("report.md"), /\| program\.wat \| .*\n\| expected\.txt \| /);
});
