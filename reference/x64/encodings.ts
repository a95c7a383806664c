// The x86-64 instructions that this compiler can write: one row for each form, in the notation of
// the manual (Intel SDM vol. 2, 3.1.1), and the assembler's columns, which are derived from them at
// load.
//
// Instruction sets: SSE2 to SSE4.1, LZCNT, TZCNT. No VEX (emulators execute it wrongly without an
// error) and no POPCNT (not every emulator version has it).
//
// To add a form, add its row: the assembler, the listing and the tests read it from here.

import { assert } from "../../src/support/assert.js";
import type { RegisterBank } from "./registers.js";

export interface OperandSpec {
  /**
   * Its position in the encoding: ModRM.reg, ModRM.rm, the low bits of the opcode, or after all of
   * them.
   */
  readonly field: "reg" | "rm" | "opcode" | "immediate" | "immediate64" | "label" | "implied";
  /** The bank whose names it prints as a register; absent if it cannot be one. */
  readonly register?: RegisterBank;
  /** The text before the brackets if it is in memory; absent if it cannot be. */
  readonly pointer?: string;
  /** For immediates and distances: size in bytes; for immediates also the values that fit. */
  readonly size?: number;
  readonly min?: number;
  readonly max?: number;
}

// The manual's `r/m32` is rm32, its `xmm/m64` is xm64; `xm` is ModRM.rm, and never memory. `imm8`
// to `imm32` are sign-extended to the operand's width, `uimm8` and `uimm16` are unsigned.
// biome-ignore format: a table
export const OPERANDS = {
  r8:     { field: "reg",         register: "r8" },
  r16:    { field: "reg",         register: "r16" },
  r32:    { field: "reg",         register: "r32" },
  r64:    { field: "reg",         register: "r64" },
  x:      { field: "reg",         register: "x" },
  o32:    { field: "opcode",      register: "r32" },
  o64:    { field: "opcode",      register: "r64" },
  rm8:    { field: "rm",          register: "r8",   pointer: "byte ptr " },
  rm16:   { field: "rm",          register: "r16",  pointer: "word ptr " },
  rm32:   { field: "rm",          register: "r32",  pointer: "dword ptr " },
  rm64:   { field: "rm",          register: "r64",  pointer: "qword ptr " },
  xm:     { field: "rm",          register: "x" },
  xm32:   { field: "rm",          register: "x",    pointer: "dword ptr " },
  xm64:   { field: "rm",          register: "x",    pointer: "qword ptr " },
  xm128:  { field: "rm",          register: "x",    pointer: "xmmword ptr " },
  m:      { field: "rm",                            pointer: "" },
  m8:     { field: "rm",                            pointer: "byte ptr " },
  m16:    { field: "rm",                            pointer: "word ptr " },
  m32:    { field: "rm",                            pointer: "dword ptr " },
  m64:    { field: "rm",                            pointer: "qword ptr " },
  imm8:   { field: "immediate",   size: 1, min: -0x80,        max: 0x7f },
  uimm8:  { field: "immediate",   size: 1, min: 0,            max: 0xff },
  imm16:  { field: "immediate",   size: 2, min: -0x8000,      max: 0x7fff },
  uimm16: { field: "immediate",   size: 2, min: 0,            max: 0xffff },
  imm32:  { field: "immediate",   size: 4, min: -0x8000_0000, max: 0x7fff_ffff },
  imm64:  { field: "immediate64" },
  rel8:   { field: "label",       size: 1 },
  rel32:  { field: "label",       size: 4 },
  cl:     { field: "implied",     register: "r8" },
} as const satisfies Record<string, OperandSpec>;
export type OperandKind = keyof typeof OPERANDS;

interface EncodingSpec {
  /**
   * Intel mnemonic and operands, destination first: `add r32, rm32`. `lock` before it adds that
   * prefix.
   */
  readonly form: string;
  /** Mandatory or operand-size prefix (66, F2, F3), escape (0F, 0F 38, 0F 3A), opcode. */
  readonly bytes: readonly number[];
  /** The value of ModRM.reg if it is part of the opcode: the manual's `/digit`. */
  readonly digit?: number;
  /** The manual's `REX.W`. */
  readonly rexW?: boolean;
}

