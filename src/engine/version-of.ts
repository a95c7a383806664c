// Reads the version that a program prints.

import { askProgram } from "../support/ask-program.js";
import { pathOf } from "./path-of.js";

/** The answer of each command: many rows have the same program. */
const versions = new Map<string, string>();

/** Returns the first line of the command's output; "unknown" if it prints none. */
export function versionBy(command: readonly string[]): string {
  const key = command.join("\0");
  const version = versions.get(key) ?? readVersion(command);
  versions.set(key, version);
  return version;
}

function readVersion([program, ...args]: readonly string[]): string {
  const path = pathOf(program);
  if (path === null) return "unknown";
  const { stdout } = askProgram(path, args);
  const line = stdout?.split("\n")[0].trim() ?? "";
  return line === "" ? "unknown" : line;
}

/** Returns the command that prints the version in the name of a shell's file: the shell itself prints none. */
export const jscVersion = (path: string, version: string): readonly string[] => [
  ...[path, "-e"],
  `print("JSC ${version}")`,
];
