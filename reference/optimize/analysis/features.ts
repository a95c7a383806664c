// Features of a procedure, found once before the first phase: a phase that needs a missing one is
// skipped. No phase adds a feature.

import { CALLS, EFFECTS, EXITS, READS_MEMORY, WRITES_MEMORY } from "../../../src/ir/opcodes.js";
import type { Procedure } from "../../../src/ir/procedure.js";
import { Double, Float } from "../../../src/ir/types.js";

/** By name: a bit. */
export const FEATURES = {
  /** Loads or stores, of the heap or of stack slots. */
  memory: 1,
  slots: 2,
  guards: 4,
  floats: 8,
  /** More than one block. */
  branches: 16,
  /** A block that some path comes back to. */
  loops: 32,
  calls: 64,
} as const;
export type Feature = keyof typeof FEATURES;

/** The features of a procedure, or-ed. */
export function featuresOf(proc: Procedure): number {
  const { blocks } = proc;
  let features = proc.slots.length > 0 ? FEATURES.slots : 0;
  if (blocks.length > 1) features |= FEATURES.branches;
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      const { opcode, type } = values[i];
      const effects = EFFECTS[opcode];
      if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0) features |= FEATURES.memory;
      if ((effects & EXITS) !== 0) features |= FEATURES.guards;
      if ((effects & CALLS) !== 0) features |= FEATURES.calls;
      if (type === Float || type === Double) features |= FEATURES.floats;
    }
  }
  if (hasLoop(proc)) features |= FEATURES.loops;
  return features;
}

// Depth first: an edge to a block that is still open closes a loop.
function hasLoop(proc: Procedure): boolean {
  const { blocks } = proc;
  if (blocks.length === 1) return blocks[0].successors.length > 0;
  const state = new Uint8Array(proc.blockIdEnd);
  const next = new Int32Array(proc.blockIdEnd);
  const stack = [blocks[0]];
  state[blocks[0].id] = OPEN;
  while (stack.length > 0) {
    const block = stack[stack.length - 1];
    if (next[block.id] === block.successors.length) {
      state[block.id] = DONE;
      stack.pop();
      continue;
    }
    const successor = block.successors[next[block.id]++];
    if (state[successor.id] === OPEN) return true;
    if (state[successor.id] === DONE) continue;
    state[successor.id] = OPEN;
    stack.push(successor);
  }
  return false;
}

const OPEN = 1;
const DONE = 2;
