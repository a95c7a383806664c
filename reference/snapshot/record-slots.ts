// Records the layout of a procedure's stack slots in its frame, for stack walkers and for listings.

import type { StackSlot } from "../../src/ir/procedure.js";
import type { ProcedureFrame } from "../emit/frame.js";

/** The location of a stack slot in every frame of its procedure. */
export interface SlotLocation {
  /** Index of the procedure in the module, and id of the slot in it. */
  readonly procedure: number;
  readonly slot: number;
  readonly size: number;
  readonly isLocked: boolean;
  /** The name of the register that the offset is relative to: the frame pointer. */
  readonly register: string;
  readonly frameOffset: number;
  /** Ids of the slots of the procedure that share some of the same bytes; ascending. */
  readonly sharesWith: readonly number[];
}

/**
 * Returns the slots' locations.
 *
 * @param isShared whether some of the slots share bytes (`SlotLayout` of ../lir/lir.ts)
 * @param register the name of the frame pointer
 */
export function recordSlots(
  procedure: number,
  slots: readonly StackSlot[],
  frame: ProcedureFrame,
  isShared: boolean,
  register: string,
): SlotLocation[] {
  if (slots.length === 0) return [];
  const shared = isShared ? sharedBy(slots, frame) : null;
  return slots.map(({ id, size, isLocked }) => ({
    ...{ procedure, slot: id, size, isLocked, register, frameOffset: frame.offsetOfSlot(id) },
    sharesWith: shared?.get(id)?.sort((x, y) => x - y) ?? [],
  }));
}

/** Returns by id of a slot: the others whose bytes overlap with its own. */
function sharedBy(slots: readonly StackSlot[], frame: ProcedureFrame): Map<number, number[]> {
  const shared = new Map<number, number[]>(slots.map(({ id }) => [id, []]));
  const offsetOf = ({ id }: StackSlot): number => frame.offsetOfSlot(id);
  const rising = [...slots].sort((x, y) => offsetOf(x) - offsetOf(y));
  for (let i = 0; i < rising.length; i++) {
    const end = offsetOf(rising[i]) + rising[i].size;
    for (let j = i + 1; j < rising.length && offsetOf(rising[j]) < end; j++) {
      shared.get(rising[i].id)?.push(rising[j].id);
      shared.get(rising[j].id)?.push(rising[i].id);
    }
  }
  return shared;
}

/** Returns a line of a listing. */
export function describeSlot(place: SlotLocation): string {
  const { slot, size, isLocked, register, frameOffset, sharesWith } = place;
  const kind = isLocked ? "locked" : "anonymous";
  const sharing = sharesWith.map((other) => `stack${other}`).join(", ");
  const alone = sharing === "" ? "" : `, in bytes of ${sharing} too`;
  return `stack${slot}: ${kind}, ${size} bytes from ${register}${frameOffset}${alone}`;
}
