// Derives dials for programs within a subset of the language: unsupported features are drawn as
// rarely as dials allow.

import { Op } from "../ir/opcodes.js";
import type { SubsetRules } from "../ir/subset.js";
import type { DialValues, GeneratorProfile } from "./maker/odds.js";

/** The dials that draw memory, calls and exits, in addition to opcode instances. */
const DRAWS = {
  memory: [
    "memory",
    "stack",
    "contents",
    "deadHeap",
    "deadBytes",
    "objects",
    "arrayLoop",
    "bigFrame",
  ],
  calls: ["calls", "patchpoints", "procedures", "tailCall", "deoptCalls", "results", "terminal"],
  exits: ["guards", "visit", "forced", "crowd", "calleeGuard", "boxes"],
} as const satisfies Readonly<Record<string, readonly (keyof DialValues)[]>>;
type DialGroup = keyof typeof DRAWS;
const GROUPS = Object.keys(DRAWS) as readonly DialGroup[]; // keys of the table, by construction

/** A procedure may have this many times as many values as the size of its regions. */
const VALUES_FACTOR = 3;
/** The blocks of each level of nesting. */
const BLOCKS_PER_LEVEL = 8;

export function profileWithin(rules: SubsetRules): GeneratorProfile {
  const dials: { -readonly [D in keyof DialValues]?: number } = {};
  for (const group of GROUPS) {
    if (!rules.hasGroup(group)) for (const dial of DRAWS[group]) dials[dial] = 0;
  }
  if (!rules.hasOpcode[Op.Switch]) dials.switches = 0;
  const levels = Math.floor(rules.limit("blocks") / BLOCKS_PER_LEVEL);
  if (!rules.hasOpcode[Op.Branch] || levels === 0) dials.structure = 0;
  else if (levels < DEPTH_MAX) dials.depth = levels;
  const size = Math.floor(rules.limit("values") / VALUES_FACTOR);
  if (size < SIZE_USUAL)
    Object.assign(dials, { size, calleeSize: size >> 2, resumeSize: size >> 2, keep: 0 });
  // excludes the heap base and one more parameter, which always exist
  const parameters = rules.limit("parameters") - 2;
  if (parameters < PARAMETERS_USUAL) dials.parameters = parameters;
  if (rules.limit("procedures") === 1) dials.procedures = 0;
  return { ...dials, within: rules };
}
const DEPTH_MAX = 4;
const SIZE_USUAL = 76;
const PARAMETERS_USUAL = 22;
