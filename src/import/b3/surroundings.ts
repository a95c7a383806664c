// What the phases of one procedure share, so that what they make of it can be compared: registers become parameters,
// and addresses parts of the heap, in the same way for all of them.
//
//   0 .. MEMORY_BYTES  the memory of WebAssembly, from where WasmAddress counts
//   parts of PART_BYTES  whatever else loads and stores go to: objects of the engine, the frame of the caller. Each
//                      part is a whole address space, for accesses that may meet each other (effects.ts)
//
// What an input writes there first is among its arguments: the last ones, an address and a number for each such write.

import { Int32, Int64, type Type, typeNamed } from "../../ir/types.js";
import { ImportError } from "../import-error.js";
import { joined, type Range, rangeOf } from "./effects.js";
import { type B3Graph, type B3Value, errorAt } from "./graph.js";

/** Powers of two; accesses may reach a little beyond the second, up to where the next part begins. */
export const MEMORY_BYTES = 1 << 16;
export const PART_BYTES = 1 << 12;
export const PART_STRIDE = PART_BYTES + 64;
/** A front end has some 170 ranges. */
const PARTS_MAX = 1000;
const PAGE = 4096;
/** What an input may write to the heap before the procedure begins: the types, one write after the other. */
export const WRITTEN_FIRST: readonly Type[] = [
  ...Array.from({ length: 16 }, () => Int64),
  ...Array.from({ length: 8 }, () => Int32),
];
/** Addresses that are taken for those of the instance, the frame and the stack slots. */
export const INSTANCE_AT = MEMORY_BYTES + 64;
export const FRAME_AT = MEMORY_BYTES + 2048;
export const SLOTS_AT = MEMORY_BYTES + 3072;

/** The exit of an access that traps; checks have the numbers behind it. */
export const TRAP_EXIT = 0;

export interface Surroundings {
  /** The types of arguments, by the registers that hold them; sorted by these. */
  readonly registers: ReadonlyMap<string, Type>;
  /** The register that has the address of the memory; empty if nothing says. */
  readonly memoryRegister: string;
  /** Of the heap. Its last eight bytes are nothing: what an input does not use writes there. */
  readonly heapBytes: number;
  /** The part that an access goes to, from 0. */
  readonly partOf: (access: B3Value) => number;
  /** Numbers of what is written by hand, patchpoints and what checks do, by the addresses of its generators. */
  readonly generators: ReadonlyMap<string, number>;
  /** Generators of checks. A patchpoint with such a one is a check that always leaves. */
  readonly leaving: ReadonlySet<string>;
  /** Constants that B3 has put into memory: their bits, by address. */
  readonly pool: ReadonlyMap<bigint, bigint>;
}

/**
 * @param graphs of all phases, in order
 * @throws ImportError
 */
export function surroundingsOf(graphs: readonly B3Graph[]): Surroundings {
  const registers = new Map<string, Type>();
  const generators = new Map<string, number>();
  const leaving = new Set<string>();
  const constants = new Map<number, bigint>();
  const pool = new Map<bigint, bigint>();
  const ranges: Range[] = [];
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
    for (const value of values.values()) keepPooled(value, values, constants, pool);
    for (const value of values.values()) {
      if (isOther(value) && !isPooled(value, values, pool)) ranges.push(rangeOf(value));
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
    ...{ registers: sorted, memoryRegister, generators, leaving, pool },
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

/** A load or store that does not go to the memory of WebAssembly. */
const isOther = ({ opcode, flag }: B3Value): boolean =>
  /^(?:Load|Store)/.test(opcode) && !flag.startsWith("Traps");

const isPooled = (
  load: B3Value,
  values: ReadonlyMap<number, B3Value>,
  pool: ReadonlyMap<bigint, bigint>,
): boolean => {
  const address = pooledAddress(load, values);
  return address !== null && pool.has(address);
};

/** What writes the code of a patchpoint or a check: an address, which all copies of it share; empty of others. */
export const generatorOf = ({ attributes }: B3Value): string =>
  attributes.find((text) => text.startsWith("generator = ")) ?? "";

/**
 * A constant that has moved: the same value, in later phases `Identity` of a load from an address of B3's.
 * @param constants of earlier phases
 */
function keepPooled(
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

/** The address that a load names by itself; null if it is computed. */
export function pooledAddress(load: B3Value, values: ReadonlyMap<number, B3Value>): bigint | null {
  if (load.opcode !== "Load" || load.flag !== "") return null;
  const base = values.get(load.children[0]);
  const bits = base?.opcode === "Const64" ? bitsOf(base) : null;
  return bits === null ? null : bits + BigInt(offsetOf(load));
}

/** @throws ImportError if it is no number of 32 bits */
export function offsetOf({ attributes, line }: B3Value): number {
  const said = attributes.find((text) => text.startsWith("offset = "));
  const offset = said === undefined ? 0 : Number(said.slice("offset = ".length));
  if (offset !== (offset | 0)) throw errorAt(line, `'${said}' is no offset`);
  return offset;
}

/** Of a constant: `-3`, or `1.500000e+00(4609434218613702656)`; null of others. */
export function bitsOf({ opcode, attributes: [text = ""] }: B3Value): bigint | null {
  if (!opcode.startsWith("Const")) return null;
  const match = /^(-?\d{1,20})$/.exec(text) ?? /\((\d{1,20})\)$/.exec(text);
  return match === null ? null : BigInt(match[1]);
}
