// Patterns of bugs that are about slots whose addresses a host function keeps.

import { goesThroughKept } from "../../ir/host-functions.js";
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
