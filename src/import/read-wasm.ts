// Reads a file of WebAssembly, text or binary, to a valid WasmModule. wabt converts a text; V8
// validates a binary.

import { TextConverter } from "./convert-text.js";
import { decodeWasm } from "./decode-wasm.js";
import { errorAt, ImportError } from "./import-error.js";
import { refuse64Bit } from "./sections.js";
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

/** The part of WebAssembly's interface that this file uses. */
declare const WebAssembly: {
  readonly validate: (bytes: Uint8Array) => boolean;
  readonly Module: new (bytes: Uint8Array) => object;
};

/**
 * Validates a binary with V8, which is hardened against hostile input.
 * @throws ImportError with the location
 */
function validateBinary(bytes: Uint8Array): void {
  refuse64Bit(bytes);
  if (WebAssembly.validate(bytes)) return;
  try {
    new WebAssembly.Module(bytes);
  } catch (error) {
    throw refusalOf(error instanceof Error ? error.message : "");
  }
  throw new ImportError("the module is not valid");
}

const PREFIX = /^WebAssembly\.Module\(\): /;
const PLACE = / @\+(\d+)$/;
const FEATURE = /enable (?:with|via) --experimental-(?:wasm-)?([\w-]+)/;
const LIMIT = /exceeds internal limit|size limit|larger than|> maximum|maximum function size/;

function refusalOf(message: string): ImportError {
  const at = Number(PLACE.exec(message)?.[1] ?? 0);
  const [, feature] = FEATURE.exec(message) ?? [];
  if (feature !== undefined) return errorAt(at, `${feature} is outside of the import`);
  const text = message.replace(PREFIX, "").replace(PLACE, "");
  return errorAt(at, LIMIT.test(text) ? `outside of the import: ${text}` : text);
}
