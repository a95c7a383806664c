// A module of WebAssembly as text, for people who read a report.

import wabt from "wabt";

/** Features beyond those that wabt reads anyway. */
const FEATURES = { exceptions: true, tail_call: true, threads: true, multi_memory: true };

/**
 * Returns null where wabt does not read the module.
 * @param bytes a valid module of ours: wabt has no guard against a hostile one
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
