// A Switch as machine code. In LIR it is one terminator with all its cases, so their edges are edges
// of a block like any other; the code depends on the keys, sorted:
//
//   a few     compared one by one
//   dense     a table of distances, indexed by operand minus least key
//   others    halved: less than the middle key or not, and so on
//
// Every comparison is signed and of the operand's own width; only the index of a table is compared
// unsigned, so that what is below the least key is beyond the last one too.

import { type CodeBuffer, labelText, offsetText } from "./code-buffer.js";
import type { EmitContext, JumpTable } from "./emit-context.js";
import { Relocation } from "./relocations.js";

/** A key as low and high word; that of an Int32 is sign-extended. */
export interface Key {
  readonly lo: number;
  readonly hi: number;
}

/** How a target compares the operand at hand. */
interface SwitchWriter {
  goIfEqual(key: Key, label: number): void;
  /** Signed. */
  goIfLess(key: Key, label: number): void;
  go(label: number): void;
  /**
   * Goes where entry `operand - least` of the table says if that is below `count`, unsigned; else to
   * `otherwise`.
   */
  goByTable(least: Key, count: number, table: number, otherwise: number): void;
}

interface Case extends Key {
  readonly label: number;
}

const CHAIN_MAX = 3;
/** Entries of a table for each key, at most. */
const TABLE_SPARSENESS = 3;
const TWO_TO_32 = 2 ** 32;

/** Writes the Switch that ends the block at hand. */
export function emitSwitch(
  context: EmitContext,
  instruction: number,
  isWide: boolean,
  writer: SwitchWriter,
): void {
  const { lir, blockLabels } = context;
  const { lo, hi, count } = lir.switches[lir.immLo[instruction]];
  const cases: Case[] = [];
  for (let k = 0; k < count; k++) {
    const label = blockLabels[context.successor(k)];
    cases.push({ lo: lo[k], hi: isWide ? hi[k] : lo[k] >> 31, label });
  }
  cases.sort((x, y) => x.hi - y.hi || (x.lo >>> 0) - (y.lo >>> 0));
  writeCases(context, cases, blockLabels[context.successor(count)], writer);
}

function writeCases(
  context: EmitContext,
  cases: readonly Case[],
  otherwise: number,
  writer: SwitchWriter,
): void {
  const { code } = context;
  if (cases.length <= CHAIN_MAX) {
    for (const { lo, hi, label } of cases) writer.goIfEqual({ lo, hi }, label);
    writer.go(otherwise);
  } else if (spanOf(cases) <= TABLE_SPARSENESS * cases.length) {
    const label = code.newLabel();
    context.tables.push({ label, targets: tableOf(cases, otherwise) });
    writer.goByTable(cases[0], spanOf(cases), label, otherwise);
  } else {
    const middle = cases.length >> 1;
    const less = code.newLabel();
    writer.goIfLess(cases[middle], less);
    writeCases(context, cases.slice(middle), otherwise, writer);
    code.bind(less);
    writeCases(context, cases.slice(0, middle), otherwise, writer);
  }
}

/** Distance of the last key from the first, plus 1; where it is inexact it is huge. */
function spanOf(cases: readonly Case[]): number {
  const [first, last] = [cases[0], cases[cases.length - 1]];
  return (last.hi - first.hi) * TWO_TO_32 + ((last.lo >>> 0) - (first.lo >>> 0)) + 1;
}

function tableOf(cases: readonly Case[], otherwise: number): number[] {
  const targets: number[] = new Array(spanOf(cases)).fill(otherwise);
  for (const { lo, label } of cases) targets[(lo - cases[0].lo) >>> 0] = label;
  return targets;
}

/** Writes the tables of a procedure behind its code: for each entry the distance from the first. */
export function emitTables(code: CodeBuffer, tables: readonly JumpTable[]): void {
  for (const { label, targets } of tables) {
    code.bind(label);
    const start = code.size;
    for (const target of targets) {
      const offset = offsetText(code.size);
      code.listing?.push(`${offset}  .long ${labelText(target)} - ${labelText(label)}`);
      code.relocate(code.size, Relocation.Table32, target);
      code.word(code.size - start); // Table32 takes it for where the table begins
    }
  }
}
