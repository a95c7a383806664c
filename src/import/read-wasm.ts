// A file of WebAssembly, text or binary, to a valid WasmModule. wabt reads the text and validates.

import wabt from "wabt";
import { decodeWasm } from "./decode-wasm.js";
import { ImportError } from "./import-error.js";
import type { WasmModule } from "./wasm-module.js";

/** What wabt lets through; the rest is an error that it locates. */
const FEATURES = {
  multi_value: true,
  mutable_globals: true,
  sat_float_to_int: true,
  sign_extension: true,
  bulk_memory: true,
  reference_types: true,
  extended_const: true,
  // Functions that use these are refused later, alone.
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
   * @param line where the text begins in its file, from 1
   * @throws ImportError
   */
  readonly readText: (text: string, file: string, line?: number) => WasmModule;
}

export async function openWasmReader(): Promise<WasmReader> {
  const tools = await wabt();
  const readBinary = (bytes: Uint8Array): WasmModule => {
    // A Buffer may be a part of a larger one, of which wabt would read the rest too.
    const alone = Uint8Array.from(bytes);
    const module = refused(() => tools.readWasm(alone, { readDebugNames: true, ...FEATURES }));
    return decoded(module);
  };
  const readText = (text: string, file: string, line = 1): WasmModule => {
    // Empty lines in front, so that wabt names the line of the file.
    const padded = new TextEncoder().encode("\n".repeat(line - 1) + text);
    return decoded(refused(() => tools.parseWat(file, padded, FEATURES)));
  };
  return { readBinary, readText };
}

/** Validates, and decodes what wabt writes of the module. */
function decoded(module: Opened): WasmModule {
  try {
    refused(() => (module as ValidatesFeatures).validate(FEATURES));
    return decodeWasm(module.toBinary({ write_debug_names: true, canonicalize_lebs: true }).buffer);
  } finally {
    module.destroy();
  }
}

type Opened = ReturnType<Awaited<ReturnType<typeof wabt>>["parseWat"]>;
/** The types of wabt lack the parameter. */
type ValidatesFeatures = Opened & { validate(features: typeof FEATURES): void };

function refused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: "" };
    const [head, said = ""] = message.split("\n");
    if (!REFUSALS.includes(head)) throw error;
    throw new ImportError(said);
  }
}

/** The line in front of what wabt says is wrong; the source follows. */
const REFUSALS = ["parseWat failed:", "readWasm failed:", "validate failed:"];
