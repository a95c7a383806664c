// Prints a WebAssembly module as text, for reports.

import wabt from "wabt";

/** Features that wabt does not enable by default. */
const FEATURES = { exceptions: true, tail_call: true, threads: true, multi_memory: true };

/**
 * Returns null if wabt rejects the module.
 * @param bytes a valid module of this project, since wabt has no protection against hostile input
 */
export async function textOfWasm(bytes: Uint8Array): Promise<string | null> {
  const tools = await wabt();
  try {
    const module = tools.readWasm(bytes, { ...FEATURES, readDebugNames: true });
    const text = module.toText({ foldExprs: false, inlineExport: true });
    module.destroy();
    return text;
  } catch {
    return null;
  }
}
