// Implements `fuzz run --since COMMIT`: finds the parts of the compiler that changed, as names at
// which a campaign can aim.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../src/support/project-root.js";
import { noCommit } from "../support/checkout.js";
import { usageError } from "../support/output.js";
import { aimsOfDiff } from "./aims-of-diff.js";

/** The folders of the language and of the compiler. */
const WATCHED = ["reference", "src/ir", "src/oracle"];

/** Stands for the commit at which the checked-out branch diverged from the main branch. */
export const BRANCH = "branch";
const MAIN = ["origin/HEAD", "origin/main", "main", "origin/master", "master"];

/** Returns null if git has no such commit, as in an installed package. */
export function commitOf(since: string): string | null {
  if (since !== BRANCH) return since;
  const root = projectRoot();
  const { GITHUB_BASE_REF: base = "" } = process.env;
  const names = base === "" ? MAIN : [`origin/${base}`];
  const head = gitIn(root, "rev-parse", "--verify", "--quiet", "HEAD")?.trim() ?? null;
  for (const name of names) {
    const left = gitIn(root, "merge-base", "HEAD", name)?.trim() ?? head;
    if (left !== head) return left;
  }
  // On the main branch, and in the merge commit of a pull request, the parent is used.
  return gitIn(root, "rev-parse", "--verify", "--quiet", "HEAD^1")?.trim() ?? null;
}

function gitIn(root: string, ...args: string[]): string | null {
  const { status, stdout } = spawnSync("git", args, {
    ...{ cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  });
  return status === 0 ? stdout : null;
}

/**
 * @returns names for a profile `toward:`; none if the compiler did not change
 * @throws UserError
 */
export function aimsSince(commit: string): readonly string[] {
  const root = projectRoot();
  const named = gitIn(
    root,
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${commit}^{commit}`,
  );
  if (named === null) throw noCommit("--since", commit, root);
  const options = ["--unified=0", "--no-color", "--no-ext-diff", "--no-renames"];
  const diff = gitIn(root, "diff", ...options, named.trim(), "--", ...WATCHED);
  if (diff === null) throw usageError(`--since ${commit}: git cannot list the changes`);
  return aimsOfDiff(diff, (file) => readFileSync(join(root, file), "utf8"));
}
