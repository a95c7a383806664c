// Checks that planted changes compile. A change that applies may name what a rename has removed.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopiedTree } from "../../../fuzz/support/copied-tree.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { TypeChecker } from "./type-checker.js";

/**
 * Plants each change in a copy of the sources, and checks the types of the changed files.
 * @param patches the paths of the changes, by name
 * @returns a line for each change that does not apply or compile
 */
export function plantedTypeFaults(patches: ReadonlyMap<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-planted-"));
  // A copy starts no process here, except for git.
  const tree = new CopiedTree(join(folder, "copy"), projectRoot(), () => {});
  const checker = new TypeChecker(tree.root, (file) => tree.read(file));
  try {
    return [...patches].flatMap(([name, patch]) => {
      const fault = tree.apply(patch) ?? checker.faultIn(textsOf(tree, patch));
      tree.apply(patch, ["--reverse"]);
      return fault === null ? [] : [`${name}: ${fault}`];
    });
  } finally {
    checker.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the texts of the files that a change has changed. */
function textsOf(tree: CopiedTree, patch: string): ReadonlyMap<string, string> {
  return new Map(changedFiles(patch).map((file) => [file, tree.read(file)]));
}

export function changedFiles(patch: string): readonly string[] {
  return [...readFileSync(patch, "utf8").matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file]) => file);
}
