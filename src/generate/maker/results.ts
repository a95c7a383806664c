// Emits further results of procedures: the types of a new procedure's results, the results of its
// returns, and their uses at calls.

import { Op, type Opcode } from "../../ir/opcodes.js";
import { FURTHER_MAX, furtherOf, type Value } from "../../ir/procedure.js";
import { isFloating, type Type, Void } from "../../ir/types.js";
import type { ChoiceSource } from "../../support/source.js";
import { pickSpecial } from "./conditions.js";
import type { ProcedureMaker } from "./maker.js";
import { chance } from "./odds.js";
import { drawType, type Swarm } from "./swarm.js";

/** Returns the type of a new procedure's first result; at times Void. */
export const drawResult = (source: ChoiceSource, swarm: Swarm): Type =>
  chance(source, 10) ? Void : drawType(source, swarm);

/** Returns the types of further results of a procedure with this first result: mostly none. */
export function drawFurther(maker: ProcedureMaker, result: Type): Type[] {
  const { source, swarm, dials } = maker;
  if (result === Void || !maker.chance(dials.results)) return [];
  return Array.from({ length: 1 + maker.below(FURTHER_MAX) }, () => drawType(source, swarm));
}

/** Ends the procedure with the value as its first result, and a value for each further one. */
export function appendReturn(maker: ProcedureMaker, opcode: Opcode, value: Value): void {
  const [b = null, c = null] = pickFurther(maker);
  maker.append(opcode, Void, value, b, c);
}

/** Returns a value for each further result of the procedure. */
export function pickFurther(maker: ProcedureMaker): Value[] {
  return maker.proc.further.map((type) =>
    maker.chance(20) ? pickSpecial(maker, type) : maker.pick(type),
  );
}

/** Extracts most of the further results of a call; returns them by their numbers, from 1. */
export function takeFurther(maker: ProcedureMaker, call: Value): Map<number, Value> {
  const taken = new Map<number, Value>();
  furtherOf(call).forEach((type, i) => {
    if (maker.chance(NOT_TAKEN)) return;
    const result = maker.emit(Op.Extract, type, call);
    result.resultIndex = i + 1;
    // Like the first result, it may be an open NaN.
    if (isFloating(type)) maker.setOpen(result, true);
    taken.set(i + 1, result);
  });
  return taken;
}
/** Percentage of further results that the caller ignores. */
const NOT_TAKEN = 12;
