// A table of the distribution: how often each opcode at its types was generated, executed, mattered
// and steered. An instance is a row of the opcode table at its types, a call of one host function,
// or a kind of patchpoint.
//
// A column applies to an instance if a value of it can count there at all:
// - executed: all except Oops, whose execution is undefined.
// - mattered: a compared bit depends on it. It does not apply to values that only control the flow
//   (Check, Branch, Switch), nor to those that nothing depends on (Nop, Jump).
// - steered: it decides a branch, a switch or a guard, and no compared bit depends on it. It
//   applies to values that only control the flow, and to integers, which may be conditions. A float
//   steers through a comparison, and a stored value when it is loaded again: both are counted, but
//   not required.

import { FENCES } from "../../../src/ir/fences.js";
import { HOST_FUNCTIONS } from "../../../src/ir/host-functions.js";
import {
  ALL_OPCODES,
  CALLS_ADDRESS,
  CONTROL,
  EFFECTS,
  EXITS,
  hasAttribute,
  isReturn,
  isValueOperand,
  nameOfOpcode,
  Op,
  type Opcode,
  specOf,
  typesAlso,
  typesOver,
} from "../../../src/ir/opcodes.js";
import { opcodeNameOf, PATCHPOINTS, type PatchpointKind } from "../../../src/ir/patchpoints.js";
import type { Value } from "../../../src/ir/procedure.js";
import { isInteger, nameOfType, type Type, typeNamed, Void } from "../../../src/ir/types.js";
import type { ProcedureCounts } from "../../../src/oracle/fast/trace.js";

/** One line of the table. */
export interface InstanceCounts {
  /** The opcode and its types: `Add Int32`, `Select Float Int64`, `CCall mix32`. */
  readonly name: string;
  /** Number of values in programs. */
  generated: number;
  /** Number of executions. */
  executed: number;
  mattered: number;
  steered: number;
  /** Columns in which a zero is a fault: nothing would check the instance there. */
  readonly applies: readonly InstanceColumn[];
}

export const COLUMNS = ["generated", "executed", "mattered", "steered"] as const;
type InstanceColumn = (typeof COLUMNS)[number];

/** Returns the columns of an instance that apply and are zero. */
export const zeroesOf = (counts: InstanceCounts): InstanceColumn[] =>
  counts.applies.filter((column) => counts[column] === 0);

/** Returns the number of executions that can reveal a bug. */
export function usefulOf({ name, mattered, steered }: InstanceCounts): number {
  const decides = DECIDING.has(name.split(" ")[0]);
  return mattered + (decides ? steered : 0);
}

export class InstanceTable {
  private readonly counts = new Map<string, InstanceCounts>();

  constructor() {
    for (const each of expectedInstances()) this.counts.set(each.name, each);
  }

  /** In the order of the opcode table. */
  get rows(): InstanceCounts[] {
    return [...this.counts.values()];
  }

  addProgram(values: readonly Value[]): void {
    for (const value of values) this.of(value).generated++;
  }

  addExecution(values: readonly Value[], { executed, matters, steers }: ProcedureCounts): void {
    for (const value of values) {
      const counts = this.of(value);
      counts.executed += executed[value.id];
      counts.mattered += matters[value.id];
      counts.steered += steers[value.id];
    }
  }

  private of(value: Value): InstanceCounts {
    const name = instanceOf(value);
    const known = this.counts.get(name);
    if (known !== undefined) return known;
    const added = emptyCounts(name, []); // a row without operand, as Return()
    this.counts.set(name, added);
    return added;
  }
}

const emptyCounts = (name: string, applies: readonly InstanceColumn[]): InstanceCounts => ({
  name,
  generated: 0,
  executed: 0,
  mattered: 0,
  steered: 0,
  applies,
});

function instanceOf(value: Value): string {
  const { opcode } = value;
  if (opcode === Op.CCallCheck) return `${nameOfOpcode(opcode)} ${value.host?.name}`;
  if (opcode === Op.CCall) return `${nameOfOpcode(opcode)} ${value.host?.name ?? PROCEDURE}`;
  if (CALLS_ADDRESS[opcode] === 1) return `${nameOfOpcode(opcode)} ${PROCEDURE}`;
  if (value.patchpoint !== null) return `${nameOfOpcode(opcode)} ${value.patchpoint.name}`;
  if (opcode === Op.Fence) return `${nameOfOpcode(opcode)} ${FENCES[value.fenceKind].name}`;
  const { args, result } = specOf(opcode);
  const operands = [value.a, value.b, value.c];
  const valueArgs = args.filter(isValueOperand);
  const typeOf = (letter: "T" | "U"): Type => operands[valueArgs.indexOf(letter)]?.type ?? Void;
  const t = valueArgs.includes("T") ? typeOf("T") : result === "T" ? value.type : Void;
  return instanceName(opcode, t, valueArgs.includes("U") ? typeOf("U") : Void);
}

