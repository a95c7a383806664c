// Copies a loop without inner loops, once or several times.
//
// 1. A use within a copy names the copy's own value. The header dominates the loop, so every
//    path from it to a use passes the definition. So a use reads the value of its own iteration.
// 2. If each predecessor of its block writes a Phi, the Phi reads the write of the predecessor
//    through which control arrives. Each of its copies then needs the Upsilons of its own
//    predecessors, and no other ones. Otherwise the Phi and its copies are one variable that is
//    read in several places, and each Upsilon writes all of them.
// 3. Uses after the loop read the value of the iteration that executed last
//    (duplicate-blocks.ts).

import { Op } from "../../../src/ir/opcodes.js";
import { type BasicBlock, type Procedure, Value } from "../../../src/ir/procedure.js";
import type { Loop } from "../analysis/loops.js";
import { copyBlocks, type DuplicateBlocks, repairUses } from "../edit/duplicate-blocks.js";
import { newUpsilon, writes, writtenIn } from "../edit/upsilons.js";

/** The position and kind of a Phi of the loop. */
interface PhiReadPosition {
  readonly block: BasicBlock;
  /** True if each predecessor of the block writes the Phi, and no other value comes between. */
  readonly isOfEdges: boolean;
}

const NO_COPIES: ReadonlyMap<Value, Value> = new Map();

export class LoopCopies {
  readonly all: readonly DuplicateBlocks[];
  private readonly proc: Procedure;
  private readonly phis: ReadonlyMap<Value, PhiReadPosition>;
  /**
   * By block of the loop or of a copy: the original block, and the copied values of that version.
   */
  private readonly versions = new Map<BasicBlock, BlockVersion>();

  /**
   * Appends copies of the loop's blocks to the procedure. Their edges lead within the copy, or out
   * of the loop; no edge leads into the copies yet. Frequencies are copied, and the caller divides
   * them.
   *
   * The program is valid again when edges have been redirected and `connect` has run.
   */
  constructor(proc: Procedure, loop: Loop, count: number) {
    this.proc = proc;
    this.phis = phisOf(proc, loop);
    this.all = Array.from({ length: count }, () => copyBlocks(proc, loop.blocks, () => true));
    for (const original of loop.blocks) {
      this.versions.set(original, { original, values: NO_COPIES });
      for (const { blocks, values } of this.all) {
        const copy = blocks.get(original);
        if (copy !== undefined) this.versions.set(copy, { original, values });
      }
    }
  }

  /** Repairs the Phis and uses, after the caller has redirected all edges. */
  connect(): void {
    const { proc, all, phis, versions } = this;
    if (phis.size > 0) for (const block of proc.blocks) this.rewriteUpsilons(block);
    const copies = all.map(({ values }) => values);
    repairUses(proc, copies, versions);
  }

  private rewriteUpsilons(block: BasicBlock): void {
    const { values } = block;
    if (!values.some((value) => this.readsOf(value) !== undefined)) return;
    block.values = values.flatMap((value) => {
      const reads = this.readsOf(value);
      const { a } = value;
      if (a === null || reads === undefined) return [value];
      const readers = this.readersOf(value.phi, reads, block.successors);
      return readers.map((phi) => newUpsilon(this.proc, block, a, phi));
    });
  }

  /** Returns the facts about the Phi that an Upsilon writes, if it is a Phi of the loop. */
  private readsOf({ opcode, extra }: Value): PhiReadPosition | undefined {
    return opcode === Op.Upsilon && extra instanceof Value ? this.phis.get(extra) : undefined;
  }

  /** Returns the Phi or those of its copies that may read a write before these edges. */
  private readersOf(
    phi: Value,
    { block, isOfEdges }: PhiReadPosition,
    edges: readonly BasicBlock[],
  ): Value[] {
    if (!isOfEdges) return [phi, ...this.all.flatMap(({ values }) => values.get(phi) ?? [])];
    return [...new Set(edges)].flatMap((edge) => {
      const version = this.versions.get(edge);
      return version?.original === block ? (version.values.get(phi) ?? phi) : [];
    });
  }
}

/** A block of the loop, or a copy of one. */
interface BlockVersion {
  readonly original: BasicBlock;
  /** By value of the loop: its copy in this version; empty for the original. */
  readonly values: ReadonlyMap<Value, Value>;
}

function phisOf({ blocks }: Procedure, loop: Loop): Map<Value, PhiReadPosition> {
  const phis = new Map<Value, PhiReadPosition>();
  if (!loop.blocks.some(({ values }) => values.some(({ opcode }) => opcode === Op.Phi)))
    return phis;
  // Collect predecessors from the current edges, because an earlier analysis may be outdated.
  const predecessors = new Map<BasicBlock, BasicBlock[]>(loop.blocks.map((block) => [block, []]));
  for (const block of blocks) {
    for (const successor of block.successors) predecessors.get(successor)?.push(block);
  }
  for (const block of loop.blocks) {
    const above = predecessors.get(block) ?? [];
    block.values.forEach((phi, at) => {
      if (phi.opcode !== Op.Phi) return;
      const isAtHead = block.values
        .slice(0, at)
        .every((value) => isVariable(value) && !writes(value, phi));
      const isOfEdges = isAtHead && above.every((from) => writtenIn(from, phi) !== null);
      phis.set(phi, { block, isOfEdges });
    });
  }
  return phis;
}

const isVariable = ({ opcode }: Value): boolean => opcode === Op.Phi || opcode === Op.Upsilon;
