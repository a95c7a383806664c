// Checks several test files in one process: each test runs and counts as in a process of its own.

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
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { projectRoot } from "../../src/support/project-root.js";
import { pathsBelow } from "../project-files.js";

interface Group {
  readonly name: string;
  readonly files: readonly string[];
}
interface PlacedGroups {
  readonly files: readonly string[];
  readonly fileCount: number;
  remove(): void;
}
const ROOT = projectRoot();
const moduleOf = (name: string): Promise<unknown> =>
  import(pathToFileURL(join(ROOT, "ci", "test-groups", name)).href);

// The modules of `npm test` are plain JavaScript, without types.
const { GROUPS, groupsOf } = (await moduleOf("groups.mjs")) as {
  GROUPS: readonly { name: string }[];
  groupsOf(files: readonly string[]): readonly Group[];
};
const { AT_NIGHT, isAtNight } = (await moduleOf("at-night.mjs")) as {
  AT_NIGHT: readonly { file: string; because: string }[];
  isAtNight(file: string): boolean;
};
const { placeGroups } = (await moduleOf("place-groups.mjs")) as {
  placeGroups(root: string): PlacedGroups;
};

test("every test file is in a group, and every group has files", (t) => {
  const files = pathsBelow(".", /^(src|reference|fuzz|ci)\/.*\.test\.ts$/);
  t.true(files.length > 100, `${files.length} files`);
  const groups = groupsOf(files);
  t.deepEqual(groups.flatMap((group) => group.files).sort(), files.toSorted());
  t.deepEqual(
    groups.map(({ name }) => name),
    GROUPS.map(({ name }) => name),
  );
});

test("the files of the nightly run exist, and docs/tests.md lists them", (t) => {
  const files = new Set(pathsBelow(".", /\.test\.ts$/));
  t.deepEqual(
    AT_NIGHT.map(({ file }) => file).filter((file) => !files.has(file)),
    [],
  );
  const document = readFileSync(join(ROOT, "docs", "tests.md"), "utf8");
  t.deepEqual(
    [...document.matchAll(/^\| `(\S+\.test\.ts)` \| ([^|]+) \|$/gm)].map(([, file, because]) => ({
      file,
      because,
    })),
    AT_NIGHT.map(({ file, because }) => ({ file, because })),
  );
  t.deepEqual(
    [isAtNight(AT_NIGHT[0].file), isAtNight("ci/test-groups/groups.test.ts")],
    [true, false],
  );
});

// In `a` a serial test is declared second and runs first; `b` cannot be loaded; in `c` one fails.
const PLANTED: Readonly<Record<string, string>> = {
  "src/a.test.js": `import test from "ava";
import { writeFileSync } from "node:fs";
test("second", (t) => t.is(globalThis.ran, "first"));
test.serial("first", async (t) => { await null; globalThis.ran = "first"; t.pass(); });
test.after.always(() => writeFileSync(new URL("./ended", import.meta.url), ""));
`,
  "src/b.test.js": `import "./nowhere.js";`,
  "src/c.test.js": `import test from "ava";
test("second", (t) => t.is(1 + 1, 3));
test.skip("third", (t) => t.fail());
test("fourth", (t) => t.pass());
`,
};

/** Makes Node 26 warn of hooks in a thread of their own. */
const OLD_HOOKS = /DEP0205/;

test("files in one process: their tests pass, fail, are skipped and counted each by itself", (t) => {
  const root = mkdtempSync(join(tmpdir(), "touchstone-groups-"));
  t.teardown(() => rmSync(root, { recursive: true }));
  const clocks = join(root, "clocks");
  mkdirSync(join(root, "build", "src"), { recursive: true });
  mkdirSync(clocks);
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const ava = {
    files: ["build-*/**/*.test.js"],
    workerThreads: false,
    require: [join(ROOT, "ci", "test-worker.mjs")],
  };
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", ava }));
  for (const [path, text] of Object.entries(PLANTED)) {
    writeFileSync(join(root, "build", path), text);
  }
  const placed = placeGroups(root);
  t.deepEqual([placed.files.length, placed.fileCount], [1, 3]);
  const cli = join(ROOT, "node_modules", "ava", "entrypoints", "cli.mjs");
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, "--tap", ...placed.files], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, TOUCHSTONE_TEST_CLOCK: clocks },
  });
  t.is(status, 1);
  t.notRegex(stderr, OLD_HOOKS);
  t.deepEqual(
    [...stdout.matchAll(/^(?:not )?ok .*$/gm)].map(([line]) => line.replace(/ \d+ - /, " ")).sort(),
    [
      "not ok src/b.test.ts does not load",
      "not ok src/c.test.ts › second",
      "ok src/a.test.ts › first",
      "ok src/a.test.ts › second",
      "ok src/c.test.ts › fourth",
      "ok src/c.test.ts › third # SKIP",
    ],
    stdout,
  );
  t.true(readdirSync(join(root, "build", "src")).includes("ended"), "the hook has run");
  const left = (end: RegExp): string[] =>
    readdirSync(clocks)
      .filter((name) => end.test(name))
      .map((name) => readFileSync(join(clocks, name), "utf8"));
  t.deepEqual(left(/\.running$/), ["src/c.test.ts › fourth"]);
  const timed = left(/\.json$/);
  t.deepEqual(timed.map((text) => JSON.parse(text).file).sort(), [
    "01-language.test.ts",
    "src/a.test.ts",
    "src/b.test.ts",
    "src/c.test.ts",
  ]);
  placed.remove();
  t.deepEqual(
    readdirSync(root).filter((name) => name.startsWith("build-")),
    [],
  );
});
