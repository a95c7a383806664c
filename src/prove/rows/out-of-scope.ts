// Lists LIR rows without claims, with the reason. The tests print this list, and it may not grow.

interface OutOfScope {
  readonly rows: RegExp;
  readonly because: string;
}

// biome-ignore format: a table
export const OUT_OF_SCOPE: readonly OutOfScope[] = [
  { rows: /^patchpoint\./,                because: "its kinds are not operations of the language: the LIR interpreter runs them" },
  { rows: /^call|^functionAddress$/,      because: "the callee determines its effects, and the convention the locations of its arguments" },
  { rows: /^(load|store)Argument\./,      because: "the convention determines the locations of stack arguments" },
  { rows: /^framePointer$/,               because: "only patchpoints take it" },
  { rows: /^oops$/,                       because: "it is never reached" },
  { rows: /^fmods[sd]$/,                  because: "the solver has no operation for the remainder of floats" },
];
