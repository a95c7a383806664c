// Defines the result of each kind of patchpoint; src/ir/patchpoints.ts declares its operands. Floats are passed as
// their bits, all integers as signed; an address in the frame is its distance from FramePointer.

import type { PATCHPOINT_ROWS, PatchpointKind, PatchpointName } from "../ir/patchpoints.js";
import type { OperandMemory, PatchpointMeaning } from "../ir/user-patchpoints.js";

interface OperandTypes {
  Int32: number;
  Int64: bigint;
  Float: number;
  Double: bigint;
  slot: bigint;
  frame: bigint;
}
/** The result of a kind without a result. */
type NoResult = undefined;
type OperandType<Text> = Text extends `${infer Type extends keyof OperandTypes} ${string}`
  ? OperandTypes[Type]
  : Text extends "Void"
    ? NoResult
    : never;
type OperandsOf<Takes extends readonly string[]> = { [I in keyof Takes]: OperandType<Takes[I]> };
type KindSpec<N extends PatchpointName> = (typeof PATCHPOINT_ROWS)[N];
/** The function of a kind; a guard that exits returns `null`. */
type KindMeaning<N extends PatchpointName> = (
  ...operands: [
    ...OperandsOf<KindSpec<N>["takes"]>,
    ...(KindSpec<N> extends { bytes: number } ? [window: OperandMemory] : []),
  ]
) => OperandType<KindSpec<N>["gives"]> | (KindSpec<N> extends { effect: "exit" } ? null : never);

const wrap = (x: bigint): bigint => BigInt.asIntN(64, x);
const unsigned = (x: number): bigint => BigInt(x >>> 0);
const lowWord = (x: bigint): number => Number(BigInt.asIntN(32, x));
const rotatedLeft = (x: number, count: number): number =>
  lowWord((unsigned(x) << BigInt(count)) | (unsigned(x) >> BigInt(32 - count)));

function exchanged(window: OperandMemory, value: bigint): bigint {
  const old = window.read();
  window.write(value);
  return old;
}

// biome-ignore format: a table
const PATCHPOINT_MEANINGS: { readonly [N in PatchpointName]: KindMeaning<N> } = {
  addPair:          (x, y) => (x + y) | 0,
  mixAnywhere:      (x, y, z) => wrap(x + unsigned(y)) ^ z,
  foldAnywhere:     (x, y, z) => ((lowWord(y) + z) | 0) ^ x,
  subtractNamed:    (x, y) => wrap(x - y),
  ownConvention:    (x, y, z, w) => wrap((wrap(x + BigInt(y)) ^ w) + BigInt(z)),
  rotateByConstant: (x, y) => rotatedLeft(x, y & 31) ^ y,
  fromConstant:     (x, y) => wrap(y - x),
  copiesApart:      (x, y, z) => (x + x + lowWord(y) - z) | 0,
  lateRegisters:    (x, y, z) => wrap(x + BigInt(z)) ^ unsigned(y),
  lateNamed:        (x, y, z) => wrap(x - y + unsigned(z)),
  fromStack:        (x, y, z) => wrap((x ^ unsigned(y)) + BigInt(z)),
  ontoStack:        (x, y) => x ^ BigInt(y),
  floatOntoStack:   (x, y) => (x + y) | 0,
  signFromNamed:    (x, y) => (x & 0x7fff_ffff) | (y & 0x8000_0000),
  fromNothing:      () => 0x1234_5678,
  heapFetch:        (_x, window) => window.read(),
  heapExchange:     (_x, y, window) => Number(exchanged(window, BigInt(y))),
  slotFetch:        (_x, window) => window.read(),
  slotExchange:     (_x, y, window) => exchanged(window, y),
  makeReference:    (x, y) => x ^ BigInt(y),
  frameDistance:    (x) => x,
  frameParity:      (x, y) => (Number(x & 15n) + y) | 0,
  heapAdd:          (_x, y, window) => window.write(window.read() + BigInt(y)),
  slotNegate:       (_x, window) => window.write(-window.read()),
  destroyOnly:      () => undefined,
  keepThrough:      () => undefined,
  negateBeside:     (_x, y) => -y | 0,
  exitIfOdd:        (x) => ((x & 1) === 0 ? undefined : null),
  addOrExit:        (x, y) => ((x >>> 0) + (y >>> 0) > 0xffff_ffff ? null : (x + y) | 0),
  exitIfNegative:   (x, y, z) => (y < 0n ? null : wrap((x ^ y) + z)),
  addPassed:        (x, y, z) => ((z & 0x8000_0000) === 0 ? wrap(x + BigInt(y)) : null),
  returnSum:        (x, y) => (x + y) | 0,
  returnMixed:      (x, y, z) => wrap((x ^ y) + z),
};

/** Returns the function of a kind. The types of both tables guarantee that it takes the operands of its row. */
export const meaningOf = ({ name, user }: PatchpointKind): PatchpointMeaning =>
  user === null ? (PATCHPOINT_MEANINGS[name] as PatchpointMeaning) : user.meaning;
