// Turns the variables of Phis into SSA values. A Phi of the language reads a variable that Upsilons
// write anywhere in the procedure. A phi of LLVM is at the start of its block and has an operand
// for each incoming edge.
//
// Input:  a procedure whose blocks are all reachable.
// Output: the value that each Phi reads, and the merges at the starts of blocks. A merge is created
//         only where several edges meet on a path to a Phi: usually in the Phi's own block.
//
// The construction follows Braun and others, "Simple and Efficient Construction of SSA Form"
// (2013), with all blocks sealed. It searches definitions backwards, and creates a merge before the
// operands of the merge.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";

/** The value of a variable at one point of the procedure. */
export type HeldValue = Value | PhiMerge | "unwritten";

export class PhiMerge {
  readonly phi: Value;
  readonly block: BasicBlock;
  /** One operand for each edge into the block. */
  readonly operands: { readonly from: BasicBlock | "entry"; readonly held: HeldValue }[] = [];

  constructor(phi: Value, block: BasicBlock) {
    this.phi = phi;
    this.block = block;
  }
}

interface PhiReads {
  /** The value that each Phi reads. */
  readonly held: ReadonlyMap<Value, HeldValue>;
  readonly merges: ReadonlyMap<BasicBlock, readonly PhiMerge[]>;
}

/** Values of variables, by Phi. */
type HeldValues = Map<Value, HeldValue>;

export function readPhis(proc: Procedure): PhiReads {
  const edges = edgesOf(proc);
  /**
   * The values at the end of the block that its Upsilons write, and the values at its start that
   * were looked up.
   */
  const written = new Map<BasicBlock, HeldValues>();
  const atStart = new Map<BasicBlock, HeldValues>();
  const merges = new Map<BasicBlock, PhiMerge[]>();
  const open: PhiMerge[] = [];

  const heldAtStart = (phi: Value, block: BasicBlock): HeldValue => {
    // A block with one incoming edge has the values of its predecessor's end.
    const passed: BasicBlock[] = [];
    let at = block;
    let held: HeldValue | undefined;
    for (;;) {
      held = atStart.get(at)?.get(phi);
      if (held !== undefined) break;
      passed.push(at);
      const [from, ...others] = edges.get(at) ?? [];
      if (from === "entry" && others.length === 0) {
        held = "unwritten";
        break;
      }
      if (from === "entry" || others.length > 0) {
        held = newMerge(phi, at);
        break;
      }
      held = written.get(from)?.get(phi);
      if (held !== undefined) break;
      at = from;
    }
    for (const passedBlock of passed) variablesOf(atStart, passedBlock).set(phi, held);
    return held;
  };
  const newMerge = (phi: Value, block: BasicBlock): PhiMerge => {
    const merge = new PhiMerge(phi, block);
    const known = merges.get(block);
    if (known === undefined) merges.set(block, [merge]);
    else known.push(merge);
    open.push(merge);
    return merge;
  };

  const held = new Map<Value, HeldValue>();
  const reads: [Value, BasicBlock][] = [];
  for (const block of proc.blocks) {
    const own = variablesOf(written, block);
    for (const value of block.values) {
      if (value.opcode === Op.Upsilon && value.a !== null) own.set(value.phi, value.a);
      else if (value.opcode === Op.Phi) {
        const local = own.get(value);
        if (local === undefined) reads.push([value, block]);
        else held.set(value, local);
      }
    }
  }
  for (const [phi, block] of reads) held.set(phi, heldAtStart(phi, block));
  for (let merge = open.pop(); merge !== undefined; merge = open.pop()) {
    const { phi, block, operands } = merge;
    for (const from of edges.get(block) ?? []) {
      const last =
        from === "entry" ? "unwritten" : (written.get(from)?.get(phi) ?? heldAtStart(phi, from));
      operands.push({ from, held: last });
    }
  }
  return { held, merges };
}

function variablesOf(map: Map<BasicBlock, HeldValues>, block: BasicBlock): HeldValues {
  const known = map.get(block);
  if (known !== undefined) return known;
  const made: HeldValues = new Map();
  map.set(block, made);
  return made;
}

/**
 * Returns the edges into each block, including an edge for the procedure's entry. Two edges may
 * come from one block.
 */
function edgesOf({ blocks }: Procedure): Map<BasicBlock, (BasicBlock | "entry")[]> {
  const edges = new Map<BasicBlock, (BasicBlock | "entry")[]>(blocks.map((block) => [block, []]));
  edges.get(blocks[0])?.push("entry");
  for (const block of blocks) {
    for (const successor of block.successors) edges.get(successor)?.push(block);
  }
  return edges;
}
