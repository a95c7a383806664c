// Which rows of x86-64 leave the flags alone, by name: moves, loads, stores, constants, addresses, and
// whatever consumes a comparison of integers in registers, which says itself what it compares.

const KEEPS: readonly RegExp[] = [
  /^const/,
  /^(framePointer|slotAddress|functionAddress)$/,
  /^mov/,
  /^(zextl|zextlDone|zextlName|truncq)$/,
  /^(load|store)Argument\./,
  // An address if the sum has a register of its own; else the row says that it writes flags.
  /^add[lq](Imm)?\.free$/,
  /^add[lq]\.lsl$/,
  /^(branch|check|set|select\w+)\.(cmp|test|bits)[lq](Imm)?$/,
  /^fence\./,
  /^(entry|jump)$/,
];

export const keepsFlags = (name: string): boolean => KEEPS.some((rows) => rows.test(name));
