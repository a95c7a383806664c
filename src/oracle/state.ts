// Holds the state of an execution and the ways to end it: docs/language.md, sections 1 and 9.

import type {
  Bits,
  CalleeExit,
  Ending,
  FencePassed,
  HostEvent,
  UndefinedRule,
} from "../ir/outcome.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import type { Datum } from "./memory.js";
import { type Memory, newMemory } from "./memory.js";

/** One execution of the entry and of the continuations of its exits (language.md, sections 1 and 7). */
export interface Execution {
  readonly module: Module;
  readonly heap: Memory;
  readonly fuelMax: number;
  /**
   * By index of the host's place: the kept address, or null; and the run that kept or dropped it (language.md, section
   * 6).
   */
  readonly kept: ({ readonly address: Datum | null; readonly by: Run } | undefined)[];
  continuations: number;
  /** Called with each value that has a result, after it has executed. */
  readonly observe: (procedure: Procedure, value: Value, given: Datum) => void;
}

/** The execution of the entry or of one continuation, with all calls in it (language.md, section 7). */
export type Run = ReturnType<typeof newRun>;

/** Returns a run with all of its fuel and no observations (language.md, sections 7 and 9). */
export const newRun = (execution: Execution) => ({
  ...{ execution, heap: execution.heap, fuel: execution.fuelMax },
  ...{ events: [] as HostEvent[], calleeExits: [] as CalleeExit[] },
  ...{ volatileLoads: [] as Bits[], fences: [] as FencePassed[] },
  /** The id of the value that executes; -1 while an exit makes bytes dead. */
  valueId: -1,
  isOver: false,
});

/** Consumes units of fuel (language.md, section 9). */
export function consumeFuel(run: Run, units: number): void {
  if (units > run.fuel) throw new RunEnd("", { cause: { kind: "out-of-fuel" } });
  run.fuel -= units;
}

/** Ends the run as undefined if the rule is broken (language.md, section 9). */
export function endIfUndefined(
  { valueId: value }: Run,
  isBroken: boolean,
  rule: UndefinedRule,
): void {
  if (isBroken) throw new RunEnd("", { cause: { kind: "undefined", rule, value } });
}

/** Ends the run if an operation looks at the bits of any NaN (language.md, section 8). */
export function endIfNaNBits({ valueId: value }: Run, looks: boolean): void {
  if (looks) throw new RunEnd("", { cause: { kind: "nan-bits", value } });
}

/** An error that ends a run and all its activations; its cause is the ending (language.md, section 9). */
export class RunEnd extends Error {
  declare readonly cause: Ending;
}

/** The execution of one procedure (language.md, sections 1, 4 and 5). */
export type Activation = ReturnType<typeof activate>;

/** The number of callers of an activation, and the bytes of their stack slots (language.md, section 6). */
export interface Callers {
  readonly count: number;
  readonly slotBytes: number;
}

/** Returns an activation with its arguments and slots of its own (language.md, sections 5 and 6). */
export function activate(run: Run, procedure: Procedure, args: readonly Datum[], callers: Callers) {
  const { name, parameters, slots } = procedure;
  assert(
    args.length === parameters.length,
    () => `procedure ${name} cannot take ${args.length} arguments`,
  );
  return {
    ...{ run, procedure, callers },
    values: new Map(parameters.map((parameter, i) => [parameter, args[i]])),
    variables: new Map<Value, Datum>(), // by Phi
    results: new Map<Value, readonly Datum[]>(), // by call: the first result, then the further ones
    slots: new Map(slots.map((slot) => [slot, newMemory(slot, slot.size)])),
  };
}

/** Returns the result of the last execution of a value (language.md, section 1). */
export function get({ values }: Activation, value: Value | null): Datum {
  const datum = value === null ? undefined : values.get(value);
  assert(datum !== undefined, () => `@${value?.id} is used before it is executed`);
  return datum;
}

/** Returns the operands that are values, then the arguments (language.md, section 3). */
export function operandsOf(activation: Activation, { a, b, c, rest }: Value): Datum[] {
  const data: Datum[] = [];
  for (const value of [a, b, c, ...(rest ?? [])])
    if (value !== null) data.push(get(activation, value));
  return data;
}
