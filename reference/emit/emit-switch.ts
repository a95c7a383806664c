// Emits a Switch. In LIR it is one terminator with all its cases, so their edges are ordinary edges
// of a block. The code depends on the sorted keys:
//
//   a few     compared one by one
//   dense     a table of distances, indexed by operand minus least key
//   others    binary search: less than the middle key or not, and so on
//
// Every comparison is signed and of the operand's own width. Only the index of a table is compared
// unsigned, so that an operand below the least key is out of range, too.

import { type CodeBuffer, labelText, offsetText } from "./code-buffer.js";
import type { EmitContext, JumpTable } from "./emit-context.js";
import { RelocationKind } from "./relocations.js";

/** A key as low and high word; the key of an Int32 is sign-extended. */
export interface SwitchKey {
  readonly lo: number;
  readonly hi: number;
}

/** The comparisons that a target writes for the operand of the Switch. */
interface SwitchWriter {
  /** @param isCompared whether the last comparison was with this key, so none is needed */
  goIfEqual(key: SwitchKey, label: number, isCompared: boolean): void;
  /** Compares signed. */
  goIfLess(key: SwitchKey, label: number): void;
  go(label: number): void;
  /**
   * Jumps to the target of entry `operand - least` of the table if that index is below `count`,
   * unsigned; otherwise to `otherwise`.
   */
  goByTable(least: SwitchKey, count: number, table: number, otherwise: number): void;
}

interface KeyTarget extends SwitchKey {
  readonly label: number;
}

const CHAIN_MAX = 3;
/** The maximum number of table entries for each key. */
const TABLE_SPARSENESS = 10;
const TWO_TO_32 = 2 ** 32;

/** Writes the Switch that ends the current block. */
export function emitSwitch(
  context: EmitContext,
  instruction: number,
  isWide: boolean,
  writer: SwitchWriter,
): void {
  const { lir, blockLabels } = context;
  const { lo, hi, count } = lir.switches[lir.immLo[instruction]];
  const cases: KeyTarget[] = [];
  for (let k = 0; k < count; k++) {
    const label = blockLabels[context.successor(k)];
    cases.push({ lo: lo[k], hi: isWide ? hi[k] : lo[k] >> 31, label });
  }
  cases.sort((x, y) => x.hi - y.hi || (x.lo >>> 0) - (y.lo >>> 0));
  writeCases(context, cases, blockLabels[context.successor(count)], writer, false);
}

/** @param isFirstCompared whether the last comparison was with the first key */
function writeCases(
  context: EmitContext,
  cases: readonly KeyTarget[],
  otherwise: number,
  writer: SwitchWriter,
  isFirstCompared: boolean,
): void {
  const { code } = context;
  if (cases.length <= CHAIN_MAX) {
    cases.forEach(({ lo, hi, label }, k) => {
      writer.goIfEqual({ lo, hi }, label, isFirstCompared && k === 0);
    });
    writer.go(otherwise);
  } else if (spanOf(cases) <= TABLE_SPARSENESS * cases.length) {
    const label = code.newLabel();
    context.tables.push({ label, targets: tableOf(cases, otherwise) });
    writer.goByTable(cases[0], spanOf(cases), label, otherwise);
  } else {
    const middle = cases.length >> 1;
    const less = code.newLabel();
    writer.goIfLess(cases[middle], less);
    writeCases(context, cases.slice(middle), otherwise, writer, true);
    code.bind(less);
    writeCases(context, cases.slice(0, middle), otherwise, writer, false);
  }
}

/**
 * Returns the distance of the last key from the first, plus 1. The result is inexact only if it is
 * huge.
 */
function spanOf(cases: readonly KeyTarget[]): number {
  const [first, last] = [cases[0], cases[cases.length - 1]];
  return (last.hi - first.hi) * TWO_TO_32 + ((last.lo >>> 0) - (first.lo >>> 0)) + 1;
}

function tableOf(cases: readonly KeyTarget[], otherwise: number): number[] {
  const targets: number[] = new Array(spanOf(cases)).fill(otherwise);
  for (const { lo, label } of cases) targets[(lo - cases[0].lo) >>> 0] = label;
  return targets;
}

/**
 * Writes the tables of a procedure after its code: for each entry the distance from the first
 * entry.
 */
export function emitTables(code: CodeBuffer, tables: readonly JumpTable[]): void {
  for (const { label, targets } of tables) {
    code.bind(label);
    const start = code.size;
    for (const target of targets) {
      const offset = offsetText(code.size);
      code.listing?.push(`${offset}  .long ${labelText(target)} - ${labelText(label)}`);
      code.relocate(code.size, RelocationKind.Table32, target);
      code.word(code.size - start); // Table32 subtracts it again
    }
  }
}
