// One loop is changed after the other, and loops are analyzed again each time: a changed loop may have become two, or
// none, or have grown too large.

import type { BasicBlock, Procedure, Value } from "../../../src/ir/procedure.js";
import { analyzeLoops, isTooLargeForCopies, type Loop, type Loops } from "../analysis/loops.js";
import type { OptimizeContext } from "../edit/context.js";

/** What a phase does to a loop that it has found; all that it knows of the loop is in the plan. */
interface LoopChange<Plan extends { readonly loop: Loop }> {
  /** Of the phase. */
  readonly name: string;
  /** The first loop that is to be changed, but for those with a header that is done. */
  readonly find: (loops: Loops, done: ReadonlySet<BasicBlock>) => Plan | null;
  /** The value that stands for the change where applications are counted. */
  readonly at: (plan: Plan) => Value;
  readonly apply: (plan: Plan, loops: Loops) => void;
}

/** Changes loops until none is found, or the procedure is too large for copies; true if it has changed any. */
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
