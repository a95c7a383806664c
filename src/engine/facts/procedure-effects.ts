// Computes the visible effects of each procedure over all activations in all executions: none,
// reads of the heap, or any. The effects of its callees are included.

import { hasFormatBody } from "../../export/answers.js";
import type { MemoryEffect } from "../../export/facts.js";
import {
  CONSTANT,
  CONTROL,
  EFFECTS,
  ENTRY,
  EXITS,
  Op,
  PARTIAL,
  READS_MEMORY,
  READS_VARIABLE,
  RESULT_OF_CALL,
  WRITES_MEMORY,
  WRITES_VARIABLE,
} from "../../ir/opcodes.js";
import { type Procedure, reachedProcedures, type Value } from "../../ir/procedure.js";

export interface RecordedActivations {
  readonly proc: Procedure;
  readonly entered: number;
  /** The number of executions of each value, by id. */
  readonly executed: { readonly [id: number]: number };
  /** Returns true if a load or store accessed a slot. */
  isInSlot(id: number): boolean;
}

/** Effects that end with the activation. */
const LOCAL_EFFECTS =
  PARTIAL | CONSTANT | ENTRY | RESULT_OF_CALL | READS_VARIABLE | WRITES_VARIABLE | CONTROL | EXITS;
/** Returns that pass more than the results, or return to another procedure than the caller. */
const OTHER_RETURNS: ReadonlySet<number> = new Set([
  Op.ReturnDeopt,
  Op.TailCall,
  Op.PatchpointReturn,
]);

/** @returns effects by position */
export function effectsOf(all: readonly RecordedActivations[]): MemoryEffect[] {
  const found = all.map(ownEffect);
  const positions = new Map(all.map(({ proc }, position) => [proc, position]));
  const callees = all.map((seen) =>
    executedValues(seen).flatMap((value) =>
      calledBy(value).map((callee) => positions.get(callee) ?? -1),
    ),
  );
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const [position, effect] of found.entries()) {
      const joined = callees[position].reduce(
        (sum: MemoryEffect, callee) => join(sum, callee < 0 ? "any" : found[callee]),
        effect,
      );
      if (joined !== effect) hasChanged = true;
      found[position] = joined;
    }
  }
  return found;
}

function ownEffect(seen: RecordedActivations): MemoryEffect {
  if (seen.proc.further.length > 0) return "any"; // further results are passed in variables
  const values = executedValues(seen);
  const returned = values
    .filter(({ opcode }) => opcode === Op.Return)
    .reduce((sum, { id }) => sum + seen.executed[id], 0);
  if (returned !== seen.entered) return "any"; // an exit was taken, or may have been taken
  return values.reduce((sum: MemoryEffect, value) => join(sum, effectOf(value, seen)), "none");
}

function effectOf(value: Value, seen: RecordedActivations): MemoryEffect {
  const { opcode, id, host } = value;
  const effects = EFFECTS[opcode];
  if (OTHER_RETURNS.has(opcode)) return "any";
  if ((effects & ~LOCAL_EFFECTS) === 0) return "none";
  if (effects === READS_MEMORY) return seen.isInSlot(id) ? "none" : "read";
  if (effects === WRITES_MEMORY) return seen.isInSlot(id) ? "none" : "any";
  if (opcode === Op.CallIndirect && reachedProcedures(value).length > 0) return "none";
  if (opcode !== Op.CCall) return "any";
  if (host === null) return "none"; // the effects of a callee are added separately
  if (hasFormatBody(host)) return "any";
  return host.class === "pure" ? "none" : host.class === "read" ? "read" : "any";
}

function calledBy(value: Value): readonly Procedure[] {
  if (value.opcode === Op.CallIndirect) return reachedProcedures(value);
  return value.opcode === Op.CCall && value.procedure !== null ? [value.procedure] : [];
}

function executedValues({ proc, executed }: RecordedActivations): Value[] {
  const values: Value[] = [];
  proc.forEachValue((value) => {
    if (executed[value.id] > 0) values.push(value);
  });
  return values;
}

const join = (x: MemoryEffect, y: MemoryEffect): MemoryEffect =>
  x === "any" || y === "any" ? "any" : x === "read" || y === "read" ? "read" : "none";
