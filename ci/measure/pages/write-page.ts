// Writes the results of a measurement: into the data of a page of figures, and into the page.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../src/support/project-root.js";
import { type MeasuredData, measuredFile, printMeasured, readMeasured } from "./data.js";
import { tablesOf, withTables } from "./pages.js";

export const pagePath = (name: keyof MeasuredData): string =>
  join(projectRoot(), "docs", `${name}.md`);

export const readAllMeasured = (): MeasuredData => ({
  score: readMeasured("score"),
  findings: readMeasured("findings"),
  performance: readMeasured("performance"),
  survivors: readMeasured("survivors"),
  planted: readMeasured("planted"),
});

/** Changes the data of a page, and rewrites the tables of the page. */
export function changeMeasured<N extends keyof MeasuredData>(
  name: N,
  change: (data: MeasuredData[N]) => MeasuredData[N],
): void {
  writeFileSync(measuredFile(name), printMeasured(change(readMeasured(name))));
  writePage(name);
}

/** Rewrites the tables of a page from its data. */
export function writePage(name: keyof MeasuredData): void {
  const path = pagePath(name);
  const tables = tablesOf(readAllMeasured())[name];
  writeFileSync(path, withTables(readFileSync(path, "utf8"), tables));
}
