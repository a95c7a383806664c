// Makes `report.html`: a finding on one self-contained page. The page's content security policy
// forbids scripts and external resources.

import type { Module } from "../../ir/procedure.js";
import type { TraceDivergence } from "../divergence.js";
import { diffTable } from "./diff.js";
import { graphOf } from "./graph.js";
import { HtmlMarkup, markup } from "./markup.js";
import { STYLE } from "./style.js";
import { type TableColumn, tableOf } from "./table.js";

/** The contents of a page; null for what the finding does not have. */
export interface PageContents {
  readonly title: string;
  /** Terms with their texts, for the first screen. */
  readonly facts: readonly (readonly [term: string, text: string | HtmlMarkup])[];
  /** The reduced program with its run lines. */
  readonly program: string | null;
  /** The address of the page that runs the program. */
  readonly playground: string | null;
  readonly module: Module | null;
  readonly divergence: TraceDivergence | null;
  /** The titles of the two columns of the divergence. */
  readonly sides: readonly [expected: string, got: string];
  /** The program before and after the faulty application, or the whole optimizer. */
  readonly change: {
    readonly title: string;
    readonly before: string;
    readonly after: string;
  } | null;
  /** The wrong code of one instruction. */
  readonly written: { readonly title: string; readonly text: string } | null;
  /** The listing of the machine code. */
  readonly assembly: string | null;
  readonly footer: string;
}

const STYLE_MARKUP = new HtmlMarkup(STYLE);

export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly body: HtmlMarkup;
}

export function pageOf(contents: PageContents): string {
  const { title, facts, footer } = contents;
  return documentOf({ title, facts, sections: sectionsOf(contents), footer, refresh: null });
}

/** Makes a page: its facts, links to its sections, the sections. */
export function documentOf({
  title,
  facts,
  sections,
  footer,
  refresh,
}: Pick<PageContents, "title" | "facts" | "footer"> & {
  readonly sections: readonly PageSection[];
  /** Seconds until a browser reloads the page; null: never. */
  readonly refresh: number | null;
}): string {
  const again =
    refresh === null ? null : markup`<meta http-equiv="refresh" content="${refresh}">\n`;
  const said =
    refresh === null
      ? null
      : markup`<p class="quiet">Reloaded every ${refresh} s: <a href="?still">stop reloading</a></p>\n`;
  const links = sections.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>`);
  const nav =
    links.length < 2 ? null : markup`<nav aria-label="sections"><ul>${links}</ul></nav>\n`;
  const bodies = sections.map(
    ({ id, title, body }) =>
      markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>\n${body}</section>\n`,
  );
  const terms = facts.map(
    ([term, text]) => markup`<dt>${term}</dt><dd><code>${text}</code></dd>\n`,
  );
  const { html } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
${again}<link rel="icon" href="data:,">
<title>${title}</title>
<style>${STYLE_MARKUP}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>
${terms}</dl>
${said}${nav}</header>
<main>
${bodies}</main>
<footer>${footer}</footer>
</body>
</html>
`;
  return html;
}

function sectionsOf(contents: PageContents): PageSection[] {
  const { program, playground, module, divergence, change, written, assembly, sides } = contents;
  const sections: PageSection[] = [];
  const add = (id: string, title: string, body: HtmlMarkup | null): void => {
    if (body !== null) sections.push({ id, title, body });
  };
  if (program !== null) add("program", "Program", programBlock(program, playground));
  if (written !== null) add("written", written.title, codeBlock(written.text, "wrong code"));
  if (divergence !== null) add("values", "Values", valuesTable(divergence, sides));
  if (change !== null) add("change", change.title, diffTable(change.before, change.after));
  if (module !== null) add("graph", "Control flow", graphs(module, touchedOf(divergence)));
  if (assembly !== null) add("code", "Machine code", codeTable(assembly));
  return sections;
}

const codeBlock = (text: string, label: string): HtmlMarkup =>
  markup`<pre tabindex="0" aria-label="${label}">${text}</pre>\n`;

function programBlock(program: string, playground: string | null): HtmlMarkup {
  const link =
    playground === null
      ? null
      : markup`<p><a href="${playground}">change it</a> <span class="quiet">in the page next to this folder, which runs it</span></p>\n`;
  return markup`${link}${codeBlock(program, "reduced program")}`;
}

function touchedOf(divergence: TraceDivergence | null): ReadonlySet<number> {
  const row = divergence?.rows[divergence.first];
  return new Set(row === undefined ? [] : [row.id]);
}

function valuesTable(
  { rows, first, skipped }: TraceDivergence,
  sides: PageContents["sides"],
): HtmlMarkup {
  const lines = rows.map(({ text, expected, got }, r) => ({
    cells: [text, expected, got ?? ""],
    isWrong: r === first,
  }));
  const before =
    skipped === 0
      ? null
      : markup`<p class="quiet">${skipped} earlier executed values are left out.</p>`;
  const said =
    first < 0
      ? markup`<p class="quiet">All common values are equal: the executions differ in control flow or in memory.</p>`
      : null;
  const table = tableOf("executed values", ["executed value", ...sides].map(code), lines);
  return markup`${said}${before}${table}`;
}

function graphs(module: Module, touched: ReadonlySet<number>): HtmlMarkup | null {
  const pictures = module.procedures.map((proc) => {
    const picture = graphOf(proc, touched);
    const name = markup`<p class="quiet"><code>${proc.name}</code></p>`;
    return picture === null
      ? markup`${name}<p class="quiet">${proc.blocks.length} blocks: too many to draw.</p>`
      : markup`${name}${picture}`;
  });
  return markup`${pictures}`;
}

const isLabel = (line: string): boolean => line.startsWith(".L");

/**
 * Shows code beside its values. A listing names each value with its location, and then lists the
 * code.
 */
function codeTable(listing: string): HtmlMarkup {
  const rows: { value: string; code: string[] }[] = [];
  for (const line of listing.trimEnd().split("\n")) {
    const heading = /^ {6}(\S.*)$/.exec(line);
    if (heading !== null) rows.push({ value: heading[1], code: [] });
    else if (rows.length === 0 || isLabel(line)) rows.push({ value: "", code: [line] });
    else rows[rows.length - 1].code.push(line);
  }
  const lines = rows.map((row) => ({ cells: [row.value, row.code.join("\n")] }));
  return tableOf("machine code", ["instruction, value", "code"].map(code), lines);
}

const code = (title: string): TableColumn => ({ title, is: "code" });
