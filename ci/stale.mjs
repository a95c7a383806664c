// Tests whether the build is older than the sources. `fuzz` then builds before it runs, so that edited sources are
// judged, and a `git bisect run npx fuzz exec --bisect x.ir` judges each commit's own code.
//
// Times are compared for equality, never for order: a clock may have been set back in between.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE_FOLDERS = ["src", "reference", "fuzz", "ci"];

/** The compiled folders, and the files that define the bundle. */
const SOURCE = /\.ts$|^(bundle|warm-up)\.mjs$/;

/** A file below `build/`: the hash of each folder of sources when it was built. */
const RECORD = "sources.json";

/** Returns name, time and size of each source; a removed or renamed one is missing. */
function* sourcesBelow(root, folder) {
  // Joined by hand: `join` would take a fifth of the time.
  const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
  for (const entry of entries.sort((x, y) => (x.name < y.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sourcesBelow(root, path);
    else if (SOURCE.test(entry.name)) {
      const { mtimeMs, size } = statSync(`${root}/${path}`);
      yield `${path} ${mtimeMs} ${size}\n`;
    }
  }
}

/**
 * Returns the state of the sources: taken before a build, so that edits during it are built again.
 * @param root folder of the project
 * @returns a hash by folder
 */
export function sourcesNow(root) {
  const hashes = SOURCE_FOLDERS.map((folder) => {
    const lines = [...sourcesBelow(root, folder)].join("");
    return [folder, createHash("sha256").update(lines).digest("hex")];
  });
  return Object.fromEntries(hashes);
}

/** Marks the build as unfinished until the next `recordBuilt`: its files are being written. */
export const forgetBuilt = (root) => rmSync(join(root, "build", RECORD), { force: true });

/** @param sources the built state, by `sourcesNow` */
export const recordBuilt = (root, sources) =>
  writeFileSync(join(root, "build", RECORD), `${JSON.stringify(sources)}\n`);

/**
 * @param root folder of the project
 * @returns a folder whose sources are not those of the build; null if there is none
 */
export function folderUnlikeBuild(root) {
  const record = join(root, "build", RECORD);
  const built = existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
  const now = sourcesNow(root);
  return SOURCE_FOLDERS.find((folder) => built[folder] !== now[folder]) ?? null;
}
