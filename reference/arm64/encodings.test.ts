// Tests each row of the table at the limits of its fields, with an independent disassembler and
// independent assemblers; then the laws of immediates and registers.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { assert, InternalError } from "../../src/support/assert.js";
import { CodeBuffer } from "../emit/code-buffer.js";
import { CompileError } from "../emit/compile-error.js";
import { emitTables } from "../emit/emit-switch.js";
import { Arm64Assembler } from "./assembler.js";
import {
  A64,
  Cell,
  Cond,
  DEFAULT_ROWS,
  ENCODINGS,
  type EncodedOperands,
  type EncodingRow,
  FORM_NAMES,
  ROW_CELLS,
  ROW_NAMES,
  rowsWith,
  textOf,
} from "./encodings.js";
import {
  bitmaskImmediate,
  bitmaskPattern,
  isBitmaskField,
  isImm12,
  isShiftedImm12,
  MOVN,
  materialize,
} from "./immediates.js";
import * as registers from "./registers.js";
import { SP, ZR } from "./registers.js";

interface CapstoneModule {
  loadCapstone(): Promise<void>;
  readonly Capstone: new (architecture: number, mode: number) => Disassembler;
  readonly Const: { readonly CS_ARCH_ARM64: number; readonly CS_MODE_ARM: number };
}
interface Disassembler {
  /** Throws if the first bytes are not an instruction. The bytes must fit a small stack. */
  disasm(bytes: Uint8Array, options: { address: number }): { mnemonic: string; opStr: string }[];
}
// Required, not imported: module resolution does not find the types that the package declares.
const capstone: CapstoneModule = createRequire(import.meta.url)("capstone-wasm");
await capstone.loadCapstone();
const disassembler = new capstone.Capstone(
  capstone.Const.CS_ARCH_ARM64,
  capstone.Const.CS_MODE_ARM,
);

type Letter = keyof EncodedOperands;

/** The default value of every operand that a case does not vary; all fields differ. */
const PLAIN = { d: 1, n: 2, m: 3, a: 4, c: Cond.ge, j: 0, i: 0, l: 0 };

const cellOf = (row: EncodingRow, cell: keyof typeof Cell) =>
  DEFAULT_ROWS.cells[row * ROW_CELLS + Cell[cell]];
/** The operands of a row, in the order of its text. */
const lettersOf = (row: EncodingRow): Letter[] => {
  const form = FORM_NAMES[cellOf(row, "form")];
  return form === "op" ? [] : ([...form] as Letter[]); // names of forms consist of letters
};

function isRegister(letter: Letter): letter is "d" | "n" | "m" | "a" {
  return letter === "d" || letter === "n" || letter === "m" || letter === "a";
}

/** Returns the values to test for one operand, and some that must be rejected. */
function valuesOf(row: EncodingRow, letter: Letter): { good: number[]; bad: number[] } {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  if (isRegister(letter)) {
    const isStack = (cellOf(row, "stack") & (1 << Cell[letter])) !== 0;
    return isStack
      ? { good: [...numbers(31), SP], bad: [-1, 31, 33, Number.NaN] }
      : { good: numbers(32), bad: [-1, 32, 33, 1.5e9, Number.NaN] };
  }
  if (letter === "c") {
    const count = cellOf(row, "flip") === 0 ? 16 : 14;
    return { good: numbers(count), bad: [-1, count, 16, Number.NaN] };
  }
  if (letter === "l") return { good: [0, 1], bad: [] };
  if (letter === "j") {
    const unit = 1 << cellOf(row, "jScale");
    const max = cellOf(row, "jMax") * unit;
    const good = numbers(cellOf(row, "jMax") + 1).map((j) => j * unit);
    return { good, bad: [-unit, max + unit, Number.NaN, ...(unit > 1 ? [1, max - 1] : [])] };
  }
  const unit = 1 << cellOf(row, "iScale");
  const min = cellOf(row, "iMin") * unit;
  const max = cellOf(row, "iMax") * unit;
  if (cellOf(row, "isBitmask") === 1) {
    // One field for each pattern; two rows are tested with all, the others with a few.
    const all = numbers(max + 1).filter((f) => isBitmaskField(f) && ((f >> 6) & 63) < sizeOf(f));
    const isFull = row === A64.andxi || row === A64.eorwi;
    const good = isFull ? all : all.filter((_, index) => index % 97 === 0);
    return { good, bad: [-1, 63, max, max + 1] };
  }
  const powers = numbers(16).flatMap((bit) => [unit << bit, -(unit << bit)]);
  const good = [min, max, min + unit, max - unit, 0, ...powers].filter((i) => i >= min && i <= max);
  const misaligned = unit > 1 ? [1, max - 1, min + 1] : [];
  return { good, bad: [min - unit, max + unit, max + 2 ** 32, 0.5, Number.NaN, ...misaligned] };
}

