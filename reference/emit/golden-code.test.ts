// Runs the golden files of machine code: corpus/golden/emit/*.asm.
//
// `; target: NAME` names the target for which the program, lines `;| TEXT`, is compiled at O1. The
// rest is the code of its first procedure, by LIR instruction: the name of the row, then the
// emitted code. The exits follow the last instruction, so only its name is listed.
// With GOLDEN=write the test rewrites the files.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import test from "ava";
import { ENVIRONMENT } from "../../src/execute/machine/environment.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { Compiler } from "../compile.js";
import { optimize } from "../optimize.js";

const FOLDER = "corpus/golden/emit";
const compiler = new Compiler();

for (const file of readdirSync(FOLDER)) {
  test(`emit: ${file}`, (t) => {
    t.true(file.endsWith(".asm"), "no test reads it");
    const path = `${FOLDER}/${file}`;
    const lines = readFileSync(path, "utf8").split("\n");
    const emitted = `${emittedBy(lines)}\n`;
    const comments = lines.filter((line) => line.startsWith(";"));
    if (process.env["GOLDEN"] === "write") {
      writeFileSync(path, `${comments.join("\n")}\n${emitted}`);
    }
    t.is(emitted, lines.filter((line) => !line.startsWith(";")).join("\n"));
  });
}

function emittedBy(lines: readonly string[]): string {
  const target = lines.includes("; target: arm64") ? "arm64" : "x64";
  const program = lines.filter((line) => line.startsWith(";|")).map((line) => line.slice(3));
  const module = parseModule(`${program.join("\n")}\n`);
  optimize(module, { level: "O1", target });
  const { listing } = compiler.generate(module, target, {
    environment: ENVIRONMENT,
    level: "O1",
    checkAllocation: true,
    listing: true,
  });
  return instructionsOf(listing);
}

/** Headings are indented and have a comment after a semicolon; instructions follow an offset. */
function instructionsOf(listing: readonly string[]): string {
  const isHeading = (line: string): boolean => line.startsWith(" ");
  const lastHeading = listing.findLastIndex(isHeading);
  return listing
    .slice(listing.findIndex((line) => /^ +entry/.test(line)) + 1, lastHeading + 1)
    .map((line) =>
      isHeading(line) ? (line.trim().split(" ")[0] ?? "") : line.replace(/^[0-9a-f]+ +/, "  "),
    )
    .join("\n");
}
