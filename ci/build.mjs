// Compiles the project into `build/`, removes the outputs of deleted sources (tsc leaves them, and a deleted test would
// still run), writes the version of the generator, and bundles the programs that start often (`bundle/`), except with
// --no-bundle. Prints one line on success; tsc's own lines on failure, with a non-zero status. Incremental: a build
// without changes takes a fraction of a second. --no-check omits the check of types.
//
// It removes the bundle before it compiles, so the bundle always matches the modules.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lockBuild } from "./build-lock.mjs";
import { folderUnlikeBuild, forgetBuilt, recordBuilt, sourcesNow } from "./stale.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILD = join(ROOT, "build");
const BUILD_STATE = join(BUILD, ".tsbuildinfo");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const SOURCE_FOLDERS = ["src", "reference", "fuzz", "ci"];
const OUTPUT = /\.(js|d\.ts|js\.map)$/;

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const sources = () =>
  SOURCE_FOLDERS.flatMap((folder) => filesBelow(join(ROOT, folder)))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .map((path) => path.slice(ROOT.length + 1, -".ts".length));

// tsc does not rewrite an output that it has recorded as written, even if the file was removed.
function forgetStateIfOutputsAreMissing() {
  if (!sources().every((stem) => existsSync(join(BUILD, `${stem}.js`)))) {
    rmSync(BUILD_STATE, { force: true });
  }
}

function compile() {
  // In a copy of the project the packages are a link (fuzz/support/copied-tree.ts): followed, every path that the
  // state remembers would be another one, and all would be compiled again.
  const state = ["--incremental", "--tsBuildInfoFile", BUILD_STATE, "--preserveSymlinks"];
  const unchecked = process.argv.includes("--no-check") ? ["--noCheck"] : [];
  const options = ["--project", ROOT, ...state, ...unchecked];
  return spawnSync(process.execPath, [TSC, ...options], { stdio: "inherit" }).status ?? 1;
}

function removeOrphans() {
  const alive = new Set(sources());
  let removedCount = 0;
  for (const folder of SOURCE_FOLDERS) {
    for (const path of filesBelow(join(BUILD, folder))) {
      if (!OUTPUT.test(path)) continue;
      if (alive.has(path.slice(BUILD.length + 1).replace(OUTPUT, ""))) continue;
      rmSync(path);
      removedCount++;
      if (readdirSync(dirname(path)).length === 0) rmdirSync(dirname(path));
    }
  }
  return removedCount;
}

if (!existsSync(TSC)) {
  console.error("build: the packages are not installed: run ci/setup first");
  process.exit(1);
}
// They import packages, so not before it is known that there are any.
const { isBundled, makeBundle, removeBundle } = await import("./bundle/bundle.mjs");
const { computeGeneratorVersion } = await import("./generator-version.mjs");

const startedAt = performance.now();
const release = await lockBuild(ROOT, () =>
  console.error("build: another build runs: waiting"),
).catch(({ message }) => {
  console.error(`build: ${message}`);
  process.exit(1);
});
process.on("exit", release);
const isBundleWanted = !process.argv.includes("--no-bundle");
const built = sourcesNow(ROOT);
const isNew = folderUnlikeBuild(ROOT) !== null;
if (isNew) forgetBuilt(ROOT);
if (!isBundleWanted || isNew) removeBundle();
forgetStateIfOutputsAreMissing();
const status = compile();
const removedCount = removeOrphans();
if (status !== 0) {
  console.error("build: failed");
  process.exitCode = status;
} else {
  writeFileSync(join(BUILD, "generator-version"), `${computeGeneratorVersion(ROOT)}\n`);
  if (isNew) recordBuilt(ROOT, built);
  if (isBundleWanted && !(await isBundled())) await makeBundle();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const removed = removedCount === 0 ? "" : `, ${removedCount} outputs without a source removed`;
  console.log(`build: ${sources().length} modules in ${seconds} s${removed}`);
}
