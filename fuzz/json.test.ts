// Tests that the output of `--json` conforms to docs/schemas, for every answer, and that these
// files are generated from the table of answers.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { answerFault } from "../ci/schemas/answer-fault.js";
import { projectRoot } from "../src/support/project-root.js";
import { ANSWERS, type AnswerName, schemaFileOf } from "./answers/answers.js";
import { ANSWER_NAMES, commandTable, jsonSchemaOf } from "./answers/json-schema.js";
import { COMMANDS } from "./commands.js";
import { runHere, runInterrupted } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-json-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const SCHEMAS = join(projectRoot(), "docs", "schemas");
const UPDATES = process.env["TOUCHSTONE_UPDATE"] === "1";

for (const name of ANSWER_NAMES) {
  test.serial(`${schemaFileOf(name)} matches the table (TOUCHSTONE_UPDATE=1 rewrites it)`, (t) => {
    const path = join(SCHEMAS, schemaFileOf(name));
    const expected = `${JSON.stringify(jsonSchemaOf(name), null, 1)}\n`;
    if (UPDATES) writeFileSync(path, expected);
    t.is(readFileSync(path, "utf8"), expected);
  });
}

test.serial(
  "docs/schemas has the table of commands (TOUCHSTONE_UPDATE=1 rewrites it), and no other file",
  (t) => {
    const path = join(SCHEMAS, "README.md");
    const lines = readFileSync(path, "utf8").split("\n");
    const isRow = (line: string): boolean => line.startsWith("|");
    const [first, last] = [lines.findIndex(isRow), lines.findLastIndex(isRow)];
    const expected = [...lines.slice(0, first), ...commandTable(), ...lines.slice(last + 1)];
    if (UPDATES) writeFileSync(path, expected.join("\n"));
    t.deepEqual(readFileSync(path, "utf8").split("\n"), expected);
    t.deepEqual(
      readdirSync(SCHEMAS).sort(),
      ["README.md", ...ANSWER_NAMES.map(schemaFileOf)].sort(),
    );
  },
);

const REPORTS = join(folder, "reports");
const SUITE = join(folder, "suite.jsonl");
writeFileSync(SUITE, '{"op":"i32.add","args":["i32:1","i32:2"],"expect":"i32:3"}\n');
const REGRESSION = join(projectRoot(), "corpus", "regress", "exit-block-stays-total.ir");

const SIEVE = join(projectRoot(), "corpus", "bench", "sieve.ir");
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const GUARDED = fileOf(
  "guarded.ir",
  `touchstone 1
proc main(Int32 @0) -> Int32
snapshot s0 = exit 3 frames [main@1: @0]
#0:
  Void @1 = Check(@0) s0
  Void @2 = Return(@0)
; run: main(0) = 0
; run: main(1) = exit 3 [main@1: Const32(1)]
`,
);
const SLOTS = fileOf(
  "slots.ir",
  `touchstone 1
proc main(Int32 @0) -> Int32
slot stack0 = locked 8
slot stack1 = anonymous 4
#0:
  Int64 @1 = SlotBase(stack0)
  Void @2 = Store(@0, @1, offset=4)
  Int32 @3 = Load(@1, offset=4)
  Void @4 = Return(@3)
; run: main(7) = 7
`,
);
const B3_LOG = "corpus/import/b3-loop.log";
const WAT = fileOf("f.wat", '(module (func (export "f") (result i32) (i32.const 7)))');
const WAST = fileOf(
  "f.wast",
  `(module (func (export "f") (result i32) (i32.const 7)))
(assert_return (invoke "f") (i32.const 7))
(assert_return (invoke "f") (i32.const 8))
`,
);

const campaign = (): string => join(REPORTS, readdirSync(REPORTS)[0]);
const ONE = ["--count", "1", "--subjects", "ir-O1", "--workers", "1", "--reports", REPORTS];

type AnswerCheck = readonly (() => readonly string[])[] | { readonly by: string };

/**
 * For each answer: command lines, in an order in which they can run, or the test that checks the
 * answer.
 */
const LINES: { readonly [N in AnswerName]: AnswerCheck } = {
  "touchstone.seed": [
    () => ["--seed", "7", "--subjects", "ir-O1"],
    () => ["--seed", "1", "--canary", "unchecked-sum"],
  ],
  "touchstone.run": [() => ["run", ...ONE]],
  "touchstone.worker": { by: "src/fleet/fleet.test.ts" },
  "touchstone.exec": [
    () => ["exec", GUARDED, "--subjects", "ir-O2"],
    () => ["exec", GUARDED, "--subjects", "ir-O2", "--each-exit"],
  ],
  "touchstone.compile": [
    () => ["compile", SIEVE, "--emit", "ir,lir,asm,bytes", "--dump", "all", "--chaos", "7"],
    () => ["compile", GUARDED, "--emit", "exits", "--level", "O0"],
    () => ["compile", GUARDED, "--emit", "iongraph"],
    () => ["compile", SLOTS, "--emit", "slots", "--level", "O0"],
  ],
  "touchstone.trace": [() => ["trace", SIEVE, "--hot", "2"]],
  "touchstone.export": [
    () => ["export", GUARDED, "--to", "wasm"],
    () => ["export", GUARDED, "--to", "c"],
    () => ["export", GUARDED, "--to", "lua", "--out", join(folder, "out.lua")],
  ],
  "touchstone.playground": [() => ["playground", "--out", join(folder, "playground.html")]],
  "touchstone.import": [
    () => ["import", WAT],
    () => ["import", WAST, "--out", join(folder, "imported")],
  ],
  "touchstone.phases": [() => ["phases", B3_LOG]],
  "touchstone.engines": [() => ["engines"]],
  "touchstone.engines-run": [() => ["engines", "--subjects", "v8-liftoff", "--count", "1"]],
  "touchstone.engines-regress": [() => ["engines", "--regress", "system,system"]],
  "touchstone.reduce": { by: "fuzz/report.test.ts" },
  "touchstone.canaries": { by: "fuzz/commands.test.ts" },
  "touchstone.against": { by: "fuzz/run/against.test.ts" },
  "touchstone.report": { by: "fuzz/corpus.test.ts" },
  "touchstone.localize": [
    () => ["localize", "--seed", "1", "--subjects", "ir-O1"],
    () => ["localize", "--seed", "1", "--canary", "unchecked-sum"],
  ],
  "touchstone.conform": [() => ["conform", SUITE, "--subjects", "ir-O1"]],
  "touchstone.proofs-run": [() => ["prove", "--rules", "sub-self"]],
  "touchstone.summary": [() => ["stats", campaign()]],
  "touchstone.store": { by: "src/store/store.test.ts" },
  "touchstone.stored-report": { by: "src/store/store.test.ts" },
  "touchstone.serve": [() => ["serve", "--port", "0", "--reports", REPORTS]],
  "touchstone.list": [() => ["list"]],
  "touchstone.doctor": { by: "fuzz/commands.test.ts" },
  "touchstone.corpus": [() => ["corpus", "list"]],
  "touchstone.corpus-add": { by: "fuzz/corpus.test.ts" },
  "touchstone.corpus-run": [() => ["corpus", "run", REGRESSION, "--subjects", "ir-O1"]],
};

