// Bounds the fuel of a subject's interpreters.

/** The greatest fuel of optimized IR for a judged execution of fuel F. */
export const fuelFor = (fuelUsed: number): number => 16 * fuelUsed + 10_000;
