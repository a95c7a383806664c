// The version of the generator changes with the code that seeds depend on, and with nothing else.

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { PROFILE_NAMES, programOf } from "../src/campaign/program/seeds.js";
import { generatorVersion } from "../src/generate/version.js";
import { printModule } from "../src/ir/text/print.js";
import { printInput } from "../src/ir/text/run-line.js";
import { projectRoot } from "../src/support/project-root.js";

// The build's own module is plain JavaScript, without types.
const { computeGeneratorVersion } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "generator-version.mjs")).href
)) as { computeGeneratorVersion(root: string): string };

/** Adds a rewrite rule before the first row of a table of rules. */
const addRule = (text: string): string =>
  text.replace(
    /^ {2}\{ name: /m,
    '  { name: "trial-rule", match: ["Sub", "x", "x"], give: "x" },\n$&',
  );

test("the version is that of the current code", (t) => {
  t.is(generatorVersion, computeGeneratorVersion(projectRoot()));
});

test("the version follows what seeds depend on, and nothing else", (t) => {
  const copy = mkdtempSync(join(tmpdir(), "touchstone-version-"));
  t.teardown(() => rmSync(copy, { recursive: true }));
  for (const folder of ["src", "reference", "corpus/bench", "corpus/patterns"]) {
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
  const pattern = (text: string): string => text.replace('"c":[', '"c":[1');
  t.not(versionWith("corpus/patterns/rules.json", pattern), generatorVersion);
  t.is(versionWith("src/oracle/fast/oracle.ts", emit), generatorVersion);
  t.is(versionWith("reference/optimize/rules/integer-rules.ts", addRule), generatorVersion);
});

interface SeedDigests {
  readonly version: string;
  /** The digests of programs, by profile. */
  readonly digests: Readonly<Record<string, string>>;
}

const DIGESTS_FILE = join(projectRoot(), "corpus", "patterns", "seeds.json");
/** The number of seeds of each profile, from 1 on. */
const SEEDS = 10;

test("a seed names the same program until the version changes", (t) => {
  const digests = Object.fromEntries(PROFILE_NAMES.map((name) => [name, digestOf(name)]));
  const now: SeedDigests = { version: generatorVersion, digests };
  if (process.env["TOUCHSTONE_UPDATE"] === "1") {
    writeFileSync(DIGESTS_FILE, `${JSON.stringify(now, null, 1)}\n`);
  }
  const recorded: SeedDigests = JSON.parse(readFileSync(DIGESTS_FILE, "utf8"));
  const update = "TOUCHSTONE_UPDATE=1 npm test -- ci/generator-version.test.ts records the digests";
  t.is(recorded.version, generatorVersion, `the generator changed: ${update}`);
  const hint = "the oracle changed programs: increment MEANING in ci/generator-version.mjs";
  t.deepEqual(recorded.digests, digests, hint);
});

function digestOf(profile: string): string {
  const hash = createHash("sha256");
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { module, inputs } = programOf(BigInt(seed), profile);
    hash.update(printModule(module));
    for (const input of inputs) hash.update(`; run: ${printInput(module, input)}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
