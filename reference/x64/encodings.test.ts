// Tests every row of the table, with every register and at the boundaries of every field, against
// two independent readers: the Capstone disassembler, and GNU `as` if it is installed.
//
// Each instruction starts a slot of 16 bytes, padded with int3. So an instruction of the wrong
// length moves no other, and the output of `as` can be compared slot by slot.

import test from "ava";
import { InternalError } from "../../src/support/assert.js";
import { CodeBuffer, labelText } from "../emit/code-buffer.js";
import { CompileError } from "../emit/compile-error.js";
import { X64Assembler } from "./assembler.js";
import {
  DEFAULT_ROWS,
  EncodingForm,
  type EncodingRows,
  OPERANDS,
  type OperandSpec,
  rowsWith,
  X64,
} from "./encodings.js";
import { assemble, disassembler, gnuAssembler } from "./readers.js";
import {
  ALLOCATABLE_GPR,
  ALLOCATABLE_XMM,
  Gpr,
  REGISTER_COUNT,
  SCRATCH_GPR,
  SCRATCH_XMM,
} from "./registers.js";

const SLOT_SIZE = 16;
const FILL = 0xcc;
const REGISTERS = Array.from({ length: REGISTER_COUNT }, (_, register) => register);
// biome-ignore format: a table
const DISPLACEMENTS = [0, 1, -1, 127, 128, -128, -129, 0x7fff_ffff, -0x8000_0000];
const IMMEDIATES = [-129, -128, -127, -1, 0, 1, 2, 31, 32, 63, 127, 128, 255, 256];
const HALVES = [0, 1, -1, 0x7fff_ffff, -0x8000_0000, 0x1234_5678];

/** Instructions in slots, with their lines in the listing. */
class Slots {
  readonly code = new CodeBuffer();
  readonly asm: X64Assembler;
  readonly rows: EncodingRows;
  readonly rowOf: number[] = [];
  readonly sizeOf: number[] = [];
  /** By slot: the label after it, if a jump goes to that label; or null. */
  readonly labelAfter: (number | null)[] = [];
  readonly first: number;
  readonly last: number;
  /** The listing, without its labels. */
  readonly lines: readonly string[];

  constructor(rows: EncodingRows) {
    this.rows = rows;
    this.code.listing = [];
    this.asm = new X64Assembler(this.code, rows);
    this.first = this.code.newLabel();
    this.last = this.code.newLabel();
    this.code.bind(this.first);
    for (let row = 0; row < rows.names.length; row++) this.addRow(row);
    this.code.bind(this.last);
    this.code.resolve();
    this.lines = this.code.listing.filter((line) => !line.startsWith(".L"));
  }

  get count(): number {
    return this.rowOf.length;
  }

  lineOf(slot: number): string {
    return this.lines[slot] ?? "";
  }

  /** Returns the line without its offset. */
  textOf(slot: number): string {
    return this.lineOf(slot).replace(/^[0-9a-f]+ +/, "");
  }

  bytesOf(slot: number): Uint8Array {
    return this.code.bytes.subarray(slot * SLOT_SIZE, (slot + 1) * SLOT_SIZE);
  }

  private put(row: number, emit: () => void): void {
    const start = this.code.size;
    emit();
    this.rowOf.push(row);
    this.sizeOf.push(this.code.size - start);
    this.labelAfter.push(null);
    while (this.code.size % SLOT_SIZE !== 0) this.code.byte(FILL);
  }

  private addRow(row: number): void {
    const shapes = this.rows.shapes[row];
    const { asm } = this;
    const immediates = immediatesOf(this.rows, row);
    if (shapes & EncodingForm.None) this.put(row, () => asm.op(row));
    if (shapes & EncodingForm.Label) {
      // To a far label a jump has a longer form, which would leave its slot: jumps.test.ts.
      if (row === X64.call) {
        for (const label of [this.first, this.last]) this.put(row, () => asm.jump(row, label));
      } else {
        const behind = this.code.newLabel();
        this.put(row, () => asm.jump(row, behind));
        this.code.bind(behind);
        this.labelAfter[this.count - 1] = behind;
      }
    }
    if (shapes & EncodingForm.Immediate) {
      for (const immediate of immediates) this.put(row, () => asm.i(row, immediate));
    }
    if (shapes & EncodingForm.Register) {
      for (const rm of REGISTERS) this.put(row, () => asm.r(row, rm));
    }
    if (shapes & EncodingForm.Registers) {
      for (const [reg, rm] of registerPairs()) this.put(row, () => asm.rr(row, reg, rm));
    }
    if (shapes & EncodingForm.RegisterImmediate) {
      for (const rm of REGISTERS) {
        for (const immediate of immediates) this.put(row, () => asm.ri(row, rm, immediate));
      }
    }
    if (shapes & EncodingForm.RegistersImmediate) {
      for (const [reg, rm] of registerPairs()) {
        const immediate = immediates[(reg + rm) % immediates.length];
        this.put(row, () => asm.rri(row, reg, rm, immediate));
      }
      for (const immediate of immediates) this.put(row, () => asm.rri(row, 0, 9, immediate));
    }
    if (shapes & EncodingForm.Register64) this.addMovabs(row);
    if (shapes & EncodingForm.Memory) this.addMemory(row);
    if (shapes & (EncodingForm.MemoryImmediate | EncodingForm.RegisterMemoryImmediate)) {
      this.addMemoryImmediate(row, immediates);
    }
  }

