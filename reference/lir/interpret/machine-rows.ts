// The LIR interpreter's table of meanings: the rows of ../meanings, computed with numbers, and the rows whose effect
// depends on other procedures, on a calling convention or on the frame.

import type { FaultKind } from "../../../src/ir/outcome.js";
import { assert } from "../../../src/support/assert.js";
import type { PatchpointRegisters } from "../../target/patchpoint-rows.js";
import type { MeaningAlgebra, RowMeaning } from "../meanings/algebra.js";
import { CONCRETE } from "./concrete-algebra.js";
import type { ConcreteDomain } from "./concrete-domain.js";
import type { InstructionMeaning, LirMachine } from "./lir-machine.js";
import { patchpointMeanings } from "./patchpoint-meanings.js";

type NamedMeaning = readonly [name: string, meaning: InstructionMeaning];

const ARGUMENTS: readonly NamedMeaning[] = [
  ["storeArgument.l", (m) => m.writeWord(m.argumentAddress(m.lo), m.low(0))],
  ["storeArgument.q", (m) => m.writeWide(m.argumentAddress(m.lo), m.wideOf(0))],
  ["storeArgument.ss", (m) => m.writeWord(m.argumentAddress(m.lo), m.low(0))],
  ["storeArgument.sd", (m) => m.writeWide(m.argumentAddress(m.lo), m.wideOf(0))],
];

function goByKey(m: LirMachine, isEqual: (lo: number, hi: number) => boolean): void {
  const { lo, hi, count } = m.procedure.lir.switches[m.lo];
  let k = 0;
  while (k < count && !isEqual(lo[k], hi[k])) k++;
  m.goTo(k);
}

const CONTROL: readonly NamedMeaning[] = [
  ["entry", (m) => m.takeParameters()],
  ["switchl", (m) => goByKey(m, (lo) => lo === m.low(0))],
  ["switchq", (m) => goByKey(m, (lo, hi) => lo === m.low(0) && hi === m.high(0))],
  [
    "return",
    (m) => {
      m.passFixed();
      m.leave();
    },
  ],
  [
    "call",
    (m) => {
      m.passFixed();
      m.call(m.lo);
    },
  ],
  [
    "callIndirect",
    (m) => {
      m.passFixed();
      m.callAddress(m.wideOf(m.lo));
    },
  ],
  ["callHost", callHost],
  ["framePointer", (m) => m.setWideOf(0, m.frameAddress(0))],
  ["functionAddress", (m) => m.setWideOf(0, m.addressOfProcedure(m.lo))],
];

export function callHost(m: LirMachine): void {
  m.passFixed();
  m.hostCall(m.lo);
  m.takeFixed();
}

/**
 * Returns the meanings of all rows of a target.
 *
 * @param trap the fault of an Oops
 */
export const interpretedRows = (
  rowsOf: (algebra: MeaningAlgebra<ConcreteDomain>) => readonly RowMeaning<ConcreteDomain>[],
  trap: FaultKind,
  registers: PatchpointRegisters,
): NamedMeaning[] => [
  ...rowsOf(CONCRETE),
  ...ARGUMENTS,
  ...CONTROL,
  ["oops", (m) => m.fault(trap)],
  ...patchpointMeanings(registers),
];

/**
 * Returns the meanings by opcode of the rows. Throws if a row has no meaning, or a meaning no row.
 */
export function meaningsOf(
  rows: readonly { readonly name: string }[],
  table: ReadonlyMap<string, InstructionMeaning>,
): InstructionMeaning[] {
  const missing = rows.filter(({ name }) => !table.has(name));
  const names = new Set(rows.map(({ name }) => name));
  const idle = [...table.keys()].filter((name) => !names.has(name));
  assert(missing.length === 0 && idle.length === 0, () => {
    const text = (list: readonly string[]): string => list.join(", ") || "none";
    const without = text(missing.map(({ name }) => name));
    return `rows without a meaning: ${without}; meanings without a row: ${text(idle)}`;
  });
  return rows.map(({ name }) => table.get(name) ?? unknown);
}

const unknown: InstructionMeaning = () => {};
