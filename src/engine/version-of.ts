// Reads the version that a program prints.

import { askProgram } from "../support/ask-program.js";
import { pathOf } from "./path-of.js";

/** Returns the first line of the command's output; "unknown" if it prints none. */
export function versionBy([program, ...args]: readonly string[]): string {
  const path = pathOf(program);
  if (path === null) return "unknown";
  const { stdout } = askProgram(path, args);
  const line = stdout?.split("\n")[0].trim() ?? "";
  return line === "" ? "unknown" : line;
}
