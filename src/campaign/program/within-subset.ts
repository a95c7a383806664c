// Makes the program of a seed within a subset of the language. The generator draws within the
// subset as far as it can, then the program is rewritten. If the result is judged on no input, or
// is too large, the next attempt of the same seed is made. So a seed and a subset name one program,
// in a campaign and in a replay.

import type { Program } from "../../generate/generate-program.js";
import { cloneModule } from "../../ir/clone.js";
import { isJudged } from "../../ir/outcome.js";
import type { SubsetRules } from "../../ir/subset.js";
import { parseModule } from "../../ir/text/parse.js";
import { verify } from "../../ir/verify/verify.js";
import { restrict } from "../../mutate/restrict.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { SeedSource } from "../../support/source.js";

const ATTEMPTS = 12;
/** The fuel of an execution while an attempt is tested. */
const FUEL_MAX = 100_000;

/** A program within every subset. */
const LEAST = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
`;

/**
 * Returns a program that uses only a subset of the language.
 * @param make returns the program of a seed in any part of the language; the first attempt is the
 * seed itself
 */
export function programWithin(
  seed: bigint,
  rules: SubsetRules,
  make: (seed: bigint) => Program,
): Program {
  const oracle = new Oracle();
  const seeds = new SeedSource(seed, "subset");
  for (let attempt = 0, next = seed; attempt < ATTEMPTS; attempt++, next = seedFrom(seeds)) {
    const made = make(next);
    const copy = { module: cloneModule(made.module), inputs: made.inputs };
    const { module, inputs } = restrict(copy, rules, new SeedSource(next, "restrict"));
    if (rules.outside(module) !== null || verify(module).length > 0) continue;
    const program = decodeModule(module);
    const judged = inputs.filter((input) => isJudged(oracle.run(program, input, FUEL_MAX)));
    if (judged.length > 0) return { module, inputs: judged, made: [] };
  }
  const input = { words: Int32Array.of(Number(BigInt.asIntN(32, seed)), 0), heapSeed: 0 };
  return { module: parseModule(LEAST), inputs: [input], made: [] };
}

const seedFrom = (source: SeedSource): bigint =>
  (BigInt(source.below(2 ** 31)) << 31n) | BigInt(source.below(2 ** 31));
