// Tests suites: those of this project, those of TOUCHSTONE_SUITES (files or folders, separated by colons), and
// malformed ones.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { PARTS } from "../../reference/parts.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { PRINCIPAL_SUBJECTS } from "../execute/subjects.js";
import { emulatorTest, testedSubjects } from "../execute/unicorn-available.js";
import { OPERATIONS } from "../import/operations.js";
import { ParseError } from "../ir/text/lexer.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import { conform } from "./conform.js";
import { parseSuite } from "./suite.js";
import { operationModule } from "./suite-operations.js";

const FUEL = 10_000;
const OWN = join(projectRoot(), "corpus", "suites", "boundary.jsonl");
const NAMED = (process.env["TOUCHSTONE_SUITES"] ?? "")
  .split(":")
  .filter((path) => path !== "")
  .flatMap((path) => (statSync(path).isDirectory() ? suitesIn(path) : [path]));
const INTERPRETED = PRINCIPAL_SUBJECTS.filter(({ target }) => target === null);

const runCases = (text: string, subjects: readonly ReferenceSubject[] = INTERPRETED) =>
  conform(parseSuite(text), { subjects, fuelMax: FUEL, constantsEvery: 10 });

function suitesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => join(folder, name));
}

const withEmulator = emulatorTest(test);
/** One subject of this many runs. */
const EVERY = trials(9, 1);

for (const path of [OWN, ...NAMED]) {
  withEmulator(`${path.replace(/.*\//, "")} passes`, (t) => {
    const { passed, failed, missing, failures } = runCases(
      readFileSync(path, "utf8"),
      testedSubjects().filter((_, s) => s % EVERY === 0),
    );
    t.deepEqual(
      failures.slice(0, 5).map(({ message }) => message),
      [],
    );
    t.is(failed, 0);
    t.true(passed > 0);
    const absent = [...missing].map(([op, count]) => `${op} ${count}`);
    t.log(`${passed} cases pass; operations that are missing: ${absent.join(", ") || "none"}`);
  });
}

test("the boundary suite covers each supported operation, and no other", (t) => {
  const ops = new Set(parseSuite(readFileSync(OWN, "utf8")).map(({ op }) => op));
  t.deepEqual([...ops].sort(), [...OPERATIONS.keys()].sort());
});

const SCRIPT = join(projectRoot(), "ci", "make-suite.mjs");

test("the boundary suite agrees with Node's engine", (t) => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, "--check"], { encoding: "utf8" });
  t.is(status, 0, stderr);
});

const line = (op: string, args: string, expect: string): string =>
  `{"op":"${op}","args":[${args}],${expect}}\n`;

test("a wrong expectation fails", (t) => {
  const { passed, failed, failures } = runCases(
    line("i32.add", '"i32:1","i32:2"', '"expect":"i32:3"') +
      line("i32.add", '"i32:1","i32:2"', '"expect":"i32:4"') +
      line("f64.add", '"f64:0","f64:0"', '"expect":"nan:canonical"') +
      line("f64.neg", '"f64:9221120237041090560"', '"expect":"f64:9221120237041090560"') +
      line("i32.add", '"i64:1","i32:2"', '"expect":"i32:3"'),
  );
  t.is(passed, 1);
  t.is(failed, 4);
  t.true(failures.some(({ message }) => message.includes("expected Int32 0x00000004, got 3")));
});

test("a computed NaN may have any bits, a moved one keeps its bits", (t) => {
  const { passed, failed } = runCases(
    line("f64.div", '"f64:0","f64:0"', '"expect":"nan:canonical"') +
      line("f64.div", '"f64:0","f64:0"', '"expect":"f64:nan:arithmetic"') +
      line("f32.abs", '"f32:4286578689"', '"expect":"f32:2139095041"') +
      line("f32.reinterpret_i32", '"i32:2139095041"', '"expect":"f32:2139095041"'),
  );
  t.deepEqual({ passed, failed }, { passed: 4, failed: 0 });
});

