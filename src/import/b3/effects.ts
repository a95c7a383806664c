// Parses the effects of a value as B3 prints them:
// `ExitsSideways|ControlDependent|Writes:57|Reads:Top`. The read or written locations are a range
// of numbers that the front end assigns to parts of its heap: `Top`, `57`, or the half-open
// `2...6`. Accesses with disjoint ranges never touch the same byte.

import type { B3Value } from "./graph.js";

const EFFECT =
  /^(?:Terminal|ExitsSideways|ControlDependent|(?:Writes|Reads)(?:Pinned|LocalState|:)|Fence)/;

/** Returns the text of the effects; empty if there are none. */
export const effectsOf = ({ attributes }: B3Value): string =>
  attributes.find((text) => EFFECT.test(text)) ?? "";

export interface EffectRange {
  readonly begin: number;
  readonly end: number;
}

const TOP: EffectRange = { begin: 0, end: Number.POSITIVE_INFINITY };

/** Returns the range that a load reads or a store writes. */
export function rangeOf(access: B3Value): EffectRange {
  const which = access.opcode.startsWith("Load") ? "Reads" : "Writes";
  const match = new RegExp(`\\b${which}:(?:(\\d{1,9})(?:\\.\\.\\.(\\d{1,9}))?)?`).exec(
    effectsOf(access),
  );
  if (match?.[1] === undefined) return TOP;
  const begin = Number(match[1]);
  return { begin, end: match[2] === undefined ? begin + 1 : Number(match[2]) };
}

/** Joins overlapping ranges, and returns disjoint ranges in ascending order. */
export function joined(ranges: readonly EffectRange[]): readonly EffectRange[] {
  const sorted = [...ranges].sort((x, y) => x.begin - y.begin);
  const parts: EffectRange[] = [];
  for (const range of sorted) {
    const last = parts.at(-1);
    if (last === undefined || range.begin >= last.end) parts.push(range);
    else parts[parts.length - 1] = { begin: last.begin, end: Math.max(last.end, range.end) };
  }
  return parts;
}
