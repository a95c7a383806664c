// Checks that the pages of figures match corpus/measured, and that pages stay short.
// TOUCHSTONE_UPDATE=1 rewrites the tables.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../../src/support/project-root.js";
import { pathsBelow, read } from "../../project-files.js";
import { type MeasuredData, measuredFile, printMeasured } from "./data.js";
import { type PageTable, tablesOf, withTables } from "./pages.js";
import { takeBench, takeFindings, takeKernels, takeScore } from "./take-results.js";
import { pagePath, readAllMeasured, writePage } from "./write-page.js";

/** The maximum length of a page of figures. */
const PAGE_LINES_MAX = 100;
const GENERATION_LINES_MAX = 250;
/** The maximum length of docs without generated lines. */
const DOCS_LINES_MAX = 3500;

const DATA = readAllMeasured();
const TABLES = Object.entries(tablesOf(DATA)) as [keyof MeasuredData, PageTable[]][];
const linesOf = (text: string): number => text.split("\n").length - 1;

for (const [page, tables] of TABLES) {
  test(`docs/${page}.md has the tables of its data (TOUCHSTONE_UPDATE=1 writes them)`, (t) => {
    const path = pagePath(page);
    const text = readFileSync(path, "utf8");
    const expected = withTables(text, tables);
    if (process.env["TOUCHSTONE_UPDATE"] === "1") writePage(page);
    else t.is(text, expected);
    const lineCount = linesOf(expected);
    t.true(lineCount <= PAGE_LINES_MAX, `${lineCount} lines; at most ${PAGE_LINES_MAX}`);
    const headings = new Set(tables.map(({ heading }) => heading));
    t.is(headings.size, tables.length, "each table has its own heading");
  });
}

test("each file of data is printed as measurements print it", (t) => {
  for (const name of Object.keys(DATA) as (keyof MeasuredData)[]) {
    t.is(readFileSync(measuredFile(name), "utf8"), printMeasured(DATA[name]), name);
  }
});

const ONE: PageTable = { heading: "A", columns: ["x", "y"], rows: [["a", 1234]] };

test("a table replaces the first table after its heading, and no other line", (t) => {
  const page = "# Page\n\n## A\n\ntext\n\n| old |\n| --- |\n\nmore\n\n## B\n\n| b |\n";
  const expected =
    "# Page\n\n## A\n\ntext\n\n| x | y |\n| --- | --- |\n| a | 1,234 |\n\nmore\n\n## B\n\n| b |\n";
  t.is(withTables(page, [ONE]), expected);
  t.throws(() => withTables("# Page\n", [ONE]), { message: /no heading 'A'/ });
  t.throws(() => withTables("## A\n\n## B\n\n| b |\n", [ONE]), { message: /'A' has no table/ });
});

test("patterns of planted.json are planted, or not, as it states", (t) => {
  const isPlanted = (id: string): boolean =>
    existsSync(join(projectRoot(), "corpus", "planted", id));
  const { notPlanted, otherForm } = DATA.planted;
  t.deepEqual(notPlanted.map(({ pattern }) => pattern).filter(isPlanted), []);
  t.deepEqual(
    otherForm.flatMap(({ patterns }) => patterns).filter((id) => !isPlanted(id)),
    [],
  );
});

test("bugs of score.json and findings.json are planted bugs", (t) => {
  const ids = [...DATA.score.bugs, ...DATA.findings.findings].map(({ bug }) => bug);
  const planted = join(projectRoot(), "corpus", "planted");
  t.deepEqual(
    ids.filter((id) => !existsSync(join(planted, id))),
    [],
  );
});

const ROW = {
  ...{ bug: "b", kind: "fold", profile: "usual", seed: "1", count: 100, expected: null },
  ...{ dropped: null, killed: true, programs: 7, processor: 2.6, subject: null, how: "differs" },
  ...{ cause: { stage: "optimizer", part: "narrow", rule: null }, reached: null, differed: null },
};

