// The ARM64 instructions that this compiler can write (ARMv8.0-A): one row for each form, in the
// notation of the manual's encoding index (Arm ARM, DDI 0487, C4.1). The comments of the table name
// its classes.
//
// The first column is the word, bit 31 first. Letters are fields:
//
//   d n m a   registers Rd or Rt, Rn, Rm, Ra or Rt2
//   i j       immediates, in the order of the text
//   c k       a condition; k stores it with the lowest bit inverted, as `cset` needs it
//   l         a label, filled in by CodeBuffer.resolve
//
// The second column is the text, in the syntax of GNU as. It also defines the meaning of a field:
//
//   <Wd> <Xd> <Sd> <Dd> <Bd> <Vd>   a register by that name; 31 is wzr or xzr
//   <Xd|SP>                         a general register or the stack pointer; xzr is an error
//   <i> <i*8>                       unsigned, stored divided by 8: unaligned values are an error
//   <i/4096>                        the same, printed as stored
//   <si> <si*8>                     signed
//   <bi>                            N:immr:imms, printed as the pattern that it encodes
//
// Everything else is derived at load. The letters in the order of the text are the row's *form*,
// which is the name of the Arm64Assembler method that writes it (with a label: branch, branchCond,
// branchReg).

import { assert, InternalError } from "../../src/support/assert.js";
import { labelText } from "../emit/code-buffer.js";
import { RelocationKind } from "../emit/relocations.js";
import { INDEXED_ENCODINGS } from "./encodings-indexed.js";
import { bitmaskPattern } from "./immediates.js";
import { registerName } from "./registers.js";

type EncodingSpec = readonly [bits: string, text: string];

