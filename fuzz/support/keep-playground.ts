// Writes the playground's page into a folder of reports, whose pages link to it.

import { join } from "node:path";
import { makePlayground } from "../../src/playground/make-page.js";
import { PLAYGROUND_FILE } from "../../src/report/playground-link.js";
import { MachineError } from "../../src/support/machine-error.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { printAside } from "./output.js";

const kept = new Set<string>();

/** Writes the page once for each folder. Reports are complete without it. */
export function keepPlayground(folder: string): void {
  if (kept.has(folder)) return;
  kept.add(folder);
  const page = makePlayground();
  if (page === null) return;
  try {
    writeWhole(join(folder, PLAYGROUND_FILE), page);
  } catch (error) {
    if (!(error instanceof MachineError)) throw error;
    printAside(`fuzz: ${error.message}; the links of reports to this page stay dead`);
  }
}
