// How an exported program says that an execution ended. 0 is what stands there before.

/** As the program says: it returned, or left by an exit. */
export const ENDED = 1;
/** There was no room for a record. */
export const NO_ROOM = 2;
/** An Oops was reached. */
export const OOPS = 3;