// Names are AT&T-like: b, w, l, q for 8 to 64 bits. Plain rows read `rm` into a register.
// biome-ignore format: a table
const ENCODINGS = {
  // Moves. `Store` is the memory-destination direction; a 32-bit destination clears the upper half.
  movl:          { form: "mov r32, rm32",        bytes: [0x8b] },
  movq:          { form: "mov r64, rm64",        bytes: [0x8b],                       rexW: true },
  movlStore:     { form: "mov rm32, r32",        bytes: [0x89] },
  movqStore:     { form: "mov rm64, r64",        bytes: [0x89],                       rexW: true },
  movbStore:     { form: "mov rm8, r8",          bytes: [0x88] },
  movwStore:     { form: "mov rm16, r16",        bytes: [0x66, 0x89] },
  movlImm:       { form: "mov o32, imm32",       bytes: [0xb8] },
  movqImm:       { form: "mov rm64, imm32",      bytes: [0xc7],             digit: 0, rexW: true },
  movabsq:       { form: "movabs o64, imm64",    bytes: [0xb8],                       rexW: true },
  movbImmStore:  { form: "mov m8, imm8",         bytes: [0xc6],             digit: 0 },
  movwImmStore:  { form: "mov m16, imm16",       bytes: [0x66, 0xc7],       digit: 0 },
  movlImmStore:  { form: "mov m32, imm32",       bytes: [0xc7],             digit: 0 },
  movzbl:        { form: "movzx r32, rm8",       bytes: [0x0f, 0xb6] },
  movzbq:        { form: "movzx r64, rm8",       bytes: [0x0f, 0xb6],                 rexW: true },
  movzwl:        { form: "movzx r32, rm16",      bytes: [0x0f, 0xb7] },
  movzwq:        { form: "movzx r64, rm16",      bytes: [0x0f, 0xb7],                 rexW: true },
  movsbl:        { form: "movsx r32, rm8",       bytes: [0x0f, 0xbe] },
  movsbq:        { form: "movsx r64, rm8",       bytes: [0x0f, 0xbe],                 rexW: true },
  movswl:        { form: "movsx r32, rm16",      bytes: [0x0f, 0xbf] },
  movswq:        { form: "movsx r64, rm16",      bytes: [0x0f, 0xbf],                 rexW: true },
  movslq:        { form: "movsxd r64, rm32",     bytes: [0x63],                       rexW: true },
  leal:          { form: "lea r32, m",           bytes: [0x8d] },
  leaq:          { form: "lea r64, m",           bytes: [0x8d],                       rexW: true },
  xchgl:         { form: "xchg rm32, r32",       bytes: [0x87] },
  xchgq:         { form: "xchg rm64, r64",       bytes: [0x87],                       rexW: true },

  // Atomic read-modify-write instructions; xchg is atomic by itself. cmpxchg compares with al, ax,
  // eax or rax, which gets the old value if that is different.
  xchgbMemory:   { form: "xchg m8, r8",          bytes: [0x86] },
  xchgwMemory:   { form: "xchg m16, r16",        bytes: [0x66, 0x87] },
  lockXaddb:     { form: "lock xadd m8, r8",     bytes: [0x0f, 0xc0] },
  lockXaddw:     { form: "lock xadd m16, r16",   bytes: [0x66, 0x0f, 0xc1] },
  lockXaddl:     { form: "lock xadd m32, r32",   bytes: [0x0f, 0xc1] },
  lockXaddq:     { form: "lock xadd m64, r64",   bytes: [0x0f, 0xc1],                 rexW: true },
  lockCmpxchgb:  { form: "lock cmpxchg m8, r8",  bytes: [0x0f, 0xb0] },
  lockCmpxchgw:  { form: "lock cmpxchg m16, r16", bytes: [0x66, 0x0f, 0xb1] },
  lockCmpxchgl:  { form: "lock cmpxchg m32, r32", bytes: [0x0f, 0xb1] },
  lockCmpxchgq:  { form: "lock cmpxchg m64, r64", bytes: [0x0f, 0xb1],                rexW: true },

  // Integer arithmetic. Imm8 is sign-extended, and so is the imm32 of a 64-bit row.
  addl:          { form: "add r32, rm32",        bytes: [0x03] },
  addq:          { form: "add r64, rm64",        bytes: [0x03],                       rexW: true },
  addlImm:       { form: "add rm32, imm32",      bytes: [0x81],             digit: 0 },
  addqImm:       { form: "add rm64, imm32",      bytes: [0x81],             digit: 0, rexW: true },
  addlImm8:      { form: "add rm32, imm8",       bytes: [0x83],             digit: 0 },
  addqImm8:      { form: "add rm64, imm8",       bytes: [0x83],             digit: 0, rexW: true },
  orl:           { form: "or r32, rm32",         bytes: [0x0b] },
  orq:           { form: "or r64, rm64",         bytes: [0x0b],                       rexW: true },
  orlImm:        { form: "or rm32, imm32",       bytes: [0x81],             digit: 1 },
  orqImm:        { form: "or rm64, imm32",       bytes: [0x81],             digit: 1, rexW: true },
  orlImm8:       { form: "or rm32, imm8",        bytes: [0x83],             digit: 1 },
  orqImm8:       { form: "or rm64, imm8",        bytes: [0x83],             digit: 1, rexW: true },
  adcl:          { form: "adc r32, rm32",        bytes: [0x13] },
  adcq:          { form: "adc r64, rm64",        bytes: [0x13],                       rexW: true },
  adclImm:       { form: "adc rm32, imm32",      bytes: [0x81],             digit: 2 },
  adcqImm:       { form: "adc rm64, imm32",      bytes: [0x81],             digit: 2, rexW: true },
  adclImm8:      { form: "adc rm32, imm8",       bytes: [0x83],             digit: 2 },
  adcqImm8:      { form: "adc rm64, imm8",       bytes: [0x83],             digit: 2, rexW: true },
  sbbl:          { form: "sbb r32, rm32",        bytes: [0x1b] },
  sbbq:          { form: "sbb r64, rm64",        bytes: [0x1b],                       rexW: true },
  sbblImm:       { form: "sbb rm32, imm32",      bytes: [0x81],             digit: 3 },
  sbbqImm:       { form: "sbb rm64, imm32",      bytes: [0x81],             digit: 3, rexW: true },
  sbblImm8:      { form: "sbb rm32, imm8",       bytes: [0x83],             digit: 3 },
  sbbqImm8:      { form: "sbb rm64, imm8",       bytes: [0x83],             digit: 3, rexW: true },
  andl:          { form: "and r32, rm32",        bytes: [0x23] },
  andq:          { form: "and r64, rm64",        bytes: [0x23],                       rexW: true },
  andlImm:       { form: "and rm32, imm32",      bytes: [0x81],             digit: 4 },
  andqImm:       { form: "and rm64, imm32",      bytes: [0x81],             digit: 4, rexW: true },
  andlImm8:      { form: "and rm32, imm8",       bytes: [0x83],             digit: 4 },
  andqImm8:      { form: "and rm64, imm8",       bytes: [0x83],             digit: 4, rexW: true },
  subl:          { form: "sub r32, rm32",        bytes: [0x2b] },
  subq:          { form: "sub r64, rm64",        bytes: [0x2b],                       rexW: true },
  sublImm:       { form: "sub rm32, imm32",      bytes: [0x81],             digit: 5 },
  subqImm:       { form: "sub rm64, imm32",      bytes: [0x81],             digit: 5, rexW: true },
  sublImm8:      { form: "sub rm32, imm8",       bytes: [0x83],             digit: 5 },
  subqImm8:      { form: "sub rm64, imm8",       bytes: [0x83],             digit: 5, rexW: true },
  xorl:          { form: "xor r32, rm32",        bytes: [0x33] },
  xorq:          { form: "xor r64, rm64",        bytes: [0x33],                       rexW: true },
  xorlImm:       { form: "xor rm32, imm32",      bytes: [0x81],             digit: 6 },
  xorqImm:       { form: "xor rm64, imm32",      bytes: [0x81],             digit: 6, rexW: true },
  xorlImm8:      { form: "xor rm32, imm8",       bytes: [0x83],             digit: 6 },
  xorqImm8:      { form: "xor rm64, imm8",       bytes: [0x83],             digit: 6, rexW: true },
  cmpl:          { form: "cmp r32, rm32",        bytes: [0x3b] },
  cmpq:          { form: "cmp r64, rm64",        bytes: [0x3b],                       rexW: true },
  cmplImm:       { form: "cmp rm32, imm32",      bytes: [0x81],             digit: 7 },
  cmpqImm:       { form: "cmp rm64, imm32",      bytes: [0x81],             digit: 7, rexW: true },
  cmplImm8:      { form: "cmp rm32, imm8",       bytes: [0x83],             digit: 7 },
  cmpqImm8:      { form: "cmp rm64, imm8",       bytes: [0x83],             digit: 7, rexW: true },
  testl:         { form: "test rm32, r32",       bytes: [0x85] },
  testq:         { form: "test rm64, r64",       bytes: [0x85],                       rexW: true },
  testlImm:      { form: "test rm32, imm32",     bytes: [0xf7],             digit: 0 },
  testqImm:      { form: "test rm64, imm32",     bytes: [0xf7],             digit: 0, rexW: true },
  imull:         { form: "imul r32, rm32",       bytes: [0x0f, 0xaf] },
  imulq:         { form: "imul r64, rm64",       bytes: [0x0f, 0xaf],                 rexW: true },
  imullImm:      { form: "imul r32, rm32, imm32", bytes: [0x69] },
  imulqImm:      { form: "imul r64, rm64, imm32", bytes: [0x69],                      rexW: true },
  imullImm8:     { form: "imul r32, rm32, imm8", bytes: [0x6b] },
  imulqImm8:     { form: "imul r64, rm64, imm8", bytes: [0x6b],                       rexW: true },
  notl:          { form: "not rm32",             bytes: [0xf7],             digit: 2 },
  notq:          { form: "not rm64",             bytes: [0xf7],             digit: 2, rexW: true },
  negl:          { form: "neg rm32",             bytes: [0xf7],             digit: 3 },
  negq:          { form: "neg rm64",             bytes: [0xf7],             digit: 3, rexW: true },

  // rdx:rax is the implied double-width operand of these, and cdq/cqo prepare it.
  mull:          { form: "mul rm32",             bytes: [0xf7],             digit: 4 },
  mulq:          { form: "mul rm64",             bytes: [0xf7],             digit: 4, rexW: true },
  imullWide:     { form: "imul rm32",            bytes: [0xf7],             digit: 5 },
  imulqWide:     { form: "imul rm64",            bytes: [0xf7],             digit: 5, rexW: true },
  divl:          { form: "div rm32",             bytes: [0xf7],             digit: 6 },
  divq:          { form: "div rm64",             bytes: [0xf7],             digit: 6, rexW: true },
  idivl:         { form: "idiv rm32",            bytes: [0xf7],             digit: 7 },
  idivq:         { form: "idiv rm64",            bytes: [0xf7],             digit: 7, rexW: true },
  cdq:           { form: "cdq",                  bytes: [0x99] },
  cqo:           { form: "cqo",                  bytes: [0x99],                       rexW: true },

  // Shifts use the low 5 or 6 bits of their count, an unsigned byte or cl.
  rollCl:        { form: "rol rm32, cl",         bytes: [0xd3],             digit: 0 },
  rolqCl:        { form: "rol rm64, cl",         bytes: [0xd3],             digit: 0, rexW: true },
  rollImm8:      { form: "rol rm32, uimm8",      bytes: [0xc1],             digit: 0 },
  rolqImm8:      { form: "rol rm64, uimm8",      bytes: [0xc1],             digit: 0, rexW: true },
  rorlCl:        { form: "ror rm32, cl",         bytes: [0xd3],             digit: 1 },
  rorqCl:        { form: "ror rm64, cl",         bytes: [0xd3],             digit: 1, rexW: true },
  rorlImm8:      { form: "ror rm32, uimm8",      bytes: [0xc1],             digit: 1 },
  rorqImm8:      { form: "ror rm64, uimm8",      bytes: [0xc1],             digit: 1, rexW: true },
  shllCl:        { form: "shl rm32, cl",         bytes: [0xd3],             digit: 4 },
  shlqCl:        { form: "shl rm64, cl",         bytes: [0xd3],             digit: 4, rexW: true },
  shllImm8:      { form: "shl rm32, uimm8",      bytes: [0xc1],             digit: 4 },
  shlqImm8:      { form: "shl rm64, uimm8",      bytes: [0xc1],             digit: 4, rexW: true },
  shrlCl:        { form: "shr rm32, cl",         bytes: [0xd3],             digit: 5 },
  shrqCl:        { form: "shr rm64, cl",         bytes: [0xd3],             digit: 5, rexW: true },
  shrlImm8:      { form: "shr rm32, uimm8",      bytes: [0xc1],             digit: 5 },
  shrqImm8:      { form: "shr rm64, uimm8",      bytes: [0xc1],             digit: 5, rexW: true },
  sarlCl:        { form: "sar rm32, cl",         bytes: [0xd3],             digit: 7 },
  sarqCl:        { form: "sar rm64, cl",         bytes: [0xd3],             digit: 7, rexW: true },
  sarlImm8:      { form: "sar rm32, uimm8",      bytes: [0xc1],             digit: 7 },
  sarqImm8:      { form: "sar rm64, uimm8",      bytes: [0xc1],             digit: 7, rexW: true },

  // bsf and bsr leave the destination undefined on zero; tzcnt and lzcnt give the width.
  bsfl:          { form: "bsf r32, rm32",        bytes: [0x0f, 0xbc] },
  bsfq:          { form: "bsf r64, rm64",        bytes: [0x0f, 0xbc],                 rexW: true },
  bsrl:          { form: "bsr r32, rm32",        bytes: [0x0f, 0xbd] },
  bsrq:          { form: "bsr r64, rm64",        bytes: [0x0f, 0xbd],                 rexW: true },
  tzcntl:        { form: "tzcnt r32, rm32",      bytes: [0xf3, 0x0f, 0xbc] },
  tzcntq:        { form: "tzcnt r64, rm64",      bytes: [0xf3, 0x0f, 0xbc],           rexW: true },
  lzcntl:        { form: "lzcnt r32, rm32",      bytes: [0xf3, 0x0f, 0xbd] },
  shldqCl:       { form: "shld rm64, r64, cl",   bytes: [0x0f, 0xa5],                 rexW: true },
  shrdqCl:       { form: "shrd rm64, r64, cl",   bytes: [0x0f, 0xad],                 rexW: true },
  lzcntq:        { form: "lzcnt r64, rm64",      bytes: [0xf3, 0x0f, 0xbd],           rexW: true },
  bswapl:        { form: "bswap o32",            bytes: [0x0f, 0xc8] },
  bswapq:        { form: "bswap o64",            bytes: [0x0f, 0xc8],                 rexW: true },

  // Conditions: 0F 90+cc, 0F 40+cc, 0F 80+cc (SDM vol. 1, appendix B).
  seto:          { form: "seto rm8",             bytes: [0x0f, 0x90],       digit: 0 },
  setno:         { form: "setno rm8",            bytes: [0x0f, 0x91],       digit: 0 },
  setb:          { form: "setb rm8",             bytes: [0x0f, 0x92],       digit: 0 },
  setae:         { form: "setae rm8",            bytes: [0x0f, 0x93],       digit: 0 },
  sete:          { form: "sete rm8",             bytes: [0x0f, 0x94],       digit: 0 },
  setne:         { form: "setne rm8",            bytes: [0x0f, 0x95],       digit: 0 },
  setbe:         { form: "setbe rm8",            bytes: [0x0f, 0x96],       digit: 0 },
  seta:          { form: "seta rm8",             bytes: [0x0f, 0x97],       digit: 0 },
  sets:          { form: "sets rm8",             bytes: [0x0f, 0x98],       digit: 0 },
  setns:         { form: "setns rm8",            bytes: [0x0f, 0x99],       digit: 0 },
  setp:          { form: "setp rm8",             bytes: [0x0f, 0x9a],       digit: 0 },
  setnp:         { form: "setnp rm8",            bytes: [0x0f, 0x9b],       digit: 0 },
  setl:          { form: "setl rm8",             bytes: [0x0f, 0x9c],       digit: 0 },
  setge:         { form: "setge rm8",            bytes: [0x0f, 0x9d],       digit: 0 },
  setle:         { form: "setle rm8",            bytes: [0x0f, 0x9e],       digit: 0 },
  setg:          { form: "setg rm8",             bytes: [0x0f, 0x9f],       digit: 0 },
  cmovol:        { form: "cmovo r32, rm32",      bytes: [0x0f, 0x40] },
  cmovoq:        { form: "cmovo r64, rm64",      bytes: [0x0f, 0x40],                 rexW: true },
  cmovnol:       { form: "cmovno r32, rm32",     bytes: [0x0f, 0x41] },
  cmovnoq:       { form: "cmovno r64, rm64",     bytes: [0x0f, 0x41],                 rexW: true },
  cmovbl:        { form: "cmovb r32, rm32",      bytes: [0x0f, 0x42] },
  cmovbq:        { form: "cmovb r64, rm64",      bytes: [0x0f, 0x42],                 rexW: true },
  cmovael:       { form: "cmovae r32, rm32",     bytes: [0x0f, 0x43] },
  cmovaeq:       { form: "cmovae r64, rm64",     bytes: [0x0f, 0x43],                 rexW: true },
  cmovel:        { form: "cmove r32, rm32",      bytes: [0x0f, 0x44] },
  cmoveq:        { form: "cmove r64, rm64",      bytes: [0x0f, 0x44],                 rexW: true },
  cmovnel:       { form: "cmovne r32, rm32",     bytes: [0x0f, 0x45] },
  cmovneq:       { form: "cmovne r64, rm64",     bytes: [0x0f, 0x45],                 rexW: true },
  cmovbel:       { form: "cmovbe r32, rm32",     bytes: [0x0f, 0x46] },
  cmovbeq:       { form: "cmovbe r64, rm64",     bytes: [0x0f, 0x46],                 rexW: true },
  cmoval:        { form: "cmova r32, rm32",      bytes: [0x0f, 0x47] },
  cmovaq:        { form: "cmova r64, rm64",      bytes: [0x0f, 0x47],                 rexW: true },
  cmovsl:        { form: "cmovs r32, rm32",      bytes: [0x0f, 0x48] },
  cmovsq:        { form: "cmovs r64, rm64",      bytes: [0x0f, 0x48],                 rexW: true },
  cmovnsl:       { form: "cmovns r32, rm32",     bytes: [0x0f, 0x49] },
  cmovnsq:       { form: "cmovns r64, rm64",     bytes: [0x0f, 0x49],                 rexW: true },
  cmovpl:        { form: "cmovp r32, rm32",      bytes: [0x0f, 0x4a] },
  cmovpq:        { form: "cmovp r64, rm64",      bytes: [0x0f, 0x4a],                 rexW: true },
  cmovnpl:       { form: "cmovnp r32, rm32",     bytes: [0x0f, 0x4b] },
  cmovnpq:       { form: "cmovnp r64, rm64",     bytes: [0x0f, 0x4b],                 rexW: true },
  cmovll:        { form: "cmovl r32, rm32",      bytes: [0x0f, 0x4c] },
  cmovlq:        { form: "cmovl r64, rm64",      bytes: [0x0f, 0x4c],                 rexW: true },
  cmovgel:       { form: "cmovge r32, rm32",     bytes: [0x0f, 0x4d] },
  cmovgeq:       { form: "cmovge r64, rm64",     bytes: [0x0f, 0x4d],                 rexW: true },
  cmovlel:       { form: "cmovle r32, rm32",     bytes: [0x0f, 0x4e] },
  cmovleq:       { form: "cmovle r64, rm64",     bytes: [0x0f, 0x4e],                 rexW: true },
  cmovgl:        { form: "cmovg r32, rm32",      bytes: [0x0f, 0x4f] },
  cmovgq:        { form: "cmovg r64, rm64",      bytes: [0x0f, 0x4f],                 rexW: true },
  // Short forms; if the label is out of reach they become long ones (emit/relocations.ts).
  jo:            { form: "jo rel8",              bytes: [0x70] },
  jno:           { form: "jno rel8",             bytes: [0x71] },
  jb:            { form: "jb rel8",              bytes: [0x72] },
  jae:           { form: "jae rel8",             bytes: [0x73] },
  je:            { form: "je rel8",              bytes: [0x74] },
  jne:           { form: "jne rel8",             bytes: [0x75] },
  jbe:           { form: "jbe rel8",             bytes: [0x76] },
  ja:            { form: "ja rel8",              bytes: [0x77] },
  js:            { form: "js rel8",              bytes: [0x78] },
  jns:           { form: "jns rel8",             bytes: [0x79] },
  jp:            { form: "jp rel8",              bytes: [0x7a] },
  jnp:           { form: "jnp rel8",             bytes: [0x7b] },
  jl:            { form: "jl rel8",              bytes: [0x7c] },
  jge:           { form: "jge rel8",             bytes: [0x7d] },
  jle:           { form: "jle rel8",             bytes: [0x7e] },
  jg:            { form: "jg rel8",              bytes: [0x7f] },

  // Control and the stack.
  jmp:           { form: "jmp rel8",             bytes: [0xeb] },
  jmpIndirect:   { form: "jmp rm64",             bytes: [0xff],             digit: 4 },
  call:          { form: "call rel32",           bytes: [0xe8] },
  callIndirect:  { form: "call rm64",            bytes: [0xff],             digit: 2 },
  ret:           { form: "ret",                  bytes: [0xc3] },
  retImm:        { form: "ret uimm16",           bytes: [0xc2] },
  pushq:         { form: "push o64",             bytes: [0x50] },
  popq:          { form: "pop o64",              bytes: [0x58] },
  pushqImm:      { form: "push imm32",           bytes: [0x68] },
  leave:         { form: "leave",                bytes: [0xc9] },
  ud2:           { form: "ud2",                  bytes: [0x0f, 0x0b] },
  mfence:        { form: "mfence",               bytes: [0x0f, 0xae],       digit: 6 },
  int3:          { form: "int3",                 bytes: [0xcc] },
  nop:           { form: "nop",                  bytes: [0x90] },
  cld:           { form: "cld",                  bytes: [0xfc] },
  std:           { form: "std",                  bytes: [0xfd] },

  // movss and movsd between registers preserve the rest of the destination; as loads they clear it.
  movss:         { form: "movss x, xm32",        bytes: [0xf3, 0x0f, 0x10] },
  movssStore:    { form: "movss m32, x",         bytes: [0xf3, 0x0f, 0x11] },
  movsd:         { form: "movsd x, xm64",        bytes: [0xf2, 0x0f, 0x10] },
  movsdStore:    { form: "movsd m64, x",         bytes: [0xf2, 0x0f, 0x11] },
  movaps:        { form: "movaps x, xm",         bytes: [0x0f, 0x28] },
  movdToXmm:     { form: "movd x, rm32",         bytes: [0x66, 0x0f, 0x6e] },
  movqToXmm:     { form: "movq x, rm64",         bytes: [0x66, 0x0f, 0x6e],           rexW: true },
  movdFromXmm:   { form: "movd rm32, x",         bytes: [0x66, 0x0f, 0x7e] },
  movqFromXmm:   { form: "movq rm64, x",         bytes: [0x66, 0x0f, 0x7e],           rexW: true },
  movmskps:      { form: "movmskps r32, xm",     bytes: [0x0f, 0x50] },
  movmskpd:      { form: "movmskpd r32, xm",     bytes: [0x66, 0x0f, 0x50] },

  // Scalar arithmetic. min and max return the second operand if either is NaN or both are zero.
  addss:         { form: "addss x, xm32",        bytes: [0xf3, 0x0f, 0x58] },
  addsd:         { form: "addsd x, xm64",        bytes: [0xf2, 0x0f, 0x58] },
  mulss:         { form: "mulss x, xm32",        bytes: [0xf3, 0x0f, 0x59] },
  mulsd:         { form: "mulsd x, xm64",        bytes: [0xf2, 0x0f, 0x59] },
  subss:         { form: "subss x, xm32",        bytes: [0xf3, 0x0f, 0x5c] },
  subsd:         { form: "subsd x, xm64",        bytes: [0xf2, 0x0f, 0x5c] },
  minss:         { form: "minss x, xm32",        bytes: [0xf3, 0x0f, 0x5d] },
  minsd:         { form: "minsd x, xm64",        bytes: [0xf2, 0x0f, 0x5d] },
  divss:         { form: "divss x, xm32",        bytes: [0xf3, 0x0f, 0x5e] },
  divsd:         { form: "divsd x, xm64",        bytes: [0xf2, 0x0f, 0x5e] },
  maxss:         { form: "maxss x, xm32",        bytes: [0xf3, 0x0f, 0x5f] },
  maxsd:         { form: "maxsd x, xm64",        bytes: [0xf2, 0x0f, 0x5f] },
  sqrtss:        { form: "sqrtss x, xm32",       bytes: [0xf3, 0x0f, 0x51] },
  sqrtsd:        { form: "sqrtsd x, xm64",       bytes: [0xf2, 0x0f, 0x51] },
  ucomiss:       { form: "ucomiss x, xm32",      bytes: [0x0f, 0x2e] },
  ucomisd:       { form: "ucomisd x, xm64",      bytes: [0x66, 0x0f, 0x2e] },
  cmpss:         { form: "cmpss x, xm32, uimm8", bytes: [0xf3, 0x0f, 0xc2] },
  cmpsd:         { form: "cmpsd x, xm64, uimm8", bytes: [0xf2, 0x0f, 0xc2] },
  roundss:       { form: "roundss x, xm32, uimm8", bytes: [0x66, 0x0f, 0x3a, 0x0a] },
  roundsd:       { form: "roundsd x, xm64, uimm8", bytes: [0x66, 0x0f, 0x3a, 0x0b] },

  // Conversions. cvtt returns the integer indefinite value (only the sign bit set) out of range.
  cvtsi2ssl:     { form: "cvtsi2ss x, rm32",     bytes: [0xf3, 0x0f, 0x2a] },
  cvtsi2ssq:     { form: "cvtsi2ss x, rm64",     bytes: [0xf3, 0x0f, 0x2a],           rexW: true },
  cvttss2sil:    { form: "cvttss2si r32, xm32",  bytes: [0xf3, 0x0f, 0x2c] },
  cvttss2siq:    { form: "cvttss2si r64, xm32",  bytes: [0xf3, 0x0f, 0x2c],           rexW: true },
  cvtsi2sdl:     { form: "cvtsi2sd x, rm32",     bytes: [0xf2, 0x0f, 0x2a] },
  cvtsi2sdq:     { form: "cvtsi2sd x, rm64",     bytes: [0xf2, 0x0f, 0x2a],           rexW: true },
  cvttsd2sil:    { form: "cvttsd2si r32, xm64",  bytes: [0xf2, 0x0f, 0x2c] },
  cvttsd2siq:    { form: "cvttsd2si r64, xm64",  bytes: [0xf2, 0x0f, 0x2c],           rexW: true },
  cvtss2sd:      { form: "cvtss2sd x, xm32",     bytes: [0xf3, 0x0f, 0x5a] },
  cvtsd2ss:      { form: "cvtsd2ss x, xm64",     bytes: [0xf2, 0x0f, 0x5a] },

  // Bitwise. A memory operand must be 16-byte aligned, which emulators do not check.
  andps:         { form: "andps x, xm128",       bytes: [0x0f, 0x54] },
  andnps:        { form: "andnps x, xm128",      bytes: [0x0f, 0x55] },
  orps:          { form: "orps x, xm128",        bytes: [0x0f, 0x56] },
  xorps:         { form: "xorps x, xm128",       bytes: [0x0f, 0x57] },
  pand:          { form: "pand x, xm128",        bytes: [0x66, 0x0f, 0xdb] },
  pandn:         { form: "pandn x, xm128",       bytes: [0x66, 0x0f, 0xdf] },
  por:           { form: "por x, xm128",         bytes: [0x66, 0x0f, 0xeb] },
  pxor:          { form: "pxor x, xm128",        bytes: [0x66, 0x0f, 0xef] },
  pcmpeqd:       { form: "pcmpeqd x, xm128",     bytes: [0x66, 0x0f, 0x76] },
  psrldImm8:     { form: "psrld xm, uimm8",      bytes: [0x66, 0x0f, 0x72], digit: 2 },
  pslldImm8:     { form: "pslld xm, uimm8",      bytes: [0x66, 0x0f, 0x72], digit: 6 },
  psrlqImm8:     { form: "psrlq xm, uimm8",      bytes: [0x66, 0x0f, 0x73], digit: 2 },
  psllqImm8:     { form: "psllq xm, uimm8",      bytes: [0x66, 0x0f, 0x73], digit: 6 },

  // The control and status word of the vector unit.
  ldmxcsr:       { form: "ldmxcsr m32",          bytes: [0x0f, 0xae],       digit: 2 },
  stmxcsr:       { form: "stmxcsr m32",          bytes: [0x0f, 0xae],       digit: 3 },
} as const satisfies Record<string, EncodingSpec>;

