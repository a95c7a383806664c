// Checks patchpoints against their kinds, and registers of arguments against the parameters: rule 24 of verify.ts.

import { TAKEN_ADDRESS } from "../host-functions.js";
import { nameOfOpcode } from "../opcodes.js";
import { opcodeNameOf, PATCHPOINTS, type PatchpointKind } from "../patchpoints.js";
import { argumentOf, type Procedure, type Value } from "../procedure.js";
import { nameOfType, Void } from "../types.js";
import type { FaultReporter } from "./reporter.js";

// The base that an address is derived from, by id of value; see Tables.
const NO_ADDRESS = 0;
export const ANONYMOUS_SLOT = 1;
export const LOCKED_SLOT = 2;
export const FRAME = 3;

/**
 * Checks a patchpoint against its kind.
 * @param rest the operands, all values of the procedure
 */
export function checkPatchpoint(
  value: Value,
  rest: readonly (Value | undefined)[],
  reporter: FaultReporter,
): void {
  const kind: PatchpointKind | undefined = PATCHPOINTS[value.patchpointKind];
  if (kind === undefined || value.immediate1 !== 0) {
    reporter.fault(value, "names no kind of patchpoint");
    return;
  }
  const { name, parameters, effect } = kind;
  const opcode = nameOfOpcode(value.opcode);
  if (opcode !== opcodeNameOf(kind)) {
    reporter.fault(value, `${name} belongs to ${opcodeNameOf(kind)}, not to ${opcode}`);
  }
  if (rest.length !== parameters.length) {
    reporter.fault(value, `has ${rest.length} operands, ${name} takes ${parameters.length}`);
  }
  const result = effect === "terminal" ? Void : kind.result;
  if (value.type !== result) {
    const expected = `${name} gives ${nameOfType(result)}`;
    reporter.fault(value, `has type ${nameOfType(value.type)}, ${expected}`);
  }
  parameters.forEach(({ type, place }, i) => {
    const operand = rest[i];
    if (operand === undefined) return;
    if (operand.type !== type) {
      const expected = `expected ${nameOfType(type)}`;
      reporter.fault(value, `operand ${i + 1} has type ${nameOfType(operand.type)}, ${expected}`);
    }
    if (place === "constant" && !operand.isConstant) {
      reporter.fault(value, `operand ${i + 1}, @${operand.id}, is no constant`);
    }
  });
}

/** Checks that the patchpoint or call may take, as its operand of that number, an address derived from `base`. */
export function checkAddress(
  user: Value,
  used: Value,
  ordinal: number,
  base: number,
  reporter: FaultReporter,
): void {
  const isTaken = user.host?.kept === "takes" && ordinal === TAKEN_ADDRESS;
  const wanted = isTaken ? "slot" : (user.patchpoint?.parameters[ordinal]?.address ?? null);
  if (wanted === "slot" && base !== LOCKED_SLOT) {
    reporter.fault(user, `@${used.id} is not the address of a locked slot`);
  } else if (wanted === "frame" && base !== FRAME) {
    reporter.fault(user, `@${used.id} does not come from FramePointer`);
  } else if (wanted === null && base !== NO_ADDRESS) {
    const what = base === FRAME ? "an address in the frame" : "the address of a slot";
    reporter.fault(user, `@${used.id} is ${what}, which may not be used here`);
  }
}

export function checkArgumentReg(proc: Procedure, value: Value, reporter: FaultReporter): void {
  const found = argumentOf(proc, value.type, value.argumentIndex);
  if (found === null) {
    reporter.fault(value, "names no parameter that is passed in a register");
  } else if (found.type !== value.type) {
    const types = `${nameOfType(found.type)}, expected ${nameOfType(value.type)}`;
    reporter.fault(value, `names a parameter of type ${types}`);
  }
}
