// Writes a file for ava for each group, which declares the tests of the group's files.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { isAtNight } from "./at-night.mjs";
import { groupsOf } from "./groups.mjs";

const testsBelow = (build) =>
  readdirSync(build, { recursive: true })
    .filter((path) => path.endsWith(".test.js"))
    .map((path) => path.split(sep).join("/"));

/**
 * Writes the files for ava: the test files of the build in groups, without those of the nightly run. Ava's files are
 * numbered in the order in which they start.
 * @param root folder of the project
 * @returns `files`, paths below the root; `fileCount`, the number of test files in them; `leftCount`, the number of
 *   files of the nightly run; and `remove`, to be called when they have run
 */
export function placeGroups(root) {
  const folder = mkdtempSync(join(root, "build-groups-"));
  const all = testsBelow(join(root, "build"));
  const tests = all.filter((file) => !isAtNight(file));
  const files = groupsOf(tests).map((group, g) => {
    const path = join(folder, `${String(g + 1).padStart(2, "0")}-${group.name}.test.js`);
    writeFileSync(path, textFor(group));
    return path.slice(root.length + 1);
  });
  const leftCount = all.length - tests.length;
  const remove = () => rmSync(folder, { recursive: true });
  return { files, fileCount: tests.length, leftCount, remove };
}

const DECLARE = new URL("./declare-group.mjs", import.meta.url).href;

const textFor = ({ files }) => `import { declareGroup } from ${JSON.stringify(DECLARE)};

await declareGroup(new URL("../build/", import.meta.url), ${JSON.stringify(files, null, 2)});
`;
