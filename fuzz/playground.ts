// Implements `fuzz playground --out FILE.html`: writes the page that runs the oracle and the
// compiler in a browser.

import { writeFileSync } from "node:fs";
import { BUNDLE_MISSING, makePlayground } from "../src/playground/make-page.js";
import { reasonOf } from "../src/support/machine-error.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, STATUS, UserError, usageError } from "./support/output.js";

interface PlaygroundArgs {
  readonly out: string;
  readonly json: boolean;
}

export async function run({ out, json }: PlaygroundArgs): Promise<number> {
  const page = makePlayground();
  if (page === null) throw new UserError(STATUS.missing, BUNDLE_MISSING);
  try {
    writeFileSync(out, page);
  } catch (error) {
    throw usageError(`--out ${out}: cannot be written: ${reasonOf(error)}`);
  }
  const bytes = Buffer.byteLength(page);
  if (json) printAnswer("touchstone.playground", { bytes, out });
  else printLine(`${out}: ${bytes} bytes`);
  return STATUS.nothingFound;
}
