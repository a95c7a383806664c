// Emits frames larger than displacements reach: hundreds of small stack slots, or a few slots that
// exceed any offset of a load or store. Small slots are used as usual. The start of the entry
// stores to the ends and the middle of large slots, and its end loads these values. The rest of the
// frame is thus beyond the large slots.

import { Op } from "../ir/opcodes.js";
import type { StackSlot, Value } from "../ir/procedure.js";
import { Int64, sizeOf, Void } from "../ir/types.js";
import type { ProcedureMaker } from "./maker/maker.js";
import { SLOT_SIZES } from "./maker/memory.js";
import { drawType } from "./maker/swarm.js";

/**
 * Sizes around the reach of a byte (x86-64), of unscaled (256) and scaled offsets of each width, of
 * twelve bits and of shifted ones (ARM64).
 */
const SIZES = [128, 264, 4088, 4104, 8192, 16_384, 16_392, 32_760, 32_776, 65_536, 100_000];

/** A written location in a large slot, and the stored value. */
interface WrittenLocation {
  readonly slot: StackSlot;
  readonly offset: number;
  readonly value: Value;
}

/** Adds slots to the entry; returns the locations for `readFrame`. */
export function makeFrame(maker: ProcedureMaker): readonly WrittenLocation[] {
  if (maker.chance(40)) {
    for (let count = 60 + maker.below(340); count > 0; count--) {
      const slot = maker.proc.newSlot(SLOT_SIZES[maker.below(SLOT_SIZES.length)], maker.chance(50));
      maker.written[slot.id] = 0;
    }
    return [];
  }
  const written: WrittenLocation[] = [];
  for (let count = 1 + maker.below(3); count > 0; count--) {
    const size = SIZES[maker.below(SIZES.length)] + (maker.chance(50) ? 0 : 8 * maker.below(16));
    const slot = maker.proc.newSlot(size, maker.chance(60));
    maker.written[slot.id] = 0;
    const middle = 8 + (maker.below(size - 23) & -8);
    // A store makes all other bytes of an anonymous slot unwritten.
    const places = [0, middle, size - 8];
    for (const offset of slot.isLocked ? places : [places[maker.below(places.length)]]) {
      const type = drawType(maker.source, maker.swarm);
      const value = maker.closed(maker.pick(type));
      store(maker, slot, offset + 8 - sizeOf(type), value);
      written.push({ slot, offset: offset + 8 - sizeOf(type), value });
    }
  }
  return written;
}

/** Loads the written locations as live values. */
export function readFrame(maker: ProcedureMaker, written: readonly WrittenLocation[]): void {
  for (const { slot, offset, value } of written) {
    const [base, rest] = address(maker, slot, offset);
    maker.emit(Op.Load, value.type, base).offset = rest;
  }
}

function store(maker: ProcedureMaker, slot: StackSlot, offset: number, value: Value): void {
  const [base, rest] = address(maker, slot, offset);
  maker.append(Op.Store, Void, value, base).offset = rest;
}

// Returns a base and an offset: the instruction contains the whole offset, or an addition before it
// contains a part.
function address(
  maker: ProcedureMaker,
  slot: StackSlot,
  offset: number,
): [base: Value, offset: number] {
  const base = maker.append(Op.SlotBase, Int64);
  base.extra = slot;
  if (maker.chance(60)) return [base, offset];
  const part = maker.below(offset + 1);
  return [maker.append(Op.Add, Int64, base, maker.integer(Int64, part)), offset - part];
}
