// Finds the forms of a target's rows that also compute an operand, by the suffixes of their names:
//
//   .slot           the same access within a stack slot
//   .constant       a store of a constant
//   .x0 to .x3      the last operand is base + index << shift, or, for an addition, shifted itself;
//   .u0, .s0 ...    the same with an index of 32 bits, zero-extended or sign-extended
//   .lsl .lsr .asr .ror  the last operand is shifted by an immediate
//   .not            the last operand is inverted
//   .mul            the last operand is a product
//   .slotx0 ...     the access at an index in a stack slot
//   .load           the last operand is read from memory; has the forms of an access itself
//   .pool           a constant is read from the pool after the code
//   .proved         a conversion of a number that is surely in range
//   .free           the result has a register of its own, while the plain row overwrites an operand;
//                   or the flags are unchanged, while another row of that operation sets them

import { Op } from "../../src/ir/opcodes.js";
import type { Value } from "../../src/ir/procedure.js";
import { Int32 } from "../../src/ir/types.js";
import type { LirRow } from "./target.js";

const NONE = -1;

/** The extension of an index; `None` if it has 64 bits. */
export const IndexExtension = { None: 0, Zero: 1, Sign: 2 } as const;
export type IndexExtension = (typeof IndexExtension)[keyof typeof IndexExtension];
/** The largest shift of an index. */
export const SHIFT_MAX = 3;
const INDEX_FORMS = ["x", "u", "s"].flatMap((kind) => [0, 1, 2, 3].map((shift) => kind + shift));
const SLOT_INDEX_FORMS = ["slotx0", "slotx1", "slotx2", "slotx3"];
/** Returns the number of a form among those with an index. */
export const indexForm = (extension: IndexExtension, shift: number): number =>
  4 * extension + shift;

/** Returns by suffix: for each row the row of the same name with that suffix, or NONE. */
function columnsOf(rows: readonly LirRow<unknown>[]): Map<string, Int32Array> {
  const byName = new Map(rows.map(({ name }, index) => [name, index]));
  const columns = new Map<string, Int32Array>();
  rows.forEach(({ name }, form) => {
    const end = name.lastIndexOf(".");
    const plain = byName.get(name.slice(0, Math.max(0, end)));
    if (plain === undefined) return;
    const suffix = name.slice(end + 1);
    let column = columns.get(suffix);
    if (column === undefined) {
      column = new Int32Array(rows.length).fill(NONE);
      columns.set(suffix, column);
    }
    column[plain] = form;
  });
  return columns;
}

const isAllOnes = (value: Value): boolean =>
  value.isConstant &&
  value.constantLow === -1 &&
  (value.type === Int32 || value.constantHigh === -1);

export class RowForms {
  readonly slot: Int32Array;
  readonly constant: Int32Array;
  readonly free: Int32Array;
  readonly pool: Int32Array;
  readonly proved: Int32Array;
  readonly load: Int32Array;
  private readonly index: readonly Int32Array[];
  private readonly lsl: Int32Array;
  private readonly lsr: Int32Array;
  private readonly asr: Int32Array;
  private readonly ror: Int32Array;
  private readonly not: Int32Array;
  private readonly slotIndex: readonly Int32Array[];
  private readonly product: Int32Array;
  /** By row: 1 if it has a form that computes an operand. */
  readonly foldsOperand: Uint8Array;
  private readonly rows: readonly LirRow<unknown>[];

  constructor(rows: readonly LirRow<unknown>[]) {
    const columns = columnsOf(rows);
    const without = new Int32Array(rows.length).fill(NONE);
    const withSuffix = (suffix: string) => columns.get(suffix) ?? without;
    this.rows = rows;
    this.slot = withSuffix("slot");
    this.constant = withSuffix("constant");
    this.free = withSuffix("free");
    this.pool = withSuffix("pool");
    this.proved = withSuffix("proved");
    this.load = withSuffix("load");
    this.index = INDEX_FORMS.map(withSuffix);
    this.lsl = withSuffix("lsl");
    this.lsr = withSuffix("lsr");
    this.asr = withSuffix("asr");
    this.ror = withSuffix("ror");
    this.not = withSuffix("not");
    this.slotIndex = SLOT_INDEX_FORMS.map(withSuffix);
    this.product = withSuffix("mul");
    const folding = [this.lsl, this.ror, this.not, this.product, this.load, ...this.index];
    this.foldsOperand = Uint8Array.from(rows, (_, row) =>
      folding.some((column) => column[row] !== NONE) ? 1 : 0,
    );
  }

  /** Returns the row with that index; -1 if there is none. */
  indexed(row: number, extension: IndexExtension, shift: number): number {
    return this.index[indexForm(extension, shift)][row];
  }

  /** Returns the row with an index of 64 bits in a stack slot; -1 if there is none. */
  slotIndexed(row: number, shift: number): number {
    return this.slotIndex[shift][row];
  }

  /** Returns a bit for each form with an index that an access has at that offset. */
  indexMask(row: number, offset: number): number {
    let mask = 0;
    for (let form = 0; form < this.index.length; form++) {
      const indexed = this.index[form][row];
      if (indexed === NONE) continue;
      if (this.rows[indexed].immediate?.fits(offset, offset >> 31)) mask |= 1 << form;
    }
    return mask;
  }

  /** Returns a bit for each form with a scaled or extended index that an addition has. */
  sumMask(row: number): number {
    let mask = 0;
    for (let shift = 0; shift <= SHIFT_MAX; shift++) {
      if (shift > 0 && this.fitting(this.lsl[row], shift) !== NONE)
        mask |= 1 << indexForm(IndexExtension.None, shift);
      for (const extension of [IndexExtension.Zero, IndexExtension.Sign]) {
        if (this.indexed(row, extension, shift) !== NONE) mask |= 1 << indexForm(extension, shift);
      }
    }
    return mask;
  }

  /**
   * Returns the row that has the operand's operands instead of the operand; -1 if there is none.
   */
  folding(row: number, operand: Value): number {
    const { b } = operand;
    switch (operand.opcode) {
      case Op.Load:
      case Op.LoadInvariant:
        return this.load[row];
      case Op.Mul:
        return this.product[row];
      case Op.Shl:
        return b?.isConstant ? this.fitting(this.lsl[row], b.constantLow) : NONE;
      case Op.ZShr:
        return b?.isConstant ? this.fitting(this.lsr[row], b.constantLow) : NONE;
      case Op.SShr:
        return b?.isConstant ? this.fitting(this.asr[row], b.constantLow) : NONE;
      case Op.RotR:
        return b?.isConstant ? this.fitting(this.ror[row], b.constantLow) : NONE;
      case Op.BitXor:
        return b !== null && isAllOnes(b) ? this.not[row] : NONE;
      case Op.ZExt32:
        return this.indexed(row, IndexExtension.Zero, 0);
      case Op.SExt32:
        return this.indexed(row, IndexExtension.Sign, 0);
    }
    return NONE;
  }

  private fitting(row: number, count: number): number {
    return row !== NONE && this.rows[row].immediate?.fits(count, 0) ? row : NONE;
  }
}
