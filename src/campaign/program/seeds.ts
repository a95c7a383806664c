// Which programs a campaign judges: program i of a campaign from seed S on is that of seed S + i.

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
import { Breeder, NO_PARENTS, type Parents } from "./lineage.js";
import { NO_OUTSIDE } from "./outside.js";
import { repeatedProgram } from "./repeated-program.js";
import { aimOf, aimsOf, isToward } from "./toward.js";
import { programWithin } from "./within-subset.js";

/** The seed of program `index`; seeds are numbers of 64 bits, and go round. */
export const seedAt = (first: bigint, index: number): bigint =>
  BigInt.asUintN(64, first + BigInt(index));

/** The index of the program of `seed`. */
export const indexOf = (first: bigint, seed: bigint): number =>
  Number(BigInt.asUintN(64, seed - first));

/** What a seed means if nothing else is said. */
export const USUAL = "usual";
export const MUTATED = "mutated";
/** Generated programs, each of whose exits some input takes. */
export const EACH_EXIT = "each-exit";
/** Generated programs whose entry runs many times: what runs hot in them is recorded (TRACED_SUBJECTS). */
const TRACED = "traced";
/** Random bytecode, as modules that interpret it: its words are recorded. */
export const BYTECODE = "bytecode";
/** Profiles whose programs are for the traced subjects. */
const FOR_TRACES: ReadonlySet<string> = new Set([TRACED, BYTECODE]);
export const isForTraces = (profile: string): boolean => FOR_TRACES.has(profile);
/** Usual programs, and mutations of those that brought something new. */
export const EVOLVED = "evolved";
/**
 * Ways to read a seed as a program, by name: dials held at a value, or what becomes of generated
 * programs.
 */
export const PROFILE_NAMES: readonly string[] = [
  ...Object.keys(PROFILES),
  MUTATED,
  EACH_EXIT,
  EVOLVED,
  IMPORTED,
  BYTECODE,
  ...WORLD_PROFILES,
];

/** Whether `programOf` knows it: one of PROFILE_NAMES, or what aims at parts of the compiler. */
export const isProfile = (name: string): boolean =>
  PROFILE_NAMES.includes(name) || aimsOf(name) !== null;

/** How usual seeds are read: of so many one is mutated, and one has all its exits taken. */
const READINGS = 16;

/** The profile by which a seed is read: of usual seeds a fork of the seed decides. */
export function readingOf(seed: bigint, profile: string): string {
  if (profile !== USUAL) return profile;
  return [MUTATED, EACH_EXIT][new SeedSource(seed, "reading").below(READINGS)] ?? USUAL;
}

/** A process that makes many programs keeps one: it caches programs that are asked for again. */
export const newBreeder = (outside = NO_OUTSIDE): Breeder =>
  new Breeder((seed) => generatedOf(seed), outside);

/**
 * What the generator makes of a seed, without mutation.
 * @param profile a name in PROFILES, or what aims at parts of the compiler
 * @param rules a subset of the language, which most of the program is within
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
 * The program of a seed, with its inputs: the same for a campaign and a replay. Some usual seeds
 * are read as other profiles read them.
 * @param profile one of PROFILE_NAMES
 * @param parents of the profile `evolved`: what the seed mutates; of none, its program is a usual
 *   one. Of the profile `mutated` too, where it mutates a program from outside
 * @param rules a subset of the language that the program is within
 */
export function programOf(
  seed: bigint,
  profile = USUAL,
  parents: Parents = NO_PARENTS,
  breeder: Breeder | null = null,
  rules: SubsetRules | null = null,
): Program {
  if (rules !== null) {
    return programWithin(seed, rules, (other) => {
      const isGenerated = readingOf(other, profile) in PROFILES && profile !== TRACED;
      return isGenerated
        ? generatedOf(other, profile, rules)
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
