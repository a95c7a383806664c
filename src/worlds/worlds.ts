// Lists the kinds of worlds, and maps seeds to worlds.
//
// Worlds of a kind are numbered in an order that spreads neighbours over the kind. A program
// contains a few dozen consecutive worlds, so an interval of seeds tries each world once before it
// repeats one. A second round over all of them draws other values for the choices that a world
// leaves open.

import { assert } from "../support/assert.js";
import { LANE_GROUPS } from "./arrays/lanes.js";
import { ARRAY_LOOPS } from "./arrays/loops.js";
import { BOUNDED } from "./bounded.js";
import { CALLS } from "./calls.js";
import { CHOICES } from "./choices.js";
import { MEMORY_CLASSES } from "./classes.js";
import { CONTROL } from "./control.js";
import { EXPRESSIONS } from "./expressions.js";
import { FACTS } from "./facts.js";
import { FRAMES } from "./frames.js";
import { CHECKED } from "./loops/checked.js";
import { NESTS } from "./loops/nests.js";
import { TURNS } from "./loops/turns.js";
import { WALKS } from "./loops/walks.js";
import { MEMORY } from "./memory.js";
import { NARROWED } from "./narrowed.js";
import { RESULTS } from "./results.js";
import { WIDTHS } from "./widths.js";
import { WINDOWS } from "./windows.js";
import type { WorldKind } from "./world.js";

const WORLD_KINDS: readonly WorldKind[] = [
  ...EXPRESSIONS,
  ...MEMORY,
  ...MEMORY_CLASSES,
  ...CONTROL,
  ...CHOICES,
  ...TURNS,
  ...WALKS,
  ...NESTS,
  ...CHECKED,
  ...ARRAY_LOOPS,
  ...LANE_GROUPS,
  ...FACTS,
  ...WINDOWS,
  ...BOUNDED,
  ...NARROWED,
  ...WIDTHS,
  ...CALLS,
  ...FRAMES,
  ...RESULTS,
];

/** The kinds of worlds that consecutive seeds use; kinds that find more bugs occur more often. */
// biome-ignore format: a table
const SCHEDULE = [
  "one", "two", "two", "two", "two", "two", "three", "two-stores", "three-stores", "classes",
  "diamond", "choice", "fact", "image", "windows", "bounded", "narrowed", "widths", "loop", "turns", "walk", "nest", "checked", "array", "lanes", "switch", "guard", "call", "frame", "two-results", "three-results",
] as const;

/** The profile that cycles through all kinds. */
export const WORLDS = "worlds";
const profileOf = (kind: string): string => `${WORLDS}-${kind}`;
/** The profiles of worlds: all kinds in turn, or one kind alone. */
export const WORLD_PROFILES: readonly string[] = [
  WORLDS,
  ...WORLD_KINDS.map(({ name }) => profileOf(name)),
];
export const isWorldProfile = (profile: string): boolean => WORLD_PROFILES.includes(profile);

/** Returns the description of the worlds of a profile; null for other profiles, and all kinds in turn. */
export const describeWorlds = (profile: string): string | null =>
  WORLD_KINDS.find(({ name }) => profileOf(name) === profile)?.description ?? null;

export interface PositionedWorld {
  readonly kind: WorldKind;
  /** Below the kind's count. */
  readonly index: number;
  /** Its position in the program. */
  readonly position: number;
}

/** Returns the worlds of a seed's program. */
export function worldsOf(seed: bigint, profile: string): PositionedWorld[] {
  const { kind, ordinal } = kindOfSeed(seed, profile);
  const count = BigInt(kind.count());
  const stride = strideOf(count);
  return Array.from({ length: kind.perProgram }, (_, position) => {
    const number = ordinal * BigInt(kind.perProgram) + BigInt(position);
    return { kind, index: Number((number * stride) % count), position };
  });
}

/** The share of a kind that a campaign has tried. */
export interface TriedWorlds {
  readonly name: string;
  readonly says: string;
  readonly count: number;
  readonly named: number;
  /** Distinct worlds tried. */
  readonly done: number;
}

/** @param intervals first and last seeds of the judged intervals, which are disjoint */
export function worldsDone(
  intervals: readonly (readonly [bigint, bigint])[],
  profile: string,
): TriedWorlds[] {
  const kinds = WORLD_KINDS.filter(({ name }) => [WORLDS, profileOf(name)].includes(profile));
  return kinds.map(({ name, description, perProgram, count, named }) => {
    let programs = 0n;
    for (const [first, last] of intervals) {
      programs += countUpTo(last + 1n, name, profile) - countUpTo(first, name, profile);
    }
    const tried = programs * BigInt(perProgram);
    const all = BigInt(count());
    return {
      name,
      says: description,
      count: count(),
      named: named(),
      done: Number(tried < all ? tried : all),
    };
  });
}

/**
 * Returns the number of consecutive seeds that name each world of the profile's kind; null if the
 * profile has several kinds.
 */
export function seedsOfAll(profile: string): number | null {
  const kind = WORLD_KINDS.find(({ name }) => profileOf(name) === profile);
  return kind === undefined ? null : Math.ceil(kind.count() / kind.perProgram);
}

/** Returns the kind of a seed, and how many earlier seeds have the same kind. */
function kindOfSeed(seed: bigint, profile: string): { kind: WorldKind; ordinal: bigint } {
  const own = WORLD_KINDS.find(({ name }) => profileOf(name) === profile);
  if (own !== undefined) return { kind: own, ordinal: seed };
  const name = SCHEDULE[Number(seed % BigInt(SCHEDULE.length))];
  const kind = WORLD_KINDS.find((row) => row.name === name);
  assert(kind !== undefined, () => `no kind of worlds is named ${name}`);
  return { kind, ordinal: countUpTo(seed, name, profile) };
}

/** Counts the seeds below `end` that have the kind. */
function countUpTo(end: bigint, name: string, profile: string): bigint {
  if (profile !== WORLDS) return end;
  const each = SCHEDULE.filter((entry) => entry === name).length;
  const length = BigInt(SCHEDULE.length);
  const rest = SCHEDULE.slice(0, Number(end % length)).filter((entry) => entry === name).length;
  return (end / length) * BigInt(each) + BigInt(rest);
}

/**
 * Returns a number near the golden section of the count, and coprime to it, so that consecutive
 * worlds are far apart.
 */
function strideOf(count: bigint): bigint {
  let stride = (count * 618_034n) / 1_000_000n + 1n;
  while (gcd(stride, count) !== 1n) stride++;
  return stride;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}
