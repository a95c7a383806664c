// A file of WebAssembly, text or binary, to a valid WasmModule. wabt converts a text; V8 validates a binary.

import { TextConverter } from "./convert-text.js";
import { decodeWasm } from "./decode-wasm.js";
import { validateBinary } from "./validate-binary.js";
import type { WasmModule } from "./wasm-module.js";

/** What wabt lets through; the rest is an error that it locates. */
const FEATURES = {
  multi_value: true,
  mutable_globals: true,
  sat_float_to_int: true,
  sign_extension: true,
  bulk_memory: true,
  reference_types: true, // tables with segments of functions; values of these types are refused later
  extended_const: false,
  simd: false,
  threads: false,
  exceptions: false,
  tail_call: false,
  memory64: false,
  gc: false,
  function_references: false,
  relaxed_simd: false,
} as const;

export interface WasmReader {
  /** @throws ImportError */
  readonly readBinary: (bytes: Uint8Array) => WasmModule;
  /**
   * @param line where the text begins in its file, from 1
   * @throws ImportError
   */
  readonly readText: (text: string, file: string, line?: number) => WasmModule;
}

export async function openWasmReader(): Promise<WasmReader> {
  const converter = new TextConverter(FEATURES);
  const readBinary = (bytes: Uint8Array): WasmModule => {
    validateBinary(bytes);
    return decodeWasm(bytes);
  };
  const readText = (text: string, file: string, line = 1): WasmModule =>
    readBinary(converter.convert(text, file, line));
  return { readBinary, readText };
}
