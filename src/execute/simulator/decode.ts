// Decodes AArch64 instructions by the classes of the manual's encoding index (Arm ARM, DDI 0487,
// C4.1), independently of the compiler's own tables. Any other instruction is `unknown`, and ends
// the run as one that the simulator cannot make.

import * as float from "./float-steps.js";
import * as integer from "./integer-steps.js";
import * as memory from "./memory-steps.js";
import {
  CELLS,
  Cell,
  Change,
  type InstructionHandler,
  SINK,
  type SimulatedState,
  VECTORS,
  ZERO,
} from "./simulated-state.js";

/** Returns bits `high` to `low` of an instruction. */
const field = (word: number, high: number, low: number): number =>
  (word >>> low) & (2 ** (high - low + 1) - 1);
const signedField = (word: number, high: number, low: number): number =>
  (word << (31 - high)) >> (31 - high + low);

// Words of registers. Number 31 is xzr, for a read or for a write, or sp.
const read = (r: number): number => (r === 31 ? ZERO : 2 * r);
const written = (r: number): number => (r === 31 ? SINK : 2 * r);
const orStack = (r: number): number => 2 * r;
const vector = (r: number): number => VECTORS + 4 * r;

const UNKNOWN: InstructionHandler = integer.unknown;

/** Decodes an instruction when it is executed for the first time. */
export const decodeFirst: InstructionHandler = (s, at) => {
  const index = at / CELLS;
  s.cells.fill(0, at, at + CELLS);
  const step = decode(s, at, s.instruction(index), index);
  s.steps[index] = step;
  step(s, at);
};

function decode(s: SimulatedState, at: number, word: number, index: number): InstructionHandler {
  const { cells } = s;
  cells[at + Cell.d] = written(field(word, 4, 0));
  cells[at + Cell.n] = read(field(word, 9, 5));
  cells[at + Cell.m] = read(field(word, 20, 16));
  const group = field(word, 28, 25);
  if ((group & 0b1110) === 0b1000) return decodeImmediate(s, at, word, index);
  if ((group & 0b1110) === 0b1010) return decodeBranch(s, at, word, index);
  if ((group & 0b0101) === 0b0100) return decodeAccess(s, at, word, index);
  if ((group & 0b0111) === 0b0101) return decodeRegisters(s, at, word);
  if ((group & 0b0111) === 0b0111) return decodeFloat(s, at, word);
  return UNKNOWN;
}

/** Makes an immediate the last operand; returns false if there is no room for it. */
function setLast(s: SimulatedState, at: number, low: number, high: number): boolean {
  const word = s.immediate(low, high);
  s.cells[at + Cell.m] = word;
  return word >= 0;
}

// Data processing, immediate (C4.1.65).

function decodeImmediate(
  s: SimulatedState,
  at: number,
  word: number,
  index: number,
): InstructionHandler {
  switch (field(word, 25, 23)) {
    case 0b000:
    case 0b001:
      return decodeAddress(s, at, word, index);
    case 0b010: {
      const amount = field(word, 21, 10) << (field(word, 22, 22) * 12);
      if (!setLast(s, at, amount, 0)) return UNKNOWN;
      return decodeAddition(s, at, word, true);
    }
    case 0b100:
      return decodeLogicalImmediate(s, at, word);
    case 0b101:
      return decodeMoveWide(s, at, word);
    case 0b110:
      return decodeBitfield(s, at, word);
    case 0b111:
      return decodeExtract(s, at, word);
    default:
      return UNKNOWN;
  }
}

/** Decodes adr: the address of a byte near this instruction. */
function decodeAddress(
  s: SimulatedState,
  at: number,
  word: number,
  index: number,
): InstructionHandler {
  if (word < 0) return UNKNOWN; // adrp
  const offset = signedField(word, 23, 5) * 4 + field(word, 30, 29);
  const target = s.immediate(0, 0);
  if (target < 0) return UNKNOWN;
  s.setCodeAddress(target, 4 * index + offset);
  s.cells[at + Cell.m] = target;
  return integer.moveX;
}

const ADDITIONS: readonly InstructionHandler[] = [
  integer.addW,
  integer.addsW,
  integer.subW,
  integer.subsW,
  integer.addX,
  integer.addsX,
  integer.subX,
  integer.subsX,
];

