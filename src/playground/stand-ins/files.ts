// Replaces `node:fs` and `node:path` in the page for modules that read a file of the project. The
// bundler contributes the files.

import { InternalError } from "../../support/assert.js";

/** Defined by the bundler: the texts of files, by path. */
declare const PAGE_FILES: Readonly<Record<string, string>>;

export const join = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== ".").join("/");

export function readFileSync(path: string): string {
  const text = PAGE_FILES[path];
  if (text === undefined) throw new InternalError(`the page does not contain ${path}`);
  return text;
}
