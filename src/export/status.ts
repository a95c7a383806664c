// Defines how an exported program reports the end of an execution. The status is 0 before the end.

/** The program returned, or exited by a guard. */
export const ENDED = 1;
/** The space for records was exhausted. */
export const NO_ROOM = 2;
/** The program executed an Oops. */
export const OOPS = 3;
