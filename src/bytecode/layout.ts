// Where the memory of a bytecode program lies in the heap: the data, the return stack, and the operand stack at
// the end. Both stacks grow upwards, and their pointers name the top, as InterpState of Tamarin Tracing has it.
// What lies above a top is dead. The gap behind the return stack is never used: bytes that are counted
// from its top, and said to be dead, reach no further.

export const HEAP_BYTES = 8192;
export const DATA_WORDS = 256;
export const RETURN_START = 4 * DATA_WORDS;
export const OPERAND_START = 4096;

export const CELL_BYTES = 8;
export const WORD_BYTES = 4;

/** Bytes behind any top that cover its stack. */
export const RETURN_DEAD_BYTES = 2048;
export const OPERAND_DEAD_BYTES = 4096;

/** What a procedure and its superinstructions may push, beside what they were given. */
export const ROOM_CELLS = 48;
export const ROOM_WORDS = 32;
/** The tops up to which a procedure may be called. */
export const RETURN_LIMIT = RETURN_START + 1024 - WORD_BYTES * ROOM_WORDS;
export const OPERAND_LIMIT = HEAP_BYTES - CELL_BYTES * ROOM_CELLS;

/** Classes of memory: these never overlap. */
export const DATA_CLASS = 1;
export const OPERAND_CLASS = 2;
export const RETURN_CLASS = 3;

/** Exits of a program: it halts; a procedure has no room; a box has another tag. */
export const HALT_EXIT = 0;
export const NO_ROOM_EXIT = 1;
export const WRONG_TAG_EXIT = 2;
