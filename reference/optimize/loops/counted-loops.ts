// Recognizes counted loops: while `k < n` or `k <= n`, signed, for a 32-bit variable k to which
// each iteration adds the same step. After the test, k lies between its start and n - 1 (or n), if
// the step is not negative and the last sum does not overflow.

import { Op, type Opcode } from "../../../src/ir/opcodes.js";
import type { BasicBlock, Value } from "../../../src/ir/procedure.js";
import { Int32, Int64 } from "../../../src/ir/types.js";
import { isInLoop, type Loop, type LoopForest } from "../analysis/loops.js";
import { writtenIn } from "../edit/upsilons.js";
import type { ExactNumberBuilder } from "./exact-numbers.js";

export interface LoopCounter {
  readonly phi: Value;
  readonly start: Value;
  readonly step: Value;
  readonly limit: Value;
  /** True if the loop also runs with the limit itself. */
  readonly isInclusive: boolean;
}

/** By opcode: the comparison with exchanged operands. */
const EXCHANGED: { readonly [opcode: number]: Opcode } = {
  [Op.GreaterThan]: Op.LessThan,
  [Op.GreaterEqual]: Op.LessEqual,
};
/** By opcode: the negated comparison. */
const NEGATED: { readonly [opcode: number]: Opcode } = {
  [Op.LessThan]: Op.GreaterEqual,
  [Op.LessEqual]: Op.GreaterThan,
  [Op.GreaterThan]: Op.LessEqual,
  [Op.GreaterEqual]: Op.LessThan,
};

/**
 * Returns the counter of a loop that exits at its header unless the counter is below its limit;
 * null if there is none.
 */
export function counterOf(
  loops: LoopForest,
  loop: Loop,
  preheader: BasicBlock,
  isInvariant: (value: Value) => boolean,
): LoopCounter | null {
  const { last, successors } = loop.header;
  const condition = last.a;
  if (last.opcode !== Op.Branch || condition === null || condition.block !== loop.header) {
    return null;
  }
  const stays = successors.map((to) => isInLoop(loops, loop, to));
  if (stays[0] === stays[1]) return null;
  let opcode: Opcode | undefined = stays[0] ? condition.opcode : NEGATED[condition.opcode];
  let { a: phi, b: limit } = condition;
  if (opcode !== undefined && EXCHANGED[opcode] !== undefined) {
    opcode = EXCHANGED[opcode];
    [phi, limit] = [limit, phi];
  }
  if (opcode !== Op.LessThan && opcode !== Op.LessEqual) return null;
  if (phi === null || limit === null || phi.type !== Int32 || phi.opcode !== Op.Phi) return null;
  if (phi.block !== loop.header || !isInvariant(limit)) return null;
  const inputs = inputsOf(phi, preheader, loop);
  if (inputs === null) return null;
  const [start, next] = inputs;
  if (next.opcode !== Op.Add || next.a === null || next.b === null) return null;
  const step = next.a === phi ? next.b : next.b === phi ? next.a : null;
  if (step === null || !isInvariant(step)) return null;
  if (step.isConstant && step.constantLow <= 0) return null;
  return { phi, start, step, limit, isInclusive: opcode === Op.LessEqual };
}

/**
 * Returns the inputs of the Phi from outside and from the loop. A write before the preheader does
 * not matter, because the preheader overwrites it.
 */
function inputsOf(
  phi: Value,
  preheader: BasicBlock,
  { blocks, latches: [latch] }: Loop,
): [Value, Value] | null {
  const [start, next] = [writtenIn(preheader, phi), writtenIn(latch, phi)];
  const isElsewhere = blocks.some((block) => block !== latch && writtenIn(block, phi) !== null);
  return start === null || next === null || isElsewhere ? null : [start, next];
}

/** Computes the greatest counter with which an iteration may run. */
export function lastOf({ limit, isInclusive }: LoopCounter, exact: ExactNumberBuilder): Value {
  const end = exact.extended(limit);
  return isInclusive ? end : exact.make(Op.Add, Int64, end, exact.long(-1));
}

/** Computes flags that are not zero if the counter may decrease or overflow. */
export function overflowFlags(
  { step, isInclusive }: LoopCounter,
  last: Value,
  exact: ExactNumberBuilder,
): Value[] {
  const flags: Value[] = [];
  if (!step.isConstant) {
    flags.push(exact.make(Op.LessThan, Int32, exact.extended(step), exact.long(0)));
  }
  if (isInclusive || !step.isConstant || step.constantLow !== 1) {
    const next = exact.make(Op.Add, Int64, last, exact.extended(step));
    flags.push(exact.make(Op.GreaterThan, Int32, next, exact.long(0x7fffffff)));
  }
  return flags;
}

/** True if the value is known not to be negative. */
export const isNatural = (value: Value): boolean =>
  value.opcode === Op.Const32 && value.constantLow >= 0;
