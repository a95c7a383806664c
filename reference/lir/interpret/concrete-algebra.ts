// The operations of ../meanings on numbers: a value is computed from the state of the machine. Integers of 32 bits are
// numbers, those of 64 bits bigints, both signed. A float is read as a number, or as bits where only bits move. The
// bits of a NaN result are open.

import type { Algebra, Index } from "../meanings/algebra.js";
import type { Code, Concrete } from "./concrete-domain.js";
import { CONVERSIONS, convertOrExit, SD, SS } from "./concrete-floats.js";
import { L, Q } from "./concrete-integers.js";
import type { LirMachine } from "./lir-machine.js";

const INDICES = {
  x: (m: LirMachine, k: number): bigint => m.wideOf(k),
  u: (m: LirMachine, k: number): bigint => BigInt(m.low(k) >>> 0),
  s: (m: LirMachine, k: number): bigint => BigInt(m.low(k)),
} as const;

function indexOf({ kind, scale }: Index, k: number): Code<bigint> {
  const read = INDICES[kind];
  const by = BigInt(scale);
  return (m) => read(m, k) << by;
}

export const CONCRETE: Algebra<Concrete> = {
  l: L,
  q: Q,
  ss: SS,
  sd: SD,
  high: (k) => (m) => m.high(k),
  highImmediate: () => (m) => BigInt(m.hi),
  low: (x) => (m) => Number(BigInt.asIntN(32, x(m))),
  truth: (claim) => (m) => (claim(m) ? 1 : 0),
  index: indexOf,
  address({ base, index, isDisplaced }, k) {
    const start: Code<bigint> =
      base === "operand" ? (m) => m.wideOf(k) : (m) => m.slotAddress(m.hi);
    const at = index === null ? null : indexOf(index, base === "operand" ? k + 1 : k);
    if (at === null) return isDisplaced ? (m) => start(m) + BigInt(m.lo) : start;
    return isDisplaced ? (m) => start(m) + at(m) + BigInt(m.lo) : (m) => start(m) + at(m);
  },
  slotAddress: () => (m) => m.slotAddress(m.lo),
  convert: (conversion) => CONVERSIONS[conversion],
  convertOrExit,
  defineHalves: (low, high) => (m) => m.setWords(0, low(m), high(m)),
  copy: () => (m) => m.setWords(0, m.low(1), m.high(1)),
  exitIf: (claim) => (m) => {
    if (claim(m)) m.exit();
  },
  exit: () => (m) => m.exit(),
  branch: (claim) => (m) => m.goTo(claim(m) ? 0 : 1),
  jump: () => (m) => m.goTo(0),
  nothing: () => () => {},
};
