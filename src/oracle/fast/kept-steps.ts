// Executes the part of a call of a `keep` function that precedes the function itself.

import { type HostFunction, KEPT_BYTES, TAKEN_ADDRESS } from "../../ir/host-functions.js";
import { slotOffset } from "./addresses.js";
import { UNUSABLE } from "./kept-slots.js";
import type { Machine } from "./machine.js";
import { CLOSED } from "./memory.js";
import { Y } from "./program.js";

/** Prepares the call. Returns END if it has ended the activation. */
export function beforeKept(
  m: Machine,
  pc: number,
  { kept }: HostFunction,
  words: Int32Array,
): number {
  if (kept === "takes") takeAddress(m, pc);
  return kept === "reads" || kept === "writes" ? checkUse(m, pc, kept, words) : pc;
}

function takeAddress(m: Machine, pc: number): void {
  const { depth, serial, slots, written, slotAddresses, procedure } = m;
  const { slot, argCells } = procedure.calls[m.code[pc + Y]];
  const at = slotOffset(m, argCells[TAKEN_ADDRESS], 0, slot);
  m.kept.taken = {
    ...{ depth, serial, slots, written, slotAddresses, at, slot: procedure.slots[slot] },
  };
}

function checkUse(m: Machine, pc: number, use: "reads" | "writes", words: Int32Array): number {
  const place = m.kept.found(words);
  if (place === undefined) return pc;
  const value = m.idAt(pc);
  if (place === UNUSABLE || !m.isLive(place.depth, place.serial)) {
    return m.endAs({ kind: "undefined", rule: "slot of a frame that is gone", value });
  }
  const { slots, written, slot, at } = place;
  if (at < slot.start || at > slot.start + slot.size - KEPT_BYTES) {
    return m.endAs({ kind: "undefined", rule: "slot access out of bounds", value });
  }
  if (use === "writes") return slots.overwrite(at, KEPT_BYTES, false) ? pc : m.nanBits(pc);
  if (written.subarray(at, at + KEPT_BYTES).includes(0)) {
    return m.endAs({ kind: "undefined", rule: "unwritten slot byte", value });
  }
  return slots.look(at, KEPT_BYTES) === CLOSED ? pc : m.nanBits(pc);
}
