// Tests modules that first go through an optimizer: one without a relevant change, some that fail,
// and Binaryen if it is installed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { locatePart } from "../campaign/file/locate-part.js";
import { programOf } from "../campaign/program/seeds.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import { parseModule } from "../ir/text/parse.js";
import type { Candidate } from "../reduce/candidate.js";
import { engineTest } from "./engine-test.js";
import { optimizerOf } from "./wasm-rows.js";
import { wasmSubject } from "./wasm-subject.js";

const FUEL = 1_000_000;
const SEEDS = 3;
const FIRST_SEED = 740_000n;
const DRIVER = fileURLToPath(new URL("./wasm-driver.js", import.meta.url));

async function verdictsOf(subject: RemoteSubject, count: number) {
  const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
  const programs = Array.from({ length: count }, (_, s) => programOf(FIRST_SEED + BigInt(s)));
  const judged = await judge.judgeAll(programs);
  judge.close();
  return judged.flatMap(({ results: [{ judgements }] }) =>
    judgements.map(({ verdict }) => verdict),
  );
}

engineTest(test, "binaryen-O3", `binaryen-O3 agrees on ${SEEDS} seeds`, async (t, engine) => {
  const verdicts = await verdictsOf(engine, SEEDS);
  t.deepEqual(new Set(verdicts.map(({ kind }) => kind)), new Set(["equal"]));
  t.true(verdicts.length > 2 * SEEDS);
});

const adding = (number: number): Candidate => ({
  module: parseModule(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(${number})
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
`),
  inputs: [{ words: Int32Array.of(7, 0), heapSeed: 0 }],
});

const PASSES_TITLE = "the passes of Binaryen can be switched off";
engineTest(test, "binaryen-O3", PASSES_TITLE, async (t, { parts }) => {
  if (parts === undefined) return t.fail("it has no parts");
  const passes = await parts.list(adding(1));
  t.true(passes.length > 20 && passes.includes("vacuum"), passes.join());
  t.is(await locatePart(adding(1), "result", parts), null);
  const verdicts = await verdictsOf(parts.upTo(5, passes), 1);
  t.deepEqual(new Set(verdicts.map(({ kind }) => kind)), new Set(["equal"]));
});

test("the pass of Binaryen that breaks a program is named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-fake-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const wrong = join(folder, "wrong.wasm");
  writeFileSync(wrong, exportWasm(adding(2).module).bytes);
  // Its output has an additional section, because an unchanged module counts as a failure. Its
  // second pass breaks the module.
  const script = `#!/bin/sh
case "$*" in *--debug*) printf 'running pass: one...\nrunning pass: two...\nrunning pass: three...\n' >&2;; esac
for last; do :; done
case "$*" in *-O3*|*--two*) cat ${wrong} > "$last";; *) cat "$1" > "$last";; esac
printf '\\000\\002\\001n' >> "$last"
`;
  const program = join(folder, "wasm-opt");
  writeFileSync(program, script, { mode: 0o755 });
  const broken = optimizerOf({ name: "fake", program, flags: ["-O3"], install: "" });
  if (broken.parts === undefined) return t.fail("it has no parts");
  t.is(await locatePart(adding(1), "result", broken.parts), "two");
});

/** Returns an optimizer that is a script; `$1` is the module, `$3` its output. */
function fake(t: ExecutionContext, script: string, timeMs: number): RemoteSubject {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-fake-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "optimizer");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return wasmSubject({
    name: "fake",
    tier: { by: "answer", is: "liftoff" },
    command: {
      path: process.execPath,
      args: ["--no-wasm-lazy-compilation", "--allow-natives-syntax", "--liftoff-only", DRIVER],
    },
    optimizer: { path, flags: [] },
    missing: () => null,
    timeMs,
  });
}

// A section without meaning, with the name x.
const HARMLESS = 'cp "$1" "$3"; printf "\\000\\002\\001x" >> "$3"';

test("a section without meaning has no effect", async (t) => {
  const verdicts = await verdictsOf(fake(t, HARMLESS, 120_000), 3);
  t.deepEqual(new Set(verdicts.map(({ kind }) => kind)), new Set(["equal"]));
});

// biome-ignore format: a table
const WRONG: readonly (readonly [name: string, script: string, timeMs: number, evidence: RegExp])[] = [
  ["dies",             "echo internal error >&2; exit 7", 60_000, /crash: the optimizer .*status 7.*internal error/],
  ["hangs",            "sleep 600",                       1,      /hang: the optimizer did not end within/],
  ["writes nothing",   "exit 0",                          60_000, /garbage: the optimizer has written nothing/],
  ["does nothing",     'cp "$1" "$3"',                    60_000, /garbage: the optimizer has written an unchanged module/],
  ["writes nonsense",  'echo nonsense > "$3"',            60_000, /compile error/],
];

for (const [name, script, timeMs, evidence] of WRONG) {
  test(`an optimizer that ${name} is a difference`, async (t) => {
    const verdicts = await verdictsOf(fake(t, script, timeMs), 1);
    t.true(verdicts.length > 0);
    for (const verdict of verdicts) {
      if (verdict.kind !== "different") return t.fail(verdict.kind);
      t.regex(describeDifference(verdict.difference), evidence);
    }
  });
}
