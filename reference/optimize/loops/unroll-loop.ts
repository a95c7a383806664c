// Peels one iteration off a loop, so that invariant work is done before it.
//
// LuaJIT unrolls a trace once, and the guards that the first iteration has tested disappear from
// the copy. This phase does the same. It copies the blocks of the loop, redirects its entries to
// the copy, and redirects the back edges of the copy to the original. The original runs all further
// iterations. Guards do not move and keep their exits. eliminate-common-subexpressions and
// forward-loads then find that the peeled guards dominate those of the loop.
//
// Assumes a valid program in any form of Phi. A loop is peeled if it has no inner loop and is
// small. It must contain a guard, a division or a load that every iteration executes with operands
// from outside. A run peels each loop once. One application is one loop.

import {
  CALLS,
  EFFECTS,
  EXITS,
  isTotal,
  PARTIAL,
  READS_MEMORY,
  WRITES_MEMORY,
} from "../../../src/ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import {
  isInEachIteration,
  isInvariant,
  type Loop,
  type LoopForest,
  mayBeCopied,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";
import { changeLoops } from "./loop-by-loop.js";
import { peel } from "./peel.js";

const NAME = "unroll-loop";

export function unrollLoop(proc: Procedure, context: OptimizeContext): boolean {
  return changeLoops(proc, context, {
    name: NAME,
    find: (loops, done) => firstThatGains(proc, loops, done),
    at: ({ loop }) => loop.header.last,
    apply: ({ loop }, loops) => {
      peel(proc, loops, loop, 1).connect();
    },
  });
}

function firstThatGains(
  proc: Procedure,
  loops: LoopForest,
  done: ReadonlySet<BasicBlock>,
): { readonly loop: Loop } | null {
  const loop = loops.all.find((loop) => !done.has(loop.header) && wouldGain(proc, loops, loop));
  return loop === undefined ? null : { loop };
}

function wouldGain(proc: Procedure, loops: LoopForest, loop: Loop): boolean {
  if (!mayBeCopied(proc, loop)) return false;
  const mayLoad = !loop.blocks.some(({ values }) => values.some(writes));
  const gain = EXITS | PARTIAL | (mayLoad ? READS_MEMORY : 0);
  return loop.blocks.some(
    (block) =>
      isInEachIteration(loops, loop, block) &&
      block.values.some((value) => isTestedOnce(value, gain, loops, loop)),
  );
}

const writes = ({ opcode }: Value): boolean => (EFFECTS[opcode] & (WRITES_MEMORY | CALLS)) !== 0;

/** True if the result of the first iteration holds for all others. */
function isTestedOnce(value: Value, gain: number, loops: LoopForest, loop: Loop): boolean {
  if ((EFFECTS[value.opcode] & gain) === 0) return false;
  return !isTotal(value.opcode, value.type) && isInvariant(value, loops, loop);
}
