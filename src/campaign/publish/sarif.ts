// Prints a campaign as SARIF 2.1.0 (OASIS, section 3), which code hosts show beside the source. A
// finding in the reference compiler points to the row of its rule or phase.

import { sep } from "node:path";
import { escapeText } from "../../ir/text/literals.js";
import { commandLine } from "../../report/finding.js";
import type { FindingEntry } from "../file/filing.js";
import type { CampaignSummary } from "../run/summary.js";
import { findingsOf, isNews } from "./night.js";
import { sourceLineOf } from "./sources.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/**
 * Prints the findings of a summary as SARIF.
 * @param version the version of Touchstone
 */
export function sarifOf(summary: CampaignSummary, version: string): string {
  const findings = findingsOf(summary);
  const buckets = [...new Set(findings.map(({ bucket }) => escapeText(bucket)))];
  const run = {
    tool: {
      driver: {
        name: "Touchstone",
        version,
        rules: buckets.map((id) => ({ id, shortDescription: { text: id } })),
      },
    },
    results: findings.map((entry) => resultOf(entry, buckets)),
    columnKind: "utf16CodeUnits",
  };
  const log = {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [run],
  };
  return `${JSON.stringify(log, null, 1)}\n`;
}

function resultOf(entry: FindingEntry, buckets: readonly string[]): object {
  const { bucketId, path, command, seed, cause } = entry;
  const [bucket, detail] = [escapeText(entry.bucket), escapeText(entry.detail)];
  const source = cause == null ? null : sourceLineOf(cause);
  const uri = source?.file ?? [...path.split(sep), "report.md"].map(encodeURIComponent).join("/");
  const region = { startLine: source?.line ?? 1 };
  return {
    ruleId: bucket,
    ruleIndex: buckets.indexOf(bucket),
    level: isNews(entry) ? "error" : "note",
    message: { text: `${detail}\nseed ${seed ?? "none"}; reproduce: ${commandLine(command)}` },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
    partialFingerprints: { "bucket/v1": bucketId },
  };
}