/**
 * Returns the bits of the repeated element of a bitmask field, by search rather than by the rule.
 */
const sizeOf = (field: number): number =>
  (field & 4096) !== 0 ? 64 : ([32, 16, 8, 4, 2].find((s) => (field & s) === 0) ?? 0);

/** Returns whether the manual calls the form unpredictable. */
const isUnpredictable = (row: EncodingRow, { d, a, n, m }: EncodedOperands) =>
  (ROW_NAMES[row].startsWith("stlxr") && (d === n || d === m)) ||
  (ROW_NAMES[row].startsWith("ldp") && d === a) ||
  (/P(re|ost)/.test(ROW_NAMES[row]) && (n === d || n === a));

function casesOf(row: EncodingRow): EncodedOperands[] {
  const letters = lettersOf(row);
  const plain: EncodedOperands = Object.fromEntries(
    letters.map((l) => [
      l,
      valuesOf(row, l).good.includes(PLAIN[l]) ? PLAIN[l] : valuesOf(row, l).good[0],
    ]),
  );
  const corner = (at: number): EncodedOperands =>
    Object.fromEntries(letters.map((l) => [l, valuesOf(row, l).good.at(at)]));
  const cases = [plain, corner(0), corner(-1)];
  for (const letter of letters) {
    for (const value of valuesOf(row, letter).good) cases.push({ ...plain, [letter]: value });
  }
  return cases.filter((operands) => !isUnpredictable(row, operands));
}

type AllOperands = Required<EncodedOperands>;
type Emit = (asm: Arm64Assembler, row: EncodingRow, operands: AllOperands) => void;
// biome-ignore format: a table
const EMIT: { readonly [F in (typeof FORM_NAMES)[number]]: Emit } = {
  op:   (asm, row) => asm.op(row),
  d:    (asm, row, { d }) => asm.d(row, d),
  n:    (asm, row, { n }) => asm.n(row, n),
  i:    (asm, row, { i }) => asm.i(row, i),
  l:    (asm, row, { l }) => asm.branch(row, l),
  cl:   (asm, row, { c, l }) => asm.branchCond(row, c, l),
  dl:   (asm, row, { d, l }) => asm.branchReg(row, d, l),
  dn:   (asm, row, { d, n }) => asm.dn(row, d, n),
  dm:   (asm, row, { d, m }) => asm.dm(row, d, m),
  nm:   (asm, row, { n, m }) => asm.nm(row, n, m),
  ni:   (asm, row, { n, i }) => asm.ni(row, n, i),
  dc:   (asm, row, { d, c }) => asm.dc(row, d, c),
  dnm:  (asm, row, { d, n, m }) => asm.dnm(row, d, n, m),
  dni:  (asm, row, { d, n, i }) => asm.dni(row, d, n, i),
  dij:  (asm, row, { d, i, j }) => asm.dij(row, d, i, j),
  dnij: (asm, row, { d, n, i, j }) => asm.dnij(row, d, n, i, j),
  dnma: (asm, row, { d, n, m, a }) => asm.dnma(row, d, n, m, a),
  dnmi: (asm, row, { d, n, m, i }) => asm.dnmi(row, d, n, m, i),
  dnmc: (asm, row, { d, n, m, c }) => asm.dnmc(row, d, n, m, c),
  dani: (asm, row, { d, n, a, i }) => asm.dani(row, d, a, n, i),
};

function emit(asm: Arm64Assembler, row: EncodingRow, operands: EncodedOperands): void {
  EMIT[FORM_NAMES[cellOf(row, "form")]](asm, row, { ...PLAIN, ...operands });
}

