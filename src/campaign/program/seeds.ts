// Maps seeds to programs: program i of a campaign that begins at seed S has the seed S + i.

import { withAimedInputs } from "../../aim/aimed-program.js";
import { profileWithin } from "../../generate/dials-within.js";
import { generateProgram, type Program } from "../../generate/generate-program.js";
import { PROFILES } from "../../generate/maker/odds.js";
import { RULE_PATTERNS } from "../../generate/rule-patterns.js";
import type { SubsetRules } from "../../ir/subset.js";
import { assert } from "../../support/assert.js";
import { SeedSource } from "../../support/source.js";
import { worldProgram } from "../../worlds/world-program.js";
import { isWorldProfile, WORLD_PROFILES } from "../../worlds/worlds.js";
import { bytecodeProgram } from "./bytecode-program.js";
import { eachExitProgram } from "./each-exit.js";
import { IMPORTED, importedProgram } from "./imported-program.js";
import { NO_PARENTS, type ParentLineages, ProgramBreeder } from "./lineage.js";
import { NO_OUTSIDE } from "./outside.js";
import { repeatedProgram } from "./repeated-program.js";
import { aimOf, aimsOf, isToward } from "./toward.js";
import { programWithin } from "./within-subset.js";

/** Returns the seed of program `index`; seeds are 64-bit numbers, and wrap around. */
export const seedAt = (first: bigint, index: number): bigint =>
  BigInt.asUintN(64, first + BigInt(index));

/** Returns the index of the program of `seed`. */
export const indexOf = (first: bigint, seed: bigint): number =>
  Number(BigInt.asUintN(64, seed - first));

/** The default profile. */
export const USUAL = "usual";
export const MUTATED = "mutated";
/** Generated programs, with inputs that take each of their exits. */
export const EACH_EXIT = "each-exit";
/**
 * Generated programs whose entry runs many times, so that hot code is recorded (TRACED_SUBJECTS).
 */
const TRACED = "traced";
/** Random bytecode, as modules that interpret it: its words are recorded. */
export const BYTECODE = "bytecode";
/** Profiles whose programs are for the traced subjects. */
const FOR_TRACES: ReadonlySet<string> = new Set([TRACED, BYTECODE]);
export const isForTraces = (profile: string): boolean => FOR_TRACES.has(profile);
/** Usual programs, and mutations of those with new features. */
export const EVOLVED = "evolved";
/** Seeds that other profiles read: usual ones, ones with fixed dials, and all kinds of worlds. */
export const MIXED = "mixed";
/**
 * Names of the profiles, which read a seed as a program: with dials held at a value, or with a
 * transformation of the generated program.
 */
export const PROFILE_NAMES: readonly string[] = [
  ...Object.keys(PROFILES),
  MUTATED,
  EACH_EXIT,
  EVOLVED,
  IMPORTED,
  BYTECODE,
  MIXED,
  ...WORLD_PROFILES,
];

/**
 * Returns whether `programOf` accepts a profile: one of PROFILE_NAMES, or one that targets parts of
 * the compiler.
 */
export const isProfile = (name: string): boolean =>
  PROFILE_NAMES.includes(name) || aimsOf(name) !== null;

/** One of this many usual seeds is mutated, and one has all its exits taken. */
const READINGS = 16;

/** The profiles with fixed dials among those that read mixed seeds. */
const MIXED_DIALS = ["memory", "control", "exits", "small"];
/** The profiles that read mixed seeds: half of the seeds are usual, and a third are worlds. */
const MIXED_PROFILES: readonly (readonly string[])[] = [
  ...[[USUAL], [USUAL], [USUAL]],
  ...[MIXED_DIALS, WORLD_PROFILES, WORLD_PROFILES],
];

/** Returns the profile by which a seed is read: for usual and mixed seeds a fork of the seed decides. */
export function readingOf(seed: bigint, profile: string): string {
  if (profile === MIXED) {
    const source = new SeedSource(seed, MIXED);
    const profiles = MIXED_PROFILES[source.below(MIXED_PROFILES.length)];
    return readingOf(seed, profiles[source.below(profiles.length)]);
  }
  if (profile !== USUAL) return profile;
  return [MUTATED, EACH_EXIT][new SeedSource(seed, "reading").below(READINGS)] ?? USUAL;
}

/** Returns a maker of mutated programs, which caches their parents. */
export const newBreeder = (outside = NO_OUTSIDE): ProgramBreeder =>
  new ProgramBreeder((seed) => generatedOf(seed), outside);

/**
 * Returns the generated program of a seed, without mutation.
 * @param profile a name in PROFILES, or a profile that targets parts of the compiler
 * @param rules a subset of the language, which contains most of the program
 */
export function generatedOf(
  seed: bigint,
  profile = USUAL,
  rules: SubsetRules | null = null,
): Program {
  const held = rules === null ? {} : profileWithin(rules);
  if (isToward(profile)) {
    const { dials, patterns } = aimOf(profile, seed);
    const source = new SeedSource(seed);
    return generateProgram(source, { ...dials, ...held }, source, patterns);
  }
  const dials = PROFILES[profile];
  assert(dials !== undefined, () => `no profile is named ${profile}`);
  const source = new SeedSource(seed);
  const program = generateProgram(source, { ...dials, ...held }, source, RULE_PATTERNS);
  return withAimedInputs(program, new SeedSource(seed, "aim"));
}

/**
 * Returns the program of a seed, with its inputs: the same for a campaign and a replay. Some usual
 * seeds are read by other profiles.
 * @param profile one of PROFILE_NAMES
 * @param parents the programs that the seed mutates; without them the program is a usual one. The
 * profile `mutated` uses them only for programs from outside
 * @param rules a subset of the language that contains the program
 */
export function programOf(
  seed: bigint,
  profile = USUAL,
  parents: ParentLineages = NO_PARENTS,
  breeder: ProgramBreeder | null = null,
  rules: SubsetRules | null = null,
): Program {
  if (rules !== null) {
    return programWithin(seed, rules, (other) => {
      const reading = readingOf(other, profile);
      return reading in PROFILES && profile !== TRACED
        ? generatedOf(other, reading, rules)
        : programOf(other, profile, parents, breeder);
    });
  }
  const reading = readingOf(seed, profile);
  if (isWorldProfile(reading)) return worldProgram(seed, reading);
  if (reading === IMPORTED) return importedProgram(seed, generatedOf);
  if (reading === MUTATED) {
    const mutated = parents === NO_PARENTS ? String(seed) : parents;
    return (breeder ?? newBreeder()).childOf(mutated, seed);
  }
  if (reading === EVOLVED) return (breeder ?? newBreeder()).childOf(parents, seed);
  if (reading === BYTECODE) return bytecodeProgram(seed);
  if (reading === TRACED) {
    return repeatedProgram(generatedOf(seed, TRACED), new SeedSource(seed, "repeat"));
  }
  if (reading === EACH_EXIT) return eachExitProgram(generatedOf(seed), seed);
  return generatedOf(seed, reading);
}
