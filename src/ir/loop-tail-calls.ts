// Replaces tail calls of a procedure to itself by a loop. Each parameter that a tail call changes becomes a Phi of the
// former first block, written by the entry and by each tail call.
//
// Stack slots need no treatment: the contents that an earlier iteration left are unwritten for the program, so no
// defined execution reads them.

import { assert } from "../support/assert.js";
import { Op, type Opcode } from "./opcodes.js";
import {
  argumentOf,
  type BasicBlock,
  type Procedure,
  rewriteSlots,
  type Value,
} from "./procedure.js";
import { Void } from "./types.js";

/** Returns whether there was a tail call; if so, blocks and edges have changed. */
export function loopTailCalls(proc: Procedure): boolean {
  const callers = proc.blocks.filter(({ last }) => last.opcode === Op.TailCall);
  if (callers.length === 0) return false;
  const [header] = proc.blocks;
  const variables = proc.parameters.map((parameter, i) => {
    const isChanged = callers.some(({ last }) => last.rest?.[i] !== parameter);
    return isChanged ? proc.newValue(Op.Phi, parameter.type) : parameter;
  });
  replaceParameters(proc, variables);
  const phis = variables.filter(({ opcode }) => opcode === Op.Phi);
  for (const phi of phis) phi.block = header;
  header.values.unshift(...phis);
  const entry = proc.newBlock();
  proc.blocks.pop();
  proc.blocks.unshift(entry);
  entry.frequency = header.frequency;
  jumpToHeader(proc, entry, header, variables, proc.parameters);
  for (const block of callers) {
    const call = block.values.pop();
    jumpToHeader(proc, block, header, variables, call?.rest ?? []);
  }
  return true;
}

/** Ends the block by a jump to the header, and writes the given values to the Phis. */
function jumpToHeader(
  proc: Procedure,
  block: BasicBlock,
  header: BasicBlock,
  variables: readonly Value[],
  given: readonly Value[],
): void {
  const append = (opcode: Opcode): Value => block.append(proc.newValue(opcode, Void));
  variables.forEach((phi, i) => {
    if (phi.opcode !== Op.Phi) return;
    const upsilon = append(Op.Upsilon);
    upsilon.a = given[i];
    upsilon.extra = phi;
  });
  append(Op.Jump);
  block.successors = [header];
}

function replaceParameters(proc: Procedure, variables: readonly Value[]): void {
  const seen = (value: Value): Value =>
    value.opcode === Op.Parameter ? variables[value.parameterIndex] : value;
  const seenOrNone = (value: Value | null): Value | null => (value === null ? null : seen(value));
  proc.forEachValue((value) => {
    if (value.opcode === Op.ArgumentReg) {
      const parameter = argumentOf(proc, value.type, value.argumentIndex);
      assert(parameter !== null, () => `@${value.id} is no argument`);
      value.becomes(parameter);
    }
    value.a = seenOrNone(value.a);
    value.b = seenOrNone(value.b);
    value.c = seenOrNone(value.c);
    if (value.rest !== null) value.rest = value.rest.map(seen);
  });
  for (const snapshot of proc.snapshots) rewriteSlots(snapshot, seen);
}
