// Provides the parts of structures with a join: Phis created before their block, and the end of a
// scope.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { isFloating, type Type } from "../../ir/types.js";
import type { ProcedureMaker, ScopeMark } from "./maker.js";
import { writtenOnBoth } from "./memory.js";
import { observePending } from "./observe.js";
import { drawType } from "./swarm.js";

/** Returns Phis that are not placed yet, for the block of a join. */
export function newPhis(maker: ProcedureMaker, count: number): Value[] {
  const phis: Value[] = [];
  for (let i = 0; i < count; i++) {
    phis.push(maker.proc.newValue(Op.Phi, drawType(maker.source, maker.swarm)));
  }
  return phis;
}

/** Continues in `block`, with the Phis at its head. */
export function enter(maker: ProcedureMaker, block: BasicBlock, phis: readonly Value[]): void {
  maker.block = block;
  for (const phi of phis) maker.place(phi, isFloating(phi.type));
}

/** Appends two arms that join again; their values are dropped, except those passed to the Phis. */
export function twoArms(
  maker: ProcedureMaker,
  flag: Value,
  arms: readonly (() => readonly Value[])[],
  types: readonly Type[],
): readonly Value[] {
  const { proc } = maker;
  const phis = types.map((type) => proc.newValue(Op.Phi, type));
  const [first, second, join] = [proc.newBlock(), proc.newBlock(), proc.newBlock()];
  if (maker.chance(50)) maker.branch(flag, first, second);
  else maker.branch(flag, second, first);
  const before = maker.written;
  let after: number[] | null = null;
  for (const [i, block] of [first, second].entries()) {
    const scope = maker.mark();
    maker.written = before.slice();
    maker.block = block;
    arms[i]().forEach((value, k) => maker.upsilon(value, phis[k]));
    maker.jump(join);
    maker.release(scope);
    after = after === null ? maker.written : writtenOnBoth(after, maker.written);
  }
  maker.written = after ?? before;
  enter(maker, join, phis);
  return phis;
}

/** Appends an arm that runs if the flag is not zero. Its effects are in memory only. */
export function oneArm(maker: ProcedureMaker, flag: Value, make: () => void): void {
  const { proc } = maker;
  const [arm, join] = [proc.newBlock(), proc.newBlock()];
  maker.branch(flag, arm, join);
  const scope = maker.mark();
  const missed = maker.written.slice();
  maker.block = arm;
  make();
  maker.jump(join);
  maker.release(scope);
  maker.written = writtenOnBoth(missed, maker.written);
  maker.block = join;
}

/** Ends a scope: variables are read, unused results are shown. */
export function endScope(maker: ProcedureMaker, mark: ScopeMark): void {
  placeVariables(maker, mark.variables);
  observePending(maker, mark, null);
}

/** Places each variable from `first` on that was not read yet. */
export function placeVariables(maker: ProcedureMaker, first: number): void {
  const { variables } = maker;
  for (let i = first; i < variables.length; i++) {
    if (variables[i].isPlaced) continue;
    variables[i].isPlaced = true;
    maker.place(variables[i].phi, isFloating(variables[i].phi.type));
  }
}

// Counts a later use in advance, so that the value is not also shown as unused.
export function reserved(value: Value): Value {
  value.uses++;
  return value;
}