/**
 * Selects by sf, op and S. With an immediate or an extended register, 31 is sp, except as the
 * destination of an instruction that sets flags.
 */
function decodeAddition(
  s: SimulatedState,
  at: number,
  word: number,
  isStack: boolean,
): InstructionHandler {
  const isSetting = field(word, 29, 29) === 1;
  if (isStack) {
    s.cells[at + Cell.n] = orStack(field(word, 9, 5));
    if (!isSetting) s.cells[at + Cell.d] = orStack(field(word, 4, 0));
  }
  return ADDITIONS[field(word, 31, 29)];
}

/** Returns the pattern of N:immr:imms (DecodeBitMasks); null if it is invalid. */
function pattern(word: number): bigint | null {
  const imms = field(word, 15, 10);
  const rotation = field(word, 21, 16);
  const sizeBits = (field(word, 22, 22) << 6) | (~imms & 0x3f);
  const length = 31 - Math.clz32(sizeBits);
  if (length < 1) return null;
  const size = 1 << length;
  const ones = (imms & (size - 1)) + 1;
  if (ones === size) return null;
  const element = (1n << BigInt(ones)) - 1n;
  const by = BigInt(rotation & (size - 1));
  const rotated = (element >> by) | (element << (BigInt(size) - by));
  const one = BigInt.asUintN(size, rotated);
  let whole = 0n;
  for (let place = 0; place < 64; place += size) whole |= one << BigInt(place);
  return whole;
}

const lowOf = (bits: bigint): number => Number(BigInt.asIntN(32, bits));
const highOf = (bits: bigint): number => Number(BigInt.asIntN(32, bits >> 32n));

function decodeLogicalImmediate(s: SimulatedState, at: number, word: number): InstructionHandler {
  const bits = pattern(word);
  const isX = word < 0;
  if (bits === null || (!isX && field(word, 22, 22) === 1)) return UNKNOWN;
  if (!setLast(s, at, lowOf(bits), highOf(bits))) return UNKNOWN;
  const opc = field(word, 30, 29);
  if (opc !== 3) s.cells[at + Cell.d] = orStack(field(word, 4, 0));
  return integer.LOGICAL[(isX ? 8 : 0) + 2 * opc];
}

function decodeMoveWide(s: SimulatedState, at: number, word: number): InstructionHandler {
  const isX = word < 0;
  const amount = 16 * field(word, 22, 21);
  const opc = field(word, 30, 29);
  if (opc === 1 || (!isX && amount >= 32)) return UNKNOWN;
  const half = field(word, 20, 5);
  if (opc === 3) {
    s.cells[at + Cell.number] = half;
    s.cells[at + Cell.amount] = amount;
    return isX ? integer.movkX : integer.movkW;
  }
  const placed = BigInt(half) << BigInt(amount);
  const bits = opc === 0 ? ~placed : placed;
  return setLast(s, at, lowOf(bits), isX ? highOf(bits) : 0) ? integer.moveX : UNKNOWN;
}

/** Decodes sbfm, bfm and ubfm, which move a field down to bit 0, or up from there. */
function decodeBitfield(s: SimulatedState, at: number, word: number): InstructionHandler {
  const isX = word < 0;
  const size = isX ? 64 : 32;
  const immr = field(word, 21, 16);
  const imms = field(word, 15, 10);
  if (immr >= size || imms >= size || field(word, 22, 22) !== (isX ? 1 : 0)) return UNKNOWN;
  const left = size - 1 - imms;
  s.cells[at + Cell.number] = left;
  s.cells[at + Cell.amount] = imms >= immr ? left + immr : immr - imms - 1;
  switch (field(word, 30, 29)) {
    case 0:
      return isX ? integer.sbfmX : integer.sbfmW;
    case 1: {
      const width = imms >= immr ? imms - immr + 1 : imms + 1;
      const mask = ((1n << BigInt(width)) - 1n) << BigInt(imms >= immr ? 0 : size - immr);
      if (!setLast(s, at, lowOf(mask), highOf(mask))) return UNKNOWN;
      return isX ? integer.bfmX : integer.bfmW;
    }
    case 2:
      return isX ? integer.ubfmX : integer.ubfmW;
    default:
      return UNKNOWN;
  }
}

