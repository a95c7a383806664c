// Emits Phis of one block that forward constants between iterations. A compiler that evaluates a
// Phi on the back edge must not confuse the current iteration's values with those of the previous
// one.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Int32, isFloating } from "../../ir/types.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { combine } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";
import { drawType } from "../maker/swarm.js";

/** Operations that compute one Phi from the next one and a constant, with their meanings. */
const OPERATIONS: readonly { opcode: Opcode; of: (x: number, c: number) => number }[] = [
  { opcode: Op.Add, of: (x, c) => (x + c) | 0 },
  { opcode: Op.Sub, of: (x, c) => (x - c) | 0 },
  { opcode: Op.BitXor, of: (x, c) => x ^ c },
  { opcode: Op.BitAnd, of: (x, c) => x & c },
];

// Emits one block with a chain of Phis that forward constants; the first controls the branch. Each
// Phi becomes an operation on the next Phi and a constant, and the last one becomes a constant.
// After as many iterations as there are Phis, none changes any more. `fixpoint` is then the value of
// the first one.
export function forwardedConstants(maker: ProcedureMaker): void {
  const { proc } = maker;
  const drawSmall = (): number => maker.below(6) - 1;
  const phis = Array.from({ length: 1 + maker.below(3) }, () => proc.newValue(Op.Phi, Int32));
  const carried = proc.newValue(Op.Phi, drawType(maker.source, maker.swarm));
  for (const phi of phis) maker.upsilon(maker.integer(Int32, drawSmall()), phi);
  maker.upsilon(maker.pick(carried.type), carried);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.jump(header);
  maker.block = header;
  for (const phi of phis) maker.place(phi, false);
  maker.place(carried, isFloating(carried.type));
  let fixpoint = drawSmall();
  let next = maker.integer(Int32, fixpoint);
  const nextValues: Value[] = [];
  for (let i = phis.length - 1; i >= 0; i--) {
    nextValues[i] = next;
    if (i === 0) break;
    const { opcode, of } = oneOf(maker, OPERATIONS);
    const c = drawSmall();
    next = maker.append(opcode, Int32, phis[i], maker.integer(Int32, c));
    fixpoint = of(fixpoint, c);
  }
  const combined = combine(maker, carried, maker.chance(50) ? phis[0] : carried);
  combined.uses = 0;
  const flag =
    fixpoint === 0 && maker.chance(60)
      ? phis[0]
      : maker.append(Op.NotEqual, Int32, phis[0], maker.integer(Int32, fixpoint));
  phis.forEach((phi, i) => maker.upsilon(nextValues[i], phi));
  maker.upsilon(combined, carried);
  maker.branch(flag, header, exit);
  maker.block = exit;
}
