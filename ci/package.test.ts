// Checks the package as users get it: packed, installed into an empty folder, and run.
//
// The nightly run installs it by npm, which needs its cache or a registry. Otherwise the test unpacks it, next to links
// to its dependencies; npm takes 12 s more of processor time. Without npm the test fails, unless
// TOUCHSTONE_ALLOW_MISSING=1 makes it a counted skip.

import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "ava";
import { projectRoot } from "../src/support/project-root.js";
import { trials } from "../src/support/trials.js";

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

const folder = mkdtempSync(join(tmpdir(), "touchstone-package-"));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], cwd: string): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    // `npm test` passes on its own settings, with the folder of this project.
    env: Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^npm_(package|lifecycle|config_local)/.test(name),
      ),
    ),
  });
  return { status, output: `${stdout}${stderr}${error ?? ""}` };
}

function install(): Ran {
  const packed = run(
    "npm",
    ["pack", "--ignore-scripts", "--pack-destination", folder],
    projectRoot(),
  );
  if (packed.status !== 0) return packed;
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), '{ "name": "stranger", "private": true }\n');
  if (trials(0, 1) === 0) return unpack(tarball);
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--no-update-notifier"];
  return run("npm", ["install", "--ignore-scripts", ...quiet, `./${tarball}`], folder);
}

/** Installs the package like npm, with links to the dependencies of this checkout. */
function unpack(tarball: string): Ran {
  const modules = join(folder, "node_modules");
  const top = join(modules, "touchstone");
  mkdirSync(top, { recursive: true });
  const unpacked = run("tar", ["-xzf", tarball, "-C", top, "--strip-components=1"], folder);
  if (unpacked.status !== 0) return unpacked;
  // The border to JSON: the package's own package.json.
  const { dependencies, bin } = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    link(join(projectRoot(), "node_modules", name), join(modules, name));
  }
  for (const [name, path] of Object.entries<string>(bin)) {
    link(join(top, path), join(modules, ".bin", name));
  }
  return unpacked;
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

const installed = install();
const isExcused = installed.status !== 0 && process.env["TOUCHSTONE_ALLOW_MISSING"] === "1";
const packageTest = isExcused ? test.skip : test;

packageTest("the packed package installs into an empty folder", (t) => {
  t.is(installed.status, 0, installed.output);
});

packageTest("the installed command judges a seed", (t) => {
  const { status, output } = run("npx", ["--no-install", "touchstone", "--seed", "7"], folder);
  t.is(status, 0, output);
});

packageTest("the package ships no tests, no sources but an example's, and no library", (t) => {
  const top = join(folder, "node_modules", "touchstone");
  const files = readdirSync(top, { recursive: true, encoding: "utf8" });
  t.deepEqual(
    files.filter((path) => /^(build\/)?ci(\/|$)/.test(path)),
    [],
  );
  t.deepEqual(
    files.filter((path) => /\.test\.|(?<!\.d)\.ts$|libunicorn/.test(path)),
    [join("docs", "examples", "in-process.ts")],
  );
  for (const wanted of ["LICENSE", "README.md", "build/fuzz/main.js", "fuzz/launcher.mjs"]) {
    t.true(files.includes(wanted), `${wanted} is missing`);
  }
});

packageTest("a module and its types are found by the package's name", (t) => {
  const program = 'console.log(typeof (await import("touchstone/src/ir/opcodes.js")).OPCODES)';
  const { status, output } = run("node", ["--input-type=module", "--eval", program], folder);
  t.is(status, 0, output);
  t.is(output, "object\n");
  const { exports } = JSON.parse(readFileSync(join(projectRoot(), "package.json"), "utf8"));
  t.deepEqual(exports["./*.js"], { types: "./build/*.d.ts", default: "./build/*.js" });
});
