// Stores proofs by the hash of the query. Every run reads them; `fuzz prove --update` writes them.
// The file is part of the repository, but a merge may have damaged it, so it is validated.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";

const FOLDER = join(projectRoot(), "corpus", "proofs");
/** The proofs of rules; ROW_PROOFS_PATH has those of lowering. */
export const PROOFS_PATH = join(FOLDER, "rules.json");
export const ROW_PROOFS_PATH = join(FOLDER, "rows.json");
const SCHEMA = "touchstone.proofs";
const VERSION = 1;

/** The names of proved claims, by the hash of the solver query. */
type ProvedClaims = ReadonlyMap<string, string>;

/** An error that a file of stored proofs is malformed. */
export class ProofsError extends Error {
  override readonly name = "ProofsError";
}

/** Returns an empty map if there is no file. Throws ProofsError. */
export function readProofs(path: string = PROOFS_PATH): ProvedClaims {
  if (!existsSync(path)) return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new ProofsError(`${path}: expected JSON`);
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  const isOurs = isObject(parsed) && parsed["schema"] === SCHEMA && parsed["version"] === VERSION;
  if (!isOurs || !isObject(parsed) || !isObject(parsed["proved"])) {
    throw new ProofsError(`${path}: expected ${SCHEMA}, version ${VERSION}`);
  }
  return new Map(
    Object.entries(parsed["proved"]).map(([hash, name]) => {
      if (/^[0-9a-f]{24}$/.test(hash) && typeof name === "string") return [hash, name];
      throw new ProofsError(`${path}: ${hash} names no claim`);
    }),
  );
}

/** Prints one proof in each line, sorted by name, so that a diff shows the changed rules. */
export function printProofs(proofs: ProvedClaims): string {
  const rows = [...proofs].sort(([, x], [, y]) => (x < y ? -1 : x > y ? 1 : 0));
  const lines = rows.map(([hash, name]) => `    ${JSON.stringify(hash)}: ${JSON.stringify(name)}`);
  return `{\n  "schema": "${SCHEMA}",\n  "version": ${VERSION},\n  "proved": {\n${lines.join(",\n")}\n  }\n}\n`;
}