// biome-ignore format: a table
export const ENCODINGS = {
  // Add/subtract (shifted register), without a shift.
  addw:  ["0 0 0 01011 00 0 mmmmm 000000 nnnnn ddddd", "add <Wd>, <Wn>, <Wm>"],
  addx:  ["1 0 0 01011 00 0 mmmmm 000000 nnnnn ddddd", "add <Xd>, <Xn>, <Xm>"],
  addsw: ["0 0 1 01011 00 0 mmmmm 000000 nnnnn ddddd", "adds <Wd>, <Wn>, <Wm>"],
  addsx: ["1 0 1 01011 00 0 mmmmm 000000 nnnnn ddddd", "adds <Xd>, <Xn>, <Xm>"],
  subw:  ["0 1 0 01011 00 0 mmmmm 000000 nnnnn ddddd", "sub <Wd>, <Wn>, <Wm>"],
  subx:  ["1 1 0 01011 00 0 mmmmm 000000 nnnnn ddddd", "sub <Xd>, <Xn>, <Xm>"],
  subsw: ["0 1 1 01011 00 0 mmmmm 000000 nnnnn ddddd", "subs <Wd>, <Wn>, <Wm>"],
  subsx: ["1 1 1 01011 00 0 mmmmm 000000 nnnnn ddddd", "subs <Xd>, <Xn>, <Xm>"],
  negw:  ["0 1 0 01011 00 0 mmmmm 000000 11111 ddddd", "neg <Wd>, <Wm>"],
  negx:  ["1 1 0 01011 00 0 mmmmm 000000 11111 ddddd", "neg <Xd>, <Xm>"],
  cmpw:  ["0 1 1 01011 00 0 mmmmm 000000 nnnnn 11111", "cmp <Wn>, <Wm>"],
  cmpx:  ["1 1 1 01011 00 0 mmmmm 000000 nnnnn 11111", "cmp <Xn>, <Xm>"],
  // The same with a shift, and (extended register): halves of an Int64, product overflow, sp.
  subsxasr:  ["1 1 1 01011 10 0 mmmmm iiiiii nnnnn ddddd",  "subs <Xd>, <Xn>, <Xm>, asr #<i>"],
  addxuxtx:  ["1 0 0 01011 00 1 mmmmm 011 000 nnnnn ddddd", "add <Xd|SP>, <Xn|SP>, <Xm>, uxtx"],
  subxuxtx:  ["1 1 0 01011 00 1 mmmmm 011 000 nnnnn ddddd", "sub <Xd|SP>, <Xn|SP>, <Xm>, uxtx"],
  addxuxtw:  ["1 0 0 01011 00 1 mmmmm 010 000 nnnnn ddddd", "add <Xd|SP>, <Xn|SP>, <Wm>, uxtw"],
  subsxsxtw: ["1 1 1 01011 00 1 mmmmm 110 000 nnnnn ddddd", "subs <Xd>, <Xn|SP>, <Wm>, sxtw"],
  // Add/subtract (immediate); the rows ending in 12 take a multiple of 4096.
  addwi:    ["0 0 0 100010 0 iiiiiiiiiiii nnnnn ddddd", "add <Wd|SP>, <Wn|SP>, #<i>"],
  addxi:    ["1 0 0 100010 0 iiiiiiiiiiii nnnnn ddddd", "add <Xd|SP>, <Xn|SP>, #<i>"],
  addwi12:  ["0 0 0 100010 1 iiiiiiiiiiii nnnnn ddddd", "add <Wd|SP>, <Wn|SP>, #<i/4096>, lsl #12"],
  addxi12:  ["1 0 0 100010 1 iiiiiiiiiiii nnnnn ddddd", "add <Xd|SP>, <Xn|SP>, #<i/4096>, lsl #12"],
  addswi:   ["0 0 1 100010 0 iiiiiiiiiiii nnnnn ddddd", "adds <Wd>, <Wn|SP>, #<i>"],
  addsxi:   ["1 0 1 100010 0 iiiiiiiiiiii nnnnn ddddd", "adds <Xd>, <Xn|SP>, #<i>"],
  addswi12: ["0 0 1 100010 1 iiiiiiiiiiii nnnnn ddddd", "adds <Wd>, <Wn|SP>, #<i/4096>, lsl #12"],
  addsxi12: ["1 0 1 100010 1 iiiiiiiiiiii nnnnn ddddd", "adds <Xd>, <Xn|SP>, #<i/4096>, lsl #12"],
  subwi:    ["0 1 0 100010 0 iiiiiiiiiiii nnnnn ddddd", "sub <Wd|SP>, <Wn|SP>, #<i>"],
  subxi:    ["1 1 0 100010 0 iiiiiiiiiiii nnnnn ddddd", "sub <Xd|SP>, <Xn|SP>, #<i>"],
  subwi12:  ["0 1 0 100010 1 iiiiiiiiiiii nnnnn ddddd", "sub <Wd|SP>, <Wn|SP>, #<i/4096>, lsl #12"],
  subxi12:  ["1 1 0 100010 1 iiiiiiiiiiii nnnnn ddddd", "sub <Xd|SP>, <Xn|SP>, #<i/4096>, lsl #12"],
  subswi:   ["0 1 1 100010 0 iiiiiiiiiiii nnnnn ddddd", "subs <Wd>, <Wn|SP>, #<i>"],
  subsxi:   ["1 1 1 100010 0 iiiiiiiiiiii nnnnn ddddd", "subs <Xd>, <Xn|SP>, #<i>"],
  subswi12: ["0 1 1 100010 1 iiiiiiiiiiii nnnnn ddddd", "subs <Wd>, <Wn|SP>, #<i/4096>, lsl #12"],
  subsxi12: ["1 1 1 100010 1 iiiiiiiiiiii nnnnn ddddd", "subs <Xd>, <Xn|SP>, #<i/4096>, lsl #12"],
  cmpwi:    ["0 1 1 100010 0 iiiiiiiiiiii nnnnn 11111", "cmp <Wn|SP>, #<i>"],
  cmpxi:    ["1 1 1 100010 0 iiiiiiiiiiii nnnnn 11111", "cmp <Xn|SP>, #<i>"],
  cmpwi12:  ["0 1 1 100010 1 iiiiiiiiiiii nnnnn 11111", "cmp <Wn|SP>, #<i/4096>, lsl #12"],
  cmpxi12:  ["1 1 1 100010 1 iiiiiiiiiiii nnnnn 11111", "cmp <Xn|SP>, #<i/4096>, lsl #12"],
  cmnwi:    ["0 0 1 100010 0 iiiiiiiiiiii nnnnn 11111", "cmn <Wn|SP>, #<i>"],
  cmnxi:    ["1 0 1 100010 0 iiiiiiiiiiii nnnnn 11111", "cmn <Xn|SP>, #<i>"],
  // Logical (shifted register).
  andw:    ["0 00 01010 00 0 mmmmm 000000 nnnnn ddddd", "and <Wd>, <Wn>, <Wm>"],
  andx:    ["1 00 01010 00 0 mmmmm 000000 nnnnn ddddd", "and <Xd>, <Xn>, <Xm>"],
  bicw:    ["0 00 01010 00 1 mmmmm 000000 nnnnn ddddd", "bic <Wd>, <Wn>, <Wm>"],
  bicx:    ["1 00 01010 00 1 mmmmm 000000 nnnnn ddddd", "bic <Xd>, <Xn>, <Xm>"],
  orrw:    ["0 01 01010 00 0 mmmmm 000000 nnnnn ddddd", "orr <Wd>, <Wn>, <Wm>"],
  orrx:    ["1 01 01010 00 0 mmmmm 000000 nnnnn ddddd", "orr <Xd>, <Xn>, <Xm>"],
  ornw:    ["0 01 01010 00 1 mmmmm 000000 nnnnn ddddd", "orn <Wd>, <Wn>, <Wm>"],
  ornx:    ["1 01 01010 00 1 mmmmm 000000 nnnnn ddddd", "orn <Xd>, <Xn>, <Xm>"],
  eorw:    ["0 10 01010 00 0 mmmmm 000000 nnnnn ddddd", "eor <Wd>, <Wn>, <Wm>"],
  eorx:    ["1 10 01010 00 0 mmmmm 000000 nnnnn ddddd", "eor <Xd>, <Xn>, <Xm>"],
  eonw:    ["0 10 01010 00 1 mmmmm 000000 nnnnn ddddd", "eon <Wd>, <Wn>, <Wm>"],
  eonx:    ["1 10 01010 00 1 mmmmm 000000 nnnnn ddddd", "eon <Xd>, <Xn>, <Xm>"],
  andsw:   ["0 11 01010 00 0 mmmmm 000000 nnnnn ddddd", "ands <Wd>, <Wn>, <Wm>"],
  andsx:   ["1 11 01010 00 0 mmmmm 000000 nnnnn ddddd", "ands <Xd>, <Xn>, <Xm>"],
  movw:    ["0 01 01010 00 0 mmmmm 000000 11111 ddddd", "mov <Wd>, <Wm>"],
  movx:    ["1 01 01010 00 0 mmmmm 000000 11111 ddddd", "mov <Xd>, <Xm>"],
  mvnw:    ["0 01 01010 00 1 mmmmm 000000 11111 ddddd", "mvn <Wd>, <Wm>"],
  mvnx:    ["1 01 01010 00 1 mmmmm 000000 11111 ddddd", "mvn <Xd>, <Xm>"],
  tstw:    ["0 11 01010 00 0 mmmmm 000000 nnnnn 11111", "tst <Wn>, <Wm>"],
  tstx:    ["1 11 01010 00 0 mmmmm 000000 nnnnn 11111", "tst <Xn>, <Xm>"],
  // Logical (immediate): N:immr:imms as `bitmaskImmediate` returns it.
  andwi:  ["0 00 100100 0 iiiiiiiiiiii nnnnn ddddd", "and <Wd|SP>, <Wn>, #<bi>"],
  andxi:  ["1 00 100100 iiiiiiiiiiiii nnnnn ddddd",  "and <Xd|SP>, <Xn>, #<bi>"],
  orrwi:  ["0 01 100100 0 iiiiiiiiiiii nnnnn ddddd", "orr <Wd|SP>, <Wn>, #<bi>"],
  orrxi:  ["1 01 100100 iiiiiiiiiiiii nnnnn ddddd",  "orr <Xd|SP>, <Xn>, #<bi>"],
  eorwi:  ["0 10 100100 0 iiiiiiiiiiii nnnnn ddddd", "eor <Wd|SP>, <Wn>, #<bi>"],
  eorxi:  ["1 10 100100 iiiiiiiiiiiii nnnnn ddddd",  "eor <Xd|SP>, <Xn>, #<bi>"],
  andswi: ["0 11 100100 0 iiiiiiiiiiii nnnnn ddddd", "ands <Wd>, <Wn>, #<bi>"],
  andsxi: ["1 11 100100 iiiiiiiiiiiii nnnnn ddddd",  "ands <Xd>, <Xn>, #<bi>"],
  tstwi:  ["0 11 100100 0 iiiiiiiiiiii nnnnn 11111", "tst <Wn>, #<bi>"],
  tstxi:  ["1 11 100100 iiiiiiiiiiiii nnnnn 11111",  "tst <Xn>, #<bi>"],
  // Move wide (immediate): 16 bits, and their position as a multiple of 16.
  movnw: ["0 00 100101 0j iiiiiiiiiiiiiiii ddddd", "movn <Wd>, #<i>, lsl #<j*16>"],
  movnx: ["1 00 100101 jj iiiiiiiiiiiiiiii ddddd", "movn <Xd>, #<i>, lsl #<j*16>"],
  movzw: ["0 10 100101 0j iiiiiiiiiiiiiiii ddddd", "movz <Wd>, #<i>, lsl #<j*16>"],
  movzx: ["1 10 100101 jj iiiiiiiiiiiiiiii ddddd", "movz <Xd>, #<i>, lsl #<j*16>"],
  movkw: ["0 11 100101 0j iiiiiiiiiiiiiiii ddddd", "movk <Wd>, #<i>, lsl #<j*16>"],
  movkx: ["1 11 100101 jj iiiiiiiiiiiiiiii ddddd", "movk <Xd>, #<i>, lsl #<j*16>"],
  // Data-processing (3 source), and division of (2 source).
  maddw: ["0 00 11011 000 mmmmm 0 aaaaa nnnnn ddddd", "madd <Wd>, <Wn>, <Wm>, <Wa>"],
  maddx: ["1 00 11011 000 mmmmm 0 aaaaa nnnnn ddddd", "madd <Xd>, <Xn>, <Xm>, <Xa>"],
  msubw: ["0 00 11011 000 mmmmm 1 aaaaa nnnnn ddddd", "msub <Wd>, <Wn>, <Wm>, <Wa>"],
  msubx: ["1 00 11011 000 mmmmm 1 aaaaa nnnnn ddddd", "msub <Xd>, <Xn>, <Xm>, <Xa>"],
  mulw:  ["0 00 11011 000 mmmmm 0 11111 nnnnn ddddd", "mul <Wd>, <Wn>, <Wm>"],
  mulx:  ["1 00 11011 000 mmmmm 0 11111 nnnnn ddddd", "mul <Xd>, <Xn>, <Xm>"],
  smull: ["1 00 11011 001 mmmmm 0 11111 nnnnn ddddd", "smull <Xd>, <Wn>, <Wm>"],
  umull: ["1 00 11011 101 mmmmm 0 11111 nnnnn ddddd", "umull <Xd>, <Wn>, <Wm>"],
  smulh: ["1 00 11011 010 mmmmm 0 11111 nnnnn ddddd", "smulh <Xd>, <Xn>, <Xm>"],
  umulh: ["1 00 11011 110 mmmmm 0 11111 nnnnn ddddd", "umulh <Xd>, <Xn>, <Xm>"],
  udivw: ["0 0 0 11010110 mmmmm 000010 nnnnn ddddd",  "udiv <Wd>, <Wn>, <Wm>"],
  udivx: ["1 0 0 11010110 mmmmm 000010 nnnnn ddddd",  "udiv <Xd>, <Xn>, <Xm>"],
  sdivw: ["0 0 0 11010110 mmmmm 000011 nnnnn ddddd",  "sdiv <Wd>, <Wn>, <Wm>"],
  sdivx: ["1 0 0 11010110 mmmmm 000011 nnnnn ddddd",  "sdiv <Xd>, <Xn>, <Xm>"],
  // Data-processing (2 source): shifts by the low 5 or 6 bits of a register.
  lslvw: ["0 0 0 11010110 mmmmm 0010 00 nnnnn ddddd", "lsl <Wd>, <Wn>, <Wm>"],
  lslvx: ["1 0 0 11010110 mmmmm 0010 00 nnnnn ddddd", "lsl <Xd>, <Xn>, <Xm>"],
  lsrvw: ["0 0 0 11010110 mmmmm 0010 01 nnnnn ddddd", "lsr <Wd>, <Wn>, <Wm>"],
  lsrvx: ["1 0 0 11010110 mmmmm 0010 01 nnnnn ddddd", "lsr <Xd>, <Xn>, <Xm>"],
  asrvw: ["0 0 0 11010110 mmmmm 0010 10 nnnnn ddddd", "asr <Wd>, <Wn>, <Wm>"],
  asrvx: ["1 0 0 11010110 mmmmm 0010 10 nnnnn ddddd", "asr <Xd>, <Xn>, <Xm>"],
  rorvw: ["0 0 0 11010110 mmmmm 0010 11 nnnnn ddddd", "ror <Wd>, <Wn>, <Wm>"],
  rorvx: ["1 0 0 11010110 mmmmm 0010 11 nnnnn ddddd", "ror <Xd>, <Xn>, <Xm>"],
  // Bitfield and Extract: immr in i, imms in j. `lsl` by an immediate is `ubfm`: see `shiftLeft`.
  sbfmw: ["0 00 100110 0 0iiiii 0jjjjj nnnnn ddddd",  "sbfm <Wd>, <Wn>, #<i>, #<j>"],
  sbfmx: ["1 00 100110 1 iiiiii jjjjjj nnnnn ddddd",  "sbfm <Xd>, <Xn>, #<i>, #<j>"],
  bfmw:  ["0 01 100110 0 0iiiii 0jjjjj nnnnn ddddd",  "bfm <Wd>, <Wn>, #<i>, #<j>"],
  bfmx:  ["1 01 100110 1 iiiiii jjjjjj nnnnn ddddd",  "bfm <Xd>, <Xn>, #<i>, #<j>"],
  ubfmw: ["0 10 100110 0 0iiiii 0jjjjj nnnnn ddddd",  "ubfm <Wd>, <Wn>, #<i>, #<j>"],
  ubfmx: ["1 10 100110 1 iiiiii jjjjjj nnnnn ddddd",  "ubfm <Xd>, <Xn>, #<i>, #<j>"],
  lsrw:  ["0 10 100110 0 0iiiii 011111 nnnnn ddddd",  "lsr <Wd>, <Wn>, #<i>"],
  lsrx:  ["1 10 100110 1 iiiiii 111111 nnnnn ddddd",  "lsr <Xd>, <Xn>, #<i>"],
  asrw:  ["0 00 100110 0 0iiiii 011111 nnnnn ddddd",  "asr <Wd>, <Wn>, #<i>"],
  asrx:  ["1 00 100110 1 iiiiii 111111 nnnnn ddddd",  "asr <Xd>, <Xn>, #<i>"],
  uxtbw: ["0 10 100110 0 000000 000111 nnnnn ddddd",  "uxtb <Wd>, <Wn>"],
  uxthw: ["0 10 100110 0 000000 001111 nnnnn ddddd",  "uxth <Wd>, <Wn>"],
  sxtbw: ["0 00 100110 0 000000 000111 nnnnn ddddd",  "sxtb <Wd>, <Wn>"],
  sxthw: ["0 00 100110 0 000000 001111 nnnnn ddddd",  "sxth <Wd>, <Wn>"],
  sxtbx: ["1 00 100110 1 000000 000111 nnnnn ddddd",  "sxtb <Xd>, <Wn>"],
  sxthx: ["1 00 100110 1 000000 001111 nnnnn ddddd",  "sxth <Xd>, <Wn>"],
  sxtwx: ["1 00 100110 1 000000 011111 nnnnn ddddd",  "sxtw <Xd>, <Wn>"],
  extrw: ["0 00 100111 0 0 mmmmm 0iiiii nnnnn ddddd", "extr <Wd>, <Wn>, <Wm>, #<i>"],
  extrx: ["1 00 100111 1 0 mmmmm iiiiii nnnnn ddddd", "extr <Xd>, <Xn>, <Xm>, #<i>"],
  // Data-processing (1 source).
  rbitw: ["0 1 0 11010110 00000 000000 nnnnn ddddd", "rbit <Wd>, <Wn>"],
  rbitx: ["1 1 0 11010110 00000 000000 nnnnn ddddd", "rbit <Xd>, <Xn>"],
  clzw:  ["0 1 0 11010110 00000 000100 nnnnn ddddd", "clz <Wd>, <Wn>"],
  clzx:  ["1 1 0 11010110 00000 000100 nnnnn ddddd", "clz <Xd>, <Xn>"],
  revw:  ["0 1 0 11010110 00000 000010 nnnnn ddddd", "rev <Wd>, <Wn>"],
  revx:  ["1 1 0 11010110 00000 000011 nnnnn ddddd", "rev <Xd>, <Xn>"],
  // Conditional select.
  cselw:  ["0 0 0 11010100 mmmmm cccc 00 nnnnn ddddd", "csel <Wd>, <Wn>, <Wm>, <c>"],
  cselx:  ["1 0 0 11010100 mmmmm cccc 00 nnnnn ddddd", "csel <Xd>, <Xn>, <Xm>, <c>"],
  csincw: ["0 0 0 11010100 mmmmm cccc 01 nnnnn ddddd", "csinc <Wd>, <Wn>, <Wm>, <c>"],
  csincx: ["1 0 0 11010100 mmmmm cccc 01 nnnnn ddddd", "csinc <Xd>, <Xn>, <Xm>, <c>"],
  csinvw: ["0 1 0 11010100 mmmmm cccc 00 nnnnn ddddd", "csinv <Wd>, <Wn>, <Wm>, <c>"],
  csinvx: ["1 1 0 11010100 mmmmm cccc 00 nnnnn ddddd", "csinv <Xd>, <Xn>, <Xm>, <c>"],
  csnegw: ["0 1 0 11010100 mmmmm cccc 01 nnnnn ddddd", "csneg <Wd>, <Wn>, <Wm>, <c>"],
  csnegx: ["1 1 0 11010100 mmmmm cccc 01 nnnnn ddddd", "csneg <Xd>, <Xn>, <Xm>, <c>"],
  csetw:  ["0 0 0 11010100 11111 kkkk 01 11111 ddddd", "cset <Wd>, <k>"],
  csetx:  ["1 0 0 11010100 11111 kkkk 01 11111 ddddd", "cset <Xd>, <k>"],
  csetmw: ["0 1 0 11010100 11111 kkkk 00 11111 ddddd", "csetm <Wd>, <k>"],
  csetmx: ["1 1 0 11010100 11111 kkkk 00 11111 ddddd", "csetm <Xd>, <k>"],
  // Load/store register (unsigned immediate): a multiple of the access size.
  strb:   ["00 111 0 01 00 iiiiiiiiiiii nnnnn ddddd", "strb <Wd>, [<Xn|SP>, #<i>]"],
  ldrb:   ["00 111 0 01 01 iiiiiiiiiiii nnnnn ddddd", "ldrb <Wd>, [<Xn|SP>, #<i>]"],
  ldrsbx: ["00 111 0 01 10 iiiiiiiiiiii nnnnn ddddd", "ldrsb <Xd>, [<Xn|SP>, #<i>]"],
  ldrsbw: ["00 111 0 01 11 iiiiiiiiiiii nnnnn ddddd", "ldrsb <Wd>, [<Xn|SP>, #<i>]"],
  strh:   ["01 111 0 01 00 iiiiiiiiiiii nnnnn ddddd", "strh <Wd>, [<Xn|SP>, #<i*2>]"],
  ldrh:   ["01 111 0 01 01 iiiiiiiiiiii nnnnn ddddd", "ldrh <Wd>, [<Xn|SP>, #<i*2>]"],
  ldrshx: ["01 111 0 01 10 iiiiiiiiiiii nnnnn ddddd", "ldrsh <Xd>, [<Xn|SP>, #<i*2>]"],
  ldrshw: ["01 111 0 01 11 iiiiiiiiiiii nnnnn ddddd", "ldrsh <Wd>, [<Xn|SP>, #<i*2>]"],
  strw:   ["10 111 0 01 00 iiiiiiiiiiii nnnnn ddddd", "str <Wd>, [<Xn|SP>, #<i*4>]"],
  ldrw:   ["10 111 0 01 01 iiiiiiiiiiii nnnnn ddddd", "ldr <Wd>, [<Xn|SP>, #<i*4>]"],
  ldrsw:  ["10 111 0 01 10 iiiiiiiiiiii nnnnn ddddd", "ldrsw <Xd>, [<Xn|SP>, #<i*4>]"],
  strx:   ["11 111 0 01 00 iiiiiiiiiiii nnnnn ddddd", "str <Xd>, [<Xn|SP>, #<i*8>]"],
  ldrx:   ["11 111 0 01 01 iiiiiiiiiiii nnnnn ddddd", "ldr <Xd>, [<Xn|SP>, #<i*8>]"],
  strs:   ["10 111 1 01 00 iiiiiiiiiiii nnnnn ddddd", "str <Sd>, [<Xn|SP>, #<i*4>]"],
  ldrs:   ["10 111 1 01 01 iiiiiiiiiiii nnnnn ddddd", "ldr <Sd>, [<Xn|SP>, #<i*4>]"],
  strd:   ["11 111 1 01 00 iiiiiiiiiiii nnnnn ddddd", "str <Dd>, [<Xn|SP>, #<i*8>]"],
  ldrd:   ["11 111 1 01 01 iiiiiiiiiiii nnnnn ddddd", "ldr <Dd>, [<Xn|SP>, #<i*8>]"],
  // Load/store register (unscaled immediate).
  sturb:   ["00 111 0 00 00 0 iiiiiiiii 00 nnnnn ddddd", "sturb <Wd>, [<Xn|SP>, #<si>]"],
  ldurb:   ["00 111 0 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldurb <Wd>, [<Xn|SP>, #<si>]"],
  ldursbx: ["00 111 0 00 10 0 iiiiiiiii 00 nnnnn ddddd", "ldursb <Xd>, [<Xn|SP>, #<si>]"],
  ldursbw: ["00 111 0 00 11 0 iiiiiiiii 00 nnnnn ddddd", "ldursb <Wd>, [<Xn|SP>, #<si>]"],
  sturh:   ["01 111 0 00 00 0 iiiiiiiii 00 nnnnn ddddd", "sturh <Wd>, [<Xn|SP>, #<si>]"],
  ldurh:   ["01 111 0 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldurh <Wd>, [<Xn|SP>, #<si>]"],
  ldurshx: ["01 111 0 00 10 0 iiiiiiiii 00 nnnnn ddddd", "ldursh <Xd>, [<Xn|SP>, #<si>]"],
  ldurshw: ["01 111 0 00 11 0 iiiiiiiii 00 nnnnn ddddd", "ldursh <Wd>, [<Xn|SP>, #<si>]"],
  sturw:   ["10 111 0 00 00 0 iiiiiiiii 00 nnnnn ddddd", "stur <Wd>, [<Xn|SP>, #<si>]"],
  ldurw:   ["10 111 0 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldur <Wd>, [<Xn|SP>, #<si>]"],
  ldursw:  ["10 111 0 00 10 0 iiiiiiiii 00 nnnnn ddddd", "ldursw <Xd>, [<Xn|SP>, #<si>]"],
  sturx:   ["11 111 0 00 00 0 iiiiiiiii 00 nnnnn ddddd", "stur <Xd>, [<Xn|SP>, #<si>]"],
  ldurx:   ["11 111 0 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldur <Xd>, [<Xn|SP>, #<si>]"],
  sturs:   ["10 111 1 00 00 0 iiiiiiiii 00 nnnnn ddddd", "stur <Sd>, [<Xn|SP>, #<si>]"],
  ldurs:   ["10 111 1 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldur <Sd>, [<Xn|SP>, #<si>]"],
  sturd:   ["11 111 1 00 00 0 iiiiiiiii 00 nnnnn ddddd", "stur <Dd>, [<Xn|SP>, #<si>]"],
  ldurd:   ["11 111 1 00 01 0 iiiiiiiii 00 nnnnn ddddd", "ldur <Dd>, [<Xn|SP>, #<si>]"],
  // Load register (literal): from the constants after the code.
  ldrsLiteral: ["00 011 1 00 lllllllllllllllllll ddddd", "ldr <Sd>, <l>"],
  ldrdLiteral: ["01 011 1 00 lllllllllllllllllll ddddd", "ldr <Dd>, <l>"],
  ldrwLiteral: ["00 011 0 00 lllllllllllllllllll ddddd", "ldr <Wd>, <l>"],
  ldrxLiteral: ["01 011 0 00 lllllllllllllllllll ddddd", "ldr <Xd>, <l>"],
  // Load/store register pair: Rt2 in a.
  stpx:     ["10 101 0 010 0 iiiiiii aaaaa nnnnn ddddd", "stp <Xd>, <Xa>, [<Xn|SP>, #<si*8>]"],
  ldpx:     ["10 101 0 010 1 iiiiiii aaaaa nnnnn ddddd", "ldp <Xd>, <Xa>, [<Xn|SP>, #<si*8>]"],
  stpd:     ["01 101 1 010 0 iiiiiii aaaaa nnnnn ddddd", "stp <Dd>, <Da>, [<Xn|SP>, #<si*8>]"],
  ldpd:     ["01 101 1 010 1 iiiiiii aaaaa nnnnn ddddd", "ldp <Dd>, <Da>, [<Xn|SP>, #<si*8>]"],
  stpxPre:  ["10 101 0 011 0 iiiiiii aaaaa nnnnn ddddd", "stp <Xd>, <Xa>, [<Xn|SP>, #<si*8>]!"],
  ldpxPost: ["10 101 0 001 1 iiiiiii aaaaa nnnnn ddddd", "ldp <Xd>, <Xa>, [<Xn|SP>], #<si*8>"],
  // Load/store exclusive, with acquire and release. A store writes whether it failed to d, and
  // stores n.
  ldaxrb: ["00 001000 010 11111 1 11111 nnnnn ddddd", "ldaxrb <Wd>, [<Xn|SP>]"],
  ldaxrh: ["01 001000 010 11111 1 11111 nnnnn ddddd", "ldaxrh <Wd>, [<Xn|SP>]"],
  ldaxrw: ["10 001000 010 11111 1 11111 nnnnn ddddd", "ldaxr <Wd>, [<Xn|SP>]"],
  ldaxrx: ["11 001000 010 11111 1 11111 nnnnn ddddd", "ldaxr <Xd>, [<Xn|SP>]"],
  stlxrb: ["00 001000 000 ddddd 1 11111 mmmmm nnnnn", "stlxrb <Wd>, <Wn>, [<Xm|SP>]"],
  stlxrh: ["01 001000 000 ddddd 1 11111 mmmmm nnnnn", "stlxrh <Wd>, <Wn>, [<Xm|SP>]"],
  stlxrw: ["10 001000 000 ddddd 1 11111 mmmmm nnnnn", "stlxr <Wd>, <Wn>, [<Xm|SP>]"],
  stlxrx: ["11 001000 000 ddddd 1 11111 mmmmm nnnnn", "stlxr <Wd>, <Xn>, [<Xm|SP>]"],
  // Barriers of the inner shareable domain.
  dmbish:   ["1101010100 0 00 011 0011 1011 1 01 11111", "dmb ish"],
  dmbishst: ["1101010100 0 00 011 0011 1010 1 01 11111", "dmb ishst"],
  dmbishld: ["1101010100 0 00 011 0011 1001 1 01 11111", "dmb ishld"],
  b:     ["0 00101 llllllllllllllllllllllllll",    "b <l>"],
  bl:    ["1 00101 llllllllllllllllllllllllll",    "bl <l>"],
  bcond: ["0101010 0 lllllllllllllllllll 0 cccc",  "b.<c> <l>"],
  cbzw:  ["0 011010 0 lllllllllllllllllll ddddd",  "cbz <Wd>, <l>"],
  cbzx:  ["1 011010 0 lllllllllllllllllll ddddd",  "cbz <Xd>, <l>"],
  cbnzw: ["0 011010 1 lllllllllllllllllll ddddd",  "cbnz <Wd>, <l>"],
  cbnzx: ["1 011010 1 lllllllllllllllllll ddddd",  "cbnz <Xd>, <l>"],
  // PC-relative addressing: the two parts of the label's field are those of Adr21.
  adr:   ["0 ll 10000 lllllllllllllllllll ddddd",  "adr <Xd>, <l>"],
  br:    ["1101011 0000 11111 000000 nnnnn 00000", "br <Xn>"],
  blr:   ["1101011 0001 11111 000000 nnnnn 00000", "blr <Xn>"],
  ret:   ["1101011 0010 11111 000000 nnnnn 00000", "ret <Xn>"],
  // Exception generation, Hints, System register move.
  brk:     ["11010100 001 iiiiiiiiiiiiiiii 00000",      "brk #<i>"],
  udf:     ["0000000000000000 iiiiiiiiiiiiiiii",        "udf #<i>"],
  nop:     ["11010101 00000011 0010 0000 00011111",     "nop"],
  mrsFpcr: ["1101010100 1 1 1 011 0100 0100 000 ddddd", "mrs <Xd>, fpcr"],
  msrFpcr: ["1101010100 0 1 1 011 0100 0100 000 ddddd", "msr fpcr, <Xd>"],
  mrsFpsr: ["1101010100 1 1 1 011 0100 0100 001 ddddd", "mrs <Xd>, fpsr"],
  msrFpsr: ["1101010100 0 1 1 011 0100 0100 001 ddddd", "msr fpsr, <Xd>"],
  mrsNzcv: ["1101010100 1 1 1 011 0100 0010 000 ddddd", "mrs <Xd>, nzcv"],
  msrNzcv: ["1101010100 0 1 1 011 0100 0010 000 ddddd", "msr nzcv, <Xd>"],
  // Floating-point data-processing (2 source).
  fmuls:   ["00011110 00 1 mmmmm 0000 10 nnnnn ddddd", "fmul <Sd>, <Sn>, <Sm>"],
  fmuld:   ["00011110 01 1 mmmmm 0000 10 nnnnn ddddd", "fmul <Dd>, <Dn>, <Dm>"],
  fdivs:   ["00011110 00 1 mmmmm 0001 10 nnnnn ddddd", "fdiv <Sd>, <Sn>, <Sm>"],
  fdivd:   ["00011110 01 1 mmmmm 0001 10 nnnnn ddddd", "fdiv <Dd>, <Dn>, <Dm>"],
  fadds:   ["00011110 00 1 mmmmm 0010 10 nnnnn ddddd", "fadd <Sd>, <Sn>, <Sm>"],
  faddd:   ["00011110 01 1 mmmmm 0010 10 nnnnn ddddd", "fadd <Dd>, <Dn>, <Dm>"],
  fsubs:   ["00011110 00 1 mmmmm 0011 10 nnnnn ddddd", "fsub <Sd>, <Sn>, <Sm>"],
  fsubd:   ["00011110 01 1 mmmmm 0011 10 nnnnn ddddd", "fsub <Dd>, <Dn>, <Dm>"],
  fmaxs:   ["00011110 00 1 mmmmm 0100 10 nnnnn ddddd", "fmax <Sd>, <Sn>, <Sm>"],
  fmaxd:   ["00011110 01 1 mmmmm 0100 10 nnnnn ddddd", "fmax <Dd>, <Dn>, <Dm>"],
  fmins:   ["00011110 00 1 mmmmm 0101 10 nnnnn ddddd", "fmin <Sd>, <Sn>, <Sm>"],
  fmind:   ["00011110 01 1 mmmmm 0101 10 nnnnn ddddd", "fmin <Dd>, <Dn>, <Dm>"],
  fmaxnms: ["00011110 00 1 mmmmm 0110 10 nnnnn ddddd", "fmaxnm <Sd>, <Sn>, <Sm>"],
  fmaxnmd: ["00011110 01 1 mmmmm 0110 10 nnnnn ddddd", "fmaxnm <Dd>, <Dn>, <Dm>"],
  fminnms: ["00011110 00 1 mmmmm 0111 10 nnnnn ddddd", "fminnm <Sd>, <Sn>, <Sm>"],
  fminnmd: ["00011110 01 1 mmmmm 0111 10 nnnnn ddddd", "fminnm <Dd>, <Dn>, <Dm>"],
  // Floating-point data-processing (1 source); a conversion names its result first.
  fmovs:   ["00011110 00 1 000000 10000 nnnnn ddddd", "fmov <Sd>, <Sn>"],
  fmovd:   ["00011110 01 1 000000 10000 nnnnn ddddd", "fmov <Dd>, <Dn>"],
  fabss:   ["00011110 00 1 000001 10000 nnnnn ddddd", "fabs <Sd>, <Sn>"],
  fabsd:   ["00011110 01 1 000001 10000 nnnnn ddddd", "fabs <Dd>, <Dn>"],
  fnegs:   ["00011110 00 1 000010 10000 nnnnn ddddd", "fneg <Sd>, <Sn>"],
  fnegd:   ["00011110 01 1 000010 10000 nnnnn ddddd", "fneg <Dd>, <Dn>"],
  fmadds:  ["00011111 00 0 mmmmm 0 aaaaa nnnnn ddddd", "fmadd <Sd>, <Sn>, <Sm>, <Sa>"],
  fmaddd:  ["00011111 01 0 mmmmm 0 aaaaa nnnnn ddddd", "fmadd <Dd>, <Dn>, <Dm>, <Da>"],
  fsqrts:  ["00011110 00 1 000011 10000 nnnnn ddddd", "fsqrt <Sd>, <Sn>"],
  fsqrtd:  ["00011110 01 1 000011 10000 nnnnn ddddd", "fsqrt <Dd>, <Dn>"],
  frintns: ["00011110 00 1 001000 10000 nnnnn ddddd", "frintn <Sd>, <Sn>"],
  frintnd: ["00011110 01 1 001000 10000 nnnnn ddddd", "frintn <Dd>, <Dn>"],
  frintps: ["00011110 00 1 001001 10000 nnnnn ddddd", "frintp <Sd>, <Sn>"],
  frintpd: ["00011110 01 1 001001 10000 nnnnn ddddd", "frintp <Dd>, <Dn>"],
  frintms: ["00011110 00 1 001010 10000 nnnnn ddddd", "frintm <Sd>, <Sn>"],
  frintmd: ["00011110 01 1 001010 10000 nnnnn ddddd", "frintm <Dd>, <Dn>"],
  frintzs: ["00011110 00 1 001011 10000 nnnnn ddddd", "frintz <Sd>, <Sn>"],
  frintzd: ["00011110 01 1 001011 10000 nnnnn ddddd", "frintz <Dd>, <Dn>"],
  fcvtds:  ["00011110 00 1 000101 10000 nnnnn ddddd", "fcvt <Dd>, <Sn>"],
  fcvtsd:  ["00011110 01 1 000100 10000 nnnnn ddddd", "fcvt <Sd>, <Dn>"],
  // Floating-point compare, Floating-point conditional select.
  fcmps:  ["00011110 00 1 mmmmm 00 1000 nnnnn 00000", "fcmp <Sn>, <Sm>"],
  fcmpd:  ["00011110 01 1 mmmmm 00 1000 nnnnn 00000", "fcmp <Dn>, <Dm>"],
  fcsels: ["00011110 00 1 mmmmm cccc 11 nnnnn ddddd", "fcsel <Sd>, <Sn>, <Sm>, <c>"],
  fcseld: ["00011110 01 1 mmmmm cccc 11 nnnnn ddddd", "fcsel <Dd>, <Dn>, <Dm>, <c>"],
  // Conversion between floating-point and integer; the result's width, then the source's.
  fmovws:   ["0 0 0 11110 00 1 00 110 000000 nnnnn ddddd", "fmov <Wd>, <Sn>"],
  fmovsw:   ["0 0 0 11110 00 1 00 111 000000 nnnnn ddddd", "fmov <Sd>, <Wn>"],
  fmovxd:   ["1 0 0 11110 01 1 00 110 000000 nnnnn ddddd", "fmov <Xd>, <Dn>"],
  fmovdx:   ["1 0 0 11110 01 1 00 111 000000 nnnnn ddddd", "fmov <Dd>, <Xn>"],
  scvtfsw:  ["0 0 0 11110 00 1 00 010 000000 nnnnn ddddd", "scvtf <Sd>, <Wn>"],
  scvtfsx:  ["1 0 0 11110 00 1 00 010 000000 nnnnn ddddd", "scvtf <Sd>, <Xn>"],
  scvtfdw:  ["0 0 0 11110 01 1 00 010 000000 nnnnn ddddd", "scvtf <Dd>, <Wn>"],
  scvtfdx:  ["1 0 0 11110 01 1 00 010 000000 nnnnn ddddd", "scvtf <Dd>, <Xn>"],
  ucvtfsw:  ["0 0 0 11110 00 1 00 011 000000 nnnnn ddddd", "ucvtf <Sd>, <Wn>"],
  ucvtfsx:  ["1 0 0 11110 00 1 00 011 000000 nnnnn ddddd", "ucvtf <Sd>, <Xn>"],
  ucvtfdw:  ["0 0 0 11110 01 1 00 011 000000 nnnnn ddddd", "ucvtf <Dd>, <Wn>"],
  ucvtfdx:  ["1 0 0 11110 01 1 00 011 000000 nnnnn ddddd", "ucvtf <Dd>, <Xn>"],
  fcvtzsws: ["0 0 0 11110 00 1 11 000 000000 nnnnn ddddd", "fcvtzs <Wd>, <Sn>"],
  fcvtzsxs: ["1 0 0 11110 00 1 11 000 000000 nnnnn ddddd", "fcvtzs <Xd>, <Sn>"],
  fcvtzswd: ["0 0 0 11110 01 1 11 000 000000 nnnnn ddddd", "fcvtzs <Wd>, <Dn>"],
  fcvtzsxd: ["1 0 0 11110 01 1 11 000 000000 nnnnn ddddd", "fcvtzs <Xd>, <Dn>"],
  fcvtzuws: ["0 0 0 11110 00 1 11 001 000000 nnnnn ddddd", "fcvtzu <Wd>, <Sn>"],
  fcvtzuxs: ["1 0 0 11110 00 1 11 001 000000 nnnnn ddddd", "fcvtzu <Xd>, <Sn>"],
  fcvtzuwd: ["0 0 0 11110 01 1 11 001 000000 nnnnn ddddd", "fcvtzu <Wd>, <Dn>"],
  fcvtzuxd: ["1 0 0 11110 01 1 11 001 000000 nnnnn ddddd", "fcvtzu <Xd>, <Dn>"],
  // Advanced SIMD on eight bytes: population count, the sign of CopySign, zero.
  cnt:    ["0 0 001110 00 10000 00101 10 nnnnn ddddd",   "cnt <Vd>.8b, <Vn>.8b"],
  addv:   ["0 0 0 01110 00 11000 11011 10 nnnnn ddddd",  "addv <Bd>, <Vn>.8b"],
  bsl:    ["0 0 1 01110 01 1 mmmmm 00011 1 nnnnn ddddd", "bsl <Vd>.8b, <Vn>.8b, <Vm>.8b"],
  bit:    ["0 0 1 01110 10 1 mmmmm 00011 1 nnnnn ddddd", "bit <Vd>.8b, <Vn>.8b, <Vm>.8b"],
  bif:    ["0 0 1 01110 11 1 mmmmm 00011 1 nnnnn ddddd", "bif <Vd>.8b, <Vn>.8b, <Vm>.8b"],
  movid0: ["0 0 1 01111 00000 000 1110 01 00000 ddddd",  "movi <Dd>, #0"],
  // Rows that also extend or shift a register.
  ...INDEXED_ENCODINGS,
} as const satisfies Record<string, EncodingSpec>;

