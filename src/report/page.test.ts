// Tests the page of a finding: text stays text, and a browser shows it without an error.
// finding.json has the published schema.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import test from "ava";
import { parseModule } from "../ir/text/parse.js";
import { projectRoot } from "../support/project-root.js";
import { makeFinding } from "./finding.js";
import { diffTable, markedPair } from "./page/diff.js";
import { graphOf } from "./page/graph.js";
import { markup } from "./page/markup.js";
import { type PageContents, pageOf } from "./page/page.js";

const HOSTILE = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'`;
const NAME = JSON.stringify(HOSTILE);
const BEFORE = `touchstone 1
proc ${NAME}(Int32 @0) -> Int32
#0:
  Void @1 = Branch(@0, #1, #2)
#1:
  Void @2 = Return(@0)
#2:
  Int32 @3 = Const32(5)
  Void @4 = Return(@3)
`;
const AFTER = BEFORE.replace("Const32(5)", "Const32(6)");

const CONTENTS: PageContents = {
  title: HOSTILE,
  facts: [["differs", HOSTILE]],
  playground: '../playground.html#v1."><script>',
  program: BEFORE,
  module: parseModule(BEFORE),
  divergence: {
    rows: [{ procedure: HOSTILE, id: 3, text: HOSTILE, expected: "5", got: "6" }],
    first: 0,
    skipped: 2,
  },
  sides: ["before", "after"],
  change: { title: "The faulty application", before: BEFORE, after: AFTER },
  written: { title: HOSTILE, text: HOSTILE },
  assembly: `0000  push rbp\n      addl ; @3\n0001  add eax, ${HOSTILE}\n`,
  footer: HOSTILE,
};

test("a template escapes text", (t) => {
  t.is(markup`<b>${"<i>&"}</b>${markup`<i>${1}</i>`}${null}`.html, "<b>&lt;i&gt;&amp;</b><i>1</i>");
  t.is(markup`${`"'\u202e`}`.html, "&quot;&#39;\\u{202e}");
});

test("the value that differs is marked in both outcomes, also inside a snapshot", (t) => {
  const [expected, got] = markedPair("exit @5 [1, 2, <b>]", "exit @5 [1, 7, <b>]");
  t.is(expected.html, "exit @5 [1, <mark>2</mark>, &lt;b&gt;]");
  t.is(got.html, "exit @5 [1, <mark>7</mark>, &lt;b&gt;]");
});

test("a difference shows removed and added lines with some context", (t) => {
  const { html } = diffTable(BEFORE, AFTER);
  t.is(html.match(/<tr class="removed">/g)?.length, 1);
  t.is(html.match(/<tr class="added">/g)?.length, 1);
  t.regex(html, /4 unchanged lines/);
});

test("a graph has a box for each block and a line for each edge", (t) => {
  const picture = graphOf(parseModule(BEFORE).entry, new Set([3]))?.html ?? "";
  t.is(picture.match(/<rect /g)?.length, 3);
  t.is(picture.match(/<rect class="box touched"/g)?.length, 1);
  t.is(picture.match(/<path d="M[^"]*" marker-end/g)?.length, 2);
});

test("a block that jumps to itself has its loop at its side", (t) => {
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Void\n#0:\n  Void @1 = Jump(#1)\n#1:\n  Void @2 = Branch(@0, #1, #2)\n#2:\n  Void @3 = Return()\n";
  const picture = graphOf(parseModule(text).entry, new Set())?.html ?? "";
  const box = /x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*\/><text[^>]*>#1:/.exec(picture);
  const right = Number(box?.[1]) + Number(box?.[2]);
  const [, path = ""] = /<path d="([^"]*)" marker-end="[^"]*" class="back"/.exec(picture) ?? [];
  const xs = Array.from(path.matchAll(/[ML]([\d.]+),/g), ([, x]) => Number(x));
  t.is(xs.length, 4);
  t.true(Math.abs(xs[0] - right) < 0.2 && xs[0] === xs[3], `${path} of a box to ${right}`);
});

test("a page contains no tag from a program", (t) => {
  const html = pageOf(CONTENTS);
  t.false(html.includes("<script"));
  t.false(html.includes("<img"));
  t.regex(html, /&lt;script&gt;/);
  t.regex(html, /default-src 'none'/);
});

const browser = ["chromium", "google-chrome", "chromium-browser"].find(
  (name) => spawnSync(name, ["--version"]).status === 0,
);
const browserTest = browser === undefined ? test.skip : test;

browserTest("a browser shows the page without an error, and runs no script", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-page-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "report.html");
  writeFileSync(file, pageOf(CONTENTS));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"];
  const own = `--user-data-dir=${join(folder, "profile")}`;
  const { status, stdout, stderr } = spawnSync(
    browser ?? "",
    [...flags, own, "--virtual-time-budget=2000", "--dump-dom", `file://${file}`],
    { encoding: "utf8" },
  );
  t.is(status, 0, stderr);
  t.deepEqual(stderr.match(/.*:CONSOLE.*/g), null);
  t.regex(stdout, /<title>&lt;script&gt;/);
  t.regex(stdout, /<tr class="removed">/);
  t.regex(stdout, /<svg [^>]*role="img"/);
  t.false(/<(script|img)/.test(stdout));
});

test("finding.json has the published schema", (t) => {
  const schema: unknown = JSON.parse(
    readFileSync(join(projectRoot(), "docs", "finding.schema.json"), "utf8"),
  );
  // The casts below are valid: both texts are JSON objects.
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(schema as object);
  const facts = {
    kind: "difference",
    seed: 7n,
    subject: "ir-O1",
    foundBy: "x64-O1",
    settings: [],
    aspect: "result",
    detail: HOSTILE,
    cause: { stage: "optimizer", part: "narrow", rule: null },
    instruction: {
      target: "x64",
      row: "addq",
      procedure: HOSTILE,
      instruction: 3,
      code: [{ offset: 4, bytes: "03c2", meant: "add rax, rdx", read: null }],
      kind: "value",
      value: 3,
      text: HOSTILE,
      location: "rax",
      expected: "5",
      got: "6",
    },
    confirmed: { runs: 3, differed: 2 },
    confirmedReduced: { runs: 3, differed: 0 },
    values: 4,
    input: { index: 1, text: HOSTILE },
    canary: null,
    profile: "usual",
    parents: "",
    text: BEFORE,
  } as const;
  const finding: unknown = JSON.parse(JSON.stringify(makeFinding(facts)));
  t.true(validate(finding), JSON.stringify(validate.errors));
  const nothing = { cause: null, instruction: null } as const;
  const runs = { confirmed: null, confirmedReduced: null } as const;
  const bare = { ...nothing, ...runs, values: null, input: null, text: null } as const;
  const died = { ...facts, ...bare, kind: "worker-died", subject: null, aspect: null } as const;
  t.true(validate(JSON.parse(JSON.stringify(makeFinding(died)))));
  const { confirmedReduced: _, ...older } = finding as ReturnType<typeof makeFinding>;
  t.true(validate(older), "the finding of a build that did not run the reduced program");
  t.false(validate({ ...(finding as object), more: 1 }));
  t.false(validate({ ...(finding as object), version: 1 }));
});
