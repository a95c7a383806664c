// Turns guards into control flow. Each Check becomes a Branch to a block that contains the exit
// block of its snapshot and ends the activation. Writers of code then handle only blocks.
//
// Input:  an expanded procedure whose only guards are Check and CallCheck. It is changed in place.
// Output: no guards and no ReturnDeopt; answers.ts defines their replacements. Blocks are in
//         reverse postorder without unreachable ones. The blocks of `exits` end in an Oops; a
//         format writes the exit of their snapshot instead. Guards that share a snapshot share its
//         block.

import { analyzeControlFlow } from "../ir/control-flow.js";
import { Op } from "../ir/opcodes.js";
import type { BasicBlock, Procedure, Snapshot, Value } from "../ir/procedure.js";
import { Void } from "../ir/types.js";
import { deoptFlagWrite, replaceCallCheck } from "./answers.js";
import { passFurther } from "./further-results.js";

export type ExitBlocks = ReadonlyMap<BasicBlock, Snapshot>;

/** @param setsDeoptFlag whether returns of the procedure write the deoptimization flag */
export function leaveByBlocks(proc: Procedure, setsDeoptFlag: boolean): ExitBlocks {
  passFurther(proc);
  const reached = analyzeControlFlow(proc).order;
  proc.blocks = [...reached];
  const exitBlocks = new Map<Snapshot, BasicBlock>();
  for (const block of reached) {
    endByReturn(proc, block, setsDeoptFlag);
    splitAtGuards(proc, block, exitBlocks);
  }
  const exits = new Map([...exitBlocks].map(([snapshot, block]) => [block, snapshot]));
  proc.blocks = [...analyzeControlFlow(proc).order];
  return exits;
}

function endByReturn(proc: Procedure, { last, values }: BasicBlock, setsDeoptFlag: boolean): void {
  if (setsDeoptFlag) values.splice(-1, 0, ...deoptFlagWrite(proc, last));
  if (last.opcode === Op.ReturnDeopt) last.opcode = Op.Return;
}

function splitAtGuards(
  proc: Procedure,
  block: BasicBlock,
  exitBlocks: Map<Snapshot, BasicBlock>,
): void {
  const { values, successors } = block;
  if (!values.some(isGuard)) return;
  let current = block;
  current.values = [];
  current.successors = [];
  for (const value of values) {
    if (!isGuard(value)) {
      current.append(value);
      continue;
    }
    const next = proc.newBlock();
    next.frequency = block.frequency;
    current.successors = [exitBlockOf(proc, value.snapshot, exitBlocks), next];
    let condition = value.a;
    if (value.opcode === Op.CallCheck) {
      const [call, flag] = replaceCallCheck(proc, value);
      current.append(call);
      current.append(flag);
      condition = flag;
    }
    current.append(branchOn(proc, condition));
    current = next;
  }
  current.successors = successors;
}

const isGuard = ({ opcode }: Value): boolean => opcode === Op.Check || opcode === Op.CallCheck;

function branchOn(proc: Procedure, condition: Value | null): Value {
  return proc.newValue(Op.Branch, Void, condition);
}

function exitBlockOf(
  proc: Procedure,
  snapshot: Snapshot,
  exitBlocks: Map<Snapshot, BasicBlock>,
): BasicBlock {
  const known = exitBlocks.get(snapshot);
  if (known !== undefined) return known;
  const block = proc.newBlock();
  for (const value of snapshot.values) block.append(value);
  block.append(proc.newValue(Op.Oops, Void));
  exitBlocks.set(snapshot, block);
  return block;
}
