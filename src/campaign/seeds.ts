// Which programs a campaign judges: program i of a campaign from seed S on is that of seed S + i.

import { generateProgram, type Program } from "../generate/generate-program.js";
import { PROFILES } from "../generate/odds.js";
import { assert } from "../support/assert.js";
import { SeedSource } from "../support/source.js";
import { Breeder, NO_PARENTS, type Parents } from "./evolved/lineage.js";
import { RULE_PATTERNS } from "./rule-patterns.js";

/** The seed of program `index`; seeds are numbers of 64 bits, and go round. */
export const seedAt = (first: bigint, index: number): bigint =>
  BigInt.asUintN(64, first + BigInt(index));

/** The index of the program of `seed`. */
export const indexOf = (first: bigint, seed: bigint): number =>
  Number(BigInt.asUintN(64, seed - first));

/** What a seed means if nothing else is said. */
export const USUAL = "usual";
const MUTATED = "mutated";
/** Usual programs, and mutations of those that brought something new. */
export const EVOLVED = "evolved";
/** Ways to read a seed as a program, by name: dials held at a value, or usual programs, mutated. */
export const PROFILE_NAMES: readonly string[] = [...Object.keys(PROFILES), MUTATED, EVOLVED];

/** Of the seeds that are read as usual, so many hold one whose program is mutated. */
const MUTATED_SHARE = 16;

const isMutated = (seed: bigint): boolean =>
  new SeedSource(seed, "reading").below(MUTATED_SHARE) === 0;

/** Who makes many programs keeps one, which remembers those that come again. */
export const newBreeder = (): Breeder => new Breeder((seed) => generatedOf(seed));

/**
 * What the generator makes of a seed, before anybody mutates it.
 * @param profile a name in PROFILES
 */
export function generatedOf(seed: bigint, profile = USUAL): Program {
  const dials = PROFILES[profile];
  assert(dials !== undefined, () => `no profile is named ${profile}`);
  const source = new SeedSource(seed);
  return generateProgram(source, dials, source, RULE_PATTERNS);
}

/**
 * The program of a seed, with its inputs: the same for a campaign and a replay. One usual seed in sixteen is
 * read as the profile `mutated` reads it.
 * @param profile one of PROFILE_NAMES
 * @param parents of the profile `evolved`: what the seed mutates; of none, its program is a usual one
 */
export function programOf(
  seed: bigint,
  profile = USUAL,
  parents: Parents = NO_PARENTS,
  breeder: Breeder | null = null,
): Program {
  const mutates = profile === MUTATED || (profile === USUAL && isMutated(seed));
  if (mutates) return (breeder ?? newBreeder()).childOf(String(seed), seed);
  if (profile === EVOLVED) return (breeder ?? newBreeder()).childOf(parents, seed);
  return generatedOf(seed, profile);
}
