// Tests interpreters that print the results of exports: records that are larger than the first
// room, and engines that die, hang, and print incomplete output.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { describeDifference } from "../compare/describe-difference.js";
import { type ExecutionJudgement, Judge } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { parseModule } from "../ir/text/parse.js";
import { assert } from "../support/assert.js";
import { engineNamed } from "./engines.js";
import { exportSubject } from "./export-subject.js";

const FUEL = 1_000_000;

const engine = engineNamed("wasm-interp");
assert(engine !== null, () => "wasm-interp is no engine");
const withInterpreter = engine.missing() === null ? test : test.skip;

/** Logs its argument several times, or leaves by a guard if it is negative. */
const LOGGING = parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
snapshot s0 = exit 2 frames [f@0: @0]
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = LessThan(@0, @1)
  Void @3 = Check(@2) s0
  Void @4 = Upsilon(@0, ^6)
  Void @5 = Jump(#1)
#1:
  Int32 @6 = Phi()
  Void @7 = CCall(logInt, @6)
  Int32 @8 = Const32(1)
  Int32 @9 = Sub(@6, @8)
  Void @10 = Upsilon(@9, ^6)
  Void @11 = Branch(@9, #1, #2)
#2:
  Void @12 = Return(@6)
`);

async function judged(
  subject: RemoteSubject,
  args: readonly number[],
): Promise<readonly ExecutionJudgement[]> {
  const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
  const inputs = args.map((arg) => ({ words: Int32Array.of(arg, 0), heapSeed: 5 }));
  const [{ results }] = await judge.judgeAll([{ module: LOGGING, inputs }]);
  judge.close();
  return results[0].judgements;
}

withInterpreter("records that need more exports, and more room", async (t) => {
  const judgements = await judged(engine, [1, -1, 200, 40_000]);
  t.deepEqual(
    judgements.map(({ verdict }) => verdict.kind),
    ["equal", "equal", "equal", "equal"],
  );
});

withInterpreter("a reproducer is right if the engine is", async (t) => {
  const records = new Uint8Array(0);
  const files = engine.reproducer({
    module: LOGGING,
    input: { words: Int32Array.of(3, 0), heapSeed: 0 },
    expected: { status: 1, trap: null, records },
    open: records,
  });
  const folder = mkdtempSync(join(tmpdir(), "touchstone-reproducer-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const run = () => spawnSync("sh", [join(folder, "reproduce.sh")], { encoding: "utf8" });
  const { status, stdout } = run();
  t.is(status, 1, "no records are expected, and there are some");
  const size = /^> size\(\) => i32:(\d+)$/m.exec(stdout)?.[1];
  writeFileSync(join(folder, "expected.txt"), `status() => i32:1\nsize() => i32:${size}\n`);
  t.is(run().status, 0);
});

/** Returns a program that is started with the module as its argument. */
function fake(t: ExecutionContext, script: string, timeMs = 60_000): RemoteSubject {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-fake-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "engine");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return exportSubject({ name: "fake", path, flags: [], missing: () => null, timeMs });
}

// biome-ignore format: a table
const WRONG: readonly (readonly [name: string, script: string, timeMs: number, evidence: RegExp])[] = [
  ["dies",            "echo fatal >&2; exit 5", 60_000, /crash: .*status 5.*fatal/],
  ["hangs",           "sleep 600",              300,    /hang: .*did not end within/],
  ["prints nothing",  "exit 0",                 60_000, /garbage/],
  ["prints half",     "echo 'run() =>'; echo 'status() => i32:1'; echo 'size() => i32:8'", 60_000, /garbage: run\(\)/],
  ["prints nonsense", "yes 'w0() => i64:1' | head -600", 60_000, /garbage: w0/],
];

for (const [name, script, timeMs, evidence] of WRONG) {
  test(`an interpreter that ${name} is a difference`, async (t) => {
    const [{ verdict }] = await judged(fake(t, script, timeMs), [1]);
    if (verdict.kind !== "different") return t.fail(verdict.kind);
    t.regex(describeDifference(verdict.difference), evidence);
  });
}

const DIES_OF_ONE = `case "$(cat "$1")" in *wrong*) echo fatal >&2; exit 5;; esac; exec wasm-interp "$1" --run-all-exports`;

withInterpreter("one execution that dies does not affect the others", async (t) => {
  const wrong = parseModule(`touchstone 1
proc wrong(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
`);
  const judge = new Judge({ subjects: [fake(t, DIES_OF_ONE)], fuelMax: FUEL });
  const inputs = [1, -1].map((arg) => ({ words: Int32Array.of(arg, 0), heapSeed: 5 }));
  const judged = await judge.judgeAll([wrong, LOGGING].map((module) => ({ module, inputs })));
  judge.close();
  const kinds = judged.map(({ results }) =>
    results[0].judgements.map(({ verdict }) => verdict.kind),
  );
  t.deepEqual(kinds, [
    ["different", "different"],
    ["equal", "equal"],
  ]);
});

withInterpreter("executions of a batch are started by one shell", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-parents-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "parents");
  const script = `echo $PPID >> ${file}; exec wasm-interp "$1" --run-all-exports`;
  const judgements = await judged(fake(t, script), [1, 2, -1]);
  t.deepEqual(
    judgements.map(({ verdict }) => verdict.kind),
    ["equal", "equal", "equal"],
  );
  const parents = readFileSync(file, "utf8").trim().split("\n");
  t.is(parents.length, 3);
  t.is(new Set(parents).size, 1);
  t.not(parents[0], String(process.pid));
});
