// Tables of a page: numbers in columns that one can read down, names that may break, and a box that scrolls
// where the window is narrower than the table.

import { type Markup, markup } from "./markup.js";

export interface Column {
  readonly title: string;
  /** Prose; what a user may copy; a number, whose digits stand below each other. */
  readonly is: "text" | "code" | "number";
}

interface Row {
  readonly cells: readonly (string | number | Markup)[];
  /** It stands out: something is wrong there. */
  readonly isWrong?: boolean;
}

/** @param label what the table is, for those who do not see it */
export function tableOf(label: string, columns: readonly Column[], rows: readonly Row[]): Markup {
  const heads = columns.map(({ title, is }) => markup`<th class="${is}">${title}</th>`);
  const lines = rows.map(({ cells, isWrong = false }) => {
    const shown = cells.map((cell, c) => markup`<td class="${columns[c].is}">${textOf(cell)}</td>`);
    return markup`<tr class="${isWrong ? "wrong" : "same"}">${shown}</tr>\n`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table></div>`;
}

const textOf = (cell: string | number | Markup): string | Markup =>
  typeof cell === "number" ? grouped(cell) : cell;

/** With a comma between thousands; what is no whole number with four digits that count. */
export const grouped = (value: number): string =>
  (Number.isInteger(value) ? value : Number(value.toPrecision(4))).toLocaleString("en-US", {
    maximumSignificantDigits: 21,
  });
