// Finds calls of named procedures, and splits blocks at calls.

import { Op } from "../../../src/ir/opcodes.js";
import {
  type BasicBlock,
  directCallee,
  gatherExtracts,
  type Procedure,
  type Value,
} from "../../../src/ir/procedure.js";
import { Void } from "../../../src/ir/types.js";

/** Returns the calls whose procedure is known, and sets the block of each. */
export function callsOf(proc: Procedure): Value[] {
  const calls: Value[] = [];
  for (let b = 0; b < proc.blocks.length; b++) {
    const block = proc.blocks[b];
    for (let i = 0; i < block.values.length; i++) {
      const value = block.values[i];
      if (directCallee(value) === null) continue;
      value.block = block;
      calls.push(value);
    }
  }
  return calls;
}

/** Ends the block before the call. Returns a new block with the call and the values after it. */
export function splitBeforeCall(proc: Procedure, block: BasicBlock, call: Value): BasicBlock {
  gatherExtracts(block);
  const at = block.values.indexOf(call);
  const after = proc.newBlock();
  after.frequency = block.frequency;
  after.successors = block.successors;
  after.values = block.values.slice(at);
  for (const value of after.values) value.block = after;
  block.values.length = at;
  return after;
}

export function newJump(proc: Procedure, block: BasicBlock): Value {
  const jump = proc.newValue(Op.Jump, Void);
  jump.block = block;
  return jump;
}
