// Writes rows of the ARM64 table into a CodeBuffer.
//
// A method has the name of the form of the rows it takes: the operands of `dnma` are d, n, m, a in
// the order of the instruction's text. A row of another form, or a register that its field cannot
// name, is a bug of the compiler: InternalError. An immediate that does not fit exceeds a limit:
// CompileError.

import { InternalError } from "../../src/support/assert.js";
import { type CodeBuffer, offsetText } from "../emit/code-buffer.js";
import { CompileError } from "../emit/compile-error.js";
import type { RelocationKind } from "../emit/relocations.js";
import {
  A64,
  Cell,
  DEFAULT_ROWS,
  type EncodedOperands,
  type EncodingRow,
  type EncodingTable,
  FORM_NAMES,
  Form,
  ROW_CELLS,
  ROW_NAMES,
  textOf,
} from "./encodings.js";
import { bitmaskImmediate, isBitmaskField, MOVN, MOVZ, materialize } from "./immediates.js";
import { SP, ZR } from "./registers.js";

export class Arm64Assembler {
  /** Instructions written so far, by row: coverage of the table. */
  readonly counts = new Uint32Array(ROW_NAMES.length);

  private readonly cells: Int32Array;
  private readonly steps = new Int32Array(4);

  readonly code: CodeBuffer;
  readonly rows: EncodingTable;

  constructor(code: CodeBuffer, rows: EncodingTable = DEFAULT_ROWS) {
    this.code = code;
    this.rows = rows;
    this.cells = rows.cells;
  }

  op(row: EncodingRow): void {
    const at = this.begin(row, Form.op);
    if (this.code.listing !== null) this.list(row, {});
    this.code.word(this.cells[at + Cell.base]);
  }

  d(row: EncodingRow, d: number): void {
    const at = this.begin(row, Form.d);
    const word = this.cells[at + Cell.base] | this.register(at, Cell.d, d);
    if (this.code.listing !== null) this.list(row, { d });
    this.code.word(word);
  }

  n(row: EncodingRow, n: number): void {
    const at = this.begin(row, Form.n);
    const word = this.cells[at + Cell.base] | this.register(at, Cell.n, n);
    if (this.code.listing !== null) this.list(row, { n });
    this.code.word(word);
  }

  i(row: EncodingRow, i: number): void {
    const at = this.begin(row, Form.i);
    const word = this.cells[at + Cell.base] | this.immediate(at, i);
    if (this.code.listing !== null) this.list(row, { i });
    this.code.word(word);
  }

  dn(row: EncodingRow, d: number, n: number): void {
    const at = this.begin(row, Form.dn);
    const word =
      this.cells[at + Cell.base] | this.register(at, Cell.d, d) | this.register(at, Cell.n, n);
    if (this.code.listing !== null) this.list(row, { d, n });
    this.code.word(word);
  }

  dm(row: EncodingRow, d: number, m: number): void {
    const at = this.begin(row, Form.dm);
    const word =
      this.cells[at + Cell.base] | this.register(at, Cell.d, d) | this.register(at, Cell.m, m);
    if (this.code.listing !== null) this.list(row, { d, m });
    this.code.word(word);
  }

  nm(row: EncodingRow, n: number, m: number): void {
    const at = this.begin(row, Form.nm);
    const word =
      this.cells[at + Cell.base] | this.register(at, Cell.n, n) | this.register(at, Cell.m, m);
    if (this.code.listing !== null) this.list(row, { n, m });
    this.code.word(word);
  }

  ni(row: EncodingRow, n: number, i: number): void {
    const at = this.begin(row, Form.ni);
    const word = this.cells[at + Cell.base] | this.register(at, Cell.n, n) | this.immediate(at, i);
    if (this.code.listing !== null) this.list(row, { n, i });
    this.code.word(word);
  }

  dc(row: EncodingRow, d: number, c: number): void {
    const at = this.begin(row, Form.dc);
    const word = this.cells[at + Cell.base] | this.register(at, Cell.d, d) | this.condition(at, c);
    if (this.code.listing !== null) this.list(row, { d, c });
    this.code.word(word);
  }

  dnm(row: EncodingRow, d: number, n: number, m: number): void {
    const at = this.begin(row, Form.dnm);
    const word = this.dnmWord(at, d, n, m);
    if (this.code.listing !== null) this.list(row, { d, n, m });
    this.code.word(word);
  }