type Image = {
  readonly bytes: Uint8Array;
  readonly text: string[];
  readonly expected: string[];
  readonly labels: number[];
};

/** Returns all cases of all rows in one image; label 0 is before all code, label 1 after it. */
function everything(): Image {
  const code = new CodeBuffer();
  code.listing = [];
  const asm = new Arm64Assembler(code);
  const labels = [code.newLabel(), code.newLabel()];
  code.bind(labels[0]);
  const expected: string[] = [];
  for (let row = 0; row < ROW_NAMES.length; row++) {
    for (const operands of casesOf(row)) {
      emit(asm, row, operands);
      expected.push(textOf(DEFAULT_ROWS.specs[row], operands));
    }
  }
  code.bind(labels[1]);
  code.resolve();
  return {
    bytes: code.bytes.slice(0, code.size),
    text: code.listing
      .filter((line) => !line.startsWith(".L"))
      .map((line) => line.slice(line.indexOf("  ") + 2)),
    expected,
    labels: labels.map((label) => code.offsetOf(label)),
  };
}

// Capstone prints the alias that the manual prefers; the listing prints the row. Both are expanded
// to the base form, as the manual's page of the alias defines it.

type Expand = (operands: string[], bits: number, zr: string) => string[];
/** Returns immr of a field that moves to bit `l`. */
const rotation = (l: string, bits: number) => `${(bits - Number(l)) % bits}`;
// biome-ignore format: a table
const ALIASES: Readonly<Record<string, Expand>> = {
  cmp:   ([n, ...m], _, zr) => ["subs", zr, n, ...m],
  cmn:   ([n, ...m], _, zr) => ["adds", zr, n, ...m],
  tst:   ([n, ...m], _, zr) => ["ands", zr, n, ...m],
  neg:   ([d, ...m], _, zr) => ["sub", d, zr, ...m],
  negs:  ([d, ...m], _, zr) => ["subs", d, zr, ...m],
  mvn:   ([d, ...m], _, zr) => ["orn", d, zr, ...m],
  mul:   ([d, n, m], _, zr) => ["madd", d, n, m, zr],
  mneg:  ([d, n, m], _, zr) => ["msub", d, n, m, zr],
  ret:   ([n])              => ["ret", n ?? "x30"],
  cset:  ([d, c], _, zr)    => ["csinc", d, zr, zr, inverted(c)],
  csetm: ([d, c], _, zr)    => ["csinv", d, zr, zr, inverted(c)],
  cinc:  ([d, n, c])        => ["csinc", d, n, n, inverted(c)],
  cinv:  ([d, n, c])        => ["csinv", d, n, n, inverted(c)],
  cneg:  ([d, n, c])        => ["csneg", d, n, n, inverted(c)],
  uxtb:  ([d, n])           => ["ubfm", d, n, "0", "7"],
  uxth:  ([d, n])           => ["ubfm", d, n, "0", "15"],
  sxtb:  ([d, n], bits)     => ["sbfm", d, widened(n, bits), "0", "7"],
  sxth:  ([d, n], bits)     => ["sbfm", d, widened(n, bits), "0", "15"],
  sxtw:  ([d, n], bits)     => ["sbfm", d, widened(n, bits), "0", "31"],
  lsl:   ([d, n, s], bits)  => isNumber(s) ? ["ubfm", d, n, rotation(s, bits), `${bits - 1 - +s}`]
                             : ["lsl", d, n, s],
  lsr:   ([d, n, s], bits)  => isNumber(s) ? ["ubfm", d, n, s, `${bits - 1}`] : ["lsr", d, n, s],
  asr:   ([d, n, s], bits)  => isNumber(s) ? ["sbfm", d, n, s, `${bits - 1}`] : ["asr", d, n, s],
  ror:   ([d, n, s])        => isNumber(s) ? ["extr", d, n, n, s] : ["ror", d, n, s],
  ubfx:  ([d, n, l, w])       => ["ubfm", d, n, l, `${+l + +w - 1}`],
  sbfx:  ([d, n, l, w])       => ["sbfm", d, n, l, `${+l + +w - 1}`],
  bfxil: ([d, n, l, w])       => ["bfm", d, n, l, `${+l + +w - 1}`],
  ubfiz: ([d, n, l, w], bits) => ["ubfm", d, n, rotation(l, bits), `${+w - 1}`],
  sbfiz: ([d, n, l, w], bits) => ["sbfm", d, n, rotation(l, bits), `${+w - 1}`],
  bfc:   ([d, l, w], bits, zr)   => ["bfm", d, zr, rotation(l, bits), `${+w - 1}`],
  bfi:   ([d, n, l, w], bits) => ["bfm", d, n, rotation(l, bits), `${+w - 1}`],
  // A register moves by orr, to or from sp by add. For constants only the value is compared.
  mov:   ([d, m], bits, zr) => isNumber(m) ? ["mov", d, wrapped(BigInt(m), bits)]
                             : /sp/.test(d + m) ? ["add", d, m, "0"] : ["orr", d, zr, m],
  movz:  ([d, i, s = "0"], bits) => ["mov", d, wrapped(BigInt(i) << BigInt(s), bits)],
  movn:  ([d, i, s = "0"], bits) => ["mov", d, wrapped(~(BigInt(i) << BigInt(s)), bits)],
  orr:   ([d, n, i], bits, zr) => n === zr && isNumber(i) ? ["mov", d, wrapped(BigInt(i), bits)]
                                : ["orr", d, n, i],
};
const isNumber = (operand: string) => /^\d/.test(operand);
const wrapped = (value: bigint, bits: number) => `${BigInt.asUintN(bits, value)}`;
const widened = (name: string, bits: number) => (bits === 64 ? name.replace("w", "x") : name);
const inverted = (name: string) => {
  const names = Object.keys(Cond);
  return names[names.indexOf(name) ^ 1];
};

