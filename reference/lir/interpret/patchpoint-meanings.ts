// The semantics of each kind of patchpoint as a LIR instruction, alike for every target. Floats are
// represented by their bits. Every location that a kind may destroy holds junk afterwards.

import {
  PATCHPOINTS,
  type PatchpointKind,
  type PatchpointName,
} from "../../../src/ir/patchpoints.js";
import { isFloating, isWide, Void } from "../../../src/ir/types.js";
import type { OperandMemory, UserPatchpoint } from "../../../src/ir/user-patchpoints.js";
import { bitsOf } from "../../../src/ir/words.js";
import {
  outgoingOffset,
  type PatchpointRegisters,
  rowNameOf,
  shapeOf,
} from "../../target/patchpoint-rows.js";
import { OperandRole } from "../lir.js";
import type { InstructionMeaning, LirMachine } from "./lir-machine.js";

type NamedMeaning = readonly [name: string, meaning: InstructionMeaning];

/** An operand's bits, sign-extended; for an address in the frame, the address. */
type PatchpointOperandBits = readonly bigint[];
/** The result of a kind. Null: it exits. */
type PatchpointFunction = (x: PatchpointOperandBits, m: LirMachine) => bigint | null;

const low = (x: bigint): bigint => BigInt.asIntN(32, x);
const unsigned = (x: bigint): bigint => BigInt.asUintN(32, x);
const SIGN = 0x8000_0000n;

function exchangedWord(m: LirMachine, address: bigint, value: bigint): bigint {
  const old = m.readWord(address);
  m.writeWord(address, Number(low(value)));
  return BigInt(old);
}

function exchangedWide(m: LirMachine, address: bigint, value: bigint): bigint {
  const old = m.readWide(address);
  m.writeWide(address, value);
  return old;
}

// For a result of 32 bits only the low half counts; a kind without a result returns 0.
// biome-ignore format: a table
const FUNCTIONS: { readonly [N in PatchpointName]: PatchpointFunction } = {
  addPair:          ([x, y]) => x + y,
  mixAnywhere:      ([x, y, z]) => (x + unsigned(y)) ^ z,
  foldAnywhere:     ([x, y, z]) => low(y + z) ^ x,
  subtractNamed:    ([x, y]) => x - y,
  ownConvention:    ([x, y, z, w]) => ((x + y) ^ w) + z,
  rotateByConstant: ([x, y]) => ((unsigned(x) << (y & 31n)) | (unsigned(x) >> (32n - (y & 31n)))) ^ y,
  fromConstant:     ([x, y]) => y - x,
  copiesApart:      ([x, y, z]) => x + x + y - z,
  lateRegisters:    ([x, y, z]) => (x + z) ^ unsigned(y),
  lateNamed:        ([x, y, z]) => x - y + unsigned(z),
  fromStack:        ([x, y, z]) => (x ^ unsigned(y)) + z,
  signFromNamed:    ([x, y]) => (x & (SIGN - 1n)) | (y & SIGN),
  ontoStack:        ([x, y]) => x ^ y,
  floatOntoStack:   ([x, y]) => x + y,
  fromNothing:      () => 0x1234_5678n,
  heapFetch:        ([x], m) => m.readWide(x),
  heapExchange:     ([x, y], m) => exchangedWord(m, x, y),
  slotFetch:        ([x], m) => m.readWide(x),
  slotExchange:     ([x, y], m) => exchangedWide(m, x, y),
  makeReference:    ([x, y]) => x ^ y,
  frameDistance:    ([x], m) => x - m.frameAddress(0),
  frameParity:      ([x, y], m) => ((x - m.frameAddress(0)) & 15n) + y,
  heapAdd:          ([x, y], m) => { m.writeWord(x, (m.readWord(x) + Number(y)) | 0); return 0n; },
  slotNegate:       ([x], m) => { m.writeWide(x, BigInt.asIntN(64, -m.readWide(x))); return 0n; },
  destroyOnly:      () => 0n,
  keepThrough:      () => 0n,
  negateBeside:     ([, y]) => -y,
  exitIfOdd:        ([x]) => ((x & 1n) === 0n ? 0n : null),
  addOrExit:        ([x, y]) => (unsigned(x) + unsigned(y) >= 1n << 32n ? null : x + y),
  exitIfNegative:   ([x, y, z]) => (y < 0n ? null : (x ^ y) + z),
  addPassed:        ([x, y, z]) => (z < 0n ? null : x + y),
  returnSum:        ([x, y]) => x + y,
  returnMixed:      ([x, y, z]) => (x ^ y) + z,
};

