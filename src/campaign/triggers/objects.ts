// Triggers about objects: what is stored into each other, and exits that build much.

import { Op } from "../../ir/opcodes.js";
import { Snapshot, type Value } from "../../ir/procedure.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import { isStore, sum } from "./ask.js";
import type { Detector } from "./study.js";

const isAllocation = (value: Value | null): value is Value => value?.opcode === Op.Allocate;

/** The address of an object is stored into another, which some exit shows. */
export const memberStored: Detector = (study) =>
  sum(study, (store, view) => {
    if (!isStore(store) || !isAllocation(store.a) || !isAllocation(store.address)) return 0;
    return store.a === store.address ? 0 : view.times(store);
  });

/** The same of an object that is made more often than the one that holds it. */
export const memberOfLoop: Detector = (study) =>
  sum(study, (store, view) => {
    const { a: member } = store;
    if (!isStore(store) || !isAllocation(member) || !isAllocation(store.address)) return 0;
    return view.times(member) > view.times(store.address) ? view.times(store) : 0;
  });

/** A Phi of addresses of objects is stored into another object. */
export const mergedStored: Detector = (study) =>
  sum(study, (store, view) => {
    const { a: member } = store;
    if (!isStore(store) || member?.opcode !== Op.Phi || !isAllocation(store.address)) return 0;
    return view.values.some(({ opcode, extra, a }) => {
      return opcode === Op.Upsilon && extra === member && isAllocation(a);
    })
      ? view.times(store)
      : 0;
  });

/** An exit shows an object that has gone into a Phi, by which something was stored. */
export const shownByOlderName: Detector = (study) =>
  sum(study, (guard, view) => {
    const { extra } = guard;
    if (!(extra instanceof Snapshot)) return 0;
    const shown = new Set(snapshotLeaves(extra).filter(isAllocation));
    const isStoredTo = view.values.some((store) => {
      if (!isStore(store) || store.address.opcode !== Op.Phi) return false;
      return view.values.some(
        (upsilon) =>
          upsilon.opcode === Op.Upsilon &&
          upsilon.extra === store.address &&
          upsilon.a !== null &&
          shown.has(upsilon.a),
      );
    });
    return isStoredTo ? view.exits(guard) : 0;
  });

/** Two objects of one size, by one pointer. */
export const allocatedTwice: Detector = (study) =>
  sum(study, (allocation, view) => {
    if (!isAllocation(allocation)) return 0;
    const isTwin = view.values.some(
      (other) => isAllocation(other) && other !== allocation && other.b?.lo === allocation.b?.lo,
    );
    return isTwin ? view.times(allocation) : 0;
  });

/** An exit whose block has so many operands that four bits do not count them. */
export const manyOperands: Detector = (study) =>
  sum(study, (guard, view) => {
    const { extra } = guard;
    if (!(extra instanceof Snapshot) || extra.values.length === 0) return 0;
    return snapshotLeaves(extra).length > LEAVES_MAX ? view.exits(guard) : 0;
  });
const LEAVES_MAX = 16;
