// A table of the distribution: for each opcode and type, the executions in which an operand was a
// special value (-0, NaN, INT_MIN, ...). It reads traces of the oracle. Continuations do not count:
// they are not compiled with the entry.

import { HOST_FUNCTIONS } from "../../../src/ir/host-functions.js";
import {
  ALL_OPCODES,
  CALLS_ADDRESS,
  hasAttribute,
  isValueOperand,
  nameOfOpcode,
  type Opcode,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
} from "../../../src/ir/opcodes.js";
import { isFloating, isInteger, nameOfType, TYPE_NAMES, type Type } from "../../../src/ir/types.js";
import {
  ALL_ONES,
  type ExecutionTrace,
  INFINITY,
  INT_MAX,
  INT_MIN,
  MINUS_ZERO,
  NAN,
  SUBNORMAL,
  specialsConsumed,
} from "../../../src/oracle/fast/trace.js";

// biome-ignore format: a table
const SPECIALS = [
  { name: "-0",          bit: MINUS_ZERO, isOf: isFloating },
  { name: "NaN",         bit: NAN,        isOf: isFloating },
  { name: "a subnormal", bit: SUBNORMAL,  isOf: isFloating },
  { name: "infinity",    bit: INFINITY,   isOf: isFloating },
  { name: "INT_MIN",     bit: INT_MIN,    isOf: isInteger },
  { name: "INT_MAX",     bit: INT_MAX,    isOf: isInteger },
  { name: "-1",          bit: ALL_ONES,   isOf: isInteger },
] as const;

/** One line of the table: an opcode's operands of one type. */
export interface SpecialCounts {
  /** The opcode and the type of the operand: `Add Float`. */
  readonly name: string;
  /**
   * Number of executions with the special operand, by its name; contains the specials of the type.
   */
  readonly met: Readonly<Record<string, number>>;
}

/** Special operands of all executions so far. */
export class SpecialTable {
  private readonly counts = SPECIALS.map(
    () => new Int32Array(ALL_OPCODES.length * TYPE_NAMES.length),
  );

  /**
   * Counts one execution.
   * @param compiled indices of the procedures whose operands count
   */
  addExecution(trace: ExecutionTrace, compiled: readonly number[]): void {
    const met = new Uint8Array(ALL_OPCODES.length * TYPE_NAMES.length);
    for (const p of compiled) {
      const consumed = specialsConsumed(trace, p);
      for (let at = 0; at < met.length; at++) met[at] |= consumed[at];
    }
    for (let at = 0; at < met.length; at++) {
      if (met[at] === 0) continue;
      for (let s = 0; s < SPECIALS.length; s++) {
        if ((met[at] & SPECIALS[s].bit) !== 0) this.counts[s][at]++;
      }
    }
  }

  get rows(): SpecialCounts[] {
    return ALL_OPCODES.flatMap((opcode) =>
      [...operandTypes(opcode)].map((type) => {
        const at = opcode * TYPE_NAMES.length + type;
        const met = SPECIALS.flatMap(({ name, isOf }, s) =>
          isOf(type) ? [[name, this.counts[s][at]] as const] : [],
        );
        return {
          name: `${nameOfOpcode(opcode)} ${nameOfType(type)}`,
          met: Object.fromEntries(met),
        };
      }),
    );
  }
}

/**
 * Returns the names of specials with fewer than `floor` executions, and the number of all specials.
 */
export function raresOf(
  rows: readonly SpecialCounts[],
  floor: number,
): [names: string[], all: number] {
  const counted = rows.flatMap(({ name, met }) =>
    Object.entries(met).map(([special, count]) => ({ name: `${name} ${special}`, count })),
  );
  return [counted.filter(({ count }) => count < floor).map(({ name }) => name), counted.length];
}

/**
 * Returns the types of operands that a row computes with. Addresses and lengths are never special.
 */
function operandTypes(opcode: Opcode): Set<Type> {
  const { effect } = specOf(opcode);
  const isBulk = effect === "bulk" || effect === "allocate";
  const takesAddress = hasAttribute(opcode, "Offset") || isBulk || CALLS_ADDRESS[opcode] === 1;
  const types = new Set<Type>();
  if (effect === "result") return types; // it reads no bits of the call's result
  for (const arg of specOf(opcode).args) {
    if (arg === "T") for (const type of typesOver(opcode)) types.add(type);
    else if (arg === "U") for (const type of typesAlso(opcode)) types.add(type);
    else if (isValueOperand(arg) && !(takesAddress && arg === "Int64")) types.add(typeOfName(arg));
    else if (arg === "Rest" && hasAttribute(opcode, "Callee")) {
      for (const host of HOST_FUNCTIONS) for (const type of host.parameters) types.add(type);
    }
  }
  return types;
}
