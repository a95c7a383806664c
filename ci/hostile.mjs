// `node ci/hostile.mjs [COUNT]`: reads COUNT mutated programs of the repository and COUNT random byte
// strings (default 10,000 each). Each must be a program that prints and parses to itself, or an error with its
// position, within 2 seconds and 1 GB. The inputs are the same every time. Status 1 at the first failure.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CORPUS = join(ROOT, "corpus");
const SECONDS_MAX = 2;
const BYTES_MAX = 1 << 30;

const load = (path) => import(join(ROOT, "build", "fuzz", "jsfuzz", path));
const { target } = await load("parser.js");
const { FeatureCollector } = await load("features.js");
const { mutatedInput, randomInput } = await load("hostile.js");

const count = Number(process.argv[2] ?? 10_000);
const programs = readdirSync(CORPUS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ir"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(CORPUS, name), "utf8") }));

const features = new FeatureCollector();
let slowest = { seconds: 0, what: "nothing" };

function run({ what, bytes }) {
  const startedAt = process.cpuUsage();
  try {
    target.run(bytes, features);
  } catch (error) {
    fail(`${what}: ${error}\nthe input: ${Buffer.from(bytes).toString("hex")}`);
  }
  const { user, system } = process.cpuUsage(startedAt);
  const seconds = (user + system) / 1e6;
  if (seconds > slowest.seconds) slowest = { seconds, what };
  if (seconds > SECONDS_MAX) fail(`${what}: ${seconds.toFixed(1)} s`);
}

function fail(message) {
  console.log(message);
  process.exit(1);
}

for (let seed = 0; seed < count; seed++) run(mutatedInput(seed, programs));
for (let seed = 0; seed < count; seed++) run(randomInput(seed));
const peak = process.resourceUsage().maxRSS * 1024;
if (peak > BYTES_MAX) fail(`${(peak / 1e6).toFixed(0)} MB`);
console.log(
  `${count} mutated programs, ${count} random byte strings: ${features.known.size} features, ` +
    `at most ${slowest.seconds.toFixed(3)} s (${slowest.what}) and ${(peak / 1e6).toFixed(0)} MB`,
);
