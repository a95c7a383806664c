// Escapes untrusted text for our Markdown documents.

import { escapeText } from "../ir/text/literals.js";

/** Escapes control characters and bidirectional marks; line ends stay. */
export const escapeLines = (text: string): string => text.split("\n").map(escapeText).join("\n");

/**
 * Returns a code block that its text cannot end: the fence is longer than any run of backticks in
 * it.
 */
export function fenced(text: string, language = ""): string {
  const safe = escapeLines(text.endsWith("\n") ? text.slice(0, -1) : text);
  const fence = "`".repeat(Math.max(3, longestRun(safe) + 1));
  return `${fence}${language}\n${safe}\n${fence}`;
}

/** Returns code within a line of text. */
export function inlineCode(text: string): string {
  const safe = escapeText(text);
  const fence = "`".repeat(longestRun(safe) + 1);
  // Markdown removes one space at both ends. It is needed if the text begins or ends with a
  // backtick.
  return safe.includes("`") ? `${fence} ${safe} ${fence}` : `${fence}${safe}${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
