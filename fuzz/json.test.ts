// What `--json` prints is what the table in README.md says: the schema and the names of the fields, of every
// command of the table.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-json-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const REPORTS = join(folder, "reports");
const SUITE = join(folder, "suite.jsonl");
writeFileSync(SUITE, '{"op":"i32.add","args":["i32:1","i32:2"],"expect":"i32:3"}\n');

const campaign = (): string => join(REPORTS, readdirSync(REPORTS)[0]);
const ONE = ["--count", "1", "--subjects", "ir-O1", "--workers", "1", "--reports", REPORTS];

/** A command line for each row of the table, in an order in which they can run; or why it costs too much here. */
const COMMANDS: Readonly<Record<string, (() => readonly string[]) | string>> = {
  run: () => ["run", ...ONE],
  stats: () => ["stats", campaign()],
  "stats --distribution": () => ["stats", "--distribution", "--count", "1"],
  localize: () => ["localize", "--seed", "1", "--subjects", "ir-O1"],
  conform: () => ["conform", SUITE, "--subjects", "ir-O1"],
  prove: () => ["prove", "--rules", "sub-self"],
  list: () => ["list", "targets"],
  "corpus list": () => ["corpus", "list"],
  "corpus run": () => [
    "corpus",
    "run",
    join(projectRoot(), "corpus", "regress", "exit-block-stays-total.ir"),
    "--subjects",
    "ir-O1",
  ],
  doctor: () => ["doctor"],
  report: "report.test.ts makes reports",
  "run --canary": "commands.test.ts reads it",
  "stats --store": "opens a database: src/store/store.test.ts",
  score: "builds a copy: score/score.test.ts",
  bench: "measures: bench/*.test.ts",
  "bench --kernels": "measures: bench/*.test.ts",
  "bench --allocators": "measures: bench/*.test.ts",
  "bench --growth": "measures: bench/*.test.ts",
};

interface Row {
  readonly command: string;
  readonly schema: string;
  readonly fields: readonly string[];
}

/** The rows `| command | schema | fields |`; of each field its name, without its shape. */
function tableOf(text: string): Row[] {
  return [...text.matchAll(/^\| `([^`|]+)` \| `(touchstone\.[^`|]+)` \| (.*) \|$/gm)].map(
    ([, command, schema, cell]) => {
      const fields = [...cell.matchAll(/`(\w+)(?![\w.])[^`]*`/g)].map(([, name]) => name);
      return { command, schema, fields };
    },
  );
}

const TABLE = tableOf(readFileSync(join(projectRoot(), "fuzz", "README.md"), "utf8"));

test("every row of the table has a command here", (t) => {
  t.deepEqual(TABLE.map(({ command }) => command).sort(), Object.keys(COMMANDS).sort());
});

for (const [command, words] of Object.entries(COMMANDS)) {
  if (typeof words === "string") continue;
  test.serial(`${command} --json prints what the table says`, async (t) => {
    const row = TABLE.find((each) => each.command === command);
    const { out, error } = await runHere([...words(), "--json"]);
    t.is(out.trimEnd().split("\n").length, 1, error);
    const { schema, version, ...fields }: Readonly<Record<string, unknown>> = JSON.parse(out);
    t.is(schema, row?.schema);
    t.is(typeof version, "number");
    t.deepEqual(Object.keys(fields).sort(), [...(row?.fields ?? [])].sort());
  });
}
