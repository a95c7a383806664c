/** Values that one execution may take, unless a user says otherwise. */
export const DEFAULT_FUEL = 10_000_000;
