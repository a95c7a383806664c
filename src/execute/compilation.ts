// How the reference compiler compiles a program.

import type { Level } from "../../reference/levels.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";

export interface Compilation {
  readonly level: Level;
  /** Null: the optimized IR runs in the oracle, and no target's own phases run. */
  readonly target: TargetName | null;
  /** Null: that of the level, or nothing is allocated. */
  readonly allocator: AllocatorName | null;
  /** Values of 64 bits that are only moved about are carried in two registers. */
  readonly pieces: boolean;
  /** What a compiler may choose is drawn by the program's chaos number. */
  readonly chaos: boolean;
}
