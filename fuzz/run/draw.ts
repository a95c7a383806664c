// Sets the default number of subjects that judge each program.

import { isForTraces } from "../../src/campaign/program/seeds.js";
import type { RemoteSubjectShare } from "../../src/campaign/run/judge-elsewhere.js";
import { isWorldProfile } from "../../src/worlds/worlds.js";

/**
 * A campaign finds more with few subjects and more programs: one subject of each level, and one
 * under chaos.
 */
const DRAWN = 4;
/** A program of worlds is larger, and its worlds occur again in the next round. */
const DRAWN_FOR_WORLDS = 1;
/**
 * Each of these subjects compiles several traces of a program, which costs as much as several
 * programs.
 */
const DRAWN_FOR_TRACES = 3;

export function drawnFor(profile: string): number {
  if (isForTraces(profile)) return DRAWN_FOR_TRACES;
  return isWorldProfile(profile) ? DRAWN_FOR_WORLDS : DRAWN;
}

/**
 * The engine that is always available: V8 of the running Node. It judges a share of the programs
 * that costs at most 3 % of the processor time (measurements are in docs/engines.md).
 */
export const OWN_ENGINE: RemoteSubjectShare = { name: "v8-turbofan", oneIn: 10 };
