// How many subjects judge each program if the user does not say.

import { isWorldProfile } from "../../src/worlds/worlds.js";

/** A campaign sees more programs by a few subjects each than by all. */
const DRAWN = 6;
/** A program of worlds is larger, and its worlds come again in the next round. */
const DRAWN_FOR_WORLDS = 1;

export const drawnFor = (profile: string): number =>
  isWorldProfile(profile) ? DRAWN_FOR_WORLDS : DRAWN;
