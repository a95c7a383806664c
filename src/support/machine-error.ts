// The machine refuses something: a full disk, a folder that may not be written, no more files. That is
// no bug of ours and none of a compiler, and it may be over in a minute.

/** One line that says what was refused, where and why. What tries again catches it. */
export class MachineError extends Error {
  override readonly name = "MachineError";
}

/** What the system says by its codes, in words. */
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

/** Codes that say that the machine is short of something, whatever was asked of it. */
// biome-ignore format: a list
const SHORTAGES: ReadonlySet<string> = new Set([
  "EACCES", "EAGAIN", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EPERM", "EROFS",
  "ERR_MEMORY_ALLOCATION_FAILED",
]);

/** Last words of libraries that end the process where the system refuses memory to them: Unicorn, GLib, C++, V8, Node. */
const NATIVE_SHORTAGE =
  /Could not allocate dynamic translator buffer|failed to allocate \d+ bytes|std::bad_alloc|Fatal process out of memory|uv_thread_create|Resource temporarily unavailable/;

/** V8 says so of a buffer for which the system has no memory; it has no code. */
const BUFFER_REFUSED =
  /^(Array buffer allocation failed|WebAssembly\.Memory\(\): could not allocate memory)/;

/** In words, why the system refused something. What is no error of the system is thrown on. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === null) throw error;
  return REASONS[code] ?? code;
}

/**
 * The same error as a MachineError, if it is one or says that the machine is short of something; else null.
 */
export function machineErrorOf(error: unknown): MachineError | null {
  if (error instanceof MachineError) return error;
  if (error instanceof RangeError && BUFFER_REFUSED.test(error.message)) {
    return new MachineError(`${error.message}: no memory is left`, { cause: error });
  }
  const code = codeOf(error);
  if (code === null || !SHORTAGES.has(code) || !(error instanceof Error)) return null;
  return new MachineError(`${error.message}: ${reasonOf(error)}`, { cause: error });
}

/** It may not be written there, now or in a minute. */
export function isForbidden(error: unknown): boolean {
  const code = codeOf(error instanceof MachineError ? error.cause : error);
  return code !== null && FORBIDDEN.has(code);
}

const FORBIDDEN: ReadonlySet<string> = new Set(["EACCES", "ENOTDIR", "EPERM", "EROFS"]);

/** The same of what a process has left behind on standard error. */
export const namesShortage = (text: string): boolean =>
  NATIVE_SHORTAGE.test(text) ||
  (text.match(/\bE[A-Z]{2,}\b/g) ?? []).some((code) => SHORTAGES.has(code));

const codeOf = (error: unknown): string | null =>
  error instanceof Error && "code" in error ? String(error.code) : null;
