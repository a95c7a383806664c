// Makes HTML that no text can break out of. A template escapes every text; only the output of
// another template is inserted as it is.

import { escapeText } from "../../ir/text/literals.js";

/** HTML made by a template, not by a program. */
export class HtmlMarkup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

type MarkupPiece = string | number | null | HtmlMarkup | readonly HtmlMarkup[];

/** Makes HTML, as in `markup`<td>${text}</td>``: escapes texts, omits null, and keeps markup. */
export function markup(parts: TemplateStringsArray, ...pieces: readonly MarkupPiece[]): HtmlMarkup {
  let html = parts[0];
  for (let p = 0; p < pieces.length; p++) html += htmlOf(pieces[p]) + parts[p + 1];
  return new HtmlMarkup(html);
}

function htmlOf(piece: MarkupPiece): string {
  if (piece === null) return "";
  if (piece instanceof HtmlMarkup) return piece.html;
  if (typeof piece === "object") return piece.map(({ html }) => html).join("");
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes text for use between tags and in quoted attributes; control characters and bidirectional
 * marks become visible.
 */
const escapeHtml = (text: string): string =>
  text
    .split("\n")
    .map((line) => escapeText(line).replace(/[&<>"']/g, (char) => ENTITIES[char]))
    .join("\n");
