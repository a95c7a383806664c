#!/usr/bin/env node
// Starts the commands `fuzz` and `touchstone`.
//
// Plain JavaScript, committed with its execute bit. Node 12 parses its syntax, so an old Node
// causes one helpful line instead of a stack trace. Statuses: the result of `main`; 3 if something
// is missing on this machine; 4 for an internal error.

import { spawnSync } from "child_process";
import { existsSync, readFileSync } from "fs";
import { fileURLToPath } from "url";

const NODE_MIN = [20, 19];
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = new URL("../build/fuzz/main.js", import.meta.url);
// The same modules as one script, which loads faster (src/support/bundle.ts).
const BUNDLED = new URL("../build/bundle/fuzz/main.js", import.meta.url);
// These two exist in a checkout only; an installed package has a build and no sources.
const STALE = new URL("../ci/stale.mjs", import.meta.url);
const BUILD = new URL("../ci/build.mjs", import.meta.url);
const FOUND = 1;
const MISSING = 3;
const INTERNAL = 4;
// `git bisect run` skips a commit with this status. It treats other statuses up to 127 as bad.
const SKIP = 125;

function isNodeTooOld() {
  const version = process.versions.node.split(".").map(Number);
  return version[0] < NODE_MIN[0] || (version[0] === NODE_MIN[0] && version[1] < NODE_MIN[1]);
}

function stop(status, message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = status;
}

function reportInternalError(error) {
  const stack = error instanceof Error ? error.stack : `thrown: ${String(error)}`;
  // Removes the path of the project, which is specific to the user's machine.
  const evidence = stack
    .split(ROOT)
    .join("")
    .replace(/file:\/\/(?=build|src)/g, "");
  stop(INTERNAL, `fuzz: internal error: this is a bug in touchstone\n${evidence}`);
}

// The state of the program is unknown, so this reports the error and exits.
function dieOfUncaughtError(error) {
  reportFailedStart(error);
  process.exit(process.exitCode);
}

// If the reader of the output ends (`fuzz ... | head`, a closed terminal), only the output is lost.
// The command continues, and its status reports what it found. Each write fails again; only the
// first failure is reported.
let isRefused = false;
function goOnUnread(error) {
  if (isRefused || error.code === "EPIPE" || error.code === "EIO") return;
  isRefused = true;
  stop(MISSING, `fuzz: the output cannot be written: ${error.message}`);
  process.once("exit", () => {
    process.exitCode = MISSING;
  });
}

function reportFailedStart(error) {
  const isPackageMissing =
    error instanceof Error &&
    /^(ERR_)?MODULE_NOT_FOUND$/.test(error.code) &&
    /^Cannot find (package|module '[^./])/.test(error.message);
  if (error instanceof DoesNotBuild) stop(MISSING, "fuzz: the sources do not build: see above");
  else if (isPackageMissing) stop(MISSING, "fuzz: a package is missing: run ci/setup first");
  else if (isShortage(error)) stop(MISSING, `fuzz: this machine refuses: ${error.message}`);
  else reportInternalError(error);
}

// Duplicates src/support/machine-error.ts, which may be impossible to load here.
function isShortage(error) {
  return (
    error instanceof Error &&
    /^(E(MFILE|NFILE|NOMEM|IO|ACCES|AGAIN|NOSPC|ROFS)|ERR_MEMORY_ALLOCATION_FAILED)$/.test(
      error.code,
    )
  );
}

// Builds a checkout whose sources are newer than its build. Tests, and processes of a campaign
// (src/support/build-id.ts), keep the existing build even if sources change.
function buildIfStale() {
  const isPinned =
    process.env.TOUCHSTONE_NO_BUILD !== undefined ||
    process.env.TOUCHSTONE_PINNED_BUILD !== undefined;
  if (!existsSync(fileURLToPath(STALE)) || isPinned) return Promise.resolve();
  return import(STALE.href).then(({ folderUnlikeBuild }) => {
    const folder = folderUnlikeBuild(ROOT);
    if (folder === null) return;
    process.stderr.write(`fuzz: ${folder}/ has changed since the last build: building\n`);
    const stdio = ["ignore", process.stderr, process.stderr];
    const { status } = spawnSync(process.execPath, [fileURLToPath(BUILD)], { stdio });
    if (status !== 0) throw new DoesNotBuild();
  });
}

function isBundled() {
  return process.env.TOUCHSTONE_MODULES === undefined && existsSync(fileURLToPath(BUNDLED));
}

function isFolderGone() {
  try {
    process.cwd();
    return false;
  } catch (_error) {
    return true;
  }
}

// With `exec --bisect` only a verdict ends with 0 or 1; missing, malformed or unbuildable input is
// skipped.
function skipWithoutVerdict(status) {
  if (status !== 0 && status !== FOUND) process.exitCode = SKIP;
}

function isBisecting(args) {
  const end = args.indexOf("--");
  return args[0] === "exec" && args.slice(0, end < 0 ? args.length : end).includes("--bisect");
}

class DoesNotBuild extends Error {}

// V8 aborts without a message if it cannot reserve addresses, so the launcher checks the limit first.
const ADDRESSES_MIN = 1.2e9;

// Returns the address space limit in bytes (`ulimit -v`); Infinity if there is none, or if the system does not
// report it.
function addressLimit() {
  try {
    const found = /^Max address space +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found === null ? Infinity : Number(found[1]);
  } catch (_error) {
    return Infinity;
  }
}

function start() {
  process.on("uncaughtException", dieOfUncaughtError);
  process.stdout.on("error", goOnUnread);
  process.stderr.on("error", () => {});
  buildIfStale()
    .then(() => import((isBundled() ? BUNDLED : MAIN).href))
    .then(({ main }) => main(process.argv.slice(2)))
    .then((status) => {
      process.exitCode = status;
    })
    .catch(reportFailedStart);
}

if (isBisecting(process.argv.slice(2))) process.once("exit", skipWithoutVerdict);

if (isNodeTooOld()) {
  stop(
    MISSING,
    `fuzz: needs Node ${NODE_MIN.join(".")} or newer; this is ${process.versions.node}`,
  );
} else if (isFolderGone()) {
  stop(MISSING, "fuzz: the working directory was removed: change to one that exists");
} else if (addressLimit() < ADDRESSES_MIN) {
  const megabytes = (bytes) => Math.floor(bytes / 1e6);
  stop(
    MISSING,
    `fuzz: addresses are limited to ${megabytes(addressLimit())} MB (ulimit -v): ` +
      `at least ${megabytes(ADDRESSES_MIN)} MB are needed`,
  );
} else if (!existsSync(fileURLToPath(MAIN))) {
  stop(MISSING, "fuzz: there is no build: run ci/setup first");
} else {
  start();
}
