// Makes tables of a page: numbers are aligned, names may break, and a box scrolls if the window is
// narrower than the table.

import { type HtmlMarkup, markup } from "./markup.js";

export interface TableColumn {
  readonly title: string;
  /** Prose; code that a user may copy; or a number, with aligned digits. */
  readonly is: "text" | "code" | "number";
}

interface TableRow {
  readonly cells: readonly (string | number | HtmlMarkup)[];
  /** The row is highlighted as wrong. */
  readonly isWrong?: boolean;
}

/**
 * Makes a table.
 * @param label the content of the table, for screen readers
 */
export function tableOf(
  label: string,
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
): HtmlMarkup {
  const heads = columns.map(({ title, is }) => markup`<th class="${is}">${title}</th>`);
  const lines = rows.map(({ cells, isWrong = false }) => {
    const shown = cells.map((cell, c) => markup`<td class="${columns[c].is}">${textOf(cell)}</td>`);
    return markup`<tr class="${isWrong ? "wrong" : "same"}">${shown}</tr>\n`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table></div>`;
}

const textOf = (cell: string | number | HtmlMarkup): string | HtmlMarkup =>
  typeof cell === "number" ? grouped(cell) : cell;

/** Prints a number with commas between thousands; a fraction has four significant digits. */
export const grouped = (value: number): string =>
  (Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString("en-US", {
    maximumSignificantDigits: 21,
  });