type EncodingName = keyof typeof ENCODINGS;

// The keys of a literal are exactly its names; TypeScript types them as strings.
const NAMES = Object.keys(ENCODINGS) as EncodingName[];

/** The number of each row, which the assembler takes. */
export const X64 = Object.fromEntries(NAMES.map((name, row) => [name, row])) as {
  readonly [N in EncodingName]: number; // holds: one entry for each name
};

/** The layout of a row's `facts`: all data for encoding, in one load. */
// biome-ignore format: a table
export const Fact = {
  OPCODE_MASK: 0xff,      // bits 0..7
  PREFIX_SHIFT: 8,        // bits 8, 9: index into PREFIXES
  ESCAPE_SHIFT: 10,       // bits 10, 11: index into ESCAPES
  REX_W_SHIFT: 9,         // bit 12, so that a shift by 9 moves it to the position of REX.W
  DIGIT_SHIFT: 13,        // bits 13..15
  HAS_DIGIT: 1 << 16,     // ModRM.reg has no operand
  BYTE_REG: 1 << 17,      // ModRM.reg names a byte register
  BYTE_RM: 1 << 18,       // ModRM.rm names a byte register, unless it is memory
  OPCODE_REGISTER: 1 << 19, // the register is in the opcode, and there is no ModRM
  IMMEDIATE_SHIFT: 20,    // bits 20..22: size in bytes, also of a distance
  IMMEDIATE_MASK: 7,
  LOCK: 1 << 23,          // F0 comes before REX
} as const;

