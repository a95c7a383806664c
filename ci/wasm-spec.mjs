// The tests of the WebAssembly specification through the oracle and every subject. They are not shipped:
// they are read where $TOUCHSTONE_SUITES points, in its folder wasm-spec.
//
//   node ci/wasm-spec.mjs                    all of them; status 1 if a case fails that is not known to
//   node ci/wasm-spec.mjs --subjects ir-O2   by these subjects alone
//   node ci/wasm-spec.mjs --origin           where they come from, and the lines that get them
//
// Cases that are known to fail are in corpus/import/spec-open.txt, with the reason.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ORIGIN = `The tests are those of github.com/WebAssembly/spec at commit 285a9032, folder test/core, Apache-2.0:
  git clone --filter=blob:none --no-checkout https://github.com/WebAssembly/spec
  git -C spec checkout 285a9032 -- test/core
  mkdir -p "$TOUCHSTONE_SUITES/wasm-spec" && cp spec/test/core/*.wast "$TOUCHSTONE_SUITES/wasm-spec"
Read are all files of that folder whose names end with .wast.`;

function knownToFail() {
  const text = readFileSync(join(ROOT, "corpus/import/spec-open.txt"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Set(lines.map((line) => line.split(" ", 1)[0]));
}

function run(folder, args) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".wast"));
  const command = ["fuzz/launcher.mjs", "conform", ...files.map((name) => join(folder, name))];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...command, ...args], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0 && status !== 1) {
    console.error(stderr);
    return status ?? 4;
  }
  const known = knownToFail();
  const met = new Set();
  let news = 0;
  for (const line of stdout.trimEnd().split("\n")) {
    const place = /^(\S+\.wast):(\d+): /.exec(line);
    // fuzz conform counts unjudged cases itself; they are no failures.
    const name = place === null ? null : `${basename(place[1])}:${place[2]}`;
    if (name !== null) met.add(name);
    if (name === null || !known.has(name)) console.log(line);
    if (name !== null && !known.has(name)) news++;
  }
  const passing = [...known].filter((name) => !met.has(name));
  for (const name of passing) console.log(`${name}: passes: take its line out of spec-open.txt`);
  console.log(`wasm-spec: ${files.length} scripts, ${met.size - news} known to fail, ${news} news`);
  return news + passing.length === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
const named = (process.env.TOUCHSTONE_SUITES ?? "").split(":").filter((path) => path !== "");
const folder = named.map((path) => join(path, "wasm-spec")).find(existsSync) ?? null;
if (args.includes("--origin")) console.log(ORIGIN);
else if (folder === null) {
  console.log(
    `wasm-spec: skipped: nothing in $TOUCHSTONE_SUITES has a folder wasm-spec\n${ORIGIN}`,
  );
} else process.exitCode = run(folder, args);
