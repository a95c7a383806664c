// Tests that programs are found as a shell finds them, and not in the folders of packages that npx
// puts first.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "ava";
import { hasLibrary, pathOf } from "./path-of.js";

test.serial("a program of a package does not count as installed", (t) => {
  const root = mkdtempSync(join(tmpdir(), "touchstone-path-"));
  const before = process.env["PATH"];
  t.teardown(() => {
    process.env["PATH"] = before;
    rmSync(root, { recursive: true });
  });
  const [ofPackage, system] = [join(root, "node_modules", ".bin"), join(root, "bin")];
  for (const folder of [ofPackage, system]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(ofPackage, "engine"), "");
  process.env["PATH"] = [ofPackage, system].join(delimiter);
  t.is(pathOf("engine"), null);
  writeFileSync(join(system, "engine"), "");
  t.is(pathOf("engine"), join(system, "engine"));
  t.is(pathOf(join(ofPackage, "engine")), join(ofPackage, "engine"), "its full path finds it");
});

const compiler = pathOf("gcc");
(compiler === null ? test.skip : test)("a library that a compiler lacks is reported", (t) => {
  t.true(hasLibrary("gcc", "libgcc.a"));
  t.false(hasLibrary("gcc", "libnowhere.a"));
});
