// The profiles `toward:NAME+NAME`: programs that aim at parts of the compiler. Each program has one of the names,
// drawn by its seed, or none: a rule is instantiated often, an opcode is drawn often, and a profile of the
// generator has its dials. So what stands beside a change is met as usual, and the change itself more often.

import { PROFILES, type Profile } from "../../generate/maker/odds.js";
import type { PatternRule } from "../../generate/maker/patterns.js";
import { RULE_PATTERNS } from "../../generate/rule-patterns.js";
import { opcodeNamed } from "../../ir/opcodes.js";
import { SeedSource } from "../../support/source.js";

const PREFIX = "toward:";
const SEPARATOR = "+";
/** More names are no aim. */
export const AIMS_MAX = 64;

/** One program in so many has no aim. */
const UNAIMED = 4;

/** How a program is generated. */
interface Aim {
  readonly dials: Profile;
  readonly patterns: readonly PatternRule[];
}

const NO_AIM: Aim = { dials: {}, patterns: RULE_PATTERNS };

export const isToward = (profile: string): boolean => profile.startsWith(PREFIX);

export const towardProfile = (names: readonly string[]): string =>
  PREFIX + [...new Set(names)].sort().join(SEPARATOR);

/** The names of a profile; null if one is unknown. */
export function aimsOf(profile: string): readonly string[] | null {
  const names = profile.slice(PREFIX.length).split(SEPARATOR);
  const isKnown = names.every((name) => aimAt(name) !== null);
  return isToward(profile) && isKnown && names.length <= AIMS_MAX ? names : null;
}

/** What the generator is told for a seed of such a profile. */
export function aimOf(profile: string, seed: bigint): Aim {
  const names = aimsOf(profile) ?? [];
  const source = new SeedSource(seed, "toward");
  if (names.length === 0 || source.below(UNAIMED) === 0) return NO_AIM;
  return aimAt(names[source.below(names.length)]) ?? NO_AIM;
}

/** Null: nothing has this name. */
export function aimAt(name: string): Aim | null {
  if (Object.hasOwn(PROFILES, name)) return { ...NO_AIM, dials: PROFILES[name] };
  const patterns = RULE_PATTERNS.filter((rule) => rule.name === name);
  if (patterns.length > 0) return { dials: { rule: 40 }, patterns };
  const opcode = opcodeNamed(name);
  return opcode === null ? null : { ...NO_AIM, dials: { favored: opcode } };
}
