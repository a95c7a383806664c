// A campaign as one page: what was found first, then what was judged and reached. It loads nothing and runs no
// script; reports are linked where they stand beside it.

import { join, relative, sep } from "node:path";
import { commandLine } from "../../report/finding.js";
import { type Markup, markup } from "../../report/page/markup.js";
import { documentOf, type Section } from "../../report/page/page.js";
import { APPLICABLE, neverApplied } from "../count/applied.js";
import { reachedOf } from "../count/counters.js";
import { figuresOf } from "../distribution/figures.js";
import type { Summary } from "../run/summary.js";
import { executionsOf, faultsOf, findingsOf, isNews } from "./night.js";

/** @param folder where the page will be: links lead from there */
export function campaignPage(summary: Summary, folder: string): string {
  const { campaigns, generators, tally, seconds, intervals } = summary;
  const news = findingsOf(summary).filter(isNews).length;
  const { equal, different, unjudged } = executionsOf(tally);
  const sections: Section[] = [];
  const add = (id: string, title: string, body: Markup | null): void => {
    if (body !== null) sections.push({ id, title, body });
  };
  add("found", "Found", found(summary, folder));
  add("missed", "Not reached", missed(faultsOf(summary)));
  add("subjects", "Subjects", subjects(summary));
  add("covered", "Covered", covered(summary));
  add("figures", "Figures", figures(summary));
  return documentOf({
    title: news === 0 ? "Nothing new found" : news === 1 ? "One finding" : `${news} findings`,
    facts: [
      ["campaign", campaigns.join(", ")],
      [
        "programs",
        `${tally.programs} in ${seconds.toFixed(0)} s, ${(tally.programs / seconds).toFixed(1)} a second`,
      ],
      ["executions", `${equal} equal, ${different} different, ${unjudged} unjudged`],
      ["seeds", intervals.map(([first, last]) => `${first} to ${last}`).join(", ") || "none"],
    ],
    sections,
    footer: `Generator ${generators.join(", ")}.`,
  });
}

const table = (label: string, head: readonly string[], rows: readonly Markup[]): Markup =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head.map((text) => markup`<th>${text}</th>`)}</tr></thead><tbody>
${rows}</tbody></table></div>`;

const rowOf = (cells: readonly (string | number)[]): Markup =>
  markup`<tr>${cells.map((cell) => markup`<td class="code">${cell}</td>`)}</tr>\n`;

function found(summary: Summary, folder: string): Markup {
  const findings = findingsOf(summary);
  if (findings.length === 0) return markup`<p class="quiet">Nothing.</p>`;
  const rows = findings.map((entry) => {
    const { bucket, news, seed, values, detail, path, command, instances } = entry;
    // Of an address that a page may hold: a folder below or beside it, never a scheme.
    const href = `./${relative(folder, join(path, "report.html")).split(sep).map(encodeURIComponent).join("/")}`;
    return markup`<tr class="${isNews(entry) ? "wrong" : "same"}"><td class="code"><a href="${href}">${bucket}</a></td><td>${news}</td><td class="code">${seed ?? ""}</td><td class="code">${values ?? ""}</td><td class="code">${instances}</td><td class="code">${detail}\n${commandLine(command)}</td></tr>\n`;
  });
  return table(
    "findings",
    ["bucket", "news", "seed", "values", "seen", "what differs, and how to see it again"],
    rows,
  );
}

function missed(faults: readonly string[]): Markup | null {
  if (faults.length === 0) return null;
  return markup`<ul>${faults.map((fault) => markup`<li>${fault}</li>`)}</ul>`;
}

function subjects({ tally }: Summary): Markup {
  const rows = Object.entries(tally.subjects).map(([name, { equal, different, unjudged }]) =>
    rowOf([name, tally.code[name]?.programs ?? "", equal, different, unjudged]),
  );
  return table("subjects", ["executions by", "programs", "equal", "different", "unjudged"], rows);
}

function covered({ tally }: Summary): Markup {
  const never = neverApplied(tally);
  const optimizer = (["phases", "rules"] as const).map((kind) => {
    const count = APPLICABLE[kind].length;
    return rowOf([kind, count - never[kind].length, count, never[kind].join(", ")]);
  });
  const behind = reachedOf(tally).map(({ kind, reached, count, never }) =>
    rowOf([kind, reached, count, never.join(", ")]),
  );
  return table("coverage", ["what", "reached", "of", "never"], [...optimizer, ...behind]);
}

function figures({ tally, seconds, sample }: Summary): Markup {
  const all = [...figuresOf(tally, seconds), ...(sample?.figures ?? [])];
  const rows = all.map(({ name, value, floor }) =>
    rowOf([name, typeof value === "number" ? Number(value.toPrecision(4)) : value, floor ?? ""]),
  );
  return table("figures", ["figure", "value", "floor"], rows);
}
