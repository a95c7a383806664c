// Places the arguments of a call and its results. Arguments go to registers of their bank while
// there are any, then to the stack, in order, eight bytes each. The upper halves of 32-bit ones are
// unspecified (AMD64 psABI 3.2.3; AAPCS64 6.8.2, as Linux has it).

import type { Value } from "../../src/ir/procedure.js";
import { isFloating, type Type } from "../../src/ir/types.js";
import type { Target } from "./target.js";

/** The first location of stack arguments: their number is added to this. */
export const ON_STACK = 64;
/** Size of a stack argument in bytes. */
export const STACK_ARGUMENT_SIZE = 8;
/** Size of a stack argument in units of the spill area. */
export const STACK_ARGUMENT_UNITS = 2;
/**
 * Fills `places`, by argument: a register of the unified numbering, or ON_STACK plus the number of
 * the stack argument. Returns the number of stack arguments.
 */
export function placeArguments(args: readonly Value[], target: Target, places: number[]): number {
  const { integerArguments, floatArguments } = target;
  let integers = 0;
  let floats = 0;
  let onStack = 0;
  for (let i = 0; i < args.length; i++) {
    if (isFloating(args[i].type)) {
      if (floats < floatArguments.length) places[i] = floatArguments[floats++];
      else places[i] = ON_STACK + onStack++;
    } else if (integers < integerArguments.length) {
      places[i] = integerArguments[integers++];
    } else {
      places[i] = ON_STACK + onStack++;
    }
  }
  return onStack;
}

/**
 * Returns the registers of results of these types, unified numbering. The first of each bank
 * follows the convention of the platform; the others are a convention between procedures of one
 * image.
 */
export function placeResults(types: readonly Type[], target: Target): number[] {
  const integers = [target.integerResult, ...target.furtherIntegers];
  const floats = [target.floatResult, ...target.furtherFloats];
  let integerCount = 0;
  let floatCount = 0;
  return types.map((type) => (isFloating(type) ? floats[floatCount++] : integers[integerCount++]));
}
