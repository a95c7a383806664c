// Tests that a folder of engines gives rows, and that each runs the program in its name: this Node
// serves as an engine under another name.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { Judge } from "../compare/judge-program.js";
import { parseModule } from "../ir/text/parse.js";
import { drawnRowsOf } from "./drawn/drawn-engines.js";
import { otherVersions } from "./other-versions.js";

const SMOKE = `touchstone 1
proc f() -> Int32
#0:
  Int32 @0 = Const32(42)
  Void @1 = Return(@0)
`;

test("an engine of another version has rows, whose programs run in it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-versions-"));
  try {
    symlinkSync(process.execPath, join(folder, "node-19.0.0"));
    writeFileSync(join(folder, "wasm-opt-98"), "");
    writeFileSync(join(folder, "notes"), "");
    mkdirSync(join(folder, ".cache"));
    const rows = otherVersions(folder);
    const names = rows.map(({ name }) => name);
    const v8 = ["v8-turbofan@19.0.0", "v8-liftoff@19.0.0"];
    const js = ["ignition", "sparkplug", "turbofan"].map((tier) => `v8-js-${tier}@19.0.0`);
    t.deepEqual(names, [...v8, ...js, "binaryen-O1@98", "binaryen-O3@98"]);
    t.is(rows[0].version(), `V8 ${process.versions.v8}`);
    symlinkSync(join(folder, "nothing"), join(folder, "zig-0.16.0"));
    const lacks = otherVersions(folder).flatMap(({ missing }) => missing() ?? []);
    t.true(lacks.length > 0);
    for (const lack of lacks)
      t.regex(lack, /^\S+@zig-0\.16\.0: there is no \/.*\/zig-0\.16\.0: put or link it there: /);
    const judge = new Judge({ subjects: rows.slice(0, 2), fuelMax: 100 });
    const input = { words: new Int32Array(0), heapSeed: 0 };
    const [{ results }] = await judge.judgeAll([{ module: parseModule(SMOKE), inputs: [input] }]);
    judge.close();
    const verdicts = results.map(({ judgements }) => judgements[0].verdict);
    t.deepEqual(
      verdicts.map(({ kind }) => kind),
      ["equal", "equal"],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** By a file of the folder: rows that it gives, and rows that it does not give. */
const FAMILIES: Readonly<
  Record<string, readonly [has: readonly string[], hasNot: readonly string[]]>
> = {
  "deno-2.9.6": [
    ["v8-turbofan@deno-2.9.6", "v8-liftoff@deno-2.9.6", "v8-js-maglev@deno-2.9.6"],
    ["v8-turboshaft@deno-2.9.6"],
  ],
  "wizer-11.0.3": [["cranelift@wizer-11.0.3"], []],
  "clang-21": [["clang-O2@21", "llvm-O2@21", "llvm-facts@21", "arm64-llvm-O2@21"], ["gcc-O2@21"]],
  "clang-18": [
    ["clang-O2@18", "clang-facts@18"],
    ["llvm-O2@18", "arm64-llvm-O2@18", "llvm-false-nsw@18"],
  ],
  "jsc-2.54": [["jsc-omg@2.54", "jsc-b3@2.54", "jsc-js-ftl@2.54"], ["jsc-omg@jsc-2.54"]],
  "js-140": [["ion@140", "sm-baseline@140", "sm-js-ion@140"], ["js-140"]],
  "clang-wasi-22.1.0": [["wasm32-clang-O2@22.1.0"], ["llvm-O2@wasi-22.1.0"]],
  "zig-0.16.0": [
    ["llvm-O3@zig-0.16.0", "riscv64v-llvm-O3@zig-0.16.0", "sve-llvm-O2@zig-0.16.0"],
    ["clang-facts-sanitized@zig-0.16.0"],
  ],
  "gcc-13": [["gcc-O2@13", "gcc-facts@13"], ["arm64-gcc-O2@13"]],
  "luajit-2.1": [["luajit@2.1", "luajit-hot@2.1"], ["tcc@2.1"]],
  "java-21": [["hotspot-int@21", "hotspot-c2@21"], ["luajit@21"]],
};

for (const [file, [has, hasNot]] of Object.entries(FAMILIES)) {
  test(`the rows of ${file} are those of its family, and run that file`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-versions-"));
    try {
      const path = join(folder, file);
      writeFileSync(path, "#!/bin/sh\necho the version of $0\n", { mode: 0o755 });
      const rows = otherVersions(folder);
      const names = rows.map(({ name }) => name);
      for (const name of has) t.true(names.includes(name), name);
      for (const name of hasNot) t.false(names.includes(name), name);
      t.true(rows.every(({ name }) => name.includes("@")));
      if (!/^wizer|wasi/.test(file)) t.regex(rows[0].version(), /^the version of /);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test("an old version has no form or flag that it does not support", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-versions-"));
  try {
    for (const file of ["node-14.0.0", "node-16.0.0", "wasm-opt-101", "wasm-opt-102"])
      writeFileSync(join(folder, file), "");
    const rows = drawnRowsOf(otherVersions(folder));
    const flagsOf = (name: string): readonly string[] =>
      rows.find((row) => row.name === name)?.flags.flat() ?? [];
    t.false(flagsOf("v8-forms@14.0.0").includes("block-params"));
    t.true(flagsOf("v8-forms@14.0.0").includes("block-results"));
    t.true(flagsOf("v8-forms@16.0.0").includes("block-params"));
    t.false(flagsOf("binaryen-drawn@101").includes("local-cse"));
    t.true(flagsOf("binaryen-drawn@102").includes("local-cse"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("without a folder there are no rows", (t) => {
  t.deepEqual(otherVersions(join(tmpdir(), "touchstone-no-such-folder")), []);
});
