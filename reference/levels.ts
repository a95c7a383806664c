// How much is optimized: apart from the phases, so that a command line can name the levels without them.

export const LEVELS = ["O0", "O1", "O2"] as const;
export type Level = (typeof LEVELS)[number];
