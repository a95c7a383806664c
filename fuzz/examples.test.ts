// Runs the examples in the help of each command as a user types them, in this process. The named
// files are replaced by files of the test, and large counts by 1.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { FINDING_SCHEMA, FINDING_VERSION } from "../src/report/finding.js";
import { projectRoot } from "../src/support/project-root.js";
import { COMMANDS } from "./commands.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-examples-"));
test.after.always(() => rmSync(folder, { recursive: true }));
const own = (name: string): string => join(folder, name);

const PROGRAM = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
; run: main(1) = 1
`;
const script = '(module (func (export "f") (result i32) (i32.const 7)))\n';
/** `(module (func (export "main") (result i32) (i32.const 7)))` */
const WASM = "0061736d010000000105016000017f03020100070801046d61696e00000a0601040041070b";
writeFileSync(own("x.wast"), `${script}(assert_return (invoke "f") (i32.const 7))\n`);
writeFileSync(own("x.in"), "a = immi 7\nreti a\n");
writeFileSync(own("x.ll"), "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n");
writeFileSync(own("crashes.sh"), '#!/bin/sh\ngrep -q Return "$1"\n', { mode: 0o755 });
mkdirSync(own("finding"));
const about = { schema: FINDING_SCHEMA, version: FINDING_VERSION, aspect: null, canary: null };
writeFileSync(join(own("finding"), "finding.json"), JSON.stringify({ ...about, subject: "ir-O1" }));
writeFileSync(join(own("finding"), "original.ir"), PROGRAM);

/** Replacements for words of an example. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...[
    "x.ir",
    "x.wasm",
    "x.wast",
    "x.ll",
    "x.in",
    "f.ir",
    "x.c",
    "small.ir",
    "programs",
    "playground.html",
  ].map((name) => [name, own(name)] as const),
  ["corpus/regress/x.ir", own("x.ir")],
  ["./crashes.sh", own("crashes.sh")],
  ["reports/C/F", own("finding")],
  ["jsc.log", join(projectRoot(), "corpus/import/b3-loop.log")],
]);
/** Replacements for an option of an example with its value. */
const SHORTER: ReadonlyMap<string, readonly string[]> = new Map([
  ["--count", ["--count", "1"]],
  ["--for", ["--count", "1"]],
]);
/** Additional arguments for the examples of a command. */
const BESIDES: ReadonlyMap<string, readonly string[]> = new Map([
  ["run", ["--subjects", "ir-O1", "--workers", "1", "--reports", own("reports")]],
  ["exec", ["--subjects", "ir-O1"]],
  ["reduce", ["--workers", "1"]],
  ["report", ["--out", own("reports")]],
  ["conform", ["--subjects", "ir-O1"]],
]);
/** Examples that take minutes or need optional software, with the tests that cover them. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["run --since main --for 8m", "fuzz/run"],
  ["run --against HEAD~1 --count 500", "fuzz/run/against.test.ts"],
  ["run --canary", "fuzz/commands.test.ts"],
  ["run --fleet --store postgres://me@host/fuzz", "src/fleet/fleet.test.ts"],
  ["worker --store postgres://me@host/fuzz", "src/fleet/fleet.test.ts"],
  ["phases x.ir --out phases", "src/engine"],
  ["import x.lua --from luajit --out traces", "fuzz/phases-luajit.test.ts"],
  ["phases x.lua", "fuzz/phases-luajit.test.ts"],
  ["phases x.ir --compiler luajit", "fuzz/phases-luajit.test.ts"],
  ["phases x.c --flags=-O3", "fuzz/phases-llvm.test.ts"],
  ["phases x.ll --compiler 'zig cc' --out passes", "fuzz/phases-llvm.test.ts"],
  ["engines --subjects v8-turbofan,v8-liftoff --count 2000", "fuzz/json.test.ts"],
  ["engines --regress system,zig-0.16.0", "fuzz/json.test.ts"],
  ["conform --boundary --share 20", "src/compare/boundary.test.ts"],
  ["prove", "src/prove"],
  ["prove --cold --rules sub-self", "fuzz/json.test.ts"],
  ["stats reports/C --format html --out night.html", "fuzz/commands.test.ts"],
  ["stats", "fuzz/commands.test.ts"],
  ["stats --store .touchstone/store --bucket 0123456789", "src/store/store.test.ts"],
]);

function wordsOf(command: string, line: string): string[] {
  const words = line.split(" ");
  const result: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const shorter = SHORTER.get(words[i]);
    if (shorter === undefined) result.push(WORDS.get(words[i]) ?? words[i]);
    else {
      result.push(...shorter);
      i++;
    }
  }
  const besides = line.includes("--canary") && command !== "report" ? [] : BESIDES.get(command);
  return [...result, ...(besides ?? [])];
}

/**
 * Returns the permitted statuses of an example: a planted bug is found; a finding that is not
 * reproduced is not.
 */
function statusOf(line: string): number {
  if (line.includes("--canary")) return 1;
  return line === "reduce reports/C/F" || line === "reduce --seed 7 --out small.ir" ? 1 : 0;
}

for (const { name, examples } of COMMANDS) {
  for (const [example] of examples) {
    const line = example.replace(/^(\$0|.*\bfuzz) /, "");
    if (ELSEWHERE.has(line)) continue;
    test.serial(`fuzz ${line}`, async (t) => {
      // An earlier example may have overwritten these.
      writeFileSync(own("x.ir"), PROGRAM);
      writeFileSync(own("x.wasm"), Buffer.from(WASM, "hex"));
      const { status, error } = await runHere(wordsOf(name, line));
      t.is(status, statusOf(line), error);
    });
  }
}

test("each excluded example exists in the help", (t) => {
  const lines = COMMANDS.flatMap(({ examples }) => examples).map(([line]) =>
    line.replace("$0 ", ""),
  );
  t.deepEqual(
    [...ELSEWHERE.keys()].filter((line) => !lines.includes(line)),
    [],
  );
});
