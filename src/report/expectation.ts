// Turns an outcome of the oracle into a run line.

import type { Ending, Input, Outcome } from "../ir/outcome.js";
import { heapContents, isJudged } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import {
  type ExpectedBytes,
  type ExpectedEnding,
  printExpectation,
  printInput,
} from "../ir/text/run-line.js";

/** Returns a whole run line. It states the first ranges of the heap that the execution changed. */
export function runLineOf(module: Module, input: Input, outcome: Outcome): string {
  const ending = expectedEnding(outcome.ending);
  const call = `; run: ${printInput(module, input)}`;
  if (ending === null) return call;
  const heap = isJudged(outcome) ? changedBytes(input, outcome.ending) : [];
  return `${call} = ${printExpectation({ ending, heap })}`;
}

// Returns null for endings that only a subject can have.
function expectedEnding(ending: Ending): ExpectedEnding | null {
  switch (ending.kind) {
    case "return":
      return { kind: "return", result: ending.result };
    case "exit": {
      const { exit, frames } = ending;
      const resumed = ending.resumed.map((outcome) => expectedEnding(outcome.ending));
      const isWhole = (known: ExpectedEnding | null): known is ExpectedEnding => known !== null;
      return { kind: "exit", exit, frames, resumed: resumed.filter(isWhole) };
    }
    case "undefined":
    case "out-of-fuel":
    case "nan-bits":
      return { kind: ending.kind };
    default:
      return null;
  }
}

const RANGES_MAX = 4;
const RANGE_BYTES_MAX = 16;

function changedBytes({ heapSeed }: Input, ending: Ending): ExpectedBytes[] {
  if (ending.kind !== "return" && ending.kind !== "exit") return [];
  const { bytes, anyNaN, masked } = ending.heap;
  const before = new Uint8Array(bytes.length);
  heapContents(before, heapSeed);
  const isOpen = new Uint8Array(bytes.length); // 1: a subject may have other bytes there
  for (const pairs of [anyNaN, masked]) {
    for (let i = 0; i < pairs.length; i += 2) isOpen.fill(1, pairs[i], pairs[i] + pairs[i + 1]);
  }
  const differs = (at: number): boolean => bytes[at] !== before[at] && isOpen[at] === 0;
  const ranges: ExpectedBytes[] = [];
  for (let at = 0; at < bytes.length && ranges.length < RANGES_MAX; at++) {
    if (!differs(at)) continue;
    const offset = at;
    while (at < bytes.length && at - offset < RANGE_BYTES_MAX && differs(at)) at++;
    ranges.push({ offset, bytes: bytes.slice(offset, at) });
  }
  return ranges;
}
