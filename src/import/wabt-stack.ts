// Opens wabt with a larger stack. Its own stack has 64 kB, which overflows for a text that nests
// 150 deep.
//
// The stack pointer is the first global of wabt's own WebAssembly module. This file adds an export
// of the global to the module, and sets the pointer to the end of a larger area.

import wabt from "wabt";
import { assert } from "../support/assert.js";
import { integersAt, sectionsOf } from "./sections.js";

type WabtLibrary = Awaited<ReturnType<typeof wabt>>;

interface WabtInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

/** The part of WebAssembly's interface between wabt and its module. */
declare const WebAssembly: {
  instantiate: (bytes: Uint8Array, imports: object) => Promise<{ readonly instance: WabtInstance }>;
};

/** DEPTH_MAX levels need a tenth. */
const STACK_BYTES = 32 << 20;
const EXPORT_SECTION = 7;
const GLOBAL = 3;
const STACK_POINTER = "stackPointer";

/** Starts an instance. The thread must start no other WebAssembly at the same time. */
export async function openWabt(): Promise<WabtLibrary> {
  const usual = WebAssembly.instantiate;
  let exports: WabtInstance["exports"] = {};
  WebAssembly.instantiate = async (bytes, imports) => {
    const made = await usual(withStackPointer(bytes), imports);
    exports = made.instance.exports;
    return made;
  };
  try {
    const tools = await wabt();
    const { [STACK_POINTER]: pointer } = exports;
    assert(isPointer(pointer), () => "wabt exports no stack pointer");
    pointer.value = allocate(tools, STACK_BYTES) + STACK_BYTES;
    return tools;
  } finally {
    WebAssembly.instantiate = usual;
  }
}

const isPointer = (value: unknown): value is { value: number } =>
  typeof value === "object" && value !== null && "value" in value;

function allocate(tools: object, size: number): number {
  const malloc = "_malloc" in tools ? tools._malloc : null;
  assert(typeof malloc === "function", () => "wabt exports no function _malloc");
  const address: unknown = malloc(size);
  assert(typeof address === "number" && address > 0, () => "wabt has no memory left for a stack");
  return address & ~15;
}

/** Appends an export of global 0 to a module. */
function withStackPointer(bytes: Uint8Array): Uint8Array {
  const section = [...sectionsOf(bytes)].find(({ id }) => id === EXPORT_SECTION);
  assert(section !== undefined, () => "the WebAssembly instance of wabt has no exports");
  const { at, start, end } = section;
  const { end: entries, last: count } = integersAt(bytes, start, 1);
  const name = new TextEncoder().encode(STACK_POINTER);
  const added = [name.length, ...name, GLOBAL, 0];
  const counted = integer(count + 1);
  const size = counted.length + end - entries + added.length;
  return Buffer.concat([
    bytes.subarray(0, at),
    Uint8Array.of(EXPORT_SECTION, ...integer(size), ...counted),
    bytes.subarray(entries, end),
    Uint8Array.from(added),
    bytes.subarray(end),
  ]);
}

function integer(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...integer(value >>> 7)];
}