test("results of `score` replace rows of planted bugs and of mutants", (t) => {
  const figure = { bug: "b", profile: "usual", seed: "1", programs: 1, seconds: null };
  const old = { profile: "usual", programs: 1, of: 1, killed: 0, killedBy10: 0, killedBy100: 0 };
  const data = { summary: [], mutants: [{ ...old, seconds: 0 }], bugs: [figure] };
  const mutant = { ...ROW, bug: "m", reached: 3, differed: 1 };
  const alive = { ...mutant, bug: "n", killed: false, programs: 100 };
  const rows = [{ ...ROW, bug: "c" }, ROW, mutant, { ...mutant, bug: "o", programs: 60 }, alive];
  const taken = takeScore(data, rows);
  t.deepEqual(taken.bugs, [{ ...figure, programs: 7, seconds: 3 }]);
  const expected = { programs: 100, of: 3, killed: 2, killedBy10: 1, killedBy100: 2, seconds: 8 };
  t.deepEqual(taken.mutants, [{ profile: "usual", ...expected }]);
  t.deepEqual(takeScore(data, [{ ...ROW, dropped: "does not build" }]), data);
  t.is(takeScore(data, [{ ...ROW, killed: false }]).bugs[0].programs, null);
});

test("the size of a reduced program is removed if another program is found", (t) => {
  const same = {
    bug: "b",
    component: "fold",
    programs: 7,
    location: "optimizer/narrow",
    seconds: 3,
  };
  const [kept] = takeFindings({ findings: [{ ...same, values: 4 }] }, [ROW]).findings;
  t.deepEqual(kept, { ...same, values: 4 });
  const [changed] = takeFindings({ findings: [{ ...same, programs: 9, values: 4 }] }, [
    ROW,
  ]).findings;
  t.deepEqual(changed, { ...same, values: null });
});

test("results of `bench` and `kernels` replace figures and kernels", (t) => {
  const row = { figure: "f", goal: "", result: "1" };
  const figures = ["programs", "x64 seconds", null].map((source) => ({ ...row, source }));
  const data = { figures, parts: [], kernels: [{ kernel: "crc", time: 2 }] };
  const units = { unit: "per second", budget: null, goal: null, better: "more" as const };
  const bench = [{ name: "programs", value: 170.5, ...units }];
  const resultsOf = ({ figures }: typeof data | ReturnType<typeof takeBench>): string[] =>
    figures.map(({ result }) => result);
  t.deepEqual(resultsOf(takeBench(data, bench)), ["170.5 per second", "1", "1"]);
  const code = (by: "O2" | "clang-19 -O2", seconds: number) => ({
    by,
    codeBytes: 1,
    instructions: 1,
    seconds,
  });
  const each = [
    { kernel: "crc", target: "x64" as const, code: [code("O2", 3), code("clang-19 -O2", 2)] },
    { kernel: "new", target: "x64" as const, code: [code("O2", 4), code("clang-19 -O2", 2)] },
  ];
  const shares = [
    {
      target: "x64" as const,
      by: "O2" as const,
      instructions: null,
      seconds: 0.98,
      codeBytes: null,
    },
  ];
  const taken = takeKernels(data, { each, shares });
  t.deepEqual(resultsOf(taken), ["1", "0.980", "1"]);
  t.deepEqual(taken.kernels, [
    { kernel: "crc", time: 1.5 },
    { kernel: "new", time: 2 },
  ]);
});

/** Generated pages, and generated parts of pages. */
const GENERATED_PAGES = ["docs/api.md", "docs/commands.md"];
const GENERATED_PARTS = /<!-- (opcodes|patchpoints): [\s\S]*?<!-- end of \1 -->/g;

/** Returns the number of lines that people write. */
function linesByHand(path: string, text: string): number {
  if (GENERATED_PAGES.includes(path)) return 0;
  if (path === "docs/schemas/README.md") return linesOf(text.replace(/^\|.*\n/gm, ""));
  const [, tables] = TABLES.find(([page]) => path === `docs/${page}.md`) ?? [];
  const rows = (tables ?? []).reduce((sum, table) => sum + table.rows.length + 2, 0);
  return linesOf(text.replace(GENERATED_PARTS, "")) - rows;
}

test("docs are short", (t) => {
  const files = read(pathsBelow("docs", /\.md$/));
  const counts = [...files].map(([path, text]) => linesByHand(path, text));
  const sum = counts.reduce((x, y) => x + y, 0);
  t.log(`${sum} lines by hand`);
  t.true(sum <= DOCS_LINES_MAX, `docs has ${sum} lines by hand; at most ${DOCS_LINES_MAX}`);
  const generation = linesOf(files.get("docs/generation.md") ?? "");
  t.true(generation > 0 && generation <= GENERATION_LINES_MAX, `${generation} lines`);
});
