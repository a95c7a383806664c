// Shows two texts as one table: removed and added lines, with some context.

import { diffArrays, diffLines } from "diff";
import { type HtmlMarkup, markup } from "./markup.js";

/** Number of unchanged lines shown before and after a change. */
const CONTEXT = 3;

/** A line of a comparison; `skipped` lines that did not change are omitted. */
export type ComparedLine =
  | { readonly sign: " " | "+" | "-"; readonly text: string }
  | { readonly skipped: number };

/** Returns the changed lines of two texts, with some unchanged lines before and after each. */
export function compareLines(before: string, after: string): ComparedLine[] {
  const lines = diffLines(before, after).flatMap(({ value, added, removed }) => {
    const sign: " " | "+" | "-" = added ? "+" : removed ? "-" : " ";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((text) => ({ sign, text }));
  });
  const rows: ComparedLine[] = [];
  let skipped = 0;
  lines.forEach((line, at) => {
    const around = lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1);
    if (around.every(({ sign }) => sign === " ")) {
      skipped++;
      return;
    }
    if (skipped > 0) rows.push({ skipped });
    skipped = 0;
    rows.push(line);
  });
  if (skipped > 0) rows.push({ skipped });
  return rows;
}

/**
 * Returns the table of the differences.
 * @param before, after whole texts, compared line by line
 */
export function diffTable(before: string, after: string): HtmlMarkup {
  const rows = compareLines(before, after).map(rowOf);
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="difference"><table>${rows}</table></div>`;
}

/** Returns two lines in which the differing words are marked. */
export function markedPair(one: string, other: string): [one: HtmlMarkup, other: HtmlMarkup] {
  const changes = diffArrays(wordsOf(one), wordsOf(other));
  const side = (hidden: "added" | "removed"): HtmlMarkup => {
    const pieces = changes.map((change) => {
      const text = change.value.join("");
      if (change[hidden]) return markup``;
      return change.added || change.removed ? markup`<mark>${text}</mark>` : markup`${text}`;
    });
    return markup`${pieces}`;
  };
  return [side("added"), side("removed")];
}

/** Splits a line into words and separators. */
const wordsOf = (line: string): string[] =>
  line.split(/([\s,()[\]{}=]+)/).filter((each) => each !== "");

const KINDS = { " ": "same", "+": "added", "-": "removed" };

const rowOf = (line: ComparedLine): HtmlMarkup =>
  "skipped" in line
    ? markup`<tr class="skip"><td class="code">  ${line.skipped} unchanged lines</td></tr>\n`
    : markup`<tr class="${KINDS[line.sign]}"><td class="code">${line.sign} ${line.text}</td></tr>\n`;