/** Answers of commands that run until Ctrl-C. */
const ENDLESS: ReadonlySet<AnswerName> = new Set(["touchstone.serve"]);

// The cast: the entries of a table by name, in its order.
for (const [name, checked] of Object.entries(LINES) as [AnswerName, AnswerCheck][]) {
  if ("by" in checked) {
    test(`${name} is checked by ${checked.by}`, (t) => {
      const text = readFileSync(join(projectRoot(), checked.by), "utf8");
      t.regex(text, new RegExp(`(answer|fields)Fault\\("${name}"`));
    });
    continue;
  }
  test.serial(`${name}: the output conforms to the schema`, async (t: ExecutionContext) => {
    const run = ENDLESS.has(name) ? runInterrupted : runHere;
    for (const words of checked) {
      const { out, error } = await run([...words(), "--json"]);
      t.is(answerFault(name, out), null, error);
    }
  });
}

test("each answer belongs to one command, and is documented under its name", (t) => {
  const own: readonly AnswerName[] = ["touchstone.seed"]; // fuzz --seed has no command
  const all = [...own, ...COMMANDS.flatMap(({ answers }) => answers)];
  t.deepEqual([...all].sort(), [...ANSWER_NAMES].sort());
  for (const { name, answers } of COMMANDS) {
    for (const each of answers) t.is(ANSWERS[each].command.split(" ")[0], name);
  }
});

// biome-ignore format: a table
const MISTAKES: readonly (readonly [command: string, ...words: string[]])[] = [
  ["run", "--count", "0"],
  ["worker", "--store", "x"],
  ["exec", "nowhere.ir"],
  ["compile", GUARDED, "--procedure", "nobody"],
  ["trace", GUARDED, "--hot", "0"],
  ["export", GUARDED, "--to", "nothing"],
  ["import", "nowhere.wat"],
  ["phases", "nowhere.log"],
  ["engines", "--subjects", "nobody"],
  ["reduce", "nowhere.ir"],
  ["report", "nowhere.ir"],
  ["localize", "nowhere.ir"],
  ["conform"],
  ["prove", "--rules", "nobody"],
  ["stats", "nowhere"],
  ["serve", "--port", "x"],
  ["list", "nothing"],
  ["playground", "--nothing"],
  ["doctor", "--nothing"],
  ["corpus", "add", "nowhere", "--name", "x", "--says", "x"],
];

test.serial(
  "a mistake is a line on standard error, status 2, and nothing on standard output",
  async (t) => {
    t.deepEqual(
      MISTAKES.map(([command]) => command).sort(),
      COMMANDS.map(({ name }) => name).sort(),
    );
    const others = [
      ["--seed", "x"],
      ["corpus", "run", "nowhere.ir"],
      ["stats", campaign(), "--format", "sarif"],
    ];
    for (const words of [...MISTAKES, ...others]) {
      const { status, out, error } = await runHere([...words, "--json"]);
      t.deepEqual({ status, out }, { status: 2, out: "" }, words.join(" "));
      t.regex(error, /^fuzz: [^\n]+\n$/);
    }
  },
);

test.serial("summary.json conforms to the schema of stats", (t) => {
  const text = readFileSync(join(campaign(), "summary.json"), "utf8");
  t.is(answerFault("touchstone.summary", `${JSON.stringify(JSON.parse(text))}\n`), null);
});

test("planted: an additional field, a missing field, another type, a second line", (t) => {
  const right = { schema: "touchstone.conform", version: 1, passed: 1, failed: 0 };
  const whole = { ...right, interrupted: false, missing: [], unjudged: [], leftOut: [] };
  const fault = (value: object) => answerFault("touchstone.conform", `${JSON.stringify(value)}\n`);
  t.is(fault(whole), null);
  for (const wrong of [
    { ...whole, more: 1 },
    right,
    { ...whole, passed: "1" },
    { ...whole, version: 2 },
  ]) {
    t.not(fault(wrong), null);
  }
  t.not(answerFault("touchstone.conform", `${JSON.stringify(whole)}\n\n`), null);
});
