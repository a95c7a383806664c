// Feeds arbitrary bytes to the generator as its choices. It checks the promises of src/generate:
// the program verifies, survives printing and parsing, and its executions are judged.

import { generateProgram } from "../../src/generate/generate-program.js";
import { RULE_PATTERNS } from "../../src/generate/rule-patterns.js";
import type { Ending, Outcome } from "../../src/ir/outcome.js";
import { printOutcome } from "../../src/ir/text/run-line.js";
import { describeFault, verify } from "../../src/ir/verify/verify.js";
import { decodeModule } from "../../src/oracle/fast/decode.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";
import { assert } from "../../src/support/assert.js";
import { ByteSource, SeedSource } from "../../src/support/source.js";
import { FEATURE, type FeatureCollector, magnitude } from "./features.js";
import { hitModule } from "./module-features.js";
import { checkRoundTrip } from "./round-trip.js";
import type { FuzzTarget } from "./target.js";

const FUEL_MAX = 1_000_000;
const SEED_SIZES = [16, 64, 256, 512, 1024, 2048];

export const target: FuzzTarget = { name: "byte-generator", run, seeds };

// Shared, because the oracle keeps buffers between programs, but no state of a program.
const oracle = new Oracle();

function seeds(): Uint8Array[] {
  return SEED_SIZES.map((size) => {
    const source = new SeedSource(BigInt(size), "byte-generator");
    return Uint8Array.from({ length: size }, () => source.below(256));
  });
}

function run(bytes: Uint8Array, features: FeatureCollector): void {
  const source = new ByteSource(bytes);
  const { module, inputs } = generateProgram(source, {}, source, RULE_PATTERNS);
  const faults = verify(module);
  assert(
    faults.length === 0,
    () => `the generated program is invalid: ${describeFault(faults[0])}`,
  );
  hitModule(module, features);
  checkRoundTrip(module);
  assert(inputs.length >= 4, () => `the generator made only ${inputs.length} inputs`);
  const program = decodeModule(module);
  for (const input of inputs) {
    const outcome = oracle.run(program, input, FUEL_MAX);
    features.hit(FEATURE.fuel, magnitude(oracle.fuelUsed));
    hitOutcome(outcome, features);
  }
}

const KINDS: readonly Ending["kind"][] = ["return", "exit", "undefined", "out-of-fuel", "nan-bits"];

function hitOutcome(outcome: Outcome, features: FeatureCollector, depth = 0): void {
  const { ending, events, calleeExits = [] } = outcome;
  features.hit(FEATURE.ending, KINDS.indexOf(ending.kind), depth * 8 + magnitude(events.length));
  const isDefined = ending.kind !== "undefined" && ending.kind !== "out-of-fuel";
  assert(isDefined, () => `the execution is not judged: ${printOutcome(outcome)}`);
  features.hit(FEATURE.ending, 17, magnitude(calleeExits.length));
  for (const inner of calleeExits) {
    hitOutcome({ events: [], ending: inner.ending }, features, Math.min(depth + 1, 7));
  }
  if (ending.kind !== "exit") return;
  features.hit(FEATURE.ending, 16, magnitude(ending.frames.length));
  for (const resumed of ending.resumed) hitOutcome(resumed, features, Math.min(depth + 1, 7));
}
