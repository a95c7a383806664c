// Which flags the V8 of this Node has: they come and go with its versions, and Node refuses to start with one that it
// does not know.

import { spawnSync } from "node:child_process";

let known: ReadonlySet<string> | null = null;

/** @param flag as in the table of flags: `no-turbo-jt`, `random-seed=7` */
export function hasV8Option(flag: string): boolean {
  known ??= optionsOfThisNode();
  return known.has(flag.replace(/=.*/, "").replace(/^no-/, ""));
}

function optionsOfThisNode(): ReadonlySet<string> {
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  return new Set([...stdout.matchAll(/^ *--(?:no-)?([\w-]+)/gm)].map(([, name]) => name));
}
