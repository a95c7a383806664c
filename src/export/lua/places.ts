// Assigns values and stack slots of a Lua function to locals and table fields. A Lua function has
// at most 200 locals. The first slots, and the first values that several blocks use, become locals
// of the function. The first of the other values become locals of their block. The rest become
// fields of a table.

import { CONSTANT, EFFECTS, Op } from "../../ir/opcodes.js";
import {
  type BasicBlock,
  forEachOperand,
  type Procedure,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { Void } from "../../ir/types.js";
import type { SourceForm } from "../forms.js";
import type { ExitBlocks } from "../leave-by-blocks.js";

/** The parameters and the locals of a function, except for a few temporaries. */
const LOCALS = 180;
const FUNCTION_LOCALS = 90;
/** Function locals that slots may take. */
const SLOT_LOCALS = 30;
const BLOCK_LOCALS = 40;

export interface LuaLocations {
  readonly functionLocals: readonly string[];
  readonly blockLocals: ReadonlyMap<BasicBlock, readonly string[]>;
  readonly nameOf: (value: Value) => string;
  /** The name of a slot, by its number. */
  readonly nameOfSlot: (id: number) => string;
  /** The variable that Upsilons write and the Phi reads. */
  readonly shadowOf: (phi: Value) => string;
}

/**
 * @param table the name of the table
 * @param form with `field-homes` or `element-homes` one value in two is in the table
 */
export function assignLocations(
  proc: Procedure,
  exits: ExitBlocks,
  table: string,
  form: SourceForm,
): LuaLocations {
  const shared = sharedValues(proc, exits);
  const names = new Map<Value, string>(proc.parameters.map((value) => [value, `v${value.id}`]));
  const shadows = new Map<Value, string>();
  const functionLocals: string[] = [];
  const blockLocals = new Map<BasicBlock, string[]>();
  const room = Math.max(0, FUNCTION_LOCALS - proc.parameters.length);
  const taken = Math.max(FUNCTION_LOCALS, proc.parameters.length);
  const blockRoom = Math.min(BLOCK_LOCALS, Math.max(0, LOCALS - taken));
  let [placed, elements] = [0, 0];
  const place = (locals: string[], max: number, name: string): string => {
    const isSecond = placed++ % 2 === 1;
    if (isSecond && form.has("field-homes")) return `${table}.${name}`;
    if (locals.length >= max || (isSecond && form.has("element-homes")))
      return `${table}[${++elements}]`;
    locals.push(name);
    return name;
  };
  const slots = new Map(
    proc.slots.map(({ id }) => [
      id,
      place(functionLocals, Math.min(room, SLOT_LOCALS), `slot${id}`),
    ]),
  );
  for (const block of proc.blocks) {
    const own: string[] = [];
    blockLocals.set(block, own);
    for (const value of block.values) {
      const { id, opcode } = value;
      if (opcode === Op.Phi) shadows.set(value, place(functionLocals, room, `p${id}`));
      if (!isNamed(value) || names.has(value)) continue;
      const name = `v${id}`;
      const isShared = shared.has(value);
      names.set(value, isShared ? place(functionLocals, room, name) : place(own, blockRoom, name));
    }
  }
  return {
    functionLocals,
    blockLocals,
    nameOf: (value) => names.get(value) ?? "nil",
    nameOfSlot: (id) => slots.get(id) ?? "nil",
    shadowOf: (phi) => shadows.get(phi) ?? "nil",
  };
}

const isNamed = ({ type, opcode }: Value): boolean =>
  type !== Void && (EFFECTS[opcode] & CONSTANT) === 0;

/** Returns the values that another block, or the terminator of their own block, uses. */
function sharedValues(proc: Procedure, exits: ExitBlocks): ReadonlySet<Value> {
  const shared = new Set<Value>();
  for (const block of proc.blocks) {
    const own = new Set(block.values);
    for (const value of block.values) {
      forEachOperand(value, (operand) => {
        if (!own.has(operand) || value === block.last) shared.add(operand);
      });
    }
    const snapshot = exits.get(block);
    if (snapshot !== undefined) for (const value of exitValues(snapshot)) shared.add(value);
  }
  return shared;
}

/** Returns the values that an exit shows or passes to its continuations. */
const exitValues = ({ frames }: Snapshot): Value[] =>
  frames.flatMap(({ slots }) =>
    slots.flatMap((slot) => {
      if (slot.kind === "value") return [slot.value];
      return slot.kind === "fields" ? slot.fields.map(({ value }) => value) : [];
    }),
  );
