// Encodes instructions: takes a row of the table and its operands, and writes bytes.
//
// Each method takes one shape of operands; if the row does not have the shape, it throws before it
// writes a byte. The layout of the bytes, in order (Intel SDM vol. 2, 2.1 and 2.2.1):
//
//   prefix (66, F2, F3)  lock (F0)  REX (0100WRXB)  escape and opcode  ModRM  SIB  displacement  immediate
//
// 1. A displacement takes the shortest field that holds it: none, 8 bits or 32 bits.
// 2. As a base, rsp and r12 need a SIB byte, rbp and r13 a displacement (tables 2-2 and 2-3).
// 3. Byte registers 4..7 need a REX prefix, even an empty one; without it they would be ah..bh.

import { InternalError } from "../../src/support/assert.js";
import { type CodeBuffer, labelText, offsetText } from "../emit/code-buffer.js";
import { CompileError } from "../emit/compile-error.js";
import { RelocationKind } from "../emit/relocations.js";
import {
  DEFAULT_ROWS,
  EncodingForm,
  type EncodingRows,
  ESCAPES,
  Fact,
  OPERANDS,
  type OperandKind,
  type OperandSpec,
  PREFIXES,
  X64,
} from "./encodings.js";
import { Gpr, REGISTER_NAMES } from "./registers.js";

const LOCK = 0xf0;
const REX = 0x40;
const MOD_NO_DISPLACEMENT = 0x00;
const MOD_DISPLACEMENT8 = 0x40;
const MOD_DISPLACEMENT32 = 0x80;
const MOD_REGISTER = 0xc0;
/** The value of ModRM.rm for "a SIB byte follows"; as a base within SIB it is rsp or r12. */
const RM_SIB = 4;
/** The value of ModRM.rm without displacement for "relative to rip". */
const RM_RIP = 5;
/** A SIB byte with a base of rsp or r12 and no index. */
const SIB_RSP_NO_INDEX = 0x24;

export class X64Assembler {
  readonly code: CodeBuffer;
  private readonly rows: EncodingRows;
  private readonly facts: Int32Array;
  private readonly shapes: Int32Array;

  constructor(code: CodeBuffer, rows: EncodingRows = DEFAULT_ROWS) {
    this.code = code;
    this.rows = rows;
    this.facts = rows.facts;
    this.shapes = rows.shapes;
  }

  /** `ret`, `cdq` */
  op(row: number): void {
    const facts = this.factsFor(row, EncodingForm.None, 0);
    const start = this.code.size;
    this.opcode(facts, 0);
    if ((facts & Fact.HAS_DIGIT) !== 0) this.code.byte(MOD_REGISTER | modRmReg(facts, 0));
    if (this.code.listing !== null) this.list(start, row, 0, 0, "");
  }

