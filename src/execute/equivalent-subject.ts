// `equivalent-O0`: the program rewritten by identities, in the oracle. It needs no compiler: a difference
// is a meaning that contradicts the others, in the oracle or in an identity.

import { rewrite } from "../equivalence/rewrite.js";
import { cloneModule } from "../ir/clone.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { NO_POISON } from "./machine/junk.js";
import type { ReferenceSubject } from "./reference-subject.js";
import type { OpenLocal } from "./subject.js";
import type { Workshop } from "./workshop.js";

/** The longest identity takes about 40 values. */
const fuelFor = (fuelUsed: number): number => 64 * fuelUsed + 10_000;

export function openEquivalent(_subject: ReferenceSubject, { oracle }: Workshop): OpenLocal {
  return {
    poisons: NO_POISON,
    prepare: (unit) => {
      const module = cloneModule(unit.module);
      rewrite(module, unit.chaos);
      // What the original may access is judged in the original: identities make sums of what was none, and
      // an address of an object is one by what it was made with.
      const program = { ...decodeModule(module), allocates: false };
      return {
        poisons: NO_POISON,
        counts: null,
        run: (input, _poison, fuelUsed) => oracle.run(program, input, fuelFor(fuelUsed)),
      };
    },
    distrust: () => {},
    close: () => {},
  };
}
