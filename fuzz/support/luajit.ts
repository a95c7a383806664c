// The options with which `fuzz import x.lua` and `fuzz phases x.lua` run LuaJIT, and its errors.

import { LuajitError, type RecordOptions } from "../../src/engine/luajit/record-traces.js";
import { ImportError } from "../../src/import/import-error.js";
import { STATUS, UserError, usageError } from "./output.js";

const STATES = 300;
const TICKS = 6000;
const RUN_MS = 60_000;
/** Each loop and each exit becomes a trace at once. */
const LUAJIT_FLAGS = "-Ohotloop=1 -Ohotexit=1";

const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** Returns the options of a recording; undefined: the defaults. */
export const luajitOptions = (
  command: string | undefined,
  flags: string | undefined,
  input: Uint8Array | null,
): RecordOptions => ({
  ...{ command: wordsOf(command ?? "luajit"), flags: wordsOf(flags ?? LUAJIT_FLAGS), input },
  ...{ states: STATES, ticks: TICKS, timeMs: RUN_MS },
});

/** Acts, and converts the errors of LuaJIT and of the import to one line each. */
export function withLuajit<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ImportError) throw usageError(`${file}: ${error.message}`);
    if (!(error instanceof LuajitError)) throw error;
    if (error.isMissing) throw new UserError(STATUS.missing, error.message);
    throw usageError(`${file}: ${error.message}`);
  }
}

/** Returns the line in a location `file:line`. */
export const lineOf = (at: string): number => Number(/:(\d+)$/.exec(at)?.[1] ?? 0);