export const PREFIXES: readonly number[] = [0, 0x66, 0xf2, 0xf3];
export const ESCAPES: readonly (readonly number[])[] = [[], [0x0f], [0x0f, 0x38], [0x0f, 0x3a]];

/** Sets of operands. Each method of the assembler writes one, and a row lists those that it has. */
// biome-ignore format: a table
export const EncodingForm = {
  None: 1,                // ret
  Register: 2,            // neg rm
  Registers: 4,           // add r, rm
  Immediate: 8,           // push imm
  RegisterImmediate: 16,  // add rm, imm
  RegistersImmediate: 32, // imul r, rm, imm
  Memory: 64,             // add r, [m]; neg [m]
  MemoryImmediate: 128,   // add [m], imm
  RegisterMemoryImmediate: 256, // imul r, [m], imm
  Register64: 512,        // movabs r, imm64
  Label: 1024,            // jmp
} as const;

/** The table by columns, indexed by row. */
export interface EncodingRows {
  readonly facts: Int32Array;
  /** The shapes of the row, combined by `or`. */
  readonly shapes: Int32Array;
  readonly immediateMin: Int32Array;
  readonly immediateMax: Int32Array;
  readonly names: readonly EncodingName[];
  readonly mnemonics: readonly string[];
  readonly operands: readonly (readonly OperandKind[])[];
}

