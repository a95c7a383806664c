// What was proved, by the hash of the question: read by every run, written by `fuzz prove --update`.
// It is a file of ours, but a merge may have torn it, so what is read is looked at.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";

const FOLDER = join(projectRoot(), "corpus", "proofs");
/** Proofs of rules, and of lowering. */
export const PROOFS_PATH = join(FOLDER, "rules.json");
export const ROW_PROOFS_PATH = join(FOLDER, "rows.json");
const SCHEMA = "touchstone.proofs";
const VERSION = 1;

/** The names of what was proved, by hash. */
type Proofs = ReadonlyMap<string, string>;

/** A file of proofs that is none. */
export class ProofsError extends Error {
  override readonly name = "ProofsError";
}

/** Empty where there is no file yet. Throws ProofsError. */
export function readProofs(path: string = PROOFS_PATH): Proofs {
  if (!existsSync(path)) return new Map();
  let told: unknown;
  try {
    told = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new ProofsError(`${path}: expected JSON`);
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  const isOurs = isObject(told) && told["schema"] === SCHEMA && told["version"] === VERSION;
  if (!isOurs || !isObject(told) || !isObject(told["proved"])) {
    throw new ProofsError(`${path}: expected ${SCHEMA}, version ${VERSION}`);
  }
  return new Map(
    Object.entries(told["proved"]).map(([hash, name]) => {
      if (/^[0-9a-f]{24}$/.test(hash) && typeof name === "string") return [hash, name];
      throw new ProofsError(`${path}: ${hash} names no question`);
    }),
  );
}

/** One line a proof, sorted by name, so that a diff says which rules have changed. */
export function printProofs(proofs: Proofs): string {
  const rows = [...proofs].sort(([, x], [, y]) => (x < y ? -1 : x > y ? 1 : 0));
  const lines = rows.map(([hash, name]) => `    ${JSON.stringify(hash)}: ${JSON.stringify(name)}`);
  return `{\n  "schema": "${SCHEMA}",\n  "version": ${VERSION},\n  "proved": {\n${lines.join(",\n")}\n  }\n}\n`;
}
