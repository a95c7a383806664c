// What compiled code did, open where the oracle says that the language leaves it open: bits of a NaN, bytes of a slot
// that nothing wrote. Then what two targets did can be compared, though both are otherwise than the oracle.

import type { Bits, MemoryImage, Outcome } from "../ir/outcome.js";
import { isNaNBits } from "../ir/text/literals.js";

/** @param oracles of the same execution; parts of it that the outcome does not have open nothing */
export const openAs = (oracles: Outcome, outcome: Outcome): Outcome =>
  // An outcome is data, and what is opened keeps its shape.
  opened(oracles, outcome) as Outcome;

type Data = Readonly<Record<string, unknown>>;

const isData = (given: unknown): given is Data => typeof given === "object" && given !== null;
const isImage = (data: Data): data is Data & MemoryImage => "masked" in data;
const isValue = (data: Data): data is Data & Bits => "anyNaN" in data && !isImage(data);

function opened(by: unknown, given: unknown): unknown {
  if (Array.isArray(by) && Array.isArray(given)) return given.map((one, i) => opened(by[i], one));
  if (!isData(by) || !isData(given)) return given;
  if (isImage(by) && isImage(given)) return openImage(by, given);
  if (isValue(by) && isValue(given)) {
    const isOpen = by.anyNaN && isNaNBits(given.type, given.lo, given.hi);
    return { ...given, anyNaN: isOpen };
  }
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, opened(by[key], value)]),
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
