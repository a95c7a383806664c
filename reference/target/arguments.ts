// Where the arguments of a call and its results go. Arguments: in registers of their bank while there are any, then on the
// stack, in order, eight bytes each, the upper halves of 32-bit ones unspecified (AMD64 psABI 3.2.3;
// AAPCS64 6.8.2, as Linux has it).

import type { Value } from "../../src/ir/procedure.js";
import { isFloating, type Type } from "../../src/ir/types.js";
import type { Target } from "./target.js";

/** A place from here on is a stack argument: its number is above this. */
export const ON_STACK = 64;
/** Bytes that a stack argument takes. */
export const STACK_ARGUMENT_SIZE = 8;
/**
 * From the frame pointer up to the first incoming stack argument, on both targets: the saved frame
 * pointer and the return address lie between.
 */
export const INCOMING_OFFSET = 16;

/**
 * Fills `places`, by argument: a register of the unified numbering, or ON_STACK plus the number of
 * the stack argument. Returns how many go on the stack.
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
 * Where results of these types go, by result: a register of the unified numbering. The first of a bank is where the
 * convention of the platform has it; those behind it are between procedures of one image.
 */
export function placeResults(types: readonly Type[], target: Target): number[] {
  const integers = [target.integerResult, ...target.furtherIntegers];
  const floats = [target.floatResult, ...target.furtherFloats];
  let integerCount = 0;
  let floatCount = 0;
  return types.map((type) => (isFloating(type) ? floats[floatCount++] : integers[integerCount++]));
}