  dni(row: EncodingRow, d: number, n: number, i: number): void {
    const at = this.begin(row, Form.dni);
    const word =
      this.cells[at + Cell.base] |
      this.register(at, Cell.d, d) |
      this.register(at, Cell.n, n) |
      this.immediate(at, i);
    if (this.code.listing !== null) this.list(row, { d, n, i });
    this.code.word(word);
  }

  dij(row: EncodingRow, d: number, i: number, j: number): void {
    const at = this.begin(row, Form.dij);
    const word =
      this.cells[at + Cell.base] |
      this.register(at, Cell.d, d) |
      this.immediate(at, i) |
      this.secondImmediate(at, j);
    if (this.code.listing !== null) this.list(row, { d, i, j });
    this.code.word(word);
  }

  dnij(row: EncodingRow, d: number, n: number, i: number, j: number): void {
    const at = this.begin(row, Form.dnij);
    const word =
      this.cells[at + Cell.base] |
      this.register(at, Cell.d, d) |
      this.register(at, Cell.n, n) |
      this.immediate(at, i) |
      this.secondImmediate(at, j);
    if (this.code.listing !== null) this.list(row, { d, n, i, j });
    this.code.word(word);
  }

  dnma(row: EncodingRow, d: number, n: number, m: number, a: number): void {
    const at = this.begin(row, Form.dnma);
    const word = this.dnmWord(at, d, n, m) | this.register(at, Cell.a, a);
    if (this.code.listing !== null) this.list(row, { d, n, m, a });
    this.code.word(word);
  }

  dnmi(row: EncodingRow, d: number, n: number, m: number, i: number): void {
    const at = this.begin(row, Form.dnmi);
    const word = this.dnmWord(at, d, n, m) | this.immediate(at, i);
    if (this.code.listing !== null) this.list(row, { d, n, m, i });
    this.code.word(word);
  }

  dnmc(row: EncodingRow, d: number, n: number, m: number, c: number): void {
    const at = this.begin(row, Form.dnmc);
    const word = this.dnmWord(at, d, n, m) | this.condition(at, c);
    if (this.code.listing !== null) this.list(row, { d, n, m, c });
    this.code.word(word);
  }

  /**
   * Writes pairs. A load must not name one register twice, nor write back into one that it loads.
   */
  dani(row: EncodingRow, d: number, a: number, n: number, i: number): void {
    const at = this.begin(row, Form.dani);
    const word =
      this.cells[at + Cell.base] |
      this.register(at, Cell.d, d) |
      this.register(at, Cell.a, a) |
      this.register(at, Cell.n, n) |
      this.immediate(at, i);
    if (this.code.listing !== null) this.list(row, { d, a, n, i });
    this.code.word(word);
  }

  /** `b`, `bl`. */
  branch(row: EncodingRow, label: number): void {
    const at = this.begin(row, Form.l);
    if (this.code.listing !== null) this.list(row, { l: label });
    this.branchWord(at, this.cells[at + Cell.base], label);
  }

  /** Writes a conditional branch, `b.cond`. */
  branchCond(row: EncodingRow, c: number, label: number): void {
    const at = this.begin(row, Form.cl);
    const word = this.cells[at + Cell.base] | this.condition(at, c);
    if (this.code.listing !== null) this.list(row, { c, l: label });
    this.branchWord(at, word, label);
  }

  /** `cbz`, `cbnz`, `adr`. */
  branchReg(row: EncodingRow, d: number, label: number): void {
    const at = this.begin(row, Form.dl);
    const word = this.cells[at + Cell.base] | this.register(at, Cell.d, d);
    if (this.code.listing !== null) this.list(row, { d, l: label });
    this.branchWord(at, word, label);
  }

  /** Shift left by an immediate, with row `ubfmw` or `ubfmx`. */
  shiftLeft(row: EncodingRow, d: number, n: number, amount: number): void {
    const bitMax = this.cells[row * ROW_CELLS + Cell.jMax];
    if (!(amount >= 0 && amount <= bitMax))
      throw new CompileError(`the shift amount is ${amount}, expected at most ${bitMax}`);
    this.dnij(row, d, n, -amount & bitMax, bitMax - amount);
  }

