// Lists the code of the compiler that no random program executes: a bug there cannot be found. V8
// counts blocks; the script maps them to lines of the sources.
//
// `node ci/measure.mjs unreached [--seed S] [--count N] [--profile NAME] [--below FOLDER] [--at-most LINES] [--parts N]`:
// judges programs like a campaign. Prints for each file the lines that were not executed, and the number of lines
// with code. Code for errors, limits and printing is never executed; other code in the list needs a dial of the
// generator. Status 1 if there are more than LINES.
//
// With `--parts N` it also prints the parts of lines that were executed N times at most, such as an arm of a condition:
// a seldom evaluated operand of an `&&` is a side condition that campaigns seldom need.

import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readOptions } from "../options.mjs";

/** The number of printed characters of a part of a line. */
const PART_LENGTH_MAX = 140;
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = readOptions({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    profile: { type: "string", default: "usual" },
    below: { type: "string", default: "reference" },
    "at-most": { type: "string" },
    parts: { type: "string" },
  },
});
const { "at-most": atMost, parts: partsMost } = values;
const numbers = [values.seed, values.count, atMost ?? "0", partsMost ?? "0"];
if (!numbers.every((text) => /^\d+$/.test(text)) || Number(values.count) === 0) {
  console.error(
    "unreached: expected whole numbers: --seed N, --count N of 1 or more, --at-most N, --parts N",
  );
  process.exit(2);
}

const session = new Session();
session.connect();
/** @returns the inspector's answer, which it gives at once */
function ask(method, params = {}) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}
ask("Profiler.enable");
// Before any module is loaded: code that has already run is not counted.
ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const load = (path) => import(join(ROOT, "build", path));
const { emptyTally } = await load("src/campaign/count/tally.js");
const { NO_PARENTS } = await load("src/campaign/program/lineage.js");
const { isProfile, PROFILE_NAMES, seedAt } = await load("src/campaign/program/seeds.js");
const { SeedJudge } = await load("src/campaign/run/judge-seed.js");
const { usualSettings } = await load("fuzz/run/usual-settings.js");
const { profile } = values;
if (!isProfile(profile)) {
  console.error(`unreached: --profile ${profile}: expected ${PROFILE_NAMES.join(", ")}`);
  process.exit(2);
}

const judge = new SeedJudge(usualSettings(profile));
const tally = emptyTally();
for (let i = 0; i < Number(values.count); i++) {
  judge.judge({ seed: seedAt(BigInt(values.seed), i), parents: NO_PARENTS }, tally);
}
judge.close();

const folder = join(ROOT, "build", values.below);
const scripts = ask("Profiler.takePreciseCoverage").result.filter(
  ({ url }) => url.startsWith(pathToFileURL(folder).href) && url.endsWith(".js"),
);
if (scripts.length === 0) {
  console.error(`unreached: --below ${values.below}: no code there was loaded`);
  process.exit(2);
}
const files = scripts.map(linesOf);
const told = files.filter(({ unreached, parts }) => unreached.length + parts.length > 0);
told.sort((x, y) => y.unreached.length - x.unreached.length);
for (const { file, all, unreached, parts } of told) {
  console.log(`${file}: ${unreached.length} of ${all} lines`);
  for (const { line, text } of unreached) console.log(`  ${line}: ${text}`);
  for (const { line, count, of, text } of parts) {
    console.log(`  ${line}, ${count} of ${of}: ${text}`);
  }
}
const sum = (of) => files.reduce((total, file) => total + of(file), 0);
const some = sum(({ unreached }) => unreached.length);
const lines = `${some} of ${sum(({ all }) => all)} lines in ${told.length} of ${files.length} files`;
console.log(`${lines}: ${values.count} programs of ${profile} from seed ${values.seed}`);
if (atMost !== undefined && some > Number(atMost)) {
  console.error(
    `unreached: expected ${atMost} lines at most: which are new, and what would execute them?`,
  );
  process.exitCode = 1;
}

/** Returns the lines of a source that have code, and those of them without any executed part. */
function linesOf({ url, functions }) {
  const path = fileURLToPath(url);
  const code = readFileSync(path, "utf8");
  const counts = new Uint8Array(code.length);
  // The ranges of a function, and of functions inside of it, follow the range that contains them.
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      counts.fill(count === 0 ? 0 : 1, startOffset, endOffset);
    }
  }
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  const source = resolve(dirname(path), map.payload.sources[0]);
  /** By line of the source: whether any part of it was executed. */
  const lines = new Map();
  let at = 0;
  code.split("\n").forEach((text, row) => {
    for (const { index } of text.matchAll(/[\w$]+/g)) {
      const { originalLine } = map.findEntry(row, index);
      if (originalLine !== undefined && !isComment(text)) {
        lines.set(originalLine, (lines.get(originalLine) ?? false) || counts[at + index] !== 0);
      }
    }
    at += text.length + 1;
  });
  const texts = readFileSync(source, "utf8").split("\n");
  const unreached = [...lines]
    .filter(([, isReached]) => !isReached)
    .map(([line]) => ({ line: line + 1, text: texts[line].trim() }))
    .sort((x, y) => x.line - y.line);
  const parts = partsMost === undefined ? [] : partsOf(code, map, functions);
  return { file: relative(ROOT, source), all: lines.size, unreached, parts };
}

/** Returns rarely executed ranges within often executed functions, with both counts and the text. */
function partsOf(code, map, functions) {
  const starts = [0];
  for (const { index } of code.matchAll(/\n/g)) starts.push(index + 1);
  const found = [];
  for (const { ranges } of functions) {
    const [{ count: of }, ...inner] = ranges;
    if (of <= Number(partsMost)) continue;
    let end = 0;
    for (const { startOffset, endOffset, count } of inner) {
      if (count > Number(partsMost) || startOffset < end) continue;
      end = endOffset;
      const row = starts.findLastIndex((start) => start <= startOffset);
      const line = code.slice(starts[row], startOffset).trimStart();
      const part = code.slice(startOffset, endOffset).replace(/\s+/g, " ").trim();
      if (!/\w/.test(part)) continue;
      const { originalLine } = map.findEntry(row, startOffset - starts[row]);
      const text = `${line}[${part.slice(0, PART_LENGTH_MAX)}]`;
      found.push({ line: originalLine + 1, count, of, text });
    }
  }
  return found.sort((x, y) => x.line - y.line);
}

function isComment(text) {
  return /^\s*(\/\/|\/?\*)/.test(text);
}
