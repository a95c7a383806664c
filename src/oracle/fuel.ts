/** The number of values that one execution may execute, by default. */
export const DEFAULT_FUEL = 10_000_000;
