// What jsfuzz drives and the replay test repeats.

import type { Features } from "./features.js";

/** An entry point of Touchstone that must withstand any bytes. */
export interface Target {
  /** Also the name of its folder in corpus/jsfuzz. */
  readonly name: string;
  /**
   * Gives the bytes to the entry point. Outcomes that are allowed are no error; InternalError, or
   * anything else that is thrown, is a finding. Synchronous, and without state between calls.
   */
  readonly run: (bytes: Uint8Array, features: Features) => void;
  /** Inputs to begin with, always the same. */
  readonly seeds: () => Uint8Array[];
}

/** jsfuzz makes no longer inputs. */
export const INPUT_SIZE_MAX = 4096;
