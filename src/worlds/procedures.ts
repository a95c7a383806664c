// Makes procedures for a world, and calls of them.

import { ProcedureMaker } from "../generate/maker/maker.js";
import { Op } from "../ir/opcodes.js";
import { Procedure, type Value } from "../ir/procedure.js";
import { Int64, type Type, Void } from "../ir/types.js";
import type { WorldSite } from "./world.js";

/** The result types of a procedure; none: Void. */
export type ResultTypes = readonly [Type, ...Type[]];

/** Starts a procedure with parameters of these types; the Maker is in its first block. */
export function startProcedure(
  site: WorldSite,
  name: string,
  [result, ...further]: ResultTypes,
  types: readonly Type[],
): ProcedureMaker {
  const { context } = site.maker;
  const proc = new Procedure(`${name}${site.number}`, result, further);
  for (const type of types) proc.newParameter(type);
  context.module.procedures.push(proc);
  return new ProcedureMaker(context, proc, -1);
}

export function returnResults(
  maker: ProcedureMaker,
  first: Value,
  ...further: readonly Value[]
): void {
  const [b = null, c = null] = further;
  maker.append(Op.Return, Void, first, b, c);
}

export function call(maker: ProcedureMaker, proc: Procedure, args: readonly Value[]): Value {
  const value = maker.append(Op.CCall, proc.result);
  value.extra = proc;
  value.rest = [...args];
  return value;
}

/** Calls through an address that an operand selects from two equal procedures. */
export function callIndirectly(
  maker: ProcedureMaker,
  proc: Procedure,
  flag: Value,
  args: readonly Value[],
): Value {
  const address = (): Value => {
    const value = maker.append(Op.FunctionAddress, Int64);
    value.extra = proc;
    return value;
  };
  const chosen = maker.append(Op.Select, Int64, flag, address(), address());
  const value = maker.append(Op.CallIndirect, proc.result, chosen);
  value.rest = [...args];
  return value;
}

/** Extracts a further result of the call, by its number from 1. */
export function extract(maker: ProcedureMaker, call: Value, type: Type, number: number): Value {
  const value = maker.append(Op.Extract, type, call);
  value.resultIndex = number;
  return value;
}
