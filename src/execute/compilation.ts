// Describes how the reference compiler compiles a program.

import type { Level } from "../../reference/levels.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";

export interface CompilationSettings {
  readonly level: Level;
  /**
   * The target of the code; null if the oracle runs the optimized IR, without phases of a target.
   */
  readonly target: TargetName | null;
  /** The register allocator; null for that of the level, or for none without a target. */
  readonly allocator: AllocatorName | null;
  /** Carry 64-bit values that are only moved in two registers. */
  readonly halves: boolean;
  /** The program's chaos number draws the free choices of the compiler. */
  readonly chaos: boolean;
}
