// Runs the tests of the WebAssembly specification in the oracle and every subject. They are not part of the project:
// the script reads the folder wasm-spec in $TOUCHSTONE_SUITES.
//
//   node ci/wasm-spec.mjs                    all of them; the status is that of fuzz conform: 1 if a case fails
//   node ci/wasm-spec.mjs --subjects ir-O2   by these subjects only
//   node ci/wasm-spec.mjs --origin           prints their source, and the commands that fetch them

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ORIGIN = `The tests are those of github.com/WebAssembly/spec at commit 285a9032, folder test/core, Apache-2.0:
  git clone --filter=blob:none --no-checkout https://github.com/WebAssembly/spec
  git -C spec checkout 285a9032 -- test/core
  mkdir -p "$TOUCHSTONE_SUITES/wasm-spec" && cp spec/test/core/*.wast "$TOUCHSTONE_SUITES/wasm-spec"
Read are all files of that folder whose names end with .wast.`;

function run(folder, args) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".wast"));
  const command = ["fuzz/launcher.mjs", "conform", ...files.map((name) => join(folder, name))];
  const options = { cwd: ROOT, stdio: "inherit" };
  return spawnSync(process.execPath, [...command, ...args], options).status ?? 4;
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
