// Checks that docs/tests.md lists all numbers of trials of `npm test` and the nightly run, and no others.

import test from "ava";
import { isTest, type ProjectFiles, pathsBelow, plant, read, readCode } from "./project-files.js";

const OWN = "ci/check-trials.test.ts";
const DOCUMENT = "docs/tests.md";

/** Returns `path gate nightly` of each use of `trials`. */
function usedIn(files: ProjectFiles): string[] {
  return [...files]
    .filter(([path]) => isTest(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(/\btrials\(([\d_]+), ([\d_]+)\)/g)].map(([, gate, nightly]) =>
        `${path} ${gate} ${nightly}`.replaceAll("_", ""),
      ),
    )
    .sort();
}

/** Returns the same of each row of the table. */
const toldIn = (document: string): string[] =>
  [...document.matchAll(/^\| `(\S+)` \| (\d+) \| (\d+) \| .+ \|$/gm)]
    .map(([, path, gate, nightly]) => `${path} ${gate} ${nightly}`)
    .sort();

/** Returns uses with other arguments than numbers, which cannot be compared. */
const unreadIn = (files: ProjectFiles): string[] =>
  [...files].flatMap(([path, text]) =>
    [...text.matchAll(/\btrials\((?![\d_]+, [\d_]+\))[^)]+\)/g)].map(([use]) => `${path}: ${use}`),
  );

const tests: ProjectFiles = new Map(
  [...readCode()].filter(([path]) => isTest(path) && path !== OWN),
);

test("the table has every number of trials, and every row is used", (t) => {
  const used = usedIn(tests);
  t.true(used.length > 20, `${used.length} uses`);
  t.deepEqual(unreadIn(tests), []);
  const [[, document]] = read(pathsBelow("docs", /^docs\/tests\.md$/));
  t.deepEqual(toldIn(document), used, DOCUMENT);
});

test("planted: a use without a row, and one without numbers", (t) => {
  const files = plant({
    "src/a.test.ts": "const N = trials(1_000, 20);",
    "src/b.ts": "trials(1, 2)",
  });
  t.deepEqual(usedIn(files), ["src/a.test.ts 1000 20"]);
  t.deepEqual(toldIn("| `src/a.test.ts` | 1000 | 20 | programs |\n"), usedIn(files));
  t.deepEqual(unreadIn(files), []);
  t.is(unreadIn(plant({ "src/a.test.ts": "trials(1, MOST)" })).length, 1);
});
