// Defines the heap layout of a bytecode program: the data, the return stack, and at the end the
// operand stack. Both stacks grow upwards, and their pointers address the top, as in InterpState of
// Tamarin Tracing. Memory above a top is dead. The gap after the return stack is never used: ranges
// of dead bytes above its top do not reach beyond the gap.

export const HEAP_BYTES = 8192;
export const DATA_WORDS = 256;
export const RETURN_START = 4 * DATA_WORDS;
export const OPERAND_START = 4096;

export const CELL_BYTES = 8;
export const WORD_BYTES = 4;

/** Bytes above a top that cover the rest of its stack. */
export const RETURN_DEAD_BYTES = 2048;
export const OPERAND_DEAD_BYTES = 4096;

/**
 * The maximum that a procedure and its superinstructions may push, in addition to their arguments.
 */
export const ROOM_CELLS = 48;
export const ROOM_WORDS = 32;
/** The maximum tops at which a procedure may be called. */
export const RETURN_LIMIT = RETURN_START + 1024 - WORD_BYTES * ROOM_WORDS;
export const OPERAND_LIMIT = HEAP_BYTES - CELL_BYTES * ROOM_CELLS;

/** Memory classes, which never overlap. */
export const DATA_CLASS = 1;
export const OPERAND_CLASS = 2;
export const RETURN_CLASS = 3;

/** Exits of a program: it halts; a procedure has no room; a box has another tag. */
export const HALT_EXIT = 0;
export const NO_ROOM_EXIT = 1;
export const WRONG_TAG_EXIT = 2;