type EncodingName = keyof typeof ENCODINGS;
/** Index of a row of the table. */
export type EncodingRow = number;

// Object.keys returns exactly the keys of the literal, in that order.
export const ROW_NAMES = Object.keys(ENCODINGS) as EncodingName[];

/** Row by name: `A64.addx`. */
export const A64 = Object.fromEntries(ROW_NAMES.map((name, row) => [name, row])) as {
  readonly [N in EncodingName]: EncodingRow;
};

/**
 * Condition codes as encoded. After a comparison of floats, `mi`, `ls`, `gt`, `ge`, `eq`, `lo`,
 * `vc` are false for unordered operands, the others true (Arm ARM C1.2.4).
 */
// biome-ignore format: a table
export const Cond = {
  eq: 0, ne: 1, hs: 2, lo: 3, mi: 4, pl: 5, vs: 6, vc: 7,
  hi: 8, ls: 9, ge: 10, lt: 11, gt: 12, le: 13, al: 14, nv: 15,
} as const;
const COND_NAMES = Object.keys(Cond);

/** Returns the condition code that holds if `cond` does not; `al` and `nv` have none. */
export const invertCond = (cond: number): number => cond ^ 1;

/** The forms of rows, each with the name of its method; those with a label have `branch...`. */
// biome-ignore format: a table
export const Form = {
  op: 0, d: 1, n: 2, i: 3, l: 4, cl: 5, dl: 6, dn: 7, dm: 8, nm: 9, ni: 10, dc: 11,
  dnm: 12, dni: 13, dij: 14, dnij: 15, dnma: 16, dnmi: 17, dnmc: 18, dani: 19,
} as const;
type FormName = keyof typeof Form;
export const FORM_NAMES = Object.keys(Form) as FormName[]; // by number: in the order of the literal

