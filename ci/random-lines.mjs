// Draws lines of the sources at random, to test whether a reader who sees only a path and the head of
// a file can tell the purpose of the line: `node ci/random-lines.mjs [--count N] [--seed S]`.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readOptions } from "./options.mjs";

const SOURCES = ["*.ts", "*.mjs", "*.md"];

const { values } = readOptions({
  options: { count: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});

/** The generator `mulberry32`: a number below `end`. */
function below(end) {
  state = (state + 0x6d2b79f5) | 0;
  let word = Math.imul(state ^ (state >>> 15), state | 1);
  word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
  return ((word ^ (word >>> 14)) >>> 0) % end;
}
let state = Number(values.seed) | 0;

const paths = execFileSync("git", ["ls-files", ...SOURCES], { encoding: "utf8" })
  .trim()
  .split("\n");
const lines = paths.flatMap((path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .map((text, i) => ({ at: `${path}:${i + 1}`, text: text.trim() }))
    .filter(({ text }) => text !== ""),
);
for (let i = 0; i < Number(values.count); i++) {
  const { at, text } = lines[below(lines.length)];
  process.stdout.write(`${at}  ${text}\n`);
}
