// Opens `ir-*`: the oracle runs the optimized program. The optimizer alone causes a difference.

import { fuelFor } from "./fuel.js";
import { NO_POISON } from "./machine/junk.js";
import type { ReferenceSubject } from "./reference-subject.js";
import type { OpenLocalSubject } from "./subject.js";
import type { ExecutionResources } from "./workshop.js";

export function openInterpreted(
  subject: ReferenceSubject,
  { oracle }: ExecutionResources,
): OpenLocalSubject {
  return {
    poisons: NO_POISON,
    prepare: (unit) => {
      const program = unit.optimizedLazily(subject).program();
      return {
        poisons: NO_POISON,
        counts: null,
        run: (input, _poison, fuelUsed) => oracle.run(program, input, fuelFor(fuelUsed)),
        call: (words, heap, _poison, fuelUsed) =>
          oracle.call(program, words, heap, fuelFor(fuelUsed)),
      };
    },
    discardMachine: () => {},
    close: () => {},
  };
}
