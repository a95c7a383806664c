// `fuzz run --since COMMIT`: what a change of the compiler touches, as names that a campaign can aim at.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../src/support/project-root.js";
import { usageError } from "../support/output.js";
import { aimsOfDiff } from "./aims-of-diff.js";

/** What the language means, and what compiles it. */
const WATCHED = ["reference", "src/ir", "src/oracle"];

/** Stands for the commit at which the branch that is checked out has left the main one. */
export const BRANCH = "branch";
const MAIN = ["origin/HEAD", "origin/main", "main", "origin/master", "master"];

/** Null where git has no such commit, as in an installed package. */
export function commitOf(since: string, env = process.env, root = projectRoot()): string | null {
  if (since !== BRANCH) return since;
  const { GITHUB_BASE_REF: base = "" } = env;
  const names = base === "" ? MAIN : [`origin/${base}`];
  const head = gitIn(root, "rev-parse", "--verify", "--quiet", "HEAD")?.trim() ?? null;
  for (const name of names) {
    const left = gitIn(root, "merge-base", "HEAD", name)?.trim() ?? head;
    if (left !== head) return left;
  }
  // On the main branch, and in the merge commit that a pull request is tried as, it is the parent.
  return gitIn(root, "rev-parse", "--verify", "--quiet", "HEAD^1")?.trim() ?? null;
}

function gitIn(root: string, ...args: string[]): string | null {
  const { status, stdout } = spawnSync("git", args, {
    ...{ cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  });
  return status === 0 ? stdout : null;
}

/**
 * @returns names for a profile `toward:`; none if nothing of the compiler has changed
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
  if (named === null) throw usageError(`--since ${commit}: no such commit in ${root}`);
  const options = ["--unified=0", "--no-color", "--no-ext-diff", "--no-renames"];
  const diff = gitIn(root, "diff", ...options, named.trim(), "--", ...WATCHED);
  if (diff === null) throw usageError(`--since ${commit}: git cannot say what has changed`);
  return aimsOfDiff(diff, (file) => readFileSync(join(root, file), "utf8"));
}