function decodeExtract(s: SimulatedState, at: number, word: number): InstructionHandler {
  const isX = word < 0;
  const by = field(word, 15, 10);
  if (field(word, 30, 29) !== 0 || field(word, 21, 21) !== 0) return UNKNOWN;
  if (field(word, 22, 22) !== (isX ? 1 : 0) || (!isX && by >= 32)) return UNKNOWN;
  s.cells[at + Cell.amount] = by;
  return isX ? integer.extrX : integer.extrW;
}

// Branches and a few system instructions (C4.1.64).

function decodeBranch(
  s: SimulatedState,
  at: number,
  word: number,
  index: number,
): InstructionHandler {
  const { cells } = s;
  if (field(word, 30, 26) === 0b00101) {
    cells[at + Cell.d] = written(30);
    const step = word < 0 ? integer.branchAndLink : integer.branch;
    return to(s, at, index + signedField(word, 25, 0), step);
  }
  if (field(word, 30, 25) === 0b011010) {
    cells[at + Cell.n] = read(field(word, 4, 0));
    const isNot = field(word, 24, 24) === 1;
    const ofX = isNot ? integer.cbnzX : integer.cbzX;
    const ofW = isNot ? integer.cbnzW : integer.cbzW;
    return to(s, at, index + signedField(word, 23, 5), word < 0 ? ofX : ofW);
  }
  if (field(word, 31, 24) === 0b0101_0100 && field(word, 4, 4) === 0) {
    cells[at + Cell.amount] = field(word, 3, 0);
    return to(s, at, index + signedField(word, 23, 5), integer.branchIf);
  }
  if ((word & ~(31 << 5)) === (0xd61f_0000 | 0)) return integer.branchToRegister; // br
  if ((word & ~(31 << 5)) === (0xd65f_0000 | 0)) return integer.branchToRegister; // ret
  if ((word & ~(31 << 5)) === (0xd63f_0000 | 0)) {
    cells[at + Cell.d] = written(30);
    return setLast(s, at, 0, 0) ? integer.branchToRegisterAndLink : UNKNOWN;
  }
  if ((word & ~(15 << 8)) === (0xd503_30bf | 0)) return integer.nothing; // dmb
  return word === (0xd503_201f | 0) ? integer.nothing : UNKNOWN;
}

/** Sets the target of a branch; a target outside of the image is unknown. */
function to(
  s: SimulatedState,
  at: number,
  target: number,
  step: InstructionHandler,
): InstructionHandler {
  if (target < 0 || target >= s.instructionCount) return UNKNOWN;
  s.cells[at + Cell.number] = target;
  return step;
}

// Loads and stores (C4.1.66).

function decodeAccess(
  s: SimulatedState,
  at: number,
  word: number,
  index: number,
): InstructionHandler {
  const kind = field(word, 29, 27);
  if (kind === 0b011 && field(word, 25, 24) === 0) return decodeLiteral(s, at, word, index);
  s.cells[at + Cell.n] = orStack(field(word, 9, 5));
  if (kind === 0b101) return decodePair(s, at, word);
  if (kind === 0b001) return decodeExclusive(s, at, word);
  if (kind !== 0b111) return UNKNOWN;
  const step = ACCESSES[field(word, 26, 26)][field(word, 31, 30)][field(word, 23, 22)];
  if (step === undefined) return UNKNOWN;
  const isVector = field(word, 26, 26) === 1;
  const t = field(word, 4, 0);
  const isStore = field(word, 23, 22) === 0;
  s.cells[at + Cell.d] = isVector ? vector(t) : isStore ? read(t) : written(t);
  const size = field(word, 31, 30);
  if (field(word, 25, 24) === 1) {
    return setLast(s, at, field(word, 21, 10) << size, 0) ? step : UNKNOWN;
  }
  if (field(word, 25, 24) !== 0) return UNKNOWN;
  if (field(word, 21, 21) === 0) {
    const offset = signedField(word, 20, 12);
    if (field(word, 11, 10) !== 0) return UNKNOWN;
    return setLast(s, at, offset, offset >> 31) ? step : UNKNOWN;
  }
  if (field(word, 11, 10) !== 0b10) return UNKNOWN;
  return extended(s, at, field(word, 15, 13), field(word, 12, 12) * size) ? step : UNKNOWN;
}

