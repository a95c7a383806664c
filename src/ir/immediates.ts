// Defines the immediates of opcodes: the numbers that a value contains besides its operands. Code outside this
// folder reads and writes them by accessors of Value with the names of this table.

import { assert } from "../support/assert.js";
import {
  ALL_OPCODES,
  type AttributeSpec,
  hasAttribute,
  nameOfOpcode,
  Op,
  type Opcode,
} from "./opcodes.js";
import { Value } from "./procedure.js";

interface ImmediateRow {
  /** The opcodes with this attribute have the immediate. */
  readonly of: AttributeSpec | "Parameter";
  /** The field of Value. */
  readonly field: "immediate0" | "immediate1";
}

// biome-ignore format: a table
export const IMMEDIATES = {
  constantLow:    { of: "Const",     field: "immediate0" },
  constantHigh:   { of: "Const",     field: "immediate1" },
  offset:         { of: "Offset",    field: "immediate0" },
  memoryClass:    { of: "Offset",    field: "immediate1" },
  parameterIndex: { of: "Parameter", field: "immediate0" },
  argumentIndex:  { of: "Register",  field: "immediate0" },
  resultIndex:    { of: "Number",    field: "immediate0" },
  fenceKind:      { of: "Order",     field: "immediate0" },
  patchpointKind: { of: "Kind",      field: "immediate0" },
  hostIndex:      { of: "DeoptHost",    field: "immediate0" },
} as const satisfies Partial<Record<keyof Value, ImmediateRow>>;

type ImmediateName = keyof typeof IMMEDIATES;
// The cast makes the list typed: the keys are names by construction.
export const IMMEDIATE_NAMES = Object.keys(IMMEDIATES) as readonly ImmediateName[];

/** Returns whether values of the opcode have the immediate. */
export function hasImmediate(opcode: Opcode, name: ImmediateName): boolean {
  const { of } = IMMEDIATES[name];
  return of === "Parameter" ? opcode === Op.Parameter : hasAttribute(opcode, of);
}

/**
 * Replaces the accessors of Value by ones that throw an InternalError if the opcode does not have the immediate. Tests
 * call it once for each process. Campaigns do not, so the check costs them nothing.
 */
export function checkImmediates(): void {
  for (const name of IMMEDIATE_NAMES) {
    const { field } = IMMEDIATES[name];
    const has = Uint8Array.from(ALL_OPCODES, (opcode) => (hasImmediate(opcode, name) ? 1 : 0));
    const check = ({ id, opcode }: Value): void =>
      assert(has[opcode] === 1, () => `@${id}: ${nameOfOpcode(opcode)} has no ${name}`);
    Object.defineProperty(Value.prototype, name, {
      configurable: true,
      get(this: Value): number {
        check(this);
        return this[field];
      },
      set(this: Value, immediate: number) {
        check(this);
        this[field] = immediate;
      },
    });
  }
}
