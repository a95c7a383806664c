// Holds the compiled continuations of one program. The unit owns it, so V8 frees both together. In
// a WeakMap the value, and everything it reaches, would live until the next full collection.

import type { LoadedImage } from "./loaded-image.js";

export class ContinuationCache {
  /** Counts of executed continuations, by the subject that ran them. */
  readonly ran: Record<string, number> = {};
  /** Keyed by compilation, machine and procedure; a string is the reason for a missing image. */
  readonly images = new Map<string, LoadedImage | string>();
}
