// Loaded into every process of a command by NODE_OPTIONS: counts operations on files by the role of the process, and
// refuses one of them, like a system that lacks a resource.
//
// TOUCHSTONE_FAIL_FILE is {folder, role, at, code} in JSON: `folder` contains the counts, a byte an operation,
// because the processes of a role count together.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";

const { folder, role, at, code } = JSON.parse(process.env.TOUCHSTONE_FAIL_FILE);
const [, script = ""] = process.argv;
const ownRole = /planted-campaign\.mjs$/.test(script)
  ? "campaign"
  : /worker\.js$/.test(script)
    ? "worker"
    : "other";
/** The original functions, before they are replaced, here and wherever they are imported by name. */
const original = { ...fs };
const counts = original.openSync(join(folder, ownRole), "a");
/** Descriptors that are open for writing: others, such as pipes, are no files. */
const written = new Set();

function countOne(operation, path) {
  original.writeSync(counts, "x");
  if (ownRole !== role || original.fstatSync(counts).size !== at) return;
  const errno = -constants.errno[code];
  const message = `${code}: refused for a test, ${operation} '${path}'`;
  original.appendFileSync(join(folder, "refused"), `${operation} ${path}${ownerOf(new Error())}\n`);
  throw Object.assign(new Error(message), { code, errno, syscall: operation, path });
}

/** Returns the package of the caller, unless it is this project. */
function ownerOf({ stack }) {
  const [, , ...frames] = stack.split("\n");
  const asked = frames.find((frame) => !/node:|fail-file-operation/.test(frame)) ?? "";
  const [, owner] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(asked) ?? [];
  return owner === undefined ? "" : ` by ${owner}`;
}

function wrap(name, operation = name) {
  fs[name] = (...args) => {
    countOne(operation, args[0]);
    return original[name](...args);
  };
}

for (const name of [
  "mkdirSync",
  "mkdtempSync",
  "readdirSync",
  "readFileSync",
  "renameSync",
  "rmSync",
  "fsyncSync",
  "statSync",
]) {
  wrap(name);
}
fs.openSync = (path, flags = "r", ...others) => {
  countOne("openSync", path);
  const file = original.openSync(path, flags, ...others);
  if (flags !== "r") written.add(file);
  return file;
};
fs.closeSync = (file) => {
  written.delete(file);
  return original.closeSync(file);
};
fs.writeSync = (file, ...others) => {
  if (written.has(file)) countOne("writeSync", file);
  return original.writeSync(file, ...others);
};
// A disk that becomes full has stored the first half.
fs.writeFileSync = (path, data, ...others) => {
  try {
    countOne("writeFileSync", path);
  } catch (error) {
    original.writeFileSync(path, data.slice(0, data.length >> 1), ...others);
    throw error;
  }
  return original.writeFileSync(path, data, ...others);
};
syncBuiltinESMExports();
