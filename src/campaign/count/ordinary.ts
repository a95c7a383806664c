// Decides whether the floors and lists of required counters apply to the programs of a campaign.

import { isWorldProfile } from "../../worlds/worlds.js";
import { IMPORTED } from "../program/imported-program.js";
import { isForTraces } from "../program/seeds.js";
import type { Tally } from "./tally.js";

/**
 * Programs of these profiles are intentionally small, imported or hot: they need not reach what
 * usual programs reach.
 */
const isSpecial = (reading: string): boolean =>
  isWorldProfile(reading) || reading === IMPORTED || isForTraces(reading);

export const isOrdinary = ({ readings }: Pick<Tally, "readings">): boolean =>
  !Object.keys(readings).some(isSpecial);
