// Whether the programs of a campaign are those that the floors and the lists of what must be seen are made for.

import { isWorldProfile } from "../../worlds/worlds.js";
import { IMPORTED } from "../program/imported-program.js";
import { isForTraces } from "../program/seeds.js";
import type { Tally } from "./tally.js";

/** Small, imported or hot by intent: what usual programs reach is not asked of them. */
const isSpecial = (reading: string): boolean =>
  isWorldProfile(reading) || reading === IMPORTED || isForTraces(reading);

export const isOrdinary = ({ readings }: Pick<Tally, "readings">): boolean =>
  !Object.keys(readings).some(isSpecial);
