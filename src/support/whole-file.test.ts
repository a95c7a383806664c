// Tests that a file is written as a whole, or not at all.

import {
  existsSync,
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
import test, { type ExecutionContext } from "ava";
import { MachineError, machineErrorOf } from "./machine-error.js";
import { makeFolders, removeUnfinished, writeWhole, writeWholeFolder } from "./whole-file.js";

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-whole-file-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a file replaces one of its name, and leaves no other file", (t) => {
  const folder = folderFor(t);
  const path = join(folder, "summary.json");
  writeWhole(path, "one");
  writeWhole(path, "two");
  t.is(readFileSync(path, "utf8"), "two");
  t.deepEqual(readdirSync(folder), ["summary.json"]);
});

test("a folder replaces one of its name with all its contents", (t) => {
  const folder = folderFor(t);
  const path = join(folder, "report");
  writeWholeFolder(path, { "a.txt": "a", "b.txt": "b" });
  writeWholeFolder(path, { "b.txt": "B" });
  t.deepEqual(readdirSync(folder), ["report"]);
  t.deepEqual(readdirSync(path), ["b.txt"]);
  t.is(readFileSync(join(path, "b.txt"), "utf8"), "B");
});

test("a refusal names the path and the reason, and leaves the old contents", (t) => {
  const folder = folderFor(t);
  const path = join(folder, "report");
  writeWholeFolder(path, { "a.txt": "a" });
  const refused = t.throws(() => writeWholeFolder(path, { "a.txt": "A", "no/such": "b" }), {
    instanceOf: MachineError,
  });
  t.is(refused.message, `${path}: cannot be written: no such file or folder`);
  t.deepEqual(readdirSync(folder), ["report"]);
  t.is(readFileSync(join(path, "a.txt"), "utf8"), "a");
  const inFile = join(path, "a.txt", "b");
  t.throws(() => makeFolders(inFile), {
    message: `${inFile}: cannot be made: a part of the path is no folder`,
  });
});

test("a device is written to, and remains a device", (t) => {
  const path = join(folderFor(t), "null");
  symlinkSync("/dev/null", path);
  t.notThrows(() => writeWhole(path, "text"));
  t.is(readFileSync(path, "utf8"), "");
});

test("only files that a killed process left unfinished are removed", (t) => {
  const folder = folderFor(t);
  mkdirSync(join(folder, ".report.0123456789ab.new"));
  writeFileSync(join(folder, ".report.0123456789ab.new", "a"), "");
  writeFileSync(join(folder, ".state.json.0123456789ab.new"), "");
  writeFileSync(join(folder, ".mine.new"), "");
  removeUnfinished(folder);
  t.deepEqual(readdirSync(folder), [".mine.new"]);
  t.false(existsSync(join(folder, ".report.0123456789ab.new")));
});

test("a shortage of the machine is distinguished from an internal error", (t) => {
  const coded = (code: string) => Object.assign(new Error(`${code}: open`), { code });
  t.regex(machineErrorOf(coded("EMFILE"))?.message ?? "", /no more open files are allowed/);
  for (const error of [coded("EINVAL"), new TypeError("x"), "x"]) t.is(machineErrorOf(error), null);
});