export const patchpointMeanings = (registers: PatchpointRegisters): NamedMeaning[] =>
  PATCHPOINTS.map((kind) => [rowNameOf(kind), meaningOf(kind, registers)]);

function meaningOf(kind: PatchpointKind, registers: PatchpointRegisters): NamedMeaning[1] {
  const { operandOf } = shapeOf(kind, registers);
  const { parameters, result } = kind;
  const says = kind.user === null ? FUNCTIONS[kind.name] : userFunction(kind, kind.user);
  const read = (m: LirMachine, k: number): bigint => {
    const { type, place } = parameters[k];
    if (place === "constant") return constantOf(m, k);
    if (place === "argument") {
      const address = m.argumentAddress(outgoingOffset(kind, k));
      return isWide(type) ? m.readWide(address) : BigInt(m.readWord(address));
    }
    return isWide(type) ? m.wideOf(operandOf[k]) : BigInt(m.low(operandOf[k]));
  };
  const { integerResult, floatResult } = registers;
  const resultRegister = isFloating(result) ? floatResult : integerResult;
  return (m) => {
    const value = says(
      parameters.map((_, k) => read(m, k)),
      m,
    );
    const destroyFrom = (first: number): void => {
      for (let k = first; k < m.operandCount && m.roleOf(k) === OperandRole.Definition; k++)
        m.destroy(k);
    };
    if (value === null) {
      destroyFrom(0);
      m.exit();
      return;
    }
    const bits = BigInt.asIntN(64, value);
    const [lo, hi] = [Number(low(bits)), Number(bits >> 32n)];
    if (kind.effect === "terminal") {
      m.setRegister(resultRegister, lo, isWide(result) ? hi : 0);
      m.setRegister(registers.asked, 0, 0);
      m.leave();
      return;
    }
    if (isWide(result)) m.setWords(0, lo, hi);
    else if (result !== Void) m.setOnlyLow(0, lo);
    destroyFrom(result === Void ? 0 : 1);
  };
}

/** Returns the meaning of a user's kind: there is no second one. */
function userFunction(
  { parameters, bytes }: PatchpointKind,
  { meaning }: UserPatchpoint,
): PatchpointFunction {
  return (x, m) => {
    const operands = parameters.map(({ type, address }, k) => {
      const bits = address === "frame" ? x[k] - m.frameAddress(0) : x[k];
      return isWide(type) ? bits : Number(low(bits));
    });
    const window: OperandMemory = {
      read: () => (bytes === 8 ? m.readWide(x[0]) : BigInt(m.readWord(x[0]))),
      write: (value) => {
        if (bytes === 8) m.writeWide(x[0], BigInt.asIntN(64, value));
        else m.writeWord(x[0], Number(low(value)));
        return undefined;
      },
    };
    const result = bytes > 0 ? meaning(...operands, window) : meaning(...operands);
    return result === null ? null : BigInt(result ?? 0);
  };
}

function constantOf(m: LirMachine, k: number): bigint {
  const operand = m.procedure.lir.patchpoints[m.lo].rest?.[k];
  if (operand === undefined) return 0n;
  const { type, constantLow: lo, constantHigh: hi } = operand;
  return bitsOf(type, lo, hi);
}
