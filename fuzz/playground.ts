// Implements `fuzz playground --out FILE.html`: writes the page that runs the oracle and the
// compiler in a browser.

import { BUNDLE_MISSING, makePlayground } from "../src/playground/make-page.js";
import { printAnswer } from "./answers/print-answer.js";
import { printLine, STATUS, UserError } from "./support/output.js";
import { writeOut } from "./support/write-out.js";

interface PlaygroundArgs {
  readonly out: string;
  readonly json: boolean;
}

export async function run({ out, json }: PlaygroundArgs): Promise<number> {
  const page = makePlayground();
  if (page === null) throw new UserError(STATUS.missing, BUNDLE_MISSING);
  writeOut(out, page);
  const bytes = Buffer.byteLength(page);
  if (json) printAnswer("touchstone.playground", { bytes, out });
  else printLine(`${out}: ${bytes} bytes`);
  return STATUS.nothingFound;
}