/** Returns the table with some rows replaced: this plants a bug. All rows keep their numbers. */
export function rowsWith(replaced: { readonly [N in EncodingName]?: EncodingSpec }): EncodingRows {
  const count = NAMES.length;
  const facts = new Int32Array(count);
  const shapes = new Int32Array(count);
  const immediateMin = new Int32Array(count);
  const immediateMax = new Int32Array(count);
  const mnemonics: string[] = [];
  const operands: OperandKind[][] = [];
  for (let row = 0; row < count; row++) {
    const spec: EncodingSpec = replaced[NAMES[row]] ?? ENCODINGS[NAMES[row]];
    const { mnemonic, kinds } = parseForm(spec.form);
    mnemonics.push(mnemonic);
    operands.push(kinds);
    facts[row] = factsOf(spec, kinds);
    shapes[row] = shapesOf(spec, kinds);
    for (const kind of kinds) {
      const operand: OperandSpec = OPERANDS[kind];
      if (operand.field !== "immediate") continue;
      immediateMin[row] = operand.min ?? 0;
      immediateMax[row] = operand.max ?? 0;
    }
  }
  return { facts, shapes, immediateMin, immediateMax, names: NAMES, mnemonics, operands };
}

function parseForm(form: string): { mnemonic: string; kinds: OperandKind[] } {
  const [, mnemonic, list] = /^((?:lock )?[a-z0-9]+) ?(.*)$/.exec(form) ?? ["", "", ""];
  const kinds = list === "" ? [] : list.split(", ");
  for (const kind of kinds) {
    assert(Object.hasOwn(OPERANDS, kind), () => `${form}: what is ${kind}?`);
  }
  return { mnemonic, kinds: kinds as OperandKind[] }; // holds: each was found in the table
}

