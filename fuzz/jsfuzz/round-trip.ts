// Checks that printing and parsing preserve a module: its text and its parts. Comparing only texts
// would miss parts that the printer omits.

import {
  type ExtraReference,
  type FrameSlot,
  type Module,
  Procedure,
  SwitchCases,
  type Value,
} from "../../src/ir/procedure.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { printModule } from "../../src/ir/text/print.js";
import { assert } from "../../src/support/assert.js";

export function checkRoundTrip(module: Module): void {
  const text = printModule(module);
  const again = parseModule(text);
  const second = printModule(again);
  assert(second === text, () => `printing twice gives different texts:\n${text}\n---\n${second}`);
  const parts = partsOf(module);
  const partsAgain = partsOf(again);
  for (let i = 0; i < Math.max(parts.length, partsAgain.length); i++) {
    const isSame = parts[i] === partsAgain[i];
    assert(isSame, () => `printed ${parts[i]}, parsed ${partsAgain[i]}:\n${text}`);
  }
}

/** Lists all parts of a module. */
function partsOf(module: Module): string[] {
  const parts = [`heap ${module.heapSize}`];
  for (const [exit, continuations] of module.continuations) {
    parts.push(`exit ${exit} ${continuations.map(({ name }) => JSON.stringify(name))}`);
  }
  for (const proc of module.procedures) pushProcedure(proc, parts);
  return parts;
}

function pushProcedure(proc: Procedure, parts: string[]): void {
  parts.push(`proc ${JSON.stringify(proc.name)} ${[proc.result, ...proc.further]}`);
  for (const value of proc.parameters) parts.push(partOf(value));
  for (const { id, size, isLocked } of proc.slots) parts.push(`slot ${id} ${size} ${isLocked}`);
  for (const { id, exit, values, frames } of proc.snapshots) {
    parts.push(`snapshot ${id} ${exit}`);
    for (const value of values) parts.push(partOf(value));
    for (const { name, point, slots } of frames) {
      parts.push(`frame ${JSON.stringify(name)} ${point} ${slots.map(slotPart)}`);
    }
  }
  for (const { id, frequency, values, successors } of proc.blocks) {
    parts.push(`block ${id} ${frequency} ${successors.map((block) => block.id)}`);
    for (const value of values) parts.push(partOf(value));
  }
}

function slotPart(slot: FrameSlot): string {
  if (slot.kind === "value") return `@${slot.value.id}`;
  if (slot.kind === "constant") return `${slot.type} ${slot.lo} ${slot.hi}`;
  if (slot.kind === "contents") return `contents ${slot.slot.id}`;
  if (slot.kind === "fields") {
    return `fields ${slot.size} ${slot.fields.map(({ offset, value }) => `${offset} @${value.id}`)}`;
  }
  if (slot.kind === "deadBytes") {
    return `dead bytes @${slot.address.id} ${slot.offset} ${slot.size}`;
  }
  return slot.kind === "deadHeap" ? `dead heap ${slot.offset} ${slot.size}` : slot.kind;
}

function partOf(value: Value): string {
  const { id, opcode, type, a, b, c, rest, extra } = value;
  const operands = [a, b, c, ...(rest ?? [])].map((operand) => operand?.id ?? "");
  return `value ${id} ${opcode} ${type} ${operands} ${value.immediates} ${namePart(extra)}`;
}

function namePart(extra: ExtraReference): string {
  if (extra === null) return "";
  if (extra instanceof SwitchCases) return `keys ${extra.lo} ${extra.hi}`;
  if (!("name" in extra)) return `${extra.id}`;
  return `${extra instanceof Procedure ? "procedure" : "host"} ${JSON.stringify(extra.name)}`;
}
