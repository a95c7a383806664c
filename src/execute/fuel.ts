// What interpreters of a subject may use up.

/** A judged execution of fuel F ends in optimized IR within this. */
export const fuelFor = (fuelUsed: number): number => 16 * fuelUsed + 10_000;