/** The cells of a compiled row, an int32 each. D to A, C, I and J are shifts of fields. */
// biome-ignore format: a table
export const Cell = {
  base: 0, form: 1, d: 2, n: 3, m: 4, a: 5,
  stack: 6,                              // a bit for each of d, n, m, a that names sp by 31
  c: 7, flip: 8,                         // exclusive-or with the condition
  i: 9, iMin: 10, iMax: 11, iScale: 12,  // limits of the stored value; log2 of its unit
  isBitmask: 13,
  j: 14, jMax: 15, jScale: 16,
  relocation: 17,
} as const;
export const ROW_CELLS = 18;

export type EncodingTable = {
  readonly specs: readonly EncodingSpec[];
  readonly cells: Int32Array;
};

/**
 * Returns the table with some rows replaced; a replacement of another form fails where it is used.
 */
export function rowsWith(changes: { readonly [N in EncodingName]?: EncodingSpec }): EncodingTable {
  for (const name of Object.keys(changes)) {
    assert(Object.hasOwn(ENCODINGS, name), () => `no row is named ${name}`);
  }
  const specs = ROW_NAMES.map((name): EncodingSpec => changes[name] ?? ENCODINGS[name]);
  const cells = new Int32Array(specs.length * ROW_CELLS);
  for (let row = 0; row < specs.length; row++) {
    const own = cells.subarray(row * ROW_CELLS, (row + 1) * ROW_CELLS);
    compileRow(ROW_NAMES[row], specs[row], own);
  }
  return { specs, cells };
}