function factsOf(spec: EncodingSpec, kinds: readonly OperandKind[]): number {
  const prefix = Math.max(0, PREFIXES.indexOf(spec.bytes[0]));
  const rest = spec.bytes.slice(prefix === 0 ? 0 : 1, -1);
  const escapes = ESCAPES.findIndex((bytes) => String(bytes) === String(rest));
  assert(escapes >= 0, () => `${spec.form}: no such escape: ${rest}`);
  let facts = spec.bytes[spec.bytes.length - 1];
  facts |= (prefix << Fact.PREFIX_SHIFT) | (escapes << Fact.ESCAPE_SHIFT);
  if (spec.form.startsWith("lock ")) facts |= Fact.LOCK;
  if (spec.rexW === true) facts |= 8 << Fact.REX_W_SHIFT;
  if (spec.digit !== undefined) facts |= Fact.HAS_DIGIT | (spec.digit << Fact.DIGIT_SHIFT);
  for (const kind of kinds) {
    const operand: OperandSpec = OPERANDS[kind];
    if (operand.field === "reg" && operand.register === "r8") facts |= Fact.BYTE_REG;
    if (operand.field === "rm" && operand.register === "r8") facts |= Fact.BYTE_RM;
    if (operand.field === "opcode") facts |= Fact.OPCODE_REGISTER;
    if (operand.field === "immediate" || operand.field === "label")
      facts |= (operand.size ?? 0) << Fact.IMMEDIATE_SHIFT;
  }
  return facts;
}

