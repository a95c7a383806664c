// What every structure with a join does: Phis made before their block, scopes ended.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { isFloating } from "../../ir/types.js";
import type { Maker, Mark } from "./maker.js";
import { observePending } from "./observe.js";
import { drawType } from "./swarm.js";

/** Phis that do not stand yet, for a block where ways join. */
export function newPhis(maker: Maker, count: number): Value[] {
  const phis: Value[] = [];
  for (let i = 0; i < count; i++) {
    phis.push(maker.proc.newValue(Op.Phi, drawType(maker.source, maker.swarm)));
  }
  return phis;
}

/** Goes on in `block`, whose Phis now stand at its head. */
export function enter(maker: Maker, block: BasicBlock, phis: readonly Value[]): void {
  maker.block = block;
  for (const phi of phis) maker.place(phi, isFloating(phi.type));
}

/** Ends a scope: variables are read, results that nobody used are shown. */
export function settle(maker: Maker, mark: Mark): void {
  placeVariables(maker, mark.variables);
  observePending(maker, mark, null);
}

/** Places each variable from `first` on that was not read yet. */
export function placeVariables(maker: Maker, first: number): void {
  const { variables } = maker;
  for (let i = first; i < variables.length; i++) {
    if (variables[i].isPlaced) continue;
    variables[i].isPlaced = true;
    maker.place(variables[i].phi, isFloating(variables[i].phi.type));
  }
}

// Notes a use that is to come, so that the value is not shown otherwise too.
export function reserved(value: Value): Value {
  value.uses++;
  return value;
}