/** Decodes ldaxr and stlxr. In a store, d is the status register and a is the stored register. */
function decodeExclusive(s: SimulatedState, at: number, word: number): InstructionHandler {
  const { cells } = s;
  const size = field(word, 31, 30);
  cells[at + Cell.m] = ZERO;
  if ((word & 0x3fff_fc00) === 0x085f_fc00) {
    cells[at + Cell.d] = written(field(word, 4, 0));
    return memory.LDAXR[size];
  }
  if ((word & 0x3fe0_fc00) !== 0x0800_fc00) return UNKNOWN;
  cells[at + Cell.d] = written(field(word, 20, 16));
  cells[at + Cell.a] = read(field(word, 4, 0));
  return memory.STLXR[size];
}

const { ldrb, ldrh, ldrW, ldrX, ldrS, ldrD, strb, strh, strW, strX } = memory;
const { ldrsbW, ldrsbX, ldrshW, ldrshX, ldrsw } = memory;
/** Indexed by V, size and opc. */
const ACCESSES: readonly (readonly (readonly (InstructionHandler | undefined)[])[])[] = [
  [
    [strb, ldrb, ldrsbX, ldrsbW],
    [strh, ldrh, ldrshX, ldrshW],
    [strW, ldrW, ldrsw],
    [strX, ldrX],
  ],
  [[], [], [strW, ldrS], [strX, ldrD]],
];

/**
 * Sets the extension of the last operand, by `option` of the class; returns false if it is unknown.
 */
function extended(s: SimulatedState, at: number, option: number, amount: number): boolean {
  const change = EXTENSIONS[option];
  if (change === undefined || amount > 4) return false;
  if (change === Change.lslX && amount === 0) return true;
  s.cells[at + Cell.change] = change;
  s.cells[at + Cell.amount] = amount;
  return true;
}
const EXTENSIONS: readonly (number | undefined)[] = [
  undefined,
  undefined,
  Change.uxtw,
  Change.lslX,
  undefined,
  undefined,
  Change.sxtw,
  Change.lslX,
];

function decodeLiteral(
  s: SimulatedState,
  at: number,
  word: number,
  index: number,
): InstructionHandler {
  const opc = field(word, 31, 30);
  if (opc > 1) return UNKNOWN;
  const constant = s.literal(4 * (index + signedField(word, 23, 5)), opc === 0 ? 4 : 8);
  if (constant < 0) return UNKNOWN;
  if (field(word, 26, 26) === 1) {
    s.cells[at + Cell.d] = vector(field(word, 4, 0));
    s.cells[at + Cell.n] = constant;
    return float.fmovD;
  }
  s.cells[at + Cell.m] = constant;
  return integer.moveX;
}

function decodePair(s: SimulatedState, at: number, word: number): InstructionHandler {
  const { cells } = s;
  const isVector = field(word, 26, 26) === 1;
  const isLoad = field(word, 22, 22) === 1;
  const mode = field(word, 24, 23); // 1: post-index, 2: an offset, 3: pre-index
  if (field(word, 31, 30) !== (isVector ? 1 : 2) || field(word, 25, 25) === 1) return UNKNOWN;
  if (mode === 0) return UNKNOWN;
  const offset = 8 * signedField(word, 21, 15);
  const immediate = s.immediate(offset, offset >> 31);
  if (immediate < 0) return UNKNOWN;
  const register = isVector ? vector : isLoad ? written : read;
  cells[at + Cell.d] = register(field(word, 4, 0));
  cells[at + Cell.a] = register(field(word, 14, 10));
  cells[at + Cell.m] = mode === 1 ? ZERO : immediate;
  cells[at + Cell.number] = mode === 2 ? 0 : immediate;
  if (!isLoad) return memory.stp;
  return isVector ? memory.ldpD : memory.ldpX;
}

// Data processing, register (C4.1.67).

