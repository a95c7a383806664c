// Tests `git bisect run fuzz exec --bisect` with the real launcher in a small repository. Its
// builder and its command are stubs that act as each commit specifies.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";

const root = mkdtempSync(join(tmpdir(), "touchstone-bisect-"));
test.after.always(() => rmSync(root, { recursive: true }));

const BUILD = `import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
const state = readFileSync("commit.txt", "utf8").trim();
if (state === "unbuildable") process.exit(1);
mkdirSync("build/fuzz", { recursive: true });
const body = state === "throws" ? "throw new Error('a bug')" : "return " + state;
writeFileSync("build/fuzz/main.js", "export async function main() { " + body + "; }");
`;

const environment = (): NodeJS.ProcessEnv => {
  const { TOUCHSTONE_NO_BUILD: _, ...env } = process.env;
  const who = { NAME: "t", EMAIL: "t@t", DATE: "2020-01-01T00:00:00Z" };
  for (const [name, value] of Object.entries(who)) {
    env[`GIT_AUTHOR_${name}`] = value;
    env[`GIT_COMMITTER_${name}`] = value;
  }
  return env;
};

/** Makes a repository with one commit for each text, oldest first. */
function repositoryOf(name: string, commits: readonly string[]) {
  const cwd = join(root, name);
  for (const folder of ["fuzz", "ci", "build/fuzz"])
    mkdirSync(join(cwd, folder), { recursive: true });
  copyFileSync(join(projectRoot(), "fuzz", "launcher.mjs"), join(cwd, "fuzz", "launcher.mjs"));
  writeFileSync(join(cwd, "ci", "stale.mjs"), 'export const folderUnlikeBuild = () => "src";');
  writeFileSync(join(cwd, "ci", "build.mjs"), BUILD);
  writeFileSync(join(cwd, "build", "fuzz", "main.js"), "");
  writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
  writeFileSync(join(cwd, ".gitignore"), "build\n");
  const git = (...args: string[]) =>
    spawnSync("git", args, { cwd, encoding: "utf8", env: environment() });
  git("init", "-q");
  commits.forEach((says, i) => {
    writeFileSync(join(cwd, "commit.txt"), `${says}\n`);
    writeFileSync(join(cwd, "number.txt"), `${i}\n`);
    git("add", ".");
    git("commit", "-q", "-m", `commit ${i}`);
  });
  return { cwd, git };
}

const EXEC = [process.execPath, "fuzz/launcher.mjs", "exec", "--bisect", "x.ir"];

test("bisecting skips commits that do not build, and commits that judge nothing", (t) => {
  const commits = ["0", "0", "0", "unbuildable", "2", "0", "1", "1", "1"];
  const { git } = repositoryOf("skipped", commits);
  git("bisect", "start", "HEAD", "HEAD~8");
  const { status, stdout } = git("bisect", "run", ...EXEC);
  t.is(status, 0, stdout);
  t.regex(stdout, /^[\da-f]{40} is the first (bad|'bad') commit/m);
  t.is(git("log", "-1", "--format=%s", "refs/bisect/bad").stdout, "commit 6\n");
  t.regex(git("bisect", "log").stdout, /# skip: .* commit [34]\b/);
});

test("with --bisect the status is 0, 1 or 125; without it the status is unchanged", (t) => {
  for (const [says, plain] of [
    ...([
      ["0", 0],
      ["1", 1],
      ["2", 2],
      ["3", 3],
    ] as const),
    ...([
      ["throws", 4],
      ["unbuildable", 3],
    ] as const),
  ]) {
    const { cwd } = repositoryOf(`status-${says}`, [says]);
    const statusOf = (args: readonly string[]): number | null =>
      spawnSync(args[0], args.slice(1), { cwd, env: environment() }).status;
    t.is(statusOf(EXEC), plain > 1 ? 125 : plain, says);
    t.is(statusOf(EXEC.filter((word) => word !== "--bisect")), plain, says);
  }
});
