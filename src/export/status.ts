// Defines how an exported program reports the end of an execution. The status is 0 before the end.

/** The program returned, or exited by a guard. */
export const ENDED = 1;
/** The space for records was exhausted. */
export const NO_ROOM = 2;
/** The program executed an Oops. */
export const OOPS = 3;

/**
 * Is added to the status of an execution before which the engine had compiled none of the program's
 * functions.
 */
export const UNCOMPILED = 0x4000;
