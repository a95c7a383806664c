// Lists the optimization levels. It is separate from the phases, so that a command line can name
// levels without loading them.

export const LEVELS = ["O0", "O1", "O2"] as const;
export type Level = (typeof LEVELS)[number];
