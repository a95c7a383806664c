// Classifies the errors of a store. Each error has one line, and a kind: the request is wrong,
// something is missing, or the store is away for a while.

import { machineErrorOf } from "../support/machine-error.js";
import { isRecord } from "../support/versioned-json.js";

/**
 * The kind of a store error: wrong usage, a missing store, or a store that is gone and may come
 * back.
 */
type StoreErrorKind = "usage" | "missing" | "gone";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  /**
   * Makes the error.
   * @param message one line, without a password
   */
  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

interface StoreRefusal {
  readonly kind: StoreErrorKind;
  readonly says: string;
}

const PASSWORD_WRONG =
  "the password is wrong, or none was given (PGPASSWORD, ~/.pgpass, or in the URL)";

/** Messages for errors of PostgreSQL, by SQLSTATE or its first two characters. */
// biome-ignore format: a table
const BY_STATE: Readonly<Record<string, StoreRefusal>> = {
  "28P01": { kind: "usage",   says: PASSWORD_WRONG },
  "28000": { kind: "usage",   says: "the server refuses this user: its pg_hba.conf lists those that it accepts" },
  "3D000": { kind: "missing", says: "there is no such database on the server: createdb makes one" },
  "42501": { kind: "usage",   says: "this user may not do that: it needs the schema touchstone (create schema touchstone authorization USER)" },
  "3F":    { kind: "gone",    says: "the schema is gone" },
  "42P01": { kind: "gone",    says: "a table is gone" },
  "08":    { kind: "gone",    says: "the connection is lost" },
  "25006": { kind: "gone",    says: "the database is read-only: a standby?" },
  "40":    { kind: "gone",    says: "the transaction was given up" },
  "53100": { kind: "gone",    says: "no space is left on its disk" },
  "53200": { kind: "gone",    says: "the server has no memory left" },
  "53300": { kind: "gone",    says: "the server takes no more connections: its max_connections" },
  "53":    { kind: "gone",    says: "the server is short of something" },
  "55":    { kind: "gone",    says: "the database is locked by another" },
  "57P03": { kind: "gone",    says: "the server is starting" },
  "57":    { kind: "gone",    says: "the server is being stopped" },
  "58":    { kind: "gone",    says: "the server's disk fails" },
};

/** Messages for errors of the operating system, by code. */
// biome-ignore format: a table
const BY_CODE: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "no server accepts connections there: correct its port",
  EAI_AGAIN:    "its host is not found: is the network there?",
  ECONNABORTED: "the connection is lost",
  ECONNREFUSED: "no server accepts connections there: start it, or correct its host and port",
  ECONNRESET:   "the connection is lost",
  EHOSTDOWN:    "its host is not reached: is the network there?",
  EHOSTUNREACH: "its host is not reached: is the network there?",
  ENETDOWN:     "its host is not reached: is the network there?",
  ENETUNREACH:  "its host is not reached: is the network there?",
  ENOENT:       "no server accepts connections there: start it, or correct its host and port",
  ENOTFOUND:    "its host is not found: correct its name",
  EPIPE:        "the connection is lost",
  ETIMEDOUT:    "the server does not answer",
};

/** Errors by number, as in WebAssembly's system interface, which PGlite's file system uses. */
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

/** A SQLSTATE. None begins with E, as the system's codes do: EPIPE has five letters, too. */
const STATE = /^(?!E)[0-9A-Z]{5}$/;

/** Errors whose code is absent or shared with other errors. The message identifies them. */
// biome-ignore format: a table
const BY_MESSAGE: readonly (StoreRefusal & { readonly message: RegExp })[] = [
  { message: /timeout (exceeded|expired)|connection timeout/i, kind: "gone",
    says: "the server does not answer: are its host and port right?" },
  { message: /read timeout/i, kind: "gone", says: "the server does not answer" },
  { message: /terminated|not queryable|connection.*(closed|ended)/i, kind: "gone", says: "the connection is lost" },
  { message: /^SASL: .*(password must|server signature)/, kind: "usage", says: PASSWORD_WRONG },
  { message: /^SASL: /, kind: "usage", says: "the server requires a method of authentication that is not supported here" },
  { message: /does not support SSL/, kind: "usage", says: "the server has no TLS: sslmode=disable in the URL" },
  { message: /establishing an SSL|self-signed|certificate/i, kind: "usage",
    says: "the server's certificate is refused: sslrootcert=FILE in the URL names the authority that signed it" },
];

/**
 * Returns the error of a store, or null if `error` is of another kind.
 * @param shown the name of the store, as it may be printed
 */
export function storeErrorOf(error: unknown, shown: string): StoreError | null {
  if (error instanceof StoreError) return error;
  const refusal = refusalOf(error);
  if (refusal === null) return null;
  return new StoreError(refusal.kind, `store ${shown}: ${refusal.says}`, error);
}

function refusalOf(error: unknown): StoreRefusal | null {
  // PGlite throws an object that is not an instance of Error.
  if (isRecord(error) && typeof error["errno"] === "number" && error["errno"] in BY_ERRNO) {
    return { kind: "gone", says: BY_ERRNO[error["errno"]] };
  }
  if (!(error instanceof Error)) return null;
  // A host with several addresses gives one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return refusalOf(error.errors[0]);
  const code = "code" in error ? String(error.code) : "";
  const known = BY_STATE[code] ?? BY_STATE[code.slice(0, 2)];
  if (STATE.test(code)) return known ?? { kind: "usage", says: `${error.message} (${code})` };
  // The URL names a file that is missing, such as a certificate. A missing socket does not fail in
  // `open`.
  if (code === "ENOENT" && "syscall" in error && error.syscall === "open") {
    return { kind: "usage", says: `${error.message.replace(/^ENOENT: /, "")}: correct the URL` };
  }
  if (code in BY_CODE) return { kind: "gone", says: BY_CODE[code] };
  const said = BY_MESSAGE.find(({ message }) => message.test(error.message));
  if (said !== undefined) return said;
  const refusal = machineErrorOf(error);
  return refusal && { kind: "gone", says: refusal.message };
}