test("a wrong subject fails, with operands as parameters and as constants", (t) => {
  const rule = { name: "wrong-add", match: ["Add", "x", "y"], give: "x" } as const;
  const { failed, failures } = conform(
    parseSuite(line("i32.add", '"i32:1","i32:2"', '"expect":"i32:3"')),
    { subjects: INTERPRETED, fuelMax: FUEL, parts: { ...PARTS, rules: [rule] } },
  );
  t.is(failed, 1);
  t.true(failures[0].message.startsWith("operands as parameters: i32.add"));
  t.true(failures[0].message.includes("ir-O1"));
});

test("a trap is an exit if it is expected, and only then", (t) => {
  const min = '"i32:2147483648"';
  const { passed, failures } = runCases(
    line("i32.div_s", '"i32:1","i32:0"', '"trap":"integer divide by zero"') +
      line("i32.div_s", `${min},"i32:4294967295"`, '"trap":"integer overflow"') +
      line("i32.rem_s", `${min},"i32:4294967295"`, '"expect":"i32:0"') +
      line("i32.trunc_f32_s", '"f32:4290772992"', '"trap":"invalid conversion to integer"') +
      line("i32.div_s", '"i32:7","i32:2"', '"trap":"integer divide by zero"') +
      line("i32.div_s", '"i32:7","i32:0"', '"expect":"i32:0"') +
      line("i32.add", '"i32:1","i32:0"', '"trap":"integer divide by zero"'),
  );
  t.is(passed, 4);
  const failed = failures.map((failure) => failure.case.line);
  t.deepEqual([...new Set(failed)].sort(), [5, 6, 7]);
  t.true(failures.some(({ message }) => message.includes("expected a trap, got 3")));
});

test("the programs of the operations are valid", (t) => {
  for (const [name, operation] of OPERATIONS) {
    const zeroes = operation.takes.map((type) => ({ type, lo: 0, hi: 0 }));
    for (const constants of [null, zeroes]) {
      const faults = verify(operationModule(operation, constants));
      t.deepEqual(faults.map(describeFault), [], name);
    }
  }
});

test("missing operations are counted by name", (t) => {
  const { missing, passed } = runCases(
    line("i32.nor", '"i32:1"', '"expect":"i32:1"') +
      line("i32.nor", '"i32:2"', '"expect":"i32:1"') +
      line("i32.nand", '"i32:1","i32:0"', '"trap":"integer divide by zero"'),
  );
  t.is(passed, 0);
  t.deepEqual(
    [...missing],
    [
      ["i32.nor", 2],
      ["i32.nand", 1],
    ],
  );
});

// biome-ignore format: a table
const MALFORMED = [
  "{", "[]", "7", '"x"', "null",
  '{"op":5,"args":[],"expect":"i32:0"}',
  '{"op":"i32.add","args":"i32:0","expect":"i32:0"}',
  '{"op":"i32.add","args":["i32:-1"],"expect":"i32:0"}',
  '{"op":"i32.add","args":["i32:4294967296"],"expect":"i32:0"}',
  '{"op":"i32.add","args":["i32:99999999999999999999999"],"expect":"i32:0"}',
  '{"op":"i32.add","args":["v128:0"],"expect":"i32:0"}',
  '{"op":"i32.add","args":[]}',
  '{"op":"i32.add","args":[],"expect":"nan:\\u202e"}',
];
for (const text of MALFORMED) {
  test(`malformed: ${text.replace(/\W+/g, " ")} (${MALFORMED.indexOf(text)})`, (t) => {
    const error = t.throws(() => parseSuite(`\n${text}\n`), { instanceOf: ParseError });
    t.is(error?.line, 2);
    t.regex(error?.message ?? "", /^expected /);
    t.notRegex(error?.message ?? "", /\u202e/u);
  });
}
