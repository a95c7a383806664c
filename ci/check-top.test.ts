// Checks the files and folders at the top of the project. A file that is there by accident, and committed with the
// others, would not be noticed otherwise.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

const TOP: ReadonlySet<string> = new Set([
  ...[".ci", "ci", "corpus", "docs", "fuzz", "reference", "reports", "src"],
  ...[".gitignore", ".npmrc", "CONTRIBUTING.md", "LICENSE", "README.md"],
  ...["biome.json", "package-lock.json", "package.json", "tsconfig.json"],
]);

const strayOf = (paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => path.split("/")[0]).filter((name) => !TOP.has(name))),
];

// Only git lists the committed files; other files of a working tree belong to its owner.
const isCheckout = existsSync(join(projectRoot(), ".git"));

(isCheckout ? test : test.skip)("no file at the top of the project is there by accident", (t) => {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: projectRoot(), encoding: "utf8" });
  const paths = listed.split("\0").filter((path) => path !== "");
  t.true(paths.includes("src/README.md"));
  t.deepEqual(strayOf(paths), []);
});

test("planted: a file and a folder at the top", (t) => {
  const paths = ["README.md", "src/ir/x.ts", "scratch/a.ir", "scratch/b.ir", "x.mjs"];
  t.deepEqual(strayOf(paths), ["scratch", "x.mjs"]);
});
