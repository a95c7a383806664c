// The profiles `toward:NAME+NAME`: programs that target parts of the compiler. The seed of each
// program draws one of the names, or none. A name is a rule, which is instantiated often, an
// opcode, which is drawn often, or a profile with its dials. So code near a change is tested as
// usual, and the change itself more often.

import { type GeneratorProfile, PROFILES } from "../../generate/maker/odds.js";
import type { PatternRule } from "../../generate/maker/patterns.js";
import { RULE_PATTERNS } from "../../generate/rule-patterns.js";
import { opcodeNamed } from "../../ir/opcodes.js";
import { SeedSource } from "../../support/source.js";

const PREFIX = "toward:";
const SEPARATOR = "+";
/** The largest number of names in a profile `toward:NAME+NAME`. */
export const AIMS_MAX = 64;

/** One program in this many has no target. */
const UNAIMED = 4;

/** The generator's settings for a name. */
interface GeneratorAim {
  readonly dials: GeneratorProfile;
  readonly patterns: readonly PatternRule[];
}

const NO_AIM: GeneratorAim = { dials: {}, patterns: RULE_PATTERNS };

export const isToward = (profile: string): boolean => profile.startsWith(PREFIX);

export const towardProfile = (names: readonly string[]): string =>
  PREFIX + [...new Set(names)].sort().join(SEPARATOR);

export function aimsOf(profile: string): readonly string[] | null {
  const names = profile.slice(PREFIX.length).split(SEPARATOR);
  const isKnown = names.every((name) => aimAt(name) !== null);
  return isToward(profile) && isKnown && names.length <= AIMS_MAX ? names : null;
}

/** Returns the generator's settings for a seed of such a profile. */
export function aimOf(profile: string, seed: bigint): GeneratorAim {
  const names = aimsOf(profile) ?? [];
  const source = new SeedSource(seed, "toward");
  if (names.length === 0 || source.below(UNAIMED) === 0) return NO_AIM;
  return aimAt(names[source.below(names.length)]) ?? NO_AIM;
}

/** Returns the settings for a name; null: nothing has this name. */
export function aimAt(name: string): GeneratorAim | null {
  if (Object.hasOwn(PROFILES, name)) return { ...NO_AIM, dials: PROFILES[name] };
  const patterns = RULE_PATTERNS.filter((rule) => rule.name === name);
  if (patterns.length > 0) return { dials: { rule: 40 }, patterns };
  const opcode = opcodeNamed(name);
  return opcode === null ? null : { ...NO_AIM, dials: { favored: opcode } };
}
