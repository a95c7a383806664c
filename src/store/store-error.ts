// What a store refuses: in one line, and whether the request is wrong, something is missing, or the store is away for
// a while.

import { isRecord } from "../campaign/file/shapes.js";
import { machineErrorOf } from "../support/machine-error.js";

/** `gone`: the store was there; it may come back. */
type StoreErrorKind = "usage" | "missing" | "gone";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  /** @param message one line, without a password */
  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

interface Refusal {
  readonly kind: StoreErrorKind;
  readonly says: string;
}

/** By SQLSTATE, or the first two characters of it. */
// biome-ignore format: a table
const BY_STATE: Readonly<Record<string, Refusal>> = {
  "28P01": { kind: "usage",   says: "the password is wrong, or none was given (PGPASSWORD, ~/.pgpass, or in the URL)" },
  "28000": { kind: "usage",   says: "the server does not let this user in" },
  "3D000": { kind: "missing", says: "there is no such database on the server: createdb makes one" },
  "42501": { kind: "usage",   says: "this user may not do that: it needs the schema touchstone (create schema touchstone authorization USER)" },
  "3F":    { kind: "gone",    says: "the schema is gone" },
  "42P01": { kind: "gone",    says: "a table is gone" },
  "08":    { kind: "gone",    says: "the connection is lost" },
  "25006": { kind: "gone",    says: "the database is read-only" },
  "40":    { kind: "gone",    says: "the transaction was given up" },
  "53":    { kind: "gone",    says: "the server is short of something" },
  "55":    { kind: "gone",    says: "the database is locked by another" },
  "57":    { kind: "gone",    says: "the server is being stopped" },
  "58":    { kind: "gone",    says: "the server's disk fails" },
};

/** By the system's code. */
// biome-ignore format: a table
const BY_CODE: Readonly<Record<string, string>> = {
  EAI_AGAIN:    "its host is not found",
  ECONNREFUSED: "no server listens there",
  ECONNRESET:   "the connection is lost",
  EHOSTUNREACH: "its host is not reached",
  ENOENT:       "no server listens there",
  ENOTFOUND:    "its host is not found",
  EPIPE:        "the connection is lost",
  ETIMEDOUT:    "the server does not answer",
};

/** By the number of the error, as WebAssembly's system interface has it: what PGlite's files say. */
// biome-ignore format: a table
const BY_ERRNO: Readonly<Record<number, string>> = {
   2: "permission denied",
  19: "the quota of its disk is used up",
  29: "its disk fails",
  33: "no more open files are allowed (ulimit -n)",
  41: "the system has no more open files",
  48: "no memory is left",
  51: "no space is left on its disk",
  63: "permission denied",
  69: "its file system is read-only",
};

const STATE = /^[0-9A-Z]{5}$/;

/** What the drivers say without a code. */
const LOST =
  /terminated|not queryable|connection.*(timeout|closed|ended)|timeout (exceeded|expired)/i;

/** @param shown the name of the store, as it may be printed; null if what was thrown is none of a store's */
export function storeErrorOf(error: unknown, shown: string): StoreError | null {
  if (error instanceof StoreError) return error;
  const refusal = refusalOf(error);
  if (refusal === null) return null;
  return new StoreError(refusal.kind, `store ${shown}: ${refusal.says}`, error);
}

function refusalOf(error: unknown): Refusal | null {
  // PGlite throws an object that is no Error.
  if (isRecord(error) && typeof error["errno"] === "number" && error["errno"] in BY_ERRNO) {
    return { kind: "gone", says: BY_ERRNO[error["errno"]] };
  }
  if (!(error instanceof Error)) return null;
  // Of a host with several addresses, one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return refusalOf(error.errors[0]);
  const code = "code" in error ? String(error.code) : "";
  const known = BY_STATE[code] ?? BY_STATE[code.slice(0, 2)];
  if (STATE.test(code)) return known ?? { kind: "usage", says: `${error.message} (${code})` };
  if (code in BY_CODE) return { kind: "gone", says: BY_CODE[code] };
  if (LOST.test(error.message)) return { kind: "gone", says: "the connection is lost" };
  const refusal = machineErrorOf(error);
  return refusal && { kind: "gone", says: refusal.message };
}
