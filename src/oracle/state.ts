// Holds the state of an execution and the ways to end it: docs/language.md, sections 1 and 9.

import type {
  CalleeExit,
  Ending,
  ExecutedFence,
  HostEvent,
  ObservedBits,
  UndefinedRule,
} from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import type { StoredBits } from "./memory.js";
import { type MemoryObject, newMemory } from "./memory.js";

/** One execution of the entry and of the continuations of its exits (language.md, sections 1 and 7). */
export interface InputExecution {
  readonly module: Module;
  readonly heap: MemoryObject;
  readonly fuelMax: number;
  /**
   * By index of the host's place: the kept address, or null; and the run that kept or dropped it (language.md, section
   * 6).
   */
  readonly kept: ({ readonly address: StoredBits | null; readonly by: ProcedureRun } | undefined)[];
  continuations: number;
  /** Called with each value that has a result, after it has executed. */
  readonly observe: (procedure: Procedure, value: Value, given: StoredBits) => void;
}

/** The execution of the entry or of one continuation, with all calls in it (language.md, section 7). */
export type ProcedureRun = ReturnType<typeof newRun>;

/** Returns a run with all of its fuel and no observations (language.md, sections 7 and 9). */
export const newRun = (execution: InputExecution) => ({
  ...{ execution, heap: execution.heap, fuel: execution.fuelMax },
  ...{ events: [] as HostEvent[], calleeExits: [] as CalleeExit[] },
  ...{ volatileLoads: [] as ObservedBits[], fences: [] as ExecutedFence[] },
  /** The id of the value that executes; -1 while an exit makes bytes dead. */
  valueId: -1,
  isOver: false,
});

/** Consumes units of fuel (language.md, section 9). */
export function consumeFuel(run: ProcedureRun, units: number): void {
  if (units > run.fuel) throw new RunEnd("", { cause: { kind: "out-of-fuel" } });
  run.fuel -= units;
}

/** Ends the run as undefined if the rule is broken (language.md, section 9). */
export function endIfUndefined(
  { valueId: value }: ProcedureRun,
  isBroken: boolean,
  rule: UndefinedRule,
): void {
  if (isBroken) throw new RunEnd("", { cause: { kind: "undefined", rule, value } });
}

/** Ends the run if an operation looks at the bits of any NaN (language.md, section 8). */
export function endIfNaNBits({ valueId: value }: ProcedureRun, looks: boolean): void {
  if (looks) throw new RunEnd("", { cause: { kind: "nan-bits", value } });
}

/** An error that ends a run and all its activations; its cause is the ending (language.md, section 9). */
export class RunEnd extends Error {
  declare readonly cause: Ending;
}

/** The execution of one procedure (language.md, sections 1, 4 and 5). */
export type ProcedureActivation = ReturnType<typeof activate>;

/** The number of callers of an activation, and the bytes of their stack slots (language.md, section 6). */
export interface CallerTotals {
  readonly count: number;
  readonly slotBytes: number;
}

/** Returns an activation with its arguments and slots of its own (language.md, sections 5 and 6). */
export function activate(
  run: ProcedureRun,
  procedure: Procedure,
  args: readonly StoredBits[],
  callers: CallerTotals,
) {
  const { name, parameters, slots } = procedure;
  assert(
    args.length === parameters.length,
    () => `procedure ${name} cannot take ${args.length} arguments`,
  );
  return {
    ...{ run, procedure, callers },
    values: new Map(parameters.map((parameter, i) => [parameter, args[i]])),
    variables: new Map<Value, StoredBits>(), // by Phi
    results: new Map<Value, readonly StoredBits[]>(), // by call: the first result, then the further ones
    slots: new Map(slots.map((slot) => [slot, newMemory(slot, slot.size)])),
  };
}

/** Returns the result of the last execution of a value (language.md, section 1). */
export function get({ values }: ProcedureActivation, value: Value | null): StoredBits {
  const datum = value === null ? undefined : values.get(value);
  assert(datum !== undefined, () => `@${value?.id} is used before it is executed`);
  return datum;
}

/** Returns the operands that are values, then the arguments (language.md, section 3). */
export function operandsOf(
  activation: ProcedureActivation,
  { a, b, c, rest }: Value,
): StoredBits[] {
  const data: StoredBits[] = [];
  for (const value of [a, b, c, ...(rest ?? [])])
    if (value !== null) data.push(get(activation, value));
  return data;
}
