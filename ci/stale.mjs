// Whether the build is older than its sources: `fuzz` builds then before it runs, so that what was edited is
// what is judged, and a `git bisect run npx fuzz exec x.ir` judges each commit's own code.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const SOURCE_FOLDERS = ["src", "reference", "fuzz", "ci"];

// A source that was removed or renamed shows in the time of its folder.
function latestBelow(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) latest = Math.max(latest, latestBelow(path));
    else if (entry.name.endsWith(".ts")) latest = Math.max(latest, statSync(path).mtimeMs);
  }
  return latest;
}

/**
 * @param root folder of the project
 * @returns a folder with a source that is younger than the build; null if there is none
 */
export function folderYoungerThanBuild(root) {
  // Written at the end of each build.
  const file = join(root, "build", "generator-version");
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCE_FOLDERS.find((folder) => latestBelow(join(root, folder)) > built) ?? null;
}
