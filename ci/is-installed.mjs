// Status 0 if `node_modules` matches `package-lock.json`, 1 if `npm ci` must run.
//
// npm writes `node_modules/.package-lock.json` as the last step of an installation, so an equal list also proves that
// the installation was finished. Optional packages (the binaries for other platforms) may be absent.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), "utf8")).packages;
  } catch {
    return null;
  }
}

function isInstalled() {
  const wanted = packagesIn("package-lock.json");
  const present = packagesIn("node_modules/.package-lock.json");
  if (wanted === null || present === null) return false;
  for (const [path, { version, integrity, optional }] of Object.entries(wanted)) {
    if (path === "" || (optional === true && present[path] === undefined)) continue;
    const found = present[path];
    if (found?.version !== version || found.integrity !== integrity) return false;
  }
  return Object.keys(present).every((path) => wanted[path] !== undefined);
}

process.exitCode = isInstalled() ? 0 : 1;
