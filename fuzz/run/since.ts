// `fuzz run --since COMMIT`: what a change of the compiler touches, as names that a campaign can aim at.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../src/support/project-root.js";
import { usageError } from "../support/output.js";
import { aimsOfDiff } from "./aims-of-diff.js";

/** What the language means, and what compiles it. */
const WATCHED = ["reference", "src/ir", "src/oracle"];

/**
 * @returns names for a profile `toward:`; none if nothing of the compiler has changed
 * @throws UserError
 */
export function aimsSince(commit: string): readonly string[] {
  const root = projectRoot();
  const git = (...args: string[]): string | null => {
    const { status, stdout } = spawnSync("git", args, {
      ...{ cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
    });
    return status === 0 ? stdout : null;
  };
  const named = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`);
  if (named === null) throw usageError(`--since ${commit}: no such commit in ${root}`);
  const options = ["--unified=0", "--no-color", "--no-ext-diff", "--no-renames"];
  const diff = git("diff", ...options, named.trim(), "--", ...WATCHED);
  if (diff === null) throw usageError(`--since ${commit}: git cannot say what has changed`);
  return aimsOfDiff(diff, (file) => readFileSync(join(root, file), "utf8"));
}
