// The version of the generator changes with the code that seeds depend on, and with nothing else.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { generatorVersion } from "../src/generate/version.js";
import { projectRoot } from "../src/support/project-root.js";

// The build's own module is plain JavaScript, without types.
const { computeGeneratorVersion } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "generator-version.mjs")).href
)) as { computeGeneratorVersion(root: string): string };

test("the version is that of the code as it stands", (t) => {
  t.is(generatorVersion, computeGeneratorVersion(projectRoot()));
});

test("the version follows what seeds depend on, and nothing else", (t) => {
  const copy = mkdtempSync(join(tmpdir(), "touchstone-version-"));
  t.teardown(() => rmSync(copy, { recursive: true }));
  for (const folder of ["src", "reference", "corpus/bench"]) {
    cpSync(join(projectRoot(), folder), join(copy, folder), { recursive: true });
  }
  const versionWith = (path: string, edit: (text: string) => string): string => {
    const file = join(copy, path);
    const text = readFileSync(file, "utf8");
    t.not(edit(text), text, `${path} is not changed`);
    writeFileSync(file, edit(text));
    const version = computeGeneratorVersion(copy);
    writeFileSync(file, text);
    return version;
  };
  const comment = (text: string): string => `// Another comment.\n${text}`;
  t.is(versionWith("src/generate/generate-program.ts", comment), generatorVersion);
  const emit = (text: string): string => `${text}\nconsole.log(1);\n`;
  t.is(versionWith("reference/compile.ts", emit), generatorVersion);
  const weight = (text: string): string => text.replace(/weight: \d+/, "weight: 1000");
  t.not(versionWith("src/ir/opcodes.ts", weight), generatorVersion);
  t.not(versionWith("src/generate/maker/odds.ts", emit), generatorVersion);
  t.not(versionWith("reference/optimize/rules/integer-rules.ts", emit), generatorVersion);
});