  /** `push imm32`, `ret imm16` */
  i(row: number, immediate: number): void {
    const facts = this.factsFor(row, EncodingForm.Immediate, 0);
    const start = this.code.size;
    this.opcode(facts, 0);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) this.list(start, row, 0, 0, signed(immediate));
  }

  /** `neg rm`, `shl rm, cl`, `push o` */
  r(row: number, rm: number): void {
    const facts = this.factsFor(row, EncodingForm.Register, rm);
    const start = this.code.size;
    this.oneRegister(facts, rm);
    if (this.code.listing !== null) this.list(start, row, rm, rm, "");
  }

  /** `add r, rm`, `mov rm, r`: `reg` is the operand in ModRM.reg, as source or destination. */
  rr(row: number, reg: number, rm: number): void {
    const facts = this.factsFor(row, EncodingForm.Registers, reg | rm);
    const start = this.code.size;
    this.twoRegisters(facts, reg, rm);
    if (this.code.listing !== null) this.list(start, row, reg, rm, "");
  }

  /** `add rm, imm`, `mov o, imm` */
  ri(row: number, rm: number, immediate: number): void {
    const facts = this.factsFor(row, EncodingForm.RegisterImmediate, rm);
    const start = this.code.size;
    this.oneRegister(facts, rm);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) this.list(start, row, rm, rm, signed(immediate));
  }

  /** `imul r, rm, imm` */
  rri(row: number, reg: number, rm: number, immediate: number): void {
    const facts = this.factsFor(row, EncodingForm.RegistersImmediate, reg | rm);
    const start = this.code.size;
    this.twoRegisters(facts, reg, rm);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) this.list(start, row, reg, rm, signed(immediate));
  }

  /** `add r, [base + displacement]`, `mov [..], r`, `neg [..]`; rows with a digit ignore `reg`. */
  rm(row: number, reg: number, base: number, displacement: number): void {
    const facts = this.factsFor(row, EncodingForm.Memory, reg | base);
    const start = this.code.size;
    this.memory(facts, reg, base, displacement);
    if (this.code.listing !== null) {
      this.list(start, row, reg, memoryText(base, -1, 0, displacement), "");
    }
  }

  /** `add [base + displacement], imm` */
  rmi(row: number, base: number, displacement: number, immediate: number): void {
    const facts = this.factsFor(row, EncodingForm.MemoryImmediate, base);
    const start = this.code.size;
    this.memory(facts, 0, base, displacement);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) {
      this.list(start, row, 0, memoryText(base, -1, 0, displacement), signed(immediate));
    }
  }

  /** `imul r, [base + displacement], imm` */
  rrmi(row: number, reg: number, base: number, displacement: number, immediate: number): void {
    const facts = this.factsFor(row, EncodingForm.RegisterMemoryImmediate, reg | base);
    const start = this.code.size;
    this.memory(facts, reg, base, displacement);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) {
      this.list(start, row, reg, memoryText(base, -1, 0, displacement), signed(immediate));
    }
  }

  /** `mov r, [base + index * 2^scaleLog2 + displacement]`; rsp cannot be the index. */
  rmx(
    row: number,
    reg: number,
    base: number,
    index: number,
    scaleLog2: number,
    displacement: number,
  ): void {
    const facts = this.factsFor(row, EncodingForm.Memory, reg | base | index);
    if (index === Gpr.rsp || scaleLog2 >>> 2 !== 0) this.misuse(row, [base, index, scaleLog2]);
    const start = this.code.size;
    this.indexed(facts, reg, base, index, scaleLog2, displacement);
    if (this.code.listing !== null) {
      this.list(start, row, reg, memoryText(base, index, scaleLog2, displacement), "");
    }
  }

  /** `mov [base + index * 2^scaleLog2 + displacement], imm` */
  rmxi(
    row: number,
    base: number,
    index: number,
    scaleLog2: number,
    displacement: number,
    immediate: number,
  ): void {
    const facts = this.factsFor(row, EncodingForm.MemoryImmediate, base | index);
    if (index === Gpr.rsp || scaleLog2 >>> 2 !== 0) this.misuse(row, [base, index, scaleLog2]);
    const start = this.code.size;
    this.indexed(facts, 0, base, index, scaleLog2, displacement);
    this.immediate(row, facts, immediate);
    if (this.code.listing !== null) {
      const text = memoryText(base, index, scaleLog2, displacement);
      this.list(start, row, 0, text, signed(immediate));
    }
  }

  /** `lea r, [rip + label]`: the operand is the address of the label. */
  rmLabel(row: number, reg: number, label: number): void {
    const facts = this.factsFor(row, EncodingForm.Memory, reg);
    const start = this.code.size;
    this.opcode(facts, rexByte(facts, Fact.BYTE_REG, reg) | rexReg(facts, reg));
    this.code.byte(MOD_NO_DISPLACEMENT | modRmReg(facts, reg) | RM_RIP);
    this.distanceTo(label);
    if (this.code.listing !== null) this.list(start, row, reg, `[rip + ${labelText(label)}]`, "");
  }

  /** `movabs r, imm64` from its two halves. */
  r64(row: number, reg: number, lo: number, hi: number): void {
    const facts = this.factsFor(row, EncodingForm.Register64, reg);
    const start = this.code.size;
    this.oneRegister(facts, reg);
    this.code.word(lo);
    this.code.word(hi);
    if (this.code.listing !== null) this.list(start, row, reg, reg, hex64(lo, hi));
  }

  /** `jmp label`, `je label`, in their short form; `call label` */
  jump(row: number, label: number): void {
    const facts = this.factsFor(row, EncodingForm.Label, 0);
    const start = this.code.size;
    if (((facts >> Fact.IMMEDIATE_SHIFT) & Fact.IMMEDIATE_MASK) === 1) {
      this.code.relocate(
        start,
        row === X64.jmp ? RelocationKind.Jump8 : RelocationKind.Branch8,
        label,
      );
      this.opcode(facts, 0);
      this.code.byte(0);
    } else {
      this.opcode(facts, 0);
      this.distanceTo(label);
    }
    if (this.code.listing !== null) this.list(start, row, 0, 0, labelText(label));
  }

  /**
   * Checks the shape and the registers, and returns the row's facts. `registers` are combined by
   * `or`: the result is in range exactly if each of them is.
   */
  private factsFor(row: number, shape: number, registers: number): number {
    if ((this.shapes[row] & shape) === 0 || registers >>> 4 !== 0) {
      this.misuse(row, [shape, registers]);
    }
    return this.facts[row];
  }

  private misuse(row: number, operands: readonly number[]): never {
    const name = this.rows.names[row] ?? `row ${row}`;
    throw new InternalError(`${name} does not take these operands: ${operands.join(", ")}`);
  }

  /**
   * Writes everything up to the opcode. `rex` has R, X, B, and the bit 0x40 if a prefix is needed.
   */
  private opcode(facts: number, rex: number): void {
    const code = this.code;
    const prefix = (facts >> Fact.PREFIX_SHIFT) & 3;
    if (prefix !== 0) code.byte(PREFIXES[prefix]);
    if ((facts & Fact.LOCK) !== 0) code.byte(LOCK);
    const fullRex = rex | ((facts >> Fact.REX_W_SHIFT) & 8);
    if (fullRex !== 0) code.byte(REX | fullRex);
    const escapes = ESCAPES[(facts >> Fact.ESCAPE_SHIFT) & 3];
    for (let i = 0; i < escapes.length; i++) code.byte(escapes[i]);
    code.byte(facts & Fact.OPCODE_MASK);
  }

  private oneRegister(facts: number, rm: number): void {
    if ((facts & Fact.OPCODE_REGISTER) !== 0) {
      this.opcode(facts | (rm & 7), rm >> 3); // such opcodes end in three zero bits
      return;
    }
    this.opcode(facts, (rm >> 3) | rexByte(facts, Fact.BYTE_RM, rm));
    this.code.byte(MOD_REGISTER | modRmReg(facts, 0) | (rm & 7));
  }

  private twoRegisters(facts: number, reg: number, rm: number): void {
    const rex = ((reg >> 3) << 2) | (rm >> 3);
    const byteRex = rexByte(facts, Fact.BYTE_REG, reg) | rexByte(facts, Fact.BYTE_RM, rm);
    this.opcode(facts, rex | byteRex);
    this.code.byte(MOD_REGISTER | ((reg & 7) << 3) | (rm & 7));
  }

  private memory(facts: number, reg: number, base: number, displacement: number): void {
    const rex = rexByte(facts, Fact.BYTE_REG, reg) | rexReg(facts, reg) | (base >> 3);
    this.opcode(facts, rex);
    const mod = modFor(base, displacement);
    this.code.byte(mod | modRmReg(facts, reg) | (base & 7));
    if ((base & 7) === RM_SIB) this.code.byte(SIB_RSP_NO_INDEX);
    this.displacement(mod, displacement);
  }

  private indexed(
    facts: number,
    reg: number,
    base: number,
    index: number,
    scaleLog2: number,
    displacement: number,
  ): void {
    const rex = rexByte(facts, Fact.BYTE_REG, reg) | rexReg(facts, reg);
    this.opcode(facts, rex | ((index >> 3) << 1) | (base >> 3));
    const mod = modFor(base, displacement);
    this.code.byte(mod | modRmReg(facts, reg) | RM_SIB);
    this.code.byte((scaleLog2 << 6) | ((index & 7) << 3) | (base & 7));
    this.displacement(mod, displacement);
  }

  private displacement(mod: number, displacement: number): void {
    if (mod === MOD_DISPLACEMENT8) this.code.byte(displacement);
    else if (mod === MOD_DISPLACEMENT32) this.code.word(displacement);
  }

  private immediate(row: number, facts: number, immediate: number): void {
    const { immediateMin, immediateMax } = this.rows;
    const fits = immediate >= immediateMin[row] && immediate <= immediateMax[row];
    if (!fits || (immediate | 0) !== immediate) {
      throw new CompileError(
        `${this.rows.names[row]}: the immediate ${immediate} does not fit the encoding`,
      );
    }
    const size = (facts >> Fact.IMMEDIATE_SHIFT) & Fact.IMMEDIATE_MASK;
    if (size === 4) {
      this.code.word(immediate);
      return;
    }
    this.code.byte(immediate);
    if (size === 2) this.code.byte(immediate >> 8);
  }

  /**
   * Writes a distance as the last field of its instruction: rip is the end of the instruction when
   * the distance is added.
   */
  private distanceTo(label: number): void {
    this.code.relocate(this.code.size, RelocationKind.Rel32, label);
    this.code.word(0);
  }

  /**
   * Adds a line to the listing. `rm` is a register or the text of a memory operand, `rest` that of
   * an immediate or a label.
   */
  private list(start: number, row: number, reg: number, rm: number | string, rest: string): void {
    const kinds = this.rows.operands[row];
    const operands = kinds.map((kind) => operandText(kind, reg, rm, rest)).join(", ");
    const offset = offsetText(start);
    this.code.listing?.push(`${offset}  ${this.rows.mnemonics[row]} ${operands}`.trimEnd());
  }
}

