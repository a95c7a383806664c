// Collects the context that all phases of one procedure share, so that their programs can be
// compared. The same registers become the same parameters, and the same addresses become the same
// parts of the heap.
//
//   0 .. MEMORY_BYTES  the memory of WebAssembly, which starts at the base of WasmAddress
//   parts of PART_BYTES  the targets of all other loads and stores: objects of the engine, the
// caller's frame.
//                      Each part is an address space for accesses that may alias (effects.ts)
//
// The last arguments of an input are initial writes to the heap: an address and a number for each
// write.

import { Int32, Int64, type Type, typeNamed } from "../../ir/types.js";
import { ImportError } from "../import-error.js";
import { type EffectRange, joined, rangeOf } from "./effects.js";
import { type B3Graph, type B3Value, errorAt } from "./graph.js";

/** Powers of two. Accesses may extend past PART_BYTES up to the start of the next part. */
export const MEMORY_BYTES = 1 << 16;
export const PART_BYTES = 1 << 12;
export const PART_STRIDE = PART_BYTES + 64;
/** The most parts; a front end uses about 170 ranges. */
const PARTS_MAX = 1000;
const PAGE = 4096;
/**
 * The types of the writes that an input may make to the heap before the procedure begins, in order.
 */
export const INITIAL_WRITES: readonly Type[] = [
  ...Array.from({ length: 16 }, () => Int64),
  ...Array.from({ length: 8 }, () => Int32),
];
/** Addresses that stand for the instance, the frame and the stack slots. */
export const INSTANCE_AT = MEMORY_BYTES + 64;
export const FRAME_AT = MEMORY_BYTES + 2048;
export const SLOTS_AT = MEMORY_BYTES + 3072;

/** The exit of an access that traps. The exits of checks have the numbers after it. */
export const TRAP_EXIT = 0;

export interface ImportEnvironment {
  /** The types of arguments by register, sorted by register. */
  readonly registers: ReadonlyMap<string, Type>;
  /** The register that contains the address of the memory; empty if no value names it. */
  readonly memoryRegister: string;
  /**
   * The size of the heap. Nothing reads its last eight bytes: they are the target of unused initial
   * writes.
   */
  readonly heapBytes: number;
  /** Returns the part of an access, from 0. */
  readonly partOf: (access: B3Value) => number;
  /** Numbers of patchpoints and checks by the addresses of their generators. */
  readonly generators: ReadonlyMap<string, number>;
  /** Generators of checks. A patchpoint with such a generator is a check that always exits. */
  readonly checkGenerators: ReadonlySet<string>;
  /** The bits of constants that B3 moved to memory, by address. */
  readonly pool: ReadonlyMap<bigint, bigint>;
}

/**
 * Collects the context of a procedure.
 * @param graphs the graphs of all phases, in order
 * @throws ImportError
 */
export function surroundingsOf(graphs: readonly B3Graph[]): ImportEnvironment {
  const registers = new Map<string, Type>();
  const generators = new Map<string, number>();
  const leaving = new Set<string>();
  const constants = new Map<number, bigint>();
  const pool = new Map<bigint, bigint>();
  const ranges: EffectRange[] = [];
  let memoryRegister = "";
  for (const { blocks } of graphs) {
    const values = new Map<number, B3Value>();
    for (const value of blocks.flatMap((block) => block.values)) {
      values.set(value.id, value);
      const [first = ""] = value.attributes;
      if (value.opcode === "ArgumentReg") registers.set(first, typeNamed(value.types[0]) ?? Int64);
      else if (value.opcode === "WasmAddress") memoryRegister = first;
      const generator = generatorOf(value);
      if (value.opcode.startsWith("Check")) leaving.add(generator);
      if (generator !== "" && !generators.has(generator))
        generators.set(generator, generators.size);
    }
    for (const value of values.values()) recordPooled(value, values, constants, pool);
    for (const value of values.values()) {
      if (isOutsideWasmMemory(value) && !isPooled(value, values, pool)) ranges.push(rangeOf(value));
      const bits = bitsOf(value);
      if (bits !== null) constants.set(value.id, bits);
    }
  }
  const sorted = new Map([...registers].sort(([x], [y]) => (x < y ? -1 : 1)));
  const parts = joined(ranges);
  const count = Math.max(parts.length, 1);
  if (count > PARTS_MAX) {
    throw new ImportError(`accesses to ${count} parts of memory, expected ${PARTS_MAX} at most`);
  }
  return {
    ...{ registers: sorted, memoryRegister, generators, checkGenerators: leaving, pool },
    heapBytes: Math.ceil((MEMORY_BYTES + count * PART_STRIDE) / PAGE) * PAGE + PAGE,
    partOf: (access) => {
      const { begin } = rangeOf(access);
      return Math.max(
        parts.findIndex((part) => begin >= part.begin && begin < part.end),
        0,
      );
    },
  };
}

/** Returns whether the value is a load or store outside of the WebAssembly memory. */
const isOutsideWasmMemory = ({ opcode, flag }: B3Value): boolean =>
  /^(?:Load|Store)/.test(opcode) && !flag.startsWith("Traps");

const isPooled = (
  load: B3Value,
  values: ReadonlyMap<number, B3Value>,
  pool: ReadonlyMap<bigint, bigint>,
): boolean => {
  const address = pooledAddress(load, values);
  return address !== null && pool.has(address);
};

/**
 * Returns the generator of a patchpoint or check: an address that all copies of the value share.
 * Returns an empty string for other values.
 */
export const generatorOf = ({ attributes }: B3Value): string =>
  attributes.find((text) => text.startsWith("generator = ")) ?? "";

/**
 * Records a constant that B3 moved to memory. In later phases the value is the `Identity` of a load
 * from an address.
 * @param constants constants of earlier phases
 */
function recordPooled(
  { opcode, id, children }: B3Value,
  values: ReadonlyMap<number, B3Value>,
  constants: ReadonlyMap<number, bigint>,
  pool: Map<bigint, bigint>,
): void {
  const bits = constants.get(id);
  const load = values.get(children[0]);
  if (opcode !== "Identity" || bits === undefined || load === undefined) return;
  const address = pooledAddress(load, values);
  if (address !== null && !pool.has(address)) pool.set(address, bits);
}

/** Returns the constant address of a load; null if the address is computed. */
export function pooledAddress(load: B3Value, values: ReadonlyMap<number, B3Value>): bigint | null {
  if (load.opcode !== "Load" || load.flag !== "") return null;
  const base = values.get(load.children[0]);
  const bits = base?.opcode === "Const64" ? bitsOf(base) : null;
  return bits === null ? null : bits + BigInt(offsetOf(load));
}

/** @throws ImportError if the offset is not a 32-bit number */
export function offsetOf({ attributes, line }: B3Value): number {
  const said = attributes.find((text) => text.startsWith("offset = "));
  const offset = said === undefined ? 0 : Number(said.slice("offset = ".length));
  if (offset !== (offset | 0)) throw errorAt(line, `'${said}' is not an offset`);
  return offset;
}

/**
 * Returns the bits of a constant, `-3` or `1.500000e+00(4609434218613702656)`; null for other
 * values.
 */
export function bitsOf({ opcode, attributes: [text = ""] }: B3Value): bigint | null {
  if (!opcode.startsWith("Const")) return null;
  const match = /^(-?\d{1,20})$/.exec(text) ?? /\((\d{1,20})\)$/.exec(text);
  return match === null ? null : BigInt(match[1]);
}
