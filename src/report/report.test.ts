// Tests reports: they are complete, replayable by the printed command, and safe whatever names a
// program has.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { main } from "../../fuzz/main.js";
import { canaryNamed, plantedBy } from "../campaign/canary/canaries.js";
import { Judge } from "../compare/judge-program.js";
import { subjectNamed } from "../execute/subjects.js";
import { emulatorTest } from "../execute/unicorn-available.js";
import type { Input } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { checkExpectation, runLines } from "../ir/text/run-line.js";
import { localize } from "../localize/localize.js";
import type { LocatedCause } from "../localize/located-cause.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { FindingEvidence } from "./evidence.js";
import { runLineOf } from "./expectation.js";
import { commandLine, corpusEntryOf, type FindingFacts, makeFinding, originOf } from "./finding.js";
import { fenced, inlineCode } from "./markdown.js";
import { readFinding } from "./read-finding.js";
import { reportFolder, writeReport } from "./write-report.js";

const HOSTILE = "\u001b[31m``` </code>\u202e\n# x | ../../y";
const QUOTED = String.raw`"\u{1b}[31m${"```"} </code>\u{202e}\u{a}# x | ../../y"`;

const TEXT = `touchstone 1
exit 3 resumes g
proc ${QUOTED}(Int32 @0) -> Int32
snapshot s0 = exit 3 frames [${QUOTED}@1: @0]
#0:
  Void @1 = Check(@0) s0
  Int32 @2 = Const32(5)
  Void @3 = Return(@2)
proc g(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
`;

const inputOf = (x: number): Input => ({ words: Int32Array.of(x, 0), heapSeed: 0 });

const FACTS: FindingFacts = {
  kind: "difference",
  seed: 7n,
  subject: "ir-O1",
  foundBy: "ir-O1",
  settings: [],
  aspect: "result",
  detail: `expected ${HOSTILE}`,
  input: { index: 1, text: HOSTILE },
  canary: null,
  profile: "usual",
  parents: "",
  cause: null,
  instruction: null,
  confirmed: null,
  confirmedReduced: null,
  values: null,
  text: TEXT,
};

function evidenceOf(text: string, inputs: readonly Input[]): FindingEvidence {
  const module = parseModule(text);
  const oracle = new Oracle();
  const program = decodeModule(module);
  const executions = inputs.map((input) => {
    const expected = oracle.run(program, input, 1000);
    return { input, expected, got: expected };
  });
  return { module, executions, original: module, originalInputs: inputs };
}

/** Writes a report into a folder of its own, and returns its files by name. */
function write(
  t: ExecutionContext,
  facts: FindingFacts,
  evidence: FindingEvidence | null,
  located: LocatedCause | null = null,
) {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-report-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  const finding = makeFinding(facts);
  const folder = reportFolder(reports, finding);
  writeReport(folder, finding, evidence, located);
  const read = (name: string): [string, string] => [name, readFileSync(join(folder, name), "utf8")];
  return { finding, folder, files: new Map(readdirSync(folder).map(read)) };
}

test("a report is complete, and its programs parse", (t) => {
  const { files, finding } = write(t, FACTS, evidenceOf(TEXT, [inputOf(0), inputOf(9)]));
  t.deepEqual(
    [...files.keys()].sort(),
    // biome-ignore format: a list
    ["finding.json", "ir-after.ir", "ir-before.ir", "original.ir", "program.ir", "regression.ir", "report.html", "report.md"],
  );
  for (const [name, text] of files) if (name.endsWith(".ir")) t.notThrows(() => parseModule(text));
  t.deepEqual(JSON.parse(files.get("finding.json") ?? ""), { ...finding });
  t.true(files.get("regression.ir")?.startsWith("; difference/ir-O1/result: found by seed 7"));
});

test("a report contains the confirmations of the original and of the reduced program", (t) => {
  const all = { runs: 3, differed: 3 };
  const cases = [
    [all, all, ["- confirmed: as found, in 3 of 3", "- confirmed: reduced, in 3 of 3"]],
    [all, { runs: 3, differed: 0 }, ["- **not confirmed**: reduced, in 0 of 3"]],
    [{ runs: 2, differed: 1 }, null, ["- **flaky**: as found, in 1 of 2"]],
  ] as const;
  for (const [confirmed, confirmedReduced, says] of cases) {
    const facts = { ...FACTS, confirmed, confirmedReduced };
    const { files } = write(t, facts, evidenceOf(TEXT, [inputOf(0)]));
    const [report, page] = ["report.md", "report.html"].map((name) => files.get(name) ?? "");
    for (const text of says) {
      t.true(report.includes(`${text} fresh processes\n`), text);
      const [, which] = text.split(": ");
      t.true(page.includes(`${which} fresh processes`), text);
    }
    t.is(report.includes("reduced, in"), confirmedReduced !== null);
  }
});

test("run lines state the oracle's outcome, with continuations and changed bytes", (t) => {
  const STORES = `touchstone 1
proc f(Int64 @0, Double @1) -> Double
#0:
  Void @2 = Store(@0, @0, offset = 8)
  Double @3 = Sub(@1, @1)
  Void @4 = Store(@3, @0, offset = 16)
  Void @5 = Return(@3)
`;
  const heap = Int32Array.of(0x8000_0000 | 0, 0x11, 0, 0x7ff0_0000);
  const stores = evidenceOf(STORES, [{ words: heap, heapSeed: 5 }]);
  const texts = [
    write(t, FACTS, evidenceOf(TEXT, [inputOf(0), inputOf(9)])).files.get("program.ir") ?? "",
    write(t, FACTS, stores).files.get("program.ir") ?? "",
  ];
  t.regex(texts[0], /= exit 3 \[.*@1: Const32\(9\)\] then \(9\)/);
  t.regex(texts[1], /= nan heap\[8\] = 00 00 00 80 11 00 00 00$/m);
  for (const text of texts) {
    const module = parseModule(text);
    const lines = runLines(text, module);
    t.true(lines.length > 0);
    for (const { input, expected } of lines) {
      const outcome = new Oracle().run(decodeModule(module), input, 1000);
      t.is(expected === null ? "no expectation" : checkExpectation(expected, outcome), null);
    }
  }
});

test("run lines state nothing about dead heap", (t) => {
  const module = parseModule(`touchstone 1
proc f(Int64 @0, Int32 @1) -> Void
snapshot s0 = exit 3 frames [f@1: deadHeap(8, 4)]
#0:
  Void @2 = Store(@1, @0, offset = 4)
  Void @3 = Store(@1, @0, offset = 8)
  Void @4 = Check(@1) s0
  Void @5 = Return()
`);
  const input = { words: Int32Array.of(0x8000_0000 | 0, 0x11, 1, 0), heapSeed: 0 };
  const outcome = new Oracle().run(decodeModule(module), input, 1000);
  t.is(runLineOf(module, input, outcome), "; run: f(heap, 1) = exit 3 [f@1: dead] heap[4] = 01");
});

test("names and details stay within their markup", (t) => {
  const { files, folder } = write(t, FACTS, evidenceOf(TEXT, [inputOf(9)]));
  t.regex(folder, /difference-[\da-f]{12}$/);
  for (const [name, text] of files) {
    if (name === "finding.json") continue; // JSON escapes, and is read by programs
    t.notRegex(text, /[^\P{C}\n]/u, name);
  }
  const report = files.get("report.md") ?? "";
  const outside = report.replace(/^(`{4,})text\n[\s\S]*?^\1$/m, "");
  t.notRegex(outside, /^proc /m, "the program is not fenced");
  t.deepEqual(outside.match(/^# .*$/gm), ["# ir-O1: result"]);
});

