// Lists the rows of ARM64 that preserve the flags, by name: all rows of one instruction that sets
// no flags, and all consumers of a comparison of integers, which record the comparison themselves.

const KEEPS: readonly RegExp[] = [
  /^const/,
  /^(framePointer|slotAddress|functionAddress)$/,
  /^(add|sub|and|orr|eor)[lq](Imm|\..*)?$/,
  /^(lsl|asr|lsr)[lq](Imm)?$/,
  /^imul[lq](Imm)?$/,
  /^(neg|mvn|depend)[lq]$/,
  /^fence\./,
  /^[su]div[lq]$/,
  /^[su]mulh[lq]$/,
  /^(sxt|zext|truncq)/,
  /^(ldu?r|stu?r)/,
  /^(load|store)Argument\./,
  /^(branch|check|set|select\w+)\.(cmp|test|bits)[lq](Imm)?$/,
  /^(entry|jump)$/,
];

export const keepsFlags = (name: string): boolean => KEEPS.some((rows) => rows.test(name));
