// Makes worlds of procedures with further results: their types, their values, how they reach the
// caller, and which of them the caller uses.

import type { ProcedureMaker } from "../generate/maker/maker.js";
import { Op } from "../ir/opcodes.js";
import type { Procedure, Value } from "../ir/procedure.js";
import { Double, Float, Int32, Int64, isInteger, type Type } from "../ir/types.js";
import { below, type CountedValue, choice, product, sequence } from "./counted.js";
import { bitsOf } from "./operations.js";
import {
  call,
  callIndirectly,
  extract,
  type ResultTypes,
  returnResults,
  startProcedure,
} from "./procedures.js";
import { kindOf, type WorldKind, type WorldSite } from "./world.js";

const TYPES = [Int32, Int64, Float, Double] as const;
/** The number of operands of each type that the procedure takes. */
const OPERANDS_TAKEN = 2;

type ResultMaker = (maker: ProcedureMaker, type: Type, x: Value, y: Value) => Value;
const RESULT_MAKERS: readonly ResultMaker[] = [
  (_maker, _type, x) => x,
  (_maker, _type, _x, y) => y,
  (maker, type) => (isInteger(type) ? maker.integer(type, -3) : maker.constantOf(type, 0, 0)),
  (maker, type, x, y) => maker.append(isInteger(type) ? Op.Sub : Op.FMin, type, x, y),
];

type ResultCall = (site: WorldSite, proc: Procedure, args: readonly Value[]) => Value;
const CALL_FORMS: readonly ResultCall[] = [
  (site, proc, args) => call(site.maker, proc, args),
  (site, proc, args) => callIndirectly(site.maker, proc, site.operands[Int32][2], args),
  passThrough,
];

/** Passes the results through another procedure, which exchanges the operands of each type. */
function passThrough(site: WorldSite, proc: Procedure, args: readonly Value[]): Value {
  const types = proc.parameters.map(({ type }) => type);
  const maker = startProcedure(site, "between", [proc.result, ...proc.further], types);
  const { parameters } = maker.proc;
  const exchanged = parameters.map((_, p) => parameters[p ^ 1]);
  const given = call(maker, proc, exchanged);
  returnResults(maker, given, ...proc.further.map((type, f) => extract(maker, given, type, f + 1)));
  return call(site.maker, maker.proc, args);
}

/**
 * Returns the kind of worlds with procedures of this many results.
 * @param count the number of results
 */
function resultsKind(name: string, description: string, count: number): WorldKind {
  const worlds = product({
    results: sequence(count, choice(TYPES)),
    given: sequence(count, choice(RESULT_MAKERS)),
    called: choice(CALL_FORMS),
    taken: below(2 ** count - 1),
  });
  const make = (world: CountedValue<typeof worlds>, site: WorldSite): Value => {
    const { results, given, called, taken } = world;
    const [first, ...further] = results;
    const callee = makeCallee(site, [first, ...further], given);
    const args = operandsOf(callee).map(([type, k]) => site.operands[type][k]);
    return combined(site.maker, called(site, callee, args), further, taken + 1);
  };
  return kindOf(name, description, worlds, make);
}

function makeCallee(
  site: WorldSite,
  results: ResultTypes,
  given: readonly ResultMaker[],
): Procedure {
  const types = TYPES.filter((type) => results.includes(type));
  const parameters = types.flatMap((type) => Array.from({ length: OPERANDS_TAKEN }, () => type));
  const maker = startProcedure(site, "gives", results, parameters);
  const [first, ...further] = results.map((type, r) => {
    const [x, y] = maker.proc.parameters.filter((parameter) => parameter.type === type);
    return given[r](maker, type, x, y);
  });
  returnResults(maker, first, ...further);
  return maker.proc;
}

/** Returns for each parameter its type, and the index of the world's operand of that type. */
const operandsOf = ({ parameters }: Procedure): (readonly [Type, number])[] =>
  parameters.map(({ type }, p) => [type, p % OPERANDS_TAKEN]);

/** Combines to one integer the results whose bits are set in `taken`, the first result lowest. */
function combined(
  maker: ProcedureMaker,
  value: Value,
  further: readonly Type[],
  taken: number,
): Value {
  const results = [value.type, ...further].flatMap((type, r) => {
    if ((taken & (1 << r)) === 0) return [];
    return [r === 0 ? value : extract(maker, value, type, r)];
  });
  return results
    .map((result) => bitsOf(maker, purified(maker, result), Op.SExt32))
    .reduce((sum, bits) => {
      const doubled = maker.append(Op.Shl, Int64, sum, maker.integer(Int32, 1));
      return maker.append(Op.Sub, Int64, doubled, bits);
    });
}

const purified = (maker: ProcedureMaker, value: Value): Value =>
  isInteger(value.type) ? value : maker.append(Op.PurifyNaN, value.type, value);

export const RESULTS: readonly WorldKind[] = [
  resultsKind("two-results", "a procedure with two results", 2),
  resultsKind("three-results", "a procedure with three results", 3),
];
