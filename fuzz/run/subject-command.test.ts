// A command of the user's that is wrong: found by a campaign, reduced and reported by asking it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { runHere } from "../support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-subject-command-"));
test.after.always(() => rmSync(folder, { recursive: true }));

/** Answers 7, whatever it is asked. */
const SEVEN = `echo '{"touchstone": 1, "name": "seven", "format": "text"}'
while read -r line; do echo '{"answers": [{"runs": [{"result": "0x00000007"}]}]}'; done`;

const PROGRAM = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(5)
  Int32 @2 = Mul(@0, @1)
  Int32 @3 = BitXor(@2, @0)
  Void @4 = Return(@3)
; run: main(9)
`;
const file = join(folder, "x.ir");
writeFileSync(file, PROGRAM);
const command = ["--subjects", "command", "--subject-command", SEVEN];

test.serial("it is judged, and reduced to what shows it still", async (t) => {
  const judged = await runHere(["exec", file, ...command]);
  t.is(judged.status, 1);
  t.regex(judged.out, /command +different: result: expected 0x00000024, got 0x00000007/);
  const { status, out } = await runHere(["reduce", file, ...command]);
  t.is(status, 0);
  t.regex(out, /^; command: result; 5 values before, 2 after/);
});

test.serial("its report has the question, and the command that shows it again", async (t) => {
  const { status, out } = await runHere(["report", file, ...command, "--out", folder, "--json"]);
  t.is(status, 1, out);
  // The border to JSON: what `report --json` prints.
  const { findings } = JSON.parse(out) as { findings: { path: string; command: string[] }[] };
  const [{ path, command: again }] = findings;
  t.true(again.includes("--subject-command"));
  const question = readFileSync(join(path, "question.json"), "utf8");
  t.regex(question, /^\{"programs":\[\{"text":"touchstone 1/);
  t.regex(readFileSync(join(path, "report.md"), "utf8"), /confirmed: in 3 of 3 fresh processes/);
});

for (const [line, says] of [
  ["cc {c}", /expected both {c} and {exe}, or none of them/],
  ["echo hello", /expected a first line like .*docs\/subject-command\.md/],
] as const) {
  test.serial(`'${line}' is refused with what is expected`, async (t) => {
    const { status, error } = await runHere(["run", "--subject-command", line, "--count", "1"]);
    t.is(status, 2);
    t.regex(error, says);
  });
}
