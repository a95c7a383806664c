// Computes an upper bound of the bytes that an exported program records of an execution (src/export/observation.ts). A
// subject that recorded more is wrong. A subject that ran out of memory earlier may be right.

import type { FrameState, Outcome } from "../ir/outcome.js";
import { isBits } from "../ir/outcome.js";

/** The size of the tag and index words of one record, and its result. */
const HEAD_BYTES = 5 * 4;
const VALUE_BYTES = 8;

/** The oracle omits dead values, which a program records, so the bound is generous. */
const SLACK_BYTES = 1 << 16;

export const recordBytesMax = (outcome: Outcome): number => 2 * bytesOf(outcome) + SLACK_BYTES;

function bytesOf({ events, ending, calleeExits = [] }: Outcome): number {
  let bytes = HEAD_BYTES;
  for (const { args } of events) bytes += HEAD_BYTES + VALUE_BYTES * args.length;
  for (const exit of calleeExits) bytes += bytesOf({ events: [], ending: exit.ending });
  if (ending.kind !== "return" && ending.kind !== "exit") return bytes;
  bytes += ending.heap.bytes.length;
  if (ending.kind === "return") return bytes + VALUE_BYTES * (ending.further?.length ?? 0);
  for (const frame of ending.frames) bytes += frameBytes(frame);
  // The activation that exited records its return once more.
  for (const outcome of ending.resumed) bytes += 2 * bytesOf(outcome);
  return bytes;
}

function frameBytes({ slots }: FrameState): number {
  let bytes = 0;
  for (const slot of slots) {
    bytes += slot === null || isBits(slot) ? VALUE_BYTES : slot.bytes.length + VALUE_BYTES;
  }
  return bytes;
}
