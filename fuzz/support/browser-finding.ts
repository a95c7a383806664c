// Reads the file that the page's tab "Fuzz this browser" saves, as untrusted input.

import { usageError } from "./output.js";

const SCHEMA = "touchstone.browser-finding";
const VERSION = 1;

/**
 * Returns the program of a browser's finding; the text itself if it is no such file.
 * @throws UserError if the file has another version, or no program
 */
export function programTextOf(path: string, text: string): string {
  if (!text.startsWith("{")) return text;
  const fields = fieldsOf(text);
  if (fields?.get("schema") !== SCHEMA) return text;
  if (fields.get("version") !== VERSION)
    throw usageError(`${path}: expected "version": ${VERSION}`);
  const program = fields.get("program");
  if (typeof program === "string") return program;
  const [seed, profile] = ["seed", "profile"].map((name) => fields.get(name));
  const isNamed = typeof seed === "string" && typeof profile === "string";
  const remedy = isNamed ? `: use --seed ${seed} --profile ${profile}` : "";
  throw usageError(`${path}: the finding has no program, because the browser did not end${remedy}`);
}

function fieldsOf(text: string): ReadonlyMap<string, unknown> | null {
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    return null; // the parser of programs reports it
  }
}