  /**
   * Loads a constant with the fewest instructions, 1 to 4, and preserves the flags. The upper half
   * of the register is 0 if `is64` is false; `d` is neither ZR nor SP.
   */
  constant(d: number, lo: number, hi: number, is64: boolean): void {
    const isWide = is64 && hi !== 0;
    const { steps } = this;
    const count = materialize(lo, hi, is64, steps);
    if (count > 1) {
      const field = bitmaskImmediate(lo, hi, isWide);
      if (field >= 0) {
        this.dni(isWide ? A64.orrxi : A64.orrwi, d, ZR, field);
        return;
      }
    }
    for (let s = 0; s < count; s++) {
      const kind = steps[s] >> 18;
      const wide = kind === MOVZ ? A64.movzx : kind === MOVN ? A64.movnx : A64.movkx;
      const narrow = kind === MOVZ ? A64.movzw : kind === MOVN ? A64.movnw : A64.movkw;
      this.dij(isWide ? wide : narrow, d, steps[s] & 0xffff, ((steps[s] >> 16) & 3) << 4);
    }
  }

  /** Returns whether the row accepts this immediate, so that a caller can choose another row. */
  fits(row: EncodingRow, i: number): boolean {
    const { cells } = this;
    const at = row * ROW_CELLS;
    const scale = cells[at + Cell.iScale];
    const stored = i >> scale;
    return (
      stored << scale === i &&
      stored >= cells[at + Cell.iMin] &&
      stored <= cells[at + Cell.iMax] &&
      (cells[at + Cell.isBitmask] === 0 || isBitmaskField(stored))
    );
  }

  private begin(row: EncodingRow, form: number): number {
    const at = row * ROW_CELLS;
    if (this.cells[at + Cell.form] !== form)
      throw this.misuse(row, `is not of the form ${FORM_NAMES[form]}`);
    this.counts[row]++;
    return at;
  }

  private dnmWord(at: number, d: number, n: number, m: number): number {
    return (
      this.cells[at + Cell.base] |
      this.register(at, Cell.d, d) |
      this.register(at, Cell.n, n) |
      this.register(at, Cell.m, m)
    );
  }

  private register(at: number, cell: number, register: number): number {
    if (register >= 0 && register < 31) return register << this.cells[at + cell];
    return this.register31(at, cell, register);
  }

  /** ZR, v31 and SP are all encoded as 31; the row determines which one is meant. */
  private register31(at: number, cell: number, register: number): number {
    const isStack = ((this.cells[at + Cell.stack] >> cell) & 1) !== 0;
    if (register !== (isStack ? SP : 31)) {
      throw this.misuse(at / ROW_CELLS, `cannot name register ${register} there`);
    }
    return 31 << this.cells[at + cell];
  }

  private immediate(at: number, i: number): number {
    const { cells } = this;
    const row = at / ROW_CELLS;
    if (!this.fits(row, i)) {
      throw new CompileError(
        `${ROW_NAMES[row]}: the immediate ${i} does not fit ${this.rows.specs[row][1]}`,
      );
    }
    const mask = cells[at + Cell.iMax] - cells[at + Cell.iMin];
    return ((i >> cells[at + Cell.iScale]) & mask) << cells[at + Cell.i];
  }

  private secondImmediate(at: number, j: number): number {
    const { cells } = this;
    const scale = cells[at + Cell.jScale];
    const stored = j >> scale;
    if (stored << scale !== j || stored < 0 || stored > cells[at + Cell.jMax]) {
      const row = at / ROW_CELLS;
      throw new CompileError(
        `${ROW_NAMES[row]}: the second immediate ${j} does not fit ${this.rows.specs[row][1]}`,
      );
    }
    return stored << cells[at + Cell.j];
  }

  private condition(at: number, c: number): number {
    const { cells } = this;
    const flip = cells[at + Cell.flip];
    // `al` and `nv` mean the same, so the inverse of one is not an alias in the manual.
    if (!(c >= 0 && c <= (flip === 0 ? 15 : 13))) {
      throw this.misuse(at / ROW_CELLS, `cannot take condition ${c}`);
    }
    return (c ^ flip) << cells[at + Cell.c];
  }

  private branchWord(at: number, word: number, label: number): void {
    const kind = this.cells[at + Cell.relocation] as RelocationKind; // compileRow wrote it there
    this.code.relocate(this.code.size, kind, label);
    this.code.word(word);
  }

  private list(row: EncodingRow, operands: EncodedOperands): void {
    const offset = offsetText(this.code.size);
    this.code.listing?.push(`${offset}  ${textOf(this.rows.specs[row], operands)}`);
  }

  private misuse(row: EncodingRow, what: string): InternalError {
    return new InternalError(`row ${ROW_NAMES[row] ?? row} ${what}`);
  }
}
