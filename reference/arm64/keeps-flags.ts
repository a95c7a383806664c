// Which rows of ARM64 leave the flags alone, by name: all that are one instruction which sets none, and
// whatever consumes a comparison of integers, which says itself what it compares.

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