/** Returns an empty REX prefix for byte registers 4..7, which would otherwise be ah, ch, dh, bh. */
function rexByte(facts: number, field: number, register: number): number {
  return (facts & field) !== 0 && register >= 4 ? REX : 0;
}

function rexReg(facts: number, reg: number): number {
  return (facts & Fact.HAS_DIGIT) !== 0 ? 0 : (reg >> 3) << 2;
}

function modRmReg(facts: number, reg: number): number {
  const field = (facts & Fact.HAS_DIGIT) !== 0 ? facts >> Fact.DIGIT_SHIFT : reg;
  return (field & 7) << 3;
}

/** Returns ModRM.mod, shifted into position. */
function modFor(base: number, displacement: number): number {
  if (displacement === 0 && (base & 7) !== RM_RIP) return MOD_NO_DISPLACEMENT;
  if (displacement === (displacement << 24) >> 24) return MOD_DISPLACEMENT8;
  if (displacement === (displacement | 0)) return MOD_DISPLACEMENT32;
  throw new CompileError(`the displacement ${displacement} does not fit 32 bits`);
}

function operandText(kind: OperandKind, reg: number, rm: number | string, rest: string): string {
  const operand: OperandSpec = OPERANDS[kind];
  const names = operand.register === undefined ? [] : REGISTER_NAMES[operand.register];
  switch (operand.field) {
    case "implied":
      return kind;
    case "reg":
    case "opcode":
      return names[reg];
    case "rm":
      return typeof rm === "number" ? names[rm] : `${operand.pointer}${rm}`;
    default:
      return rest;
  }
}

/** Returns the text of a memory operand. `index` is -1 if there is none. */
function memoryText(base: number, index: number, scaleLog2: number, displacement: number): string {
  let text: string = REGISTER_NAMES.r64[base];
  if (index >= 0) text += ` + ${REGISTER_NAMES.r64[index]}`;
  if (scaleLog2 > 0) text += `*${1 << scaleLog2}`;
  if (displacement > 0) text += ` + ${signed(displacement)}`;
  if (displacement < 0) text += ` - ${signed(-displacement)}`;
  return `[${text}]`;
}

function signed(value: number): string {
  const size = Math.abs(value);
  const digits = size < 10 ? String(size) : `0x${size.toString(16)}`;
  return value < 0 ? `-${digits}` : digits;
}

function hex64(lo: number, hi: number): string {
  const low = (lo >>> 0).toString(16);
  return hi === 0 ? `0x${low}` : `0x${(hi >>> 0).toString(16)}${low.padStart(8, "0")}`;
}