export type EncodedOperands = {
  readonly [L in "d" | "n" | "m" | "a" | "c" | "i" | "j" | "l"]?: number;
};

/** Returns the instruction in the syntax of GNU as; labels print as `.L<label>`. */
export function textOf([bits, text]: EncodingSpec, operands: EncodedOperands): string {
  return text.replace(TOKEN, (token, kind: string, letter: string, suffix: string | undefined) => {
    const key = letter === "k" ? "c" : (letter as keyof EncodedOperands); // TOKEN admits no other letter
    const value = operands[key];
    if (value === undefined) throw new InternalError(`operand ${token} of "${text}" is missing`);
    if (key === "c") return COND_NAMES[value];
    if (key === "l") return labelText(value);
    if (kind === "b")
      return `0x${bitmaskPattern(value, fieldOf(bits, "i").width === 13).toString(16)}`;
    if (key === "i" || key === "j")
      return `${suffix?.[0] === "/" ? value / unitOf(suffix) : value}`;
    return registerName(kind, value);
  });
}

const TOKEN = /<([WXSDBVsb]?)([dnmaijckl])(\|SP|[*/]\d+)?>/g;

function compileRow(name: string, spec: EncodingSpec, cells: Int32Array): void {
  const [bits, text] = spec;
  const pattern = bits.replaceAll(" ", "");
  assert(/^[01dnmaijckl]{32}$/.test(pattern), () => `row ${name} is not 32 bits: ${bits}`);
  cells[Cell.base] = Number.parseInt(pattern.replace(/\D/g, "0"), 2);
  let form = "";
  for (const [, kind, letter, suffix] of text.matchAll(TOKEN)) {
    form += letter === "k" ? "c" : letter;
    if (letter === "l") {
      cells[Cell.relocation] = relocationOf(pattern);
      continue;
    }
    const { shift, width } = fieldOf(bits, letter);
    if (letter === "i" || letter === "j")
      compileImmediate(cells, letter, kind, suffix, shift, width);
    else if (letter === "c" || letter === "k") {
      assert(width === 4, () => `row ${name} has a condition of ${width} bits`);
      cells[Cell.c] = shift;
      cells[Cell.flip] = letter === "k" ? 1 : 0;
    } else {
      assert(width === 5, () => `row ${name} has a register field of ${width} bits`);
      const cell = Cell[letter as "d" | "n" | "m" | "a"]; // the remaining letters of TOKEN
      cells[cell] = shift;
      if (suffix === "|SP") cells[Cell.stack] |= 1 << cell;
    }
  }
  const fields = pattern.replace(/[01]/g, "").replaceAll("k", "c");
  const unprinted = [...fields].filter((letter) => !form.includes(letter)).join("");
  assert(unprinted === "", () => `row ${name} has fields ${unprinted} that are not in its text`);
  // -1 if it is not a form
  const known = FORM_NAMES.indexOf(form === "" ? "op" : (form as FormName));
  assert(known >= 0, () => `row ${name} has the form ${form}, which no method writes`);
  cells[Cell.form] = known;
}

