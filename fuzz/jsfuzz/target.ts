// Defines the targets that jsfuzz drives and the replay test repeats.

import type { FeatureCollector } from "./features.js";

/** An entry point of Touchstone that must accept any bytes. */
export interface FuzzTarget {
  /** The name, and the name of its folder in corpus/jsfuzz. */
  readonly name: string;
  /**
   * Passes the bytes to the entry point. Permitted outcomes do not throw; an InternalError, or any
   * other exception, is a finding. Synchronous, and without state between calls.
   */
  readonly run: (bytes: Uint8Array, features: FeatureCollector) => void;
  /** Initial inputs, always the same. */
  readonly seeds: () => Uint8Array[];
}

/** The maximum length of inputs that jsfuzz makes. */
export const INPUT_SIZE_MAX = 4096;
