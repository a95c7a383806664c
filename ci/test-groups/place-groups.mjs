// Writes a file for ava for each group, which declares the tests of the group's files.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { groupsOf } from "./groups.mjs";

const testsBelow = (build) =>
  readdirSync(build, { recursive: true })
    .filter((path) => path.endsWith(".test.js"))
    .map((path) => path.split(sep).join("/"));

/**
 * All test files of the build, in groups. The files of ava's are numbered in the order in which they are to start.
 * @param root of the project
 * @returns `files`, paths below the root; `fileCount`, of the test files in them; and `remove`, to be called when they
 *   have run
 */
export function placeGroups(root) {
  const folder = mkdtempSync(join(root, "build-groups-"));
  const tests = testsBelow(join(root, "build"));
  const files = groupsOf(tests).map((group, g) => {
    const path = join(folder, `${String(g + 1).padStart(2, "0")}-${group.name}.test.js`);
    writeFileSync(path, textFor(group));
    return path.slice(root.length + 1);
  });
  return { files, fileCount: tests.length, remove: () => rmSync(folder, { recursive: true }) };
}

const DECLARE = new URL("./declare-group.mjs", import.meta.url).href;

const textFor = ({ files }) => `import { declareGroup } from ${JSON.stringify(DECLARE)};

await declareGroup(new URL("../build/", import.meta.url), ${JSON.stringify(files, null, 2)});
`;
