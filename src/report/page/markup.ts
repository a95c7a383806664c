// HTML that text cannot break out of: whatever is put into a template is text, and is escaped; only
// what another template made is taken as it is.

import { escapeText } from "../../ir/text/literals.js";

/** HTML of our own making. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

type Piece = string | number | null | Markup | readonly Markup[];

/** `markup`<td>${text}</td>``: texts are escaped, null is nothing, markup stays. */
export function markup(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let html = parts[0];
  for (let p = 0; p < pieces.length; p++) html += htmlOf(pieces[p]) + parts[p + 1];
  return new Markup(html);
}

function htmlOf(piece: Piece): string {
  if (piece === null) return "";
  if (piece instanceof Markup) return piece.html;
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

/** Good between tags and in quoted attributes; control characters and bidirectional marks show. */
const escapeHtml = (text: string): string =>
  text
    .split("\n")
    .map((line) => escapeText(line).replace(/[&<>"']/g, (char) => ENTITIES[char]))
    .join("\n");
