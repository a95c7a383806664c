// Marks parts of compiled code's outcome as open if the oracle leaves them open: bits of a NaN, unwritten bytes of a
// slot. Then the outcomes of two targets can be compared, even if both differ from the oracle's.

import type { Bits, MemoryImage, Outcome } from "../ir/outcome.js";
import { isNaNBits } from "../ir/text/literals.js";

/** @param oracles the oracle's outcome of the same execution; its parts that `outcome` lacks have no effect */
export const openAs = (oracles: Outcome, outcome: Outcome): Outcome =>
  // An outcome is data, and marking keeps its shape.
  openedAs(oracles, outcome) as Outcome;

type Data = Readonly<Record<string, unknown>>;

const isData = (given: unknown): given is Data => typeof given === "object" && given !== null;
const isImage = (data: Data): data is Data & MemoryImage => "masked" in data;
const isValue = (data: Data): data is Data & Bits => "anyNaN" in data && !isImage(data);

function openedAs(by: unknown, given: unknown): unknown {
  if (Array.isArray(by) && Array.isArray(given)) return given.map((one, i) => openedAs(by[i], one));
  if (!isData(by) || !isData(given)) return given;
  if (isImage(by) && isImage(given)) return openImage(by, given);
  if (isValue(by) && isValue(given)) {
    const isOpen = by.anyNaN && isNaNBits(given.type, given.lo, given.hi);
    return { ...given, anyNaN: isOpen };
  }
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, openedAs(by[key], value)]),
  );
}

function openImage(by: MemoryImage, given: MemoryImage): MemoryImage {
  if (by.bytes.length !== given.bytes.length) return given;
  const places: [offset: number, size: number][] = [];
  for (const list of [by.masked, by.anyNaN]) {
    for (let i = 0; i < list.length; i += 2) places.push([list[i], list[i + 1]]);
  }
  return { ...given, masked: places.sort(([x], [y]) => x - y).flat() };
}
