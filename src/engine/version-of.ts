// The version that a program tells of itself.

import { spawnSync } from "node:child_process";
import { pathOf } from "./path-of.js";

/** The first line that the command says; "unknown" if it says none. */
export function versionBy([program, ...args]: readonly string[]): string {
  const path = pathOf(program);
  if (path === null) return "unknown";
  const { stdout } = spawnSync(path, args, { encoding: "utf8", timeout: 10_000 });
  const line = stdout?.split("\n")[0].trim() ?? "";
  return line === "" ? "unknown" : line;
}
