// Replays the inputs that jsfuzz found interesting, and mutated programs of the repository with
// fixed seeds, through the targets. The test is deterministic.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { InternalError } from "../../src/support/assert.js";
import { projectRoot } from "../../src/support/project-root.js";
import { target as byteGenerator } from "./byte-generator.js";
import { target as exitTable } from "./exit-table.js";
import { FeatureCollector } from "./features.js";
import { mutatedInput, randomInput } from "./hostile.js";
import { target as parser } from "./parser.js";
import { type FuzzTarget, INPUT_SIZE_MAX } from "./target.js";

const CORPUS = join(projectRoot(), "corpus");

// The minimum of features that a corpus must reach, so that an empty corpus or a broken feature map
// fails.
// biome-ignore format: a table
const TARGETS = [
  { target: parser,        featuresMin: 1000 },
  { target: byteGenerator, featuresMin: 1000 },
  { target: exitTable,     featuresMin: 200 },
];
const FILES_MAX = 60;
const MUTANTS = 2000;
const MUTANT_FEATURES_MIN = 500;
const RANDOM = 2000;
const RANDOM_FEATURES_MIN = 60;

// Inputs of fixed bugs, in the shortest form.
// biome-ignore format: a table
const FIXED = [
  { target: exitTable, hex: "040000010000000000000181808080080000", was: "a slot of a 32-bit kind had a negative type" },
];

/** Runs the target, and names the input if it throws. */
function runOn(
  target: FuzzTarget,
  bytes: Uint8Array,
  what: string,
  features: FeatureCollector,
): void {
  try {
    target.run(bytes, features);
  } catch (error) {
    const hex = Buffer.from(bytes).toString("hex");
    throw new InternalError(`${target.name}, ${what}: ${error}\nthe input: ${hex}`, {
      cause: error,
    });
  }
}

for (const { target, featuresMin } of TARGETS) {
  test(`corpus of ${target.name}`, (t) => {
    const folder = join(CORPUS, "jsfuzz", target.name);
    const names = readdirSync(folder);
    t.true(names.length > 0 && names.length <= FILES_MAX, `${names.length} files`);
    const features = new FeatureCollector();
    for (const name of names) {
      const bytes = readFileSync(join(folder, name));
      t.is(createHash("sha256").update(bytes).digest("hex"), name);
      t.true(bytes.length <= INPUT_SIZE_MAX, `${name} has ${bytes.length} bytes`);
      runOn(target, bytes, name, features);
    }
    t.true(features.known.size >= featuresMin, `only ${features.known.size} features`);
  });

  test(`first inputs of ${target.name}`, (t) => {
    const inputs = [new Uint8Array(0), ...target.seeds()];
    inputs.forEach((bytes, i) => runOn(target, bytes, `first input ${i}`, new FeatureCollector()));
    t.true(inputs.length > 1);
  });
}

for (const { target, hex, was } of FIXED) {
  test(`fixed in ${target.name}: ${was}`, (t) => {
    t.notThrows(() => target.run(Buffer.from(hex, "hex"), new FeatureCollector()));
  });
}

// --- mutated programs ---

const programs = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ir"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(CORPUS, name), "utf8") }));

test(`${MUTANTS} mutated programs are programs or errors`, (t) => {
  t.true(programs.length >= 10, `only ${programs.length} programs`);
  const features = new FeatureCollector();
  for (let seed = 0; seed < MUTANTS; seed++) {
    const { bytes, what } = mutatedInput(seed, programs);
    runOn(parser, bytes, what, features);
  }
  t.true(features.known.size >= MUTANT_FEATURES_MIN, `only ${features.known.size} features`);
});

test(`${RANDOM} random byte strings are errors`, (t) => {
  const features = new FeatureCollector();
  for (let seed = 0; seed < RANDOM; seed++) {
    const { bytes, what } = randomInput(seed);
    runOn(parser, bytes, what, features);
  }
  t.true(features.known.size >= RANDOM_FEATURES_MIN, `only ${features.known.size} features`);
});

test("the same number gives the same input", (t) => {
  for (let seed = 0; seed < 16; seed++) {
    t.deepEqual(mutatedInput(seed, programs), mutatedInput(seed, programs));
    t.deepEqual(randomInput(seed), randomInput(seed));
  }
});
