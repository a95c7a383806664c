// Patterns of bugs that are about slots whose addresses a host function keeps.

import { goesThroughKept, TAKEN_ADDRESS } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { isStore, sum } from "./ask.js";
import type { Detector } from "./study.js";

const takes = ({ host }: Value): boolean => host?.kept === "takes";
const reads = ({ host }: Value): boolean => host?.kept === "reads";
const goesThrough = ({ host }: Value): boolean => host !== null && goesThroughKept(host);

/** A procedure that goes through a kept address, called by one that has given one away. */
export const calleeGoesThroughKept: Detector = (study) =>
  sum(study, (call, view) => {
    const { procedure } = call;
    if (procedure === null || call.rest === null || !view.values.some(takes)) return 0;
    const goes = procedure.blocks.some(({ values }) => values.some(goesThrough));
    return goes ? view.times(call) : 0;
  });

/** A store stands before the call that reads through a kept address, and that is of this activation. */
export const readsKeptAfterStore: Detector = (study) =>
  sum(study, (call, view) => {
    const { block } = call;
    if (block === null || !reads(call) || !view.values.some(takes)) return 0;
    return block.values.slice(0, view.placeOf(call)).some(isStore) ? view.times(call) : 0;
  });

/** Between the call that keeps the address of a slot and one that reads through it stands a store to another slot. */
export const otherSlotWritten: Detector = (study) =>
  sum(study, (call, view) => {
    const { block } = call;
    if (block === null || !reads(call)) return 0;
    const before = block.values.slice(0, view.placeOf(call));
    const from = before.findLastIndex(takes);
    const taken = before[from]?.rest?.[TAKEN_ADDRESS];
    if (taken === undefined) return 0;
    const isOther = (value: Value): boolean =>
      isStore(value) &&
      value.address.opcode === Op.SlotBase &&
      (taken.opcode !== Op.SlotBase || value.address.slot !== taken.slot);
    return before.slice(from).some(isOther) ? view.times(call) : 0;
  });