function shapesOf(spec: EncodingSpec, kinds: readonly OperandKind[]): number {
  const specs: readonly OperandSpec[] = kinds.map((kind) => OPERANDS[kind]);
  const fieldIs = (field: OperandSpec["field"]) => specs.some((operand) => operand.field === field);
  const rm = specs.find((operand) => operand.field === "rm");
  const hasReg = fieldIs("reg");
  const hasImmediate = fieldIs("immediate");
  const hasDigit = spec.digit !== undefined;
  assert(
    kinds.length === 0 || hasDigit === (rm !== undefined && !hasReg),
    () => `${spec.form}: requires either a register or a digit in ModRM.reg`,
  );
  if (fieldIs("label")) return EncodingForm.Label;
  if (fieldIs("immediate64")) return EncodingForm.Register64;
  if (fieldIs("opcode"))
    return hasImmediate ? EncodingForm.RegisterImmediate : EncodingForm.Register;
  if (rm === undefined) return hasImmediate ? EncodingForm.Immediate : EncodingForm.None;
  let shapes = 0;
  if (rm.register !== undefined) {
    if (hasReg) shapes |= hasImmediate ? EncodingForm.RegistersImmediate : EncodingForm.Registers;
    else shapes |= hasImmediate ? EncodingForm.RegisterImmediate : EncodingForm.Register;
  }
  if (rm.pointer !== undefined) {
    if (!hasImmediate) shapes |= EncodingForm.Memory;
    else shapes |= hasReg ? EncodingForm.RegisterMemoryImmediate : EncodingForm.MemoryImmediate;
  }
  return shapes;
}

export const DEFAULT_ROWS = rowsWith({});
