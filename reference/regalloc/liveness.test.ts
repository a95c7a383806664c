// What is live does not depend on what was computed before in the same arenas.

import test from "ava";
import { Int64 } from "../../src/ir/types.js";
import { Lir, Policy, packOperand, Role } from "../lir/lir.js";
import { Liveness } from "./liveness.js";

/** Blocks in a row; a value is made in the first one and used in the last. */
function chainOf(blockCount: number): Lir {
  const lir = new Lir();
  lir.reset();
  const vreg = lir.newVreg(Int64);
  for (let b = 0; b < blockCount; b++) {
    lir.beginBlock();
    if (b === 0) lir.addOperand(packOperand(vreg, Role.Definition, Policy.Register));
    if (b === blockCount - 1) lir.addOperand(packOperand(vreg, Role.Use, Policy.Register));
    lir.endInstruction(0, 0, 0, -1);
    if (b < blockCount - 1) lir.addSuccessor(b + 1);
    lir.endBlock();
  }
  return lir;
}

/** True if the value is live on entry to each block but the first. */
function isLiveThroughout(liveness: Liveness, { blockCount }: Lir): boolean {
  for (let b = 1; b < blockCount; b++) {
    const isKnown = liveness.firstWord[b] === 0 && liveness.endWord[b] === 1;
    if (!isKnown || liveness.liveIn[b * liveness.words] !== 1) return false;
  }
  return true;
}

test("arenas that have grown to any size hold each procedure whole", (t) => {
  for (let large = 130; large < 260; large += 9) {
    const liveness = new Liveness();
    // More than twice what there was, then twice that; and what fits just so.
    const near = Array.from({ length: 8 }, (_, k) => 2 * large - 2 + k);
    for (const blockCount of [2, large, large + 3, ...near]) {
      const lir = chainOf(blockCount);
      liveness.compute(lir);
      t.true(isLiveThroughout(liveness, lir), `${blockCount} blocks, behind ${large}`);
    }
  }
});
