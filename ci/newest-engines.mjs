// `ci/setup --engines newest`: installs the newest releases of other compilers from the npm registry, without
// root, and links each into the folder of engines. The table of versions is src/engine/newest-versions.ts. The
// script names each package that it cannot install, and installs the others.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { NEWEST_PACKAGES, NEWEST_VERSIONS } from "../build/src/engine/newest-versions.js";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = join(ROOT, NEWEST_PACKAGES);
const ENGINES = process.env.TOUCHSTONE_ENGINES ?? join(ROOT, ".touchstone", "engines");
const OPTIONS = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];

function install(packages) {
  const words = ["install", "--prefix", PACKAGES, ...OPTIONS, ...packages];
  return spawnSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
}

function link({ engine, file, program }) {
  const target = join(PACKAGES, "node_modules", program);
  if (!existsSync(target)) return false;
  const path = join(ENGINES, file);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) rmSync(path);
  symlinkSync(relative(ENGINES, target), path);
  console.log(`setup: engines: ${file}: ${engine}`);
  return true;
}

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error("setup: --engines newest: the packages are for Linux on x86-64");
  process.exit(1);
}
mkdirSync(PACKAGES, { recursive: true });
mkdirSync(ENGINES, { recursive: true });
// All at once first: each installation removes the packages that it does not name.
const isWhole = install(NEWEST_VERSIONS.map((row) => row.install));
if (!isWhole) console.error("setup: engines: not all packages are available; each is tried alone");
let missingCount = 0;
const kept = [];
for (const row of NEWEST_VERSIONS) {
  const isInstalled = isWhole || install([...kept, row.install]);
  if (isInstalled) kept.push(row.install);
  if (isInstalled && link(row)) continue;
  missingCount++;
  console.error(`setup: engines: ${row.file} (${row.engine}) is not available here`);
}
process.exitCode = missingCount === 0 ? 0 : 1;
