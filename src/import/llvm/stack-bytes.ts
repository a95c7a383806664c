// Estimates the stack that the variables of a function and of those that it calls need.

import type { LlvmModule } from "../../llvm/module.js";
import { allocSize } from "../../llvm/types.js";
import { STACK_BYTES } from "./layout.js";

/** A variable is followed by bytes in no object, and aligned. */
const BYTES_PER_VARIABLE = 128;
/** Passes copy the variables of a function to its callers. */
const COPIES = 4;
const BYTES_MIN = 1024;

/** @param names the function, and those that it reaches */
export function stackBytes({ functions }: LlvmModule, names: readonly string[]): number {
  const callees = new Map<string, ReadonlySet<string>>();
  let bytes = 0;
  for (const name of names) {
    const called = new Set<string>();
    for (const { instructions } of functions.get(name)?.blocks ?? []) {
      for (const { opcode, element, operands } of instructions) {
        const [first] = operands;
        if (opcode === "call" && first.operand.kind === "global") called.add(first.operand.name);
        if (opcode !== "alloca" || element === undefined) continue;
        if (first !== undefined) return STACK_BYTES;
        bytes += allocSize(element) + BYTES_PER_VARIABLE;
      }
    }
    callees.set(name, called);
  }
  if (bytes === 0) return BYTES_MIN;
  return isRecursive(callees) ? STACK_BYTES : Math.min(STACK_BYTES, BYTES_MIN + COPIES * bytes);
}

/** Whether a function calls itself, directly or by others. */
function isRecursive(callees: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const left = new Map(callees);
  for (let isLess = true; isLess; ) {
    isLess = false;
    for (const [name, called] of left) {
      if ([...called].some((each) => left.has(each))) continue;
      left.delete(name);
      isLess = true;
    }
  }
  return left.size > 0;
}