  private addMovabs(row: number): void {
    for (const reg of REGISTERS) {
      for (const lo of HALVES) {
        for (const hi of HALVES) this.put(row, () => this.asm.r64(row, reg, lo, hi));
      }
    }
  }

  private addMemory(row: number): void {
    const { asm } = this;
    for (const base of REGISTERS) {
      DISPLACEMENTS.forEach((displacement, i) => {
        this.put(row, () => asm.rm(row, (base + 3 * i) & 15, base, displacement));
      });
      for (const reg of [Gpr.rcx, Gpr.r12]) {
        this.put(row, () => asm.rm(row, base, reg, 8)); // here `base` takes all values of ModRM.reg
      }
      for (const index of REGISTERS) {
        if (index === Gpr.rsp) continue;
        // `leaq` is tested with each pair at every scale; the other rows with one scale per pair.
        const scales = row === X64.leaq || base === index ? [0, 1, 2, 3] : [(base + index) & 3];
        for (const scale of scales) {
          const displacement = DISPLACEMENTS[(base + 5 * index + 7 * scale) % DISPLACEMENTS.length];
          this.put(row, () => asm.rmx(row, index ^ scale, base, index, scale, displacement));
        }
      }
    }
    for (const reg of REGISTERS) this.put(row, () => asm.rmLabel(row, reg, this.last));
    this.put(row, () => asm.rmLabel(row, 0, this.first));
  }

  private addMemoryImmediate(row: number, immediates: readonly number[]): void {
    const { asm } = this;
    const hasDigit = (this.rows.shapes[row] & EncodingForm.MemoryImmediate) !== 0;
    for (const base of REGISTERS) {
      DISPLACEMENTS.forEach((displacement, i) => {
        const immediate = immediates[(base + 5 * i) % immediates.length];
        const reg = (base + 3 * i) & 15;
        this.put(row, () =>
          hasDigit
            ? asm.rmi(row, base, displacement, immediate)
            : asm.rrmi(row, reg, base, displacement, immediate),
        );
      });
      for (const index of REGISTERS) {
        if (!hasDigit || index === Gpr.rsp) continue;
        const scale = (base + index) & 3;
        const displacement = DISPLACEMENTS[(base + 5 * index) % DISPLACEMENTS.length];
        const immediate = immediates[(base + index) % immediates.length];
        this.put(row, () => asm.rmxi(row, base, index, scale, displacement, immediate));
      }
    }
  }
}

/** Returns all registers in each field, and all four combinations of REX.R and REX.B. */
function registerPairs(): [number, number][] {
  return REGISTERS.flatMap((register): [number, number][] => [
    [register, 3],
    [3, register],
    [register, 12],
    [12, register],
    [register, register],
  ]);
}

function immediatesOf(rows: EncodingRows, row: number): number[] {
  const min = rows.immediateMin[row];
  // The predicates above 7 are reserved outside VEX, and disassemblers name the others.
  const max = isComparison(row) ? 7 : rows.immediateMax[row];
  const all = new Set([min, min + 1, ...IMMEDIATES, max - 1, max]);
  return [...all].filter((immediate) => immediate >= min && immediate <= max);
}

const isComparison = (row: number) => row === X64.cmpss || row === X64.cmpsd;