function decodeRegisters(s: SimulatedState, at: number, word: number): InstructionHandler {
  if (field(word, 28, 28) === 0) {
    if (field(word, 24, 24) === 0) return decodeLogical(s, at, word);
    if (field(word, 21, 21) === 1) {
      if (field(word, 23, 22) !== 0) return UNKNOWN;
      const isKnown = extended(s, at, field(word, 15, 13), field(word, 12, 10));
      return isKnown ? decodeAddition(s, at, word, true) : UNKNOWN;
    }
    if (field(word, 23, 22) === 3 || !shifts(s, at, word)) return UNKNOWN;
    return decodeAddition(s, at, word, false);
  }
  if (field(word, 24, 24) === 1) return decodeProduct(s, at, word);
  switch (field(word, 24, 21)) {
    case 0b0100:
      return decodeSelect(s, at, word);
    case 0b0110:
      return field(word, 30, 30) === 1 ? decodeOfOne(word) : decodeOfTwo(word);
    default:
      return UNKNOWN;
  }
}

/** Sets the shift of the last operand; returns false if the amount is invalid for the width. */
function shifts(s: SimulatedState, at: number, word: number): boolean {
  const amount = field(word, 15, 10);
  const isX = word < 0;
  if (!isX && amount >= 32) return false;
  if (amount === 0) return true;
  s.cells[at + Cell.change] = (isX ? Change.lslX : Change.lslW) + field(word, 23, 22);
  s.cells[at + Cell.amount] = amount;
  return true;
}

function decodeLogical(s: SimulatedState, at: number, word: number): InstructionHandler {
  if (!shifts(s, at, word)) return UNKNOWN;
  return integer.LOGICAL[(word < 0 ? 8 : 0) + 2 * field(word, 30, 29) + field(word, 21, 21)];
}

