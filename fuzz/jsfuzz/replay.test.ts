// What jsfuzz once found worth keeping, again through its targets; and the programs of the
// repository, mutated by fixed seeds, through the parser. Nothing here is random.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../src/execute/unicorn-library.js";
import { SeedSource, type Source } from "../../src/support/source.js";
import { target as byteGenerator } from "./byte-generator.js";
import { target as exitTable } from "./exit-table.js";
import { Features } from "./features.js";
import { target as parser } from "./parser.js";
import { INPUT_SIZE_MAX, type Target } from "./target.js";

const CORPUS = join(projectRoot(), "corpus");

// The least that a corpus reaches: a blind feature map, or a corpus of nothing, is seen.
// biome-ignore format: a table
const TARGETS = [
  { target: parser,        featuresMin: 1000 },
  { target: byteGenerator, featuresMin: 1000 },
  { target: exitTable,     featuresMin: 200 },
];
const FILES_MAX = 60;
const MUTANTS = 2000;
const MUTANT_FEATURES_MIN = 500;

// What went wrong once, in the shortest form.
// biome-ignore format: a table
const MENDED = [
  { target: exitTable, hex: "020000010000000000000181808080080000", was: "a slot's kind of 32 bits had a negative type" },
];

/** Runs the target, and names the input if it throws. */
function runOn(target: Target, bytes: Uint8Array, what: string, features: Features): void {
  try {
    target.run(bytes, features);
  } catch (error) {
    const hex = Buffer.from(bytes).toString("hex");
    throw new Error(`${target.name}, ${what}: ${error}\nthe input: ${hex}`, { cause: error });
  }
}

for (const { target, featuresMin } of TARGETS) {
  test(`corpus of ${target.name}`, (t) => {
    const folder = join(CORPUS, "jsfuzz", target.name);
    const names = readdirSync(folder);
    t.true(names.length > 0 && names.length <= FILES_MAX, `${names.length} files`);
    const features = new Features();
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
    inputs.forEach((bytes, i) => runOn(target, bytes, `first input ${i}`, new Features()));
    t.true(inputs.length > 1);
  });
}

for (const { target, hex, was } of MENDED) {
  test(`mended in ${target.name}: ${was}`, (t) => {
    t.notThrows(() => target.run(Buffer.from(hex, "hex"), new Features()));
  });
}

// --- mutated programs ---

const programs = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ir"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(CORPUS, name), "utf8") }));

type Mutation = (text: string, source: Source) => string | Uint8Array;

// Around the bounds of words and of ids.
const NUMBERS = [
  "0",
  "65536",
  "4194304",
  "2147483647",
  "2147483648",
  "9".repeat(30),
  "0x1p3",
  "1e999",
];
const TOKENS = /([A-Za-z_$][\w$.]*|\d+|\s+)/;

/** Two parts of a text change places. */
function swap(parts: string[], source: Source): string[] {
  const i = source.below(parts.length);
  const j = source.below(parts.length);
  [parts[i], parts[j]] = [parts[j], parts[i]];
  return parts;
}

const MUTATIONS: readonly Mutation[] = [
  function flipBytes(text, source) {
    const bytes = new TextEncoder().encode(text);
    const count = 1 + source.below(4);
    for (let i = 0; i < count; i++) bytes[source.below(bytes.length)] ^= 1 << source.below(8);
    return bytes;
  },
  (text, source) => swap(text.split(TOKENS), source).join(""),
  (text, source) => swap(text.split("\n"), source).join("\n"),
  function deleteLine(text, source) {
    const lines = text.split("\n");
    return lines.toSpliced(source.below(lines.length), 1).join("\n");
  },
  function duplicateLine(text, source) {
    const lines = text.split("\n");
    const line = lines[source.below(lines.length)];
    return lines.toSpliced(source.below(lines.length), 0, line).join("\n");
  },
  function changeNumber(text, source) {
    const parts = text.split(/(\d+)/); // numbers stand at odd places
    const at = 2 * source.below(parts.length >> 1) + 1;
    return parts.with(at, NUMBERS[source.below(NUMBERS.length)]).join("");
  },
  (text, source) => text.slice(0, source.below(text.length)),
];

test(`${MUTANTS} mutated programs are programs or errors`, (t) => {
  t.true(programs.length >= 10, `only ${programs.length} programs`);
  const features = new Features();
  for (let seed = 0; seed < MUTANTS; seed++) {
    const source = new SeedSource(BigInt(seed), "replay");
    const { name, text } = programs[source.below(programs.length)];
    const mutated = MUTATIONS[seed % MUTATIONS.length](text, source);
    const bytes = typeof mutated === "string" ? new TextEncoder().encode(mutated) : mutated;
    runOn(parser, bytes, `${name} mutated by seed ${seed}`, features);
  }
  t.true(features.known.size >= MUTANT_FEATURES_MIN, `only ${features.known.size} features`);
});
