// Opens `equivalent-O0`: the oracle runs the program after a rewrite by identities. No compiler
// takes part. A difference is a contradiction between the oracle and an identity.

import { rewrite } from "../equivalence/rewrite.js";
import { cloneModule } from "../ir/clone.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { NO_POISON } from "./machine/junk.js";
import type { ReferenceSubject } from "./reference-subject.js";
import type { OpenLocalSubject } from "./subject.js";
import type { ExecutionResources } from "./workshop.js";

/** The longest identity takes about 40 values. */
const fuelFor = (fuelUsed: number): number => 64 * fuelUsed + 10_000;

export function openEquivalent(
  _subject: ReferenceSubject,
  { oracle }: ExecutionResources,
): OpenLocalSubject {
  return {
    poisons: NO_POISON,
    prepare: (unit) => {
      const module = cloneModule(unit.module);
      rewrite(module, unit.chaos);
      // Accesses are judged in the original program only. Identities add sums, and the allocation
      // of an object fixes which addresses belong to it.
      const program = { ...decodeModule(module), allocates: false };
      return {
        poisons: NO_POISON,
        counts: null,
        run: (input, _poison, fuelUsed) => oracle.run(program, input, fuelFor(fuelUsed)),
      };
    },
    discardMachine: () => {},
    close: () => {},
  };
}
