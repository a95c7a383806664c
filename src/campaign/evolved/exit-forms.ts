// A table of the distribution: the forms of exits, and how often each was taken. A form is the
// guard, its place, the visit, or the contents of the snapshot. One exit counts once in each group.

import {
  ALL_OPCODES,
  EFFECTS,
  EXITS,
  guardsResult,
  NAMES_KIND,
  nameOfOpcode,
  typesAlso,
  typesOver,
} from "../../ir/opcodes.js";
import { opcodeNameOf, PATCHPOINTS } from "../../ir/patchpoints.js";
import type { FrameSlot, Module, Snapshot, Value } from "../../ir/procedure.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import { nameOfType, Void } from "../../ir/types.js";
import type { ExecutionTrace } from "../../oracle/fast/trace.js";

/** A form of exit, and how often it was taken. */
export interface ExitCounts {
  readonly name: string;
  taken: number;
}

const GUARDS: readonly string[] = ALL_OPCODES.filter(
  (opcode) => (EFFECTS[opcode] & EXITS) !== 0,
).flatMap((opcode) => {
  const name = nameOfOpcode(opcode);
  if (NAMES_KIND[opcode] === 0) {
    const types = [...typesOver(opcode), ...typesAlso(opcode)];
    return types.length === 0 ? [name] : types.map((type) => `${name} ${nameOfType(type)}`);
  }
  return PATCHPOINTS.filter((kind) => opcodeNameOf(kind) === name).map(
    (kind) => `${name} ${kind.name}`,
  );
});
const PLACES = ["in the entry", "in a callee", "in a continuation"] as const;
const VISITS = ["on the first visit", "on the second", "on the third or later"] as const;
const BLOCKS = [
  "without exit block",
  "with values in its block",
  "with stores in its block",
] as const;
const ENDS = ["that ends all", "that goes on"] as const;
const OWNERS = ["of one guard", "that guards share"] as const;
const FRAMES = ["one frame", "two frames", "three frames", "four frames"] as const;
const SLOTS = ["no slot", "1 to 8 slots", "9 to 32 slots", "33 slots or more"] as const;
const KINDS = [
  "value",
  "constant",
  "dead",
  "contents",
  "fields",
  "deadHeap",
  "deadBytes",
  "computed",
  "own result",
] as const;
/** Late operands of patchpoints, by their location: the exit reads them there. */
const OPERANDS: readonly string[] = [
  ...new Set(
    PATCHPOINTS.filter(({ effect }) => effect === "exit").flatMap(({ parameters }) =>
      parameters.filter(({ isLate }) => isLate).map(({ place }) => place),
    ),
  ),
];

/** The static forms: those of snapshots and their guards, in code and in the oracle. */
export const STATIC_FORMS: readonly string[] = [
  ...GUARDS,
  ...[BLOCKS, ENDS, OWNERS, FRAMES, SLOTS].flat(),
  ...KINDS.map((kind) => `a slot: ${kind}`),
  ...OPERANDS.map((place) => `a slot: operand ${place}`),
];

/** Counts how often each form of exit was taken, in all executions so far. */
export class ExitTable {
  private readonly counts = new Map<string, ExitCounts>();

  constructor() {
    for (const name of [...STATIC_FORMS, ...PLACES, ...VISITS]) {
      this.counts.set(name, { name, taken: 0 });
    }
  }

  get rows(): ExitCounts[] {
    return [...this.counts.values()];
  }

  /**
   * Counts the exits of one execution.
   * @param values the values, by index of the procedure
   * @param compiled indices of the entry and of its callees; others are continuations
   */
  addExecution(
    module: Module,
    trace: ExecutionTrace,
    values: readonly (readonly Value[])[],
    compiled: readonly number[],
  ): void {
    const { procedures, ids, exits } = trace;
    for (const event of exits) {
      const [p, id] = [procedures[event], ids[event]];
      const guard = values[p].find((value) => value.id === id);
      if (guard === undefined) continue;
      this.count(p === 0 ? PLACES[0] : compiled.includes(p) ? PLACES[1] : PLACES[2]);
      let visits = 0;
      for (let e = 0; e < event; e++) if (ids[e] === id && procedures[e] === p) visits++;
      this.count(VISITS[Math.min(visits, VISITS.length - 1)]);
      for (const form of formsOf(module, guard, values[p])) this.count(form);
    }
  }

  private count(name: string): void {
    const counts = this.counts.get(name);
    if (counts !== undefined) counts.taken++;
  }
}

/**
 * Returns the STATIC_FORMS of an exit.
 * @param values the values of the guard's procedure
 */
export function formsOf(
  { continuations }: Module,
  guard: Value,
  values: readonly Value[],
): readonly string[] {
  const { snapshot } = guard;
  const { values: own, frames, exit } = snapshot;
  const stores = own.some(({ type }) => type === Void);
  const owners = values.filter(({ extra }) => extra === snapshot).length;
  const slots = frames.flatMap((frame) => frame.slots);
  const kinds = new Set<string>(slots.map((slot) => kindOf(snapshot, slot)));
  for (const place of shownOperands(guard, slots)) kinds.add(`operand ${place}`);
  if (showsOwnResult(guard)) kinds.add("own result");
  return [
    guardName(guard),
    BLOCKS[own.length === 0 ? 0 : stores ? 2 : 1],
    ENDS[continuations.has(exit) ? 1 : 0],
    OWNERS[owners > 1 ? 1 : 0],
    FRAMES[Math.min(frames.length, FRAMES.length) - 1],
    SLOTS[slots.length === 0 ? 0 : slots.length <= 8 ? 1 : slots.length <= 32 ? 2 : 3],
    ...[...kinds].map((kind) => `a slot: ${kind}`),
  ];
}

const kindOf = ({ values }: Snapshot, slot: FrameSlot): (typeof KINDS)[number] =>
  slot.kind === "value" && values.includes(slot.value) ? "computed" : slot.kind;

/** Returns whether a call that may request an exit needs its own result in the exit after it. */
const showsOwnResult = (guard: Value): boolean =>
  guardsResult(guard.opcode) && snapshotLeaves(guard.snapshot).includes(guard);

/** Returns the locations of the patchpoint's late operands that the exit shows. */
function shownOperands({ patchpoint, rest }: Value, slots: readonly FrameSlot[]): string[] {
  const shows = (operand: Value | undefined): boolean =>
    operand?.isConstant === false &&
    slots.some((slot) => slot.kind === "value" && slot.value === operand);
  const parameters = patchpoint?.parameters ?? [];
  return parameters.filter(({ isLate }, k) => isLate && shows(rest?.[k])).map(({ place }) => place);
}

function guardName({ opcode, a, patchpoint }: Value): string {
  const name = nameOfOpcode(opcode);
  if (patchpoint !== null) return `${name} ${patchpoint.name}`;
  const hasTypes = typesOver(opcode).length + typesAlso(opcode).length > 0;
  return hasTypes ? `${name} ${nameOfType(a?.type ?? Void)}` : name;
}
