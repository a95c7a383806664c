// Executes loads and stores (Arm ARM, DDI 0487, C4.1.66) of general registers and of the low parts
// of vector registers, whose other bits a load clears. The address is the sum of n and the last
// operand.

import { setW, setX } from "./integer-steps.js";
import { Cell, type InstructionHandler, last, type SimulatedState } from "./simulated-state.js";

/** Finds the bytes of an access; returns false if there are none, and stops the run. */
const finds = (s: SimulatedState, at: number, size: number, isStore: boolean): boolean =>
  s.locate(s.cells[at + Cell.n], last(s, at), size, isStore);

export const ldrb: InstructionHandler = (s, at) => {
  if (finds(s, at, 1, false)) setW(s, at, s.view.getUint8(s.offset));
};
export const ldrh: InstructionHandler = (s, at) => {
  if (finds(s, at, 2, false)) setW(s, at, s.view.getUint16(s.offset, true));
};
export const ldrW: InstructionHandler = (s, at) => {
  if (finds(s, at, 4, false)) setW(s, at, s.view.getInt32(s.offset, true));
};
export const ldrX: InstructionHandler = (s, at) => {
  if (!finds(s, at, 8, false)) return;
  setX(s, at, s.view.getInt32(s.offset, true), s.view.getInt32(s.offset + 4, true));
};

export const ldrsbW: InstructionHandler = (s, at) => {
  if (finds(s, at, 1, false)) setW(s, at, s.view.getInt8(s.offset));
};
export const ldrshW: InstructionHandler = (s, at) => {
  if (finds(s, at, 2, false)) setW(s, at, s.view.getInt16(s.offset, true));
};

function setSigned(s: SimulatedState, at: number, low: number): void {
  setX(s, at, low, low >> 31);
}
export const ldrsbX: InstructionHandler = (s, at) => {
  if (finds(s, at, 1, false)) setSigned(s, at, s.view.getInt8(s.offset));
};
export const ldrshX: InstructionHandler = (s, at) => {
  if (finds(s, at, 2, false)) setSigned(s, at, s.view.getInt16(s.offset, true));
};
export const ldrsw: InstructionHandler = (s, at) => {
  if (finds(s, at, 4, false)) setSigned(s, at, s.view.getInt32(s.offset, true));
};

const stored = (s: SimulatedState, at: number): number => s.words[s.cells[at + Cell.d]];

export const strb: InstructionHandler = (s, at) => {
  if (finds(s, at, 1, true)) s.view.setInt8(s.offset, stored(s, at));
};
export const strh: InstructionHandler = (s, at) => {
  if (finds(s, at, 2, true)) s.view.setInt16(s.offset, stored(s, at), true);
};
/** Stores a general register or a vector register. */
export const strW: InstructionHandler = (s, at) => {
  if (finds(s, at, 4, true)) s.view.setInt32(s.offset, stored(s, at), true);
};
export const strX: InstructionHandler = (s, at) => {
  if (finds(s, at, 8, true)) storeDouble(s, s.cells[at + Cell.d], 0);
};

function storeDouble({ words, view, offset }: SimulatedState, word: number, by: number): void {
  view.setInt32(offset + by, words[word], true);
  view.setInt32(offset + by + 4, words[word + 1], true);
}

function loadDouble({ words, view, offset }: SimulatedState, word: number, by: number): void {
  words[word] = view.getInt32(offset + by, true);
  words[word + 1] = view.getInt32(offset + by + 4, true);
}

function clearUpper({ words }: SimulatedState, word: number): void {
  words[word + 2] = 0;
  words[word + 3] = 0;
}

export const ldrS: InstructionHandler = (s, at) => {
  if (!finds(s, at, 4, false)) return;
  const d = s.cells[at + Cell.d];
  s.words[d] = s.view.getInt32(s.offset, true);
  s.words[d + 1] = 0;
  clearUpper(s, d);
};
export const ldrD: InstructionHandler = (s, at) => {
  if (!finds(s, at, 8, false)) return;
  const d = s.cells[at + Cell.d];
  loadDouble(s, d, 0);
  clearUpper(s, d);
};

// Pairs of 8 bytes; the second register is in a. `number` is the immediate that changes the base; 0
// if the base does not change.

function changeBase(s: SimulatedState, at: number): void {
  const { words, cells } = s;
  const by = cells[at + Cell.number];
  if (by === 0) return;
  const base = cells[at + Cell.n];
  const low = (words[base] + words[by]) | 0;
  const carry = low >>> 0 < words[by] >>> 0 ? 1 : 0;
  words[base + 1] = words[base + 1] + words[by + 1] + carry;
  words[base] = low;
}

/** Stores a pair of general registers or of vector registers. */
export const stp: InstructionHandler = (s, at) => {
  if (!finds(s, at, 16, true)) return;
  storeDouble(s, s.cells[at + Cell.d], 0);
  storeDouble(s, s.cells[at + Cell.a], 8);
  changeBase(s, at);
};

export const ldpX: InstructionHandler = (s, at) => {
  if (!finds(s, at, 16, false)) return;
  loadDouble(s, s.cells[at + Cell.d], 0);
  loadDouble(s, s.cells[at + Cell.a], 8);
  changeBase(s, at);
};

export const ldpD: InstructionHandler = (s, at) => {
  if (!finds(s, at, 16, false)) return;
  for (const [cell, by] of PAIR) {
    const word = s.cells[at + cell];
    loadDouble(s, word, by);
    clearUpper(s, word);
  }
  changeBase(s, at);
};
const PAIR = [
  [Cell.d, 0],
  [Cell.a, 8],
] as const;

// Exclusive accesses (Arm ARM, DDI 0487, B2.9). There is one processor. So a store fails only
// without a preceding load of the same address, or after another store used it.

/**
 * Does what `finds` does, and stops the run if the address is not a multiple of the size. The
 * machine then faults in a form that is not simulated.
 */
function findsAligned(s: SimulatedState, at: number, size: number, isStore: boolean): boolean {
  if (!finds(s, at, size, isStore)) return false;
  return s.offset % size === 0 || s.stop();
}

const loadExclusive =
  (size: number, load: InstructionHandler): InstructionHandler =>
  (s, at) => {
    if (!findsAligned(s, at, size, false)) return;
    s.exclusiveView = s.view;
    s.exclusiveOffset = s.offset;
    load(s, at);
  };
/** Indexed by the logarithm of the size. */
export const LDAXR: readonly InstructionHandler[] = [
  loadExclusive(1, ldrb),
  loadExclusive(2, ldrh),
  loadExclusive(4, ldrW),
  loadExclusive(8, ldrX),
];

const storeExclusive =
  (size: number): InstructionHandler =>
  (s, at) => {
    if (s.exclusiveView === null) {
      setW(s, at, 1);
      return;
    }
    if (!findsAligned(s, at, size, true)) return;
    const { view, offset, words, cells } = s;
    const isOurs = s.exclusiveView === view && s.exclusiveOffset === offset;
    s.exclusiveView = null;
    const word = cells[at + Cell.a];
    if (isOurs && size === 1) view.setInt8(offset, words[word]);
    else if (isOurs && size === 2) view.setInt16(offset, words[word], true);
    else if (isOurs && size === 4) view.setInt32(offset, words[word], true);
    else if (isOurs) storeDouble(s, word, 0);
    setW(s, at, isOurs ? 0 : 1);
  };
export const STLXR: readonly InstructionHandler[] = [1, 2, 4, 8].map(storeExclusive);