const LABEL_FIELDS: readonly (readonly [pattern: RegExp, relocation: RelocationKind])[] = [
  [/^[^l]{6}l{26}$/, RelocationKind.Branch26],
  [/^..011.00l{19}[^l]{5}$/, RelocationKind.Literal19],
  [/^[^l]{8}l{19}[^l]{5}$/, RelocationKind.Branch19],
  [/^[^l]ll[^l]{5}l{19}[^l]{5}$/, RelocationKind.Adr21],
];

/** Returns the relocation of a row's label. */
function relocationOf(pattern: string): RelocationKind {
  const field = LABEL_FIELDS.find(([fields]) => fields.test(pattern));
  assert(field !== undefined, () => `an unknown label field: ${pattern}`);
  return field[1];
}

function compileImmediate(
  cells: Int32Array,
  letter: "i" | "j",
  kind: string,
  suffix: string | undefined,
  shift: number,
  width: number,
): void {
  const scale = Math.log2(suffix === undefined ? 1 : unitOf(suffix));
  assert(Number.isInteger(scale), () => `the unit in ${suffix} is not a power of two`);
  const max = 2 ** width - 1;
  if (letter === "j") {
    cells[Cell.j] = shift;
    cells[Cell.jMax] = max;
    cells[Cell.jScale] = scale;
    return;
  }
  const min = kind === "s" ? -(2 ** (width - 1)) : 0;
  cells[Cell.i] = shift;
  cells[Cell.iMin] = min;
  cells[Cell.iMax] = min + max;
  cells[Cell.iScale] = scale;
  cells[Cell.isBitmask] = kind === "b" ? 1 : 0;
}

/** Returns the number after `*` or `/`. */
const unitOf = (suffix: string): number => Number.parseInt(suffix.slice(1), 10);

/** Returns the position of the run of `letter`, in bits. */
function fieldOf(bits: string, letter: string): { shift: number; width: number } {
  const pattern = bits.replaceAll(" ", "");
  const first = pattern.indexOf(letter);
  const last = pattern.lastIndexOf(letter);
  const width = last - first + 1;
  const isOneRun = first >= 0 && pattern.slice(first, last + 1) === letter.repeat(width);
  assert(isOneRun, () => `field ${letter} is missing or split: ${bits}`);
  return { shift: 31 - last, width };
}

// After the functions that it calls: the constants above must exist when it runs.
export const DEFAULT_ROWS: EncodingTable = rowsWith({});