/** Represents the name of a called procedure. */
const PROCEDURE = "a procedure";

const instanceName = (opcode: Opcode, t: Type, u: Type): string =>
  [nameOfOpcode(opcode), ...[t, u].filter((type) => type !== Void).map(nameOfType)].join(" ");

/** Returns every instance that a program may execute, in the order of the opcode table. */
function expectedInstances(): InstanceCounts[] {
  const found: InstanceCounts[] = [];
  for (const opcode of ALL_OPCODES) {
    if (hasAttribute(opcode, "DeoptHost")) {
      for (const { asks, name } of HOST_FUNCTIONS) {
        if (asks) found.push(emptyCounts(`${nameOfOpcode(opcode)} ${name}`, HOST_COLUMNS));
      }
      continue;
    }
    if (hasAttribute(opcode, "Order")) {
      for (const { name } of FENCES) {
        found.push(emptyCounts(`${nameOfOpcode(opcode)} ${name}`, columnsOf(opcode, Void)));
      }
      continue;
    }
    if (specOf(opcode).result === "Callee") {
      const name = nameOfOpcode(opcode);
      const hosts = hasAttribute(opcode, "Callee") ? HOST_FUNCTIONS : [];
      for (const host of hosts) found.push(emptyCounts(`${name} ${host.name}`, HOST_COLUMNS));
      found.push(emptyCounts(`${name} ${PROCEDURE}`, columnsOf(opcode, Void)));
      continue;
    }
    if (hasAttribute(opcode, "Kind")) {
      for (const kind of PATCHPOINTS) {
        if (Op[opcodeNameOf(kind)] !== opcode) continue;
        const name = `${nameOfOpcode(opcode)} ${kind.name}`;
        found.push(emptyCounts(name, columnsOfKind(kind)));
      }
      continue;
    }
    for (const t of atLeastVoid(typesOver(opcode))) {
      const columns = columnsOf(opcode, resultOf(opcode, t));
      for (const u of atLeastVoid(typesAlso(opcode))) {
        found.push(emptyCounts(instanceName(opcode, t, u), columns));
      }
    }
  }
  return found;
}

/**
 * Columns of a call. Whether its result steers does not depend on the function: the sum of all
 * calls covers that.
 */
const HOST_COLUMNS: readonly InstanceColumn[] = ["generated", "executed", "mattered"];

// A kept patchpoint has no effect that could matter, and a guard without a result only steers.
function columnsOfKind({ effect, result }: PatchpointKind): readonly InstanceColumn[] {
  if (effect === "kept") return ["generated", "executed"];
  if (effect !== "exit" || result !== Void) return HOST_COLUMNS;
  return ["generated", "executed", "steered"];
}

const atLeastVoid = (types: readonly Type[]): readonly Type[] =>
  types.length > 0 ? types : [Void];

function resultOf(opcode: Opcode, t: Type): Type {
  const { result } = specOf(opcode);
  if (result === "T") return t;
  return typeNamed(result) ?? Void;
}

const decides = (opcode: Opcode): boolean => (EFFECTS[opcode] & (CONTROL | EXITS)) !== 0;
const DECIDING = new Set<string>(ALL_OPCODES.filter(decides).map(nameOfOpcode));

function columnsOf(opcode: Opcode, result: Type): InstanceColumn[] {
  const { effect, args } = specOf(opcode);
  const hasOperands = args.some(isValueOperand) || hasAttribute(opcode, "Rest");
  const isNever = effect === "control" && args.length === 0; // its execution is undefined
  const onlyDecides = decides(opcode) && result === Void && !isReturn(opcode);
  const isCall = effect === "call";
  // Recorded or written values are compared, so each execution matters.
  const isSeen = effect === "volatile" || effect === "allocate" || effect === "atomic";
  const columns: InstanceColumn[] = isNever ? ["generated"] : ["generated", "executed"];
  if (result !== Void || (hasOperands && !onlyDecides)) columns.push("mattered");
  const maySteer = onlyDecides ? hasOperands : isInteger(result) || isCall;
  if (maySteer && !isSeen) columns.push("steered");
  return columns;
}
