// Reads a file of WebAssembly, text or binary, to a valid WasmModule. wabt converts a text; V8
// validates a binary.

import { TextConverter } from "./convert-text.js";
import { decodeWasm } from "./decode-wasm.js";
import { refuse64Bit } from "./sections.js";
import { validateBinary } from "./validate-binary.js";
import type { WasmModule } from "./wasm-module.js";

/** Features that wabt accepts. It reports the location of any other feature as an error. */
const FEATURES = {
  multi_value: true,
  mutable_globals: true,
  sat_float_to_int: true,
  sign_extension: true,
  bulk_memory: true,
  reference_types: true,
  extended_const: true,
  // Functions that use these are refused later, individually.
  simd: true,
  threads: true,
  exceptions: true,
  tail_call: true,
  memory64: false,
  gc: false,
  function_references: false,
  relaxed_simd: true,
} as const;

export interface WasmReader {
  /** @throws ImportError */
  readonly readBinary: (bytes: Uint8Array) => WasmModule;
  /**
   * @param line the line of its file at which the text begins, from 1
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
  const readText = (text: string, file: string, line = 1): WasmModule => {
    // wabt validates the texts that it converts, and supports features that V8 lacks.
    const bytes = converter.convert(text, file, line);
    refuse64Bit(bytes);
    return decodeWasm(bytes);
  };
  return { readBinary, readText };
}
