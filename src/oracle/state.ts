// The parts of an execution, and how it ends: docs/language.md, sections 1 and 9.

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

/** One execution: of the entry, and of the continuations of exits (language.md, sections 1 and 7). */
export interface Execution {
  readonly module: Module;
  readonly heap: Memory;
  readonly fuelMax: number;
  /** By place of the host: the address that it keeps, or null, by the word of which run (language.md, section 6). */
  readonly kept: ({ readonly address: Datum | null; readonly by: Run } | undefined)[];
  continuations: number;
  /** Called with each value that gives something, when it has executed. */
  readonly observe: (procedure: Procedure, value: Value, given: Datum) => void;
}

/** The entry or one continuation, with all that it calls (language.md, section 7). */
export type Run = ReturnType<typeof newRun>;

/** Returns a run that has its fuel, and an empty observation (language.md, sections 7 and 9). */
export const newRun = (execution: Execution) => ({
  ...{ execution, heap: execution.heap, fuel: execution.fuelMax },
  ...{ events: [] as HostEvent[], calleeExits: [] as CalleeExit[] },
  ...{ volatileLoads: [] as Bits[], fences: [] as FencePassed[] },
  /** The id of the value at work; -1 where an exit makes bytes dead. */
  valueId: -1,
  isOver: false,
});

/** Takes units of fuel (language.md, section 9). */
export function pay(run: Run, units: number): void {
  if (units > run.fuel) throw new Ended("", { cause: { kind: "out-of-fuel" } });
  run.fuel -= units;
}

/** Ends the run as undefined if the rule is broken (language.md, section 9). */
export function undefinedIf({ valueId: value }: Run, isBroken: boolean, rule: UndefinedRule): void {
  if (isBroken) throw new Ended("", { cause: { kind: "undefined", rule, value } });
}

/** Ends the run if it looks at the bits of any NaN (language.md, section 8). */
export function nanBitsIf({ valueId: value }: Run, looks: boolean): void {
  if (looks) throw new Ended("", { cause: { kind: "nan-bits", value } });
}

/** Thrown where a run ends, and with it all its activations: the cause is the ending (language.md, section 9). */
export class Ended extends Error {
  declare readonly cause: Ending;
}

/** A procedure at work (language.md, sections 1, 4 and 5). */
export type Activation = ReturnType<typeof activate>;

/** How many activations wait for one, and the bytes of their stack slots (language.md, section 6). */
export interface Callers {
  readonly count: number;
  readonly slotBytes: number;
}

/** Returns an activation that has arguments, and slots of its own (language.md, sections 5 and 6). */
export function activate(run: Run, procedure: Procedure, args: readonly Datum[], callers: Callers) {
  const { name, parameters, slots } = procedure;
  assert(args.length === parameters.length, () => `${name} takes no ${args.length} arguments`);
  return {
    ...{ run, procedure, callers },
    values: new Map(parameters.map((parameter, i) => [parameter, args[i]])),
    variables: new Map<Value, Datum>(), // by Phi
    results: new Map<Value, readonly Datum[]>(), // by call: the first and the further ones
    slots: new Map(slots.map((slot) => [slot, newMemory(slot, slot.size)])),
  };
}

/** Returns what a value gave when it was executed last (language.md, section 1). */
export function get({ values }: Activation, value: Value | null): Datum {
  const datum = value === null ? undefined : values.get(value);
  assert(datum !== undefined, () => `@${value?.id} is used before it is executed`);
  return datum;
}

/** Returns the operands that are values, and then the arguments (language.md, section 3). */
export function operandsOf(at: Activation, { a, b, c, rest }: Value): Datum[] {
  const data: Datum[] = [];
  for (const value of [a, b, c, ...(rest ?? [])]) if (value !== null) data.push(get(at, value));
  return data;
}
