// Defines the state of the playground's page that a link contains. `playground-link.ts` writes links
// for reports; the page reads and writes them by itself. No module of Node is imported here.

import type { Level } from "../../reference/levels.js";
import type { AllocatorName } from "../../reference/regalloc/allocator-names.js";
import type { TargetName } from "../../reference/target/target.js";

/** The version of the form; increase it if older pages cannot read the form. */
export const LINK_VERSION = 1;

/** A program, and the planted bug of the compiler that judges it; null for the compiler as it is. */
export interface ProgramText {
  readonly text: string;
  readonly canary: string | null;
}

/** The compilation whose forms the page shows. */
export interface ShownCompilation {
  readonly target: TargetName;
  readonly level: Level;
  readonly allocator: AllocatorName;
}

/** The outcomes of a finding. The page cannot repeat those of another project's compiler. */
export interface FoundOutcomes {
  readonly subject: string;
  readonly runs: readonly FoundRun[];
}

export interface FoundRun {
  readonly input: string;
  readonly expected: string;
  readonly got: string;
}

export interface PageState extends ProgramText {
  readonly shown: ShownCompilation;
  /** The value is null if the program is not that of a finding. */
  readonly found: FoundOutcomes | null;
  /** How often the browser of the page calls each run line; null: as often as the page does. */
  readonly calls: number | null;
}

/** Returns the JSON that a link contains, compressed. */
export const linkJson = ({ text, canary, shown, found, calls }: PageState): string =>
  JSON.stringify({
    ...{ text, canary, ...shown },
    ...(found === null ? {} : { found }),
    ...(calls === null ? {} : { calls }),
  });
