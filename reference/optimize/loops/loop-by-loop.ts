// Changes one loop at a time, and analyzes the loops again each time: a changed loop may have
// become two, or none, or have grown too large.

import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import {
  analyzeLoops,
  isTooLargeForCopies,
  type Loop,
  type LoopForest,
} from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";

/** The change of a phase to one loop. The plan holds all facts about the loop. */
interface LoopChange<Plan extends { readonly loop: Loop }> {
  readonly name: string;
  /**
   * Returns a plan for the first loop that is to be changed, except loops with a header in `done`.
   */
  readonly find: (loops: LoopForest, done: ReadonlySet<BasicBlock>) => Plan | null;
  /** Returns the value that identifies the change when applications are counted. */
  readonly at: (plan: Plan) => Value;
  readonly apply: (plan: Plan, loops: LoopForest) => void;
}

/**
 * Changes loops until none is found, or the procedure is too large for copies. Returns true if it
 * changed any.
 */
export function changeLoops<Plan extends { readonly loop: Loop }>(
  proc: Procedure,
  context: OptimizeContext,
  { name, find, at, apply }: LoopChange<Plan>,
): boolean {
  const done = new Set<BasicBlock>();
  for (;;) {
    if (isTooLargeForCopies(proc)) {
      context.reachLimit("procedure size");
      break;
    }
    const loops = analyzeLoops(proc, context.flow(proc));
    const plan = find(loops, done);
    if (plan === null || !context.claim(name, at(plan))) break;
    apply(plan, loops);
    context.blocksChanged();
    done.add(plan.loop.header);
  }
  return done.size > 0;
}
