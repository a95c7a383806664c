#!/usr/bin/env node
// Checks that each change of corpus/planted still applies, and with --types that the changed files compile. `node
// ci/measure.mjs score` plants them and searches for them.
//
//   node ci/planted.mjs --check [--types] [ID ...]
//
// Status 0: all do; 1: some do not; 2: wrong usage.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API } from "typescript/unstable/sync";
import { readOptions } from "./options.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "corpus", "planted");

const ids = () =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Returns null if the change applies; else git's message. */
function faultOf(id) {
  const patch = join(folder, id, "change.patch");
  const { status, stderr } = spawnSync("git", ["apply", "--check", patch], {
    cwd: root,
    encoding: "utf8",
  });
  return status === 0 ? null : stderr.trim().split("\n")[0];
}

/** Codes of errors for unused declarations, which do not prevent code from running. */
const UNUSED_CODES = new Set([6133, 6192, 6196, 6198, 6199, 6205]);

/**
 * Plants each change in a copy of the sources, and checks the types of the changed files. Returns a line for each
 * change that does not compile.
 */
function typeFaults(chosen) {
  const copy = mkdtempSync(join(tmpdir(), "touchstone-planted-"));
  const apply = (patch, ...options) =>
    spawnSync("git", ["apply", ...options, patch], { cwd: copy });
  const faults = [];
  try {
    for (const path of ["src", "reference", "fuzz", "ci", "tsconfig.json", "package.json"]) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const config = join(copy, "tsconfig.json");
    const compiler = new API({ cwd: copy });
    compiler.updateSnapshot({ openProjects: [config] });
    let before = [];
    for (const id of chosen) {
      const patch = join(folder, id, "change.patch");
      apply(patch);
      const text = readFileSync(patch, "utf8");
      const files = [...text.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file]) => join(copy, file));
      const changed = [...new Set([...before, ...files])];
      const { program } = compiler.updateSnapshot({ fileChanges: { changed } }).getProject(config);
      const [fault] = files
        .flatMap((file) => [
          ...program.getSyntacticDiagnostics(file),
          ...program.getSemanticDiagnostics(file),
        ])
        .filter(({ code }) => !UNUSED_CODES.has(code));
      if (fault !== undefined) faults.push(`${id}: does not compile: ${fault.text}`);
      apply(patch, "--reverse");
      before = files;
    }
    compiler.close();
    return faults;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const { values: given, positionals } = readOptions({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    types: { type: "boolean", default: false },
  },
});
const chosen = positionals.length > 0 ? positionals : ids();
const unknown = chosen.find((id) => !existsSync(join(folder, id, "change.patch")));
if (unknown !== undefined) {
  console.error(`planted: ${unknown}: corpus/planted has no folder of this name`);
  process.exit(2);
}
if (!given.check) {
  console.error(
    "planted: --check is all it does: to look for the bugs, run node ci/measure.mjs score",
  );
  process.exit(2);
}
const faults = chosen.flatMap((id) => {
  const fault = faultOf(id);
  return fault === null ? [] : [`${id}: ${fault}`];
});
for (const fault of faults) console.log(fault);
console.log(`${chosen.length - faults.length} of ${chosen.length} changes apply`);
if (given.types && faults.length === 0) {
  faults.push(...typeFaults(chosen));
  for (const fault of faults) console.log(fault);
  console.log(`${chosen.length - faults.length} of ${chosen.length} changes compile`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
