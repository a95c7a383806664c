// Moves constants to jumps, in a traced execution. The constant of a binary operation is moved to
// the value of the other operand, or next to it. The constant of a unary operation is moved to a
// tie, a limit, or a sign change.
//
// A wrong fact that a compiler derives from a range, a mask or a branch is wrong at an end of the
// range first. A constant drawn in advance is seldom there; a moved constant is exactly there.
//
// Only constants on which definedness does not depend are moved. Each gets a definition of its own
// before its operation.

import type { GeneratedProgram } from "../generate/generate-program.js";
import { chance } from "../generate/maker/odds.js";
import { OPERAND_COUNTS } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { isFloating, isWide, type Type } from "../ir/types.js";
import { wordsOf } from "../ir/words.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import type { ChoiceSource } from "../support/source.js";
import { atJump, FUEL_MAX } from "./aim.js";
import { Backtrace } from "./backtrace.js";
import { type SignedBits, wrap } from "./bits.js";

/** Percentage of the executed operations whose constants are moved. */
const MOVED = 50;
/**
 * Percentage of binary operations whose constant is set to the other operand, or next to it; the
 * others are set where the result jumps.
 */
const TO_OTHER = 55;
const BESIDE_OTHER = 25;

const oracle = new Oracle();

/** Changes constants of the program, based on one of its executions. */
export function moveConstants(
  { module, free }: GeneratedProgram,
  input: Input,
  source: ChoiceSource,
): void {
  if (free.length === 0) return;
  const { trace } = oracle.runTraced(decodeLazily(module), input, FUEL_MAX);
  const back = new Backtrace(module, trace, input);
  const firsts = firstEvents(back, free);
  const places = new Map(placesOf(module));
  for (const value of free) {
    const event = firsts.get(value);
    const proc = value.block === null ? undefined : places.get(value);
    if (event === undefined || proc === undefined || !chance(source, MOVED)) continue;
    const operand = value.b?.isConstant ? 1 : 0;
    const bits = wantedOf(back, event, operand, source);
    if (bits !== null) replace(proc, value, operand, bits);
  }
}

/** Returns the first executed event of each operation. */
function firstEvents(back: Backtrace, free: readonly Value[]): ReadonlyMap<Value, number> {
  const wanted = new Set(free);
  const firsts = new Map<Value, number>();
  for (let e = 0; e < back.trace.length; e++) {
    const value = back.valueAt(e);
    if (wanted.has(value) && !firsts.has(value)) firsts.set(value, e);
  }
  return firsts;
}

/** Returns the procedure of each value. */
function placesOf({ procedures }: Module): [Value, Procedure][] {
  return procedures.flatMap((proc) =>
    proc.blocks.flatMap(({ values }) => values.map((value): [Value, Procedure] => [value, proc])),
  );
}

function wantedOf(
  back: Backtrace,
  event: number,
  operand: number,
  source: ChoiceSource,
): SignedBits | null {
  const { opcode, a, b } = back.valueAt(event);
  const type = (operand === 1 ? b : a)?.type;
  const isOfTwo = OPERAND_COUNTS[opcode] === 2 && a?.type === b?.type;
  const roll = source.below(100);
  if (isOfTwo && type !== undefined && roll < TO_OTHER + BESIDE_OTHER) {
    const other = back.bitsAt(back.operandOf(event, 1 - operand), type);
    return roll < TO_OTHER ? other : beside(type, other, source);
  }
  return atJump(back, event, operand, source);
}

/** Returns a neighbour; for a float the next bits, or the other sign. */
function beside(type: Type, bits: SignedBits, source: ChoiceSource): SignedBits {
  const roll = source.below(isFloating(type) ? 3 : 2);
  return wrap(type, roll === 0 ? bits + 1n : roll === 1 ? bits - 1n : bits ^ signBit(type));
}

const signBit = (type: Type): SignedBits => wrap(type, isWide(type) ? 1n << 63n : 1n << 31n);

function replace(proc: Procedure, value: Value, operand: number, bits: SignedBits): void {
  const { block, a, b } = value;
  const old = operand === 1 ? b : a;
  if (block === null || old === null) return;
  const constant = proc.newConstant(old.type, ...wordsOf(old.type, bits));
  constant.block = block;
  constant.uses = 1;
  old.uses--;
  block.values.splice(block.values.indexOf(value), 0, constant);
  if (operand === 1) value.b = constant;
  else value.a = constant;
}
