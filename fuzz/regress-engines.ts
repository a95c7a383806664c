// Implements `fuzz engines --regress OLD,NEW`: compares the known bugs of corpus/known/engines in
// two engine versions. A version is the part of a row's name after the `@`, or `system` for rows
// without one.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { bugsFolder, readEngineBugs } from "../src/campaign/file/known-engine-bugs.js";
import { ENGINES, engineNamed } from "../src/engine/engines.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { printAnswer } from "./answers/print-answer.js";
import { judgeByEngines } from "./support/engines.js";
import { printLine, printTable, STATUS, UserError, usageError } from "./support/output.js";
import { readProgram } from "./support/program-file.js";

const SYSTEM = "system";

/** `alive`: the program differs; `right`: it does not; `absent`: this machine has no such row. */
type BugState = "alive" | "right" | "absent";

interface BugRow {
  readonly bug: string;
  /** The row of the engine, without its version. */
  readonly row: string;
  readonly old: BugState;
  readonly new: BugState;
  readonly says: string;
}

/** @throws UserError */
export async function regressEngines(versions: string, json: boolean): Promise<number> {
  const [older, newer, ...more] = versions.split(",");
  if (newer === undefined || more.length > 0 || older === "" || newer === "") {
    throw usageError("--regress: expected two versions, such as system,zig-0.16.0");
  }
  for (const version of [older, newer].filter((each) => each !== SYSTEM)) {
    if (!ENGINES.some(({ name, missing }) => name.endsWith(`@${version}`) && missing() === null))
      throw new UserError(
        STATUS.missing,
        `--regress: there is no engine of version ${version}: fuzz engines lists them`,
      );
  }
  const rows: BugRow[] = [];
  for (const { name, engines, says } of readEngineBugs()) {
    if (!existsSync(join(bugsFolder(), `${name}.ir`))) continue;
    for (const row of engines) {
      const [before, now] = [await stateOf(name, row, older), await stateOf(name, row, newer)];
      if (before !== "absent" || now !== "absent") {
        rows.push({ bug: name, row, old: before, new: now, says });
      }
    }
  }
  if (json) printAnswer("touchstone.engines-regress", { old: older, new: newer, bugs: rows });
  else print(rows, older, newer);
  return rows.some(({ old, new: now }) => old === "right" && now === "alive")
    ? STATUS.found
    : STATUS.nothingFound;
}

/** Runs the program of a bug in a version of a row. */
async function stateOf(bug: string, row: string, version: string): Promise<BugState> {
  const engine = engineNamed(version === SYSTEM ? row : `${row}@${version}`);
  if (engine === null || engine.missing() !== null) return "absent";
  const { module, lines } = readProgram(join(bugsFolder(), `${bug}.ir`));
  const inputs = lines.map(({ input }) => input);
  const [result] = await judgeByEngines([engine], module, inputs, DEFAULT_FUEL);
  const isAlive = result.judgements.some(({ verdict }) => verdict.kind === "different");
  return isAlive ? "alive" : "right";
}

function print(rows: readonly BugRow[], older: string, newer: string): void {
  const lines = rows.map(({ bug, row, old, new: now }) => [bug, row, old, now, changeOf(old, now)]);
  printTable([["bug", "row", older, newer, ""], ...lines]);
  if (rows.length === 0) printLine("no row of a known bug has one of these versions");
}

function changeOf(before: BugState, now: BugState): string {
  if (before === "alive" && now === "right") return "fixed";
  return before === "right" && now === "alive" ? "new" : "";
}
