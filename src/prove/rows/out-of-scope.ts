// LIR rows that no question is asked about, and why; the tests print this list, and it may not grow.

interface OutOfScope {
  readonly rows: RegExp;
  readonly because: string;
}

// biome-ignore format: a table
export const OUT_OF_SCOPE: readonly OutOfScope[] = [
  { rows: /^patchpoint\./,                because: "what a kind does is outside the language's operations: run by the LIR interpreter" },
  { rows: /^call|^functionAddress$/,      because: "a call is what its callee does, and where its arguments are is the convention's" },
  { rows: /^(load|store)Argument\./,      because: "where arguments on the stack are is the convention's" },
  { rows: /^framePointer$/,               because: "only patchpoints take it" },
  { rows: /^oops$/,                       because: "it is never reached" },
  { rows: /^fmods[sd]$/,                  because: "the solver has no word for the remainder of floats" },
];
