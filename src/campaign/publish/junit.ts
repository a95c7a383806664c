// Prints a campaign as JUnit XML. Each subject is a test case that fails by its findings. Each
// finding without subject, and the coverage, is a test case, too.

import { escapeText } from "../../ir/text/literals.js";
import { commandLine } from "../../report/finding.js";
import type { FindingEntry } from "../file/filing.js";
import type { CampaignSummary } from "../run/summary.js";
import { faultsOf, findingsOf, isNews } from "./night.js";

interface TestCase {
  readonly name: string;
  readonly failures: readonly { readonly message: string; readonly text: string }[];
  /**
   * Text with numbers, which must not be in the name: test views keep the history of a case by its
   * name.
   */
  readonly says?: string;
}

/** Prints a summary as JUnit XML; known findings count as no failure. */
export function junitOf(summary: CampaignSummary): string {
  const { campaigns, tally, seconds } = summary;
  const findings = findingsOf(summary).filter(isNews);
  const faults = faultsOf(summary);
  const cases: TestCase[] = [
    ...findings.map((entry) => ({ name: entry.bucket, failures: [failureOf(entry)] })),
    { name: "reached", failures: faults.map((text) => ({ message: text, text })) },
    ...Object.entries(tally.subjects).map(([name, { equal, different, unjudged }]) => ({
      name,
      failures: [],
      says: `${equal} equal, ${different} different, ${unjudged} unjudged`,
    })),
  ];
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const head = `tests="${cases.length}" failures="${failed}" time="${seconds.toFixed(1)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="touchstone" ${head}>`,
    `<testsuite name="campaigns" ${head}>`,
    ...cases.map(caseOf),
    `<system-out>${attribute(campaigns.join(" "))}</system-out>`,
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function failureOf({ detail, path, seed, command }: FindingEntry): TestCase["failures"][number] {
  const text = `seed ${seed ?? "none"}\nreport: ${path}\nreproduce: ${commandLine(command)}`;
  return { message: detail, text };
}

function caseOf({ name, failures, says }: TestCase): string {
  const lines = failures.map(
    ({ message, text }) =>
      `<failure message="${attribute(message)}">${text.split("\n").map(attribute).join("\n")}</failure>`,
  );
  const output = says === undefined ? "" : `<system-out>${attribute(says)}</system-out>`;
  return `<testcase classname="touchstone" name="${attribute(name)}">${lines.join("")}${output}</testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * Escapes text for quotes and between tags; characters that XML cannot contain are escaped as
 * everywhere.
 */
const attribute = (text: string): string =>
  escapeText(text).replace(/[&<>"]/g, (char) => ENTITIES[char]);
