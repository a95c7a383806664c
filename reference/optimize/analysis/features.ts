// Finds the features of a procedure in one pass. The runner skips a phase that needs a missing
// feature.

import type { ControlFlow } from "../../../src/ir/control-flow.js";
import {
  ALL_OPCODES,
  EFFECTS,
  EXITS,
  Op,
  type Opcode,
  PARTIAL,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import type { Procedure } from "../../../src/ir/procedure.js";

/**
 * The bit of each feature of a procedure, by name. Phases run only if the procedure has a feature
 * that they need.
 */
export const FEATURES = {
  /** Loads or stores, of the heap or of stack slots. */
  memory: 1,
  loads: 2,
  slots: 4,
  guards: 8,
  /**
   * Operations that lower-macros expands: remainders of integers, high halves of products, BitOr,
   * and Depend.
   */
  macros: 16,
  /** Conversions from Float to Double. */
  widenings: 32,
  /** More than one block. */
  branches: 64,
  /** A block that is on a cycle. */
  loops: 128,
  /** Phis or edges that edge form restricts. */
  "phis-or-edges": 256,
  "phis-or-slots": 512,
  /**
   * Branches, Switches, guards or divisions: operations after which more facts about a value are
   * known.
   */
  decisions: 1024,
  /** Copies and fills of bytes of the heap. */
  bulk: 2048,
  /** Calls of host functions or procedures. */
  calls: 4096,
  /** Allocations of objects. */
  objects: 8192,
  /** Extractions of a box's tag: the upper half of an Int64, or the bits of a float. */
  boxes: 16384,
} as const;
export type ProcedureFeature = keyof typeof FEATURES;

const MACROS: readonly Opcode[] = [Op.Mod, Op.UMod, Op.Depend, Op.MulHigh, Op.UMulHigh, Op.BitOr];

/** By opcode: the features of a procedure that contains it. */
const OF_OPCODE = Int32Array.from(ALL_OPCODES, featuresOfOpcode);

function featuresOfOpcode(opcode: Opcode): number {
  const effects = EFFECTS[opcode];
  let features = 0;
  if ((effects & (READS_MEMORY | WRITES_MEMORY)) !== 0) features |= FEATURES.memory;
  if ((effects & READS_MEMORY) !== 0) features |= FEATURES.loads;
  if ((effects & EXITS) !== 0) features |= FEATURES.guards;
  if (opcode === Op.CopyBytes || opcode === Op.FillBytes) features |= FEATURES.bulk;
  if (opcode === Op.Allocate) features |= FEATURES.objects;
  if (MACROS.includes(opcode)) features |= FEATURES.macros;
  if (opcode === Op.TailCall) features |= FEATURES["phis-or-edges"];
  if (opcode === Op.CCall || opcode === Op.CallCheck) features |= FEATURES.calls;
  if (opcode === Op.TruncHigh || opcode === Op.BitwiseCast) features |= FEATURES.boxes;
  if (opcode === Op.FloatToDouble) features |= FEATURES.widenings;
  if (opcode === Op.Phi) features |= FEATURES["phis-or-edges"] | FEATURES["phis-or-slots"];
  const decides = opcode === Op.Branch || opcode === Op.Switch || opcode === Op.Check;
  if (decides || (effects & PARTIAL) !== 0) features |= FEATURES.decisions;
  return features;
}

/** Returns the features of a procedure as a bit set. */
export function featuresOf({ blocks, slots }: Procedure, flow: ControlFlow): number {
  let features = 0;
  if (slots.length > 0) features |= FEATURES.slots | FEATURES["phis-or-slots"];
  if (blocks.length > 1) features |= FEATURES.branches | FEATURES["phis-or-edges"];
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      features |= OF_OPCODE[values[i].opcode];
    }
  }
  if (hasLoop(flow)) features |= FEATURES.loops | FEATURES["phis-or-edges"];
  return features;
}

// In the order of blocks, only an edge that closes a loop leads backward.
export function hasLoop({ order, position }: ControlFlow): boolean {
  for (let at = 0; at < order.length; at++) {
    const { successors } = order[at];
    for (let s = 0; s < successors.length; s++) {
      if (position[successors[s].index] <= at) return true;
    }
  }
  return false;
}
