// Defines the arrays of a world in its heap cell: two that are read and one that is written, each with room before and
// after it. Procedures fill them from operands, and combine all their words.

import type { ProcedureMaker } from "../../generate/maker/maker.js";
import { Op } from "../../ir/opcodes.js";
import type { Procedure, Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, type Type, Void } from "../../ir/types.js";
import { call, returnResults, startProcedure } from "../procedures.js";
import { resultBits } from "../steps.js";
import type { WorldSite } from "../world.js";
import { BYTES } from "./elements.js";

const WORD_BYTES = 8;
/** Bytes of the elements of one array, and of the room before and after them. */
export const ARRAY_BYTES = 256;
const MARGIN_BYTES = 64;
const PITCH = ARRAY_BYTES + 2 * MARGIN_BYTES;
const ARRAYS = 3;
export const REGION_BYTES = ARRAYS * PITCH;

/** Whether all arrays are at distances from one address, or at addresses of their own. */
export const ADDRESSES = ["one", "several"] as const;

/** The environment of a procedure that accesses the arrays. */
interface ArrayProcedure {
  readonly maker: ProcedureMaker;
  /** The addresses of the arrays. */
  readonly arrays: readonly Value[];
  /** The Int32 from which a number of iterations is made. */
  readonly some: Value;
  /** The site in the procedure: one operand of each type. */
  readonly site: WorldSite;
}

/** Starts a procedure for `runOnArrays`. */
export function startOnArrays(
  site: WorldSite,
  name: string,
  addresses: (typeof ADDRESSES)[number],
): ArrayProcedure {
  const types = [Int64, Int64, Int64, Int32, Int32, Int64, Float, Double];
  const maker = startProcedure(site, name, [Int64], types);
  const [first, second, third, some, ...given] = maker.proc.parameters;
  const distant = (number: number): Value =>
    maker.append(Op.Add, Int64, first, maker.integer(Int64, number * PITCH));
  const others = addresses === "several" ? [second, third] : [distant(1), distant(2)];
  return {
    maker,
    arrays: [first, ...others],
    some,
    site: { ...site, maker, operands: [[], ...given.map((value) => [value])] },
  };
}

/** Fills the arrays, runs the procedure on them, and returns its result combined with their contents. */
export function runOnArrays(site: WorldSite, type: Type, proc: Procedure): Value {
  const { maker, operands } = site;
  const region = maker.append(Op.Add, Int64, site.heap, maker.integer(Int64, site.cell));
  const [filled, summed] = [fillProcedure(type, site), checksumProcedure(site)];
  const given = [Int32, Int64, Float, Double].map((type) => operands[type][0]);
  const arrays = Array.from({ length: ARRAYS }, (_, a) =>
    maker.append(Op.Add, Int64, region, maker.integer(Int64, a * PITCH + MARGIN_BYTES)),
  );
  call(maker, filled, [region, ...given]);
  const result = call(maker, proc, [...arrays, operands[Int32][1], ...given]);
  return maker.append(Op.BitXor, Int64, result, call(maker, summed, [region]));
}

/**
 * Makes a loop over the words of a region.
 * @param body returns the new state of an iteration
 */
function overWords(
  maker: ProcedureMaker,
  bytes: number,
  start: Value,
  body: (address: Value, counter: Value, state: Value) => Value,
): Value {
  const { proc } = maker;
  const [counter, state] = [proc.newValue(Op.Phi, Int32), proc.newValue(Op.Phi, start.type)];
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.upsilon(maker.integer(Int32, 0), counter);
  maker.upsilon(start, state);
  maker.jump(header);
  maker.block = header;
  for (const phi of [counter, state]) maker.place(phi, false);
  const distance = maker.append(Op.Mul, Int32, counter, maker.integer(Int32, bytes));
  const wide = maker.append(Op.ZExt32, Int64, distance);
  const address = maker.append(Op.Add, Int64, proc.parameters[0], wide);
  maker.upsilon(body(address, counter, state), state);
  const next = maker.append(Op.Add, Int32, counter, maker.integer(Int32, 1));
  maker.upsilon(next, counter);
  const limit = maker.integer(Int32, REGION_BYTES / bytes);
  maker.branch(maker.append(Op.LessThan, Int32, next, limit), header, exit);
  maker.block = exit;
  return state;
}

/** Each eighth element of a filled array of floats is an operand, such as a NaN, an infinity or -0. */
const SPECIAL_MASK = 7;
const STEP = 37;
const NUMBERS_MASK = 1023;

/** Makes the procedure that fills the arrays from operands: the region, and an operand of each type. */
function fillProcedure(type: Type, site: WorldSite): Procedure {
  const maker = startProcedure(site, "fill", [Int64], [Int64, Int32, Int64, Float, Double]);
  const [, narrow, wide, ...floats] = maker.proc.parameters;
  if (!isFloating(type)) {
    const filled = overWords(maker, WORD_BYTES, wide, (address, counter, state) => {
      maker.append(Op.Store, Void, state, address);
      const turned = maker.append(Op.RotL, Int64, wide, counter);
      const added = maker.append(Op.SExt32, Int64, counter);
      return maker.append(Op.Add, Int64, turned, added);
    });
    returnResults(maker, filled);
    return maker.proc;
  }
  const special = floats[type === Float ? 0 : 1];
  const filled = overWords(maker, BYTES[type], special, (address, counter, state) => {
    maker.append(Op.Store, Void, state, address);
    const moved = maker.append(Op.Mul, Int32, counter, maker.integer(Int32, STEP));
    const mixed = maker.append(Op.BitXor, Int32, moved, narrow);
    const small = maker.append(Op.BitAnd, Int32, mixed, maker.integer(Int32, NUMBERS_MASK));
    const number = maker.append(type === Float ? Op.IToF : Op.IToD, type, small);
    const low = maker.append(Op.BitAnd, Int32, counter, maker.integer(Int32, SPECIAL_MASK));
    return maker.append(Op.Select, type, low, number, special);
  });
  returnResults(maker, resultBits({ ...site, maker }, filled));
  return maker.proc;
}

/** Makes the procedure that combines the words of the region so that their order matters. */
function checksumProcedure(site: WorldSite): Procedure {
  const maker = startProcedure(site, "checksum", [Int64], [Int64]);
  const start = maker.integer(Int64, 0);
  const sum = overWords(maker, WORD_BYTES, start, (address, _counter, state) => {
    const turned = maker.append(Op.RotL, Int64, state, maker.integer(Int32, 5));
    return maker.append(Op.Add, Int64, turned, maker.append(Op.Load, Int64, address));
  });
  returnResults(maker, sum);
  return maker.proc;
}