/** Returns the instruction without aliases, hexadecimal numbers and optional parts. */
function baseForm(text: string, labels: readonly number[]): string {
  const plain = text
    .replace(/\.L(\d+)/, (_, label: string) => `#${labels[Number(label)]}`)
    .replace(/#(-?)(\w+)/g, (_, sign: string, digits: string) =>
      wrapped(sign === "-" ? -BigInt(digits) : BigInt(digits), 64),
    )
    .replace(/, lsl 0$/, "")
    .replace(/(, [us]xtw) 0$/, "$1")
    .replace(/, 0\]/, "]")
    .replace(/^((add|sub) .*\bsp\b.*), uxtx$/, "$1"); // the extension is implied with sp
  const [, name, rest = ""] = /^(\S+)\s*(.*)$/.exec(plain) ?? [];
  const isMoveWide = name === "movz" || name === "movn";
  const operands = rest === "" ? [] : (isMoveWide ? rest.replace("lsl ", "") : rest).split(", ");
  const isWord = operands[0]?.startsWith("w") ?? false;
  const shifted = operands.length > 3 && name === "orr";
  const expand = shifted ? undefined : ALIASES[name];
  const base = expand?.(operands, isWord ? 32 : 64, isWord ? "wzr" : "xzr") ?? [name, ...operands];
  return base.join(" ");
}

test("capstone reads every row as listed", (t) => {
  const { bytes, text, expected, labels } = everything();
  t.deepEqual(text, expected);
  const differences: string[] = [];
  for (let at = 0; at < text.length; at++) {
    // Capstone 5 does not support udf; the assemblers check its row.
    if (text[at].startsWith("udf")) continue;
    const theirs = disassemble(bytes, at * 4);
    if (baseForm(theirs, labels) !== baseForm(text[at], labels)) {
      differences.push(`${text[at]}: capstone prints ${theirs}`);
    }
  }
  t.deepEqual(differences.slice(0, 20), []);
});

function disassemble(bytes: Uint8Array, offset: number): string {
  try {
    const [read] = disassembler.disasm(bytes.subarray(offset, offset + 4), { address: offset });
    return `${read.mnemonic} ${read.opStr}`;
  } catch (error) {
    return `nothing: ${error}`;
  }
}

/**
 * Returns the machine code of assembly source, by an assembler that writes a 64-bit little-endian
 * ELF file.
 */