// Both texts are converted to one form. In ours, labels become the targets that Capstone prints.
function ourText(slots: Slots, slot: number, size: number): string {
  const { code, rows } = slots;
  const text = slots
    .textOf(slot)
    .replace(/\[rip \+ \.L(\d+)\]/, (_, label) => {
      const distance = code.offsetOf(Number(label)) - (slot * SLOT_SIZE + size);
      return `[rip ${distance < 0 ? "-" : "+"} ${hex(Math.abs(distance))}]`;
    })
    .replace(/ \.L(\d+)$/, (_, label) => ` ${hex(code.offsetOf(Number(label)))}`);
  return withUnsignedImmediate(text, immediateBits(rows, slots.rowOf[slot]));
}

// Capstone's text: the comparison predicate becomes a number, as in the manual.
function capstoneText(
  slots: Slots,
  slot: number,
  bytes: Uint8Array,
): { text: string; size: number } {
  const [read] = disassembler.disasm(bytes, { address: slot * SLOT_SIZE, count: 1 });
  if (read === undefined) return { text: "undefined", size: 0 };
  const text = `${read.mnemonic} ${read.opStr}`
    .trimEnd()
    .replace(/^cmp(eq|lt|le|unord|neq|nlt|nle|ord)(s[sd]) (.*)$/, (_, predicate, type, rest) => {
      return `cmp${type} ${rest}, ${PREDICATES.indexOf(predicate)}`;
    });
  const bits = immediateBits(slots.rows, slots.rowOf[slot]);
  return { text: withUnsignedImmediate(text, bits), size: read.size };
}
const PREDICATES = ["eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"];

/**
 * Capstone prints negative immediates sometimes signed, sometimes not, so they are compared modulo
 * their width.
 */
function withUnsignedImmediate(text: string, bits: number): string {
  if (bits === 0) return text;
  return text.replace(/(-?)((?:0x[0-9a-f]+)|\d+)$/, (_, sign, digits) => {
    const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
    return `0x${BigInt.asUintN(bits, value).toString(16)}`;
  });
}

/** Returns the width in bits of the operation with the immediate; 0 for rows without one. */
function immediateBits(rows: EncodingRows, row: number): number {
  const kinds = rows.operands[row];
  const last: OperandSpec | undefined =
    kinds.length === 0 ? undefined : OPERANDS[kinds[kinds.length - 1]];
  if (last?.field !== "immediate" && last?.field !== "immediate64") return 0;
  return Number(/^(?:o|r|rm|m)(\d+)$/.exec(kinds[0])?.[1] ?? 64);
}

const hex = (value: number) => (value < 10 ? String(value) : `0x${value.toString(16)}`);

/** Returns the differences between Capstone's text and the listing; at most one line a row. */
function differences(slots: Slots): string[] {
  const faults = new Map<number, string>();
  for (let slot = 0; slot < slots.count; slot++) {
    const row = slots.rowOf[slot];
    if (faults.has(row)) continue;
    const ours = ourText(slots, slot, slots.sizeOf[slot]);
    const { text, size } = capstoneText(slots, slot, slots.bytesOf(slot));
    if (text === ours && size === slots.sizeOf[slot]) continue;
    const bytes = Buffer.from(slots.bytesOf(slot)).toString("hex", 0, slots.sizeOf[slot]);
    faults.set(
      row,
      `${slots.rows.names[row]}: ${ours} is ${bytes}, read as ${text} (${size} bytes)`,
    );
  }
  return [...faults.values()];
}

const slots = new Slots(DEFAULT_ROWS);

test("a disassembler reads each instruction as listed", (t) => {
  t.log(`${slots.count} instructions of ${DEFAULT_ROWS.names.length} rows`);
  t.deepEqual(differences(slots), []);
});

test("every row was emitted, and each listing line has the offset of its instruction", (t) => {
  t.deepEqual(new Set(slots.rowOf).size, DEFAULT_ROWS.names.length);
  t.is(slots.lines.length, slots.count);
  for (let slot = 0; slot < slots.count; slot++) {
    const offset = Number.parseInt(slots.lineOf(slot), 16);
    if (offset !== slot * SLOT_SIZE) t.fail(`slot ${slot} is listed at ${offset}`);
  }
});

test("a planted row is detected, and no other row", (t) => {
  const planted = rowsWith({ subq: { form: "sub r64, rm64", bytes: [0x03], rexW: true } });
  const faults = differences(new Slots(planted));
  t.is(faults.length, 1);
  t.regex(faults[0], /^subq: sub rax, rbx is 4803c3, read as add rax, rbx/);
});

interface Choice {
  readonly reason: string;
  applies(name: string, text: string): boolean;
  /** Capstone's text, if it is not the same instruction. */
  readonly reads?: string;
}

