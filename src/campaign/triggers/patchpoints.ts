// Patterns of bugs that are about patchpoints without a result, and about operands that one only keeps alive.

import { Void } from "../../ir/types.js";
import { sum } from "./ask.js";
import type { Detector } from "./study.js";

/** It writes memory, and nothing can use it. */
export const writesWithoutResult: Detector = (study) =>
  sum(study, (value, view) => {
    const { patchpoint } = value;
    const isWrite = patchpoint?.effect === "write" && patchpoint.result === Void;
    return isWrite ? view.times(value) : 0;
  });

/** It destroys registers behind its operands, and has no definition. */
export const destroysWithoutResult: Detector = (study) =>
  sum(study, (value, view) => {
    const { patchpoint } = value;
    if (patchpoint === null || patchpoint.result !== Void) return 0;
    return patchpoint.late.length > 0 ? view.times(value) : 0;
  });

/** A constant is only kept, and an operand that is read stands beside it; its result matters. */
export const keepsConstant: Detector = (study) =>
  sum(study, (value, view) => {
    const { patchpoint, rest } = value;
    if (patchpoint === null || rest === null || patchpoint.result === Void) return 0;
    const keeps = patchpoint.parameters.some(
      ({ place }, k) => place === "keepAlive" && rest[k].isConstant,
    );
    return keeps ? view.times(value, ({ matters }) => matters) : 0;
  });
