// Checks that a build is stale after a source was edited, added, removed or renamed.

import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

// The launcher's own module is plain JavaScript, without types.
const { folderUnlikeBuild, recordBuilt, sourcesNow } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "stale.mjs")).href
)) as {
  folderUnlikeBuild(root: string): string | null;
  recordBuilt(root: string, sources: object): void;
  sourcesNow(root: string): object;
};

test("a source that was edited, added or renamed makes the build stale; a document does not", (t) => {
  const root = mkdtempSync(join(tmpdir(), "touchstone stale "));
  t.teardown(() => rmSync(root, { recursive: true }));
  const place = (path: string, ...rest: string[]): string => join(root, path, ...rest);
  for (const folder of ["src", "src/ir", "reference", "fuzz", "ci", "build"]) {
    mkdirSync(place(folder), { recursive: true });
  }
  const [edited, readme] = [place("src/ir", "a.ts"), place("src/ir", "README.md")];
  for (const path of [edited, readme]) writeFileSync(path, "");
  const at = (hours: number, ...paths: string[]): void => {
    for (const path of paths) utimesSync(path, hours * 3600, hours * 3600);
  };
  const isStale = (): string | null => folderUnlikeBuild(`${root}/`); // as the launcher has it
  const build = (): void => recordBuilt(root, sourcesNow(root));

  at(10, edited, readme);
  t.is(isStale(), "src", "nothing is built");
  build();
  t.is(isStale(), null);
  at(11, readme);
  t.is(isStale(), null);
  at(11, edited);
  t.is(isStale(), "src");
  build();
  at(9, edited);
  t.is(isStale(), "src", "edited after the clock was set back");
  build();
  renameSync(edited, place("fuzz", "b.ts"));
  t.is(isStale(), "src", "it is gone from there");
});
