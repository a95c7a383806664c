// Describes refusals of the machine: a full disk, a read-only folder, too many open files. These are bugs neither of
// Touchstone nor of a compiler, and may be temporary.

/** An error whose message states in one line what was refused, where and why. Code that retries catches it. */
export class MachineError extends Error {
  override readonly name = "MachineError";
}

/** Messages for error codes of the operating system. */
// biome-ignore format: a table
const REASONS: Readonly<Record<string, string>> = {
  EACCES:       "permission denied",
  EAGAIN:       "no more processes are allowed",
  EDQUOT:       "the quota of the disk is used up",
  EEXIST:       "it is there already",
  EFBIG:        "it is too large",
  EIO:          "the disk fails",
  EISDIR:       "it is a folder",
  EMFILE:       "no more open files are allowed (ulimit -n)",
  ENFILE:       "the system has no more open files",
  ENOENT:       "no such file or folder",
  ENOMEM:       "no memory is left",
  ENOSPC:       "no space is left",
  ENOTDIR:      "a part of the path is no folder",
  EPERM:        "permission denied",
  EROFS:        "the file system is read-only",
  ERR_FS_FILE_TOO_LARGE: "it is too large",
  ERR_MEMORY_ALLOCATION_FAILED: "no memory is left",
};

/** Error codes that indicate a shortage of the machine, for example of memory, for any request. */
// biome-ignore format: a list
const SHORTAGES: ReadonlySet<string> = new Set([
  "EACCES", "EAGAIN", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EPERM", "EROFS",
  "ERR_MEMORY_ALLOCATION_FAILED",
]);

/** Last lines of libraries that end the process if the system refuses memory: Unicorn, GLib, C++, V8, Node. */
const NATIVE_SHORTAGE =
  /Could not allocate dynamic translator buffer|failed to allocate \d+ bytes|std::bad_alloc|Fatal process out of memory|uv_thread_create|Resource temporarily unavailable/;

/** V8's message if the system has no memory for a buffer; the error has no code. */
const BUFFER_REFUSED =
  /^(Array buffer allocation failed|WebAssembly\.Memory\(\): could not allocate memory)/;

/** Returns why the system refused a request, in words. Rethrows errors that are not the system's. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === null) throw error;
  return REASONS[code] ?? code;
}

/** Returns the error as a MachineError, if it is one or indicates a shortage of the machine; else null. */
export function machineErrorOf(error: unknown): MachineError | null {
  if (error instanceof MachineError) return error;
  if (error instanceof RangeError && BUFFER_REFUSED.test(error.message)) {
    return new MachineError(`${error.message}: no memory is left`, { cause: error });
  }
  const code = codeOf(error);
  if (code === null || !SHORTAGES.has(code) || !(error instanceof Error)) return null;
  return new MachineError(`${error.message}: ${reasonOf(error)}`, { cause: error });
}

/** Returns whether writing there is forbidden, now and later. */
export function isForbidden(error: unknown): boolean {
  const code = codeOf(error instanceof MachineError ? error.cause : error);
  return code !== null && FORBIDDEN.has(code);
}

const FORBIDDEN: ReadonlySet<string> = new Set(["EACCES", "ENOTDIR", "EPERM", "EROFS"]);

/** Returns whether the standard error of a process indicates a shortage of the machine. */
export const namesShortage = (text: string): boolean =>
  NATIVE_SHORTAGE.test(text) ||
  (text.match(/\bE[A-Z]{2,}\b/g) ?? []).some((code) => SHORTAGES.has(code));

export const codeOf = (error: unknown): string | null =>
  error instanceof Error && "code" in error ? String(error.code) : null;
