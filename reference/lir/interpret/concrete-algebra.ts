// The operations of ../meanings on numbers: a value is computed from the state of the machine. Integers of 32 bits are
// numbers, those of 64 bits bigints, both signed. A float is read as a number, or as bits where only bits move. The
// bits of a NaN result are open.

import type { MeaningAlgebra, ScaledIndex } from "../meanings/algebra.js";
import type { ConcreteDomain, LirComputation } from "./concrete-domain.js";
import { CONVERSIONS, convertOrExit, SD, SS } from "./concrete-floats.js";
import { L, Q } from "./concrete-integers.js";
import type { LirMachine } from "./lir-machine.js";

const INDICES = {
  x: (m: LirMachine, k: number): bigint => m.wideOf(k),
  u: (m: LirMachine, k: number): bigint => BigInt(m.low(k) >>> 0),
  s: (m: LirMachine, k: number): bigint => BigInt(m.low(k)),
} as const;

function indexOf({ kind, scale }: ScaledIndex, k: number): LirComputation<bigint> {
  const read = INDICES[kind];
  const by = BigInt(scale);
  return (m) => read(m, k) << by;
}

const displacement: LirComputation<bigint> = (m) => (m.lo === 0 ? 0n : BigInt(m.lo));

export const CONCRETE: MeaningAlgebra<ConcreteDomain> = {
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
    if (base === "slot") {
      const start: LirComputation<bigint> = (m) => m.slotAddress(m.hi) + displacement(m);
      const at = index === null ? null : indexOf(index, k);
      return at === null ? start : (m) => start(m) + at(m);
    }
    if (index === null)
      return isDisplaced ? (m) => m.wideOf(k) + displacement(m) : (m) => m.wideOf(k);
    const at = indexOf(index, k + 1);
    return isDisplaced ? (m) => m.wideOf(k) + at(m) + displacement(m) : (m) => m.wideOf(k) + at(m);
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
