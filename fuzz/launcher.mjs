#!/usr/bin/env node
// The commands `fuzz` and `touchstone`.
//
// Plain JavaScript, committed with its execute bit, and in words that Node 12 still parses, so that
// an old Node or a missing build gets one line that helps and not a stack trace. Statuses: what
// `main` returns; 3 where something is missing on this machine; 4 where we are wrong.

import { spawnSync } from "child_process";
import { existsSync, readFileSync } from "fs";
import { fileURLToPath } from "url";

const NODE_MIN = [20, 19];
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAIN = new URL("../build/fuzz/main.js", import.meta.url);
// The same as one script, which loads faster (src/support/bundle.ts).
const BUNDLED = new URL("../build/bundle/fuzz/main.js", import.meta.url);
// These two are in a checkout only; an installed package has its build and no sources.
const STALE = new URL("../ci/stale.mjs", import.meta.url);
const BUILD = new URL("../ci/build.mjs", import.meta.url);
const FOUND = 1;
const MISSING = 3;
const INTERNAL = 4;
// `git bisect run` skips a commit with this status, and takes others up to 127 as bad.
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
  // Without the folder, which names the user's machine.
  const evidence = stack.split(ROOT).join("").replace(/file:\/\/(?=build|src)/g, "");
  stop(INTERNAL, `fuzz: internal error: this is a bug in touchstone\n${evidence}`);
}

// Nothing is known about the program's state any more: say so, and leave.
function dieOfUncaughtError(error) {
  reportFailedStart(error);
  process.exit(process.exitCode);
}

// A reader that has seen enough (`fuzz ... | head`), or a terminal that is gone, loses what is printed
// and nothing else: the command goes on to its end, and its status says what it found. Each write fails again, and
// the first one is reported.
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

// As in src/support/machine-error.ts, which could not be loaded.
function isShortage(error) {
  return (
    error instanceof Error &&
    /^(E(MFILE|NFILE|NOMEM|IO|ACCES|AGAIN|NOSPC|ROFS)|ERR_MEMORY_ALLOCATION_FAILED)$/.test(
      error.code,
    )
  );
}

// A checkout whose sources are younger than its build is built first. The tests have built, and go on with that build
// whatever is edited meanwhile; so do the processes of a campaign (src/support/build-id.ts).
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

// With `exec --bisect` nothing but a verdict is 0 or 1: what is missing, malformed or does not build is skipped.
function skipWithoutVerdict(status) {
  if (status !== 0 && status !== FOUND) process.exitCode = SKIP;
}

function isBisecting(args) {
  const end = args.indexOf("--");
  return args[0] === "exec" && args.slice(0, end < 0 ? args.length : end).includes("--bisect");
}

class DoesNotBuild extends Error {}

// V8 aborts without a message where it cannot reserve addresses, so the limit is compared first.
const ADDRESSES_MIN = 1.2e9;

// Returns the limit of addresses in bytes (`ulimit -v`); Infinity without a limit, or where the system does not show it.
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
