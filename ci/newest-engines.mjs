// `ci/setup --engines newest`: installs the newest releases of other compilers from the npm registry and from Debian,
// without root, and links each into the folder of engines. The tables of versions are in
// src/engine/newest-versions.ts. The script names each package that it cannot install, and installs the others.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  DEBIAN_PACKAGES,
  DEBIAN_SUITE,
  DEBIAN_VERSIONS,
  NPM_PACKAGES,
  NPM_VERSIONS,
} from "../build/src/engine/newest-versions.js";
import { quoted } from "../build/src/support/shell-word.js";
import { installDebian } from "./debian-engines.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = join(ROOT, NPM_PACKAGES);
const DEBIAN = join(ROOT, DEBIAN_PACKAGES);
const ENGINES = process.env.TOUCHSTONE_ENGINES ?? join(ROOT, ".touchstone", "engines");
const OPTIONS = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];

function install(packages) {
  const words = ["install", "--prefix", PACKAGES, ...OPTIONS, ...packages];
  return spawnSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
}

/**
 * Links a program into the folder of engines, or writes a script that starts it with an environment variable. Returns
 * false if there is no such program.
 */
function link({ engine, file }, program, environment = null) {
  if (!existsSync(program)) return false;
  const path = join(ENGINES, file);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) rmSync(path);
  if (environment === null) symlinkSync(relative(ENGINES, program), path);
  else {
    const [name, value] = environment;
    const set = `${name}=${quoted(value.replace("{root}", DEBIAN))}`;
    writeFileSync(path, `#!/bin/sh\n${set} exec ${quoted(program)} "$@"\n`, { mode: 0o755 });
  }
  console.log(`setup: engines: ${file}: ${engine}`);
  return true;
}

let missingCount = 0;
function miss({ engine, file }) {
  missingCount++;
  console.error(`setup: engines: ${file} (${engine}) is not available here`);
}

function installFromNpm() {
  // All at once first: each installation removes the packages that it does not name.
  const isWhole = install(NPM_VERSIONS.map((row) => row.install));
  if (!isWhole)
    console.error("setup: engines: not all packages are available; each is tried alone");
  const kept = [];
  for (const row of NPM_VERSIONS) {
    const isInstalled = isWhole || install([...kept, row.install]);
    if (isInstalled) kept.push(row.install);
    if (!isInstalled || !link(row, join(PACKAGES, "node_modules", row.program))) miss(row);
  }
}

function installFromDebian() {
  const names = DEBIAN_VERSIONS.flatMap((row) => row.packages);
  const { available, reason } = installDebian(DEBIAN, DEBIAN_SUITE, names);
  if (reason !== null) console.error(`setup: engines: Debian's packages: ${reason}`);
  for (const row of DEBIAN_VERSIONS) {
    const isInstalled = available.includes(row.packages[0]);
    if (!isInstalled || !link(row, join(DEBIAN, row.program), row.environment)) miss(row);
  }
}

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error("setup: --engines newest: the packages are for Linux on x86-64");
  process.exit(1);
}
mkdirSync(PACKAGES, { recursive: true });
mkdirSync(ENGINES, { recursive: true });
installFromNpm();
installFromDebian();
process.exitCode = missingCount === 0 ? 0 : 1;