test("code in Markdown ends at its fence", (t) => {
  t.is(fenced("a\n"), "```\na\n```");
  t.is(fenced("x ```` y"), "`````\nx ```` y\n`````");
  t.is(inlineCode("x"), "`x`");
  t.is(inlineCode("`x``"), "``` `x`` ```");
  t.is(inlineCode("a\nb\u202e"), "`a\\u{a}b\\u{202e}`");
});

test("a command is one line for a shell", (t) => {
  t.is(commandLine(["npx", "a b", "c'd"]), String.raw`npx 'a b' 'c'\''d'`);
});

test("a worker that died has a report with its seed", (t) => {
  const facts: FindingFacts = {
    ...FACTS,
    kind: "worker-died",
    subject: null,
    aspect: null,
    input: null,
    text: null,
  };
  const { files, finding } = write(t, facts, null);
  t.deepEqual([...files.keys()].sort(), ["finding.json", "report.html", "report.md"]);
  t.deepEqual(finding.command, ["npx", "--no-install", "fuzz", "--seed", "7"]);
});

test("ids depend on the finding and not on the time", (t) => {
  const [first, again] = [makeFinding(FACTS), makeFinding(FACTS)];
  t.deepEqual(first, again);
  t.not(makeFinding({ ...FACTS, seed: 8n }).id, first.id);
  t.not(makeFinding({ ...FACTS, canary: "x" }).id, first.id);
  const mutated = makeFinding({ ...FACTS, profile: "mutated", text: null });
  t.not(mutated.id, first.id);
  t.true(mutated.command.join(" ").includes("--seed 7 --profile mutated"));
  const evolved = makeFinding({ ...FACTS, profile: "evolved", parents: "12,m5", text: null });
  t.true(evolved.command.join(" ").includes("--seed 7 --profile evolved --parents 12,m5"));
  t.not(evolved.id, makeFinding({ ...FACTS, profile: "evolved", parents: "12", text: null }).id);
  t.is(evolved.parents, "12,m5");
  t.regex(
    originOf(evolved),
    /^seed 7 --profile evolved --parents 12,m5 of generator [0-9a-f]{16}$/,
  );
  t.is(makeFinding({ ...FACTS, seed: 8n }).bucket, first.bucket);
});

