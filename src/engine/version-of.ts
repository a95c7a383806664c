// The version that a program tells of itself.

import { askProgram } from "../support/ask-program.js";
import { pathOf } from "./path-of.js";

/** The first line that the command says; "unknown" if it says none. */
export function versionBy([program, ...args]: readonly string[]): string {
  const path = pathOf(program);
  if (path === null) return "unknown";
  const { stdout } = askProgram(path, args);
  const line = stdout?.split("\n")[0].trim() ?? "";
  return line === "" ? "unknown" : line;
}
