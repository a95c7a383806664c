// Tests the exit table: the decoder reads every table of the encoder, and a damaged table gives an
// error or other frames, never a hang.

import { isDeepStrictEqual } from "node:util";
import test from "ava";
import { encodeExits } from "../../../reference/snapshot/encode-exits.js";
import {
  type ExitLocation,
  type ExitRecord,
  LocationKind,
} from "../../../reference/snapshot/exit-record.js";
import { Double, Float, Int32, Int64, type Type, Void } from "../../ir/types.js";
import { SeedSource } from "../../support/source.js";
import { decodeExits, ExitTableError } from "./decode-exits.js";

const TYPES = [Int32, Int64, Float, Double];
const PLACES = Object.values(LocationKind);
const HALF_PLACES = [
  LocationKind.General,
  LocationKind.Vector,
  LocationKind.Frame,
  LocationKind.Constant,
];

function randomRecord(source: SeedSource): ExitRecord {
  const number = () => (source.below(2) === 0 ? source.below(100) : source.bits() >>> 0);
  const list = <T>(element: () => T, most: number): T[] =>
    Array.from({ length: source.below(most + 1) }, element);
  const at = (place: LocationKind, type: Type): ExitLocation => {
    const plain = { place, type, index: 0, lo: 0, hi: 0, halves: null };
    switch (place) {
      case LocationKind.Dead:
        return { ...plain, type: Void };
      case LocationKind.Contents:
        return { ...plain, type: Void, index: number(), lo: number() };
      case LocationKind.Fields:
        return { ...plain, type: Void, index: number() };
      case LocationKind.Constant:
        return { ...plain, lo: source.bits(), hi: source.bits() };
      case LocationKind.Halves:
        return { ...plain, type: Int64, halves: [half(), half()] };
    }
    const index = number();
    return { ...plain, index: place === LocationKind.Frame ? index | 0 : index };
  };
  const half = () => at(HALF_PLACES[source.below(HALF_PLACES.length)], Int32);
  const location = () => at(PLACES[source.below(PLACES.length)], TYPES[source.below(4)]);
  return {
    exit: number(),
    procedure: number(),
    snapshot: number(),
    patchpoint: number(),
    frameSize: number(),
    saved: list(number, 6),
    blockSize: source.below(5),
    leaves: list(location, 6),
    frames: list(
      () => ({ name: `f${source.below(3)}`, point: number(), slots: list(location, 9) }),
      3,
    ),
  };
}

const tables = Array.from({ length: 60 }, (_, i) => {
  const source = new SeedSource(BigInt(i), "exits");
  return Array.from({ length: source.below(5) }, () => randomRecord(source));
});

test("the decoder reads the encoder's tables", (t) => {
  for (const records of tables) t.deepEqual(decodeExits(encodeExits(records)), records);
});

test("a flipped byte gives an error or other frames", (t) => {
  let errors = 0;
  let unchanged = 0;
  for (const records of tables) {
    const bytes = encodeExits(records);
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const damaged = bytes.slice();
        damaged[at] ^= flip;
        try {
          if (isDeepStrictEqual(decodeExits(damaged), records)) unchanged++;
        } catch (error) {
          if (!(error instanceof ExitTableError)) throw error;
          errors++;
        }
      }
    }
  }
  t.is(unchanged, 0);
  t.true(errors > 0);
});

test("a table that ends early is an error", (t) => {
  for (const records of tables) {
    const bytes = encodeExits(records);
    for (let size = 0; size < bytes.length; size++) {
      t.throws(() => decodeExits(bytes.subarray(0, size)), { instanceOf: ExitTableError });
    }
  }
});