test("finding.json is read as untrusted input", (t) => {
  const good = makeFinding(FACTS);
  const { name, says } = corpusEntryOf(good);
  t.regex(name, /^[a-z\d]+(-[a-z\d]+)*$/);
  t.notRegex(says, /\p{C}/u);
  t.deepEqual(readFinding(JSON.stringify(good)), {
    subject: "ir-O1",
    foundBy: "ir-O1",
    aspect: "result",
    bucket: good.bucket,
    detail: good.detail,
    canary: null,
    seed: 7n,
    profile: "usual",
    parents: "",
    isForeign: false,
    subjectCommand: null,
  });
  const bad = [
    "",
    JSON.stringify({ ...good, seed: "7; rm" }),
    "[]",
    "null",
    "{}",
    ...["schema", "version", "subject", "foundBy", "aspect", "canary", "profile", "parents"].map(
      (key) => JSON.stringify({ ...good, [key]: 5 }),
    ),
  ];
  for (const text of bad) t.is(typeof readFinding(text), "string", text);
});

// Follows a planted bug from its evidence to the command that reproduces it.
emulatorTest(test)("the printed command reproduces a planted bug", async (t) => {
  const canary = canaryNamed("return-value");
  const subject = subjectNamed("x64-O0");
  if (canary === null || subject === null) return t.fail();
  const module = parseModule(
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n",
  );
  const options = { subjects: [subject], fuelMax: 1000, ...plantedBy(canary) };
  const judge = new Judge(options);
  const { expected, results } = judge.judge({ module, inputs: [inputOf(9)] });
  judge.close();
  const got = results[0].judgements[0].outcome;
  const { finding, files, folder } = write(
    t,
    { ...FACTS, subject: subject.name, canary: canary.name },
    {
      module,
      executions: [{ input: inputOf(9), expected: expected[0], got }],
      original: module,
      originalInputs: [inputOf(9)],
      options,
    },
  );
  t.true(files.get("report.md")?.includes("- expected: `9`"));
  t.true(files.get("report.md")?.includes("- got: `8`"));
  t.regex(files.get("assembly.txt") ?? "", /^[\da-f]{4} {2}\w/m);
  t.deepEqual(finding.command.slice(0, 4), ["npx", "--no-install", "fuzz", "exec"]);
  const said: string[] = [];
  const { write: toTerminal } = process.stdout;
  process.stdout.write = (text) => said.push(String(text)) > 0;
  const home = process.cwd();
  process.chdir(folder);
  try {
    t.is(await main(finding.command.slice(3)), 1);
    t.is(
      await main(finding.command.slice(3).filter((word) => !/canary|return-value/.test(word))),
      0,
    );
  } finally {
    process.chdir(home);
    process.stdout.write = toTerminal;
  }
  t.true(
    said.some((text) => text.includes("different: result")),
    said.join(""),
  );
});

emulatorTest(test)("a report contains the wrong code with its bytes", (t) => {
  const canary = canaryNamed("encoding-width");
  const subject = subjectNamed("x64-O0");
  if (canary === null || subject === null) return t.fail();
  const module = parseModule(`touchstone 1
proc f(Int64 @0) -> Int64
#0:
  Int64 @1 = Add(@0, @0)
  Void @2 = Return(@1)
`);
  const input = { words: Int32Array.of(-1, 7), heapSeed: 0 };
  const options = { subjects: [subject], fuelMax: 1000, ...plantedBy(canary) };
  const located = localize(module, [input], subject, options);
  const evidence = { ...evidenceOf(printModule(module), [input]), options };
  const { files } = write(t, { ...FACTS, subject: subject.name }, evidence, located);
  const report = files.get("report.md") ?? "";
  t.regex(report, /^- cause: emission; .*: `x64 addq, instruction \d of f, leaves Int64 @1 = Add/m);
  t.regex(
    report,
    /^Written for `addq`, on x64:\n\n```text\n[\da-f]{4} {2}[\da-f]{4} {2}add eax, \w+/m,
  );
  t.regex(files.get("report.html") ?? "", /<h2 id="written-title">Written for addq, on x64</);
});

test("a long message of a crash is in a file, which the table of files lists", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-report-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const evidence = evidenceOf(TEXT, [inputOf(1)]);
  const [execution] = evidence.executions;
  const message = "first line\n\u001b[31mlast line: no such builtin";
  const got = { events: [], ending: { kind: "crash", evidence: message } } as const;
  const files = {
    "program.wasm": new Uint8Array(8),
    "program.wat": "(module)\n",
    "expected.txt": "7\n",
  };
  const crashed: FindingEvidence = {
    ...evidence,
    executions: [{ ...execution, got }],
    reproducer: { files, says: [] },
  };
  const finding = makeFinding(FACTS);
  const path = reportFolder(folder, finding);
  writeReport(path, finding, crashed, null);
  const text = readFileSync(join(path, "message.txt"), "utf8");
  t.regex(text, /^first line\n/);
  t.regex(text, /last line: no such builtin/);
  t.false(text.includes("\u001b"));
  const report = readFileSync(join(path, "report.md"), "utf8");
  const listed = [...report.matchAll(/^\| ([\w., -]+) \| /gm)].flatMap(([, names]) =>
    names.split(", "),
  );
  for (const name of readdirSync(path)) t.true(name === "report.md" || listed.includes(name), name);
  for (const name of listed)
    t.true(name === "file" || name === "---" || readdirSync(path).includes(name), name);
});
