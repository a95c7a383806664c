// Emits slots that only one section of code uses, so that their bytes may be shared with slots of
// other sections. Parts of the slots are written and read alternately.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { StackSlot } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { noteStore, slotAddress, writtenRun } from "../maker/memory.js";
import { oneOf, repeat } from "../maker/rows.js";

/** The most slots of one procedure: each takes bytes of the frame. */
const SLOTS_MAX = 16;
const SIZES = [4, 8, 8, 16];
const STEPS_MIN = 4;
const STEPS_MAX = 10;

interface SlotAccess {
  readonly bytes: number;
  readonly type: Type;
  readonly store: Opcode;
  readonly load: Opcode;
}
const ACCESSES: readonly SlotAccess[] = [
  { bytes: 1, type: Int32, store: Op.Store8, load: Op.Load8Z },
  { bytes: 2, type: Int32, store: Op.Store16, load: Op.Load16S },
  { bytes: 4, type: Int32, store: Op.Store, load: Op.Load },
  { bytes: 4, type: Int32, store: Op.Store, load: Op.Load },
  { bytes: 8, type: Int64, store: Op.Store, load: Op.Load },
];

/** Appends such a section; without room for slots, a fallback on integers. */
export function slotsOfStretch(maker: ProcedureMaker): void {
  const { proc, ownSlots } = maker;
  const count = 2 + maker.below(2);
  if (proc.slots.length + count > SLOTS_MAX) {
    maker.emit(Op.Add, Int32, maker.pickValue(Int32), maker.constant(Int32));
    return;
  }
  const slots = Array.from({ length: count }, () => {
    const slot = proc.newSlot(oneOf(maker, SIZES), maker.chance(65));
    maker.written[slot.id] = 0;
    ownSlots.add(slot);
    return slot;
  });
  repeat(maker, STEPS_MIN + maker.below(STEPS_MAX - STEPS_MIN + 1), () => {
    const slot = oneOf(maker, slots);
    if (maker.chance(55) || !load(maker, slot)) store(maker, slot);
  });
  for (const slot of slots) if (maker.chance(60)) load(maker, slot);
}

const fits = ({ swarm }: ProcedureMaker, { size }: StackSlot): SlotAccess[] =>
  ACCESSES.filter(({ bytes, type }) => bytes <= size && swarm.hasType[type]);

/** Stores mostly at a multiple of the size. */
function store(maker: ProcedureMaker, slot: StackSlot): void {
  const { bytes, type, store: opcode } = oneOf(maker, fits(maker, slot));
  const anywhere = maker.below(slot.size - bytes + 1);
  const at = maker.chance(85) ? anywhere - (anywhere % bytes) : anywhere;
  const value = maker.pick(type);
  const [base, offset] = slotAddress(maker, slot, at);
  maker.append(opcode, Void, value, base).offset = offset;
  noteStore(maker, slot, at, bytes);
}

/** Loads bytes that are certainly written; returns false if it finds none. */
function load(maker: ProcedureMaker, slot: StackSlot): boolean {
  const { bytes, type, load: opcode } = oneOf(maker, fits(maker, slot));
  const at = writtenRun(maker, slot, bytes);
  if (at < 0) return false;
  const [base, offset] = slotAddress(maker, slot, at);
  maker.emit(opcode, type, base).offset = offset;
  return true;
}
