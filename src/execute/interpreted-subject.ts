// `ir-*`: the optimized program back in the oracle. It clears or blames the optimizer alone.

import { NO_POISON } from "./machine/junk.js";
import type { OpenSubject, Prepared, Subject, Workshop } from "./subject.js";
import type { Unit } from "./unit.js";

/** A judged execution of fuel F ends in optimized IR within this. */
export const fuelFor = (fuelUsed: number): number => 16 * fuelUsed + 10_000;

export function openInterpreted(subject: Subject, workshop: Workshop): OpenSubject {
  return {
    name: subject.name,
    prepare: (unit: Unit): Prepared => {
      const program = unit.optimized(subject).program();
      return {
        poisons: NO_POISON,
        counts: null,
        run: (input, _poison, fuelUsed) => workshop.oracle.run(program, input, fuelFor(fuelUsed)),
      };
    },
    distrust: () => {},
    close: () => {},
  };
}
