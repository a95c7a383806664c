// What the exits of one program were continued with. It is the unit's, and so goes with it: as the value of a
// WeakMap it would not, nor all that it reaches, before V8 collects the whole heap.

import type { LoadedImage } from "./loaded-image.js";

export class Continued {
  /** Continuations that ran, by the subject that ran them. */
  readonly ran: Record<string, number> = {};
  /** By way, place and procedure; a text says why there is none. */
  readonly images = new Map<string, LoadedImage | string>();
}
