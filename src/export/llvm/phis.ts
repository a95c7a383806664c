// The variables of Phis as values: a Phi of the language reads a variable that Upsilons write wherever they
// stand; one of LLVM stands first in its block and has an operand for each edge into it.
//
// Input:  a procedure whose blocks are all reachable.
// Output: for each Phi what it reads, and the merges that stand first in blocks. A merge is made where several
//         edges come together on the way to a Phi, and only there: mostly that is the Phi's own block.
//
// The construction is that of Braun and others, "Simple and Efficient Construction of SSA Form" (2013), with
// all blocks known: what is read is looked up backwards, and a merge is made before its operands are.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";

/** What a variable holds at some place. */
export type Held = Value | Merge | "unwritten";

export class Merge {
  readonly phi: Value;
  readonly block: BasicBlock;
  /** One for each edge into the block. */
  readonly operands: { readonly from: BasicBlock | "entry"; readonly held: Held }[] = [];

  constructor(phi: Value, block: BasicBlock) {
    this.phi = phi;
    this.block = block;
  }
}

interface Reads {
  /** What each Phi reads. */
  readonly held: ReadonlyMap<Value, Held>;
  readonly merges: ReadonlyMap<BasicBlock, readonly Merge[]>;
}

/** By Phi. */
type Variables = Map<Value, Held>;

export function readPhis(proc: Procedure): Reads {
  const edges = edgesOf(proc);
  /** What Upsilons of the block leave, and what was looked up at its start. */
  const written = new Map<BasicBlock, Variables>();
  const atStart = new Map<BasicBlock, Variables>();
  const merges = new Map<BasicBlock, Merge[]>();
  const open: Merge[] = [];

  const heldAtStart = (phi: Value, block: BasicBlock): Held => {
    // A block that is entered by one edge holds what its predecessor leaves.
    const passed: BasicBlock[] = [];
    let at = block;
    let held: Held | undefined;
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
    for (const passedBlock of passed) of(atStart, passedBlock).set(phi, held);
    return held;
  };
  const newMerge = (phi: Value, block: BasicBlock): Merge => {
    const merge = new Merge(phi, block);
    const known = merges.get(block);
    if (known === undefined) merges.set(block, [merge]);
    else known.push(merge);
    open.push(merge);
    return merge;
  };

  const held = new Map<Value, Held>();
  const reads: [Value, BasicBlock][] = [];
  for (const block of proc.blocks) {
    const own = of(written, block);
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

function of(map: Map<BasicBlock, Variables>, block: BasicBlock): Variables {
  const known = map.get(block);
  if (known !== undefined) return known;
  const made: Variables = new Map();
  map.set(block, made);
  return made;
}

/** The edges into each block, of which two may come from one; the procedure's entry is one more. */
function edgesOf({ blocks }: Procedure): Map<BasicBlock, (BasicBlock | "entry")[]> {
  const edges = new Map<BasicBlock, (BasicBlock | "entry")[]>(blocks.map((block) => [block, []]));
  edges.get(blocks[0])?.push("entry");
  for (const block of blocks) {
    for (const successor of block.successors) edges.get(successor)?.push(block);
  }
  return edges;
}