// `as` prefers other encodings of the same instruction, none longer; these are all of them.
const CHOICES: readonly Choice[] = [
  {
    reason: "an immediate that fits a byte takes one",
    applies: (name, text) => name.endsWith("Imm") && isByte(text),
  },
  {
    reason: "eax and rax with a 32-bit immediate need no ModRM",
    applies: (name, text) => name.endsWith("Imm") && / [er]ax, -?0x[0-9a-f]+$/.test(text),
  },
  {
    reason: "a shift by one has no immediate",
    applies: (name, text) => /^(rol|ror|shl|shr|sar)[lq]Imm8$/.test(name) && text.endsWith(", 1"),
  },
  {
    reason: "xchg rax, rax does nothing",
    applies: (_, text) => text === "xchg rax, rax",
    reads: "nop",
  },
  {
    reason: "xchg with eax or rax needs no ModRM",
    applies: (name, text) => /^xchg[lq]$/.test(name) && /[er]ax/.test(text),
  },
  {
    reason: "movq between memory and xmm has encodings without REX.W",
    applies: (name, text) => /^movq(To|From)Xmm$/.test(name) && text.includes("["),
  },
];

function isByte(text: string): boolean {
  const [, sign, digits] = /(-?)([0-9a-fx]+)$/.exec(text) ?? ["", "", "0"];
  return sign === "-" ? Number(digits) <= 0x80 : Number(digits) <= 0x7f;
}

const testWithAs = gnuAssembler === null ? test.skip : test;

testWithAs("GNU as assembles each listing line to the same bytes", (t) => {
  const theirs = assembled(gnuAssembler ?? "as", slots);
  t.is(theirs.length, slots.count * SLOT_SIZE);
  const ours = Buffer.from(slots.code.bytes.buffer, 0, theirs.length);
  const used = new Set<string>();
  const faults: string[] = [];
  for (let slot = 0; slot < slots.count && faults.length < 20; slot++) {
    const start = slot * SLOT_SIZE;
    if (ours.compare(theirs, start, start + SLOT_SIZE, start, start + SLOT_SIZE) === 0) continue;
    const name = slots.rows.names[slots.rowOf[slot]];
    const line = slots.textOf(slot);
    const bytes = theirs.subarray(start, start + SLOT_SIZE);
    const { text, size } = capstoneText(slots, slot, bytes);
    const choice = CHOICES.find(({ applies }) => applies(name, line));
    const expected = choice?.reads ?? ourText(slots, slot, size);
    if (choice !== undefined && text === expected && size <= slots.sizeOf[slot]) {
      used.add(choice.reason);
    } else {
      faults.push(`${name}: ${line} is ${bytes.toString("hex")} by as`);
    }
  }
  t.deepEqual(faults, []);
  t.deepEqual([...used].sort(), CHOICES.map(({ reason }) => reason).sort());
});

/** Returns the `.text` section that GNU as assembles from the listing, slot by slot. */
function assembled(command: string, slots: Slots): Buffer {
  const lines = [`${labelText(slots.first)}:`];
  for (let slot = 0; slot < slots.count; slot++) {
    const text = slots.textOf(slot);
    lines.push(`${directionOf(slots, slot)}${text}`, `.p2align 4, ${FILL}`);
    const behind = slots.labelAfter[slot];
    if (behind !== null) lines.push(`${labelText(behind)}:`);
  }
  lines.push(`${labelText(slots.last)}:`);
  return assemble(command, lines);
}

/**
 * Returns the suffix for a move or sum between registers, which has two encodings: `as` needs it to
 * choose.
 */
function directionOf(slots: Slots, slot: number): string {
  const kinds = slots.rows.operands[slots.rowOf[slot]];
  if (kinds.length !== 2) return "";
  const first: OperandSpec = OPERANDS[kinds[0]];
  const second: OperandSpec = OPERANDS[kinds[1]];
  if (first.field === "rm" && second.field === "reg") return "{store} ";
  return first.field === "reg" && second.field === "rm" ? "{load} " : "";
}