function decodeProduct(s: SimulatedState, at: number, word: number): InstructionHandler {
  s.cells[at + Cell.a] = read(field(word, 14, 10));
  const isX = word < 0;
  if (field(word, 30, 29) !== 0) return UNKNOWN;
  const isSubtracted = field(word, 15, 15) === 1;
  switch (field(word, 23, 21)) {
    case 0b000:
      if (isSubtracted) return isX ? integer.msubX : integer.msubW;
      return isX ? integer.maddX : integer.maddW;
    case 0b001:
      return isX && !isSubtracted ? integer.smaddl : UNKNOWN;
    case 0b101:
      return isX && !isSubtracted ? integer.umaddl : UNKNOWN;
    case 0b010:
      return isX && !isSubtracted ? integer.smulh : UNKNOWN;
    case 0b110:
      return isX && !isSubtracted ? integer.umulh : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

const SELECTS: readonly InstructionHandler[] = [
  integer.cselW,
  integer.csincW,
  integer.csinvW,
  integer.csnegW,
  integer.cselX,
  integer.csincX,
  integer.csinvX,
  integer.csnegX,
];

function decodeSelect(s: SimulatedState, at: number, word: number): InstructionHandler {
  if (field(word, 29, 29) !== 0 || field(word, 11, 11) !== 0) return UNKNOWN;
  s.cells[at + Cell.number] = field(word, 15, 12);
  return SELECTS[4 * field(word, 31, 31) + 2 * field(word, 30, 30) + field(word, 10, 10)];
}

// biome-ignore format: a table
const OF_TWO: { readonly [opcode: number]: readonly [InstructionHandler, InstructionHandler] } = {
  2: [integer.udivW, integer.udivX], 3: [integer.sdivW, integer.sdivX],
  8: [integer.lslvW, integer.lslvX], 9: [integer.lsrvW, integer.lsrvX],
  10: [integer.asrvW, integer.asrvX], 11: [integer.rorvW, integer.rorvX],
};

function decodeOfTwo(word: number): InstructionHandler {
  if (field(word, 29, 29) !== 0) return UNKNOWN;
  return OF_TWO[field(word, 15, 10)]?.[field(word, 31, 31)] ?? UNKNOWN;
}

// biome-ignore format: a table
const OF_ONE: { readonly [opcode: number]: readonly [InstructionHandler, InstructionHandler] } = {
  0: [integer.rbitW, integer.rbitX], 4: [integer.clzW, integer.clzX],
  2: [integer.revW, UNKNOWN],        3: [UNKNOWN, integer.revX],
};

function decodeOfOne(word: number): InstructionHandler {
  if (field(word, 29, 29) !== 0 || field(word, 20, 16) !== 0) return UNKNOWN;
  return OF_ONE[field(word, 15, 10)]?.[field(word, 31, 31)] ?? UNKNOWN;
}

// Floating point and SIMD (C4.1.68).

function decodeFloat(s: SimulatedState, at: number, word: number): InstructionHandler {
  const { cells } = s;
  cells[at + Cell.d] = vector(field(word, 4, 0));
  cells[at + Cell.n] = vector(field(word, 9, 5));
  cells[at + Cell.m] = vector(field(word, 20, 16));
  const type = field(word, 23, 22);
  if (field(word, 30, 24) !== 0b001_1110 || field(word, 21, 21) === 0 || type > 1) {
    return decodeVector(word);
  }
  if (field(word, 15, 10) === 0) return decodeConversion(s, at, word);
  if (word < 0) return UNKNOWN;
  cells[at + Cell.number] = field(word, 15, 12);
  switch (field(word, 11, 10)) {
    case 0b10:
      return float.OF_TWO[type][field(word, 15, 12)] ?? UNKNOWN;
    case 0b11:
      return type === 0 ? float.fcselS : float.fcselD;
    case 0b00:
      if (field(word, 14, 10) === 0b10000)
        return FLOAT_OF_ONE[type][field(word, 20, 15)] ?? UNKNOWN;
      if (field(word, 15, 10) !== 0b001000 || field(word, 4, 0) !== 0) return UNKNOWN;
      return type === 0 ? float.fcmpS : float.fcmpD;
    default:
      return UNKNOWN;
  }
}

// biome-ignore format: a table
const FLOAT_OF_ONE: readonly { readonly [opcode: number]: InstructionHandler }[] = [
  {
    0: float.fmovS, 1: float.fabsS, 2: float.fnegS, 3: float.fsqrtS, 5: float.fcvtDS,
    8: float.ROUNDED_S[0], 9: float.ROUNDED_S[1], 10: float.ROUNDED_S[2], 11: float.ROUNDED_S[3],
  },
  {
    0: float.fmovD, 1: float.fabsD, 2: float.fnegD, 3: float.fsqrtD, 4: float.fcvtSD,
    8: float.ROUNDED_D[0], 9: float.ROUNDED_D[1], 10: float.ROUNDED_D[2], 11: float.ROUNDED_D[3],
  },
];

/**
 * Decodes a move or conversion between a vector and a general register, by type, and then by sf.
 */
function decodeConversion(s: SimulatedState, at: number, word: number): InstructionHandler {
  const type = field(word, 23, 22);
  const sf = field(word, 31, 31);
  const kind = field(word, 20, 16);
  if (kind === 0b00110 || kind >= 0b11000) s.cells[at + Cell.d] = written(field(word, 4, 0));
  else s.cells[at + Cell.n] = read(field(word, 9, 5));
  switch (kind) {
    case 0b00010:
      return SCVTF[type][sf];
    case 0b00011:
      return UCVTF[type][sf];
    case 0b00110:
      if (sf !== type) return UNKNOWN;
      return sf === 1 ? float.fmovToX : float.fmovToW;
    case 0b00111:
      if (sf !== type) return UNKNOWN;
      return sf === 1 ? float.fmovD : float.fmovS;
    case 0b11000:
      return float.TO_INTEGER[type][sf];
    case 0b11001:
      return float.TO_INTEGER[type][2 + sf];
    default:
      return UNKNOWN;
  }
}

const SCVTF = [
  [float.scvtfSW, float.scvtfSX],
  [float.scvtfDW, float.scvtfDX],
] as const;
const UCVTF = [
  [float.ucvtfSW, float.ucvtfSX],
  [float.ucvtfDW, float.ucvtfDX],
] as const;

/** The mask of the fixed bits, their values, and the instruction. */
const VECTOR_FORMS: readonly (readonly [mask: number, bits: number, step: InstructionHandler])[] = [
  [0xffff_fc00, 0x0e20_5800, float.cnt],
  [0xffff_fc00, 0x0e31_b800, float.addv],
  [0xffe0_fc00, 0x2e60_1c00, float.bsl],
  [0xffe0_fc00, 0x2ea0_1c00, float.bit],
  [0xffe0_fc00, 0x2ee0_1c00, float.bif],
  [0xffff_ffe0, 0x2f00_e400, float.clear],
];

function decodeVector(word: number): InstructionHandler {
  const form = VECTOR_FORMS.find(([mask, bits]) => (word & mask) === (bits | 0));
  return form === undefined ? UNKNOWN : form[2];
}
