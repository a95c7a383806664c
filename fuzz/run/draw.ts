// Which subjects judge each program, and how many, if the user does not say.

import { isForTraces } from "../../src/campaign/program/seeds.js";
import type { RemoteShare } from "../../src/campaign/run/judge-elsewhere.js";
import { isWorldProfile } from "../../src/worlds/worlds.js";

/** A campaign sees more programs by a few subjects each than by all: one of each level, and one under chaos. */
const DRAWN = 4;
/** A program of worlds is larger, and its worlds come again in the next round. */
const DRAWN_FOR_WORLDS = 1;
/** Each compiles several traces of a program, as others compile several programs. */
const DRAWN_FOR_TRACES = 3;

export function drawnFor(profile: string): number {
  if (isForTraces(profile)) return DRAWN_FOR_TRACES;
  return isWorldProfile(profile) ? DRAWN_FOR_WORLDS : DRAWN;
}

/**
 * An engine that is always there: V8 of the Node that runs us. It judges so few of the programs that it costs at most
 * 3 % of the processor time (docs/engines.md has the figures).
 */
export const OWN_ENGINE: RemoteShare = { name: "v8-turbofan", oneIn: 10 };