test("an immediate that its field cannot hold is a compile error", (t) => {
  const asm = new X64Assembler(new CodeBuffer());
  const { immediateMin, immediateMax, shapes, names } = DEFAULT_ROWS;
  for (let row = 0; row < names.length; row++) {
    for (const immediate of [immediateMin[row] - 1, immediateMax[row] + 1, 0.5]) {
      const refused = { instanceOf: CompileError };
      if (shapes[row] & EncodingForm.Immediate) t.throws(() => asm.i(row, immediate), refused);
      if (shapes[row] & EncodingForm.RegisterImmediate)
        t.throws(() => asm.ri(row, 1, immediate), refused);
      if (shapes[row] & EncodingForm.RegistersImmediate) {
        t.throws(() => asm.rri(row, 1, 2, immediate), refused);
      }
      if (shapes[row] & EncodingForm.MemoryImmediate)
        t.throws(() => asm.rmi(row, 1, 0, immediate), refused);
      if (shapes[row] & EncodingForm.RegisterMemoryImmediate) {
        t.throws(() => asm.rrmi(row, 1, 2, 0, immediate), refused);
      }
    }
  }
  for (const displacement of [0x8000_0000, -0x8000_0001, 0.5]) {
    t.throws(() => asm.rm(X64.movq, 0, 1, displacement), { instanceOf: CompileError });
    t.throws(() => asm.rmx(X64.movq, 0, 1, 2, 0, displacement), { instanceOf: CompileError });
  }
});

test("a row rejects operands of a shape that it does not have", (t) => {
  const { shapes, names } = DEFAULT_ROWS;
  const code = new CodeBuffer();
  const asm = new X64Assembler(code);
  // biome-ignore format: a table
  const methods: [number, (row: number) => void][] = [
    [EncodingForm.None,                    (row) => asm.op(row)],
    [EncodingForm.Immediate,               (row) => asm.i(row, 0)],
    [EncodingForm.Register,                (row) => asm.r(row, 1)],
    [EncodingForm.Registers,               (row) => asm.rr(row, 1, 2)],
    [EncodingForm.RegisterImmediate,       (row) => asm.ri(row, 1, 0)],
    [EncodingForm.RegistersImmediate,      (row) => asm.rri(row, 1, 2, 0)],
    [EncodingForm.Memory,                  (row) => asm.rm(row, 1, 2, 0)],
    [EncodingForm.Memory,                  (row) => asm.rmx(row, 1, 2, 3, 0, 0)],
    [EncodingForm.Memory,                  (row) => asm.rmLabel(row, 1, 0)],
    [EncodingForm.MemoryImmediate,         (row) => asm.rmi(row, 1, 0, 0)],
    [EncodingForm.MemoryImmediate,         (row) => asm.rmxi(row, 1, 2, 0, 0, 0)],
    [EncodingForm.RegisterMemoryImmediate, (row) => asm.rrmi(row, 1, 2, 0, 0)],
    [EncodingForm.Register64,              (row) => asm.r64(row, 1, 0, 0)],
    [EncodingForm.Label,                   (row) => asm.jump(row, 0)],
  ];
  for (const [shape, emit] of methods) {
    for (let row = 0; row < names.length; row++) {
      if (shapes[row] & shape) t.notThrows(() => emit(row));
      else t.throws(() => emit(row), { instanceOf: InternalError });
    }
  }
  t.throws(() => asm.rr(X64.addq, 16, 0), { instanceOf: InternalError });
  t.throws(() => asm.rr(X64.addq, 0, -1), { instanceOf: InternalError });
  t.throws(() => asm.op(names.length), { instanceOf: InternalError });
  t.throws(() => asm.rmx(X64.movq, 0, 1, Gpr.rsp, 0, 0), { instanceOf: InternalError });
  t.throws(() => asm.rmx(X64.movq, 0, 1, 2, 4, 0), { instanceOf: InternalError });
  t.throws(() => asm.rmxi(X64.movqImm, 1, Gpr.rsp, 0, 0, 0), { instanceOf: InternalError });
  t.throws(() => asm.rmxi(X64.movqImm, 1, 2, 4, 0, 0), { instanceOf: InternalError });
});

test("a table whose row has both a register and a digit, or neither, is rejected", (t) => {
  const both = { form: "add r32, rm32", bytes: [0x03], digit: 0 };
  t.throws(() => rowsWith({ addl: both }), { instanceOf: InternalError });
  t.throws(() => rowsWith({ addl: { form: "add rm32", bytes: [3] } }), {
    instanceOf: InternalError,
  });
  t.throws(() => rowsWith({ addl: { form: "add r33", bytes: [3] } }), {
    instanceOf: InternalError,
  });
});

test("all registers are allocatable, except those of the stack and the scratch registers", (t) => {
  const gpr = [...ALLOCATABLE_GPR, Gpr.rsp, Gpr.rbp, SCRATCH_GPR];
  t.deepEqual(
    gpr.sort((x, y) => x - y),
    REGISTERS,
  );
  t.deepEqual([...ALLOCATABLE_XMM, SCRATCH_XMM], REGISTERS);
});
