// Feeds arbitrary bytes to the decoder of exit tables. It must return records or throw an
// ExitTableError. Records are well formed, and they decode to the same after the compiler's encoder
// writes them again.

import { encodeExits } from "../../reference/snapshot/encode-exits.js";
import {
  type ExitLocation,
  type ExitRecord,
  LocationKind,
} from "../../reference/snapshot/exit-record.js";
import {
  DECODED_PLACE,
  type DecodedExit,
  type DecodedLocation,
  decodeExits,
  ExitTableError,
} from "../../src/execute/machine/decode-exits.js";
import { Int32, Int64, type Type, VALUE_TYPES, Void } from "../../src/ir/types.js";
import { assert } from "../../src/support/assert.js";
import { SeedSource } from "../../src/support/source.js";
import { FEATURE, type FeatureCollector, magnitude } from "./features.js";
import type { FuzzTarget } from "./target.js";

const SEED_COUNT = 8;

export const target: FuzzTarget = { name: "exit-table", run, seeds };

function run(bytes: Uint8Array, features: FeatureCollector): void {
  const exits = decode(bytes, features);
  if (exits === null) return;
  features.hit(FEATURE.field, 0, magnitude(exits.length));
  for (const exit of exits) hitExit(exit, features);
  const again = decodeExits(encodeExits(exits.map(recordOf)));
  const text = JSON.stringify(exits);
  assert(JSON.stringify(again) === text, () => `encoding the records again changes them: ${text}`);
}

function decode(bytes: Uint8Array, features: FeatureCollector): DecodedExit[] | null {
  try {
    return decodeExits(bytes);
  } catch (error) {
    if (!(error instanceof ExitTableError)) throw error;
    features.hitMessage(FEATURE.errorMessage, error.message);
    const byte = /byte (\d+)/.exec(error.message);
    features.hit(FEATURE.linesRead, byte === null ? 0 : magnitude(Number(byte[1])));
    return null;
  }
}

function hitExit(exit: DecodedExit, features: FeatureCollector): void {
  features.hit(FEATURE.field, 1, magnitude(exit.exit));
  features.hit(FEATURE.field, 2, magnitude(exit.procedure));
  features.hit(FEATURE.field, 3, magnitude(exit.snapshot));
  features.hit(FEATURE.field, 4, magnitude(exit.frameSize));
  features.hit(FEATURE.field, 5, magnitude(exit.saved.length));
  features.hit(FEATURE.field, 6, magnitude(exit.blockSize));
  features.hit(FEATURE.field, 7, magnitude(exit.leaves.length));
  features.hit(FEATURE.field, 8, magnitude(exit.frames.length));
  for (const leaf of exit.leaves) hitLocation(leaf, 0, features);
  for (const { name, point, slots } of exit.frames) {
    features.hit(FEATURE.field, 9, magnitude(name.length));
    features.hit(FEATURE.field, 10, magnitude(point));
    features.hit(FEATURE.field, 11, magnitude(slots.length));
    for (const slot of slots) hitLocation(slot, 1, features);
  }
}

function hitLocation(location: DecodedLocation, where: number, features: FeatureCollector): void {
  const { place, type, index, lo, hi, halves } = location;
  assert(
    place in PLACES && type in TYPES,
    () => `the decoded slot has the unknown kind ${place} or type ${type}`,
  );
  const isContents = place === DECODED_PLACE.contents;
  const isFields = place === DECODED_PLACE.fields;
  const hasType = place !== DECODED_PLACE.dead && !isContents && !isFields;
  assert(
    hasType === (type !== Void),
    () => `a decoded slot of kind ${place} may not have type ${type}`,
  );
  features.hit(FEATURE.location, where * 128 + place * 8 + type, magnitude(index));
  if (isContents) features.hit(FEATURE.location, 4 * 128 + where, magnitude(lo));
  for (const half of halves ?? []) hitLocation(half, where + HALF, features);
  if (place !== DECODED_PLACE.constant) return;
  features.hit(FEATURE.constantBits, magnitude(lo), 0);
  features.hit(FEATURE.constantBits, magnitude(hi), 1);
}

/** Added to the kind of location if the location holds half of a value. */
const HALF = 2;
const PLACES: readonly LocationKind[] = Object.values(LocationKind);
const HALF_PLACES = [
  LocationKind.General,
  LocationKind.Vector,
  LocationKind.Frame,
  LocationKind.Constant,
];
const TYPES: readonly Type[] = [Void, ...VALUE_TYPES];

/**
 * Converts to the compiler's record type. The decoder returns plain numbers, because it trusts no
 * table.
 */
const recordOf = (exit: DecodedExit): ExitRecord => ({
  ...exit,
  leaves: exit.leaves.map(locationOf),
  frames: exit.frames.map((frame) => ({ ...frame, slots: frame.slots.map(locationOf) })),
});

const locationOf = (location: DecodedLocation): ExitLocation => ({
  ...location,
  place: PLACES[location.place],
  type: TYPES[location.type],
  halves:
    location.halves === null
      ? null
      : [locationOf(location.halves[0]), locationOf(location.halves[1])],
});

function seeds(): Uint8Array[] {
  return Array.from({ length: SEED_COUNT }, (_, i) => {
    const source = new SeedSource(BigInt(i), "exit-table");
    return encodeExits(Array.from({ length: source.below(4) }, () => drawRecord(source)));
  });
}

function drawRecord(source: SeedSource): ExitRecord {
  const number = (): number => source.bits() >>> source.below(32);
  const list = <T>(most: number, element: () => T): T[] =>
    Array.from({ length: source.below(most + 1) }, element);
  const at = (place: LocationKind, type: Type): ExitLocation => {
    const plain = { place, type, index: 0, lo: 0, hi: 0, halves: null };
    if (place === LocationKind.Dead) return { ...plain, type: Void };
    if (place === LocationKind.Contents)
      return { ...plain, type: Void, index: number(), lo: number() };
    if (place === LocationKind.Fields) return { ...plain, type: Void, index: number() };
    if (place === LocationKind.Constant) return { ...plain, lo: source.bits(), hi: source.bits() };
    if (place === LocationKind.Halves) return { ...plain, type: Int64, halves: [half(), half()] };
    return { ...plain, index: number() };
  };
  const half = (): ExitLocation => at(HALF_PLACES[source.below(HALF_PLACES.length)], Int32);
  const location = (): ExitLocation =>
    at(PLACES[source.below(PLACES.length)], VALUE_TYPES[source.below(VALUE_TYPES.length)]);
  return {
    exit: number(),
    procedure: number(),
    snapshot: number(),
    patchpoint: number(),
    frameSize: number(),
    saved: list(4, number),
    blockSize: source.below(4),
    leaves: list(4, location),
    frames: list(3, () => ({ name: `f${number()}`, point: number(), slots: list(5, location) })),
  };
}
