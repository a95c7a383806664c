// Copies the results of measuring commands into corpus/measured, and rewrites the pages:
//
// `node ci/measured.mjs score FILE.jsonl`: the rows that `fuzz score` has stored
// `node ci/measured.mjs bench FILE.json`: the output of `fuzz bench [--kernels] --json`

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { measuredFile, printMeasured, readMeasured } from "../build/ci/measured/data.js";
import {
  takeBench,
  takeFindings,
  takeKernels,
  takeScore,
} from "../build/ci/measured/take-results.js";
import { readOptions } from "./options.mjs";

const { positionals } = readOptions({ options: {}, allowPositionals: true });
const [kind, path] = positionals;
if (positionals.length !== 2 || !["score", "bench"].includes(kind)) {
  console.error("measured.mjs: expected `score FILE.jsonl` or `bench FILE.json`");
  process.exit(2);
}

const write = (name, data) => writeFileSync(measuredFile(name), printMeasured(data));
const text = readFileSync(path, "utf8");
if (kind === "score") {
  const rows = text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => ({ reached: null, differed: null, ...JSON.parse(line) }));
  write("score", takeScore(readMeasured("score"), rows));
  write("findings", takeFindings(readMeasured("findings"), rows));
} else {
  const answer = JSON.parse(text);
  const take = answer.schema === "touchstone.kernels" ? takeKernels : takeBench;
  write("performance", take(readMeasured("performance"), answer));
}
const { status } = spawnSync("npm", ["test", "--", "ci/measured/pages.test.ts"], {
  env: { ...process.env, TOUCHSTONE_UPDATE: "1" },
  stdio: "inherit",
});
process.exit(status ?? 1);
