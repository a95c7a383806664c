// Tests V8 of this Node as two subjects. Also tests engines that die, hang, or write wrong output:
// each is a difference with its evidence, and the next program still runs.

import { fileURLToPath } from "node:url";
import test from "ava";
import { programOf } from "../campaign/program/seeds.js";
import type { Verdict } from "../compare/compare.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge, type SubjectResult } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { trials } from "../support/trials.js";
import { engineTest } from "./engine-test.js";
import { type TierProof, wasmSubject } from "./wasm-subject.js";

const FUEL = 1_000_000;
const SEEDS = trials(5, 100);
const FIRST_SEED = 720_000n;
const DRIVER = fileURLToPath(new URL("./wasm-driver.js", import.meta.url));

async function judged(subject: RemoteSubject, count: number): Promise<SubjectResult[]> {
  const judge = new Judge({ subjects: [subject], fuelMax: FUEL });
  const programs = Array.from({ length: count }, (_, s) => programOf(FIRST_SEED + BigInt(s)));
  const results = await judge.judgeAll(programs);
  judge.close();
  return results.flatMap((result) => result.results);
}

const verdictsOf = (results: readonly SubjectResult[]): Verdict[] =>
  results.flatMap(({ judgements }) => judgements.map(({ verdict }) => verdict));

for (const name of ["v8-turbofan", "v8-liftoff", "jsc-llint", "ion", "wasm-interp"]) {
  engineTest(test, name, `${name} agrees on ${SEEDS} seeds`, async (t, engine) => {
    const verdicts = verdictsOf(await judged(engine, SEEDS));
    t.deepEqual(
      verdicts.filter(({ kind }) => kind === "different"),
      [],
    );
    t.true(verdicts.filter(({ kind }) => kind === "equal").length > 3 * SEEDS);
  });
}

// A program that each control compiles wrongly, and an input on which it is right.
const CONTROLS = [
  {
    name: "v8-turboshaft",
    text: "proc f(Double @0) -> Int32\n#0:\n  Int32 @1 = TruncS32(@0)\n  Void @2 = Return(@1)\n\n; run: f(1000000000000.0)\n; run: f(-5.5)\n",
  },
  {
    name: "gcc-fast-math",
    text: "proc f(Double @0) -> Double\n#0:\n  Double @1 = ConstDouble(0.0)\n  Double @2 = Add(@0, @1)\n  Void @3 = Return(@2)\n\n; run: f(-0.0)\n; run: f(-5.5)\n",
  },
];

for (const { name, text } of CONTROLS) {
  engineTest(
    test,
    name,
    `${name} is known to be wrong, and shows differences`,
    async (t, engine) => {
      const judge = new Judge({ subjects: [engine], fuelMax: FUEL });
      const module = parseModule(`touchstone 1\n\n${text}`);
      const inputs = runLines(text, module).map(({ input }) => input);
      const [{ results }] = await judge.judgeAll([{ module, inputs }]);
      judge.close();
      const [wrong, right] = verdictsOf(results);
      // A wrong result; a crash would mean that nothing runs at all.
      t.is(wrong.kind === "different" ? wrong.difference.aspect : wrong.kind, "result");
      t.is(right.kind, "equal");
    },
  );
}

const FIRST_LINE = 'console.log(JSON.stringify({ protocol: 1, engine: "fake" }));';
/** Returns an engine that answers each question by the script. */
const answering = (script: string): string => `${FIRST_LINE}
  let received = "";
  process.stdin.on("data", (text) => {
    received += text;
    if (!received.endsWith("\\n")) return;
    const { inputs } = JSON.parse(received);
    received = "";
    const send = (run) => console.log(JSON.stringify({ tier: "fake", runs: inputs.map(() => run) }));
    ${script}
  });`;

const FAKE: TierProof = { by: "answer", is: "fake" };

const fake = (script: string, tier = FAKE): RemoteSubject =>
  wasmSubject({
    name: "fake",
    command: { path: process.execPath, args: ["-e", script] },
    tier,
    missing: () => null,
    timeMs: 4000,
  });

// biome-ignore format: a table
const WRONG: readonly (readonly [name: string, script: string, evidence: RegExp])[] = [
  ["dies at once",            "process.exit(7)",                                       /crash: ended with status 7 without an answer/],
  ["prints a wrong first line", "console.log('hello'); setInterval(() => {}, 1000)",     /garbage: the first line is hello/],
  ["dies at a question", answering("process.kill(process.pid, 'SIGSEGV')"),       /crash: was ended by SIGSEGV/],
  ["writes why it dies", answering("console.error('assertion'); process.abort()"), /crash: was ended by SIGABRT .*it wrote: assertion/],
  ["ends without an answer",  answering("process.exit(0)"),                            /crash: ended with status 0 without an answer/],
  ["answers half a line",     answering("process.stdout.write('{\"tier\":', () => process.exit(0))"), /crash: .* after half a line: \{"tier":/],
  ["never answers",           answering(""),                                           /hang: no answer within/],
  ["answers nonsense",        answering("console.log('nonsense')"),                    /garbage: expected a JSON object, got nonsense/],
  ["answers twice",           answering("process.stdout.write('{}\\n{}\\n')"),         /garbage: /],
  ["answers too little",      answering("console.log('{\"tier\":\"fake\",\"runs\":[]}')"), /garbage: 0 readable runs/],
  ["refuses",                 answering("console.log('{\"error\":\"CompileError: no\"}')"), /compile error: CompileError: no/],
  ["traps",                   answering("send({ status: 0, trap: 'RuntimeError', records: '' })"), /crash: trap: RuntimeError/],
  ["records nothing",         answering("send({ status: 1, trap: null, records: '' })"), /garbage: observation, byte 0/],
  ["records nonsense",        answering("send({ status: 1, trap: null, records: 'ff'.repeat(64) })"), /garbage: observation, byte 4: no record is tagged/],
];

const RETURNS = parseModule(
  "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n",
);

for (const [name, script, evidence] of WRONG) {
  test(`an engine that ${name} is a difference`, async (t) => {
    const judge = new Judge({ subjects: [fake(script)], fuelMax: FUEL });
    const inputs = [{ words: Int32Array.of(5, 0), heapSeed: 0 }];
    // Twice: the failure of the first does not end the second.
    const results = await judge.judgeAll([
      { module: RETURNS, inputs },
      { module: RETURNS, inputs },
    ]);
    judge.close();
    for (const { results: subjects } of results) {
      const { verdict } = subjects[0].judgements[0];
      t.is(verdict.kind, "different");
      if (verdict.kind === "different") t.regex(describeDifference(verdict.difference), evidence);
    }
  });
}

test("code of another compiler than the required one is a difference", async (t) => {
  const v8 = (flags: readonly string[], tier: TierProof): RemoteSubject =>
    wasmSubject({
      name: "v8",
      command: { path: process.execPath, args: ["--allow-natives-syntax", ...flags, DRIVER] },
      tier,
      missing: () => null,
    });
  const turbofan: TierProof = { by: "answer", is: "turbofan" };
  const silent: TierProof = { by: "log", has: ["compiled by"], hasNot: [] };
  for (const [subject, evidence] of [
    [v8(["--liftoff-only", "--no-wasm-lazy-compilation"], turbofan), /code of liftoff ran/],
    [v8([], silent), /log lacks 'compiled by'/],
  ] as const) {
    const [{ judgements }] = await judged(subject, 1);
    for (const { verdict } of judgements) {
      if (verdict.kind === "different") t.regex(describeDifference(verdict.difference), evidence);
      else t.not(verdict.kind, "equal");
    }
  }
});
