// Checks that every folder has a README.

import test from "ava";
import { foldersBelow, type ProjectFiles, pathsBelow, read } from "./project-files.js";
import { type CheckFault, expectOnlyOpen } from "./still-open.js";

const ROOTS = ["src", "reference", "fuzz", "corpus", "ci", "docs"];

/**
 * Folders of one phase, planted bug or jsfuzz target: the README above describes them. A README in a folder of jsfuzz
 * would be read as an input.
 */
const NAMED_BY_PARENT = /^corpus\/(golden|planted|jsfuzz)\/./;

/** One page. */
const LINES_MAX = 80;

// biome-ignore format: a list
const OPEN: readonly string[] = [
];

function readmeFaults(folders: readonly string[], readmes: ProjectFiles): CheckFault[] {
  return folders
    .filter((folder) => !NAMED_BY_PARENT.test(folder))
    .flatMap((place) => {
      const text = readmes.get(`${place}/README.md`);
      if (text === undefined) return [{ place, what: "no README.md" }];
      const lineCount = text.split("\n").length - 1;
      return lineCount <= LINES_MAX ? [] : [{ place, what: `a README.md of ${lineCount} lines` }];
    });
}

test("every folder has a README.md of at most a page", (t) => {
  const folders = ROOTS.flatMap(foldersBelow);
  t.true(folders.includes("reference/optimize/rules"));
  const readmes = read(pathsBelow(".", /(^|\/)README\.md$/));
  expectOnlyOpen(t, OPEN, readmeFaults(folders, readmes));
});

test("planted: a folder without a README.md, and one with a long one", (t) => {
  const readmes = (lineCount: number): ProjectFiles =>
    new Map(["src", "src/a"].map((folder) => [`${folder}/README.md`, "x\n".repeat(lineCount)]));
  const folders = ["src", "src/a"];
  t.deepEqual(readmeFaults(folders, readmes(80)), []);
  t.deepEqual(readmeFaults([...folders, "src/a/b"], readmes(80)), [
    { place: "src/a/b", what: "no README.md" },
  ]);
  t.is(readmeFaults(folders, readmes(81)).length, 2);
  const inner = ["corpus/golden/fold", "corpus/planted/x/y", "corpus/jsfuzz/parser"];
  t.deepEqual(readmeFaults(inner, new Map()), []);
  t.is(readmeFaults(["corpus/golden", "corpus/jsfuzz"], new Map()).length, 2);
});
