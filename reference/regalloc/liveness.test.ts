// Tests that liveness does not depend on earlier computations in the same arenas.

import test from "ava";
import { Int64 } from "../../src/ir/types.js";
import { blockAt } from "../lir/indices.js";
import { Lir, OperandPolicy, OperandRole, packOperand } from "../lir/lir.js";
import { Liveness } from "./liveness.js";

/** Returns blocks in a row; the first defines a value and the last uses it. */
function chainOf(blockCount: number): Lir {
  const lir = new Lir();
  lir.reset();
  const vreg = lir.newVreg(Int64);
  for (let b = 0; b < blockCount; b++) {
    lir.beginBlock();
    if (b === 0) lir.addOperand(packOperand(vreg, OperandRole.Definition, OperandPolicy.Register));
    if (b === blockCount - 1)
      lir.addOperand(packOperand(vreg, OperandRole.Use, OperandPolicy.Register));
    lir.endInstruction(0, 0, 0, -1);
    if (b < blockCount - 1) lir.addSuccessor(blockAt(b + 1));
    lir.endBlock();
  }
  return lir;
}

/** Returns whether the value is live on entry to each block but the first. */
function isLiveThroughout(liveness: Liveness, { blockCount }: Lir): boolean {
  for (let b = blockAt(1); b < blockCount; b++) {
    const isKnown = liveness.firstWord[b] === 0 && liveness.endWord[b] === 1;
    if (!isKnown || liveness.liveIn[b * liveness.words] !== 1) return false;
  }
  return true;
}

test("arenas of any size are large enough for each procedure", (t) => {
  for (let large = 130; large < 260; large += 9) {
    const liveness = new Liveness();
    // Sizes just above and below twice the capacity, and procedures that just fit.
    const near = Array.from({ length: 8 }, (_, k) => 2 * large - 2 + k);
    for (const blockCount of [2, large, large + 3, ...near]) {
      const lir = chainOf(blockCount);
      liveness.compute(lir);
      t.true(isLiveThroughout(liveness, lir), `${blockCount} blocks, after ${large}`);
    }
  }
});