function assemble(command: string, options: readonly string[], source: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "arm64-encodings-"));
  try {
    writeFileSync(join(folder, "in.s"), source);
    const files = ["-o", join(folder, "out.o"), join(folder, "in.s")];
    const run = spawnSync(command, [...options, ...files], { encoding: "utf8" });
    assert(run.status === 0, () => `${command}: ${run.stderr.slice(0, 2000)}`);
    return textSection(readFileSync(join(folder, "out.o")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the first section with program bits (type 1) that is executable (flag 4) and not empty.
 */
function textSection(elf: Buffer): Uint8Array {
  const headers = Number(elf.readBigUInt64LE(0x28));
  for (let section = 0; section < elf.readUInt16LE(0x3c); section++) {
    const at = headers + section * elf.readUInt16LE(0x3a);
    const size = Number(elf.readBigUInt64LE(at + 0x20));
    const isCode = elf.readUInt32LE(at + 4) === 1 && (elf.readUInt32LE(at + 8) & 4) !== 0;
    const offset = Number(elf.readBigUInt64LE(at + 0x18));
    if (isCode && size > 0) return elf.subarray(offset, offset + size);
  }
  throw new InternalError("no code in the object file");
}

const ASSEMBLERS = [
  { command: "aarch64-linux-gnu-as", options: ["-march=armv8-a"] },
  { command: "llvm-mc", options: ["-triple=aarch64", "-filetype=obj"] },
];
for (const { command, options } of ASSEMBLERS) {
  const isPresent = spawnSync(command, ["--version"]).status === 0;
  const testIfPresent = isPresent ? test : test.skip;
  testIfPresent(`${command} assembles the listing to the same bytes`, (t) => {
    const { bytes, text } = everything();
    const theirs = assemble(command, options, [".L0:", ...text, ".L1:", ""].join("\n"));
    t.is(theirs.length, bytes.length);
    const words = (code: Uint8Array) => new DataView(code.buffer, code.byteOffset, code.length);
    const differences = text.filter(
      (_, at) => words(theirs).getUint32(at * 4) !== words(bytes).getUint32(at * 4),
    );
    t.deepEqual(differences.slice(0, 20), []);
  });
}

test("an operand that does not fit is rejected, and nothing is written", (t) => {
  const code = new CodeBuffer();
  const asm = new Arm64Assembler(code);
  for (let row = 0; row < ROW_NAMES.length; row++) {
    const [plain] = casesOf(row);
    for (const letter of lettersOf(row)) {
      const isImmediate = letter === "i" || letter === "j";
      for (const value of valuesOf(row, letter).bad) {
        const message = `${ROW_NAMES[row]} with ${letter} = ${value}`;
        t.throws(
          () => emit(asm, row, { ...plain, [letter]: value }),
          { instanceOf: isImmediate ? CompileError : InternalError },
          message,
        );
        if (letter === "i") t.false(asm.fits(row, value), message);
      }
    }
  }
  t.throws(() => asm.dn(A64.addx, 0, 1), { instanceOf: InternalError });
  t.throws(() => asm.op(ROW_NAMES.length), { instanceOf: InternalError });
  t.is(code.size, 0);
});

/** Returns code of some words, with one branch and its label before or after them. */
function branching(
  write: (asm: Arm64Assembler, label: number) => void,
  words: number,
  isAhead: boolean,
  reach?: number,
): string[] {
  const code = new CodeBuffer();
  const asm = new Arm64Assembler(code);
  const label = code.newLabel();
  if (!isAhead) code.bind(label);
  for (let word = 0; word < words && !isAhead; word++) asm.op(A64.nop);
  const at = code.size;
  write(asm, label);
  for (let word = 1; word < words && isAhead; word++) asm.op(A64.nop);
  if (isAhead) code.bind(label);
  const long = code.resolve(reach);
  return [0, 4].slice(0, 1 + long).map((offset) => disassemble(code.bytes, at + offset));
}

const BRANCHES = [
  {
    write: (asm: Arm64Assembler, l: number) => asm.branchReg(A64.cbzx, 3, l),
    short: "cbz x3",
    long: "cbnz x3",
  },
  {
    write: (asm: Arm64Assembler, l: number) => asm.branchReg(A64.cbnzw, 30, l),
    short: "cbnz w30",
    long: "cbz w30",
  },
  {
    write: (asm: Arm64Assembler, l: number) => asm.branchCond(A64.bcond, Cond.lt, l),
    short: "b.lt",
    long: "b.ge",
  },
  {
    write: (asm: Arm64Assembler, l: number) => asm.branchCond(A64.bcond, Cond.vs, l),
    short: "b.vs",
    long: "b.vc",
  },
];
/** The reach of a short form, in words. */
const FAR = 2 ** 18;

test("branches reach a megabyte either way, and farther by a long form", (t) => {
  for (const { write, short, long } of BRANCHES) {
    const operand = short.includes(" ") ? `${short}, ` : `${short} `;
    const inverted = long.includes(" ") ? `${long}, ` : `${long} `;
    t.deepEqual(branching(write, FAR - 1, true), [`${operand}#0xffffc`]);
    t.deepEqual(branching(write, FAR, true), [`${inverted}#8`, "b #0x100004"]);
    t.deepEqual(branching(write, FAR, false), [`${operand}#0`]);
    t.deepEqual(branching(write, FAR + 1, false), [`${inverted}#0x10000c`, "b #0"]);
    t.deepEqual(branching(write, 5, true, 16), [`${inverted}#8`, "b #0x18"]);
    t.deepEqual(branching(write, 4, true, 20), [`${operand}#0x10`]);
  }
});

test("adr reaches any byte within a megabyte either way; farther it becomes adrp and add", (t) => {
  const adr = (asm: Arm64Assembler, label: number) => asm.branchReg(A64.adr, 3, label);
  t.deepEqual(branching(adr, FAR - 1, true), ["adr x3, #0xffffc"]);
  t.deepEqual(branching(adr, FAR, false), ["adr x3, #0"]);
  t.deepEqual(branching(adr, FAR, true), ["adrp x3, #0x100000", "add x3, x3, #4"]);
  t.deepEqual(branching(adr, FAR + 1027, false), ["adrp x3, #0", "add x3, x3, #0"]);
  t.deepEqual(branching(adr, 1030, true, 64), ["adrp x3, #0x1000", "add x3, x3, #0x1c"]);
  t.deepEqual(branching(adr, 2, true, 4), ["adrp x3, #0", "add x3, x3, #0xc"]);
});

test("a table holds distances from its start", (t) => {
  const code = new CodeBuffer();
  const targets = [code.newLabel(), code.newLabel()];
  code.bind(targets[0]);
  code.word(0);
  const label = code.newLabel();
  emitTables(code, [{ label, targets: [targets[1], targets[0], targets[1]] }]);
  code.bind(targets[1]);
  code.resolve();
  t.is(code.offsetOf(label), 4);
  t.deepEqual([...new Int32Array(code.bytes.buffer, 4, 3)], [12, -4, 12]);
});

test("a replaced row is written and listed; a row that cannot be written is rejected", (t) => {
  const code = new CodeBuffer();
  code.listing = [];
  const [bits] = ENCODINGS.subx;
  const asm = new Arm64Assembler(code, rowsWith({ addx: [bits, "add <Xd>, <Xn>, <Xm>"] }));
  asm.dnm(A64.addx, 1, 2, 3);
  t.is(disassemble(code.bytes, 0), "sub x1, x2, x3");
  t.deepEqual(code.listing, ["0000  add x1, x2, x3"]);
  t.is(asm.counts[A64.addx], 1);
  for (const spec of [
    [`${bits}0`, "add <Xd>, <Xn>, <Xm>"],
    [bits, "add <Xd>, <Xn>"],
    [bits, "add <Xd>, <Xm>, <Xn>"],
    [bits, "add <Xd>, <Xn>, <Xm>, <Xa>"],
    [bits.replace("mmmmm", "m0mmm"), "add <Xd>, <Xn>, <Xm>"],
    [bits.replace("mmmmm", "0mmmm"), "add <Xd>, <Xn>, <Xm>"],
  ] as const) {
    t.throws(() => rowsWith({ addx: spec }), { instanceOf: InternalError }, spec.join("  "));
  }
});

test("a listing numbers the bytes; a reset buffer lists nothing", (t) => {
  const code = new CodeBuffer();
  const asm = new Arm64Assembler(code);
  code.listing = [];
  asm.dani(A64.stpxPre, registers.FP, registers.LR, SP, -32);
  asm.branchCond(A64.bcond, Cond.hs, code.newLabel());
  t.deepEqual(code.listing, ["0000  stp x29, x30, [sp, #-32]!", "0004  b.hs .L0"]);
  code.reset();
  asm.op(A64.nop);
  t.is(asm.code.listing, null);
  t.is(code.size, 4);
});

test("shiftLeft is lsl by every amount", (t) => {
  const code = new CodeBuffer();
  const asm = new Arm64Assembler(code);
  for (const { row, bits, name } of [
    { row: A64.ubfmw, bits: 32, name: "w" },
    { row: A64.ubfmx, bits: 64, name: "x" },
  ]) {
    for (let amount = 0; amount < bits; amount++) {
      const at = code.size;
      asm.shiftLeft(row, 1, 2, amount);
      const expected = baseForm(`lsl ${name}1, ${name}2, #${amount}`, []);
      t.is(baseForm(disassemble(code.bytes, at), []), expected);
    }
    t.throws(() => asm.shiftLeft(row, 1, 2, bits), { instanceOf: CompileError });
    t.throws(() => asm.shiftLeft(row, 1, 2, -1), { instanceOf: CompileError });
  }
});

const low = (value: bigint) => Number(BigInt.asIntN(32, value));
const high = (value: bigint) => Number(BigInt.asIntN(32, value >> 32n));

/** Returns all bitmask patterns, from their description: a run of ones, rotated, repeated. */
function allPatterns(is64: boolean): Set<bigint> {
  const patterns = new Set<bigint>();
  for (let size = 2; size <= (is64 ? 64 : 32); size *= 2) {
    for (let ones = 1; ones < size; ones++) {
      for (let start = 0; start < size; start++) {
        const element = Array.from({ length: size }, (_, i) =>
          (i + start) % size < ones ? "1" : "0",
        );
        patterns.add(BigInt(`0b${element.join("").repeat((is64 ? 64 : 32) / size)}`));
      }
    }
  }
  return patterns;
}

/** Yields values near patterns and far from them, the same on every run. */
function* someValues(is64: boolean): Generator<bigint> {
  const bits = is64 ? 64 : 32;
  let state = 0x9e3779b97f4a7c15n;
  for (const pattern of allPatterns(is64)) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    yield BigInt.asUintN(bits, state >> (64n - BigInt(bits)));
    yield pattern ^ (1n << ((state >> 58n) % BigInt(bits))); // one bit off
  }
}

for (const { is64, count } of [
  { is64: true, count: 5334 },
  { is64: false, count: 1302 },
]) {
  const bits = is64 ? 64 : 32;

  test(`bitmask immediates of ${bits} bits are exactly the ${count} patterns`, (t) => {
    const patterns = allPatterns(is64);
    t.is(patterns.size, count);
    const decoded = new Set<bigint>();
    for (let field = 0; field < (is64 ? 8192 : 4096); field++) {
      if (isBitmaskField(field)) decoded.add(bitmaskPattern(field, is64));
    }
    t.is(decoded.size, count);
    for (const pattern of patterns) {
      const field = bitmaskImmediate(low(pattern), high(pattern), is64);
      if (field < 0 || !isBitmaskField(field) || bitmaskPattern(field, is64) !== pattern) {
        t.fail(`${pattern.toString(16)} is encoded as ${field}`);
      }
    }
    for (const value of [...someValues(is64), 0n, 2n ** BigInt(bits) - 1n]) {
      const field = bitmaskImmediate(low(value), high(value), is64);
      if (field >= 0 !== patterns.has(value))
        t.fail(`${value.toString(16)} is encoded as ${field}`);
    }
  });

  test(`constants of ${bits} bits are made in the fewest steps`, (t) => {
    const interesting = [0n, 1n, 0xffffn, 0x10000n, 0xffff0000n, 0xffffffffn, 0x80000000n]
      .flatMap((x) => [x, ~x, x << 32n, ~(x << 32n), x | (x << 32n), x + (0x1234n << 48n)])
      .map((x) => BigInt.asUintN(bits, x));
    const code = new CodeBuffer();
    const asm = new Arm64Assembler(code);
    const patterns = allPatterns(is64);
    for (const value of [...interesting, ...someValues(is64), ...patterns]) {
      code.reset();
      code.listing = [];
      asm.constant(5, low(value), high(value), is64);
      const made = valueOfMoves(code.listing);
      if (made !== value) t.fail(`${value.toString(16)}: ${code.listing.join("; ")}`);
      const wide = is64 && value >> 32n !== 0n;
      if (patterns.has(value)) t.true(code.listing.length === 1);
      else t.true(code.listing.length <= fewestMoves(value, wide ? 4 : 2));
    }
  });
}

/** Returns the value of w5 or x5 after the moves of a listing. */
function valueOfMoves(listing: readonly string[]): bigint {
  let value = 0n;
  for (const line of listing) {
    const move = /^\S+ {2}(mov[znk]|orr) ([wx])5, (?:[wx]zr, )?#(\w+)(?:, lsl #(\d+))?$/.exec(line);
    assert(move !== null, () => `not a move: ${line}`);
    const [, name, view, digits, shift = "0"] = move;
    const bits = view === "w" ? 32 : 64;
    const part = BigInt(digits) << BigInt(shift);
    if (name === "movk") value = (value & ~(0xffffn << BigInt(shift))) | part;
    else value = name === "movn" ? ~part : part;
    value = BigInt.asUintN(bits, value);
  }
  return value;
}

/** Returns the number of halves that neither movz nor movn sets, but at least one. */
function fewestMoves(value: bigint, halves: number): number {
  const count = (skipped: bigint) =>
    Array.from({ length: halves }, (_, i) => (value >> BigInt(16 * i)) & 0xffffn).filter(
      (half) => half !== skipped,
    ).length;
  return Math.max(1, Math.min(count(0n), count(0xffffn)));
}

test("materialize counts its steps and starts with movn where that is shorter", (t) => {
  const steps = new Int32Array(4);
  t.is(materialize(-2, -1, true, steps), 1);
  t.is(steps[0], (MOVN << 18) | 1);
  t.is(materialize(0x12345678, 0x0abcdef0, true, steps), 4);
  t.is(materialize(-2, 0, true, steps), 1); // movn to a W register
});

test("isImm12 and isShiftedImm12 agree with the rows", (t) => {
  const asm = new Arm64Assembler(new CodeBuffer());
  for (const value of [
    -1,
    0,
    1,
    4095,
    4096,
    4097,
    8192,
    0xffe000,
    0xfff000,
    0xfff001,
    0x1000000,
    2 ** 31,
  ]) {
    t.is(isImm12(value), asm.fits(A64.addxi, value), `${value}`);
    t.is(isShiftedImm12(value), asm.fits(A64.addxi12, value), `${value}`);
  }
});

test("every register has one use", (t) => {
  const { ALLOCATABLE_GENERAL, ALLOCATABLE_VECTOR } = registers;
  const others = [
    registers.SCRATCH_GENERAL,
    registers.SCRATCH_GENERAL_2,
    registers.PLATFORM,
    registers.FP,
    registers.LR,
  ];
  const sorted = (list: readonly number[]) => [...list].sort((x, y) => x - y);
  t.deepEqual(
    sorted([...ALLOCATABLE_GENERAL, ...others]),
    Array.from({ length: 31 }, (_, i) => i),
  );
  t.deepEqual(
    sorted([...ALLOCATABLE_VECTOR, registers.SCRATCH_VECTOR]),
    Array.from({ length: 32 }, (_, i) => i),
  );
  for (const saved of registers.CALLEE_SAVED_GENERAL) t.true(ALLOCATABLE_GENERAL.includes(saved));
  for (const saved of registers.CALLEE_SAVED_VECTOR) t.true(ALLOCATABLE_VECTOR.includes(saved));
  t.deepEqual(
    ["W", "X"].flatMap((view) =>
      [0, 30, ZR, SP].map((register) => registers.registerName(view, register)),
    ),
    ["w0", "w30", "wzr", "wsp", "x0", "x30", "xzr", "sp"],
  );
});
