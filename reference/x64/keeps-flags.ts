// Lists the rows of x86-64 that preserve the flags, by name: moves, loads, stores, constants,
// addresses, and all consumers of a comparison of integers in registers, which record the
// comparison themselves.

const KEEPS: readonly RegExp[] = [
  /^const/,
  /^(framePointer|slotAddress|functionAddress)$/,
  /^mov/,
  /^(zextl|zextlDone|zextlName|truncq)$/,
  /^(load|store)Argument\./,
  // Encoded as an address computation if the sum has a register of its own; otherwise the row
  // declares that it writes flags.
  /^add[lq](Imm)?\.free$/,
  /^add[lq]\.lsl$/,
  /^(branch|check|set|select\w+)\.(cmp|test|bits)[lq](Imm)?$/,
  /^fence\./,
  /^(entry|jump)$/,
];

export const keepsFlags = (name: string): boolean => KEEPS.some((rows) => rows.test(name));
