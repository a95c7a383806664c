// The traps of WebAssembly as exits of ours. The first slot of a trap's frame is the number of its
// kind: the index of its row here.

/** The words are those of the specification's tests. */
export const TRAPS = [
  "unreachable",
  "integer divide by zero",
  "integer overflow",
  "invalid conversion to integer",
  "out of bounds memory access",
  "out of bounds table access",
  "undefined element",
  "uninitialized element",
  "indirect call type mismatch",
  // Not a trap of WebAssembly: a function, a global or a page of memory that was not imported.
  "not imported",
] as const;

export type Trap = (typeof TRAPS)[number];

export const numberOfTrap = (trap: Trap): number => TRAPS.indexOf(trap);
