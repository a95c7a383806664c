// Lists the traps of WebAssembly, which become exits. The first slot of a trap's frame is the index
// of its kind here.

/** The kinds of traps, in the words of the specification's tests. */
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
  // Not a trap of WebAssembly: an access to a function, global or page of memory that was not
  // imported.
  "not imported",
] as const;

export type TrapKind = (typeof TRAPS)[number];

export const numberOfTrap = (trap: TrapKind): number => TRAPS.indexOf(trap);
