// Triggers about boxes: values of 64 bits that are put together from a tag and a payload, or are a Double's bits.

import { Op } from "../../ir/opcodes.js";
import { forEachSlotValue, Snapshot, type Value } from "../../ir/procedure.js";
import { sum } from "./ask.js";
import type { Detector } from "./study.js";

const tagIn = (value: Value | null): Value | null =>
  value?.opcode === Op.Stitch && value.a !== null ? value.a : null;

/** A choice between boxes of two tags, which matters. */
export const tagsChosen: Detector = (study) =>
  sum(study, (select, view) => {
    const [tag, other] = [tagIn(select.b), tagIn(select.c)];
    if (select.opcode !== Op.Select || tag === null || other === null) return 0;
    const isSame = tag === other || (tag.isConstant && other.isConstant && tag.lo === other.lo);
    return isSame ? 0 : view.times(select, ({ matters }) => matters);
  });

/** An exit that is taken shows the bits of a Double as an integer. */
export const numberShown: Detector = (study) =>
  sum(study, (guard, view) => {
    const { extra } = guard;
    if (!(extra instanceof Snapshot)) return 0;
    let shows = false;
    forEachSlotValue(extra, ({ opcode, a }) => {
      shows ||= opcode === Op.BitwiseCast && a?.opcode === Op.PurifyNaN;
    });
    return shows ? view.exits(guard) : 0;
  });

/** Two halves of which neither is a constant are put together. */
export const stitched: Detector = (study) =>
  sum(study, (value, view) => {
    if (value.opcode !== Op.Stitch || value.b?.isConstant === true) return 0;
    return view.times(value, ({ matters }) => matters);
  });
