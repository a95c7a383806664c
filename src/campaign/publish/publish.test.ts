// Tests the formats of results: their contents, and that no text of a finding becomes markup.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import test from "ava";
import { validateXML } from "xmllint-wasm";
import { projectRoot } from "../../support/project-root.js";
import { emptyTally } from "../count/tally.js";
import type { FindingEntry } from "../file/filing.js";
import {
  type CampaignSummary,
  parseSummary,
  SUMMARY_SCHEMA,
  SUMMARY_VERSION,
} from "../run/summary.js";
import { FORMAT_NAMES, FORMATS } from "./formats.js";
import { sourceLineOf } from "./sources.js";

const HOSTILE = '</td><script>alert(1)</script> "&\u0007 \u202e`](javascript:x)';

const entry = (more: Partial<FindingEntry>): FindingEntry => ({
  id: "0123456789",
  bucket: "optimizer/reduce-strength/sub-self/result",
  bucketId: "abcdef0123",
  news: "new",
  kind: "difference",
  seed: "7",
  detail: "result 1, expected 2",
  path: "reports/C/0123456789",
  command: ["npx", "fuzz", "--seed", "7"],
  instances: 1,
  values: 3,
  cause: { stage: "optimizer", part: "reduce-strength", rule: "sub-self" },
  ...more,
});

const summaryWith = (...findings: FindingEntry[]): CampaignSummary => ({
  schema: SUMMARY_SCHEMA,
  version: SUMMARY_VERSION,
  campaigns: ["seed-1-count-9"],
  generators: ["00"],
  seconds: 3,
  intervals: [["1", "9"]],
  tally: {
    ...emptyTally(),
    programs: 9,
    subjects: { "x64-O2": { equal: 8, different: 1, unjudged: 0 } },
  },
  symptoms: {},
  findings,
});

const FOUND = summaryWith(
  entry({ news: "known", id: "old", bucket: "an old one" }),
  entry({}),
  entry({ bucket: HOSTILE, detail: HOSTILE, path: HOSTILE, cause: null }),
);

test("a summary with causes is read as it was written", (t) => {
  t.deepEqual(parseSummary(JSON.stringify(FOUND)), FOUND);
  const wrong = { ...FOUND, findings: [{ ...entry({}), cause: { stage: 1 } }] };
  t.is(parseSummary(JSON.stringify(wrong)), '"findings" does not have the form of a summary');
});

test("SARIF leads to the rule in the source, and known findings are notes", (t) => {
  const { version, runs } = JSON.parse(FORMATS.sarif.write(FOUND, ".", "1.2.3"));
  const [{ tool, results }] = runs;
  t.is(version, "2.1.0");
  t.is(tool.driver.rules.length, 3);
  t.deepEqual(
    results.map(({ level }: { level: string }) => level),
    ["error", "error", "note"],
  );
  const { artifactLocation, region } = results[0].locations[0].physicalLocation;
  const line = readFileSync(join(projectRoot(), artifactLocation.uri), "utf8").split("\n")[
    region.startLine - 1
  ];
  t.regex(line, /name: "sub-self"/);
  t.is(tool.driver.rules[results[0].ruleIndex].id, results[0].ruleId);
  t.notRegex(results[1].locations[0].physicalLocation.artifactLocation.uri, /[<>" ]|^\w+:/);
});

/** The schema of the standard, from a package of its makers. */
const SARIF_SCHEMA = "node_modules/@microsoft/sarif-multitool-ts/assets/sarif-2.1.0.schema.json";

test("SARIF is valid by the schema of the standard", (t) => {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
  formats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(join(projectRoot(), SARIF_SCHEMA), "utf8")));
  for (const summary of [FOUND, summaryWith()]) {
    const log = JSON.parse(FORMATS.sarif.write(summary, ".", "1.2.3"));
    t.true(validate(log), ajv.errorsText(validate.errors));
  }
  const wrong = JSON.parse(FORMATS.sarif.write(FOUND, ".", "1.2.3"));
  wrong.runs[0].results[0].level = "fatal";
  t.false(validate(wrong));
});

test("causes after the optimizer lead to their stage", (t) => {
  const at = (stage: string, part: string | null) => sourceLineOf({ stage, part, rule: null });
  t.is(at("allocation", "x64")?.file, "reference/allocate.ts");
  t.is(at("optimizer", "unroll-loop")?.file, "reference/pipeline.ts");
  t.is(at("toString", null), null);
});

const JUNIT_SCHEMA = readFileSync(join(projectRoot(), "docs/junit.xsd"), "utf8");

test("JUnit fails only by new findings, and is valid by its schema", async (t) => {
  const text = FORMATS.junit.write(FOUND);
  t.regex(text, /<testsuites name="touchstone" tests="4" failures="2"/);
  t.notRegex(text, /name="[^"]*\d+ equal/);
  const faults = async (xml: string): Promise<string[]> => {
    const { errors } = await validateXML({ xml, schema: JUNIT_SCHEMA });
    return errors.map(({ message }) => message);
  };
  t.deepEqual(await faults(text), []);
  t.deepEqual(await faults(FORMATS.junit.write(summaryWith())), []);
  t.not((await faults(text.replaceAll("failures=", "failed="))).length, 0);
});

test("nothing in a finding is markup, in any format", (t) => {
  for (const format of FORMAT_NAMES) {
    const text = FORMATS[format].write(FOUND, ".", "1");
    t.notRegex(text, /(?![\n])[\p{Cc}\p{Bidi_C}]/u, format);
    if (format !== "markdown" && format !== "sarif") t.false(text.includes("<script>"), format);
    t.regex(text, /reduce-strength/, format);
  }
  t.regex(FORMATS.html.write(FOUND, "reports"), /href="\.\/C\/0123456789\/report\.html"/);
  t.notRegex(FORMATS.html.write(FOUND, "reports"), /href="[^"]*javascript:/);
});

test("each format prints an empty campaign", (t) => {
  t.regex(FORMATS.markdown.write(summaryWith()), /^# Nothing new found\n/);
  t.regex(FORMATS.junit.write(summaryWith()), /failures="0"/);
  t.deepEqual(JSON.parse(FORMATS.sarif.write(summaryWith(), ".", "1")).runs[0].results, []);
});
