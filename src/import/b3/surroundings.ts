// What the phases of one procedure share, so that what they make of it can be compared: registers become parameters,
// and addresses parts of the heap, in the same way for all of them.
//
//   0 .. MEMORY_BYTES  the memory of WebAssembly, from where WasmAddress counts
//   .. + OTHER_BYTES   whatever else loads and stores go to: the instance, tables, the frame of the caller
//
// What an input writes there first is among its arguments: the last ones, an address and a number for each such write.

import { Int32, Int64, type Type, typeNamed } from "../../ir/types.js";
import type { B3Graph, B3Value } from "./graph.js";

/** Powers of two; accesses may reach a little beyond the second. */
export const MEMORY_BYTES = 1 << 16;
export const OTHER_BYTES = 1 << 12;
/** The whole heap. Its last eight bytes are nothing: what an input does not use writes there. */
export const HEAP_BYTES = MEMORY_BYTES + OTHER_BYTES + 4096;
/** What an input may write to the heap before the procedure begins: the types, one write after the other. */
export const WRITTEN_FIRST: readonly Type[] = [
  ...Array.from({ length: 16 }, () => Int64),
  ...Array.from({ length: 8 }, () => Int32),
];
/** The instance, and the frame: where they begin. */
export const INSTANCE_AT = MEMORY_BYTES + 64;
export const FRAME_AT = MEMORY_BYTES + 2048;

/** The exit of an access that traps; checks have the numbers behind it. */
export const TRAP_EXIT = 0;

export interface Surroundings {
  /** The types of arguments, by the registers that hold them; sorted by these. */
  readonly registers: ReadonlyMap<string, Type>;
  /** The register that has the address of the memory; empty if nothing says. */
  readonly memoryRegister: string;
  /** Numbers of exits, by the checks' origins. */
  readonly exits: ReadonlyMap<string, number>;
  /** Numbers of what is written by hand, by the addresses of its generators. */
  readonly generators: ReadonlyMap<string, number>;
  /** Constants that B3 has put into memory: their bits, by address. */
  readonly pool: ReadonlyMap<bigint, bigint>;
}

/** @param graphs of all phases, in order */
export function surroundingsOf(graphs: readonly B3Graph[]): Surroundings {
  const registers = new Map<string, Type>();
  const exits = new Map<string, number>();
  const generators = new Map<string, number>();
  const constants = new Map<number, bigint>();
  const pool = new Map<bigint, bigint>();
  let memoryRegister = "";
  for (const { blocks } of graphs) {
    const values = new Map<number, B3Value>();
    for (const value of blocks.flatMap((block) => block.values)) {
      values.set(value.id, value);
      const [first = ""] = value.attributes;
      if (value.opcode === "ArgumentReg") registers.set(first, typeNamed(value.types[0]) ?? Int64);
      else if (value.opcode === "WasmAddress") memoryRegister = first;
      else if (value.opcode === "Check") number(exits, value.origin);
      else if (value.opcode === "Patchpoint") number(generators, generatorOf(value));
    }
    for (const value of values.values()) keepPooled(value, values, constants, pool);
    for (const value of values.values()) {
      const bits = bitsOf(value);
      if (bits !== null) constants.set(value.id, bits);
    }
  }
  const sorted = new Map([...registers].sort(([x], [y]) => (x < y ? -1 : 1)));
  return { registers: sorted, memoryRegister, exits, generators, pool };
}

function number(numbers: Map<string, number>, key: string): void {
  if (!numbers.has(key)) numbers.set(key, numbers.size);
}

/** What writes the code of a patchpoint: an address, which all copies of the patchpoint share. */
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

export function offsetOf({ attributes }: B3Value): number {
  const said = attributes.find((text) => text.startsWith("offset = "));
  return said === undefined ? 0 : Number(said.slice("offset = ".length));
}

/** Of a constant: `-3`, or `1.500000e+00(4609434218613702656)`; null of others. */
export function bitsOf({ opcode, attributes: [text = ""] }: B3Value): bigint | null {
  if (!opcode.startsWith("Const")) return null;
  const match = /^(-?\d{1,20})$/.exec(text) ?? /\((\d{1,20})\)$/.exec(text);
  return match === null ? null : BigInt(match[1]);
}
