// Makes control flow of guards: each Check becomes a Branch to a block that holds the exit block of its
// snapshot and ends the activation. What emits code then knows blocks only.
//
// Input:  an expanded procedure: no guards but Check. It is changed in place.
// Output: blocks in reverse postorder, unreachable ones dropped. Those of `exits` end as an Oops, and are
//         emitted as what their snapshot says. Guards that share a snapshot share its block.

import { analyzeControlFlow } from "../ir/control-flow.js";
import { Op } from "../ir/opcodes.js";
import type { BasicBlock, Procedure, Snapshot, Value } from "../ir/procedure.js";
import { Void } from "../ir/types.js";

export type Exits = ReadonlyMap<BasicBlock, Snapshot>;

export function leaveByBlocks(proc: Procedure): Exits {
  const reached = analyzeControlFlow(proc).order;
  proc.blocks = [...reached];
  const exitBlocks = new Map<Snapshot, BasicBlock>();
  for (const block of reached) splitAtGuards(proc, block, exitBlocks);
  const exits = new Map([...exitBlocks].map(([snapshot, block]) => [block, snapshot]));
  proc.blocks = [...analyzeControlFlow(proc).order];
  return exits;
}

function splitAtGuards(
  proc: Procedure,
  block: BasicBlock,
  exitBlocks: Map<Snapshot, BasicBlock>,
): void {
  const { values, successors } = block;
  if (!values.some(({ opcode }) => opcode === Op.Check)) return;
  let current = block;
  current.values = [];
  current.successors = [];
  for (const value of values) {
    if (value.opcode === Op.Check) {
      const next = proc.newBlock();
      next.frequency = block.frequency;
      current.successors = [exitBlockOf(proc, value.snapshot, exitBlocks), next];
      place(current, branchOf(proc, value));
      current = next;
    } else {
      place(current, value);
    }
  }
  current.successors = successors;
}

function place(block: BasicBlock, value: Value): void {
  value.block = block;
  block.values.push(value);
}

function branchOf(proc: Procedure, guard: Value): Value {
  const branch = proc.newValue(Op.Branch, Void);
  branch.a = guard.a;
  return branch;
}

function exitBlockOf(
  proc: Procedure,
  snapshot: Snapshot,
  exitBlocks: Map<Snapshot, BasicBlock>,
): BasicBlock {
  const known = exitBlocks.get(snapshot);
  if (known !== undefined) return known;
  const block = proc.newBlock();
  for (const value of snapshot.values) place(block, value);
  place(block, proc.newValue(Op.Oops, Void));
  exitBlocks.set(snapshot, block);
  return block;
}
