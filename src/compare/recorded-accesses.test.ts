// Tests that a difference in a fence, in a volatile load and in an event name their kind. A host function may have the
// name of an opcode.

import test from "ava";
import type { ExecutedFence, ObservedBits, Outcome } from "../ir/outcome.js";
import { Int32 } from "../ir/types.js";
import { judge } from "./compare.js";
import { describeWithComparison } from "./describe-difference.js";

const heap = { bytes: new Uint8Array(4), anyNaN: [], masked: [] };
const bits = (lo: number): ObservedBits => ({ type: Int32, lo, hi: 0, anyNaN: false });
const all: ExecutedFence = { orders: "all", after: 1, heap };

const outcomeOf = (changed: Partial<Outcome>): Outcome => ({
  events: [{ name: "Fence", args: [bits(1)] }],
  volatileLoads: [bits(1)],
  fences: [all],
  ending: { kind: "return", result: null, heap },
  ...changed,
});

const CASES: readonly (readonly [changed: Partial<Outcome>, kind: string, text: string])[] = [
  [
    { events: [{ name: "Fence", args: [bits(2)] }] },
    "event",
    "events: event 0, Fence, argument 0: expected 0x00000001, got 0x00000002",
  ],
  [
    { volatileLoads: [bits(2)] },
    "volatile-load",
    "events: volatile load 0: expected 0x00000001, got 0x00000002",
  ],
  [
    { fences: [{ ...all, orders: "stores" }] },
    "fence",
    "events: fence 0: expected all, got stores",
  ],
  [
    { fences: [{ ...all, after: 0 }] },
    "fence",
    "events: fence 0: expected after 1 volatile loads, got 0",
  ],
  [
    { fences: [{ ...all, heap: { ...heap, bytes: Uint8Array.of(0, 7, 0, 0) } }] },
    "fence",
    "events: fence 0: at 1: expected 00, got 07",
  ],
];

for (const [changed, kind, text] of CASES) {
  test(`a difference has the place and the text: ${text}`, (t) => {
    const verdict = judge(outcomeOf({}), outcomeOf(changed));
    if (verdict.kind !== "different") return t.fail(verdict.kind);
    t.true(verdict.difference.place?.kind === kind);
    t.is(describeWithComparison(verdict.difference), text);
  });
}
