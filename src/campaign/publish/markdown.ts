// Prints a campaign as Markdown: the comment of a pipeline.

import { commandLine } from "../../report/finding.js";
import { inlineCode } from "../../report/markdown.js";
import type { CampaignSummary } from "../run/summary.js";
import { executionsOf, faultsOf, findingsOf, isNews } from "./night.js";

export function markdownOf(summary: CampaignSummary): string {
  const { campaigns, tally, seconds } = summary;
  const findings = findingsOf(summary);
  const news = findings.filter(isNews).length;
  const { equal, different, unjudged } = executionsOf(tally);
  const rate = (tally.programs / seconds).toFixed(1);
  const lines = [
    `# ${news === 0 ? "Nothing new found" : `${news} new findings`}`,
    "",
    `${tally.programs} programs in ${seconds.toFixed(0)} s (${rate} a second): ${equal} executions equal,`,
    `${different} different, ${unjudged} unjudged, by ${Object.keys(tally.subjects).length} subjects.`,
    "",
    ...campaigns.map((name) => `- ${inlineCode(name)}`),
  ];
  for (const { bucket, news, seed, values, detail, path, command } of findings) {
    lines.push(
      "",
      `## ${inlineCode(bucket)} (${news})`,
      "",
      inlineCode(detail),
      "",
      `- seed: ${seed ?? "none"}; values: ${values ?? "not reduced"}`,
      `- report: ${inlineCode(path)}`,
      `- reproduce: ${inlineCode(commandLine(command))}`,
    );
  }
  const faults = faultsOf(summary);
  if (faults.length > 0) lines.push("", "## Not reached", "");
  for (const fault of faults) lines.push(`- ${inlineCode(fault)}`);
  return `${lines.join("\n")}\n`;
}
