// A build is stale when a source was edited, added, removed or renamed since.

import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

// The launcher's own module is plain JavaScript, without types.
const { folderYoungerThanBuild } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "stale.mjs")).href
)) as { folderYoungerThanBuild(root: string): string | null };

test("a source that was edited, added or renamed makes the build stale; a document does not", (t) => {
  const root = mkdtempSync(join(tmpdir(), "touchstone-stale-"));
  t.teardown(() => rmSync(root, { recursive: true }));
  const place = (path: string, ...rest: string[]): string => join(root, path, ...rest);
  for (const folder of ["src", "src/ir", "reference", "fuzz", "ci", "build"]) {
    mkdirSync(place(folder), { recursive: true });
  }
  const [edited, readme] = [place("src/ir", "a.ts"), place("src/ir", "README.md")];
  const built = place("build", "generator-version");
  let hours = 0;
  const touch = (...paths: string[]): void => {
    hours++;
    for (const path of paths) utimesSync(path, hours * 3600, hours * 3600);
  };
  for (const path of [edited, readme]) writeFileSync(path, "");
  const folders = ["src", "src/ir", "reference", "fuzz", "ci"].map((folder) => place(folder));
  const isStale = (): string | null => folderYoungerThanBuild(root);
  const build = (): void => touch(...folders, edited, built);

  t.is(isStale(), "src", "nothing is built");
  writeFileSync(built, "");
  build();
  t.is(isStale(), null);
  touch(readme);
  t.is(isStale(), null);
  touch(edited);
  t.is(isStale(), "src");
  build();
  renameSync(edited, place("fuzz", "b.ts"));
  t.is(isStale(), "src", "it is gone from there");
});
